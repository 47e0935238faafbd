/* TQUANT into fp8 or fp4 with one exponent for every 32 elements of a row (OCP Microscaling
 * Formats, MXFP8 and MXFP4), and TDEQUANT back. */
#include <stdio.h>

#include "apart.h"
#include "line.h"
#include "operand.h"
#include "pairs.h"
#include "strip.h"

enum {
    GROUP = 32,     /* elements that share an exponent */
    OUTPUTS = 4     /* dst, exp, amax, scaling */
};

/* What elements become: the exponent of the format's greatest value, elements in a byte, and how a
 * group of scaled elements is encoded. */
struct mx_format {
    uint32_t emax, packed;
    void (*encode)(uint8_t *restrict to, const mem_f32 *restrict x, float scaling);
    void (*decode)(float *to, const uint8_t *from, float scale);
};

/* The greatest magnitude; NaN if any element is NaN. */
static float magnitude(const mem_f32 *x)
{
    uint32_t most = 0; /* magnitudes have the order of their bits, NaN above all */

    for (int i = 0; i < GROUP; i++) {
        uint32_t bits = pto_f32_bits(x[i]) & 0x7fffffffu;

        most = bits > most ? bits : most;
    }
    return op_canonical(pto_f32_from_bits(most));
}

/* e8m0: the biased exponent of the power of two that brings `most` to the top of a format whose
 * greatest value has the exponent emax, at least 0; 255 stands for NaN. */
static uint8_t shared_exponent(float most, uint32_t emax)
{
    uint32_t exponent = pto_f32_bits(most) >> 23;

    if (most != most)
        return 255;
    return (uint8_t)(exponent <= emax ? 0 : exponent - emax);
}

/* 2^(127 - exponent): what elements are multiplied with. */
static float scaling_of(uint8_t exponent)
{
    if (exponent == 255)
        return __builtin_nanf("");
    return pto_f32_from_bits((uint32_t)(254 - exponent) << 23);
}

/* Clamped as bits, in which there is no NaN to look for: a group with one is NaN as a whole. */
static void encode_e4m3(uint8_t *restrict to, const mem_f32 *restrict x, float scaling)
{
    const uint32_t greatest = 0x43e00000; /* 448 */

    if (scaling != scaling) {
        memset(to, 0x7f, GROUP);
        return;
    }
    for (int i = 0; i < GROUP; i += OP_STRIP) {
        int32_t code[OP_STRIP];

        OP_ONE_VECTOR
        for (int k = 0; k < OP_STRIP; k++) {
            uint32_t bits = pto_f32_bits(x[i + k] * scaling), size = bits & 0x7fffffffu;
            float bounded = pto_f32_from_bits(size < greatest ? size : greatest);

            code[k] = (int32_t)(op_low_bits_f8e4m3(bounded) | (bits >> 24 & 0x80));
        }
        op_put_low_8((mem_i8 *)to + i, code);
    }
}

/* e2m1: the nearest of 0, 0.5, 1, 1.5, 2, 3, 4, 6, ties to the even code, more than 6 is 6; the
 * sign is bit 3.  The format has no NaN: 0. */
static uint8_t to_e2m1(float x)
{
    static const float middle[] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
    uint32_t bits = pto_f32_bits(x), code = 0;
    float size = pto_f32_from_bits(bits & 0x7fffffffu);

    for (int i = 0; i < 7; i++)
        code += i & 1 ? size >= middle[i] : size > middle[i];
    return (uint8_t)(x != x ? 0 : code | (bits >> 31 << 3));
}

/* The even column in the low four bits. */
static void encode_e2m1(uint8_t *restrict to, const mem_f32 *restrict x, float scaling)
{
    for (int i = 0; i < GROUP; i += 2)
        to[i / 2] = (uint8_t)(to_e2m1(x[i] * scaling) | to_e2m1(x[i + 1] * scaling) << 4);
}

static void decode_e4m3(float *to, const uint8_t *from, float scale)
{
    op_widen(PTO_F8E4M3, to, from, GROUP);
    for (int i = 0; i < GROUP; i++)
        to[i] *= scale;
}

static void decode_e2m1(float *to, const uint8_t *from, float scale)
{
    for (unsigned i = 0; i < GROUP; i++)
        to[i] = op_fp4_value(PTO_F4E2M1X2, op_half(from[i / 2], i)) * scale;
}

