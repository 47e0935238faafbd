/* Element by element. */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "plain.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

/* ---- integers and f32 ------------------------------------------------------------------------ */
#define SOURCES(type)                                                                              \
    const type *restrict a = p->at[1];                                                             \
    const type *restrict b = p->at[2];                                                             \
    const type *restrict c = p->at[3];                                                             \
    const type s = (type)p->f;                                                                     \
    (void)a, (void)b, (void)c, (void)s
#define LOOP(name, to, from, expression)                                                           \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        to *restrict d = p->at[0];                                                                 \
        SOURCES(from);                                                                             \
                                                                                                   \
        for (size_t i = 0; i < p->n; i++)                                                          \
            d[i] = (to)(expression);                                                               \
    }

LOOP(add_f32, float, float, a[i] + b[i])
LOOP(add_i32, int32_t, uint32_t, a[i] + b[i])
LOOP(add_i16, int16_t, int16_t, a[i] + b[i])
LOOP(add_i8, int8_t, int8_t, a[i] + b[i])
LOOP(sub_f32, float, float, a[i] - b[i])
LOOP(mul_f32, float, float, a[i] * b[i])
LOOP(mul_i32, int32_t, uint32_t, a[i] * b[i])
LOOP(div_f32, float, float, a[i] / b[i])
LOOP(div_i32, int32_t, int32_t, a[i] / b[i])
LOOP(max_f32, float, float, a[i] > b[i] ? a[i] : b[i])
LOOP(max_i16, int16_t, int16_t, a[i] > b[i] ? a[i] : b[i])
LOOP(min_f32, float, float, a[i] < b[i] ? a[i] : b[i])
LOOP(rem_i32, int32_t, int32_t, a[i] % b[i])
LOOP(and_i16, int16_t, int16_t, a[i] & b[i])
LOOP(or_i16, int16_t, int16_t, a[i] | b[i])
LOOP(xor_i16, int16_t, int16_t, a[i] ^ b[i])
LOOP(shl_i32, uint32_t, uint32_t, a[i] << b[i])
LOOP(shr_i32, int32_t, int32_t, a[i] >> b[i])
LOOP(addc_f32, float, float, a[i] + b[i] + c[i])
LOOP(subc_f32, float, float, a[i] - b[i] + c[i])
LOOP(adds_f32, float, float, a[i] + s)
LOOP(subs_f32, float, float, a[i] - s)
LOOP(muls_f32, float, float, a[i] * s)
LOOP(divs_f32, float, float, a[i] / s)
LOOP(rdivs_f32, float, float, s / b[i])
LOOP(maxs_f32, float, float, a[i] > s ? a[i] : s)
LOOP(mins_f32, float, float, a[i] < s ? a[i] : s)
LOOP(fill_f32, float, float, s)
LOOP(ands_i16, int16_t, int16_t, a[i] & s)
LOOP(ors_i16, int16_t, int16_t, a[i] | s)
LOOP(xors_i16, int16_t, int16_t, a[i] ^ s)
LOOP(shls_i32, uint32_t, uint32_t, a[i] << s)
LOOP(shrs_i32, int32_t, int32_t, a[i] >> s)
LOOP(lrelu_f32, float, float, a[i] > 0 ? a[i] : a[i] * s)
LOOP(axpy_f32, float, float, d[i] + a[i] * s)
LOOP(addsc_f32, float, float, a[i] + s + c[i])
LOOP(subsc_f32, float, float, a[i] - s + c[i])
LOOP(abs_f32, float, float, fabsf(a[i]))
LOOP(neg_f32, float, float, -a[i])
LOOP(not_i16, int16_t, int16_t, ~a[i])
LOOP(relu_f32, float, float, a[i] > 0 ? a[i] : 0)
LOOP(sqrt_f32, float, float, sqrtf(a[i]))
LOOP(rsqrt_f32, float, float, 1 / sqrtf(a[i]))
LOOP(recip_f32, float, float, 1 / a[i])
LOOP(fma_f32, float, float, d[i] * a[i] + b[i])
LOOP(fma_relu_f32, float, float, d[i] * a[i] + b[i] > 0 ? d[i] * a[i] + b[i] : 0)
LOOP(muladd_f32, float, float, d[i] + a[i] * b[i])
LOOP(subrelu_f32, float, float, a[i] > b[i] ? a[i] - b[i] : 0)
LOOP(prelu_f32, float, float, a[i] > 0 ? a[i] : a[i] * b[i])
LOOP(add_to_f32, float, float, d[i] + a[i])
LOOP(cvt_i32_f32, int32_t, float, a[i])
LOOP(rint_i32_f32, int32_t, float, rintf(a[i]))
LOOP(cvt_f32_i32, float, int32_t, a[i])
LOOP(cvt_i16_f32, int16_t, float, (int32_t)a[i])
LOOP(cvt_i64_f32, int64_t, float, a[i])
LOOP(cvt_f32_i64, float, int64_t, a[i])
LOOP(cvt_i16_i32, int16_t, int32_t, a[i])
LOOP(cvt_i32_i64, int32_t, int64_t, a[i])

