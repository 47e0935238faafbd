/* TCVT: from one element type to another. */
#include <math.h>

#include "lanes.h"
#include "operand.h"
#include "round.h"
#include "widen.h"

/* What one TCVT does, after its defaults have been filled in. */
struct conversion {
    uint8_t from, to;
    int mode;      /* PTO_ROUND_*, not DEFAULT */
    bool saturate;
};

enum { CHUNK = 256 };

/* ---- defaults ------------------------------------------------------------------------------ */
static bool is_pair(const struct conversion *c, enum pto_dtype to, enum pto_dtype from)
{
    return c->to == to && c->from == from;
}

/* Pairs whose saturation can be chosen, and is off unless asked for. */
static bool wraps_by_default(const struct conversion *c)
{
    return is_pair(c, PTO_U8, PTO_F16) || is_pair(c, PTO_I8, PTO_F16) ||
           is_pair(c, PTO_I16, PTO_F32) || is_pair(c, PTO_I16, PTO_F16) ||
           is_pair(c, PTO_I32, PTO_I64) || is_pair(c, PTO_I16, PTO_I32);
}

/* Pairs of level a5 whose saturation can be chosen, and is on unless turned off. */
static bool saturation_is_free(const struct conversion *c)
{
    return c->to == PTO_F8E4M3 || c->to == PTO_F8E5M2 || is_pair(c, PTO_F16, PTO_BF16);
}

static bool choose_saturation(const struct conversion *c, int64_t asked)
{
    if (wraps_by_default(c))
        return asked == PTO_SAT_ON;
    return !(saturation_is_free(c) && asked == PTO_SAT_OFF);
}

static int choose_mode(const struct conversion *c, int64_t asked)
{
    bool to_float = pto_dtype_is_float((enum pto_dtype)c->to);

    if (asked == PTO_ROUND_DEFAULT || (asked == PTO_ROUND_ODD && !is_pair(c, PTO_F16, PTO_F32)))
        return to_float ? PTO_ROUND_RINT : PTO_ROUND_TRUNC;
    return (int)asked;
}

/* ---- rounding f32 to integral values ------------------------------------------------------- */
#define INTEGRAL(function)                                                                         \
    for (size_t i = 0; i < n; i++)                                                                 \
        row[i] = function(row[i])

static void integral_row(float *row, size_t n, int mode)
{
    switch (mode) {
#define ROUND(id, number, keyword, up, whole)                                                      \
    case PTO_ROUND_##id:                                                                           \
        INTEGRAL(whole);                                                                           \
        break;
#include "round.def"
#undef ROUND
    }
}

/* ---- element by element -------------------------------------------------------------------- */
static void convert_float(const struct conversion *c, void *to, double value)
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

static void convert_element(const struct conversion *c, void *to, const void *from)
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

static void convert_elements(void *dst, const void *src, const struct conversion *c, size_t n)
{
    size_t to_size = pto_dtype_size((enum pto_dtype)c->to);
    size_t from_size = pto_dtype_size((enum pto_dtype)c->from);

    for (size_t i = 0; i < n; i++)
        convert_element(c, (uint8_t *)dst + i * to_size, (const uint8_t *)src + i * from_size);
}

/* Lanes of all functions: dst, src, the conversion. */
static const char *each_row(void *const *lane, size_t n, unsigned single)
{
    (void)single;
    convert_elements(lane[0], lane[1], lane[2], n);
    return NULL;
}

/* ---- the common pairs, by rows ------------------------------------------------------------- */
/* Source elements that f32 holds exactly, as f32. */
static void fetch_f32(const struct conversion *c, float *to, const void *src, size_t n)
{
    const mem_f32 *f32 = src;
    const mem_i16 *i16 = src;
    const mem_i8 *i8 = src;
    const mem_u8 *u8 = src;

    switch (c->from) {
    case PTO_F32:
        memcpy(to, f32, n * sizeof *to);
        break;
    case PTO_I16:
        for (size_t i = 0; i < n; i++)
            to[i] = i16[i];
        break;
    case PTO_I8:
        for (size_t i = 0; i < n; i++)
            to[i] = i8[i];
        break;
    case PTO_U8:
        for (size_t i = 0; i < n; i++)
            to[i] = u8[i];
        break;
    default: op_widen(c->from, to, src, n);
    }
}

/* Infinities and what lies beyond become the limit, a NaN stays one. */
static void clamp_row(float *row, size_t n, float low, float high)
{
    for (size_t i = 0; i < n; i++) {
        float x = row[i] < low ? low : row[i];

        row[i] = x > high ? high : x;
    }
}

static void store_f32(mem_f32 *dst, const float *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = op_canonical(row[i]);
}

/* f16 and bf16, to nearest even. */
static void store_small(const struct conversion *c, void *dst, float *row, size_t n)
{
    float limit = c->to == PTO_F16 ? 65504.0f : 0x1.fep127f;

    if (c->saturate)
        clamp_row(row, n, -limit, limit);
    op_narrow(c->to, dst, row, n);
}

/* Integral values to i32, clamped; NaN gives 0. */
static void to_i32(int32_t *to, const float *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float x = row[i] != row[i] ? 0.0f : row[i];
        bool above = x >= 0x1p31f;
        int32_t value;

        x = x < -0x1p31f ? -0x1p31f : x;
        value = (int32_t)(above ? 0.0f : x);
        to[i] = above ? INT32_MAX : value;
    }
}

