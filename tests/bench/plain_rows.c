/* Rows and columns: reductions, broadcasts, elements by index, quantisation. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"

/* ---- reductions ------------------------------------------------------------------------------ */
#define ROWS(name, type, accumulator, first, operation)                                            \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        type *restrict d = p->at[0];                                                               \
        const type *restrict a = p->at[1];                                                         \
                                                                                                   \
        for (uint32_t r = 0; r < p->rows; r++, a += p->cols) {                                     \
            accumulator x = first;                                                                 \
                                                                                                   \
            for (uint32_t c = 0; c < p->cols; c++)                                                 \
                x = operation;                                                                     \
            d[r] = (type)x;                                                                        \
        }                                                                                          \
    }
ROWS(rowsum_f32, float, float, 0, x + a[c])
ROWS(rowsum_f16, _Float16, float, 0, x + (float)a[c])
ROWS(rowprod_f32, float, float, 1, x * a[c])
ROWS(rowmax_f32, float, float, a[0], a[c] > x ? a[c] : x)
ROWS(rowmin_f32, float, float, a[0], a[c] < x ? a[c] : x)
ROWS(rowmax_i32, int32_t, int32_t, a[0], a[c] > x ? a[c] : x)

#define COLUMNS(name, operation)                                                                   \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        float *restrict d = p->at[0];                                                              \
        const float *restrict a = p->at[1];                                                        \
                                                                                                   \
        memcpy(d, a, p->cols * sizeof *d);                                                         \
        for (uint32_t r = 1; r < p->rows; r++)                                                     \
            for (uint32_t c = 0; c < p->cols; c++) {                                               \
                float x = a[r * p->cols + c];                                                      \
                                                                                                   \
                d[c] = operation;                                                                  \
            }                                                                                      \
    }
COLUMNS(colsum_f32, d[c] + x)
COLUMNS(colprod_f32, d[c] * x)
COLUMNS(colmax_f32, x > d[c] ? x : d[c])
COLUMNS(colmin_f32, x < d[c] ? x : d[c])

/* The place of an extreme, and the element there; operands [value,] index, source. */
static const float *searched(const struct plain *p, float **value, uint32_t **index)
{
    *value = p->at[2] ? p->at[0] : NULL;
    *index = p->at[2] ? p->at[1] : p->at[0];
    return p->at[2] ? p->at[2] : p->at[1];
}

#define FIND(name, outer, inner, at, better)                                                       \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        float *value;                                                                              \
        uint32_t *index;                                                                           \
        const float *a = searched(p, &value, &index);                                              \
                                                                                                   \
        for (uint32_t i = 0; i < p->outer; i++) {                                                  \
            uint32_t best = 0;                                                                     \
                                                                                                   \
            for (uint32_t k = 1; k < p->inner; k++)                                                \
                if (a[at(i, k)] better a[at(i, best)])                                             \
                    best = k;                                                                      \
            index[i] = best;                                                                       \
            if (value)                                                                             \
                value[i] = a[at(i, best)];                                                         \
        }                                                                                          \
    }
#define IN_ROW(i, k) ((i) * p->cols + (k))
FIND(rowargmax, rows, cols, IN_ROW, >)
FIND(rowargmin, rows, cols, IN_ROW, <)

/* Row by row, all columns at once. */
#define FIND_ROWS(name, better)                                                                    \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        float *value, best[512];                                                                   \
        uint32_t *index, at[512];                                                                  \
        const float *a = searched(p, &value, &index);                                              \
                                                                                                   \
        memcpy(best, a, p->cols * sizeof *best);                                                   \
        memset(at, 0, sizeof at);                                                                  \
        for (uint32_t r = 1; r < p->rows; r++)                                                     \
            for (uint32_t c = 0; c < p->cols; c++) {                                               \
                float x = a[r * p->cols + c];                                                      \
                bool first = x better best[c];                                                     \
                                                                                                   \
                best[c] = first ? x : best[c];                                                     \
                at[c] = first ? r : at[c];                                                         \
            }                                                                                      \
        memcpy(index, at, p->cols * sizeof *index);                                                \
        if (value)                                                                                 \
            memcpy(value, best, p->cols * sizeof *value);                                          \
    }
FIND_ROWS(colargmax, >)
FIND_ROWS(colargmin, <)

/* ---- broadcasts ------------------------------------------------------------------------------ */
/* The larger and the smaller number as the instructions have them (and C23's fmaximum): NaN if
 * either is NaN, and -0 below +0. */
