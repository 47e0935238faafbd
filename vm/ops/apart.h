/* Sources are read as if all of them were read before anything is written: a source that meets a
 * destination is copied first. */
#ifndef PTO_VM_OPS_APART_H
#define PTO_VM_OPS_APART_H

#include "place.h"

#define op_separate OP_NAME(separate)
#define op_detach OP_NAME(detach)

/* Scratch from byte `used` on. */
struct op_scratch {
    uint8_t *base;
    size_t used;
};

/* If the window `src` meets the bytes of the view `dst`, continue with a copy of it in scratch.
 * Returns NULL or the fault that the copy does not fit. */
const char *op_separate(struct op_scratch *scratch, const struct op_view *dst,
                        struct op_place *src, uint32_t rows, uint32_t cols);
/* The same for elements that stay in their place: nothing is copied where the source is the
 * destination element by element. */
const char *op_detach(struct op_scratch *scratch, const struct op_place *dst, uint32_t dst_rows,
                      uint32_t dst_cols, struct op_place *src, uint32_t rows, uint32_t cols);

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