static int32_t limit(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : x;
}
LOOP(addconv_i16, int8_t, int16_t, limit(a[i] + b[i], 0, 127))

static int32_t power(int32_t x, int32_t y)
{
    int32_t result = 1;

    while (y-- > 0)
        result = (int32_t)((uint32_t)result * (uint32_t)x);
    return result;
}
LOOP(pow_i32, int32_t, int32_t, power(a[i], b[i]))

/* ---- bf16 and fp8 ---------------------------------------------------------------------------- */
static float from_bf16(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint16_t to_bf16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
LOOP(add_bf16, uint16_t, uint16_t, to_bf16(from_bf16(a[i]) + from_bf16(b[i])))
LOOP(cvt_bf16_f32, uint16_t, float, to_bf16(a[i]))
LOOP(cvt_f32_bf16, float, uint16_t, from_bf16(a[i]))

/* Numbers in e4m3's normal range, truncated. */
static uint8_t to_e4m3(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return (uint8_t)((bits >> 24 & 0x80) | (((bits & 0x7fffffff) - 0x3c000000) >> 20 & 0x7f));
}

static float from_e4m3(uint8_t x)
{
    uint32_t bits = (uint32_t)(x & 0x80) << 24 | (((uint32_t)(x & 0x7f) << 20) + 0x3c000000);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}
LOOP(cvt_e4m3_f32, uint8_t, float, to_e4m3(a[i]))
LOOP(cvt_f32_e4m3, float, uint8_t, from_e4m3(a[i]))

/* ---- f16 ------------------------------------------------------------------------------------- */
/* The compiler's own arithmetic where the host has it; else eight at a time through f32, which it
 * would not find by itself. */
#if defined(__AVX512FP16__) || !defined(__F16C__)
typedef _Float16 half;
#define LOAD(x) (*(x))
#define STORE(to, x) (*(to) = (half)(x))
#define LARGER(x, y) ((x) > (y) ? (x) : (y))
#define REPEATED(x) (half)(x)
enum { STEP = 1 };
typedef half halves;
#else
typedef uint16_t half;
#define LOAD(x) _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x)))
#define STORE(to, x) _mm_storeu_si128((void *)(to), _mm256_cvtps_ph(x, 0))
#define LARGER(x, y) _mm256_max_ps(x, y)
#define REPEATED(x) _mm256_set1_ps((float)(x))
enum { STEP = 8 };
typedef __m256 halves;
#endif
#define LOOP_F16(name, expression)                                                                 \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        half *restrict d = p->at[0];                                                               \
        const half *restrict a = p->at[1];                                                         \
        const half *restrict b = p->at[2];                                                         \
        const halves s = REPEATED(p->f);                                                           \
                                                                                                   \
        (void)b;                                                                                   \
        (void)s;                                                                                   \
        for (size_t i = 0; i < p->n; i += STEP)                                                    \
            STORE(d + i, expression);                                                              \
    }
LOOP_F16(add_f16, LOAD(a + i) + LOAD(b + i))
LOOP_F16(mul_f16, LOAD(a + i) * LOAD(b + i))
LOOP_F16(max_f16, LARGER(LOAD(a + i), LOAD(b + i)))
LOOP_F16(adds_f16, LOAD(a + i) + s)

