/* Elementwise work on tiles of any layout, broken into contiguous rows.
 *
 * An instruction supplies a function that computes n contiguous elements; op_walk finds the longest
 * contiguous runs (a whole tile, a row, a column), gathers what is not contiguous, and takes small
 * floats through f32.  Sources are read before anything is written: where a source overlaps the
 * destination in another way than element by element, it is copied first. */
#ifndef PTO_VM_OPS_WALK_H
#define PTO_VM_OPS_WALK_H

#include "place.h"

/* d[i] = f(a[i], b[i]) for i < n.  Returns NULL or why the instruction faults. */
typedef const char *op_row_function(void *d, const void *a, const void *b, size_t n);

struct op_kernel {
    op_row_function *tile;    /* a and b are rows */
    op_row_function *scalar;  /* b is one element */
    op_row_function *reverse; /* a is one element */
};

struct op_operand {
    struct op_place place;
    uint8_t dtype;
};

#define op_column OP_NAME(column)
#define op_walk OP_NAME(walk)
#define op_detach OP_NAME(detach)
#define op_covers OP_NAME(covers)
#define op_convert_scalar OP_NAME(convert_scalar)

/* The elements of a view: filled in where it stands (see op_set_strided), or as a value. */
static inline void op_set_operand(struct op_operand *operand, const struct op_view *view)
{
    op_set_place(&operand->place, view);
    operand->dtype = view->dtype;
}

static inline struct op_operand op_operand_of(const struct op_view *view)
{
    struct op_operand operand;

    op_set_operand(&operand, view);
    return operand;
}

/* An operand that is the same element everywhere. */
static inline struct op_operand op_constant(void *element, uint8_t dtype)
{
    struct op_operand operand;

    op_set_strided(&operand.place, element, 0, 0, 0, 0, pto_dtype_size((enum pto_dtype)dtype));
    operand.dtype = dtype;
    return operand;
}

/* Column 0 of a tile, the same in every column. */
struct op_operand op_column(const struct op_view *view);

/* d = f(a, b) over rows x cols.  `widen`: small floats are given to the function as f32, and its
 * f32 results are rounded to nearest even; otherwise it sees the bytes.  b may be NULL: then the
 * function's b is NULL.  Returns NULL or why the instruction faults. */
const char *op_walk(const struct op_args *args, uint32_t rows, uint32_t cols,
                    const struct op_operand *d, const struct op_operand *a,
                    const struct op_operand *b, const struct op_kernel *kernel, bool widen);

/* Scratch from byte *used on. */
struct op_scratch {
    uint8_t *base;
    size_t used;
};
/* If the source overlaps the destination other than element by element, continue with a copy of it
 * in scratch.  Faults if the copy does not fit. */
const char *op_detach(struct op_scratch *scratch, const struct op_place *dst, uint32_t dst_rows,
                      uint32_t dst_cols, struct op_place *src, uint32_t rows, uint32_t cols);

/* Does operand `index` have at least rows x cols valid elements?  NULL, or the fault. */
const char *op_covers(const struct op_args *args, int index, const char *name, uint32_t rows,
                      uint32_t cols);

/* The scalar operand `index` as an element of `dtype`: floats round once to nearest even; integer
 * types need an integral value in range (64-bit ones take any 64-bit integer), else it faults. */
const char *op_convert_scalar(const struct op_args *args, int index, uint8_t dtype, void *element);

#endif
