/* Bitwise logic and shifts on integers: tile with tile, tile with scalar, and TNOT.  Rules hold for
 * signed and unsigned types alike unless said otherwise. */
#include "each.h"

#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define NOT(x) (~(x))

#define LOGIC(name, operation)                                                                     \
    OP_ROW_2(name##_u8, u8, u8, operation)                                                         \
    OP_ROW_2(name##_u16, u16, u16, operation)                                                      \
    OP_ROW_2(name##_u32, u32, u32, operation)                                                      \
    static const struct op_each name = {.function = {OP_BITWISE_8_16_32(name)}};

LOGIC(and, AND)
LOGIC(or, OR)
LOGIC(xor, XOR)
OP_ROW_1(not_u8, u8, u8, NOT)
OP_ROW_1(not_u16, u16, u16, NOT)
OP_ROW_1(not_u32, u32, u32, NOT)
static const struct op_each not = {.function = {OP_BITWISE_8_16_32(not)}};

/* dst[r, c] = src0[r, c] op src1[r, c], bit by bit. */
OP_EACH(TAND, and)
OP_EACH(TOR, or)
OP_EACH(TXOR, xor)

/* dst[r, c] = src[r, c] op scalar; the scalar is in the range of the type of the tile. */
OP_EACH(TANDS, and)
OP_EACH(TORS, or)
OP_EACH(TXORS, xor)

/* dst[r, c] = every bit of src[r, c] the other way. */
OP_EACH(TNOT, not)

/* ---- shifts ---------------------------------------------------------------------------------- */
#define COUNT_FAULT "shift count out of range: it must be 0 or more and less than the type's bits"

/* Counts are of the type of the tile; read as unsigned, negative ones are too large as well.  The
 * bits of a type are a power of two: a count that is too large has a bit from there on, and what is
 * written for it is of no use. */
#define SHIFT(name, type, bits, count_type, value, operation)                                      \
    OP_INLINE bool name##_##type##_loop(void *const *row, size_t n, unsigned single)               \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[1];                                                              \
        const mem_##count_type *count = row[2];                                                    \
        const op_wide_##count_type first = *count;                                                 \
        op_wide_##count_type all = 0;                                                              \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++) {                                                           \
            const op_wide_##count_type by = single & 4 ? first : count[i];                         \
                                                                                                   \
            all |= by;                                                                             \
            d[i] = (op_wide_##type)((value)x[i] operation(by & (bits - 1)));                       \
        }                                                                                          \
        return all < bits;                                                                         \
    }                                                                                              \
    static const char *name##_##type##_row(void *const *row, size_t n, unsigned single)            \
    {                                                                                              \
        if (single & 4 ? name##_##type##_loop(row, n, 4) : name##_##type##_loop(row, n, 0))        \
            return NULL;                                                                           \
        return COUNT_FAULT;                                                                        \
    }                                                                                              \
    OP_ROWS(name##_##type, 3)
SHIFT(left, u8, 8, u8, uint32_t, <<)
SHIFT(left, u16, 16, u16, uint32_t, <<)
SHIFT(left, u32, 32, u32, uint32_t, <<)
SHIFT(left, u64, 64, u64, uint64_t, <<)
SHIFT(right, u8, 8, u8, uint32_t, >>)
SHIFT(right, u16, 16, u16, uint32_t, >>)
SHIFT(right, u32, 32, u32, uint32_t, >>)
SHIFT(right, u64, 64, u64, uint64_t, >>)
SHIFT(right, i8, 8, u8, int32_t, >>)
SHIFT(right, i16, 16, u16, int32_t, >>)
SHIFT(right, i32, 32, u32, int32_t, >>)
SHIFT(right, i64, 64, u64, int64_t, >>)

static const struct op_each left = {.function = {OP_BITWISE(left)}};
static const struct op_each right = {.function = {OP_UNSIGNED(right), OP_SIGNED(right)}};

/* dst[r, c] = src0[r, c] shifted by src1[r, c]: to the left dropping what leaves the type, to the
 * right filling with the sign for signed types and with 0 for unsigned ones.  A count that is
 * negative or not less than the bits of the type faults. */
OP_EACH(TSHL, left)
OP_EACH(TSHR, right)

/* The same with the scalar as count. */
OP_EACH(TSHLS, left)
OP_EACH(TSHRS, right)
