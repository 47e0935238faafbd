/* Terminals for a session: readline where there is one, plain lines otherwise. */
#ifndef PTO_DBG_TERM_H
#define PTO_DBG_TERM_H

#include "dbg/dbg.h"

/* Lines from standard input; prompts if it is a terminal. */
void term_plain(struct dbg_terminal *terminal);
#ifdef PTO_READLINE
/* The same with editing, history and completion.  readline is one per process, hence so is this;
 * term_readline_attach names the session that completes. */
void term_readline(struct dbg_terminal *terminal);
void term_readline_attach(struct dbg *dbg);
#endif

#endif