static const struct mx_format E4M3 = {8, 1, encode_e4m3, decode_e4m3}; /* up to 1.75 * 2^8 */
static const struct mx_format E2M1 = {2, 2, encode_e2m1, decode_e2m1}; /* up to 1.5 * 2^2 */

static const struct mx_format *format_of(uint8_t dtype)
{
    return dtype == PTO_U8 ? &E2M1 : &E4M3;
}

/* 2^(exponent - 127): what a group is multiplied with on the way back. */
static float scale_of(uint8_t exponent)
{
    if (exponent == 255)
        return __builtin_nanf("");
    return exponent ? pto_f32_from_bits((uint32_t)exponent << 23) : 0x1p-127f;
}

/* What the elements of one group have in common. */
struct group {
    uint8_t exponent;
    float most, scaling;
};

static struct group group_of(const struct mx_format *format, const mem_f32 *x)
{
    struct group g = {.most = magnitude(x)};

    g.exponent = shared_exponent(g.most, format->emax);
    g.scaling = scaling_of(g.exponent);
    return g;
}

/* The elements of a group at (row, col) of their tile. */
static void write_group(const struct mx_format *format, const struct op_place *to, uint32_t row,
                        uint32_t col, const mem_f32 *x, float scaling)
{
    uint8_t buffer[GROUP];
    struct op_place target, elements;

    if (op_along_rows(to)) {
        format->encode(op_address(to, row, col), x, scaling);
        return;
    }
    format->encode(buffer, x, scaling);
    target = op_place_at(*to, row, col);
    elements = op_strided(buffer, 0, 1, 1);
    op_copy(&target, &elements, 1, GROUP / format->packed);
}

/* Valid regions, and no destination over another. */
static const char *check_mx(const struct op_args *args, const struct mx_format *format,
                            const int *output, struct op_place *place)
{
    static const char *const names[OUTPUTS] = {"dst", "exp", "amax", "scaling"};
    const struct op_view *dst = &args->arg[0].view;
    uint32_t width = GROUP / format->packed, groups = dst->cols / width;
    const char *fault = NULL;

    if (dst->cols % width) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %u valid columns: a group has %u, so give a multiple", dst->cols, width);
        return args->message;
    }
    fault = op_covers(args, 1, "src", dst->rows, groups * GROUP);
    for (int i = 0; i < OUTPUTS; i++) {
        place[i] = op_place_of(&args->arg[output[i]].view);
        if (!fault && i)
            fault = op_covers(args, output[i], names[i], dst->rows, groups);
        for (int k = 0; !fault && k < i; k++)
            if (op_overlap(&place[i], dst->rows, groups, &place[k], dst->rows,
                           k ? groups : dst->cols)) {
                snprintf(args->message, OP_MESSAGE_BYTES, "%s and %s overlap: use separate tiles",
                         names[k], names[i]);
                return args->message;
            }
    }
    return fault;
}

/* What a row gets besides its elements, from some group on. */
struct factors {
    uint8_t exponent[OP_LINE];
    float most[OP_LINE], scaling[OP_LINE];
};

static void write_factors(struct factors *f, const struct op_place *to, uint32_t row,
                          uint32_t first, uint32_t count)
{
    struct op_place from[OUTPUTS] = {[1] = op_strided(f->exponent, 0, 1, 1),
                                     [2] = op_strided(f->most, 0, 4, 4),
                                     [3] = op_strided(f->scaling, 0, 4, 4)};

    for (int i = 1; i < OUTPUTS; i++)
        op_copy_row(&to[i], row, first, &from[i], 0, count);
}

/* Groups [first, first + count) of a row, each with its results. */
static void quantise_groups(const struct mx_format *format, const struct op_place *to,
                            const struct op_place *from, uint8_t dtype, uint32_t row,
                            uint32_t first, uint32_t count)
{
    uint32_t width = GROUP / format->packed;
    struct factors f;
    struct op_line line;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t g = first + i;
        const mem_f32 *x = op_line_read(&line, from, dtype, true, row, g * GROUP, GROUP);
        struct group group = group_of(format, x);

        write_group(format, &to[0], row, g * width, x, group.scaling);
        f.exponent[i] = group.exponent;
        f.most[i] = group.most;
        f.scaling[i] = group.scaling;
    }
    write_factors(&f, to, row, first, count);
}

