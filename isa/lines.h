/* Lines of the source files that positions name, for messages.  An object may name any file, so
 * only regular files of a text's size are looked at, and nothing can block.  The file of the last
 * line is kept: messages come in the order of their places. */
#ifndef PTO_LINES_H
#define PTO_LINES_H

#include "arena.h"
#include "diag.h"

enum { PTO_MOST_SHOWN = 400 /* bytes of a line; longer ones are not worth showing */ };

struct pto_lines {
    char *path; /* NULL: none yet */
    struct pto_buf text;
    size_t *start; /* where each line begins */
    uint32_t lines, capacity;
};

/* Line `number`, counted from 1, without its end; NULL if there is nothing to show.  Valid until
 * the next call. */
const char *pto_lines_get(struct pto_lines *lines, const char *path, uint32_t number,
                          size_t *length);
void pto_lines_free(struct pto_lines *lines);
/* Give every diagnostic at a position the line that it is about, where it has none. */
void pto_diags_add_lines(struct pto_diags *diags);

#endif
