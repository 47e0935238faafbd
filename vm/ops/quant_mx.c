/* TQUANT into fp8 with one exponent for every 32 elements of a row (OCP Microscaling Formats,
 * MXFP8). */
#include <stdio.h>

#include "apart.h"
#include "line.h"

enum {
    GROUP = 32,     /* elements that share an exponent */
    EMAX_E4M3 = 8,  /* exponent of the greatest e4m3 value, 448 = 1.75 * 2^8 */
    OUTPUTS = 4     /* dst, exp, amax, scaling */
};

/* The greatest magnitude; NaN if any element is NaN. */
static float magnitude(const float *x)
{
    float most = 0.0f;

    for (int i = 0; i < GROUP; i++)
        most = op_max_f32(most, op_from_bits(op_bits(x[i]) & 0x7fffffffu));
    return most;
}

/* e8m0: the biased exponent of the power of two that brings `most` to the top of the format, at
 * least 0; 255 stands for NaN. */
static uint8_t shared_exponent(float most)
{
    uint32_t exponent = op_bits(most) >> 23;

    if (most != most)
        return 255;
    return (uint8_t)(exponent <= EMAX_E4M3 ? 0 : exponent - EMAX_E4M3);
}

/* 2^(127 - exponent): what elements are multiplied with. */
static float scaling_of(uint8_t exponent)
{
    if (exponent == 255)
        return __builtin_nanf("");
    return op_from_bits((uint32_t)(254 - exponent) << 23);
}

/* Results of one group. */
struct group {
    uint8_t element[GROUP], exponent;
    float most, scaling;
};

static void quantise_group(const float *x, struct group *g)
{
    g->most = magnitude(x);
    g->exponent = shared_exponent(g->most);
    g->scaling = scaling_of(g->exponent);
    for (int i = 0; i < GROUP; i++)
        g->element[i] = op_to_e4m3(x[i] * g->scaling, PTO_ROUND_RINT, true);
}

/* Valid regions, and no destination over another. */
static const char *check_mx(const struct op_args *args, const int *output, struct op_place *place)
{
    static const char *const names[OUTPUTS] = {"dst", "exp", "amax", "scaling"};
    const struct op_view *dst = &args->arg[0].view;
    uint32_t groups = dst->cols / GROUP;
    const char *fault = op_covers(args, 1, "src", dst->rows, dst->cols);

    if (!fault && dst->cols % GROUP) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %u valid columns: a group has %d, so give a multiple", dst->cols, GROUP);
        return args->message;
    }
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

/* Row r of src in groups g of 32 columns: amax[r, g] = the greatest magnitude of the group, exp[r,
 * g] = its exponent less 8, in e8m0 (bias 127, at least 0), scaling[r, g] = 2^-(that exponent),
 * dst[r, c] = src[r, c] * scaling in e4m3, to nearest even, clamped to +-448.  A NaN in a group
 * makes amax and scaling NaN, exp 255, and all its elements NaN.  The columns of dst are a multiple
 * of 32. f16 and bf16 are widened first.  dst, exp, amax and scaling must not overlap each other;
 * they may overlap src. */
OP(TQUANT_MX)
{
    static const int output[OUTPUTS] = {0, 2, 3, 4};
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    struct op_place to[OUTPUTS], from = op_place_of(src);
    struct op_scratch scratch = {args->scratch, 0};
    struct op_line line;
    const char *fault = check_mx(args, output, to);

    for (int i = 0; !fault && i < OUTPUTS; i++)
        fault = op_separate(&scratch, &args->arg[output[i]].view, &from, dst->rows, dst->cols);
    for (uint32_t row = 0; !fault && row < dst->rows; row++)
        for (uint32_t col = 0; col < dst->cols; col += GROUP) {
            struct group group;
            struct op_place target = op_place_at(to[0], row, col);
            struct op_place elements = op_strided(group.element, 0, 1, 1);
            _Alignas(64) float x[GROUP];

            memcpy(x, op_line_read(&line, &from, src->dtype, true, row, col, GROUP), sizeof x);
            quantise_group(x, &group);
            op_copy(&target, &elements, 1, GROUP);
            *op_address(&to[1], row, col / GROUP) = group.exponent;
            *(mem_f32 *)op_address(&to[2], row, col / GROUP) = group.most;
            *(mem_f32 *)op_address(&to[3], row, col / GROUP) = group.scaling;
        }
    return fault;
}
