/* The valid region with which an instruction last worked on a slot of a tile. */
#ifndef PTO_DBG_VALID_H
#define PTO_DBG_VALID_H

#include "dbg/view.h"

struct dbg_valid {
    uint64_t row, col, rows, cols; /* of the slot */
    const struct dbg_record *record; /* its completion */
};

/* Among the events that are kept, of the focused sub-core; false: none of them completed work on
 * the tile of the view, or the view is of none. */
bool valid_find(const struct dbg *dbg, const struct dbg_view *view, struct dbg_valid *valid);

#endif
