/* Broadcasts: one scalar to a whole tile (TEXPANDS), one element per row along its row (TROWEXPAND)
 * or one per column down its column (TCOLEXPAND), and arithmetic of a tile with such a column or
 * row (TROWEXPANDADD, ..., TCOLEXPANDEXPDIF). */
#include "arith.h"
#include "exp.h"

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

/* Which way src1 is spread over the tile. */
enum spread {
    ALONG_ROWS,  /* [R, 1]: element r is the same in all of row r */
    DOWN_COLUMNS /* [1, C]: element c is the same in all of column c */
};

/* The vector at operand `index` as if it had been spread over the tile; checks that it is as long
 * as the region.  Returns NULL or the fault. */
static const char *spread_operand(const struct op_args *args, int index, const char *name,
                                  enum spread spread, struct op_operand *operand)
{
    const struct op_view *dst = &args->arg[0].view, *view = &args->arg[index].view;

    if (spread == ALONG_ROWS) {
        *operand = op_column(view);
        return op_covers(args, index, name, dst->rows, dst->cols ? 1 : 0);
    }
    *operand = op_operand_of(view);
    operand->place.row = (struct op_axis){0, OP_AXIS_PLAIN, 0, 0};
    return op_covers(args, index, name, dst->rows ? 1 : 0, dst->cols);
}

static const char *expand(const struct op_args *args, enum spread spread)
{
    const struct op_view *view = &args->arg[0].view;
    struct op_operand dst = op_operand_of(view), src;
    const char *fault = spread_operand(args, 1, "src", spread, &src);

    if (fault)
        return fault;
    return op_walk(args, view->rows, view->cols, &dst, &src, NULL, fill_kernel(view->dtype), false);
}

/* dst[r, c] = src[r, 0].  src has at least the rows of dst and one column; a NaN keeps its bits. */
OP(TROWEXPAND)
{
    return expand(args, ALONG_ROWS);
}

/* dst[r, c] = src[0, c].  src has at least the columns of dst and one row; a NaN keeps its bits. */
OP(TCOLEXPAND)
{
    return expand(args, DOWN_COLUMNS);
}

/* ---- e^(a - b) ------------------------------------------------------------------------------- */
#define EXPDIF(name, y)                                                                            \
    static const char *name(void *dst, const void *src0, const void *src1, size_t n)               \
    {                                                                                              \
        mem_f32 *d = dst;                                                                          \
        const mem_f32 *a = src0, *b = src1;                                                        \
        float b0 = *b;                                                                             \
                                                                                                   \
        (void)b0;                                                                                  \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = op_exp_f32(a[i] - (y));                                                         \
        return NULL;                                                                               \
    }
EXPDIF(expdif_tile, b[i])
EXPDIF(expdif_scalar, b0)

/* The difference is rounded to f32 before e is raised to it, so the result is within 1 ulp of
 * e^(rounded difference); f16 is rounded once more, from f32.  Infinity minus itself is NaN. */
static const struct op_kernel kernel_expdif[PTO_DTYPE_COUNT] = {
    [PTO_F32] = {expdif_tile, expdif_scalar, NULL},
    [PTO_F16] = {expdif_tile, expdif_scalar, NULL},
    [PTO_BF16] = {expdif_tile, expdif_scalar, NULL}};

/* ---- a tile with a spread vector ------------------------------------------------------------- */
/* dst[r, c] = f(src0[r, c], src1 spread) with the number rules of arith.h.  dst may lie over the
 * sources in any way. */
static const char *tile_with_vector(const struct op_args *args, const struct op_kernel *kernels,
                                    enum spread spread)
{
    const struct op_view *view = &args->arg[0].view;
    struct op_operand dst = op_operand_of(view), src0 = op_operand_of(&args->arg[1].view), src1;
    const char *fault = op_covers(args, 1, "src0", view->rows, view->cols);

    if (!fault)
        fault = spread_operand(args, 2, "src1", spread, &src1);
    if (fault)
        return fault;
    return op_walk(args, view->rows, view->cols, &dst, &src0, &src1, &kernels[view->dtype], true);
}

/* dst[r, c] = src0[r, c] op src1[r, 0] */
#define ROW_EXPAND(id, kernels)                                                                    \
    OP(id)                                                                                         \
    {                                                                                              \
        return tile_with_vector(args, kernels, ALONG_ROWS);                                        \
    }
ROW_EXPAND(TROWEXPANDADD, op_kernel_add)
ROW_EXPAND(TROWEXPANDSUB, op_kernel_sub)
ROW_EXPAND(TROWEXPANDMUL, op_kernel_mul)
ROW_EXPAND(TROWEXPANDDIV, op_kernel_div)
ROW_EXPAND(TROWEXPANDMAX, op_kernel_max)
ROW_EXPAND(TROWEXPANDMIN, op_kernel_min)
ROW_EXPAND(TROWEXPANDEXPDIF, kernel_expdif)

/* dst[r, c] = src0[r, c] op src1[0, c] */
#define COL_EXPAND(id, kernels)                                                                    \
    OP(id)                                                                                         \
    {                                                                                              \
        return tile_with_vector(args, kernels, DOWN_COLUMNS);                                      \
    }
COL_EXPAND(TCOLEXPANDADD, op_kernel_add)
COL_EXPAND(TCOLEXPANDSUB, op_kernel_sub)
COL_EXPAND(TCOLEXPANDMUL, op_kernel_mul)
COL_EXPAND(TCOLEXPANDDIV, op_kernel_div)
COL_EXPAND(TCOLEXPANDMAX, op_kernel_max)
COL_EXPAND(TCOLEXPANDMIN, op_kernel_min)
COL_EXPAND(TCOLEXPANDEXPDIF, kernel_expdif)
