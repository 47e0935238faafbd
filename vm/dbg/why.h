/* Why something waits, and what would release it. */
#ifndef PTO_DBG_WHY_H
#define PTO_DBG_WHY_H

#include "dbg/state.h"

/* ", set by set_flag ... (vadd.pto:20)" of the last token of the focused sub-core, if known. */
void why_say_setter(struct dbg *dbg, unsigned src, unsigned dst, unsigned id);

#endif
