/* The inner kernel of the cube: R rows x V vectors of an accumulator, all steps of k.
 *
 * Included once per kind of word by cube_kernel.c, with KERNEL (the name of the function), VEC (a
 * vector of LANES words: its element type decides, a vector of other words that is reinterpreted at
 * every step would not stay in registers), STEP(c, a, b), START(c, row), where all rows start with
 * the first START_ROWS rows of b (0 or 1), and RESULT(c).
 *
 * Operands are images of 32-bit words: A in blocks of 16 rows x `block` steps, a row's steps next
 * to each other; B and C in panels of 16 columns.  Every element is accumulated in ascending k in
 * its own lane, so that the order of its operations does not depend on the blocking.  R, V and
 * `block` are constants at every use and all loops over accumulators are unrolled, to keep them in
 * registers, too. */
INLINE void KERNEL(const int R, const int V, const uint32_t block, uint8_t *c, ptrdiff_t c_panel,
                   const uint8_t *a, ptrdiff_t a_block, const uint8_t *b, ptrdiff_t b_panel,
                   uint32_t steps, bool init)
{
    VEC sum[MAX_ROWS_OF_ONE][MAX_VECTORS], right[MAX_VECTORS], left;

#if START_ROWS
    _Pragma("GCC unroll 4") for (int v = 0; v < V; v++)
        memcpy(&right[v], b + at(v, b_panel), sizeof(VEC));
    b += START_ROWS * ROW_BYTES;
#endif
    if (init) {
        _Pragma("GCC unroll 16") for (int r = 0; r < R; r++)
            _Pragma("GCC unroll 4") for (int v = 0; v < V; v++)
                sum[r][v] = START((VEC){0}, right[v]);
    } else {
        _Pragma("GCC unroll 16") for (int r = 0; r < R; r++)
            _Pragma("GCC unroll 4") for (int v = 0; v < V; v++) {
                memcpy(&sum[r][v], c + at(v, c_panel) + r * ROW_BYTES, sizeof(VEC));
                sum[r][v] = START(sum[r][v], right[v]);
            }
    }
    for (; steps; a += 4 * a_block) {
        uint32_t now = steps < block ? steps : block;

        for (uint32_t k = 0; k < now; k++, b += ROW_BYTES) {
            _Pragma("GCC unroll 4") for (int v = 0; v < V; v++)
                memcpy(&right[v], b + at(v, b_panel), sizeof(VEC));
            _Pragma("GCC unroll 16") for (int r = 0; r < R; r++) {
                left = (VEC)spread(a + 4 * ((uint32_t)r * block + k));
                _Pragma("GCC unroll 4") for (int v = 0; v < V; v++)
                    sum[r][v] = STEP(sum[r][v], left, right[v]);
            }
        }
        steps -= now;
    }
    _Pragma("GCC unroll 16") for (int r = 0; r < R; r++) {
        _Pragma("GCC unroll 4") for (int v = 0; v < V; v++) {
            VEC result = RESULT(sum[r][v]);

            memcpy(c + at(v, c_panel) + r * ROW_BYTES, &result, sizeof(VEC));
        }
    }
}
