/* One source, simple results: TABS TNEG TRELU TSQRT TRSQRT TRECIP.
 *
 * Floats: computed in f32, each result rounded to nearest even; f16 and bf16 are rounded once
 * more to their type.  NaN results are canonical. */
#include <math.h>

#include "gang.h"

static inline float abs_f32(float x)
{
    return op_canonical(pto_f32_from_bits(pto_f32_bits(x) & 0x7fffffffu));
}

static inline float neg_f32(float x)
{
    return op_canonical(pto_f32_from_bits(pto_f32_bits(x) ^ 0x80000000u));
}

static inline float relu_f32(float x)
{
    return op_max_f32(x, 0.0f);
}

static inline float square_root_f32(float x)
{
    return op_canonical(sqrtf(x));
}

/* In f64 the root and the quotient leave an error that f32 does not see but in rare near-ties. */
static inline float inverse_root_f32(float x)
{
    return op_canonical((float)(1.0 / sqrt((double)x)));
}

static inline float reciprocal_f32(float x)
{
    return op_canonical(1.0f / x);
}

/* In unsigned arithmetic: the least value of a type is its own negative and its own magnitude. */
#define NEGATE(x) (0u - (x))
#define ABSOLUTE(x) ((x) < 0 ? 0u - (uint32_t)(x) : (uint32_t)(x))
#define POSITIVE(x) ((x) > 0 ? (x) : 0)

OP_GANG_1(abs_row_f32, f32, f32, abs_f32)
OP_GANG_1(abs_row_i8, i8, i8, ABSOLUTE)
OP_GANG_1(abs_row_i16, i16, i16, ABSOLUTE)
OP_GANG_1(abs_row_i32, i32, i32, ABSOLUTE)
OP_GANG_1(neg_row_f32, f32, f32, neg_f32)
OP_GANG_1(neg_row_u16, u16, u16, NEGATE)
OP_GANG_1(neg_row_u32, u32, u32, NEGATE)
OP_GANG_1(relu_row_f32, f32, f32, relu_f32)
OP_GANG_1(relu_row_i32, i32, i32, POSITIVE)
OP_GANG_1(sqrt_row, f32, f32, square_root_f32)
OP_GANG_1(rsqrt_row, f32, f32, inverse_root_f32)
OP_GANG_1(recip_row_f32, f32, f32, reciprocal_f32)

/* 1 / x toward zero: 0 but for 1 and -1. */
#define RECIPROCAL(type)                                                                           \
    static const char *recip_row_##type(void *const *row, size_t n)                                \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[1];                                                              \
        int zero = 0;                                                                              \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            zero |= x[i] == 0;                                                                     \
        if (zero)                                                                                  \
            return "integer division by zero";                                                     \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (mem_##type)(x[i] == 1 || x[i] == -1 ? x[i] : 0);                               \
        return NULL;                                                                               \
    }
RECIPROCAL(i16)
RECIPROCAL(i32)

/* dst[r, c] = |src[r, c]|.  The magnitude of a type's least value wraps around to that value. */
static const struct op_gang absolute = {
    .function = {OP_FLOATS(abs_row_f32), [PTO_I8] = abs_row_i8, [PTO_I16] = abs_row_i16,
                 [PTO_I32] = abs_row_i32}};
OP_GANG(TABS, absolute)

/* dst[r, c] = -src[r, c]: floats change their sign, zeros included; integers wrap around. */
static const struct op_gang negative = {
    .function = {OP_FLOATS(neg_row_f32), [PTO_I16] = neg_row_u16, [PTO_U16] = neg_row_u16,
                 [PTO_I32] = neg_row_u32, [PTO_U32] = neg_row_u32}};
OP_GANG(TNEG, negative)

/* dst[r, c] = larger of src[r, c] and 0: +0 for -0, NaN for NaN. */
static const struct op_gang relu = {
    .function = {OP_FLOATS(relu_row_f32), [PTO_I32] = relu_row_i32}};
OP_GANG(TRELU, relu)

/* dst[r, c] = correctly rounded square root: -0 for -0, +inf for +inf, NaN below 0. */
static const struct op_gang square_root = {.function = {OP_FLOATS(sqrt_row)}};
OP_GANG(TSQRT, square_root)

/* dst[r, c] = 1 / square root, within 1 ulp: +inf for +0, -inf for -0, +0 for +inf, NaN below 0.
 * tmp is not used. */
static const struct op_gang inverse_root = {.function = {OP_FLOATS(rsqrt_row)}};
OP_GANG(TRSQRT, inverse_root)

/* dst[r, c] = 1 / src[r, c], correctly rounded: infinity for 0 and 0 for infinity with its sign.
 * Integers: toward zero; 0 faults. */
static const struct op_gang reciprocal = {
    .function = {OP_FLOATS(recip_row_f32), [PTO_I16] = recip_row_i16, [PTO_I32] = recip_row_i32}};
OP_GANG(TRECIP, reciprocal)
