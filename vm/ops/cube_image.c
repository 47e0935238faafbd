/* Images of the cube's operands: words in the order in which kernels take them (cube_kernel.h).
 *
 * A fractal of either operand has 512 bytes: 16 rows (A) or columns (B) of 32 bytes along k.  That
 * of A is a block of an image as it is, but for its words; that of B is 16 lines of 8 words, which
 * are transposed, and then made words of the kernel. */
#include "cube.h"

#include "transpose.h"
#include "widen.h"

#ifdef __AVX512BW__
#include <immintrin.h>
#endif

enum { LINE_BYTES = 32, LINE_WORDS = LINE_BYTES / 4, FRACTAL_BYTES = CUBE_ROWS * LINE_BYTES };
enum { MOST_STEPS = LINE_BYTES }; /* of a fractal along k: of bytes */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- A ------------------------------------------------------------------------------------- */
static void widen_words(const struct cube_engine *engine, uint8_t type, uint32_t *to,
                        const uint8_t *from, size_t count)
{
    mem_i16 *pair = (mem_i16 *)to;
    const mem_i8 *narrow = (const mem_i8 *)from;
    const mem_u32 *quads = (const mem_u32 *)from;

    if (type != PTO_I8)
        op_widen(type, (float *)(void *)to, from, count);
    else if (engine->offset)
        for (size_t i = 0; i < count / 4; i++)
            to[i] = quads[i] ^ 0x80808080u; /* a + 128 */
    else
        for (size_t i = 0; i < count; i++)
            pair[i] = narrow[i];
}

/* Blocks of 16 rows x `block` words; all blocks of k of 16 rows, then the next 16 rows.  A fractal
 * is one block, of fp8 two side by side. */
void cube_image_of_a(const struct cube_engine *engine, const struct cube_matrix *a, uint32_t *to,
                     struct cube_chunk m, struct cube_chunk k)
{
    uint32_t block = 1u << engine->block_shift, width = block << engine->word_shift;
    uint32_t steps = 1u << a->k_shift;

    for (uint32_t row = 0; row < m.count; row += CUBE_ROWS) {
        uint32_t rows = least(m.count - row, CUBE_ROWS);

        for (uint32_t col = 0; col < k.count; col += width, to += CUBE_ROWS * block) {
            uint32_t step = k.first + col, in_fractal = step & (steps - 1);
            const uint8_t *from = a->data + (m.first + row) / CUBE_ROWS * a->down +
                                  (step >> a->k_shift) * a->along +
                                  (in_fractal * LINE_BYTES >> a->k_shift);

            if (width == steps) {
                widen_words(engine, a->type, to, from, (size_t)rows * width);
                continue;
            }
            for (uint32_t r = 0; r < rows; r++)
                widen_words(engine, a->type, to + r * block, from + r * LINE_BYTES, width);
        }
    }
}

/* ---- fractals of B ------------------------------------------------------------------------- */
#ifdef __AVX512BW__
typedef uint32_t vec_u32 __attribute__((vector_size(64)));
typedef uint16_t vec_u16 __attribute__((vector_size(64)));

#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31

/* A vector holds two lines.  Taking the even and the odd words of two vectors exchanges a bit of
 * the vector's number for one of the place in the line; after three times each vector has the words
 * of one place, in the order of the lines. */
static inline void turn(vec_u32 *line, const uint8_t *fractal)
{
    vec_u32 next[LINE_WORDS];

    memcpy(line, fractal, FRACTAL_BYTES);
    _Pragma("GCC unroll 3") for (int apart = 1; apart < LINE_WORDS; apart *= 2)
    {
        _Pragma("GCC unroll 8") for (int i = 0; i < LINE_WORDS; i++)
        {
            int low = i & ~apart;

            next[i] = i & apart ? __builtin_shufflevector(line[low], line[low + apart], ODD_16)
                                : __builtin_shufflevector(line[low], line[low + apart], EVEN_16);
        }
        _Pragma("GCC unroll 8") for (int i = 0; i < LINE_WORDS; i++) line[i] = next[i];
    }
}

static void words_of(uint32_t *to, const uint8_t *fractal)
{
    vec_u32 line[LINE_WORDS];

    turn(line, fractal);
    memcpy(to, line, sizeof line);
}

/* A word has two numbers that follow each other along k: two rows of the image. */
static void bf16_of(uint32_t *to, const uint8_t *fractal)
{
    vec_u32 line[LINE_WORDS];

    turn(line, fractal);
    _Pragma("GCC unroll 8") for (int i = 0; i < LINE_WORDS; i++)
    {
        vec_u32 row[] = {line[i] << 16, line[i] & 0xffff0000u};

        memcpy(to + i * 2 * CUBE_PANEL, row, sizeof row);
    }
}

static void f16_of(uint32_t *to, const uint8_t *fractal)
{
    vec_u32 line[LINE_WORDS];

    turn(line, fractal);
    _Pragma("GCC unroll 8") for (int i = 0; i < LINE_WORDS; i++)
    {
        vec_u16 pairs = (vec_u16)line[i];
        __m512i halves = (__m512i)__builtin_shufflevector(pairs, pairs, EVEN_16, ODD_16);
        __m512 row[] = {_mm512_cvtph_ps(_mm512_castsi512_si256(halves)),
                        _mm512_cvtph_ps(_mm512_extracti64x4_epi64(halves, 1))};

        memcpy(to + i * 2 * CUBE_PANEL, row, sizeof row);
    }
}
#else
static void words_of(uint32_t *to, const uint8_t *fractal)
{
    op_transpose((uint8_t *)to, 4 * CUBE_PANEL, fractal, LINE_BYTES, CUBE_PANEL, LINE_WORDS, 4);
}

