/* One source, simple results: TABS TNEG TRELU TSQRT TRSQRT TRECIP.
 *
 * Floats: computed in f32, each result rounded to nearest even; f16 and bf16 are rounded once
 * more to their type.  NaN results are canonical. */
#include <math.h>

#include "each.h"

static inline float magnitude(float x)
{
    return pto_f32_from_bits(pto_f32_bits(x) & 0x7fffffffu);
}

static inline float negated(float x)
{
    return pto_f32_from_bits(pto_f32_bits(x) ^ 0x80000000u);
}

/* In f64 the root and the quotient leave an error that f32 does not see but in rare near-ties. */
static inline float inverse_root(float x)
{
    return (float)(1.0 / sqrt((double)x));
}

static inline float reciprocal(float x)
{
    return 1.0f / x;
}

/* In unsigned arithmetic: the least value of a type is its own negative and its own magnitude. */
#define NEGATE(x) (0u - (x))
#define ABSOLUTE(x) ((x) < 0 ? 0u - (uint32_t)(x) : (uint32_t)(x))
#define POSITIVE(x) ((x) > 0 ? (x) : 0)

OP_FLOAT_1(abs, magnitude)
OP_ROW_1(abs_i8, i8, i8, ABSOLUTE)
OP_ROW_1(abs_i16, i16, i16, ABSOLUTE)
OP_ROW_1(abs_i32, i32, i32, ABSOLUTE)
OP_FLOAT_1_BF16(neg, negated)
OP_ROW_1(neg_u16, u16, u16, NEGATE)
OP_ROW_1(neg_u32, u32, u32, NEGATE)
OP_FLOAT_1(relu, op_relu_f32)
OP_ROW_1(relu_i32, i32, i32, POSITIVE)
OP_FLOAT_1(sqrt, sqrtf)
#ifdef __FMA__
/* The quotient in f32, corrected by what its square lacks, which fused operations tell to 2^-47:
 * with c = the quotient and e = 1 - x c^2 the root is c (1 + e / 2 + 3 e^2 / 8 + ...).  f32
 * sees the same as of inverse_root, for all 2^24 numbers of two binades (the others are the same
 * times a power of 4; tests/unit/ops_exact_test.c), and for the numbers beside c, too. */
static inline float corrected_inverse_root(float x, float close)
{
    float square = close * close;
    float square_error = __builtin_fmaf(close, close, -square);
    float lack = __builtin_fmaf(-x, square_error, __builtin_fmaf(-x, square, 1.0f));

    return __builtin_fmaf(0.5f * close, __builtin_fmaf(0.75f * lack, lack, lack), close);
}

#ifdef __AVX512F__
static __attribute__((noinline)) void rsqrt_strip(mem_f32 *d, const float *x)
{
    for (int k = 0; k < OP_STRIP; k++)
        d[k] = op_canonical(inverse_root(x[k]));
}

/* 1 / sqrt(x) in f32, up to the number beside it: the host's approximation, to 12 bits, so that its
 * square is exact, and corrected in the same way. */
static inline void close_strip(float *to, const float *x)
{
    __m512 rough = _mm512_rsqrt14_ps(_mm512_loadu_ps(x));
    float cut[OP_STRIP];

    _mm512_storeu_si512(cut, _mm512_and_si512(_mm512_castps_si512(rough),
                                              _mm512_set1_epi32((int32_t)0xfffff000)));
    for (int k = 0; k < OP_STRIP; k++) {
        float lack = __builtin_fmaf(-x[k], cut[k] * cut[k], 1.0f);

        to[k] = __builtin_fmaf(0.5f * cut[k], __builtin_fmaf(0.75f * lack, lack, lack), cut[k]);
    }
}

/* Strips of their inverse roots; those that are not all moderate, as below, one by one. */
typedef float op_wide_f32_rsqrt;
enum { OP_SIZE_f32_rsqrt = OP_SIZE_f32 };

