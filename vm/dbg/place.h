/* Places in the programs by what a user types: LINE, FILE:LINE, label, kernel, macro,
 * mnemonic. */
#ifndef PTO_DBG_PLACE_H
#define PTO_DBG_PLACE_H

#include "dbg/state.h"

struct place_request {
    struct dbg_places places; /* first instruction of a line in each program and macro use; label;
                                 start of a kernel; of each use of a macro */
    int op;                   /* first row of a mnemonic, or -1 */
};

/* Resolve the first `length` characters of `text`; answers what is wrong if nothing fits. */
bool place_resolve(struct dbg *dbg, const char *text, size_t length,
                   struct place_request *request);
/* The file that a line without file means, and its module: of the focused sub-core, or of the
 * first kernel. */
const struct pto_module *place_current_file(const struct dbg *dbg, uint32_t *file);
/* Call for every program of every launched kernel, each once. */
void place_each_program(const struct dbg *dbg,
                        void (*function)(void *context, const struct dbg_place *start),
                        void *context);
void place_free(struct dbg_places *places);

#endif
