/* The cube's inner kernel, for every block size, on the vectors of this level. */
#include "cube.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__)
enum { LANES = 16, MAX_ROWS = 8, MAX_PANELS = 2 };
#elif defined(__AVX2__) && defined(__FMA__)
enum { LANES = 8, MAX_ROWS = 6, MAX_PANELS = 1 };
#else
enum { LANES = 4, MAX_ROWS = 6, MAX_PANELS = 1 };
#endif

enum {
    PER_PANEL = CUBE_PANEL / LANES, /* vectors of a row of a panel */
    MAX_VECTORS = MAX_PANELS * PER_PANEL,
};

/* Words: f32, int32 or pairs of int16, as bits. */
typedef uint32_t vec __attribute__((vector_size(4 * LANES)));
typedef float vec_f32 __attribute__((vector_size(4 * LANES)));

#define INLINE static inline __attribute__((always_inline))

INLINE vec load(const uint8_t *at)
{
    vec v;

    memcpy(&v, at, sizeof v);
    return v;
}

INLINE vec spread(const uint8_t *at)
{
    return (vec){0} + *(const mem_u32 *)at;
}

/* c + a * b with one rounding. */
INLINE vec step_float(vec c, vec a, vec b)
{
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return (vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__) && defined(__FMA__)
    return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    vec_f32 x = (vec_f32)a, y = (vec_f32)b, z = (vec_f32)c;

    for (int lane = 0; lane < LANES; lane++)
        z[lane] = __builtin_fmaf(x[lane], y[lane], z[lane]);
    return (vec)z;
#endif
}

/* c + a.low * b.low + a.high * b.high modulo 2^32.  The halves came from int8: products and their
 * sum fit in 32 bits. */
INLINE vec step_pairs(vec c, vec a, vec b)
{
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return c + (vec)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && defined(__FMA__)
    return c + (vec)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
    for (int lane = 0; lane < LANES; lane++) {
        int32_t low = (int16_t)a[lane] * (int16_t)b[lane];
        int32_t high = (int16_t)(a[lane] >> 16) * (int16_t)(b[lane] >> 16);

        c[lane] += (uint32_t)(low + high);
    }
    return c;
#endif
}

INLINE vec canonical(vec c)
{
    vec nan = (vec)((vec_f32)c != (vec_f32)c);

    return (c & ~nan) | (nan & 0x7fc00000u);
}

/* Place of vector v of a row of panels. */
INLINE ptrdiff_t at(int v, ptrdiff_t panel)
{
    return 4 * (v / PER_PANEL * panel + v % PER_PANEL * LANES);
}

enum { ROW_BYTES = 4 * CUBE_PANEL };

/* R rows x V vectors of the accumulator, all steps of k.
 *
 * Operands are images of 32-bit words: A in blocks of 16 rows x `block` steps, a row's steps next to
 * each other; B and C in panels of 16 columns.  Every element is accumulated in ascending k in its
 * own lane, so that the order of its operations does not depend on the blocking.  R, V, `block` and
 * `pairs` are constants at every use, and all loops over accumulators are unrolled: otherwise the
 * compiler keeps the accumulators in memory. */