#define STORE_LOW_BITS(type)                                                                       \
    do {                                                                                           \
        mem_##type *to = dst;                                                                      \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = (mem_##type)whole[i];                                                          \
    } while (0)

/* Integers of at most 32 bits from integral values, which are in the range of i32 unless the
 * conversion saturates. */
static void store_int(const struct conversion *c, void *dst, float *row, size_t n)
{
    int32_t whole[CHUNK];

    if (c->to != PTO_I32 && c->saturate)
        clamp_row(row, n, c->to == PTO_U8 ? 0.0f : c->to == PTO_I8 ? -128.0f : -32768.0f,
                  c->to == PTO_U8 ? 255.0f : c->to == PTO_I8 ? 127.0f : 32767.0f);
    to_i32(whole, row, n);
    switch (c->to) {
    case PTO_I32: STORE_LOW_BITS(i32); break;
    case PTO_I16: STORE_LOW_BITS(i16); break;
    default: STORE_LOW_BITS(u8); break;
    }
}

static bool all_in_i32(const float *row, size_t n)
{
    int outside = 0;

    for (size_t i = 0; i < n; i++)
        outside |= fabsf(row[i]) >= 0x1p31f;
    return !outside;
}

static const char *to_float_row(void *const *lane, size_t n, unsigned single)
{
    const struct conversion *c = lane[2];
    size_t to_size = pto_dtype_size((enum pto_dtype)c->to);
    size_t from_size = pto_dtype_size((enum pto_dtype)c->from);
    float row[CHUNK];

    (void)single;
    for (size_t i = 0; i < n; i += CHUNK) {
        size_t count = n - i < CHUNK ? n - i : CHUNK;
        uint8_t *to = (uint8_t *)lane[0] + i * to_size;

        fetch_f32(c, row, (const uint8_t *)lane[1] + i * from_size, count);
        if (c->from == PTO_F32 && c->to == PTO_F32)
            integral_row(row, count, c->mode);
        if (c->to == PTO_F32)
            store_f32((mem_f32 *)to, row, count);
        else
            store_small(c, to, row, count);
    }
    return NULL;
}

static const char *to_int_row(void *const *lane, size_t n, unsigned single)
{
    const struct conversion *c = lane[2];
    size_t to_size = pto_dtype_size((enum pto_dtype)c->to);
    size_t from_size = pto_dtype_size((enum pto_dtype)c->from);
    float row[CHUNK];

    (void)single;
    for (size_t i = 0; i < n; i += CHUNK) {
        size_t count = n - i < CHUNK ? n - i : CHUNK;
        const uint8_t *from = (const uint8_t *)lane[1] + i * from_size;
        uint8_t *to = (uint8_t *)lane[0] + i * to_size;

        fetch_f32(c, row, from, count);
        integral_row(row, count, c->mode);
        if (c->saturate || all_in_i32(row, count))
            store_int(c, to, row, count);
        else
            convert_elements(to, from, c, count);
    }
    return NULL;
}

static const char *i32_to_f32_row(void *const *lane, size_t n, unsigned single)
{
    mem_f32 *to = lane[0];
    const mem_i32 *from = lane[1];

    (void)single;
    OP_INDEPENDENT
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
    return NULL;
}

static bool exact_in_f32(uint8_t dtype)
{
    return dtype == PTO_F32 || dtype == PTO_I8 || dtype == PTO_U8 || dtype == PTO_I16 ||
           op_is_small_float(dtype);
}

static op_row_function *choose_row(const struct conversion *c)
{
    bool to_float = c->to == PTO_F32 || c->to == PTO_F16 || c->to == PTO_BF16;
    bool to_int = c->to == PTO_I32 || c->to == PTO_I16 || c->to == PTO_I8 || c->to == PTO_U8;
    bool from_float = pto_dtype_is_float((enum pto_dtype)c->from);

    if (exact_in_f32(c->from) && to_float && (c->to == PTO_F32 || c->mode == PTO_ROUND_RINT))
        return to_float_row;
    if (from_float && to_int)
        return to_int_row;
    if (is_pair(c, PTO_F32, PTO_I32) && c->mode == PTO_ROUND_RINT)
        return i32_to_f32_row;
    return each_row;
}

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
 * leave it open. */
OP(TCVT)
{
    const struct op_view *view = &args->arg[0].view, *from = &args->arg[1].view;
    struct conversion c = {from->dtype, view->dtype, 0, false};
    struct op_lane lane[3];
    const char *fault = op_covers(args, 1, "src", view->rows, view->cols);

    if (fault)
        return fault;
    c.mode = choose_mode(&c, args->arg[2].present ? args->arg[2].i : PTO_ROUND_DEFAULT);
    c.saturate = choose_saturation(&c, args->arg[3].present ? args->arg[3].i : PTO_SAT_DEFAULT);
    op_set_lane(&lane[0], view, false, true);
    op_set_lane(&lane[1], from, true, false);
    op_set_constant(&lane[2], &c, sizeof c);
    return op_run_lanes(args, view->rows, view->cols, lane, 3, choose_row(&c));
}
