/* Products that start from a bias, and products with one row: TMATMUL_BIAS, TGEMV, TGEMV_ACC,
 * TGEMV_BIAS. */
#include "cube.h"

#include <stdio.h>

#include "operand.h"

/* c[i, j] = bias[0, j] + the products in ascending k: as if every row of c had held the bias before
 * a TMATMUL_ACC.  So c is the bias where k is 0, a NaN canonical; i32 sums wrap around. */
const char *cube_multiply_bias(const struct op_args *args, const struct cube_mx *mx)
{
    const struct op_view *c = &args->arg[0].view;
    struct op_place to = op_place_of(c), bias = op_place_of(&args->arg[3].view);
    const char *fault = cube_check(args);

    if (!fault)
        fault = op_covers(args, 3, "bias", c->cols ? 1 : 0, c->cols);
    if (fault || !c->rows || !c->cols)
        return fault;
    bias.row = (struct op_axis){0, OP_AXIS_PLAIN, 0, 0};
    op_copy(&to, &bias, c->rows, c->cols);
    return cube_multiply_scaled(args, false, mx);
}

OP(TMATMUL_BIAS)
{
    return cube_multiply_bias(args, NULL);
}

/* A vector times a matrix: no more than one row. */
static const char *check_row(const struct op_args *args)
{
    uint32_t rows = args->arg[1].view.rows;

    if (rows <= 1)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES,
             "a has %u valid rows, a vector has one: give {1, k}, or use TMATMUL", rows);
    return args->message;
}

/* TMATMUL, TMATMUL_ACC and TMATMUL_BIAS with m = 1. */
OP(TGEMV)
{
    const char *fault = check_row(args);

    return fault ? fault : cube_multiply(args, true);
}

OP(TGEMV_ACC)
{
    const char *fault = check_row(args);

    return fault ? fault : cube_multiply(args, false);
}

OP(TGEMV_BIAS)
{
    const char *fault = check_row(args);

    return fault ? fault : cube_multiply_bias(args, NULL);
}
