/* Reading a piece of a row as contiguous elements, whatever the layout of its tile; small floats as
 * f32 where that is wanted.  For instructions that look at more than one element of a row at a
 * time. */
#ifndef PTO_VM_OPS_LINE_H
#define PTO_VM_OPS_LINE_H

#include "place.h"
#include "widen.h"

enum { OP_LINE = 512 }; /* most elements of one piece; a multiple of every vector length */

struct op_line {
    _Alignas(64) uint8_t raw[OP_LINE * 8];
    _Alignas(64) float wide[OP_LINE];
};

/* Elements [col, col + count) of a row, in place where they lie next to each other, else in a
 * buffer of `line`.  `widen`: f16, bf16 and fp8 are given as f32. */
static inline const void *op_line_read(struct op_line *line, const struct op_place *src,
                                       uint8_t dtype, bool widen, uint32_t row, uint32_t col,
                                       uint32_t count)
{
    const void *elements = line->raw;

    if ((count == 1 || src->col.inner == (int64_t)src->size) &&
        op_axis_run(&src->col, col) >= count) {
        elements = op_address(src, row, col);
    } else {
        struct op_place from = op_place_at(*src, row, col);
        struct op_place buffer = op_strided(line->raw, 0, src->size, src->size);

        op_copy(&buffer, &from, 1, count);
    }
    if (!widen || !op_is_small_float(dtype))
        return elements;
    op_widen(dtype, line->wide, elements, count);
    return line->wide;
}

/* Length of the piece that begins at `col` of `cols`. */
static inline uint32_t op_line_length(uint32_t col, uint32_t cols)
{
    return cols - col < OP_LINE ? cols - col : OP_LINE;
}

#endif
