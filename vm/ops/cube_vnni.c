/* int8 of the cube in quadruples: VPDPBUSD multiplies four unsigned bytes by four signed ones and
 * adds all products to an int32, which wraps around.  So A is taken as a + 128, and what that adds
 * comes off at the start (struct cube_engine, `offset`): the sum is the same modulo 2^32.
 *
 * Compiled for AVX512-VNNI at level v4, and for AVX-VNNI at level v3. */
#include "cube_vector.h"

INLINE vec_u32 step_quads(vec_u32 c, vec_u32 a, vec_u32 b)
{
#ifdef __AVX512VNNI__
    return (vec_u32)_mm512_dpbusd_epi32((__m512i)c, (__m512i)a, (__m512i)b);
#else
    return (vec_u32)_mm256_dpbusd_avx_epi32((__m256i)c, (__m256i)a, (__m256i)b);
#endif
}

#define KERNEL multiply_quads
#define VEC vec_u32
#define STEP step_quads
#define START(c, row) ((c) + (row))
#define START_ROWS 1
#define RESULT(c) (c)
#include "cube_kernel.h"

ENGINE(vnni, quads, 8, .word_shift = 2, .offset = true);