static void halves_of(uint8_t type, uint32_t *to, const uint8_t *fractal)
{
    uint16_t halves[FRACTAL_BYTES / 2];

    op_transpose((uint8_t *)halves, 2 * CUBE_PANEL, fractal, LINE_BYTES, CUBE_PANEL,
                 LINE_BYTES / 2, 2);
    op_widen(type, (float *)(void *)to, halves, FRACTAL_BYTES / 2);
}

static void bf16_of(uint32_t *to, const uint8_t *fractal)
{
    halves_of(PTO_BF16, to, fractal);
}

static void f16_of(uint32_t *to, const uint8_t *fractal)
{
    halves_of(PTO_F16, to, fractal);
}
#endif

static void fp8_of(uint8_t type, uint32_t *to, const uint8_t *fractal)
{
    uint8_t bytes[FRACTAL_BYTES];

    op_transpose(bytes, CUBE_PANEL, fractal, LINE_BYTES, CUBE_PANEL, LINE_BYTES, 1);
    op_widen(type, (float *)(void *)to, bytes, FRACTAL_BYTES);
}

/* The two low bytes as int16. */
static inline uint32_t pair_of(uint32_t quad)
{
    return (uint16_t)(int8_t)quad | (uint32_t)(int8_t)(quad >> 8) << 16;
}

static void pairs_of(uint32_t *to, const uint8_t *fractal)
{
    uint32_t quads[FRACTAL_BYTES / 4];

    words_of(quads, fractal);
    for (uint32_t r = 0; r < LINE_WORDS; r++)
        for (uint32_t c = 0; c < CUBE_PANEL; c++) {
            uint32_t quad = quads[r * CUBE_PANEL + c], *pair = to + 2 * r * CUBE_PANEL + c;

            pair[0] = pair_of(quad);
            pair[CUBE_PANEL] = pair_of(quad >> 16);
        }
}

static void fractal_of_b(const struct cube_engine *engine, uint8_t type, uint32_t *to,
                         const uint8_t *fractal)
{
    if (type == PTO_F32 || engine->word_shift == 2)
        words_of(to, fractal);
    else if (type == PTO_I8)
        pairs_of(to, fractal);
    else if (type == PTO_F16)
        f16_of(to, fractal);
    else if (type == PTO_BF16)
        bf16_of(to, fractal);
    else
        fp8_of(type, to, fractal);
}

/* ---- panels of B --------------------------------------------------------------------------- */
static int32_t sum_of_bytes(uint32_t word)
{
    int32_t sum = 0;

    for (unsigned shift = 0; shift < 32; shift += 8)
        sum += (int8_t)(word >> shift);
    return sum;
}

/* What A's offset of 128 adds to each column of a panel is taken off at the start. */
static void offset_row(uint32_t *row, const uint32_t *panel, uint32_t count)
{
    uint32_t sum[CUBE_PANEL] = {0};

    for (uint32_t r = 0; r < count; r++, panel += CUBE_PANEL)
        for (uint32_t c = 0; c < CUBE_PANEL; c++)
            sum[c] += (uint32_t)sum_of_bytes(panel[c]);
    for (uint32_t c = 0; c < CUBE_PANEL; c++)
        row[c] = 0u - 128u * sum[c];
}

/* Columns past the last are 0: what lies there may be numbers with which the host is slow. */
static void clear_right(uint32_t *panel, uint32_t cols, uint32_t rows)
{
    for (uint32_t r = 0; r < rows; r++, panel += CUBE_PANEL)
        for (uint32_t c = 0; c < CUBE_PANEL; c++)
            panel[c] &= 0u - (c < cols);
}

/* What lies past the last row of k in words of several, and in rows of which the kernel knows. */
static void clear_below(const struct cube_engine *engine, uint32_t *panel, uint32_t steps,
                        uint32_t rows)
{
    uint32_t whole = steps >> engine->word_shift, rest = steps - (whole << engine->word_shift);
    uint32_t kept = rest * (32u >> engine->word_shift); /* bits of the word that is cut */

    for (uint32_t c = 0; c < CUBE_PANEL && kept; c++)
        panel[whole * CUBE_PANEL + c] &= (UINT32_C(1) << kept) - 1;
    whole += kept > 0;
    memset(panel + whole * CUBE_PANEL, 0, (size_t)(rows - whole) * 4 * CUBE_PANEL);
}

/* Panels of 16 columns, each k rows of 16 words in whole fractals. */
void cube_image_of_b(const struct cube_engine *engine, const struct cube_matrix *b, uint32_t *to,
                     struct cube_chunk k, struct cube_chunk n)
{
    uint32_t steps = 1u << b->k_shift, rows = cube_panel_rows(engine, b, k.count);
    uint32_t words = (uint32_t)CUBE_PANEL << (b->k_shift - engine->word_shift);

    for (uint32_t col = 0; col < n.count; col += CUBE_PANEL, to += rows * CUBE_PANEL) {
        uint32_t *panel = to + engine->offset * CUBE_PANEL, *fractal = panel;
        const uint8_t *from = b->data + (k.first >> b->k_shift) * b->down +
                              (n.first + col) / CUBE_PANEL * b->along;

        for (uint32_t step = 0; step < k.count; step += steps, from += b->down, fractal += words)
            fractal_of_b(engine, b->type, fractal, from);
        if (n.count - col < CUBE_PANEL)
            clear_right(panel, n.count - col, rows - engine->offset);
        if (engine->word_shift)
            clear_below(engine, panel, k.count, rows - engine->offset);
        if (engine->offset)
            offset_row(to, panel, rows - 1);
    }
}