/* Conversions eight at a time, too, where the host has them. */
#if defined(__F16C__)
#define TO_F16(to, x) _mm_storeu_si128((void *)(to), _mm256_cvtps_ph(x, 0))
#define FROM_F32(x) _mm256_loadu_ps(x)
#define FROM_F16(x) _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x)))
#define WHOLE(x) _mm256_loadu_si256((const void *)(x))
#define FROM_I32(x) _mm256_cvtepi32_ps(WHOLE(x))
#define FROM_SUM(x, y) _mm256_cvtepi32_ps(_mm256_add_epi32(WHOLE(x), WHOLE(y)))
#define TIMES(s) _mm256_set1_ps((float)(s))
#define POSITIVE(x) _mm256_max_ps(x, _mm256_setzero_ps())
#define CLAMPED(x) _mm256_min_ps(POSITIVE(x), _mm256_set1_ps(65504))
enum { WIDTH = 8 };
typedef uint16_t f16;
#else
#define TO_F16(to, x) (*(to) = (_Float16)(x))
#define FROM_F32(x) (*(x))
#define FROM_F16(x) (float)(*(x))
#define FROM_I32(x) (float)(*(x))
#define FROM_SUM(x, y) (float)(int32_t)((uint32_t)*(x) + (uint32_t)*(y))
#define TIMES(s) (float)(s)
#define POSITIVE(x) fmaxf(x, 0)
#define CLAMPED(x) fminf(POSITIVE(x), 65504)
enum { WIDTH = 1 };
typedef _Float16 f16;
#endif
#define LOOP_TO_F16(name, from, expression)                                                        \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        f16 *restrict d = p->at[0];                                                                \
        SOURCES(from);                                                                             \
                                                                                                   \
        for (size_t i = 0; i < p->n; i += WIDTH)                                                   \
            TO_F16(d + i, expression);                                                             \
    }
LOOP_TO_F16(cvt_f16_f32, float, FROM_F32(a + i))
LOOP_TO_F16(addconv_f16, float, CLAMPED(FROM_F32(a + i) + FROM_F32(b + i)))
LOOP_TO_F16(subconv_f16, float, CLAMPED(FROM_F32(a + i) - FROM_F32(b + i)))
LOOP_TO_F16(cvt_f16_i8, int8_t, FROM_F32(((float[8]){a[i], a[i + 1], a[i + 2], a[i + 3], a[i + 4],
                                                     a[i + 5], a[i + 6], a[i + 7]})))
LOOP_TO_F16(addeq_f16, int32_t, POSITIVE(FROM_SUM(a + i, b + i) * TIMES(p->f)))
LOOP_TO_F16(scale_i32, int32_t, FROM_I32(a + i) * TIMES(p->f))

/* Columns of 16, as an accumulator has them, into rows. */
void plain_nz_to_rows_f16(const struct plain *p)
{
    enum { ROWS = 64, BLOCK = 16, BLOCKS = 16 };
    f16 *restrict d = p->at[0];
    const float *restrict a = p->at[1];

    for (size_t b = 0; b < BLOCKS; b++)
        for (size_t r = 0; r < ROWS; r++)
            for (size_t i = 0; i < BLOCK; i += WIDTH)
                TO_F16(d + (r * BLOCKS + b) * BLOCK + i, FROM_F32(a + (b * ROWS + r) * BLOCK + i));
}

void plain_scale_row_i32(const struct plain *p)
{
    f16 *restrict d = p->at[0];
    const int32_t *restrict a = p->at[1];
    const float *restrict scale = p->at[2];

    for (size_t i = 0; i < p->n; i += WIDTH)
        TO_F16(d + i, FROM_I32(a + i) * FROM_F32(scale + i % p->cols));
}

/* A piece of f16 as f32, then an ordinary loop over it. */
#define LOOP_FROM_F16(name, to, expression)                                                        \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        to *restrict d = p->at[0];                                                                 \
        const _Float16 *restrict a = p->at[1];                                                     \
        const _Float16 *restrict b = p->at[2];                                                     \
        const float s = (float)p->f;                                                               \
                                                                                                   \
        (void)s;                                                                                   \
        for (size_t i = 0; i < p->n; i += 8) {                                                     \
            float x[8], y[8];                                                                      \
                                                                                                   \
            widen(x, a + i);                                                                       \
            widen(y, b ? b + i : a + i);                                                           \
            for (size_t k = 0; k < 8; k++)                                                         \
                d[i + k] = (to)(expression);                                                       \
        }                                                                                          \
    }
static inline void widen(float *to, const _Float16 *from)
{
#if defined(__F16C__)
    _mm256_storeu_ps(to, FROM_F16(from));
#else
    for (int k = 0; k < 8; k++)
        to[k] = (float)from[k];
#endif
}
LOOP_FROM_F16(cvt_f32_f16, float, x[k])
LOOP_FROM_F16(cvt_i8_f16, int8_t, (int32_t)x[k])

