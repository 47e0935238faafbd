/* Elementwise work on operands of any layout: a function of rows of elements, called for as long
 * rows as the operands have in common.
 *
 * op_run_lanes finds them: a whole region without gaps, else rows (or columns) where elements
 * lie next to each other, else blocks that go through buffers.  Sources are read before anything is
 * written: where a source overlaps a result in another way than element by element, it is copied
 * first. */
#ifndef PTO_VM_OPS_LANES_H
#define PTO_VM_OPS_LANES_H

#include "place.h"

enum { OP_LANES = 6 };

/* row[i]: n elements of operand i, or one that stands for all of them if bit i of `single` is set.
 * Mask bits start at bit 0; those past the last element of a result become 0.  A result is the same
 * bytes as a source or none of its bytes.  Returns NULL or why the instruction faults. */
typedef const char *op_row_function(void *const *row, size_t n, unsigned single);

/* Rows below each other: how many, and by how many bytes each operand goes on from one to the
 * next. */
struct op_down {
    uint32_t rows;
    int64_t stride[OP_LANES];
};
/* The same for all of these rows, the first of which is row[i]; NULL: it is the only one.  Calls
 * cost as much as a short row. */
typedef const char *op_rows_function(void *const *row, size_t n, unsigned single,
                                     const struct op_down *down);

/* The op_rows_function `name` of an op_row_function name_row of so many operands.  One row is on a
 * way of its own: small tiles are not to pay for the loop's registers. */
#define OP_ROWS(name, lanes)                                                                       \
    static __attribute__((noinline)) const char *name##_rows(                                      \
        void *const *row, size_t n, unsigned single, const struct op_down *down)                   \
    {                                                                                              \
        const struct op_down go = *down; /* results might lie there, for all a compiler knows */   \
        const char *fault = NULL;                                                                  \
        void *at[lanes];                                                                           \
                                                                                                   \
        for (unsigned i = 0; i < (lanes); i++)                                                     \
            at[i] = row[i];                                                                        \
        for (uint32_t r = 0; r < go.rows && !fault; r++) {                                         \
            fault = name##_row(at, n, single);                                                     \
            for (unsigned i = 0; i < (lanes); i++)                                                 \
                at[i] = (uint8_t *)at[i] + go.stride[i];                                           \
        }                                                                                          \
        return fault;                                                                              \
    }                                                                                              \
    static const char *name(void *const *row, size_t n, unsigned single,                           \
                            const struct op_down *down)                                            \
    {                                                                                              \
        return down ? name##_rows(row, n, single, down) : name##_row(row, n, single);              \
    }

/* One operand: a source whose columns are 0 bytes apart is the same element in every column. */
struct op_lane {
    struct op_place place; /* of bytes, if it has bits */
    bool bits;             /* bit c % 8 of byte c / 8 of a row belongs to element c */
    bool read, written;
};

#define op_run_lanes OP_NAME(run_lanes)

/* rows x cols elements of at most OP_LANES operands; `lane` is used up. */
const char *op_run_lanes(const struct op_args *args, uint32_t rows, uint32_t cols,
                         struct op_lane *lane, unsigned lanes, op_rows_function *function);

static inline void op_set_lane(struct op_lane *lane, const struct op_view *view, bool read,
                               bool written)
{
    op_set_place(&lane->place, view);
    lane->bits = false;
    lane->read = read;
    lane->written = written;
}

/* One element for every row, column, or both. */
static inline void op_spread_row(struct op_lane *lane)
{
    lane->place.col = (struct op_axis){0, OP_AXIS_PLAIN, 0, 0};
}

/* The first `count` columns, a power of two, again and again. */
static inline void op_repeat_row(struct op_lane *lane, uint32_t count)
{
    lane->place.col.shift = (uint32_t)__builtin_ctz(count);
    lane->place.col.outer = 0;
}

static inline void op_spread_column(struct op_lane *lane)
{
    lane->place.row = (struct op_axis){0, OP_AXIS_PLAIN, 0, 0};
}

static inline void op_set_constant(struct op_lane *lane, const void *element, uint32_t size)
{
    op_set_strided(&lane->place, (void *)(uintptr_t)element, 0, 0, 0, 0, size);
    lane->bits = false;
    lane->read = true;
    lane->written = false;
}

#endif
