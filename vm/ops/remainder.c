/* Remainders: TFMOD and TFMODS with the sign of the dividend, TREM and TREMS with that of the
 * divisor; tile with tile and tile with scalar. */
#include <math.h>

#include "each.h"

/* The sign of the result. */
static inline uint32_t truncated_sign(float x, float y)
{
    (void)y;
    return pto_f32_bits(x) & 0x80000000u;
}

static inline uint32_t floored_sign(float x, float y)
{
    (void)x;
    return pto_f32_bits(y) & 0x80000000u;
}

/* The result by one quotient, in bits; false: the quotient is too large for that, or there are
 * infinities, NaN or a zero.
 *
 * Both numbers change their signs by that of the result, which makes the divisor positive or is of
 * no effect on it.  The quotient may be one off, as it may well be by the inverse of a divisor that
 * many numbers have, but whatever it is, a rest below the divisor is exact; and so is, but for the
 * one rounding of TREM, the sum that makes a negative one positive.  Such a rest is never -0. */
OP_INLINE bool near(float x, float y, bool by_inverse, uint32_t sign, uint32_t *bits)
{
    float number = pto_f32_from_bits(pto_f32_bits(x) ^ sign), divisor = fabsf(y);
    float inverse = 1.0f / divisor;
    float quotient = rintf(by_inverse ? number * inverse : number / divisor);
    float rest = __builtin_fmaf(-quotient, divisor, number);
    uint32_t as_it_is = pto_f32_bits(rest), moved = pto_f32_bits(rest + divisor);

    /* Of a negative number and a positive one the latter has the smaller bits. */
    *bits = (as_it_is < moved ? as_it_is : moved) | sign;
    return fabsf(rest) < divisor;
}

/* fmodf is exact, so that every library gives the same bits. */
static inline float truncated_far(float x, float y)
{
    return fmodf(x, y);
}

/* The truncated remainder, moved by one divisor if its sign is the wrong one. */
static inline float floored_far(float x, float y)
{
    float rest = truncated_far(x, y);
    bool other_sign = (pto_f32_bits(rest) ^ pto_f32_bits(y)) >> 31;
    float moved = other_sign ? rest + y : rest;

    return rest == 0.0f ? copysignf(0.0f, y) : moved;
}

enum { PIECE = 512 };

/* A row in pieces: a straight loop, and once more with a look at every number where some were not
 * near. */
