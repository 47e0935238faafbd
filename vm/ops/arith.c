/* Arithmetic on tiles and on tile and scalar: TADD TSUB TMUL TDIV TMAX TMIN, their forms with a
 * scalar.  Rules for the numbers: arith.h. */
#include "arith.h"

/* ---- one element --------------------------------------------------------------------------- */
static inline float add_f32(float a, float b)
{
    return op_canonical(a + b);
}

static inline float sub_f32(float a, float b)
{
    return op_canonical(a - b);
}

static inline float mul_f32(float a, float b)
{
    return op_canonical(a * b);
}

static inline float div_f32(float a, float b)
{
    return op_canonical(a / b);
}

#define max_f32 op_max_f32
#define min_f32 op_min_f32

/* Wrap-around is the same for signed and unsigned; 64-bit arithmetic avoids the promotion of
 * narrow types to int, whose products can overflow. */
#define WRAPPING(type)                                                                             \
    static inline type##_t add_##type(type##_t a, type##_t b)                                      \
    {                                                                                              \
        return (type##_t)(a + b);                                                                  \
    }                                                                                              \
    static inline type##_t sub_##type(type##_t a, type##_t b)                                      \
    {                                                                                              \
        return (type##_t)(a - b);                                                                  \
    }                                                                                              \
    static inline type##_t mul_##type(type##_t a, type##_t b)                                      \
    {                                                                                              \
        return (type##_t)(1u * a * b);                                                             \
    }
#define ORDERED(type)                                                                              \
    static inline type##_t max_##type(type##_t a, type##_t b)                                      \
    {                                                                                              \
        return a > b ? a : b;                                                                      \
    }                                                                                              \
    static inline type##_t min_##type(type##_t a, type##_t b)                                      \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }

/* Element types by the names that the functions use. */
typedef float f32_t;
typedef int8_t i8_t;
typedef uint8_t u8_t;
typedef int16_t i16_t;
typedef uint16_t u16_t;
typedef int32_t i32_t;
typedef uint32_t u32_t;
typedef int64_t i64_t;
typedef uint64_t u64_t;

WRAPPING(u8)
WRAPPING(u16)
WRAPPING(u32)
WRAPPING(u64)
ORDERED(i8)
ORDERED(u8)
ORDERED(i16)
ORDERED(u16)
ORDERED(i32)
ORDERED(u32)
ORDERED(i64)
ORDERED(u64)

/* ---- rows ---------------------------------------------------------------------------------- */
#define ROW(name, type, operation, x, y)                                                           \
    static const char *name(void *dst, const void *src0, const void *src1, size_t n)               \
    {                                                                                              \
        mem_##type *d = dst;                                                                       \
        const mem_##type *a = src0, *b = src1;                                                     \
        type##_t a0 = *a, b0 = *b;                                                                 \
                                                                                                   \
        (void)a0;                                                                                  \
        (void)b0;                                                                                  \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = operation##_##type(x, y);                                                       \
        return NULL;                                                                               \
    }
#define ROWS(operation, type)                                                                      \
    ROW(operation##_##type##_tile, type, operation, a[i], b[i])                                    \
    ROW(operation##_##type##_scalar, type, operation, a[i], b0)                                    \
    ROW(operation##_##type##_reverse, type, operation, a0, b[i])

/* Division of integers looks at every divisor; `lowest` is the value that -1 cannot divide. */
#define DIVIDE(name, type, lowest, is_signed, x, y)                                                \
    static const char *name(void *dst, const void *src0, const void *src1, size_t n)               \
    {                                                                                              \
        mem_##type *d = dst;                                                                       \
        const mem_##type *a = src0, *b = src1;                                                     \
                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            type##_t dividend = x, divisor = y;                                                    \
                                                                                                   \
            if (divisor == 0)                                                                      \
                return "integer division by zero";                                                 \
            if (is_signed && dividend == (lowest) && divisor == (type##_t)-1)                      \
                return "integer division overflows: the least value of the type by -1";            \
            d[i] = (type##_t)(dividend / divisor);                                                 \
        }                                                                                          \
        return NULL;                                                                               \
    }
#define DIVIDES(type, lowest, is_signed)                                                           \
    DIVIDE(div_##type##_tile, type, lowest, is_signed, a[i], b[i])                                 \
    DIVIDE(div_##type##_scalar, type, lowest, is_signed, a[i], b[0])                               \
    DIVIDE(div_##type##_reverse, type, lowest, is_signed, a[0], b[i])

#define ROWS_WRAPPING(operation)                                                                   \
    ROWS(operation, f32)                                                                           \
    ROWS(operation, u8)                                                                            \
    ROWS(operation, u16)                                                                           \
    ROWS(operation, u32)                                                                           \
    ROWS(operation, u64)
#define ROWS_ORDERED(operation)                                                                    \
    ROWS_WRAPPING(operation)                                                                       \
    ROWS(operation, i8)                                                                            \
    ROWS(operation, i16)                                                                           \
    ROWS(operation, i32)                                                                           \
    ROWS(operation, i64)

ROWS_WRAPPING(add)
ROWS_WRAPPING(sub)
ROWS_WRAPPING(mul)
ROWS_ORDERED(max)
ROWS_ORDERED(min)
ROWS(div, f32)
DIVIDES(i8, INT8_MIN, 1)
DIVIDES(u8, 0, 0)
DIVIDES(i16, INT16_MIN, 1)
DIVIDES(u16, 0, 0)
DIVIDES(i32, INT32_MIN, 1)
DIVIDES(u32, 0, 0)
DIVIDES(i64, INT64_MIN, 1)
DIVIDES(u64, 0, 0)

#define ENTRY(operation, type)                                                                     \
    {operation##_##type##_tile, operation##_##type##_scalar, operation##_##type##_reverse}
#define FLOAT_ENTRIES(operation)                                                                   \
    [PTO_F32] = ENTRY(operation, f32), [PTO_F16] = ENTRY(operation, f32),                          \
    [PTO_BF16] = ENTRY(operation, f32), [PTO_F8E4M3] = ENTRY(operation, f32),                      \
    [PTO_F8E5M2] = ENTRY(operation, f32), [PTO_U8] = ENTRY(operation, u8),                         \
    [PTO_U16] = ENTRY(operation, u16), [PTO_U32] = ENTRY(operation, u32),                          \
    [PTO_U64] = ENTRY(operation, u64)
#define WRAPPING_TABLE(operation)                                                                  \
    const struct op_kernel OP_NAME(kernel_##operation)[PTO_DTYPE_COUNT] = {                        \
        FLOAT_ENTRIES(operation), [PTO_I8] = ENTRY(operation, u8),                                 \
        [PTO_I16] = ENTRY(operation, u16), [PTO_I32] = ENTRY(operation, u32),                      \
        [PTO_I64] = ENTRY(operation, u64)}
#define SIGNED_TABLE(operation)                                                                    \
    const struct op_kernel OP_NAME(kernel_##operation)[PTO_DTYPE_COUNT] = {                        \
        FLOAT_ENTRIES(operation), [PTO_I8] = ENTRY(operation, i8),                                 \
        [PTO_I16] = ENTRY(operation, i16), [PTO_I32] = ENTRY(operation, i32),                      \
        [PTO_I64] = ENTRY(operation, i64)}

WRAPPING_TABLE(add);
WRAPPING_TABLE(sub);
WRAPPING_TABLE(mul);
SIGNED_TABLE(max);
SIGNED_TABLE(min);
SIGNED_TABLE(div);

/* ---- instructions -------------------------------------------------------------------------- */
/* dst[r, c] = f(src0[r, c], src1[r, c]) over the valid region of dst, which the sources cover. */
static const char *tile_with_tile(const struct op_args *args, const struct op_kernel *kernels)
{
    const struct op_view *view = &args->arg[0].view;
    struct op_operand dst, src0, src1;
    const char *fault = op_covers(args, 1, "src0", view->rows, view->cols);

    if (!fault)
        fault = op_covers(args, 2, "src1", view->rows, view->cols);
    if (fault)
        return fault;
    op_set_operand(&dst, view);
    op_set_operand(&src0, &args->arg[1].view);
    op_set_operand(&src1, &args->arg[2].view);
    return op_walk(args, view->rows, view->cols, &dst, &src0, &src1, &kernels[view->dtype], true);
}

/* The same with the scalar, converted to the type of the tile, in every place of src1 (`scalar`
 * = 2) or of src0 (1). */
static const char *tile_with_scalar(const struct op_args *args, const struct op_kernel *kernels,
                                    int scalar)
{
    const struct op_view *view = &args->arg[0].view;
    _Alignas(8) uint8_t element[8];
    struct op_operand dst, src, constant = op_constant(element, view->dtype);
    const char *fault = op_covers(args, 3 - scalar, "src", view->rows, view->cols);

    if (!fault)
        fault = op_convert_scalar(args, scalar, view->dtype, element);
    if (fault)
        return fault;
    op_set_operand(&dst, view);
    op_set_operand(&src, &args->arg[3 - scalar].view);
    return op_walk(args, view->rows, view->cols, &dst, scalar == 1 ? &constant : &src,
                   scalar == 1 ? &src : &constant, &kernels[view->dtype], true);
}

OP(TADD)
{
    return tile_with_tile(args, op_kernel_add);
}

OP(TSUB)
{
    return tile_with_tile(args, op_kernel_sub);
}

OP(TMUL)
{
    return tile_with_tile(args, op_kernel_mul);
}

OP(TDIV)
{
    return tile_with_tile(args, op_kernel_div);
}

OP(TMAX)
{
    return tile_with_tile(args, op_kernel_max);
}

OP(TMIN)
{
    return tile_with_tile(args, op_kernel_min);
}

OP(TADDS)
{
    return tile_with_scalar(args, op_kernel_add, 2);
}

OP(TSUBS)
{
    return tile_with_scalar(args, op_kernel_sub, 2);
}

OP(TMULS)
{
    return tile_with_scalar(args, op_kernel_mul, 2);
}

OP(TDIVS)
{
    return tile_with_scalar(args, op_kernel_div, 2);
}

OP(TDIVS_REV)
{
    return tile_with_scalar(args, op_kernel_div, 1);
}

OP(TMAXS)
{
    return tile_with_scalar(args, op_kernel_max, 2);
}

OP(TMINS)
{
    return tile_with_scalar(args, op_kernel_min, 2);
}