/* Infinities are clamped, NaN is 0. */
static int32_t whole(float x)
{
    int32_t low = x < -0x1p31f ? INT32_MIN : (int32_t)x, number = x >= 0x1p31f ? INT32_MAX : low;

    return x != x ? 0 : number;
}
LOOP_FROM_F16(cvt_i32_f16, int32_t, whole(x[k]))
LOOP_FROM_F16(addconv_i8, int8_t, limit((int32_t)rintf(x[k] + y[k]), 0, 127))
LOOP_FROM_F16(axpy_f16, float, d[i + k] + x[k] * s)

/* ---- transcendental functions ---------------------------------------------------------------- */
#if defined(__AVX512F__)
typedef __m512 floats;
#define SLEEF(name, accuracy) "Sleef_" name "f16_" accuracy "avx512f"
#define LOAD_FLOATS(x) _mm512_loadu_ps(x)
#define STORE_FLOATS(to, x) _mm512_storeu_ps(to, x)
#elif defined(__AVX2__)
typedef __m256 floats;
#define SLEEF(name, accuracy) "Sleef_" name "f8_" accuracy "avx2"
#define LOAD_FLOATS(x) _mm256_loadu_ps(x)
#define STORE_FLOATS(to, x) _mm256_storeu_ps(to, x)
#else
typedef float floats;
#define SLEEF(name, accuracy) "Sleef_" name "f1_" accuracy "purec"
#define LOAD_FLOATS(x) (*(x))
#define STORE_FLOATS(to, x) (*(to) = (x))
#endif

typedef floats one_source(floats x);
typedef floats two_sources(floats x, floats y);
static one_source *sleef_exp, *sleef_log;
static two_sources *sleef_pow, *sleef_fmod;

void plain_find_sleef(void)
{
    void *library = dlopen("libsleef.so.3", RTLD_NOW);

    if (!library)
        return;
    sleef_exp = (one_source *)dlsym(library, SLEEF("exp", "u10"));
    sleef_log = (one_source *)dlsym(library, SLEEF("log", "u10"));
    sleef_pow = (two_sources *)dlsym(library, SLEEF("pow", "u10"));
    sleef_fmod = (two_sources *)dlsym(library, SLEEF("fmod", ""));
}

#define LOOP_SLEEF(name, function, vector_call, scalar_call)                                       \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        enum { COUNT = sizeof(floats) / sizeof(float) };                                           \
        float *d = p->at[0];                                                                       \
        const float *a = p->at[1], *b = p->at[2];                                                  \
        floats s = repeat((float)p->f);                                                            \
                                                                                                   \
        (void)b;                                                                                   \
        (void)s;                                                                                   \
        for (size_t i = 0; function && i < p->n; i += COUNT)                                       \
            STORE_FLOATS(d + i, vector_call);                                                      \
        for (size_t i = 0; !function && i < p->n; i++)                                             \
            d[i] = scalar_call;                                                                    \
    }
static floats repeat(float x)
{
    float all[sizeof(floats) / sizeof(float)];

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i] = x;
    return LOAD_FLOATS(all);
}
LOOP_SLEEF(exp_f32, sleef_exp, sleef_exp(LOAD_FLOATS(a + i)), expf(a[i]))
LOOP_SLEEF(log_f32, sleef_log, sleef_log(LOAD_FLOATS(a + i)), logf(a[i]))
LOOP_SLEEF(pow_f32, sleef_pow, sleef_pow(LOAD_FLOATS(a + i), LOAD_FLOATS(b + i)), powf(a[i], b[i]))
LOOP_SLEEF(pows_f32, sleef_pow, sleef_pow(LOAD_FLOATS(a + i), s), powf(a[i], (float)p->f))
/* Remainders are exact: x - n y with a rounded quotient and product is another function. */
LOOP_SLEEF(fmod_f32, sleef_fmod, sleef_fmod(LOAD_FLOATS(a + i), LOAD_FLOATS(b + i)),
           fmodf(a[i], b[i]))
LOOP_SLEEF(fmods_f32, sleef_fmod, sleef_fmod(LOAD_FLOATS(a + i), s), fmodf(a[i], (float)p->f))

static float moved(float rest, float divisor)
{
    return rest != 0 && signbit(rest) != signbit(divisor) ? rest + divisor : rest;
}
static plain_function plain_move_rests, plain_moves_rests;
LOOP(move_rests, float, float, moved(d[i], b[i]))
LOOP(moves_rests, float, float, moved(d[i], s))

