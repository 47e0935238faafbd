/* TCVT: from one element type to another. */
#include "convert_rows.h"
#include "operand.h"

/* ---- defaults ------------------------------------------------------------------------------ */
static bool is_pair(const struct op_conversion *c, enum pto_dtype to, enum pto_dtype from)
{
    return c->to == to && c->from == from;
}

/* Pairs whose saturation can be chosen, and is off unless asked for. */
static bool wraps_by_default(const struct op_conversion *c)
{
    return is_pair(c, PTO_U8, PTO_F16) || is_pair(c, PTO_I8, PTO_F16) ||
           is_pair(c, PTO_I16, PTO_F32) || is_pair(c, PTO_I16, PTO_F16) ||
           is_pair(c, PTO_I32, PTO_I64) || is_pair(c, PTO_I16, PTO_I32);
}

/* Pairs of level a5 whose saturation can be chosen, and is on unless turned off. */
static bool saturation_is_free(const struct op_conversion *c)
{
    return c->to == PTO_F8E4M3 || c->to == PTO_F8E5M2 || is_pair(c, PTO_F16, PTO_BF16);
}

static bool choose_saturation(const struct op_conversion *c, int64_t asked)
{
    if (wraps_by_default(c))
        return asked == PTO_SAT_ON;
    return !(saturation_is_free(c) && asked == PTO_SAT_OFF);
}

static int choose_mode(const struct op_conversion *c, int64_t asked)
{
    bool to_float = pto_dtype_is_float((enum pto_dtype)c->to) ||
                    pto_dtype_numbers((enum pto_dtype)c->to) == 2;

    if (asked == PTO_ROUND_DEFAULT || (asked == PTO_ROUND_ODD && !is_pair(c, PTO_F16, PTO_F32)))
        return to_float ? PTO_ROUND_RINT : PTO_ROUND_TRUNC;
    return (int)asked;
}

/* ---- element by element -------------------------------------------------------------------- */
static void convert_float(const struct op_conversion *c, void *to, double value)
{
    switch (c->to) {
    case PTO_F32: *(mem_f32 *)to = pto_f64_to_f32(value, c->mode, c->saturate); break;
    case PTO_F16: *(mem_u16 *)to = pto_f64_to_f16(value, c->mode, c->saturate); break;
    case PTO_BF16: *(mem_u16 *)to = pto_f64_to_bf16(value, c->mode, c->saturate); break;
    case PTO_F8E4M3: *(mem_u8 *)to = op_to_e4m3(value, c->mode, c->saturate); break;
    case PTO_F8E5M2: *(mem_u8 *)to = pto_f64_to_e5m2(value, c->mode, c->saturate); break;
    default:
        pto_store_int(to, (enum pto_dtype)c->to,
                      pto_f64_to_int(value, (enum pto_dtype)c->to, c->mode, c->saturate));
    }
}

static void convert_element(const struct op_conversion *c, void *to, const void *from)
{
    bool is_unsigned = c->from == PTO_U64;
    int64_t value;

    if (pto_dtype_is_float((enum pto_dtype)c->from)) {
        convert_float(c, to, pto_load_f64(from, (enum pto_dtype)c->from));
        return;
    }
    value = pto_load_int(from, (enum pto_dtype)c->from);
    if (!pto_dtype_is_float((enum pto_dtype)c->to))
        pto_store_int(to, (enum pto_dtype)c->to,
                      pto_int_to_int(value, is_unsigned, (enum pto_dtype)c->to, c->saturate));
    else if (c->to == PTO_F32)
        *(mem_f32 *)to = pto_int_to_f32(value, is_unsigned, c->mode);
    else
        convert_float(c, to, (double)value); /* at most 32 bits: exact */
}

void op_convert_elements(void *dst, const void *src, const struct op_conversion *c, size_t n)
{
    size_t to_size = pto_dtype_size((enum pto_dtype)c->to);
    size_t from_size = pto_dtype_size((enum pto_dtype)c->from);

    for (size_t i = 0; i < n; i++)
        convert_element(c, (uint8_t *)dst + i * to_size, (const uint8_t *)src + i * from_size);
}

static const char *by_element_row(void *const *lane, size_t n, unsigned single)
{
    (void)single;
    op_convert_elements(lane[0], lane[1], lane[2], n);
    return NULL;
}
OP_ROWS(by_element, 3)

/* dst[r, c] = src[r, c] in the type of dst.
 *
 * Rounding: rint (nearest, ties to even), round (nearest, ties away from zero), floor, ceil, trunc;
 * odd only for f32 to f16.  `default`, and a mode that the pair lacks, is rint where dst is a float
 * and trunc where it is an integer.  f32 to f32 rounds to an integral value.
 *
 * Saturation, as on a2 and a3: f16 to u8, i8 and i16, f32 to i16, i64 to i32 and i32 to i16 keep
 * the low bits of the rounded value unless `sat` is given; into f32 everything fits and infinities
 * stay; every other pair clamps to the range of dst, infinities included, whatever is given.  The
 * pairs of level a5 into fp8 and from bf16 to f16 clamp unless `nosat` is given, and then give
 * infinity (e4m3: NaN).  NaN becomes the canonical NaN, or 0 in an integer; without saturation
 * infinity becomes 0, too.  Sources: pto-isa, docs/isa/TCVT.md and include/pto/npu/a2a3/TCvt.hpp;
 * the result for NaN and for infinities kept by low bits is this machine's choice, the documents
 * leave it open.
 *
 * An element of s4x2, f4e2m1x2 or f4e1m2x2 is two columns of the other side, the first in the low
 * four bits; they always clamp, NaN gives 0, and `default` is rint. */
OP(TCVT)
{
    const struct op_view *view = &args->arg[0].view, *from = &args->arg[1].view;
    struct op_conversion c = {from->dtype, view->dtype, 0, false};
    op_rows_function *function;
    struct op_lane lane[3];
    const char *fault;

    c.mode = choose_mode(&c, args->arg[2].present ? args->arg[2].i : PTO_ROUND_DEFAULT);
    if (pto_dtype_numbers((enum pto_dtype)c.to) != pto_dtype_numbers((enum pto_dtype)c.from))
        return op_convert_pairs(args, &c);
    fault = op_covers(args, 1, "src", view->rows, view->cols);
    if (fault)
        return fault;
    c.saturate = choose_saturation(&c, args->arg[3].present ? args->arg[3].i : PTO_SAT_DEFAULT);
    function = op_choose_row(&c);
    op_set_lane(&lane[0], view, false, true);
    op_set_lane(&lane[1], from, true, false);
    op_set_constant(&lane[2], &c, sizeof c);
    return op_run_lanes(args, view->rows, view->cols, lane, 3, function ? function : by_element);
}