#define FLOAT_ROW(name)                                                                            \
    static inline float name##_remainder(float x, float y)                                         \
    {                                                                                              \
        uint32_t bits;                                                                             \
                                                                                                   \
        return near(x, y, false, name##_sign(x, y), &bits) ? pto_f32_from_bits(bits)               \
                                                           : name##_far(x, y);                     \
    }                                                                                              \
    OP_INLINE bool name##_all_near(mem_u32 *d, const mem_f32 *x, const mem_f32 *y, size_t n,       \
                                   bool single)                                                    \
    {                                                                                              \
        const float y0 = *y;                                                                       \
        int far = 0;                                                                               \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++) {                                                           \
            const float a = x[i], b = single ? y0 : y[i];                                          \
            uint32_t bits;                                                                         \
                                                                                                   \
            /* a mask, as vectors have them */                                                     \
            far |= -!near(a, b, single, name##_sign(a, b), &bits);                                 \
            d[i] = bits;                                                                           \
        }                                                                                          \
        return !far;                                                                               \
    }                                                                                              \
    static const char *name##_f32_row(void *const *row, size_t n, unsigned single)                 \
    {                                                                                              \
        mem_f32 *d = row[0];                                                                       \
        const mem_f32 *x = row[1], *y = row[2];                                                    \
        const float y0 = *y;                                                                       \
        float kept_x[PIECE], kept_y[PIECE];                                                        \
                                                                                                   \
        for (size_t i = 0; i < n; i += PIECE) {                                                    \
            mem_u32 *to = (mem_u32 *)(d + i);                                                      \
            size_t count = n - i < PIECE ? n - i : PIECE;                                          \
            const mem_f32 *a = op_keep(kept_x, x + i, to, count);                                  \
            const mem_f32 *b = single & 4 ? &y0 : op_keep(kept_y, y + i, to, count);               \
                                                                                                   \
            if (single & 4 ? name##_all_near(to, a, b, count, true)                                \
                           : name##_all_near(to, a, b, count, false))                              \
                continue;                                                                          \
            for (size_t k = 0; k < count; k++)                                                     \
                d[i + k] = op_canonical(name##_remainder(a[k], b[single & 4 ? 0 : k]));            \
        }                                                                                          \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(name##_f32, 3)
FLOAT_ROW(truncated)
FLOAT_ROW(floored)
OP_STRIP_2(truncated_f16, f16, f16, truncated_remainder)
OP_STRIP_2(floored_f16, f16, f16, floored_remainder)

/* Signed types: the remainder by -1 is 0, also for the least value, where the division would
 * overflow. */
#define TRUNCATED_SIGNED(x, y) ((y) == -1 ? 0 : (x) % (y))
#define TRUNCATED_UNSIGNED(x, y) ((x) % (y))
#define IS_NEGATIVE(x) ((x) < 0)
#define NEVER(x) false

#define REMAINDER(name, type, operation, is_negative)                                              \
    static const char *name##_##type##_row(void *const *row, size_t n, unsigned single)            \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[1], *divisor = row[2];                                           \
        const size_t step = !(single & 4);                                                         \
                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            const op_wide_##type y = divisor[i * step];                                            \
            op_wide_##type rest;                                                                   \
                                                                                                   \
            if (y == 0)                                                                            \
                return "integer remainder by zero";                                                \
            rest = (op_wide_##type)operation(x[i], y);                                             \
            d[i] = (op_wide_##type)(rest != 0 && is_negative(rest ^ y) ? rest + y : rest);         \
        }                                                                                          \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(name##_##type, 3)
#define REMAINDERS(type, operation, is_negative)                                                   \
    REMAINDER(truncated, type, operation, NEVER)                                                   \
    REMAINDER(floored, type, operation, is_negative)
REMAINDERS(i16, TRUNCATED_SIGNED, IS_NEGATIVE)
REMAINDERS(u16, TRUNCATED_UNSIGNED, NEVER)
REMAINDERS(i32, TRUNCATED_SIGNED, IS_NEGATIVE)
REMAINDERS(u32, TRUNCATED_UNSIGNED, NEVER)
REMAINDERS(i64, TRUNCATED_SIGNED, IS_NEGATIVE)
REMAINDERS(u64, TRUNCATED_UNSIGNED, NEVER)

#define FUNCTIONS(name)                                                                            \
    {OP_F32_F16(name), [PTO_I16] = name##_i16, [PTO_U16] = name##_u16, [PTO_I32] = name##_i32,     \
     [PTO_U32] = name##_u32, [PTO_I64] = name##_i64, [PTO_U64] = name##_u64}

/* dst[r, c] = src0[r, c] - n * src1[r, c], n the quotient rounded toward zero; exact.
 * Floats: NaN by 0 and of infinities; x by infinity is x; a zero has the sign of src0.
 * Integers: by 0 faults; the least value by -1 is 0. */
static const struct op_each truncated = {.function = FUNCTIONS(truncated)};
OP_EACH(TFMOD, truncated)
OP_EACH(TFMODS, truncated)

/* The same with n the quotient rounded down: the result has the sign of src1, zeros included.
 * Floats: the truncated remainder, to which src1 is added, rounded once, where the signs differ.
 * So a finite x by an infinity of the other sign is that infinity.  tmp is not used. */
static const struct op_each floored = {.function = FUNCTIONS(floored)};
OP_EACH(TREM, floored)
OP_EACH(TREMS, floored)
