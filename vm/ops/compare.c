/* Comparison into packed masks (TCMP, TCMPS) and selection by them (TSEL, TSELS).
 *
 * A mask is a u8 tile: the predicate of element (r, c) is bit c % 8, counted from the least
 * significant, of mask element (r, c / 8).  Sources: pto-isa, docs/isa/TCMP.md. */
#include "each.h"

/* ---- comparison ------------------------------------------------------------------------------ */
#define EQ(x, y) ((x) == (y))
#define NE(x, y) ((x) != (y))
#define LT(x, y) ((x) < (y))
#define LE(x, y) ((x) <= (y))
#define GT(x, y) ((x) > (y))
#define GE(x, y) ((x) >= (y))

#define COMPARE(relation, operation)                                                               \
    OP_STRIP_2(relation##_f32, bits, f32, operation)                                               \
    OP_WIDENED(relation##_f16, relation##_f32, PTO_F16, 2, 0, 0)                                   \
    OP_WIDENED(relation##_bf16, relation##_f32, PTO_BF16, 2, 0, 0)                                 \
    OP_STRIP_2(relation##_i8, bits, i8, operation)                                                 \
    OP_STRIP_2(relation##_u8, bits, u8, operation)                                                 \
    OP_STRIP_2(relation##_i16, bits, i16, operation)                                               \
    OP_STRIP_2(relation##_u16, bits, u16, operation)                                               \
    OP_STRIP_2(relation##_i32, bits, i32, operation)                                               \
    OP_STRIP_2(relation##_u32, bits, u32, operation)                                               \
    OP_STRIP_2(relation##_i64, bits, i64, operation)                                               \
    OP_STRIP_2(relation##_u64, bits, u64, operation)
COMPARE(eq, EQ)
COMPARE(ne, NE)
COMPARE(lt, LT)
COMPARE(le, LE)
COMPARE(gt, GT)
COMPARE(ge, GE)

/* The mask is operand 0, the elements come from operand 1 on; operand 3 names the relation. */
static const char *compare(const struct op_args *args, enum pto_op op)
{
#define FUNCTIONS(relation)                                                                        \
    {.function = {OP_FLOATS(relation), OP_UNSIGNED(relation), OP_SIGNED(relation)}, .key = 1}
    static const struct op_each relations[] = {
        [PTO_CMP_EQ] = FUNCTIONS(eq), [PTO_CMP_NE] = FUNCTIONS(ne), [PTO_CMP_LT] = FUNCTIONS(lt),
        [PTO_CMP_LE] = FUNCTIONS(le), [PTO_CMP_GT] = FUNCTIONS(gt), [PTO_CMP_GE] = FUNCTIONS(ge)};

    return op_run_each(args, op, &relations[args->arg[3].i]);
}

/* dst bit (r, c) = src0[r, c] relation src1[r, c] over the valid region of src0; src1 covers it and
 * dst has its rows and ceil(cols / 8) columns.  The bits of the last byte past the last column are
 * 0, later bytes stay.  Floats compare as numbers: -0 equals +0, a NaN is unequal to everything and
 * neither less nor greater.  All relations work for all types on all profiles. */
OP(TCMP)
{
    return compare(args, PTO_OP_TCMP);
}

/* The same with the scalar, converted to the type of src, in every place of src1. */
OP(TCMPS)
{
    return compare(args, PTO_OP_TCMPS);
}

/* The same with element (0, 0) of a second tile in every place of src1. */
OP(TCMPS_TILE)
{
    return compare(args, PTO_OP_TCMPS_TILE);
}

/* ---- selection ------------------------------------------------------------------------------- */
/* Eight bits at a time: inner loops of fixed length, which the compiler unrolls. */
static void unpack(uint8_t *bytes, const uint8_t *bits, size_t count)
{
    for (size_t i = 0; i < (count + 7) / 8; i++)
        for (size_t k = 0; k < 8; k++)
            bytes[8 * i + k] = bits[i] >> k & 1;
}

/* Lanes: dst, mask, the element for 1, the element for 0, which may be single. */
#define SELECT(type)                                                                               \
    OP_INLINE void select_##type##_loop(mem_##type *d, const uint8_t *mask, const mem_##type *x,   \
                                        const mem_##type *y, size_t n, bool single)                \
    {                                                                                              \
        const op_wide_##type first = *y;                                                           \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++) {                                                           \
            const op_wide_##type a = x[i], b = single ? first : y[i];                              \
                                                                                                   \
            d[i] = mask[i] ? a : b;                                                                \
        }                                                                                          \
    }                                                                                              \
    static const char *select_##type##_row(void *const *row, size_t n, unsigned single)            \
    {                                                                                              \
        uint8_t mask[OP_WIDE];                                                                     \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[2], *y = row[3];                                                 \
                                                                                                   \
        for (size_t i = 0; i < n; i += OP_WIDE) {                                                  \
            size_t count = n - i < OP_WIDE ? n - i : OP_WIDE;                                      \
                                                                                                   \
            unpack(mask, (const uint8_t *)row[1] + i / 8, count);                                  \
            if (single & 8)                                                                        \
                select_##type##_loop(d + i, mask, x + i, y, count, true);                          \
            else                                                                                   \
                select_##type##_loop(d + i, mask, x + i, y + i, count, false);                     \
        }                                                                                          \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(select_##type, 4)
SELECT(u8)
SELECT(u16)
SELECT(u32)
SELECT(u64)

/* Bits are moved, whatever they mean. */
static const struct op_each selection = {
    .function = {OP_BITWISE(select), [PTO_F32] = select_u32, [PTO_F16] = select_u16,
                 [PTO_BF16] = select_u16}};

/* dst[r, c] = mask bit (r, c) ? src0[r, c] : src1[r, c], over the valid region of dst.  Bits are
 * moved: a NaN keeps its payload.  tmp is not used. */
OP_EACH(TSEL, selection)

/* dst[r, c] = mask bit (r, c) ? src[r, c] : scalar, the scalar converted to the type of dst. */
OP_EACH(TSELS, selection)

/* The same with upstream's scratch tile in front of the scalar. */
OP_EACH(TSELS_TMP, selection)
