/* Answers for programs (--json): every command makes one line of JSON. */
#ifndef PTO_DBG_LINES_H
#define PTO_DBG_LINES_H

#include "dbg/state.h"

/* What was said so far waits for the end of the command. */
void lines_keep(struct dbg *dbg);
/* The line of a command that is over: what it said, and where the machine stands. */
void lines_write(struct dbg *dbg, const char *command, bool good);

#endif
