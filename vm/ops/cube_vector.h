/* What the inner kernels of the cube are made of: the vectors of this level and how many of them an
 * accumulator has, and a function for every size of a block.  Included by cube_kernel.c and
 * cube_vnni.c alone. */
#ifndef PTO_VM_OPS_CUBE_VECTOR_H
#define PTO_VM_OPS_CUBE_VECTOR_H

#include "cube.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__)
enum { LANES = 16, MAX_ROWS = 8, MAX_ROWS_OF_ONE = 16, MAX_PANELS = 2 };
#elif defined(__AVX2__) && defined(__FMA__)
enum { LANES = 8, MAX_ROWS = 6, MAX_ROWS_OF_ONE = 6, MAX_PANELS = 1 };
#else
enum { LANES = 4, MAX_ROWS = 6, MAX_ROWS_OF_ONE = 6, MAX_PANELS = 1 };
#endif

enum {
    PER_PANEL = CUBE_PANEL / LANES, /* vectors of a row of a panel */
    MAX_VECTORS = MAX_PANELS * PER_PANEL,
};

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

/* X for every number of rows, and for every number of panels. */
#if defined(__AVX512F__) && defined(__AVX512BW__)
#define MORE_ROWS(X, ...) X(__VA_ARGS__, 7) X(__VA_ARGS__, 8)
#define MORE_PANELS(X, ...) X(__VA_ARGS__, 2)
#define ROWS_OF_ONE(X, ...)                                                                        \
    X(__VA_ARGS__, 9)                                                                              \
    X(__VA_ARGS__, 10)                                                                             \
    X(__VA_ARGS__, 11)                                                                             \
    X(__VA_ARGS__, 12)                                                                             \
    X(__VA_ARGS__, 13)                                                                             \
    X(__VA_ARGS__, 14)                                                                             \
    X(__VA_ARGS__, 15)                                                                             \
    X(__VA_ARGS__, 16)
#else
#define ROWS_OF_ONE(X, ...)
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

#define INSTANCE(name, steps, words, panels, rows)                                                 \
    static void name##_##panels##_##rows(void *c, ptrdiff_t c_panel, const void *a,                \
                                         ptrdiff_t a_block, const void *b, ptrdiff_t b_panel,      \
                                         uint32_t count, bool init)                                \
    {                                                                                              \
        multiply_##words(rows, (panels) * PER_PANEL, steps, c, c_panel, a, a_block, b, b_panel,    \
                         count, init);                                                             \
    }
#define INSTANCES(name, steps, words, panels) EACH_ROWS(INSTANCE, name, steps, words, panels)
#define ENTRY(name, panels, rows) name##_##panels##_##rows,
#define ENTRIES(name, panels) {EACH_ROWS(ENTRY, name, panels)},

/* cube_NAME, made of multiply_WORDS for blocks of so many steps; then what else an engine has. */
#define ENGINE(name, words, steps, ...)                                                            \
    INSTANCES(name, steps, words, 1)                                                               \
    ROWS_OF_ONE(INSTANCE, name, steps, words, 1)                                                   \
    MORE_PANELS(INSTANCES, name, steps, words)                                                     \
    static cube_function *kernel_##name(uint32_t rows, uint32_t panels)                            \
    {                                                                                              \
        static cube_function *const kernels[MAX_PANELS][MAX_ROWS_OF_ONE] = {                       \
            {EACH_ROWS(ENTRY, name, 1) ROWS_OF_ONE(ENTRY, name, 1)},                               \
            MORE_PANELS(ENTRIES, name)};                                                           \
                                                                                                   \
        return kernels[panels - 1][rows - 1];                                                      \
    }                                                                                              \
    const struct cube_engine cube_##name = {.kernel = kernel_##name,                               \
                                            .max_rows = MAX_ROWS,                                  \
                                            .max_panels = MAX_PANELS,                              \
                                            .max_rows_of_one = MAX_ROWS_OF_ONE,                    \
                                            .block_shift = (steps) == 8 ? 3 : 4,                   \
                                            __VA_ARGS__}

#endif