/* All rows of src in groups of 32 columns. */
static const char *quantise(const struct op_args *args, const struct mx_format *format)
{
    static const int output[OUTPUTS] = {0, 2, 3, 4};
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    struct op_place to[OUTPUTS], from = op_place_of(src);
    struct op_scratch scratch = {args->scratch, 0};
    uint32_t width = GROUP / format->packed, groups = dst->cols / width;
    const char *fault = check_mx(args, format, output, to);

    for (int i = 0; !fault && i < OUTPUTS; i++)
        fault = op_separate(&scratch, &args->arg[output[i]].view, &from, dst->rows,
                            groups * GROUP);
    for (uint32_t row = 0; !fault && row < dst->rows; row++)
        for (uint32_t g = 0; g < groups; g += OP_LINE)
            quantise_groups(format, to, &from, src->dtype, row, g, op_line_length(g, groups));
    return fault;
}

/* Row r of src in groups g of 32 columns: amax[r, g] = the greatest magnitude of the group, exp[r,
 * g] = its exponent less 8, in e8m0 (bias 127, at least 0), scaling[r, g] = 2^-(that exponent),
 * dst[r, c] = src[r, c] * scaling in e4m3, to nearest even, clamped to +-448.  A NaN in a group
 * makes amax and scaling NaN, exp 255, and all its elements NaN.  The columns of dst are a multiple
 * of 32. f16 and bf16 are widened first.  dst, exp, amax and scaling must not overlap each other;
 * they may overlap src.
 *
 * If dst is u8, elements are e2m1, two to a byte, the even column in the low half: exp[r, g] = the
 * exponent less 2, dst clamped to +-6, the columns of dst a multiple of 16.  In a group with a NaN
 * exp is 255 and the elements are 0. */
OP(TQUANT_MX)
{
    return quantise(args, format_of(args->arg[0].view.dtype));
}

/* dst[r, c] = src[r, c] * 2^(exp[r, c / 32] - 127), rounded to dst once, to nearest even; src is
 * e4m3, or e2m1 two to a byte (u8).  A NaN element, and all of a group whose exp is 255, give NaN.
 * The columns of dst are a multiple of 32.  dst may overlap the sources. */
OP(TDEQUANT_MX)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    const struct mx_format *format = format_of(src->dtype);
    struct op_place to = op_place_of(dst), from = op_place_of(src);
    struct op_place exponents = op_place_of(&args->arg[2].view);
    struct op_scratch scratch = {args->scratch, 0};
    struct op_line line;
    uint32_t width = GROUP / format->packed, groups = dst->cols / GROUP;
    const char *fault = NULL;

    if (dst->cols % GROUP) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %u valid columns: a group has %d, so give a multiple", dst->cols, GROUP);
        return args->message;
    }
    fault = op_covers(args, 1, "src", dst->rows, groups * width);
    if (!fault)
        fault = op_covers(args, 2, "exp", dst->rows, groups);
    if (!fault)
        fault = op_separate(&scratch, dst, &from, dst->rows, groups * width);
    if (!fault)
        fault = op_separate(&scratch, dst, &exponents, dst->rows, groups);
    for (uint32_t row = 0; !fault && row < dst->rows; row++)
        for (uint32_t g = 0; g < groups; g++) {
            _Alignas(64) float x[GROUP];
            _Alignas(64) uint16_t narrow[GROUP];
            struct op_place target = op_place_at(to, row, g * GROUP);
            struct op_place wide = op_strided(x, 0, 4, 4), small = op_strided(narrow, 0, 2, 2);

            format->decode(x, op_line_read(&line, &from, src->dtype, false, row, g * width, width),
                           scale_of(*op_address(&exponents, row, g)));
            for (int i = 0; i < GROUP; i++)
                x[i] = op_canonical(x[i]);
            if (dst->dtype != PTO_F32)
                op_narrow(dst->dtype, narrow, x, GROUP);
            op_copy(&target, dst->dtype == PTO_F32 ? &wide : &small, 1, GROUP);
        }
    return fault;
}
