/* Elements to other places: layouts, margins, rows beside each other. */
#include <string.h>

#include "plain.h"

void plain_copy(const struct plain *p)
{
    memcpy(p->at[0], p->at[1], 4 * p->n);
}

#define TRANSPOSE(name, type)                                                                      \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        enum { BLOCK = 16, ROWS = 256, COLS = 64 };                                                \
        type *restrict d = p->at[0];                                                               \
        const type *restrict a = p->at[1];                                                         \
                                                                                                   \
        for (uint32_t r = 0; r < ROWS; r += BLOCK)                                                 \
            for (uint32_t c = 0; c < COLS; c++)                                                    \
                for (uint32_t i = r; i < r + BLOCK; i++)                                           \
                    d[i * COLS + c] = a[c * ROWS + i];                                             \
    }
TRANSPOSE(transpose_32, uint32_t)
TRANSPOSE(transpose_16, uint16_t)

/* The lower half of a tile of 128 x 256 in nz as a tile in zn. */
#define FRACTALS(name, type)                                                                       \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        enum { SIDE = 32 / sizeof(type), TILE_ROWS = 128, ROWS = 64, COLS = 256 };                 \
        type *restrict d = p->at[0];                                                               \
        const type *restrict a = (const type *)p->at[1] + ROWS * SIDE;                             \
                                                                                                   \
        for (uint32_t r = 0; r < ROWS; r += SIDE, d += SIDE * COLS, a += SIDE * SIDE)              \
            for (uint32_t c = 0; c < COLS; c++)                                                    \
                for (uint32_t i = 0; i < SIDE; i++)                                                \
                    d[c * SIDE + i] = a[c / SIDE * TILE_ROWS * SIDE + i * SIDE + c % SIDE];        \
    }
FRACTALS(fractals_32, uint32_t)
FRACTALS(fractals_16, uint16_t)

/* Rows of 64 lines of 32 bytes as nz has them, block column by block column. */
#define TO_NZ(name, type)                                                                          \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        enum { LINE = 32, ROWS = 64, BLOCKS = 256 * sizeof(type) / LINE };                         \
        uint8_t *restrict d = p->at[0];                                                            \
        const uint8_t *restrict a = p->at[1];                                                      \
                                                                                                   \
        for (size_t b = 0; b < BLOCKS; b++)                                                        \
            for (size_t r = 0; r < ROWS; r++)                                                      \
                memcpy(d + (b * ROWS + r) * LINE, a + (r * BLOCKS + b) * LINE, LINE);              \
    }
TO_NZ(to_nz_32, uint32_t)
TO_NZ(to_nz_16, uint16_t)

/* The lower half of a tile of 128 x 256 in nz as a tile in zz, fractal by fractal. */
#define NZ_TO_ZZ(name, type)                                                                       \
    void plain_##name(const struct plain *p)                                                       \
    {                                                                                              \
        enum { BOX = 512, DOWN = 4, BLOCKS = 256 * sizeof(type) / 32 };                            \
        uint8_t *restrict d = p->at[0];                                                            \
        const uint8_t *restrict a = p->at[1];                                                      \
                                                                                                   \
        for (size_t i = 0; i < DOWN; i++)                                                          \
            for (size_t b = 0; b < BLOCKS; b++)                                                    \
                memcpy(d + (i * BLOCKS + b) * BOX, a + (2 * DOWN * b + DOWN + i) * BOX, BOX);      \
    }
NZ_TO_ZZ(nz_to_zz_32, uint32_t)
NZ_TO_ZZ(nz_to_zz_16, uint16_t)

/* A tile of f16 in nz as the lower half of one of 128 x 256. */
void plain_nz_to_nz_16(const struct plain *p)
{
    enum { COLUMN = 64 * 32, BLOCKS = 256 / 16 };

    for (size_t b = 0; b < BLOCKS; b++)
        memcpy((uint8_t *)p->at[0] + (2 * b + 1) * COLUMN, (uint8_t *)p->at[1] + b * COLUMN,
               COLUMN);
}

void plain_pad(const struct plain *p)
{
    memset(p->at[0], 0, 4 * p->n);
    for (uint32_t r = 0; r < p->rows / 2; r++)
        memcpy((uint32_t *)p->at[0] + r * p->cols, (const uint32_t *)p->at[1] + r * p->cols / 2,
               2 * p->cols);
}

void plain_concat(const struct plain *p)
{
    for (uint32_t r = 0; r < p->rows; r++)
        for (uint32_t half = 0; half < 2; half++)
            memcpy((uint32_t *)p->at[0] + r * p->cols + half * p->cols / 2,
                   (const uint32_t *)p->at[1 + half] + r * p->cols / 2, 2 * p->cols);
}

/* As many elements as the counts say; their sums, if wanted. */
static void concat_counts(const struct plain *p, const int32_t *left, const int32_t *right,
                          int32_t *sums)
{
    uint32_t half = p->cols / 2;

    for (uint32_t r = 0; r < p->rows; r++) {
        uint32_t *d = (uint32_t *)p->at[0] + r * p->cols;

        memcpy(d, (const uint32_t *)p->at[1] + r * half, (size_t)left[r] * 4);
        memcpy(d + left[r], (const uint32_t *)p->at[2] + r * half, (size_t)right[r] * 4);
        if (sums)
            sums[r] = left[r] + right[r];
    }
}

void plain_concat_counted(const struct plain *p)
{
    concat_counts(p, p->at[3], p->at[4], NULL);
}

void plain_concat_totals(const struct plain *p)
{
    concat_counts(p, p->at[4], p->at[5], p->at[3]);
}

void plain_interleave(const struct plain *p)
{
    const uint32_t *restrict a = p->at[3];
    const uint32_t *restrict b = p->at[2];
    uint32_t half = p->cols / 2;

    for (uint32_t r = 0; r < p->rows; r++)
        for (uint32_t part = 0; part < 2; part++) {
            uint32_t *restrict d = (uint32_t *)p->at[1 - part] + r * p->cols;
            size_t from = (size_t)r * p->cols + part * half;

            for (uint32_t c = 0; c < half; c++) {
                d[2 * c] = a[from + c];
                d[2 * c + 1] = b[from + c];
            }
        }
}

void plain_deinterleave(const struct plain *p)
{
    uint32_t *restrict even = p->at[1];
    uint32_t *restrict odd = p->at[0];
    uint32_t half = p->cols / 2;

    for (uint32_t r = 0; r < p->rows; r++)
        for (uint32_t part = 0; part < 2; part++) {
            const uint32_t *restrict a = (const uint32_t *)p->at[3 - part] + r * p->cols;
            size_t to = (size_t)r * p->cols + part * half;

            for (uint32_t c = 0; c < half; c++) {
                even[to + c] = a[2 * c];
                odd[to + c] = a[2 * c + 1];
            }
        }
}

void plain_deinterleave_one(const struct plain *p)
{
    uint32_t *restrict even = p->at[1];
    uint32_t *restrict odd = p->at[0];
    const uint32_t *restrict a = p->at[2];

    for (size_t i = 0; i < p->n / 2; i++) {
        even[i] = a[2 * i];
        odd[i] = a[2 * i + 1];
    }
}
