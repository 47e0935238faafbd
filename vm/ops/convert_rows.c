/* Rows of one element type as another, by the pair of types. */
#include "convert_rows.h"

#include <math.h>

#include "each.h"
#include "round.h"
#include "widen.h"
#include "within.h"

/* ---- into floats, to nearest even ------------------------------------------------------------ */
/* Of i32 into f16, too: what is beyond f16's range as i32 is so as f32, and what is within it is
 * exact in f32. */
#define AS_IT_IS(x) ((float)(x))

OP_STRIP_1(f32_from_f16, f32, f16, AS_IT_IS)
OP_ROW_1(f32_from_bf16, f32, u16, op_widen_bf16)
#ifdef __AVX512F__
OP_STRIP_1(f32_from_f8e4m3, f32_canonical, f8e4m3, AS_IT_IS)
OP_STRIP_1(f32_from_f8e5m2, f32, f8e5m2, AS_IT_IS)
#else
OP_ROW_1(f32_from_f8e4m3, u32, i8, op_bits_of_f8e4m3)
OP_ROW_1(f32_from_f8e5m2, f32, u8, op_widen_f8e5m2)
#endif
OP_ROW_1(f32_from_i16, f32, i16, AS_IT_IS)
OP_ROW_1(f32_from_i32, f32, i32, AS_IT_IS)
OP_ROW_1(f32_from_i64, f32, i64, AS_IT_IS)
OP_STRIP_1(f16_from_f32, f16_within, f32, AS_IT_IS)
OP_STRIP_1(f16_from_bf16, f16_within, bf16, AS_IT_IS)
OP_STRIP_1(f16_from_bf16_open, f16, bf16, AS_IT_IS)
OP_STRIP_1(f16_from_i32, f16_within, i32, AS_IT_IS)
OP_STRIP_1(f16_from_i16, f16, i16, AS_IT_IS)
OP_STRIP_1(f16_from_i8, f16, i8_wide, AS_IT_IS)
OP_STRIP_1(f16_from_u8, f16, u8, AS_IT_IS)
#ifdef __AVX512F__
OP_STRIP_1(bf16_from_f32_by_16, bf16_within, f32, AS_IT_IS)

static const char *bf16_from_f32_row(void *const *row, size_t n, unsigned single)
{
    enum { PIECE = 512, LINE = 32 };
    size_t lines = n - n % LINE, count;

    for (size_t i = 0; i < n; i += count) {
        void *const piece[] = {(mem_bf16 *)row[0] + i, (mem_f32 *)row[1] + i};

        count = lines - i < PIECE ? lines - i : PIECE;
        if (i < lines && op_put_bf16_quickly(piece[0], piece[1], count))
            continue;
        count = i < lines ? count : n - lines;
        bf16_from_f32_by_16(piece, count, single, NULL);
    }
    return NULL;
}
OP_ROWS(bf16_from_f32, 2)
#else
OP_STRIP_1(bf16_from_f32, bf16_within, f32, AS_IT_IS)
#endif
OP_STRIP_1(bf16_from_f16, bf16_within, f16, AS_IT_IS)
OP_STRIP_1(f8e4m3_from_f32, f8e4m3_within, f32, AS_IT_IS)
OP_STRIP_1(f8e4m3_from_f32_open, f8e4m3, f32, AS_IT_IS)
OP_STRIP_1(f8e5m2_from_f32, f8e5m2_within, f32, AS_IT_IS)
OP_STRIP_1(f8e5m2_from_f32_open, f8e5m2, f32, AS_IT_IS)

/* ---- f32 to integral values, by mode --------------------------------------------------------- */
/* A strip of floats without their fractions; INT32_MIN for what is beyond i32 and for NaN. */
static inline void cut_strip(int32_t *to, const float *x)
{
#if defined(__AVX512F__)
    _mm512_storeu_si512(to, _mm512_cvttps_epi32(_mm512_loadu_ps(x)));
#elif defined(__AVX2__)
    for (int k = 0; k < OP_STRIP; k += 8)
        _mm256_storeu_si256((void *)(to + k), _mm256_cvttps_epi32(_mm256_loadu_ps(x + k)));
#elif defined(__SSE2__)
    for (int k = 0; k < OP_STRIP; k += 4)
        _mm_storeu_si128((void *)(to + k), _mm_cvttps_epi32(_mm_loadu_ps(x + k)));
#else
    for (int k = 0; k < OP_STRIP; k++)
        to[k] = fabsf(x[k]) < 0x1p31f ? (int32_t)x[k] : INT32_MIN;
#endif
}

