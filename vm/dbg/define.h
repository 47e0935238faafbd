/* Commands that a session defines: lines with a name. */
#ifndef PTO_DBG_DEFINE_H
#define PTO_DBG_DEFINE_H

#include "dbg/state.h"

/* NULL: nothing has this name. */
const struct dbg_define *define_find(const struct dbg *dbg, const char *word, size_t length);
/* Its lines with the arguments in them, malloc'ed; NULL: answered. */
char *define_lines(struct dbg *dbg, const struct dbg_define *define, const char *args);
void define_free(struct dbg *dbg);

#endif
