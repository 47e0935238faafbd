/* Arithmetic on tiles, on tile and scalar, on tile and column or row.  Rules for the numbers:
 * arith.h. */
#include "arith.h"

/* ---- sums and products ----------------------------------------------------------------------- */
#define SUM(a, b) ((a) + (b))
#define DIFFERENCE(a, b) ((a) - (b))
#define PRODUCT(a, b) ((a) * (b))
/* Narrow types would be promoted to int, whose products can overflow. */
#define PRODUCT_UNSIGNED(a, b) (1u * (a) * (b))

#define UNSIGNED(name, of_integers)                                                                \
    OP_ROW_2(name##_u8, u8, u8, of_integers)                                                       \
    OP_ROW_2(name##_u16, u16, u16, of_integers)                                                    \
    OP_ROW_2(name##_u32, u32, u32, of_integers)                                                    \
    OP_ROW_2(name##_u64, u64, u64, of_integers)
/* Wrap-around is the same for signed and unsigned. */
#define WRAPPING(name, of_floats, of_integers)                                                     \
    OP_FLOAT_2_BF16(name, of_floats)                                                               \
    UNSIGNED(name, of_integers)
/* fp8 is combined by atomic stores only. */
#define FP8_TABLE(name) [PTO_F8E4M3] = name##_f8e4m3, [PTO_F8E5M2] = name##_f8e5m2

WRAPPING(add, SUM, SUM)
WRAPPING(sub, DIFFERENCE, DIFFERENCE)
WRAPPING(mul, PRODUCT, PRODUCT_UNSIGNED)
OP_STRIP_2(add_f8e4m3, f8e4m3, f8e4m3, SUM)
OP_STRIP_2(add_f8e5m2, f8e5m2, f8e5m2, SUM)

const struct op_each op_each_add = {
    .function = {OP_FLOATS(add), FP8_TABLE(add), OP_BITWISE(add)}};
const struct op_each op_each_sub = {.function = {OP_FLOATS(sub), OP_BITWISE(sub)}};
const struct op_each op_each_mul = {.function = {OP_FLOATS(mul), OP_BITWISE(mul)}};

/* ---- extrema --------------------------------------------------------------------------------- */
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

/* Small floats as signed integers, with nothing to widen: these have the order of the numbers, -0
 * below +0, once the magnitude of the negative ones is turned around. */
#define MAGNITUDE(width) (INT##width##_MAX)
#define TURNED(width, x) ((int##width##_t)((x) ^ (-((x) < 0) & MAGNITUDE(width))))
#define EXTREME_OF_BITS(name, type, width, better, infinity, nan)                                  \
    static inline int##width##_t name##_bits_##type(int##width##_t a, int##width##_t b)            \
    {                                                                                              \
        int##width##_t x = TURNED(width, a), y = TURNED(width, b), best = better(x, y);            \
        bool is_nan = ((a & MAGNITUDE(width)) > (infinity)) |                                      \
                      ((b & MAGNITUDE(width)) > (infinity));                                       \
                                                                                                   \
        return is_nan ? (nan) : TURNED(width, best);                                               \
    }                                                                                              \
    OP_ROW_2(name##_##type, i##width, i##width, name##_bits_##type)
#define EXTREME_OF_SMALL(name, better)                                                             \
    EXTREME_OF_BITS(name, f16, 16, better, 0x7c00, 0x7e00)                                         \
    EXTREME_OF_BITS(name, bf16, 16, better, 0x7f80, 0x7fc0)                                        \
    EXTREME_OF_BITS(name, f8e4m3, 8, better, 0x7e, 0x7f) /* the greatest number: no infinity */    \
    EXTREME_OF_BITS(name, f8e5m2, 8, better, 0x7c, 0x7e)

/* Of f32 as bits: those of a NaN are the canonical ones already. */
#define ORDERED(name, of_bits, of_integers)                                                        \
    OP_ROW_2(name##_f32, u32, f32, of_bits)                                                        \
    EXTREME_OF_SMALL(name, of_integers)                                                            \
    UNSIGNED(name, of_integers)                                                                    \
    OP_ROW_2(name##_i8, i8, i8, of_integers)                                                       \
    OP_ROW_2(name##_i16, i16, i16, of_integers)                                                    \
    OP_ROW_2(name##_i32, i32, i32, of_integers)                                                    \
    OP_ROW_2(name##_i64, i64, i64, of_integers)

ORDERED(max, op_max_bits, LARGER)
ORDERED(min, op_min_bits, SMALLER)

const struct op_each op_each_max = {
    .function = {OP_FLOATS(max), FP8_TABLE(max), OP_UNSIGNED(max), OP_SIGNED(max)}};
const struct op_each op_each_min = {
    .function = {OP_FLOATS(min), FP8_TABLE(min), OP_UNSIGNED(min), OP_SIGNED(min)}};

/* ---- quotients ------------------------------------------------------------------------------- */
#define QUOTIENT(a, b) ((a) / (b))

/* Of integers every divisor is looked at; `lowest` is the value that -1 cannot divide. */
#define DIVIDE(type, lowest, is_signed)                                                            \
    static const char *div_##type##_row(void *const *row, size_t n, unsigned single)               \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *a = row[1], *b = row[2];                                                 \
        const size_t a_step = !(single & 2), b_step = !(single & 4);                               \
                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            const op_wide_##type dividend = a[i * a_step], divisor = b[i * b_step];                \
                                                                                                   \
            if (divisor == 0)                                                                      \
                return "integer division by zero";                                                 \
            if (is_signed && dividend == (lowest) && divisor == (op_wide_##type)-1)                \
                return "integer division overflows: the least value of the type by -1";            \
            d[i] = (op_wide_##type)(dividend / divisor);                                           \
        }                                                                                          \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(div_##type, 3)

OP_FLOAT_2_BF16(div, QUOTIENT)
DIVIDE(i8, INT8_MIN, 1)
DIVIDE(u8, 0, 0)
DIVIDE(i16, INT16_MIN, 1)
DIVIDE(u16, 0, 0)
DIVIDE(i32, INT32_MIN, 1)
DIVIDE(u32, 0, 0)
DIVIDE(i64, INT64_MIN, 1)
DIVIDE(u64, 0, 0)

const struct op_each op_each_div = {
    .function = {OP_FLOATS(div), OP_UNSIGNED(div), OP_SIGNED(div)}};

/* ---- instructions ---------------------------------------------------------------------------- */
/* dst[r, c] = src0[r, c] op src1[r, c], the scalar, src1[r, 0], src1[0, c]. */
#define ARITHMETIC(name, each)                                                                     \
    OP_EACH(T##name, each)                                                                         \
    OP_EACH(T##name##S, each)                                                                      \
    OP_EACH(TROWEXPAND##name, each)                                                                \
    OP_EACH(TCOLEXPAND##name, each)
ARITHMETIC(ADD, op_each_add)
ARITHMETIC(SUB, op_each_sub)
ARITHMETIC(MUL, op_each_mul)
ARITHMETIC(DIV, op_each_div)
ARITHMETIC(MAX, op_each_max)
ARITHMETIC(MIN, op_each_min)

/* dst[r, c] = scalar / src[r, c] */
OP_EACH(TDIVS_REV, op_each_div)