void plain_rem_f32(const struct plain *p)
{
    plain_fmod_f32(p);
    plain_move_rests(p);
}

void plain_rems_f32(const struct plain *p)
{
    plain_fmods_f32(p);
    plain_moves_rests(p);
}

#if defined(__F16C__) && defined(__AVX2__) && !defined(__AVX512F__)
void plain_exp_f16(const struct plain *p)
{
    uint16_t *d = p->at[0];
    const uint16_t *a = p->at[1];

    for (size_t i = 0; i < p->n; i += 8) {
        __m256 x = FROM_F16(a + i);
        float each[8];

        if (sleef_exp) {
            x = sleef_exp(x);
        } else {
            _mm256_storeu_ps(each, x);
            for (int k = 0; k < 8; k++)
                each[k] = expf(each[k]);
            x = _mm256_loadu_ps(each);
        }
        TO_F16(d + i, x);
    }
}
#else
void plain_exp_f16(const struct plain *p)
{
    _Float16 *d = p->at[0];
    const _Float16 *a = p->at[1];

    for (size_t i = 0; i < p->n; i++)
        d[i] = (_Float16)expf((float)a[i]);
}
#endif

/* ---- masks ----------------------------------------------------------------------------------- */
#define LOOP_MASK(name, from, expression)                                                          \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        uint8_t *restrict d = p->at[0];                                                            \
        SOURCES(from);                                                                             \
                                                                                                   \
        for (size_t k = 0; k < p->n / 8; k++) {                                                    \
            unsigned bits = 0;                                                                     \
                                                                                                   \
            for (size_t i = 8 * k; i < 8 * k + 8; i++)                                             \
                bits |= (unsigned)(expression) << i % 8;                                           \
            d[k] = (uint8_t)bits;                                                                  \
        }                                                                                          \
    }
LOOP_MASK(cmp_f32, float, a[i] < b[i])
LOOP_MASK(cmps_f32, float, a[i] < s)
LOOP_MASK(cmps_tile, float, a[i] < *b)
LOOP_MASK(cmp_f16, _Float16, (float)a[i] < (float)b[i])

#define LOOP_SELECT(name, type, otherwise)                                                         \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        type *restrict d = p->at[0];                                                               \
        const uint8_t *restrict mask = p->at[1];                                                   \
        const type *restrict a = p->at[2];                                                         \
        const type *restrict b = p->at[3];                                                         \
        const type s = (type)p->f;                                                                 \
                                                                                                   \
        (void)b;                                                                                   \
        (void)s;                                                                                   \
        for (size_t i = 0; i < p->n; i++)                                                          \
            d[i] = mask[i / 8] >> i % 8 & 1 ? a[i] : otherwise;                                    \
    }
LOOP_SELECT(sel_f32, float, b[i])
LOOP_SELECT(sel_f16, uint16_t, b[i])
LOOP_SELECT(sels_f32, float, s)

/* ---- values with indices, pairs -------------------------------------------------------------- */
#define LOOP_EXTREME(name, better)                                                                 \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        float *restrict d = p->at[0];                                                              \
        const float *restrict a = p->at[1];                                                        \
        const float *restrict b = p->at[2];                                                        \
        uint32_t *restrict index = p->at[3];                                                       \
        const uint32_t *restrict x = p->at[4];                                                     \
        const uint32_t *restrict y = p->at[5];                                                     \
                                                                                                   \
        for (size_t i = 0; i < p->n; i++) {                                                        \
            bool first = a[i] better b[i];                                                         \
                                                                                                   \
            d[i] = first ? a[i] : b[i];                                                            \
            index[i] = first ? x[i] : y[i];                                                        \
        }                                                                                          \
    }
LOOP_EXTREME(argmax_f32, >)
LOOP_EXTREME(argmin_f32, <)

void plain_pairs_f32(const struct plain *p)
{
    float *restrict d = p->at[0];
    const float *restrict a = p->at[1];

    for (uint32_t r = 0; r < p->rows; r++, d += p->cols, a += p->cols) {
        for (uint32_t c = 0; c < p->cols / 2; c++)
            d[c] = a[2 * c] + a[2 * c + 1];
        for (uint32_t c = p->cols / 2; c < p->cols; c++)
            d[c] = 0;
    }
}
