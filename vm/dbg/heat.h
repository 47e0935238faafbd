/* A window of numbers as a map of characters: what is small and what is large, where NaN are and
 * what nobody wrote. */
#ifndef PTO_DBG_HEAT_H
#define PTO_DBG_HEAT_H

#include "dbg/view.h"

/* Cells, each the mean of the elements that fall into it: ' ' the smallest to '@' the largest, 'N'
 * if one of them is NaN, 'I' if one is infinite, '_' if none was ever written. */
struct dbg_heat {
    unsigned rows, cols;
    bool any;          /* there are numbers, */
    double low, high;  /* and these are the smallest and the largest */
    char *cell;        /* [rows * cols]; to be freed */
    bool boxed;        /* an edge is drawn around the valid region that was worked on last */
};

/* The window in at most `rows` and `cols` cells, both at least 1.  Where it is more than the region
 * with which an instruction last worked on its tile, an edge of | - + goes around that, in cells
 * that have nothing of it. */
struct dbg_heat heat_make(struct dbg *dbg, const struct dbg_view *view, unsigned rows,
                          unsigned cols);
/* Title, map and legend. */
void heat_say(struct dbg *dbg, const struct dbg_view *view);

#endif
