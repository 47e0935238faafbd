/* To integers of 8 bits with a scale per row, and back: TQUANT, TDEQUANT. */
#include <math.h>

#include "apart.h"
#include "each.h"
#include "line.h"
#include "operand.h"

/* Scale and offset, one for each row. */
struct row_factors {
    float scale, offset;
    bool has_offset;
};

/* src * scale + offset, each rounded to f32, then to a whole number, to nearest even, and into
 * [low, high]; NaN gives 0.  The result is exact in i16. */
static void quantise_row(int16_t *to, const void *row, size_t n, struct row_factors f, float low,
                         float high)
{
    const mem_f32 *x = row;

    for (size_t i = 0; i < n; i++) {
        float y = x[i] * f.scale;

        y = rintf(f.has_offset ? y + f.offset : y);
        y = y < low ? low : y;
        y = y > high ? high : y;
        to[i] = (int16_t)(y != y ? 0.0f : y);
    }
}

static float factor(const struct op_place *place, uint32_t row)
{
    return *(const mem_f32 *)op_address(place, row, 0);
}

/* Operands dst, src, scale, [offset]: places of the sources, apart from dst. */
struct quant {
    struct op_place to, from, scale, offset;
    bool has_offset;
};

static const char *quant_operands(const struct op_args *args, struct quant *q)
{
    const struct op_view *dst = &args->arg[0].view;
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = op_covers(args, 1, "src", dst->rows, dst->cols);

    q->has_offset = args->arg[3].present;
    q->to = op_place_of(dst);
    q->from = op_place_of(&args->arg[1].view);
    q->scale = op_place_of(&args->arg[2].view);
    if (!fault)
        fault = op_covers(args, 2, "scale", dst->rows, dst->cols ? 1 : 0);
    if (!fault)
        fault = op_separate(&scratch, dst, &q->from, dst->rows, dst->cols);
    if (!fault)
        fault = op_separate(&scratch, dst, &q->scale, dst->rows, 1);
    if (fault || !q->has_offset)
        return fault;
    q->offset = op_place_of(&args->arg[3].view);
    fault = op_covers(args, 3, "offset", dst->rows, dst->cols ? 1 : 0);
    return fault ? fault : op_separate(&scratch, dst, &q->offset, dst->rows, 1);
}

static struct row_factors factors_of(const struct quant *q, uint32_t row)
{
    return (struct row_factors){factor(&q->scale, row), q->has_offset ? factor(&q->offset, row) : 0,
                                q->has_offset};
}

/* dst[r, c] = src[r, c] * scale[r, 0] (+ offset[r, 0]), each operation rounded to f32, then to the
 * nearest whole number, ties to even, and clamped to the range of i8 or u8.  NaN gives 0.  f16 and
 * bf16 are widened first.  dst may overlap the sources. */
OP(TQUANT)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    float low = dst->dtype == PTO_U8 ? 0.0f : -128.0f, high = low + 255.0f;
    struct op_line line;
    int16_t whole[OP_LINE];
    uint8_t bytes[OP_LINE];
    struct op_place buffer = op_strided(bytes, 1, 1, 1);
    struct quant q;
    const char *fault = quant_operands(args, &q);

    for (uint32_t row = 0; !fault && row < dst->rows; row++)
        for (uint32_t col = 0; col < dst->cols; col += OP_LINE) {
            uint32_t count = op_line_length(col, dst->cols);
            struct op_place target = op_place_at(q.to, row, col);

            quantise_row(whole, op_line_read(&line, &q.from, src->dtype, true, row, col, count),
                         count, factors_of(&q, row), low, high);
            for (uint32_t i = 0; i < count; i++)
                bytes[i] = (uint8_t)whole[i];
            op_copy(&target, &buffer, 1, count);
        }
    return fault;
}

/* Strips as i32, where a vector holds one. */
#ifdef __AVX512F__
#define IN_STRIPS true
#else
#define IN_STRIPS false
#endif
static inline void widen_i8(int32_t *x, const mem_i8 *from)
{
    op_widen_i8(x, from);
}

static inline void widen_i16(int32_t *x, const mem_i16 *from)
{
    for (int k = 0; k < OP_STRIP; k++)
        x[k] = from[k];
}

/* (src - offset) * scale, each rounded to f32; there is no NaN where both are finite. */
#define RESTORE(type)                                                                              \
    static const char *restore_##type##_row(void *const *row, size_t n, unsigned single)           \
    {                                                                                              \
        mem_f32 *d = row[0];                                                                       \
        const mem_##type *x = row[1];                                                              \
        const mem_f32 *scale = row[2], *offset = row[3];                                           \
        const size_t scale_step = !(single & 4), offset_step = !(single & 8);                      \
        const float s0 = *scale, o0 = *offset;                                                     \
                                                                                                   \
        if (!scale_step && !offset_step && isfinite(s0) && isfinite(o0)) {                         \
            size_t strips = IN_STRIPS ? n - n % OP_STRIP : 0;                                      \
                                                                                                   \
            for (size_t i = 0; i < strips; i += OP_STRIP) {                                        \
                int32_t wide[OP_STRIP];                                                            \
                                                                                                   \
                widen_##type(wide, x + i);                                                         \
                for (size_t k = 0; k < OP_STRIP; k++)                                              \
                    d[i + k] = ((float)wide[k] - o0) * s0;                                         \
            }                                                                                      \
            OP_INDEPENDENT                                                                         \
            for (size_t i = strips; i < n; i++)                                                    \
                d[i] = ((float)x[i] - o0) * s0;                                                    \
            return NULL;                                                                           \
        }                                                                                          \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = op_canonical(((float)x[i] - offset[i * offset_step]) * scale[i * scale_step]);  \
        return NULL;                                                                               \
    }                                                                                              \
    OP_ROWS(restore_##type, 4)
RESTORE(i8)
RESTORE(i16)

/* dst[r, c] = (src[r, c] - offset[r, 0]) * scale[r, 0], each operation rounded to f32.  dst may
 * overlap the sources. */
static const struct op_each restore = {
    .function = {[PTO_I8] = restore_i8, [PTO_I16] = restore_i16}, .key = 1};
OP_EACH(TDEQUANT, restore)
