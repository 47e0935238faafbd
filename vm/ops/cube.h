/* Between the parts of the cube: cube.c takes operands apart, cube_image.c makes images of parts,
 * cube_kernel.c multiplies, and where the host has more for int8 cube_vnni.c and cube_amx.c do;
 * bias.c has the instructions that start from a bias or have one row. */
#ifndef PTO_VM_OPS_CUBE_H
#define PTO_VM_OPS_CUBE_H

#include "cube_mx.h"
#include "level.h"

enum { ROW_BYTES = 4 * CUBE_PANEL }; /* of a panel: of the accumulator and of B's image */

/* c[rows x 16 or 32] (+)= a * b for one block of rows, see cube_kernel.c.  All distances are in
 * 32-bit words; `steps` counts words along k. */
typedef void cube_function(void *c, ptrdiff_t c_panel, const void *a, ptrdiff_t a_block,
                           const void *b, ptrdiff_t b_panel, uint32_t steps, bool init);

/* What multiplies words of one kind, which are f32, pairs of int16 or quadruples of int8.  Those of
 * int8 may be beyond the level (cube_vnni.c, cube_amx.c): struct op_set names them. */
struct cube_engine {
    cube_function *(*kernel)(uint32_t rows, uint32_t panels);
    uint32_t max_rows, max_panels;
    uint32_t max_rows_of_one; /* with one panel: half as many registers are taken */
    uint32_t word_shift;  /* 2^ so many elements of k are in a word: dividing by it takes long */
    uint32_t block_shift; /* 2^ so many words are in a row of a block of A */
    bool in_place;        /* A is used where it lies: its fractals are such blocks */
    bool whole_fractals;  /* the kernel knows nothing of rows: it does all of a fractal */
    /* A's image has a + 128, so that it is unsigned; a panel of B begins with a row that takes 128
     * times the sum of its column off again. */
    bool offset;
    void (*begin)(void), (*end)(void); /* around kernels, on their thread; or NULL */
};

/* Where the fractals of an operand lie: bytes to the one below and to the one on the right. */
struct cube_matrix {
    uint8_t *data;
    int64_t down, along;
    uint8_t type;
    uint32_t k_shift; /* 2^ so many elements along k are in a fractal of A or B: in 32 bytes */
};

/* Part of an operand, in elements. */
struct cube_chunk {
    uint32_t first, count;
};

#define cube_image_of_a OP_NAME(cube_image_of_a)
#define cube_image_of_b OP_NAME(cube_image_of_b)
#define cube_f32 OP_NAME(cube_f32)
#define cube_small_floats OP_NAME(cube_small_floats)
#define cube_pairs OP_NAME(cube_pairs)
#define cube_vnni OP_NAME(cube_vnni)
#define cube_amx OP_NAME(cube_amx)
#define cube_check OP_NAME(cube_check)
#define cube_multiply OP_NAME(cube_multiply)

void cube_image_of_a(const struct cube_engine *engine, const struct cube_matrix *a, uint32_t *to,
                     struct cube_chunk m, struct cube_chunk k);
void cube_image_of_b(const struct cube_engine *engine, const struct cube_matrix *b, uint32_t *to,
                     struct cube_chunk k, struct cube_chunk n);
/* Words for so many elements along k, and rows of a panel of B's image: whole fractals. */
static inline uint32_t cube_words(const struct cube_engine *engine, uint32_t steps)
{
    return (steps + (1u << engine->word_shift) - 1) >> engine->word_shift;
}

static inline uint32_t cube_panel_rows(const struct cube_engine *engine,
                                       const struct cube_matrix *b, uint32_t steps)
{
    uint32_t fractals = (steps + (1u << b->k_shift) - 1) >> b->k_shift;

    return (fractals << (b->k_shift - engine->word_shift)) + engine->offset;
}

/* Do operands c, a, b fit each other in shape and layout?  NULL or the fault. */
const char *cube_check(const struct op_args *args);
/* c = a * b if `init`, else c = c + a * b: the semantics stand in cube.c. */
const char *cube_multiply(const struct op_args *args, bool init);

/* The same with factors that have scales (cube_mx.h; NULL: they have none), and with every row of c
 * holding the bias, operand 3, before. */
#define cube_multiply_scaled OP_NAME(cube_multiply_scaled)
#define cube_multiply_bias OP_NAME(cube_multiply_bias)
const char *cube_multiply_scaled(const struct op_args *args, bool init, const struct cube_mx *mx);
const char *cube_multiply_bias(const struct op_args *args, const struct cube_mx *mx);

/* Where A is f32, in blocks of 8 steps; other floats, in blocks of 16; int8 as pairs. */
extern const struct cube_engine cube_f32, cube_small_floats, cube_pairs;
/* Where the build has them. */
extern const struct cube_engine cube_vnni, cube_amx;

#endif
