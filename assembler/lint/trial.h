/* Warnings that a trial does not confirm.  Internal to the lint. */
#ifndef PTO_LINT_TRIAL_H
#define PTO_LINT_TRIAL_H

#include "core.h"

/* Findings from number `first` on, of the program being looked at, that say what some path may
 * bring: it is gone through for many small values of the parameters, and of what memory says.  If
 * flags and tiles are right in all of these runs, which come to every instruction and through loops
 * more than once, the findings become notes. */
void lint_trials(struct lint *lint, uint32_t first);

#endif