static inline void op_put_f32_rsqrt(void *to, size_t at, const float *x)
{
    const __m512i least = _mm512_castps_si512(_mm512_set1_ps(0x1p-60f));
    const __m512i range = _mm512_sub_epi32(_mm512_castps_si512(_mm512_set1_ps(0x1p60f)), least);
    __m512i above = _mm512_sub_epi32(_mm512_loadu_si512(x), least);
    mem_f32 *d = (mem_f32 *)to + at;
    float close[OP_STRIP];

    close_strip(close, x);
    for (int k = 0; k < OP_STRIP; k++)
        d[k] = corrected_inverse_root(x[k], close[k]);
    if (_mm512_cmpgt_epu32_mask(above, range))
        rsqrt_strip(d, x);
}

#define AS_IT_IS(x) (x)
OP_STRIP_1(rsqrt_f32, f32_rsqrt, f32, AS_IT_IS)
#else
OP_ONE_ROW_1(rsqrt_any, f32, f32, inverse_root)

/* A piece as if the squares of all roots and their errors were normal numbers, which gives no NaN;
 * false: some are not, or there are infinities, NaN or what is below 0. */
static bool rsqrt_moderate(mem_u32 *d, const mem_f32 *x, size_t n)
{
    const uint32_t least = pto_f32_bits(0x1p-60f), greatest = pto_f32_bits(0x1p60f);
    uint32_t most = 0; /* above the least, in bits */

    OP_INDEPENDENT
    for (size_t i = 0; i < n; i++) {
        const float number = x[i];
        uint32_t above = pto_f32_bits(number) - least;

        most = above > most ? above : most;
        d[i] = pto_f32_bits(corrected_inverse_root(number, 1.0f / sqrtf(number)));
    }
    return most <= greatest - least;
}

OP_QUICK_1(rsqrt_f32, rsqrt_moderate, rsqrt_any)
#endif
#else
OP_ROW_1(rsqrt_f32, f32, f32, inverse_root)
#endif
OP_STRIP_1(rsqrt_f16, f16, f16, inverse_root)
OP_FLOAT_1(recip, reciprocal)

/* 1 / x toward zero: 0 but for 1 and -1. */
#define RECIPROCAL(type)                                                                           \
    static const char *recip_##type##_row(void *const *row, size_t n, unsigned single)             \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[1];                                                              \
        int zero = 0;                                                                              \
                                                                                                   \
        (void)single;                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            zero |= x[i] == 0;                                                                     \
        if (zero)                                                                                  \
            return "integer division by zero";                                                     \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (op_wide_##type)(x[i] == 1 || x[i] == -1 ? x[i] : 0);                           \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(recip_##type, 2)
RECIPROCAL(i16)
RECIPROCAL(i32)

/* dst[r, c] = |src[r, c]|.  The magnitude of a type's least value wraps around to that value. */
static const struct op_each each_abs = {.function = {OP_F32_F16(abs), OP_SIGNED_8_16_32(abs)}};
OP_EACH(TABS, each_abs)

/* dst[r, c] = -src[r, c]: floats change their sign, zeros included; integers wrap around. */
static const struct op_each each_neg = {
    .function = {OP_FLOATS(neg), [PTO_I16] = neg_u16, [PTO_U16] = neg_u16, [PTO_I32] = neg_u32,
                 [PTO_U32] = neg_u32}};
OP_EACH(TNEG, each_neg)

/* dst[r, c] = larger of src[r, c] and 0: +0 for -0, NaN for NaN. */
static const struct op_each each_relu = {.function = {OP_F32_F16(relu), [PTO_I32] = relu_i32}};
OP_EACH(TRELU, each_relu)

/* dst[r, c] = correctly rounded square root: -0 for -0, +inf for +inf, NaN below 0. */
static const struct op_each each_sqrt = {.function = {OP_F32_F16(sqrt)}};
OP_EACH(TSQRT, each_sqrt)

/* dst[r, c] = 1 / square root, within 1 ulp: +inf for +0, -inf for -0, +0 for +inf, NaN below 0.
 * tmp is not used. */
static const struct op_each each_rsqrt = {.function = {OP_F32_F16(rsqrt)}};
OP_EACH(TRSQRT, each_rsqrt)

/* dst[r, c] = 1 / src[r, c], correctly rounded: infinity for 0 and 0 for infinity with its sign.
 * Integers: toward zero; 0 faults. */
static const struct op_each each_recip = {
    .function = {OP_F32_F16(recip), [PTO_I16] = recip_i16, [PTO_I32] = recip_i32}};
OP_EACH(TRECIP, each_recip)
