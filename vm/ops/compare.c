/* Comparison into packed masks (TCMP, TCMPS) and selection by them (TSEL, TSELS).
 *
 * A mask is a u8 tile: the predicate of element (r, c) is bit c % 8, counted from the least
 * significant, of mask element (r, c / 8).  Sources: pto-isa, docs/isa/TCMP.md. */
#include "gang.h"

/* ---- comparison ------------------------------------------------------------------------------ */
#define EQ(x, y) ((x) == (y))
#define NE(x, y) ((x) != (y))
#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define GT(x, y) ((x) > (y))
#define GE(x, y) ((x) >= (y))

#define COMPARE(relation, operation)                                                               \
    OP_GANG_2(relation##_f32, u8, f32, operation)                                                  \
    OP_GANG_2(relation##_i8, u8, i8, operation)                                                    \
    OP_GANG_2(relation##_u8, u8, u8, operation)                                                    \
    OP_GANG_2(relation##_i16, u8, i16, operation)                                                  \
    OP_GANG_2(relation##_u16, u8, u16, operation)                                                  \
    OP_GANG_2(relation##_i32, u8, i32, operation)                                                  \
    OP_GANG_2(relation##_u32, u8, u32, operation)                                                  \
    OP_GANG_2(relation##_i64, u8, i64, operation)                                                  \
    OP_GANG_2(relation##_u64, u8, u64, operation)
COMPARE(eq, EQ)
COMPARE(ne, NE)
COMPARE(lt, LT)
COMPARE(le, LE)
COMPARE(gt, GT)
COMPARE(ge, GE)

#define FUNCTIONS(relation)                                                                        \
    {OP_FLOATS(relation##_f32), [PTO_I8] = relation##_i8, [PTO_U8] = relation##_u8,                \
     [PTO_I16] = relation##_i16, [PTO_U16] = relation##_u16, [PTO_I32] = relation##_i32,           \
     [PTO_U32] = relation##_u32, [PTO_I64] = relation##_i64, [PTO_U64] = relation##_u64}

/* The mask is operand 0, the elements come from operand 1 on; operand 3 names the relation. */
static const char *compare(const struct op_args *args, enum pto_op op, uint8_t single)
{
    static op_gang_function *const functions[][PTO_DTYPE_COUNT] = {
        [PTO_CMP_EQ] = FUNCTIONS(eq), [PTO_CMP_NE] = FUNCTIONS(ne), [PTO_CMP_LT] = FUNCTIONS(lt),
        [PTO_CMP_LE] = FUNCTIONS(le), [PTO_CMP_GT] = FUNCTIONS(gt), [PTO_CMP_GE] = FUNCTIONS(ge)};
    struct op_gang gang = {.key = 1, .domain = 1, .masks = 1 << 0, .single = single};

    memcpy(gang.function, functions[args->arg[3].i], sizeof gang.function);
    return op_gang_row(args, op, &gang);
}

/* dst bit (r, c) = src0[r, c] relation src1[r, c] over the valid region of src0; src1 covers it and
 * dst has its rows and ceil(cols / 8) columns.  The bits of the last byte past the last column are
 * 0, later bytes stay.  Floats compare as numbers: -0 equals +0, a NaN is unequal to everything and
 * neither less nor greater.  All relations work for all types on all profiles. */
OP(TCMP)
{
    return compare(args, PTO_OP_TCMP, 0);
}

/* The same with the scalar, converted to the type of src, in every place of src1. */
OP(TCMPS)
{
    return compare(args, PTO_OP_TCMPS, 0);
}

/* The same with element (0, 0) of a second tile in every place of src1. */
OP(TCMPS_TILE)
{
    return compare(args, PTO_OP_TCMPS_TILE, 1 << 2);
}

/* ---- selection ------------------------------------------------------------------------------- */
#define SELECT(type)                                                                               \
    static const char *select_##type(void *const *row, size_t n)                                   \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_u8 *mask = row[1];                                                               \
        const mem_##type *x = row[2], *y = row[3];                                                 \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++) {                                                           \
            mem_##type a = x[i], b = y[i];                                                         \
                                                                                                   \
            d[i] = mask[i] ? a : b;                                                                \
        }                                                                                          \
        return NULL;                                                                               \
    }
SELECT(u8)
SELECT(u16)
SELECT(u32)
SELECT(u64)

/* Bits are moved, whatever they mean. */
static const struct op_gang selection = {
    .function = {[PTO_F32] = select_u32, [PTO_F16] = select_u16, [PTO_BF16] = select_u16,
                 [PTO_I8] = select_u8, [PTO_U8] = select_u8, [PTO_I16] = select_u16,
                 [PTO_U16] = select_u16, [PTO_I32] = select_u32, [PTO_U32] = select_u32,
                 [PTO_I64] = select_u64, [PTO_U64] = select_u64},
    .masks = 1 << 1, .raw = true};

/* dst[r, c] = mask bit (r, c) ? src0[r, c] : src1[r, c], over the valid region of dst.  Bits are
 * moved: a NaN keeps its payload.  tmp is not used. */
OP_GANG(TSEL, selection)

/* dst[r, c] = mask bit (r, c) ? src[r, c] : scalar, the scalar converted to the type of dst. */
OP_GANG(TSELS, selection)

/* The same with upstream's scratch tile in front of the scalar. */
OP_GANG(TSELS_TMP, selection)
