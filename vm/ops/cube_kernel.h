/* The inner kernel of the cube: R rows x V vectors of an accumulator, all steps of k.
 *
 * Included once per kind of step, with
 *   CUBE(name)          name of what this inclusion defines
 *   CUBE_WORD           type of the 32-bit words of the accumulator (float, int32_t)
 *   CUBE_STEP(c, a, b)  c + a * b of vectors: one step of k (f32), or two (pairs of int16)
 *   CUBE_RESULT(c)      what is written back
 *
 * Operands are images of 32-bit words: A in blocks of 16 rows x BLOCK steps, a row's steps next to
 * each other; B and C in panels 16 columns wide.  Every element is accumulated in ascending k in
 * its own lane, so the order of operations does not depend on the blocking.
 *
 * R, V and BLOCK are constants at every use and all loops over accumulators are unrolled: otherwise
 * the compiler keeps the accumulators in memory. */
#define CUBE_VEC CUBE(vec)

static inline __attribute__((always_inline)) void
CUBE(block)(const int R, const int V, const int BLOCK, CUBE_WORD *c, ptrdiff_t c_panel,
            const CUBE_WORD *a, ptrdiff_t a_block, const CUBE_WORD *b, ptrdiff_t b_panel,
            uint32_t steps, bool init)
{
    enum { PER_PANEL = PANEL / CUBE_LANES };
    CUBE_VEC sum[8][2];

    _Pragma("GCC unroll 8") for (int r = 0; r < R; r++)
        _Pragma("GCC unroll 2") for (int v = 0; v < V; v++)
            sum[r][v] = init ? CUBE(zero)()
                             : CUBE(load)(c + v / PER_PANEL * c_panel + r * PANEL +
                                          v % PER_PANEL * CUBE_LANES);
    for (uint32_t left = steps; left; a += a_block) {
        uint32_t now = left < (uint32_t)BLOCK ? left : (uint32_t)BLOCK;

        for (uint32_t k = 0; k < now; k++, b += PANEL) {
            CUBE_VEC right[2];

            _Pragma("GCC unroll 2") for (int v = 0; v < V; v++)
                right[v] = CUBE(load)(b + v / PER_PANEL * b_panel + v % PER_PANEL * CUBE_LANES);
            _Pragma("GCC unroll 8") for (int r = 0; r < R; r++) {
                CUBE_VEC left_row = CUBE(spread)(a + r * BLOCK + k);

                _Pragma("GCC unroll 2") for (int v = 0; v < V; v++)
                    sum[r][v] = CUBE_STEP(sum[r][v], left_row, right[v]);
            }
        }
        left -= now;
    }
    _Pragma("GCC unroll 8") for (int r = 0; r < R; r++)
        _Pragma("GCC unroll 2") for (int v = 0; v < V; v++)
            CUBE(store)(c + v / PER_PANEL * c_panel + r * PANEL + v % PER_PANEL * CUBE_LANES,
                        CUBE_RESULT(sum[r][v]));
}
