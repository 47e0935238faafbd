/* Sets whose wait is issued before them: the pipe that waits stands there until then, so the set
 * itself tells it. */
#ifndef PTO_LINT_EARLY_H
#define PTO_LINT_EARLY_H

#include "core.h"

/* By instruction: a set that a pipe surely waits for when it is issued, since the text has had
 * more waits for its flag than sets, the last on the straight way to it.  Flags whose id is in a
 * register are none.  malloc'ed. */
bool *lint_find_early_sets(const struct lint *lint);

#endif
