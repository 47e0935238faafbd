/* Remainders: TFMOD and TFMODS with the sign of the dividend, TREM and TREMS with that of the
 * divisor; tile with tile and tile with scalar. */
#include <math.h>

#include "gang.h"

/* fmodf is exact, so that every library gives the same bits. */
static inline float truncated_f32(float x, float y)
{
    return op_canonical(fmodf(x, y));
}

/* The truncated remainder, moved by one divisor if its sign is the wrong one. */
static inline float floored_f32(float x, float y)
{
    float rest = truncated_f32(x, y);

    if (rest == 0.0f)
        return copysignf(0.0f, y);
    return (rest < 0.0f) != (y < 0.0f) ? op_canonical(rest + y) : rest;
}

#define FLOAT_ROW(name)                                                                            \
    static const char *name##_row_f32(void *const *row, size_t n)                                  \
    {                                                                                              \
        mem_f32 *d = row[0];                                                                       \
        const mem_f32 *x = row[1], *y = row[2];                                                    \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = name##_f32(x[i], y[i]);                                                         \
        return NULL;                                                                               \
    }
FLOAT_ROW(truncated)
FLOAT_ROW(floored)

/* Signed types: the remainder by -1 is 0, also for the least value, where the division would
 * overflow. */
#define TRUNCATED_SIGNED(x, y) ((y) == -1 ? 0 : (x) % (y))
#define TRUNCATED_UNSIGNED(x, y) ((x) % (y))
#define IS_NEGATIVE(x) ((x) < 0)
#define NEVER(x) false

#define REMAINDER(name, type, operation, is_negative)                                              \
    static const char *name##_row_##type(void *const *row, size_t n)                               \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[1], *y = row[2];                                                 \
                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            mem_##type rest;                                                                       \
                                                                                                   \
            if (y[i] == 0)                                                                         \
                return "integer remainder by zero";                                                \
            rest = (mem_##type)operation(x[i], y[i]);                                              \
            d[i] = (mem_##type)(rest != 0 && is_negative(rest ^ y[i]) ? rest + y[i] : rest);       \
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
    {OP_FLOATS(name##_row_f32), [PTO_I16] = name##_row_i16, [PTO_U16] = name##_row_u16,            \
     [PTO_I32] = name##_row_i32, [PTO_U32] = name##_row_u32, [PTO_I64] = name##_row_i64,           \
     [PTO_U64] = name##_row_u64}

/* dst[r, c] = src0[r, c] - n * src1[r, c], n the quotient rounded toward zero; exact.
 * Floats: NaN by 0 and of infinities; x by infinity is x; a zero has the sign of src0.
 * Integers: by 0 faults; the least value by -1 is 0. */
static const struct op_gang truncated = {.function = FUNCTIONS(truncated)};
OP_GANG(TFMOD, truncated)
OP_GANG(TFMODS, truncated)

/* The same with n the quotient rounded down: the result has the sign of src1, zeros included.
 * Floats: the truncated remainder, to which src1 is added, rounded once, where the signs differ.
 * So a finite x by an infinity of the other sign is that infinity.  tmp is not used. */
static const struct op_gang floored = {.function = FUNCTIONS(floored)};
OP_GANG(TREM, floored)
OP_GANG(TREMS, floored)
