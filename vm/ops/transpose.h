/* Transposition of rectangles of elements of any size. */
#ifndef PTO_VM_OPS_TRANSPOSE_H
#define PTO_VM_OPS_TRANSPOSE_H

#include "level.h"

#define op_transpose OP_NAME(transpose)

/* dst[c][r] = src[r][c] for rows x cols elements of `size` (1, 2, 4 or 8) bytes.  Rows of both are
 * contiguous, their distances are in bytes. */
void op_transpose(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,
                  uint32_t rows, uint32_t cols, uint32_t size);

#endif