/* Into i32, clamped, without fractions; NaN gives 0. */
typedef float op_wide_i32_cut;
enum { OP_SIZE_i32_cut = OP_SIZE_i32 };

static inline void op_put_i32_cut(void *to, size_t at, const float *x)
{
    mem_i32 *p = (mem_i32 *)to + at;
    int32_t whole[OP_STRIP];

    cut_strip(whole, x);
    for (int k = 0; k < OP_STRIP; k++) {
        int32_t clamped = whole[k] ^ -(x[k] >= 0x1p31f); /* INT32_MAX from INT32_MIN */

        p[k] = clamped & -(x[k] == x[k]);
    }
}

/* The low bits of what is within i32, without fractions; those of infinities and NaN are 0, as
 * hosts have INT32_MIN for them.  f16 has no other number beyond. */
#define LOW_CUT(bits)                                                                              \
    typedef float op_wide_i##bits##_cut;                                                           \
    enum { OP_SIZE_i##bits##_cut = OP_SIZE_i##bits };                                              \
                                                                                                   \
    static inline void op_put_i##bits##_cut(void *to, size_t at, const float *x)                   \
    {                                                                                              \
        int32_t whole[OP_STRIP];                                                                   \
                                                                                                   \
        cut_strip(whole, x);                                                                       \
        op_put_low_##bits((mem_i##bits *)to + at, whole);                                          \
    }
LOW_CUT(8)
LOW_CUT(16)

/* The same for i64, one by one as hosts convert them. */
static inline int64_t to_i64(float x)
{
    if (fabsf(x) < 0x1p63f)
        return (int64_t)x;
    return x != x ? 0 : x > 0.0f ? INT64_MAX : INT64_MIN;
}

/* By way of i32, as hosts convert many at a time, and then its sign again; false: numbers beyond
 * i32 have none, write them all again.  They are told by the greatest magnitude, in bits, and are 0
 * by a mask: compilers would choose among results, with twice as many masks. */
#define NEAR_I64(id, rounding)                                                                     \
    static bool near_i64_by_##id(mem_i64 *restrict to, const mem_f32 *restrict x, size_t n)        \
    {                                                                                              \
        const int32_t beyond = 0x4f000000; /* 2^31 */                                              \
        int32_t most = 0;                                                                          \
                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            uint32_t rounded = pto_f32_bits(rounding(x[i]));                                       \
            int32_t size = (int32_t)(rounded & 0x7fffffff);                                        \
            uint32_t inside = 0u - (size < beyond);                                                \
                                                                                                   \
            most = size > most ? size : most;                                                      \
            to[i] = (int32_t)pto_f32_from_bits(rounded & inside);                                  \
        }                                                                                          \
        return most < beyond;                                                                      \
    }
/* By way of i32 and then its low bits; whole strips, of which the host says what is beyond. */
#define NEAR_I16(id, rounding)                                                                     \
    static bool near_i16_by_##id(mem_i16 *restrict to, const mem_f32 *restrict x, size_t n)        \
    {                                                                                              \
        int32_t least[OP_STRIP] = {0}, least_of_all = 0;                                           \
                                                                                                   \
        for (size_t i = 0; i < n; i += OP_STRIP) {                                                 \
            float rounded[OP_STRIP];                                                               \
            int32_t whole[OP_STRIP];                                                               \
                                                                                                   \
            for (int k = 0; k < OP_STRIP; k++)                                                     \
                rounded[k] = rounding(x[i + (size_t)k]);                                           \
            cut_strip(whole, rounded);                                                             \
            for (int k = 0; k < OP_STRIP; k++)                                                     \
                to[i + (size_t)k] = (int16_t)whole[k];                                             \
            for (int k = 0; k < OP_STRIP; k++)                                                     \
                least[k] = whole[k] < least[k] ? whole[k] : least[k];                              \
        }                                                                                          \
        for (int k = 0; k < OP_STRIP; k++)                                                         \
            least_of_all = least[k] < least_of_all ? least[k] : least_of_all;                      \
        return least_of_all > INT32_MIN;                                                           \
    }
