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

enum { ROW_BYTES = 4 * CUBE_PANEL };

typedef float vec_f32 __attribute__((vector_size(4 * LANES)));
typedef uint32_t vec_u32 __attribute__((vector_size(4 * LANES)));

#define INLINE static inline __attribute__((always_inline))

/* Place of vector v of a row of panels. */
INLINE ptrdiff_t at(int v, ptrdiff_t panel)
{
    return 4 * (v / PER_PANEL * panel + v % PER_PANEL * LANES);
}

INLINE vec_u32 spread(const uint8_t *word)
{
    return (vec_u32){0} + *(const mem_u32 *)word;
}

/* c + a * b with one rounding. */
INLINE vec_f32 step_float(vec_f32 c, vec_f32 a, vec_f32 b)
{
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    for (int lane = 0; lane < LANES; lane++)
        c[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
    return c;
#endif
}

INLINE vec_f32 canonical(vec_f32 c)
{
    vec_u32 nan = (vec_u32)(c != c);

    return (vec_f32)(((vec_u32)c & ~nan) | (nan & 0x7fc00000u));
}

/* c + a.low * b.low + a.high * b.high modulo 2^32.  The halves came from int8: products and their
 * sum fit in 32 bits. */
INLINE vec_u32 step_pairs(vec_u32 c, vec_u32 a, vec_u32 b)
{
#if defined(__AVX512F__) && defined(__AVX512BW__)
    return c + (vec_u32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__) && defined(__FMA__)
    return c + (vec_u32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
    for (int lane = 0; lane < LANES; lane++) {
        int32_t low = (int16_t)a[lane] * (int16_t)b[lane];
        int32_t high = (int16_t)(a[lane] >> 16) * (int16_t)(b[lane] >> 16);

        c[lane] += (uint32_t)(low + high);
    }
    return c;
#endif
}

#define KERNEL multiply_float
#define VEC vec_f32
#define STEP step_float
#define RESULT canonical
#include "cube_kernel.h"
#undef KERNEL
#undef VEC
#undef STEP
#undef RESULT

#define KERNEL multiply_pairs
#define VEC vec_u32
#define STEP step_pairs
#define RESULT(c) (c)
#include "cube_kernel.h"
#undef KERNEL
#undef VEC
#undef STEP
#undef RESULT

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

#define INSTANCE(kind, block, words, panels, rows)                                                 \
    static void kind##_##panels##_##rows(void *c, ptrdiff_t c_panel, const void *a,                \
                                         ptrdiff_t a_block, const void *b, ptrdiff_t b_panel,      \
                                         uint32_t steps, bool init)                                \
    {                                                                                              \
        multiply_##words(rows, (panels) * PER_PANEL, block, c, c_panel, a, a_block, b, b_panel,    \
                         steps, init);                                                             \
    }
#define INSTANCES(kind, block, words, panels) EACH_ROWS(INSTANCE, kind, block, words, panels)
#define ENTRY(kind, panels, rows) kind##_##panels##_##rows,
#define ENTRIES(kind, panels) {EACH_ROWS(ENTRY, kind, panels)},

INSTANCES(float_8, 8, float, 1)
INSTANCES(float_16, 16, float, 1)
INSTANCES(pairs_16, 16, pairs, 1)
MORE_PANELS(INSTANCES, float_8, 8, float)
MORE_PANELS(INSTANCES, float_16, 16, float)
MORE_PANELS(INSTANCES, pairs_16, 16, pairs)

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
