/* Images of factors: their sides; and factors with scales, fp8 or pairs of fp4 with an exponent for
 * every 32 steps of k (OCP Microscaling Formats). */
#ifndef PTO_VM_OPS_CUBE_MX_H
#define PTO_VM_OPS_CUBE_MX_H

#include "place.h"

enum {
    CUBE_PANEL = 16, /* columns of a panel: those of a fractal of the accumulator */
    CUBE_ROWS = 16,  /* rows of a fractal */
    CUBE_GROUP = 32, /* steps of k with one exponent */
};

/* One factor: its elements, and its exponents, one for 32 of them along k. */
struct cube_factor {
    struct op_place place, scale;
    float value[256]; /* of a byte; of fp4 the first 16, of half of one */
    uint32_t packed;  /* elements in a byte, along k */
};

struct cube_mx {
    struct cube_factor a, b;
};

#define cube_mx_set OP_NAME(cube_mx_set)
#define cube_mx_left OP_NAME(cube_mx_left)
#define cube_mx_right OP_NAME(cube_mx_right)

/* Factors from their operands: a, its exponents, b, its exponents. */
void cube_mx_set(struct cube_mx *mx, const struct op_arg *arg);
/* Rows [m, m + rows) and steps [k, k + steps) of a times their scales, as cube.c has images: blocks
 * of 16 x 16. */
void cube_mx_left(const struct cube_mx *mx, float *to, uint32_t m, uint32_t rows, uint32_t k,
                  uint32_t steps);
/* Steps [k, k + steps) and columns [n, n + cols) of b: panels of 16 columns, 0 past the last. */
void cube_mx_right(const struct cube_mx *mx, float *to, uint32_t k, uint32_t steps, uint32_t n,
                   uint32_t cols);

#endif