#define ROUND(id, number, keyword, up, whole)                                                      \
    OP_ROW_1(f32_by_##id, f32, f32, whole)                                                         \
    static inline float before_cast_##id(float x)                                                  \
    {                                                                                              \
        return PTO_ROUND_##id == PTO_ROUND_TRUNC ? x : whole(x);                                   \
    }                                                                                              \
    static inline int64_t to_i64_##id(float x)                                                     \
    {                                                                                              \
        return to_i64(whole(x));                                                                   \
    }                                                                                              \
    OP_STRIP_1(i32_by_##id, i32_cut, f32, before_cast_##id)                                        \
    OP_STRIP_1(i32_from_f16_by_##id, i32_cut, f16, before_cast_##id)                               \
    OP_STRIP_1(i16_from_f16_by_##id, i16_cut, f16, before_cast_##id)                               \
    OP_STRIP_1(i8_from_f16_by_##id, i8_cut, f16, before_cast_##id)                                 \
    OP_ROW_1(i64_by_##id, i64, f32, to_i64_##id)                                                   \
    NEAR_I16(id, before_cast_##id)                                                                 \
    NEAR_I64(id, before_cast_##id)
#include "round.def"
#undef ROUND

#define ROUND(id, number, keyword, up, whole) [PTO_ROUND_##id] = f32_by_##id,
static op_rows_function *const f32_by_mode[] = {
#include "round.def"
};
#undef ROUND
#define ROUND(id, number, keyword, up, whole) [PTO_ROUND_##id] = i32_by_##id,
static op_rows_function *const i32_by_mode[] = {
#include "round.def"
};
#undef ROUND
#define ROUND(id, number, keyword, up, whole) [PTO_ROUND_##id] = i64_by_##id,
static op_rows_function *const i64_by_mode[] = {
#include "round.def"
};
#undef ROUND
#define ROUND(id, number, keyword, up, whole) [PTO_ROUND_##id] = i32_from_f16_by_##id,
static op_rows_function *const i32_from_f16_by_mode[] = {
#include "round.def"
};
#undef ROUND
#define ROUND(id, number, keyword, up, whole) [PTO_ROUND_##id] = i16_from_f16_by_##id,
static op_rows_function *const low_i16_from_f16_by_mode[] = {
#include "round.def"
};
#undef ROUND
#define ROUND(id, number, keyword, up, whole) [PTO_ROUND_##id] = i8_from_f16_by_##id,
static op_rows_function *const low_i8_from_f16_by_mode[] = {
#include "round.def"
};
#undef ROUND
#define ROUND(id, number, keyword, up, whole) [PTO_ROUND_##id] = near_i64_by_##id,
static bool (*const near_i64_by_mode[])(mem_i64 *to, const mem_f32 *x, size_t n) = {
#include "round.def"
};
#undef ROUND
#define ROUND(id, number, keyword, up, whole) [PTO_ROUND_##id] = near_i16_by_##id,
static bool (*const near_i16_by_mode[])(mem_i16 *to, const mem_f32 *x, size_t n) = {
#include "round.def"
};
#undef ROUND

/* ---- integers to integers -------------------------------------------------------------------- */
#define LOW_BITS(x) (x)
#define WITHIN_I8(x) ((x) < INT8_MIN ? INT8_MIN : (x) > INT8_MAX ? INT8_MAX : (x))
#define WITHIN_U8(x) ((x) < 0 ? 0 : (x) > UINT8_MAX ? UINT8_MAX : (x))
#define WITHIN_I16(x) ((x) < INT16_MIN ? INT16_MIN : (x) > INT16_MAX ? INT16_MAX : (x))
#define WITHIN_I32(x) ((x) < INT32_MIN ? INT32_MIN : (x) > INT32_MAX ? INT32_MAX : (x))

OP_ROW_1(i64_from_i32, i64, i32, LOW_BITS)
OP_ROW_1(i32_from_i64, i32, i64, WITHIN_I32)
OP_ROW_1(i32_from_i64_low, i32, i64, LOW_BITS)
OP_ROW_1(i16_from_i32, i16, i32, WITHIN_I16)
OP_ROW_1(i16_from_i32_low, i16, i32, LOW_BITS)
OP_ROW_1(i8_from_i32, i8, i32, WITHIN_I8)
OP_ROW_1(i8_from_i32_low, i8, i32, LOW_BITS)
OP_ROW_1(u8_from_i32, u8, i32, WITHIN_U8)

/* From i32 to what it is narrowed to; low bits have no sign. */
static op_rows_function *narrow_i32(const struct op_conversion *c)
{
    switch (c->to) {
    case PTO_I16: return c->saturate ? i16_from_i32 : i16_from_i32_low;
    case PTO_I8: return c->saturate ? i8_from_i32 : i8_from_i32_low;
    default: return c->saturate ? u8_from_i32 : i8_from_i32_low;
    }
}

/* ---- floats to integers of at most 32 bits, by way of i32 ------------------------------------ */
enum { CHUNK = 512 };

/* Where a number is clamped to i32, the low bits are not its own. */
static bool all_in_i32(const mem_f32 *row, size_t n)
{
    int outside = 0;

    for (size_t i = 0; i < n; i++)
        outside |= fabsf(row[i]) >= 0x1p31f;
    return !outside;
}

static void convert_chunk(const struct op_conversion *c, void *dst, const void *src, size_t n)
{
    float wide[CHUNK];
    int32_t whole[CHUNK];
    const void *numbers = c->from == PTO_F32 ? src : wide;
    void *const to_whole[] = {c->to == PTO_I32 ? dst : whole, (void *)(uintptr_t)numbers};
    void *const to_dst[] = {dst, whole};

    if (c->from != PTO_F32)
        op_widen(c->from, wide, src, n);
    if (!c->saturate && !all_in_i32(numbers, n)) {
        op_convert_elements(dst, src, c, n);
        return;
    }
    i32_by_mode[c->mode](to_whole, n, 0, NULL);
    if (c->to != PTO_I32)
        narrow_i32(c)(to_dst, n, 0, NULL);
}

/* In one pass over pieces that stay in the fastest cache. */
static const char *low_i16_from_f32_row(void *const *row, size_t n, unsigned single)
{
    static const struct op_rest rest = {{OP_SIZE_i16, OP_SIZE_f32, 1}, 3, 1};
    const struct op_conversion *c = row[2];
    mem_i16 *to = row[0];
    const mem_f32 *from = row[1];
    size_t strips = n - n % OP_STRIP;

    for (size_t i = 0; i < strips; i += CHUNK) {
        size_t count = strips - i < CHUNK ? strips - i : CHUNK;

        if (!near_i16_by_mode[c->mode](to + i, from + i, count))
            op_convert_elements(to + i, from + i, c, count);
    }
    return strips < n ? op_run_rest(low_i16_from_f32_row, &rest, row, strips, n, single) : NULL;
}
OP_ROWS(low_i16_from_f32, 3)

static const char *i64_from_f32_row(void *const *row, size_t n, unsigned single)
{
    const struct op_conversion *c = row[2];
    mem_i64 *to = row[0];
    mem_f32 *from = row[1];

    for (size_t i = 0; i < n; i += CHUNK) {
        void *const piece[] = {to + i, from + i};
        size_t count = n - i < CHUNK ? n - i : CHUNK;

        if (!near_i64_by_mode[c->mode](piece[0], piece[1], count))
            i64_by_mode[c->mode](piece, count, single, NULL);
    }
    return NULL;
}
OP_ROWS(i64_from_f32, 3)

static const char *integer_from_float_row(void *const *row, size_t n, unsigned single)
{
    const struct op_conversion *c = row[2];
    size_t to_size = pto_dtype_size((enum pto_dtype)c->to);
    size_t from_size = pto_dtype_size((enum pto_dtype)c->from);

    (void)single;
    for (size_t i = 0; i < n; i += CHUNK)
        convert_chunk(c, (uint8_t *)row[0] + i * to_size, (const uint8_t *)row[1] + i * from_size,
                      n - i < CHUNK ? n - i : CHUNK);
    return NULL;
}
OP_ROWS(integer_from_float, 3)

/* ---- the choice ------------------------------------------------------------------------------ */
/* Into floats to nearest even, or exactly and so in any mode; between integers. */
static const struct pair {
    uint8_t to, from;
    bool exact;
    op_rows_function *clamping, *open;
} pairs[] = {
    {PTO_F32, PTO_F16, true, f32_from_f16, f32_from_f16},
    {PTO_F32, PTO_BF16, true, f32_from_bf16, f32_from_bf16},
    {PTO_F32, PTO_F8E4M3, true, f32_from_f8e4m3, f32_from_f8e4m3},
    {PTO_F32, PTO_F8E5M2, true, f32_from_f8e5m2, f32_from_f8e5m2},
    {PTO_F32, PTO_I16, true, f32_from_i16, f32_from_i16},
    {PTO_F32, PTO_I32, false, f32_from_i32, f32_from_i32},
    {PTO_F32, PTO_I64, false, f32_from_i64, f32_from_i64},
    {PTO_F16, PTO_F32, false, f16_from_f32, NULL},
    {PTO_F16, PTO_BF16, false, f16_from_bf16, f16_from_bf16_open},
    {PTO_F16, PTO_I32, false, f16_from_i32, NULL},
    {PTO_F16, PTO_I16, false, f16_from_i16, f16_from_i16},
    {PTO_F16, PTO_I8, true, f16_from_i8, f16_from_i8},
    {PTO_F16, PTO_U8, true, f16_from_u8, f16_from_u8},
    {PTO_BF16, PTO_F32, false, bf16_from_f32, NULL},
    {PTO_BF16, PTO_F16, false, bf16_from_f16, NULL},
    {PTO_F8E4M3, PTO_F32, false, f8e4m3_from_f32, f8e4m3_from_f32_open},
    {PTO_F8E5M2, PTO_F32, false, f8e5m2_from_f32, f8e5m2_from_f32_open},
    {PTO_I64, PTO_I32, true, i64_from_i32, i64_from_i32},
    {PTO_I32, PTO_I64, true, i32_from_i64, i32_from_i64_low},
    {PTO_I16, PTO_I32, true, i16_from_i32, i16_from_i32_low},
};

static op_rows_function *by_pair(const struct op_conversion *c)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].to == c->to && pairs[i].from == c->from &&
            (pairs[i].exact || c->mode == PTO_ROUND_RINT))
            return c->saturate ? pairs[i].clamping : pairs[i].open;
    return NULL;
}

op_rows_function *op_choose_row(const struct op_conversion *c)
{
    bool to_int = c->to == PTO_I32 || c->to == PTO_I16 || c->to == PTO_I8 || c->to == PTO_U8;

    if (c->from == PTO_F32 && c->to == PTO_F32)
        return f32_by_mode[c->mode];
    if (c->from == PTO_F32 && c->to == PTO_I32 && c->saturate)
        return i32_by_mode[c->mode];
    if (c->from == PTO_F32 && c->to == PTO_I64 && c->saturate)
        return i64_from_f32;
    if (c->from == PTO_F16 && c->to == PTO_I32 && c->saturate)
        return i32_from_f16_by_mode[c->mode];
    if (c->from == PTO_F32 && c->to == PTO_I16 && !c->saturate)
        return low_i16_from_f32;
    if (c->from == PTO_F16 && c->to == PTO_I16 && !c->saturate)
        return low_i16_from_f16_by_mode[c->mode];
    if (c->from == PTO_F16 && (c->to == PTO_I8 || c->to == PTO_U8) && !c->saturate)
        return low_i8_from_f16_by_mode[c->mode];
    if (to_int && pto_dtype_is_float((enum pto_dtype)c->from))
        return integer_from_float;
    return by_pair(c);
}
