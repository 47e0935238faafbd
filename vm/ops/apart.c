/* Copies of sources that a destination would spoil. */
#include "apart.h"

const char *op_separate(struct op_scratch *scratch, const struct op_view *dst,
                        struct op_place *src, uint32_t rows, uint32_t cols)
{
    struct op_place to = op_place_of(dst), copy;
    size_t line = (size_t)cols * src->size;

    if (!op_overlap(&to, dst->rows, dst->cols, src, rows, cols))
        return NULL;
    if (line > (OP_SCRATCH_BYTES - scratch->used) / rows)
        return "operands overlap in a window that is too large: use separate tiles";
    copy = op_strided(scratch->base + scratch->used, (int64_t)line, src->size, src->size);
    op_copy(&copy, src, rows, cols);
    scratch->used += (line * rows + 63) / 64 * 64;
    *src = copy;
    return NULL;
}
