/* Lines of commands: from files, from definitions, and those of breakpoints. */
#ifndef PTO_DBG_SCRIPT_H
#define PTO_DBG_SCRIPT_H

#include "dbg/state.h"

/* Carry out the commands of the breakpoints that hold at this stop (due.h), and those of the stops
 * that they lead to; false: one failed. */
bool script_carry_out_due(struct dbg *dbg);

#endif
