/* Broadcasts: one scalar to a whole tile (TEXPANDS), one element per row along its row (TROWEXPAND)
 * or one per column down its column (TCOLEXPAND), and e to the power of a tile less such a column
 * or row.  Arithmetic with a column or row: arith.c. */
#include "each.h"
#include "exp.h"

/* A row as it is: rows are short for the start of a memcpy where vectors are as long as lines. */
static inline void move_row(uint8_t *to, const uint8_t *from, size_t bytes)
{
#ifdef __AVX512F__
    size_t lines = bytes - bytes % 64;

    _Pragma("GCC unroll 4") for (size_t i = 0; i < lines; i += 64)
        _mm512_storeu_si512(to + i, _mm512_loadu_si512(from + i));
    to += lines;
    from += lines;
    bytes -= lines;
    if (!bytes)
        return;
#endif
    memcpy(to, from, bytes);
}

/* Bytes are moved, never converted. */
#define FILL(type)                                                                                 \
    static const char *fill_##type##_row(void *const *row, size_t n, unsigned single)              \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const op_wide_##type value = *(const mem_##type *)row[1];                                  \
                                                                                                   \
        if (!single) {                                                                             \
            move_row(row[0], row[1], n * sizeof *d);                                               \
            return NULL;                                                                           \
        }                                                                                          \
        _Pragma("GCC unroll 4") for (size_t i = 0; i < n; i++) d[i] = value;                       \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(fill_##type, 2)
FILL(u8)
FILL(u16)
FILL(u32)
FILL(u64)

static const struct op_each fill = {
    .function = {OP_BITWISE(fill), [PTO_F32] = fill_u32, [PTO_F16] = fill_u16,
                 [PTO_BF16] = fill_u16}};

/* dst[r, c] = the scalar in the type of dst. */
OP_EACH(TEXPANDS, fill)
/* dst[r, c] = src[r, 0].  src has at least the rows of dst and one column; a NaN keeps its bits. */
OP_EACH(TROWEXPAND, fill)
/* dst[r, c] = src[0, c].  src has at least the columns of dst and one row; a NaN keeps its bits. */
OP_EACH(TCOLEXPAND, fill)

/* ---- e^(a - b) ------------------------------------------------------------------------------- */
#ifdef __AVX512F__
#define DIFFERENCE(a, b) ((a) - (b))
OP_STRIP_2(expdif_f32, f32_exp, f32, DIFFERENCE)
OP_STRIP_2(expdif_f16, f16_exp, f16, DIFFERENCE)
#else
#define EXP_OF_DIFFERENCE(a, b) op_exp_f32((a) - (b))
OP_FLOAT_2(expdif, EXP_OF_DIFFERENCE)
#endif
static const struct op_each expdif = {.function = {OP_F32_F16(expdif)}};

/* dst[r, c] = e^(src0[r, c] - src1[r, 0]), e^(src0[r, c] - src1[0, c]): the difference is rounded
 * to f32 before e is raised to it, so the result is within 1 ulp of e^(rounded difference); f16 is
 * rounded once more, from f32.  Infinity minus itself is NaN. */
OP_EACH(TROWEXPANDEXPDIF, expdif)
OP_EACH(TCOLEXPANDEXPDIF, expdif)
