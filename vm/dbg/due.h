/* Commands of the breakpoints that hold at a stop; script.h carries them out. */
#ifndef PTO_DBG_DUE_H
#define PTO_DBG_DUE_H

#include "dbg/state.h"

/* The machine has stopped: they are due. */
void due_expect(struct dbg *dbg);
/* Do all of them begin with 'silent'?  Then nothing else tells of the stop. */
bool due_is_silent(const struct dbg *dbg);
/* Is the first of these lines that word? */
bool due_is_silence(const char *lines);

#endif
