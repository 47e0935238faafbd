/* The checker of a run that several processes share: what they agree on, and how process 0 gets
 * what all have found (docs/decisions/0053-the-checker-in-processes.md).  All call these functions
 * at the same points of the run; one process that has all ranks is on its own. */
#ifndef PTO_CHECK_TOGETHER_H
#define PTO_CHECK_TOGETHER_H

#include "check/internal.h"

/* --join: what all ranks know when they have ended. */
void together_join(struct pto_check *check);
/* How the run has ended: check->end. */
void together_end(struct pto_check *check);
/* Process 0 takes over what all have found, noted and counted, in the order of one process; all
 * hear whether there are doubts, and whether anything was found. */
void together_gather(struct pto_check *check);
/* Does this hold in one of them? */
bool together_any(const struct pto_check *check, bool here);

#endif
