/* Typed two-dimensional windows over tiles and global objects, and how they print. */
#ifndef PTO_DBG_VIEW_H
#define PTO_DBG_VIEW_H

#include "dbg/state.h"
#include "look/touch.h"

struct dbg_view {
    struct pto_buf title;       /* "ta[0]: f32 1 x 8192 nd in ub at 0x0, window ..." */
    uint8_t dtype;
    uint64_t rows, cols;        /* of the window */
    uint64_t row, col;          /* its first element */
    const uint8_t *base;        /* element (0, 0); NULL: this memory was not touched yet */
    struct pto_place place;     /* the memory that it lies in, */
    uint64_t offset;            /* and where in it element (0, 0) does */
    const struct pto_tile *tile; /* elements lie as its layout says; NULL: by strides */
    int64_t row_stride, col_stride; /* bytes */
};

/* What an expression names that is an EX_REF: tile[slot](row, col){rows, cols} of the focused
 * sub-core or object@rank[i, j]{rows, cols}.  False: answered.  The caller frees view->title. */
bool view_find(struct dbg *dbg, struct formula_standalone *s, struct dbg_view *view);
/* Is `name` a tile or an object here? */
bool view_is_name(const struct dbg *dbg, const char *name);
/* Where an element lies, counted from element (0, 0). */
int64_t view_distance(const struct dbg_view *view, uint64_t row, uint64_t col);
/* Where an element lies; a function of its own for tests. */
const uint8_t *view_element(const struct dbg_view *view, uint64_t row, uint64_t col);
/* All ones, with which memory starts: no computation gives that for a float. */
bool view_is_unwritten(const uint8_t *element, enum pto_dtype dtype);
/* Title, the elements that fit, and what there is among all of the window. */
void view_say(struct dbg *dbg, const struct dbg_view *view, bool hex);
/* One element: "1.5", ".." for poison of a float type, bits in hexadecimal if asked for. */
void view_cell(const uint8_t *element, enum pto_dtype dtype, bool hex, char text[32]);

#endif
