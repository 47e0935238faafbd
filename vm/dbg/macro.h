/* Uses of macros, by the names that their files give them: an object knows lines of macros, but no
 * names. */
#ifndef PTO_DBG_MACRO_H
#define PTO_DBG_MACRO_H

#include "dbg/state.h"

struct macro_use {
    const char *name; /* not terminated */
    size_t length;
    uint32_t pc;      /* of its first instruction */
    unsigned level;   /* of the macro's own text there, see source_level */
};

/* Call for every use in a program, in the order of first instructions; outer ones before those in
 * them. */
void macro_each_use(struct dbg *dbg, const struct dbg_place *start,
                    void (*function)(void *context, const struct macro_use *use), void *context);
/* Answer with an error, and what is known of the reason, if the programs have no use of such a
 * macro but a definition; false: there is none. */
bool macro_unused(struct dbg *dbg, const char *name);
/* The first source file that cannot be read; NULL: all can. */
const char *macro_lost_file(struct dbg *dbg);

#endif
