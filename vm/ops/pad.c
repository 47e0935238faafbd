/* Copies with a margin: TFILLPAD, TFILLPAD_INPLACE, TFILLPAD_EXPAND. */
#include <stdio.h>

#include "apart.h"
#include "operand.h"

/* The value of a keyword: 0, or the greatest or least of the type, infinities for floats. */
static void pad_element(uint8_t dtype, int64_t keyword, void *element)
{
    unsigned bits = 8 * pto_dtype_size((enum pto_dtype)dtype);
    bool is_signed = pto_dtype_is_signed((enum pto_dtype)dtype);
    uint64_t top = UINT64_C(1) << (bits - 1);

    if (keyword == PTO_PAD_ZERO)
        pto_store_int(element, (enum pto_dtype)dtype, 0);
    else if (pto_dtype_is_float((enum pto_dtype)dtype))
        pto_store_f64(element, (enum pto_dtype)dtype,
                      keyword == PTO_PAD_MAX ? __builtin_inf() : -__builtin_inf());
    else if (keyword == PTO_PAD_MAX)
        pto_store_int(element, (enum pto_dtype)dtype,
                      (int64_t)(is_signed ? top - 1 : top + (top - 1)));
    else
        pto_store_int(element, (enum pto_dtype)dtype, is_signed ? (int64_t)top : 0);
}

static const char *shape_fault(const struct op_args *args, const char *what)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;

    snprintf(args->message, OP_MESSAGE_BYTES, "%s: dst is a tile of %u x %u, src of %u x %u", what,
             dst->tile_rows, dst->tile_cols, src->tile_rows, src->tile_cols);
    return args->message;
}

static const char *check_regions(const struct op_args *args)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;

    if (src->rows <= dst->rows && src->cols <= dst->cols)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES,
             "src has %u x %u valid elements, dst only %u x %u: extend dst", src->rows, src->cols,
             dst->rows, dst->cols);
    return args->message;
}

static const char *fill(const struct op_args *args, const uint8_t *element)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    struct op_place to = op_place_of(dst), from = op_place_of(src), pad, rest;
    struct op_scratch scratch = {args->scratch, 0};
    _Alignas(8) uint8_t value[8];
    const char *fault = check_regions(args);

    if (!fault && !op_same_place(&to, &from))
        fault = op_separate(&scratch, dst, &from, src->rows, src->cols);
    if (fault)
        return fault;
    memcpy(value, element, sizeof value);
    pad = op_strided(value, 0, 0, to.size);
    op_copy(&to, &from, src->rows, src->cols);
    rest = op_place_at(to, 0, src->cols);
    op_copy(&rest, &pad, src->rows, dst->cols - src->cols);
    rest = op_place_at(to, src->rows, 0);
    op_copy(&rest, &pad, dst->rows - src->rows, dst->cols);
    return NULL;
}

/* The margin's value: operand 2 as a keyword or as a number in the type of dst. */
static const char *fill_keyword(const struct op_args *args)
{
    _Alignas(8) uint8_t element[8] = {0};

    pad_element(args->arg[0].view.dtype, args->arg[2].i, element);
    return fill(args, element);
}

static const char *fill_number(const struct op_args *args)
{
    _Alignas(8) uint8_t element[8] = {0};
    const char *fault = op_convert_scalar(args, 2, args->arg[0].view.dtype, element);

    return fault ? fault : fill(args, element);
}

static const char *check_equal(const struct op_args *args)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;

    return dst->tile_rows == src->tile_rows && dst->tile_cols == src->tile_cols
               ? NULL
               : shape_fault(args, "the shapes differ, TFILLPAD_EXPAND allows that");
}

static const char *check_in_place(const struct op_args *args)
{
    struct op_place to = op_place_of(&args->arg[0].view), from = op_place_of(&args->arg[1].view);

    return op_same_place(&to, &from) ? check_equal(args)
                                     : shape_fault(args, "dst and src are not the same bytes");
}

static const char *check_larger(const struct op_args *args)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;

    return dst->tile_rows >= src->tile_rows && dst->tile_cols >= src->tile_cols
               ? NULL
               : shape_fault(args, "dst must not be smaller than src");
}

/* dst[r, c] = src[r, c] where src has a valid element, the pad value in the rest of dst's valid
 * region; bits are copied.  The valid region of src fits into that of dst.  Integers: `max` and
 * `min` are the limits of the type, floats: the infinities. TFILLPAD: tiles of the same shape.
 * TFILLPAD_INPLACE: the same bytes, only the margin is written. TFILLPAD_EXPAND: dst may have the
 * larger shape.  dst and src may overlap. */
#define FILLPAD(id, check)                                                                         \
    OP(id)                                                                                         \
    {                                                                                              \
        const char *fault = check(args);                                                           \
                                                                                                   \
        return fault ? fault : fill_keyword(args);                                                 \
    }                                                                                              \
    OP(id##_VALUE)                                                                                 \
    {                                                                                              \
        const char *fault = check(args);                                                           \
                                                                                                   \
        return fault ? fault : fill_number(args);                                                  \
    }
FILLPAD(TFILLPAD, check_equal)
FILLPAD(TFILLPAD_INPLACE, check_in_place)
FILLPAD(TFILLPAD_EXPAND, check_larger)
