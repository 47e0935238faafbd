/* Several operations in one instruction: multiply-add with the destination, sums of three,
 * parametric and plain ReLU, narrowing conversions behind it, pairwise sums.
 *
 * Small floats are computed in f32 and rounded to their type once, at the end.  NaN results
 * are canonical.  Where the destination is a source as well, it is read before it is written. */
#include <math.h>

#include "apart.h"
#include "each.h"
#include "line.h"
#include "operand.h"

/* ---- three sources --------------------------------------------------------------------------- */
#define SUM(a, b, c) (((a) + (b)) + (c))
#define DIFFERENCE_SUM(a, b, c) (((a) - (b)) + (c))
#define THREE(name, operation)                                                                     \
    OP_FLOAT_3_BF16(name, 3, operation)                                                            \
    OP_ROW_3(name##_u8, u8, u8, 3, operation)                                                      \
    OP_ROW_3(name##_u16, u16, u16, 3, operation)                                                   \
    OP_ROW_3(name##_u32, u32, u32, 3, operation)                                                   \
    OP_ROW_3(name##_u64, u64, u64, 3, operation)                                                   \
    static const struct op_each name = {.function = {OP_FLOATS(name), OP_BITWISE(name)}};
THREE(sum, SUM)
THREE(difference_sum, DIFFERENCE_SUM)

/* dst[r, c] = src0[r, c] + src1[r, c] + src2[r, c], from left to right; integers wrap around. */
OP_EACH(TADDC, sum)
/* dst[r, c] = src0[r, c] - src1[r, c] + src2[r, c], likewise. */
OP_EACH(TSUBC, difference_sum)
/* dst[r, c] = src0[r, c] + scalar + src1[r, c], likewise. */
OP_EACH(TADDSC, sum)
/* dst[r, c] = src0[r, c] - scalar + src1[r, c], likewise. */
OP_EACH(TSUBSC, difference_sum)

/* ---- multiply-add with the destination ------------------------------------------------------- */

static inline float multiply_dst(float a, float b, float d)
{
    return __builtin_fmaf(a, d, b);
}

static inline float multiply_dst_relu(float a, float b, float d)
{
    return op_relu_f32(__builtin_fmaf(a, d, b));
}

static inline float add_dst(float a, float b, float d)
{
    return __builtin_fmaf(a, b, d);
}

OP_FLOAT_3(multiply, 0, multiply_dst)
OP_FLOAT_3(multiply_relu, 0, multiply_dst_relu)
OP_FLOAT_3(add, 0, add_dst)
OP_STRIP_3(add_f16_to_f32, f32, f16, f16, f32, 0, add_dst)

/* dst[r, c] = src0[r, c] * dst[r, c] + src1[r, c], one fused multiply-add in f32. */
static const struct op_each fused_multiply = {.function = {OP_F32_F16(multiply)}};
OP_EACH(TFUSEDMULADD, fused_multiply)
/* The same, then the larger of it and 0. */
static const struct op_each fused_multiply_relu = {.function = {OP_F32_F16(multiply_relu)}};
OP_EACH(TFUSEDMULADDRELU, fused_multiply_relu)
/* dst[r, c] = src0[r, c] * src1[r, c] + dst[r, c], one fused multiply-add in f32. */
static const struct op_each fused_add = {.function = {OP_F32_F16(add)}};
OP_EACH(TMULADDDST, fused_add)

/* dst[r, c] = src[r, c] * scalar + dst[r, c], likewise; the scalar is first converted to the
 * type of src, which may be f16 where dst is f32. */
OP(TAXPY)
{
    static const struct op_each widening = {.function = {[PTO_F16] = add_f16_to_f32}, .key = 1};
    bool widens = args->arg[0].view.dtype != args->arg[1].view.dtype;

    return op_run_each(args, PTO_OP_TAXPY, widens ? &widening : &fused_add);
}

/* ---- ReLU ------------------------------------------------------------------------------------ */
static inline float slope(float x, float factor)
{
    return x > 0.0f ? x : x * factor;
}

static inline float difference_relu(float a, float b)
{
    return op_relu_f32(a - b);
}

OP_FLOAT_2(sloped, slope)
OP_FLOAT_2(difference, difference_relu)

/* dst[r, c] = src0[r, c] > 0 ? src0[r, c] : src0[r, c] * src1[r, c].  tmp is not used. */
static const struct op_each parametric = {.function = {OP_F32_F16(sloped)}};
OP_EACH(TPRELU, parametric)
/* dst[r, c] = src[r, c] > 0 ? src[r, c] : src[r, c] * slope. */
OP_EACH(TLRELU, parametric)
/* dst[r, c] = larger of src0[r, c] - src1[r, c] and 0: +0 for zeros, NaN for NaN. */
static const struct op_each subtract_relu = {.function = {OP_F32_F16(difference)}};
OP_EACH(TSUBRELU, subtract_relu)

/* ---- ReLU and narrowing ---------------------------------------------------------------------- */
/* A strip of f16 is rounded to nearest even; clamped, it does not reach infinity. */
static inline float clamped_f16(float x)
{
    float positive = op_relu_f32(x);

    return positive > 65504.0f ? 65504.0f : positive;
}

/* NaN gives 0. */
static inline int clamped_i8(float x)
{
    float positive = x > 0.0f ? x : 0.0f;

    return (int)rintf(positive > 127.0f ? 127.0f : positive);
}

static inline int clamped_integer(int x)
{
    return x < 0 ? 0 : x > 127 ? 127 : x;
}

/* Into i8 that is clamped as above. */
typedef float op_wide_i8_clamped;
enum { OP_SIZE_i8_clamped = OP_SIZE_i8 };

static inline void op_put_i8_clamped(void *to, size_t at, const float *x)
{
    int32_t whole[OP_STRIP];

    OP_ONE_VECTOR
    for (int k = 0; k < OP_STRIP; k++)
        whole[k] = clamped_i8(x[k]);
    op_put_low_8((mem_i8 *)to + at, whole);
}

#define SUM_F16(a, b) clamped_f16((a) + (b))
#define SUM_OF_2(a, b) ((a) + (b))
#define SUM_INTEGER(a, b) clamped_integer((a) + (b))
#define DIFFERENCE_F16(a, b) clamped_f16((a) - (b))
#define DIFFERENCE(a, b) ((a) - (b))
#define DIFFERENCE_INTEGER(a, b) clamped_integer((a) - (b))
OP_STRIP_2(sum_to_f16, f16, f32, SUM_F16)
OP_STRIP_2(sum_to_i8, i8_clamped, f16, SUM_OF_2)
OP_ROW_2(sum_integer, i8, i16, SUM_INTEGER)
OP_STRIP_2(difference_to_f16, f16, f32, DIFFERENCE_F16)
OP_STRIP_2(difference_to_i8, i8_clamped, f16, DIFFERENCE)
OP_ROW_2(difference_integer, i8, i16, DIFFERENCE_INTEGER)

/* dst[r, c] = larger of src0[r, c] + src1[r, c] and 0 in the type of dst, which is half as wide:
 * rounded to nearest even, clamped to the range of dst (f16: infinities, too, become 65504).
 * The sum of f16 sources is taken in f32, that of i16 sources does not overflow.  NaN stays NaN
 * in f16 and is 0 in i8. */
static const struct op_each add_narrow = {
    .function = {[PTO_F32] = sum_to_f16, [PTO_F16] = sum_to_i8, [PTO_I16] = sum_integer},
    .key = 1};
OP_EACH(TADDRELUCONV, add_narrow)
/* The same with the difference. */
static const struct op_each subtract_narrow = {
    .function = {[PTO_F32] = difference_to_f16, [PTO_F16] = difference_to_i8,
                 [PTO_I16] = difference_integer},
    .key = 1};
OP_EACH(TSUBRELUCONV, subtract_narrow)

static inline float dequantised_sum(uint32_t x, uint32_t y, float scale)
{
    return op_relu_f32((float)(int32_t)(x + y) * scale);
}
OP_STRIP_3(dequantise, f16, u32, u32, f32, 3, dequantised_sum)

/* dst[r, c] = larger of (src0[r, c] + src1[r, c]) * scale and 0, in f16.  The sum wraps around
 * in i32, is rounded to f32 and multiplied by the scale, an f32, in f32; then rounded to f16, to
 * nearest even, beyond its range infinity.  tmp is not used. */
static const struct op_each sum_dequantised = {.function = {[PTO_I32] = dequantise}, .key = 1};
OP_EACH(TADDDEQRELU, sum_dequantised)

/* ---- pairs ----------------------------------------------------------------------------------- */
enum { PAIRS = 256 }; /* sums of a row that are made together */

/* `count` sums, of which the elements that are there make (known + 1) / 2, and 0 for the others. */
static inline void sum_pairs(mem_f32 *target, const mem_f32 *element, uint32_t known,
                             uint32_t count)
{
    uint32_t whole = known / 2;

    OP_INDEPENDENT /* a sum lies before all that is read for those behind it */
    _Pragma("GCC unroll 4") for (uint32_t i = 0; i < whole; i++)
        target[i] = op_canonical(element[2 * i] + element[2 * i + 1]);
    if (known > 2 * whole)
        target[whole] = op_canonical(element[2 * whole]);
    for (uint32_t i = (known + 1) / 2; i < count; i++)
        target[i] = 0.0f;
}

/* Sums [first, first + count) of a row that has `cols` elements, by way of buffers; what lies
 * beyond them counts as absent.  Sums may take the place of what has been read. */
static void add_pairs(const struct op_operand *dst, const struct op_operand *src, uint32_t row,
                      uint32_t first, uint32_t count, uint32_t cols)
{
    bool widen = op_is_small_float(src->dtype);
    float raw[2 * PAIRS], wide[2 * PAIRS], result[PAIRS];
    uint32_t known = cols > 2 * first ? cols - 2 * first : 0;
    struct op_place from = op_place_at(src->place, row, 2 * first);
    struct op_place to = op_place_at(dst->place, row, first);
    struct op_place line = op_strided(raw, 0, src->place.size, src->place.size);

    known = known < 2 * count ? known : 2 * count;
    op_copy(&line, &from, 1, known);
    if (widen)
        op_widen(src->dtype, wide, raw, known);
    sum_pairs(result, widen ? wide : raw, known, count);
    if (widen)
        op_narrow(dst->dtype, raw, result, count);
    else
        line.data = (uint8_t *)result;
    if (op_along_rows(&to))
        memcpy(op_address(&to, 0, 0), line.data, (size_t)count * to.size);
    else
        op_copy(&to, &line, 1, count);
}

/* dst[r, k] = src[r, 2k] + src[r, 2k + 1] for the pairs of the valid columns of dst, which src
 * covers; the last element of an odd number is its own sum.  All further valid columns of dst
 * become +0.  dst may be src: sums are written behind what is still to be read. */
OP(TPAIRREDUCESUM)
{
    const struct op_view *view = &args->arg[0].view;
    struct op_operand dst = op_operand_of(view), src = op_operand_of(&args->arg[1].view);
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = op_covers(args, 1, "src", view->rows, view->cols);

    if (fault || !view->rows || !view->cols)
        return fault;
    fault = op_detach(&scratch, &dst.place, view->rows, view->cols, &src.place, view->rows,
                      view->cols);
    if (fault)
        return fault;
    if (!op_is_small_float(src.dtype) && op_along_rows(&src.place) && op_along_rows(&dst.place)) {
        for (uint32_t row = 0; row < view->rows; row++)
            sum_pairs((mem_f32 *)op_address(&dst.place, row, 0),
                      (const mem_f32 *)op_address(&src.place, row, 0), view->cols, view->cols);
        return NULL;
    }
    for (uint32_t row = 0; row < view->rows; row++)
        for (uint32_t col = 0; col < view->cols; col += PAIRS) {
            uint32_t count = view->cols - col < PAIRS ? view->cols - col : PAIRS;

            add_pairs(&dst, &src, row, col, count, view->cols);
        }
    return NULL;
}
