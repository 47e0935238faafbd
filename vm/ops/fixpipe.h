/* What the FIX pipe does to elements on their way out of an accumulator: ReLU, a scale, a cast. */
#ifndef PTO_VM_OPS_FIXPIPE_H
#define PTO_VM_OPS_FIXPIPE_H

#include "operand.h"

#define op_fix_piece OP_NAME(fix_piece)
#define op_fix_strips OP_NAME(fix_strips)

struct op_fix {
    bool relu, scaled;
    struct op_place scale; /* of f32: element (0, c) belongs to column c */
};

/* Most elements of a piece: their buffers stay in the host's fastest cache. */
enum { OP_FIX_PIECE = 2048 };

/* rows x cols elements of an accumulator (f32 or i32) from (row, col) on, as packed elements of
 * type `to`; returns where in `scratch` they are.
 *
 * First ReLU: the larger of the value and +0, NaN stays NaN.  Then the scale, of which the upper 19
 * bits count: an i32 is rounded to f32, the product is rounded to f32.  Then the cast, to nearest
 * even: floats beyond the range become infinite (f8e4m3: NaN), integers are clamped and NaN gives
 * 0. */
void *op_fix_piece(const struct op_fix *fix, const struct op_operand *src, uint8_t to, uint32_t row,
                   uint32_t col, uint32_t rows, uint32_t cols, uint8_t *scratch);

/* The same for a window, written to dst, which shares no bytes with src nor among its elements: as
 * many columns as go by strips; returns how many, from column 0 on. */
uint32_t op_fix_strips(const struct op_fix *fix, const struct op_operand *dst,
                       const struct op_operand *src, uint32_t rows, uint32_t cols,
                       uint8_t *scratch);

#endif
