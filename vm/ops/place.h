/* Where the elements of a tile or window lie, whatever its layout, and how they are copied.
 *
 * In every layout the address of element (r, c) is data + row(r) + col(c), where each axis is
 * piecewise linear: blocks of 2^shift steps, `inner` bytes from step to step and `outer` bytes from
 * block to block.  That one description serves ND, DN, strided windows of global memory and all
 * fractal layouts (docs/language.md, "Layouts"), so that any layout copies to any other. */
#ifndef PTO_VM_OPS_PLACE_H
#define PTO_VM_OPS_PLACE_H

#include "level.h"

struct op_axis {
    uint32_t first; /* step of the tile that is step 0 here */
    uint32_t shift;
    int64_t outer, inner;
};

struct op_place {
    uint8_t *data;
    struct op_axis row, col;
    uint32_t size; /* bytes of an element */
};

enum { OP_AXIS_PLAIN = 32 }; /* shift of an axis that is one block */

static inline int64_t op_axis_offset(const struct op_axis *axis, uint32_t step)
{
    uint64_t at = (uint64_t)axis->first + step;
    uint64_t block = at >> axis->shift;

    return (int64_t)block * axis->outer + (int64_t)(at - (block << axis->shift)) * axis->inner;
}

/* Steps from `step` to the end of its block. */
static inline uint64_t op_axis_run(const struct op_axis *axis, uint32_t step)
{
    uint64_t length = UINT64_C(1) << axis->shift;

    return length - (((uint64_t)axis->first + step) & (length - 1));
}

static inline uint8_t *op_address(const struct op_place *place, uint32_t row, uint32_t col)
{
    return place->data + op_axis_offset(&place->row, row) + op_axis_offset(&place->col, col);
}

/* The same elements, counted from (row, col). */
static inline struct op_place op_place_at(struct op_place place, uint32_t row, uint32_t col)
{
    place.row.first += row;
    place.col.first += col;
    return place;
}

/* Do the elements of a row touch, all of them? */
static inline bool op_along_rows(const struct op_place *place)
{
    return place->col.shift == OP_AXIS_PLAIN && place->col.inner == (int64_t)place->size;
}

/* Does every row of `cols` elements go on with the next one, at the distance of its columns? */
static inline bool op_rows_continue(const struct op_place *place, uint32_t cols)
{
    return place->row.shift == OP_AXIS_PLAIN && place->col.shift == OP_AXIS_PLAIN &&
           place->row.inner == (int64_t)cols * place->col.inner;
}

/* Rows and columns exchanged. */
static inline struct op_place op_place_flip(struct op_place place)
{
    struct op_axis row = place.row;

    place.row = place.col;
    place.col = row;
    return place;
}

#define op_set_fractal OP_NAME(set_fractal)
#define op_same_place OP_NAME(same_place)
#define op_overlap OP_NAME(overlap)
#define op_self_overlap OP_NAME(self_overlap)
#define op_copy OP_NAME(copy)

/* Field by field: copying a place that has just been written costs more than filling it in. */
static inline void op_set_strided(struct op_place *place, void *data, uint32_t row, uint32_t col,
                                  int64_t row_stride, int64_t col_stride, uint32_t size)
{
    place->data = data;
    place->row.first = row;
    place->row.shift = OP_AXIS_PLAIN;
    place->row.outer = 0;
    place->row.inner = row_stride;
    place->col.first = col;
    place->col.shift = OP_AXIS_PLAIN;
    place->col.outer = 0;
    place->col.inner = col_stride;
    place->size = size;
}

/* Elements at data + r * row_stride + c * col_stride. */
static inline struct op_place op_strided(void *data, int64_t row_stride, int64_t col_stride,
                                         uint32_t size)
{
    struct op_place place;

    op_set_strided(&place, data, 0, 0, row_stride, col_stride, size);
    return place;
}

/* The window of a view, at its offset. */
void op_set_fractal(struct op_place *place, const struct op_view *view, uint32_t size);

static inline void op_set_place(struct op_place *place, const struct op_view *view)
{
    uint32_t size = pto_dtype_size((enum pto_dtype)view->dtype);

    if (pto_layout_is_plain((enum pto_layout)view->layout))
        op_set_strided(place, view->data, view->row, view->col, view->row_stride,
                       view->col_stride, size);
    else
        op_set_fractal(place, view, size);
}

static inline struct op_place op_place_of(const struct op_view *view)
{
    struct op_place place;

    op_set_place(&place, view);
    return place;
}

/* Are element (r, c) of both the same bytes, for every r and c? */
bool op_same_place(const struct op_place *a, const struct op_place *b);
/* Do the address ranges of two windows meet? */
bool op_overlap(const struct op_place *a, uint32_t a_rows, uint32_t a_cols,
                const struct op_place *b, uint32_t b_rows, uint32_t b_cols);
/* May two elements of the window share bytes (a stride of 0, or less than what lies inside)? */
bool op_self_overlap(const struct op_place *place, uint32_t rows, uint32_t cols);

/* dst = src, rows x cols elements of equal size.  The windows are disjoint or the same. */
void op_copy(const struct op_place *dst, const struct op_place *src, uint32_t rows,
             uint32_t cols);

/* dst(dst_row, dst_col + i) = src(src_row, i) for i < count, without the start of op_copy where
 * rows are in one piece. */
static inline void op_copy_row(const struct op_place *dst, uint32_t dst_row, uint32_t dst_col,
                               const struct op_place *src, uint32_t src_row, uint32_t count)
{
    struct op_place to, from;

    if (count && op_along_rows(dst) && op_along_rows(src)) {
        memcpy(op_address(dst, dst_row, dst_col), op_address(src, src_row, 0),
               (size_t)count * src->size);
        return;
    }
    to = op_place_at(*dst, dst_row, dst_col);
    from = op_place_at(*src, src_row, 0);
    op_copy(&to, &from, 1, count);
}

#endif
