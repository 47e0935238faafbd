/* What is yet to come of a kernel whose run has come to a stand: who could still release a wait? */
#ifndef PTO_DBG_AHEAD_H
#define PTO_DBG_AHEAD_H

#include "dbg/state.h"

struct ahead {
    bool known;                  /* false: the machine still runs, or would launch more */
    bool *comes[PTO_CORE_KINDS]; /* [instruction]: somebody has it before him; NULL: no program */
};

/* Of the kernel that the focused sub-core runs.  What that one's S has behind its wait is left out,
 * since it cannot come before the wait ends. */
void ahead_look(struct dbg *dbg, const struct pto_kernel *kernel, struct ahead *ahead);
void ahead_free(struct ahead *ahead);

#endif