INLINE void multiply(const int R, const int V, const uint32_t block, const bool pairs, uint8_t *c,
                     ptrdiff_t c_panel, const uint8_t *a, ptrdiff_t a_block, const uint8_t *b,
                     ptrdiff_t b_panel, uint32_t steps, bool init)
{
    vec sum[MAX_ROWS][MAX_VECTORS], right[MAX_VECTORS], left;

    _Pragma("GCC unroll 8") for (int r = 0; r < R; r++)
        _Pragma("GCC unroll 4") for (int v = 0; v < V; v++)
            sum[r][v] = init ? (vec){0} : load(c + at(v, c_panel) + r * ROW_BYTES);
    for (; steps; a += 4 * a_block) {
        uint32_t now = steps < block ? steps : block;

        for (uint32_t k = 0; k < now; k++, b += ROW_BYTES) {
            _Pragma("GCC unroll 4") for (int v = 0; v < V; v++)
                right[v] = load(b + at(v, b_panel));
            _Pragma("GCC unroll 8") for (int r = 0; r < R; r++) {
                left = spread(a + 4 * ((uint32_t)r * block + k));
                _Pragma("GCC unroll 4") for (int v = 0; v < V; v++)
                    sum[r][v] = pairs ? step_pairs(sum[r][v], left, right[v])
                                      : step_float(sum[r][v], left, right[v]);
            }
        }
        steps -= now;
    }
    _Pragma("GCC unroll 8") for (int r = 0; r < R; r++)
        _Pragma("GCC unroll 4") for (int v = 0; v < V; v++) {
            vec result = pairs ? sum[r][v] : canonical(sum[r][v]);

            memcpy(c + at(v, c_panel) + r * ROW_BYTES, &result, sizeof result);
        }
}

/* X for every number of rows, and for every kind, number of panels and number of rows. */
#if defined(__AVX512F__) && defined(__AVX512BW__)
#define MORE_ROWS(X, ...) X(__VA_ARGS__, 7) X(__VA_ARGS__, 8)
#define MORE_PANELS(X, ...) X(__VA_ARGS__, 2)
#else
#define MORE_ROWS(X, ...)
#define MORE_PANELS(X, ...)
#endif
#define EACH_ROWS(X, ...)                                                                          \
    X(__VA_ARGS__, 1)                                                                              \
    X(__VA_ARGS__, 2)                                                                              \
    X(__VA_ARGS__, 3)                                                                              \
    X(__VA_ARGS__, 4)                                                                              \
    X(__VA_ARGS__, 5)                                                                              \
    X(__VA_ARGS__, 6)                                                                              \
    MORE_ROWS(X, __VA_ARGS__)

#define KERNEL(kind, block, pairs, panels, rows)                                                   \
    static void kind##_##panels##_##rows(void *c, ptrdiff_t c_panel, const void *a,                \
                                         ptrdiff_t a_block, const void *b, ptrdiff_t b_panel,      \
                                         uint32_t steps, bool init)                                \
    {                                                                                              \
        multiply(rows, (panels) * PER_PANEL, block, pairs, c, c_panel, a, a_block, b, b_panel,     \
                 steps, init);                                                                     \
    }
#define KERNELS(kind, block, pairs, panels) EACH_ROWS(KERNEL, kind, block, pairs, panels)
#define ENTRY(kind, panels, rows) kind##_##panels##_##rows,
#define ENTRIES(kind, panels) {EACH_ROWS(ENTRY, kind, panels)},

KERNELS(float_8, 8, false, 1)
KERNELS(float_16, 16, false, 1)
KERNELS(pairs_16, 16, true, 1)
MORE_PANELS(KERNELS, float_8, 8, false)
MORE_PANELS(KERNELS, float_16, 16, false)
MORE_PANELS(KERNELS, pairs_16, 16, true)

cube_function *cube_kernel(enum cube_kind kind, uint32_t rows, uint32_t panels)
{
    static cube_function *const kernels[CUBE_KINDS][MAX_PANELS][MAX_ROWS] = {
        [CUBE_FLOAT_8] = {ENTRIES(float_8, 1) MORE_PANELS(ENTRIES, float_8)},
        [CUBE_FLOAT_16] = {ENTRIES(float_16, 1) MORE_PANELS(ENTRIES, float_16)},
        [CUBE_PAIRS_16] = {ENTRIES(pairs_16, 1) MORE_PANELS(ENTRIES, pairs_16)},
    };

    return kernels[kind][panels - 1][rows - 1];
}

void cube_limits(uint32_t *max_rows, uint32_t *max_panels)
{
    *max_rows = MAX_ROWS;
    *max_panels = MAX_PANELS;
}
