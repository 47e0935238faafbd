/* int8 of the cube in the host's own tiles: TDPBSSD multiplies 16 rows of up to 64 signed bytes by
 * as many rows of quadruples and adds to 16 x 16 int32, which wrap around.
 *
 * A fractal of A, 16 rows of 32 bytes, is one such tile where it lies, and half as deep as one may
 * be: making deeper ones would be a copy of A.  A panel of B has its rows of quadruples already. */
#include "cube.h"

#include <immintrin.h>

enum { STEPS = 8, C_STRIDE = 4 * CUBE_PANEL, A_STRIDE = 4 * STEPS, B_STRIDE = 4 * CUBE_PANEL };
enum { MAX_PANELS = 4, LEFT = 4, RIGHT = 5, TILES = 7 }; /* 0 to 3 are sums, 5 and 6 take turns */

/* Compilers do not tell that tiles are loaded from memory and stored to it: nothing that writes or
 * reads it may move across this. */
#define MEMORY_IS_USED() __asm__ volatile("" ::: "memory")

static void begin(void)
{
    struct {
        uint8_t palette, first_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } config = {.palette = 1};

    _Static_assert(sizeof config == 64, "as the instruction wants it");
    for (int i = 0; i < TILES; i++) {
        config.row_bytes[i] = i == LEFT ? A_STRIDE : C_STRIDE;
        config.rows[i] = i < RIGHT ? CUBE_ROWS : STEPS;
    }
    MEMORY_IS_USED();
    _tile_loadconfig(&config);
    MEMORY_IS_USED();
}

static void end(void)
{
    _tile_release();
}

/* The instructions name their tiles themselves. */
#define START(tile)                                                                                \
    if (panels > (tile)) {                                                                         \
        if (init)                                                                                  \
            _tile_zero(tile);                                                                      \
        else                                                                                       \
            _tile_loadd(tile, c + 4 * (tile)*c_panel, C_STRIDE);                                   \
    }
#define STEP(tile, right)                                                                          \
    if (panels > (tile)) {                                                                         \
        _tile_loadd(right, b + 4 * (tile)*b_panel, B_STRIDE);                                      \
        _tile_dpbssd(tile, 4, right);                                                           \
    }
#define RESULT(tile)                                                                               \
    if (panels > (tile))                                                                           \
        _tile_stored(tile, c + 4 * (tile)*c_panel, C_STRIDE);

static inline __attribute__((always_inline)) void
multiply(const int panels, uint8_t *c, ptrdiff_t c_panel, const uint8_t *a, ptrdiff_t a_block,
         const uint8_t *b, ptrdiff_t b_panel, uint32_t steps, bool init)
{
    MEMORY_IS_USED();
    START(0)
    START(1)
    START(2)
    START(3)
    for (uint32_t k = 0; k < steps; k += STEPS, a += 4 * a_block, b += STEPS * B_STRIDE) {
        _tile_loadd(4, a, A_STRIDE); /* LEFT */
        STEP(0, 5)
        STEP(1, 6)
        STEP(2, 5)
        STEP(3, 6)
    }
    RESULT(0)
    RESULT(1)
    RESULT(2)
    RESULT(3)
    MEMORY_IS_USED();
}

#define PANELS(count)                                                                              \
    static void multiply_##count(void *c, ptrdiff_t c_panel, const void *a, ptrdiff_t a_block,     \
                                 const void *b, ptrdiff_t b_panel, uint32_t steps, bool init)      \
    {                                                                                              \
        multiply(count, c, c_panel, a, a_block, b, b_panel, steps, init);                          \
    }
PANELS(1)
PANELS(2)
PANELS(3)
PANELS(4)

static cube_function *kernel(uint32_t rows, uint32_t panels)
{
    static cube_function *const kernels[MAX_PANELS] = {multiply_1, multiply_2, multiply_3,
                                                       multiply_4};

    (void)rows;
    return kernels[panels - 1];
}

const struct cube_engine cube_amx = {.kernel = kernel,
                                     .max_rows = CUBE_ROWS,
                                     .max_panels = MAX_PANELS,
                                     .max_rows_of_one = CUBE_ROWS,
                                     .word_shift = 2,
                                     .block_shift = 3,
                                     .in_place = true,
                                     .whole_fractals = true,
                                     .begin = begin,
                                     .end = end};