static inline float larger(float a, float b)
{
    float number = a > b || (a == b && !signbit(a)) ? a : b;

    return a != a || b != b ? NAN : number;
}

static inline float smaller(float a, float b)
{
    float number = a < b || (a == b && signbit(a)) ? a : b;

    return a != a || b != b ? NAN : number;
}

#define SPREAD(name, with, expression)                                                             \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        float *restrict d = p->at[0];                                                              \
        const float *restrict a = p->at[1];                                                        \
        const float *restrict b = p->at[2];                                                        \
                                                                                                   \
        for (uint32_t r = 0; r < p->rows; r++)                                                     \
            for (uint32_t c = 0; c < p->cols; c++) {                                               \
                const size_t i = (size_t)r * p->cols + c, k = with;                                \
                                                                                                   \
                (void)k;                                                                           \
                (void)b;                                                                           \
                d[i] = expression;                                                                 \
            }                                                                                      \
    }
#define SPREADS(name, with, from)                                                                  \
    SPREAD(name##expand, with, a[k])                                                               \
    SPREAD(name##add, with, a[i] + b[k])                                                           \
    SPREAD(name##sub, with, a[i] - b[k])                                                           \
    SPREAD(name##mul, with, a[i] * b[k])                                                           \
    SPREAD(name##div, with, a[i] / b[k])                                                           \
    SPREAD(name##larger, with, larger(a[i], b[k]))                                                 \
    SPREAD(name##smaller, with, smaller(a[i], b[k]))                                               \
    SPREAD(name##expdif, with, expf(a[i] - b[k]))
SPREADS(row, r, a)
SPREADS(col, c, a)

/* ---- from nothing ---------------------------------------------------------------------------- */
void plain_count_i32(const struct plain *p)
{
    int32_t *d = p->at[0];

    for (size_t i = 0; i < p->n; i++)
        d[i] = (int32_t)(5 + i);
}

void plain_triangle(const struct plain *p)
{
    float *d = p->at[0];

    for (uint32_t r = 0; r < p->rows; r++)
        for (uint32_t c = 0; c < p->cols; c++)
            d[r * p->cols + c] = c <= r;
}

void plain_philox(const struct plain *p)
{
    uint32_t *d = p->at[0];

    for (size_t i = 0; i < p->n; i += 4) {
        uint32_t x[4] = {(uint32_t)i / 4, 1, 2, 3}, key[2] = {1, 2};

        for (int round = 0; round < 10; round++) {
            uint64_t even = UINT64_C(0xd2511f53) * x[0], odd = UINT64_C(0xcd9e8d57) * x[2];

            x[0] = (uint32_t)(odd >> 32) ^ x[1] ^ key[0];
            x[1] = (uint32_t)odd;
            x[2] = (uint32_t)(even >> 32) ^ x[3] ^ key[1];
            x[3] = (uint32_t)even;
            key[0] += 0x9e3779b9u;
            key[1] += 0xbb67ae85u;
        }
        memcpy(d + i, x, sizeof x);
    }
}

/* ---- by index, pattern, comparison ----------------------------------------------------------- */
void plain_gather(const struct plain *p)
{
    uint32_t *restrict d = p->at[0];
    const uint32_t *restrict a = p->at[1];
    const int32_t *restrict index = p->at[2];

    for (size_t i = 0; i < p->n; i++)
        d[i] = a[index[i]];
}

void plain_scatter(const struct plain *p)
{
    uint32_t *restrict d = p->at[0];
    const uint32_t *restrict a = p->at[1];
    const int32_t *restrict index = p->at[2];

    for (size_t i = 0; i < p->n; i++)
        d[index[i]] = a[i];
}

void plain_gather_rows(const struct plain *p)
{
    const int32_t *index = p->at[2];

    for (uint32_t r = 0; r < p->rows; r++)
        memcpy((uint32_t *)p->at[0] + r * p->cols,
               (const uint32_t *)p->at[1] + (size_t)index[r] * p->cols, p->cols * 4);
}

void plain_scatter_rows(const struct plain *p)
{
    const int32_t *index = p->at[2];

    for (uint32_t r = 0; r < p->rows; r++)
        memcpy((uint32_t *)p->at[0] + (size_t)index[r] * p->cols,
               (const uint32_t *)p->at[1] + r * p->cols, p->cols * 4);
}

void plain_gather_blocks(const struct plain *p)
{
    const uint32_t *offset = p->at[2];

    for (size_t i = 0; i < p->n / 8; i++)
        memcpy((uint8_t *)p->at[0] + i * 32, (const uint8_t *)p->at[1] + offset[i], 32);
}

void plain_every_second(const struct plain *p)
{
    uint32_t *restrict d = p->at[0];
    const uint32_t *restrict a = p->at[1];

    for (size_t i = 0; i < p->n / 2; i++)
        d[i] = a[2 * i];
}

void plain_to_every_second(const struct plain *p)
{
    uint32_t *restrict d = p->at[0];
    const uint32_t *restrict a = p->at[1];

    for (size_t i = 0; i < p->n / 2; i++) {
        d[2 * i] = a[i];
        d[2 * i + 1] = 0;
    }
}

void plain_match(const struct plain *p)
{
    const float *a = p->at[1], *limit = p->at[2];
    uint32_t *d = p->at[0], *count = p->at[3];

    for (uint32_t r = 0; r < p->rows; r++, d += p->cols, a += p->cols) {
        uint32_t found = 0;

        for (uint32_t c = 0; c < p->cols; c++) {
            d[found] = c;
            found += a[c] > limit[r];
        }
        count[r] = found;
    }
}

/* ---- quantisation ---------------------------------------------------------------------------- */
static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

void plain_quant_i8(const struct plain *p)
{
    int8_t *restrict d = p->at[0];
    const float *restrict a = p->at[1];
    const float *restrict scale = p->at[2];

    for (uint32_t r = 0; r < p->rows; r++)
        for (size_t i = (size_t)r * p->cols; i < (size_t)(r + 1) * p->cols; i++)
            d[i] = (int8_t)clamp(rintf(a[i] * scale[r]), -128, 127);
}

void plain_quant_u8(const struct plain *p)
{
    uint8_t *restrict d = p->at[0];
    const float *restrict a = p->at[1];
    const float *restrict scale = p->at[2];
    const float *restrict offset = p->at[3];

    for (uint32_t r = 0; r < p->rows; r++)
        for (size_t i = (size_t)r * p->cols; i < (size_t)(r + 1) * p->cols; i++)
            d[i] = (uint8_t)clamp(rintf(a[i] * scale[r] + offset[r]), 0, 255);
}

void plain_dequant_i8(const struct plain *p)
{
    float *restrict d = p->at[0];
    const int8_t *restrict a = p->at[1];
    const float *restrict scale = p->at[2];
    const float *restrict offset = p->at[3];

    for (uint32_t r = 0; r < p->rows; r++)
        for (size_t i = (size_t)r * p->cols; i < (size_t)(r + 1) * p->cols; i++)
            d[i] = (a[i] - offset[r]) * scale[r];
}

/* Normal numbers, truncated. */
void plain_quant_mx(const struct plain *p)
{
    enum { GROUP = 32 };
    uint8_t *d = p->at[0], *exponents = p->at[2];
    float *most = p->at[3], *scalings = p->at[4];
    const float *a = p->at[1];

    for (size_t g = 0; g < p->n / GROUP; g++, d += GROUP, a += GROUP) {
        float largest = 0, scaling;
        uint32_t bits;

        for (int i = 0; i < GROUP; i++)
            largest = fabsf(a[i]) > largest ? fabsf(a[i]) : largest;
        memcpy(&bits, &largest, sizeof bits);
        exponents[g] = (uint8_t)((bits >> 23) - 8);
        bits = (254u - exponents[g]) << 23;
        memcpy(&scaling, &bits, sizeof scaling);
        most[g] = largest;
        scalings[g] = scaling;
        for (int i = 0; i < GROUP; i++) {
            float x = a[i] * scaling;

            memcpy(&bits, &x, sizeof bits);
            d[i] = (uint8_t)((bits >> 24 & 0x80) |
                             (((bits & 0x7fffffff) - 0x3c000000) >> 20 & 0x7f));
        }
    }
}

void plain_dequant_mx(const struct plain *p)
{
    enum { GROUP = 32 };
    float *d = p->at[0];
    const uint8_t *a = p->at[1], *exponents = p->at[2];

    for (size_t i = 0; i < p->n; i++) {
        uint32_t bits = (uint32_t)(a[i] & 0x80) << 24 |
                        (((uint32_t)(a[i] & 0x7f) << 20) + 0x3c000000);
        uint32_t scale_bits = (uint32_t)exponents[i / GROUP] << 23;
        float x, scale;

        memcpy(&x, &bits, sizeof x);
        memcpy(&scale, &scale_bits, sizeof scale);
        d[i] = x * scale;
    }
}
