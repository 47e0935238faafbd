/* For instructions that move elements to other places: their sources are read as if all of them
 * were read before anything is written, so a source that meets a destination is copied first.
 * (Where elements stay in their place op_detach of walk.h needs fewer copies.) */
#ifndef PTO_VM_OPS_APART_H
#define PTO_VM_OPS_APART_H

#include "walk.h"

#define op_separate OP_NAME(separate)

/* If the window `src` meets the bytes of the view `dst`, continue with a copy of it in scratch.
 * Returns NULL or the fault that the copy does not fit. */
const char *op_separate(struct op_scratch *scratch, const struct op_view *dst,
                        struct op_place *src, uint32_t rows, uint32_t cols);

/* Columns first, first + period, first + 2 * period, ... of a window in nd or dn. */
static inline struct op_place op_every_column(struct op_place place, uint32_t first,
                                              uint32_t period)
{
    place.data += ((int64_t)place.col.first + first) * place.col.inner;
    place.col.first = 0;
    place.col.inner *= period;
    return place;
}

#endif
