/* Remainders: TFMOD and TFMODS with the sign of the dividend, TREM and TREMS with that of the
 * divisor; tile with tile and tile with scalar. */
#include <math.h>

#include "each.h"

/* Is the quotient so small that its rounding is off by less than 1?  Not for infinities and NaN. */
static inline bool is_near(float x, float y)
{
    float size = fabsf(x), divisor = fabsf(y);

    return (size < divisor * 0x1p22f) & (divisor < __builtin_inff());
}

/* Such a quotient is at most one too large; the rest in the unit of the operands is exact. */
static inline float truncated_near(float x, float y)
{
    float divisor = fabsf(y), size = fabsf(x);
    float rest = __builtin_fmaf(-truncf(size / divisor), divisor, size);

    uint32_t as_it_is = pto_f32_bits(rest), moved = pto_f32_bits(rest + divisor);

    /* Of a negative number and a positive one the latter has the smaller bits. */
    return copysignf(pto_f32_from_bits(as_it_is < moved ? as_it_is : moved), x);
}

/* fmodf is exact, so that every library gives the same bits. */
static inline float truncated_far(float x, float y)
{
    return fmodf(x, y);
}

/* A remainder, moved by one divisor if its sign is the wrong one. */
static inline float floor_of(float rest, float y)
{
    bool other_sign = (pto_f32_bits(rest) ^ pto_f32_bits(y)) >> 31;
    float moved = other_sign ? rest + y : rest;

    return rest == 0.0f ? copysignf(0.0f, y) : moved;
}

/* The sum of the truncated remainder, which is exact, and the divisor is rounded once here, too. */
static inline float floored_near(float x, float y)
{
    return floor_of(__builtin_fmaf(-floorf(x / y), y, x), y);
}

static inline float floored_far(float x, float y)
{
    return floor_of(truncated_far(x, y), y);
}

/* Are all quotients of a piece small?  Then the loop over it is straight. */
OP_INLINE bool all_near(const mem_f32 *x, const mem_f32 *y, size_t n, bool single)
{
    const float y0 = *y;
    int far = 0;

    for (size_t i = 0; i < n; i++)
        far |= !is_near(x[i], single ? y0 : y[i]);
    return !far;
}

enum { PIECE = 256 };

#define FLOAT_ROW(name)                                                                            \
    static inline float name##_remainder(float x, float y)                                         \
    {                                                                                              \
        return is_near(x, y) ? name##_near(x, y) : name##_far(x, y);                               \
    }                                                                                              \
    /* As bits: there is no NaN to look for. */                                                    \
    static inline uint32_t name##_bits(float x, float y)                                           \
    {                                                                                              \
        return pto_f32_bits(name##_near(x, y));                                                    \
    }                                                                                              \
    OP_ONE_ROW_2(name##_straight, u32, f32, name##_bits)                                           \
    OP_ONE_ROW_2(name##_any, f32, f32, name##_remainder)                                           \
    static const char *name##_f32_row(void *const *row, size_t n, unsigned single)                 \
    {                                                                                              \
        mem_f32 *d = row[0], *x = row[1], *y = row[2];                                             \
        const size_t step = !(single & 4);                                                         \
                                                                                                   \
        for (size_t i = 0; i < n; i += PIECE) {                                                    \
            void *const piece[] = {d + i, x + i, y + i * step};                                    \
            size_t count = n - i < PIECE ? n - i : PIECE;                                          \
                                                                                                   \
            if (step ? all_near(piece[1], piece[2], count, false)                                  \
                     : all_near(piece[1], piece[2], count, true))                                  \
                name##_straight_row(piece, count, single);                                         \
            else                                                                                   \
                name##_any_row(piece, count, single);                                              \
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
