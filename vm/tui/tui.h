/* The debugger on the full screen of a terminal: source, pipes with what is in flight, flags, a
 * tile, answers and a command line. */
#ifndef PTO_TUI_TUI_H
#define PTO_TUI_TUI_H

#include "dbg/dbg.h"

/* The `full_screen` of a terminal (dbg/dbg.h) on standard input and output. */
bool tui_show(void *context, struct dbg *dbg, const char **why);

#endif
