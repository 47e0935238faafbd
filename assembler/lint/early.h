/* Sets whose wait is issued before them: the pipe that waits stands there until then, so the set
 * itself tells it. */
#ifndef PTO_LINT_EARLY_H
#define PTO_LINT_EARLY_H

#include "core.h"

/* Is a set waited for when it is issued?  PERHAPS: the text has had more waits for its flag than
 * sets.  SURELY: the last of them on the straight way to it, and both ids are known. */
enum lint_early { LINT_NOT_EARLY, LINT_PERHAPS_EARLY, LINT_SURELY_EARLY };

/* By instruction, malloc'ed. */
uint8_t *lint_find_early_sets(const struct lint *lint);

#endif
