/* Checks of valid regions, and scalar operands as elements of a tile's type. */
#include "operand.h"

#include <stdio.h>

const char *op_covers(const struct op_args *args, int index, const char *name, uint32_t rows,
                      uint32_t cols)
{
    const struct op_view *view = &args->arg[index].view;

    if (view->rows >= rows && view->cols >= cols)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES,
             "%s has %u x %u valid elements where %u x %u are needed: extend it or shrink the "
             "destination",
             name, view->rows, view->cols, rows, cols);
    return args->message;
}

static const char *reject(const struct op_args *args, int index, uint8_t dtype)
{
    const struct op_arg *arg = &args->arg[index];
    const char *name = pto_dtype_name((enum pto_dtype)dtype);

    if (arg->is_float)
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "scalar %.17g is no %s value: the tile needs an integer in its range", arg->f,
                 name);
    else
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "scalar %lld is out of the range of %s, the type of the tile",
                 (long long)arg->i, name);
    return args->message;
}

/* A 64-bit integer as f64: large ones keep their upper bits, the last of which is set if anything
 * was cut off, so that rounding the result to a float type of at most 32 bits is the same as
 * rounding the integer. */
static double to_odd_f64(int64_t value)
{
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    double result;

    if (magnitude >> 53)
        magnitude = (magnitude & ~UINT64_C(0x7ff)) | ((magnitude & 0x7ff) ? 0x800 : 0);
    result = (double)magnitude;
    return value < 0 ? -result : result;
}

const char *op_convert_scalar(const struct op_args *args, int index, uint8_t dtype, void *element)
{
    const struct op_arg *arg = &args->arg[index];
    int64_t value;

    if (pto_dtype_is_float((enum pto_dtype)dtype)) {
        pto_store_f64(element, (enum pto_dtype)dtype,
                      arg->is_float ? arg->f : to_odd_f64(arg->i));
        return NULL;
    }
    if (!pto_number_fits((enum pto_dtype)dtype, arg->is_float, arg->f, arg->i, &value))
        return reject(args, index, dtype);
    pto_store_int(element, (enum pto_dtype)dtype, value);
    return NULL;
}
