/* Between the parts of the cube: cube.c brings operands into images, cube_kernel.c multiplies,
 * bias.c has the instructions that start from a bias or have one row. */
#ifndef PTO_VM_OPS_CUBE_H
#define PTO_VM_OPS_CUBE_H

#include "level.h"

enum {
    CUBE_PANEL = 16, /* columns of a panel: those of a fractal of the accumulator */
    CUBE_ROWS = 16,  /* rows of a fractal */
};

/* c[rows x 16 or 32] (+)= a * b for one block of rows, see cube_kernel.c.  All distances are in
 * 32-bit words; `steps` counts words along k (f32: one step each, int8: two). */
typedef void cube_function(void *c, ptrdiff_t c_panel, const void *a, ptrdiff_t a_block,
                           const void *b, ptrdiff_t b_panel, uint32_t steps, bool init);

/* Words of an operand: f32, of A in blocks of 8 or 16 steps, or pairs of int16 in blocks of 16. */
enum cube_kind { CUBE_FLOAT_8, CUBE_FLOAT_16, CUBE_PAIRS_16, CUBE_KINDS };

#define cube_kernel OP_NAME(cube_kernel)
#define cube_limits OP_NAME(cube_limits)
#define cube_check OP_NAME(cube_check)
#define cube_multiply OP_NAME(cube_multiply)

/* Do operands c, a, b fit each other in shape and layout?  NULL or the fault. */
const char *cube_check(const struct op_args *args);
/* c = a * b if `init`, else c = c + a * b: the semantics stand in cube.c. */
const char *cube_multiply(const struct op_args *args, bool init);

/* The kernel for 1..max_rows rows and 1..max_panels panels. */
cube_function *cube_kernel(enum cube_kind kind, uint32_t rows, uint32_t panels);
void cube_limits(uint32_t *max_rows, uint32_t *max_panels);

#endif
