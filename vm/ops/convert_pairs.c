/* TCVT into and out of pairs of four bits: f16 and int4, bf16 and fp4. */
#include "apart.h"
#include "convert_rows.h"
#include "line.h"
#include "operand.h"
#include "pairs.h"

/* ---- one number ---------------------------------------------------------------------------- */
/* Is the magnitude between codes `code` and `code + 1`, `cut` above the one and `left` below the
 * other, that of the greater one? */
static bool is_raised(int mode, bool negative, unsigned code, float cut, float left)
{
#define NEGATIVE negative
#define KEPT_ODD (code & 1)
#define REST (cut > 0.0f)
#define ABOVE (cut > left)
#define TIE (cut == left)
    switch (mode) {
#define ROUND(id, number, keyword, up, whole)                                                      \
    case PTO_ROUND_##id:                                                                           \
        return up;
#include "round.def"
#undef ROUND
    default:
        return false;
    }
#undef NEGATIVE
#undef KEPT_ODD
#undef REST
#undef ABOVE
#undef TIE
}

/* fp4 has neither infinities nor NaN: what is beyond its range is the greatest, NaN is 0. */
static unsigned to_fp4(float x, uint8_t dtype, int mode)
{
    uint32_t bits = pto_f32_bits(x);
    float size = pto_f32_from_bits(bits & 0x7fffffffu);
    unsigned code = 0;

    if (x != x)
        return 0;
    while (code + 1 < OP_FP4_CODES && size >= op_fp4_size(dtype, code + 1))
        code++;
    if (code + 1 < OP_FP4_CODES)
        code += is_raised(mode, bits >> 31, code, size - op_fp4_size(dtype, code),
                          op_fp4_size(dtype, code + 1) - size);
    return code | bits >> 31 << 3;
}

static unsigned to_s4(float x, int mode)
{
    int64_t whole = pto_f64_to_int((double)x, PTO_I8, mode, true);

    return (unsigned)(whole < -8 ? -8 : whole > 7 ? 7 : whole) & 15;
}

static unsigned to_half(const struct op_conversion *c, float x)
{
    return c->to == PTO_S4X2 ? to_s4(x, c->mode) : to_fp4(x, c->to, c->mode);
}

static float from_half(uint8_t dtype, unsigned code)
{
    return dtype == PTO_S4X2 ? (float)((int)(code ^ 8) - 8) : op_fp4_value(dtype, code);
}

/* ---- rows ---------------------------------------------------------------------------------- */
struct pieces {
    const struct op_conversion *conversion;
    struct op_place to, from;
    struct op_line line;
};

/* Numbers [at, at + count) of a row become bytes; both are even. */
static void pack(struct pieces *p, uint32_t row, uint32_t at, uint32_t count)
{
    const struct op_conversion *c = p->conversion;
    const float *x = op_line_read(&p->line, &p->from, c->from, true, row, at, count);
    struct op_place target = op_place_at(p->to, row, at / 2);
    uint8_t packed[OP_LINE / 2];
    struct op_place bytes = op_strided(packed, 0, 1, 1);

    for (uint32_t i = 0; i < count; i += 2)
        packed[i / 2] = (uint8_t)(to_half(c, x[i]) | to_half(c, x[i + 1]) << 4);
    op_copy(&target, &bytes, 1, count / 2);
}

/* Numbers [at, at + count) of a row, at even. */
static void unpack(struct pieces *p, uint32_t row, uint32_t at, uint32_t count)
{
    const struct op_conversion *c = p->conversion;
    const uint8_t *bytes = op_line_read(&p->line, &p->from, c->from, false, row, at / 2,
                                        (count + 1) / 2);
    struct op_place target = op_place_at(p->to, row, at);
    uint16_t narrow[OP_LINE];
    struct op_place elements = op_strided(narrow, 0, sizeof *narrow, sizeof *narrow);

    for (uint32_t i = 0; i < count; i++)
        p->line.wide[i] = from_half(c->from, op_half(bytes[i / 2], i));
    op_narrow(c->to, narrow, p->line.wide, count);
    op_copy(&target, &elements, 1, count);
}

const char *op_convert_pairs(const struct op_args *args, const struct op_conversion *c)
{
    const struct op_view *dst = &args->arg[0].view;
    unsigned packed = pto_dtype_numbers((enum pto_dtype)c->to);
    unsigned each = pto_dtype_numbers((enum pto_dtype)c->from);
    uint32_t numbers = dst->cols * packed, cols = (numbers + each - 1) / each;
    struct op_scratch scratch = {args->scratch, 0};
    struct pieces p = {.conversion = c, .to = op_place_of(dst),
                       .from = op_place_of(&args->arg[1].view)};
    const char *fault = op_covers(args, 1, "src", dst->rows, cols);

    if (!fault)
        fault = op_separate(&scratch, dst, &p.from, dst->rows, cols);
    for (uint32_t row = 0; !fault && row < dst->rows; row++)
        for (uint32_t at = 0; at < numbers; at += OP_LINE)
            (packed == 2 ? pack : unpack)(&p, row, at, op_line_length(at, numbers));
    return fault;
}
