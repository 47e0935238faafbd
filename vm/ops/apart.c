/* Copies of sources that a destination would spoil. */
#include "apart.h"

static const char *copy_aside(struct op_scratch *scratch, struct op_place *src, uint32_t rows,
                              uint32_t cols)
{
    size_t line = (size_t)cols * src->size;
    struct op_place copy;

    if (line > (OP_SCRATCH_BYTES - scratch->used) / rows)
        return "operands overlap in a window that is too large: use separate tiles";
    copy = op_strided(scratch->base + scratch->used, (int64_t)line, src->size, src->size);
    op_copy(&copy, src, rows, cols);
    scratch->used += (line * rows + 63) / 64 * 64;
    *src = copy;
    return NULL;
}

const char *op_separate(struct op_scratch *scratch, const struct op_view *dst,
                        struct op_place *src, uint32_t rows, uint32_t cols)
{
    struct op_place to = op_place_of(dst);

    if (!op_overlap(&to, dst->rows, dst->cols, src, rows, cols))
        return NULL;
    return copy_aside(scratch, src, rows, cols);
}

/* Of an axis that stays in one place one step is copied. */
static uint32_t distinct(const struct op_axis *axis, uint32_t count)
{
    return axis->shift == OP_AXIS_PLAIN && axis->inner == 0 ? 1 : count;
}

const char *op_detach(struct op_scratch *scratch, const struct op_place *dst, uint32_t dst_rows,
                      uint32_t dst_cols, struct op_place *src, uint32_t rows, uint32_t cols)
{
    uint32_t own_rows = distinct(&src->row, rows), own_cols = distinct(&src->col, cols);
    const char *fault;

    if (op_same_place(dst, src) || !op_overlap(dst, dst_rows, dst_cols, src, own_rows, own_cols))
        return NULL;
    fault = copy_aside(scratch, src, own_rows, own_cols);
    src->row.inner = own_rows < rows ? 0 : src->row.inner;
    src->col.inner = own_cols < cols ? 0 : src->col.inner;
    return fault;
}
