/* Geometry of windows: from a view to its axes, and whether windows meet. */
#include "place.h"

#include "module.h"

static uint32_t log2_of(unsigned power)
{
    return (uint32_t)__builtin_ctz(power);
}

static int64_t blocks(uint32_t length, unsigned block)
{
    return (int64_t)(((uint64_t)length + block - 1) >> log2_of(block));
}

/* Blocks of 2^shift steps, `outer` bytes apart; one block if each goes on with the one before. */
static struct op_axis axis_of(uint32_t first, uint32_t shift, int64_t outer, int64_t inner)
{
    if (outer == inner << shift)
        return (struct op_axis){first, OP_AXIS_PLAIN, 0, inner};
    return (struct op_axis){first, shift, outer, inner};
}

void op_set_fractal(struct op_place *place, const struct op_view *view, uint32_t size)
{
    const struct pto_layout_info *layout = &pto_layouts[view->layout];
    unsigned box_rows, box_cols;
    int64_t box, row_inner, col_inner, row_outer, col_outer;

    pto_fractal((enum pto_layout)view->layout, (enum pto_space)view->space, size, &box_rows,
                &box_cols);
    box = (int64_t)box_rows * box_cols * size;
    row_inner = layout->box == PTO_BOX_TALL ? size : (int64_t)box_cols * size;
    col_inner = layout->box == PTO_BOX_TALL ? (int64_t)box_rows * size : size;
    if (layout->columns_first) {
        row_outer = box;
        col_outer = box * blocks(view->pitch ? view->pitch : view->tile_rows, box_rows);
    } else {
        row_outer = box * blocks(view->pitch ? view->pitch : view->tile_cols, box_cols);
        col_outer = box;
    }
    *place = (struct op_place){view->data,
                               axis_of(view->row, log2_of(box_rows), row_outer, row_inner),
                               axis_of(view->col, log2_of(box_cols), col_outer, col_inner),
                               size};
}

static bool same_axis(const struct op_axis *a, const struct op_axis *b)
{
    return a->first == b->first && a->shift == b->shift && a->outer == b->outer &&
           a->inner == b->inner;
}

bool op_same_place(const struct op_place *a, const struct op_place *b)
{
    return a->data == b->data && a->size == b->size && same_axis(&a->row, &b->row) &&
           same_axis(&a->col, &b->col);
}

/* Widen [*low, *high] by the offsets of `count` >= 1 steps on an axis of blocks.  The ends of
 * blocks are extreme: those of the first and the last whole one and of the two partial ones matter.
 * */
static void stretch_blocks(const struct op_axis *axis, uint32_t count, intptr_t *low,
                           intptr_t *high)
{
    uint64_t length = UINT64_C(1) << axis->shift, run = op_axis_run(axis, 0);
    uint32_t last = count - 1;
    uint64_t tail = ((uint64_t)axis->first + last) & (length - 1); /* steps into the last block */
    uint32_t step[6] = {0, last, run <= last ? (uint32_t)run : last,
                        run <= last ? (uint32_t)(run - 1) : last,
                        tail <= last ? (uint32_t)(last - tail) : 0,
                        tail < last ? (uint32_t)(last - tail - 1) : 0};
    int64_t least = INT64_MAX, most = INT64_MIN;

    for (int i = 0; i < 6; i++) {
        int64_t offset = op_axis_offset(axis, step[i]);

        least = offset < least ? offset : least;
        most = offset > most ? offset : most;
    }
    *low += least;
    *high += most;
}

static void stretch(const struct op_axis *axis, uint32_t count, intptr_t *low, intptr_t *high)
{
    int64_t start = (int64_t)axis->first * axis->inner, span = (int64_t)(count - 1) * axis->inner;

    if (axis->shift != OP_AXIS_PLAIN) {
        stretch_blocks(axis, count, low, high);
        return;
    }
    *low += start + (span < 0 ? span : 0);
    *high += start + (span > 0 ? span : 0);
}

/* First byte of a window and the byte past its last; rows and cols are not 0. */
static void range(const struct op_place *place, uint32_t rows, uint32_t cols, intptr_t *low,
                  intptr_t *high)
{
    *low = (intptr_t)place->data;
    *high = *low + place->size;
    stretch(&place->row, rows, low, high);
    stretch(&place->col, cols, low, high);
}

bool op_overlap(const struct op_place *a, uint32_t a_rows, uint32_t a_cols,
                const struct op_place *b, uint32_t b_rows, uint32_t b_cols)
{
    intptr_t a_low, a_high, b_low, b_high;

    if (!a_rows || !a_cols || !b_rows || !b_cols)
        return false;
    range(a, a_rows, a_cols, &a_low, &a_high);
    range(b, b_rows, b_cols, &b_low, &b_high);
    return a_low < b_high && b_low < a_high;
}

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

bool op_self_overlap(const struct op_place *place, uint32_t rows, uint32_t cols)
{
    int64_t row = magnitude(place->row.inner), col = magnitude(place->col.inner);
    int64_t near, far;
    uint32_t near_count;

    if (place->row.shift != OP_AXIS_PLAIN || place->col.shift != OP_AXIS_PLAIN)
        return false; /* tiles lay each element in its own place */
    if (rows <= 1 || cols <= 1)
        return (rows > 1 && row < place->size) || (cols > 1 && col < place->size);
    near = row < col ? row : col;
    far = row < col ? col : row;
    near_count = row < col ? rows : cols;
    return near < place->size || far / near_count < near;
}
