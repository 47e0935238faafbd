/* Transposition of rectangles of elements of any size. */
#ifndef PTO_VM_OPS_TRANSPOSE_H
#define PTO_VM_OPS_TRANSPOSE_H

#include "level.h"

#define op_transpose_grid OP_NAME(transpose_grid)

enum { OP_C0_BYTES = 32 }; /* a line of a fractal */

/* Equal pieces of an axis: steps of one, how many, bytes from one to the next on both sides. */
struct op_pieces {
    uint32_t length, count;
    int64_t dst, src;
};

/* A grid of rectangles, in each of them dst[c][r] = src[r][c] for elements of `size` (1, 2, 4 or 8)
 * bytes.  Rows of both are contiguous, their distances are in bytes. */
void op_transpose_grid(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,
                       const struct op_pieces *rows, const struct op_pieces *cols, uint32_t size);

/* One rectangle. */
static inline void op_transpose(uint8_t *dst, int64_t dst_step, const uint8_t *src,
                                int64_t src_step, uint32_t rows, uint32_t cols, uint32_t size)
{
    const struct op_pieces down = {rows, 1, 0, 0}, across = {cols, 1, 0, 0};

    op_transpose_grid(dst, dst_step, src, src_step, &down, &across, size);
}

#endif
