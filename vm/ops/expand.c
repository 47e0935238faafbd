/* Broadcasts: one scalar to a whole tile (TEXPANDS), one element per row along its row
 * (TROWEXPAND), and arithmetic with such a column (TROWEXPANDADD, SUB, MUL, DIV). */
#include "arith.h"

/* d[i] = a[i], or a[0] everywhere: bytes are moved, never converted. */
#define FILL(type)                                                                                 \
    static const char *copy_##type(void *dst, const void *src0, const void *src1, size_t n)        \
    {                                                                                              \
        (void)src1;                                                                                \
        memcpy(dst, src0, n * sizeof(mem_##type));                                                 \
        return NULL;                                                                               \
    }                                                                                              \
    static const char *fill_##type(void *dst, const void *src0, const void *src1, size_t n)        \
    {                                                                                              \
        mem_##type *d = dst;                                                                       \
        uint64_t value = *(const mem_##type *)src0;                                                \
                                                                                                   \
        (void)src1;                                                                                \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (mem_##type)value;                                                              \
        return NULL;                                                                               \
    }
FILL(u8)
FILL(u16)
FILL(u32)
FILL(u64)

static const struct op_kernel *fill_kernel(uint8_t dtype)
{
    static const struct op_kernel kernels[] = {
        {copy_u8, NULL, fill_u8}, {copy_u16, NULL, fill_u16}, {copy_u32, NULL, fill_u32},
        {copy_u64, NULL, fill_u64}};

    return &kernels[__builtin_ctz(pto_dtype_size((enum pto_dtype)dtype))];
}

/* dst[r, c] = the scalar in the type of dst. */
OP(TEXPANDS)
{
    const struct op_view *view = &args->arg[0].view;
    struct op_operand dst = op_operand_of(view);
    _Alignas(8) uint8_t element[8];
    struct op_operand constant = op_constant(element, view->dtype);
    const char *fault = op_convert_scalar(args, 1, view->dtype, element);

    if (fault)
        return fault;
    return op_walk(args, view->rows, view->cols, &dst, &constant, NULL, fill_kernel(view->dtype),
                   false);
}

/* dst[r, c] = src[r, 0].  src has at least the rows of dst and one column; a NaN keeps its bits. */
OP(TROWEXPAND)
{
    const struct op_view *view = &args->arg[0].view;
    struct op_operand dst = op_operand_of(view), src = op_column(&args->arg[1].view);
    const char *fault = op_covers(args, 1, "src", view->rows, view->cols ? 1 : 0);

    if (fault)
        return fault;
    return op_walk(args, view->rows, view->cols, &dst, &src, NULL, fill_kernel(view->dtype), false);
}

/* dst[r, c] = f(src0[r, c], src1[r, 0]) with the number rules of arith.h. */
static const char *tile_with_column(const struct op_args *args, const struct op_kernel *kernels)
{
    const struct op_view *view = &args->arg[0].view;
    struct op_operand dst = op_operand_of(view), src0 = op_operand_of(&args->arg[1].view),
                      src1 = op_column(&args->arg[2].view);
    const char *fault = op_covers(args, 1, "src0", view->rows, view->cols);

    if (!fault)
        fault = op_covers(args, 2, "src1", view->rows, view->cols ? 1 : 0);
    if (fault)
        return fault;
    return op_walk(args, view->rows, view->cols, &dst, &src0, &src1, &kernels[view->dtype], true);
}

OP(TROWEXPANDADD)
{
    return tile_with_column(args, op_kernel_add);
}

OP(TROWEXPANDSUB)
{
    return tile_with_column(args, op_kernel_sub);
}

OP(TROWEXPANDMUL)
{
    return tile_with_column(args, op_kernel_mul);
}

OP(TROWEXPANDDIV)
{
    return tile_with_column(args, op_kernel_div);
}
