/* Products with scales: TMATMUL_MX, TGEMV_MX and their forms that add to an accumulator or a bias.
 *
 * Each element is multiplied with the power of two of its group of 32 steps of k before it is a
 * factor (cube_mx.h), and then the product is that of cube.c: ascending k, one fused multiply-add
 * in f32 a step. */
#include <stdio.h>

#include "cube.h"
#include "cube_mx.h"
#include "operand.h"

enum { C, A, A_SCALE, B, B_SCALE, BIAS }; /* operands */

/* Factors that take a scale.  The verifier admits no others, and cube_mx.h has images of these. */
static bool takes_scale(const struct op_view *view)
{
    switch (view->dtype) {
    case PTO_F8E4M3:
    case PTO_F8E5M2:
    case PTO_F4E2M1X2:
    case PTO_F4E1M2X2: return true;
    default: return false;
    }
}

static const char *check_scales(const struct op_args *args)
{
    const struct op_view *a = &args->arg[A].view, *b = &args->arg[B].view;
    uint32_t steps = a->cols * pto_dtype_numbers((enum pto_dtype)a->dtype);
    uint32_t groups = (steps + CUBE_GROUP - 1) / CUBE_GROUP;
    const char *fault = op_covers(args, A_SCALE, "aScale", a->rows, groups);

    return fault ? fault : op_covers(args, B_SCALE, "bScale", groups, b->cols);
}

static const char *multiply(const struct op_args *args, bool row, bool biased, bool init)
{
    struct op_args plain = *args;
    struct cube_mx mx;
    const char *fault;

    if (row && args->arg[A].view.rows > 1) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "a has %u valid rows, a vector has one: give {1, k}, or use TMATMUL_MX",
                 args->arg[A].view.rows);
        return args->message;
    }
    if (!takes_scale(&args->arg[A].view) || !takes_scale(&args->arg[B].view))
        return "a and b must be fp8 or fp4 tiles";
    plain.arg[2] = args->arg[B];
    plain.arg[3] = args->arg[BIAS];
    fault = cube_check(&plain);
    if (!fault)
        fault = check_scales(args);
    if (fault)
        return fault;
    cube_mx_set(&mx, &args->arg[A]);
    return biased ? cube_multiply_bias(&plain, &mx) : cube_multiply_scaled(&plain, init, &mx);
}

OP(TMATMUL_MX)
{
    return multiply(args, false, false, true);
}

OP(TMATMUL_MX_ACC)
{
    return multiply(args, false, false, false);
}

OP(TMATMUL_MX_BIAS)
{
    return multiply(args, false, true, false);
}

OP(TGEMV_MX)
{
    return multiply(args, true, false, true);
}

OP(TGEMV_MX_ACC)
{
    return multiply(args, true, false, false);
}

OP(TGEMV_MX_BIAS)
{
    return multiply(args, true, true, false);
}
