/* Remainders: TFMOD and TFMODS with the sign of the dividend, TREM and TREMS with that of the
 * divisor; tile with tile and tile with scalar. */
#include <math.h>

#include "each.h"

/* fmodf is exact, so that every library gives the same bits. */
static inline float truncated_remainder(float x, float y)
{
    return op_canonical(fmodf(x, y));
}

/* The truncated remainder, moved by one divisor if its sign is the wrong one. */
static inline float floored_remainder(float x, float y)
{
    float rest = truncated_remainder(x, y);

    if (rest == 0.0f)
        return copysignf(0.0f, y);
    return (rest < 0.0f) != (y < 0.0f) ? op_canonical(rest + y) : rest;
}

#define FLOAT_ROW(name)                                                                            \
    static const char *name##_f32(void *const *row, size_t n, unsigned single)                     \
    {                                                                                              \
        mem_f32 *d = row[0];                                                                       \
        const mem_f32 *x = row[1], *y = row[2];                                                    \
        const size_t step = !(single & 4);                                                         \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = name##_remainder(x[i], y[i * step]);                                            \
        return NULL;                                                                               \
    }
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
    static const char *name##_##type(void *const *row, size_t n, unsigned single)                  \
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
    }
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
