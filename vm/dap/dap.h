/* The debugger for editors: requests of the Debug Adapter Protocol on one descriptor, answers and
 * events on another, until the client disconnects or its end closes. */
#ifndef PTO_DAP_DAP_H
#define PTO_DAP_DAP_H

#include "dbg/dbg.h"

/* `argv`: the command line, whose options every launch begins with.  A message on `*why` says what
 * a status other than DBG_EXIT_DONE is about. */
enum dbg_exit dap_serve(int argc, char **argv, int in, int out, const char **why);

#endif
