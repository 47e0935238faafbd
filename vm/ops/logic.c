/* Bitwise logic and shifts on integers: tile with tile, tile with scalar, and TNOT.  Rules hold for
 * signed and unsigned types alike unless said otherwise. */
#include "gang.h"

#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define NOT(x) (~(x))

#define LOGIC(name, operation)                                                                     \
    OP_GANG_2(name##_8, u8, u8, operation)                                                         \
    OP_GANG_2(name##_16, u16, u16, operation)                                                      \
    OP_GANG_2(name##_32, u32, u32, operation)                                                      \
    static const struct op_gang name = {.function = BY_SIZE(name)};
#define BY_SIZE(name)                                                                              \
    {[PTO_I8] = name##_8, [PTO_U8] = name##_8, [PTO_I16] = name##_16, [PTO_U16] = name##_16,       \
     [PTO_I32] = name##_32, [PTO_U32] = name##_32}

LOGIC(and, AND)
LOGIC(or, OR)
LOGIC(xor, XOR)
OP_GANG_1(not_8, u8, u8, NOT)
OP_GANG_1(not_16, u16, u16, NOT)
OP_GANG_1(not_32, u32, u32, NOT)
static const struct op_gang not = {.function = BY_SIZE(not)};

/* dst[r, c] = src0[r, c] op src1[r, c], bit by bit. */
OP_GANG(TAND, and)
OP_GANG(TOR, or)
OP_GANG(TXOR, xor)

/* dst[r, c] = src[r, c] op scalar; the scalar is in the range of the type of the tile. */
OP_GANG(TANDS, and)
OP_GANG(TORS, or)
OP_GANG(TXORS, xor)

/* dst[r, c] = every bit of src[r, c] the other way. */
OP_GANG(TNOT, not)

/* ---- shifts ---------------------------------------------------------------------------------- */
#define COUNT_FAULT "shift count out of range: it must be 0 or more and less than the type's bits"

/* Counts are of the type of the tile; read as unsigned, negative ones are too large as well. */
#define SHIFT(name, type, bits, count_type, value, operation)                                      \
    static const char *name##_##type(void *const *row, size_t n)                                   \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[1];                                                              \
        const mem_##count_type *count = row[2];                                                    \
        int outside = 0;                                                                           \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            outside |= count[i] >= bits;                                                           \
        if (outside)                                                                               \
            return COUNT_FAULT;                                                                    \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (mem_##type)((value)x[i] operation count[i]);                                   \
        return NULL;                                                                               \
    }
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

static const struct op_gang left = {
    .function = {[PTO_I8] = left_u8, [PTO_U8] = left_u8, [PTO_I16] = left_u16,
                 [PTO_U16] = left_u16, [PTO_I32] = left_u32, [PTO_U32] = left_u32,
                 [PTO_I64] = left_u64, [PTO_U64] = left_u64}};
static const struct op_gang right = {
    .function = {[PTO_I8] = right_i8, [PTO_U8] = right_u8, [PTO_I16] = right_i16,
                 [PTO_U16] = right_u16, [PTO_I32] = right_i32, [PTO_U32] = right_u32,
                 [PTO_I64] = right_i64, [PTO_U64] = right_u64}};

/* dst[r, c] = src0[r, c] shifted by src1[r, c]: to the left dropping what leaves the type, to the
 * right filling with the sign for signed types and with 0 for unsigned ones.  A count that is
 * negative or not less than the bits of the type faults. */
OP_GANG(TSHL, left)
OP_GANG(TSHR, right)

/* The same with the scalar as count. */
OP_GANG(TSHLS, left)
OP_GANG(TSHRS, right)
