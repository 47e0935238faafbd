/* Matrix multiplication: TMMAD, TMATMUL, TMATMUL_ACC.
 *
 * The operands lie in fractals; the kernel wants images (cube.h).  f32 A is used where it lies, the
 * other types are widened block by block; B is transposed out of its fractals into panels.  The
 * images are made in scratch for a limited part of k, n and m at a time, so that any tile fits. */
#include "cube.h"

#include <stdio.h>

#include "place.h"
#include "widen.h"

/* Elements of k, n and m that are in scratch together; multiples of every fractal's sides. */
enum { K_CHUNK = 256, N_CHUNK = 512, M_CHUNK = 512 };
enum { MAX_PANELS = 4 }; /* of any engine */

struct scratch {
    uint32_t a[M_CHUNK * K_CHUNK];
    uint32_t b[K_CHUNK * N_CHUNK];
    uint32_t edge[MAX_PANELS * CUBE_PANEL * CUBE_ROWS]; /* part of c that ends inside fractals */
    uint8_t narrow[K_CHUNK * N_CHUNK * 2];     /* b transposed, not yet widened */
};
_Static_assert(sizeof(struct scratch) <= OP_SCRATCH_BYTES, "images fit into scratch");

struct product {
    struct op_place a, b, c;
    uint8_t a_type, b_type;
    const struct cube_engine *engine;
    bool init; /* of the current chunk of k */
    struct scratch *scratch;
};

/* Part of an operand, in elements. */
struct chunk {
    uint32_t first, count;
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t words(const struct product *p, uint32_t steps)
{
    return (steps + p->engine->per_word - 1) / p->engine->per_word;
}

/* Rows of a panel of B's image: quadruples come in whole fractals, and may have one row first. */
static uint32_t panel_rows(const struct product *p, uint32_t steps)
{
    uint32_t rows = words(p, steps);

    return p->engine->per_word < 4 ? rows : (rows + 7) / 8 * 8 + p->engine->offset;
}

/* ---- images -------------------------------------------------------------------------------- */
static void widen_words(const struct product *p, uint32_t *to, const void *from, size_t count)
{
    mem_i16 *pair = (mem_i16 *)to;
    const mem_i8 *narrow = from;

    if (p->a_type != PTO_I8)
        op_widen(p->a_type, (float *)(void *)to, from, count);
    else if (p->engine->offset)
        for (size_t i = 0; i < count / 4; i++)
            to[i] = ((const mem_u32 *)from)[i] ^ 0x80808080u; /* a + 128 */
    else
        for (size_t i = 0; i < count; i++)
            pair[i] = narrow[i];
}

/* A's image: blocks of 16 rows x `block` words; all blocks of k of 16 rows, then the next 16 rows.
 * A fractal is one block (fp8: two, side by side). */
static void image_of_a(const struct product *p, struct chunk m, struct chunk k)
{
    uint32_t block = p->engine->block, width = p->engine->per_word * block;
    uint32_t fractal = 1u << p->a.col.shift;
    uint32_t *to = p->scratch->a;

    for (uint32_t row = 0; row < m.count; row += CUBE_ROWS) {
        uint32_t rows = least(m.count - row, CUBE_ROWS);

        for (uint32_t col = 0; col < k.count; col += width, to += CUBE_ROWS * block) {
            const uint8_t *from = op_address(&p->a, m.first + row, k.first + col);

            if (width == fractal) {
                widen_words(p, to, from, (size_t)rows * width);
                continue;
            }
            for (uint32_t r = 0; r < rows; r++)
                widen_words(p, to + r * block, from + (int64_t)r * p->a.row.inner, width);
        }
    }
}

/* Two rows of int8 become one of pairs; past the last row of k there is 0. */
static void pair_rows(uint32_t *to, const mem_u8 *from, uint32_t steps)
{
    for (uint32_t k = 0; k < steps; k += 2, to += CUBE_PANEL, from += 2 * CUBE_PANEL)
        for (uint32_t n = 0; n < CUBE_PANEL; n++) {
            uint32_t low = (uint32_t)(int8_t)from[n] & 0xffffu;
            uint32_t high = k + 1 < steps ? (uint32_t)(int8_t)from[CUBE_PANEL + n] : 0;

            to[n] = low | high << 16;
        }
}

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

/* Quadruples with 0 past the last row of k.  A fractal is a square of words: it is transposed. */
static void quads_of_b(const struct product *p, struct chunk k, struct chunk n)
{
    uint32_t rows = panel_rows(p, k.count), first = p->engine->offset, count = words(p, k.count);
    uint32_t *panel = p->scratch->b, panels = (n.count + CUBE_PANEL - 1) / CUBE_PANEL;
    uint32_t last = k.count % 4 ? 0xffffffffu >> (32 - 8 * (k.count % 4)) : 0xffffffffu;
    struct op_place to = {(uint8_t *)(panel + first * CUBE_PANEL),
                          {0, OP_AXIS_PLAIN, 0, 4 * CUBE_PANEL},
                          {0, 4, 4 * CUBE_PANEL * (int64_t)rows, 4},
                          4};
    struct op_place from = op_place_at(p->b, 0, n.first);

    from.row = (struct op_axis){k.first / 4, from.row.shift - 2, from.row.outer, 4};
    from.size = 4;
    op_copy(&to, &from, count, n.count);
    for (uint32_t i = 0; i < panels; i++, panel += rows * CUBE_PANEL) {
        uint32_t *quads = panel + first * CUBE_PANEL;

        for (uint32_t c = 0; c < CUBE_PANEL && count; c++)
            quads[(count - 1) * CUBE_PANEL + c] &= last;
        memset(quads + count * CUBE_PANEL, 0, (rows - first - count) * 4 * CUBE_PANEL);
        if (first)
            offset_row(panel, quads, count);
    }
}

/* B's image: panels of 16 columns, each k rows of 16 words.  Columns past the last are 0. */
static void image_of_b(const struct product *p, struct chunk k, struct chunk n)
{
    uint32_t size = p->b.size, panels = (n.count + CUBE_PANEL - 1) / CUBE_PANEL;
    uint32_t elements = k.count * CUBE_PANEL; /* of a panel */
    uint8_t *narrow = size == 4 ? (uint8_t *)p->scratch->b : p->scratch->narrow;
    struct op_place panel = {narrow,
                             {0, OP_AXIS_PLAIN, 0, CUBE_PANEL * (int64_t)size},
                             {0, 4, (int64_t)elements * size, size},
                             size};
    struct op_place from = op_place_at(p->b, k.first, n.first);

    if (p->engine->per_word == 4) {
        quads_of_b(p, k, n);
        return;
    }
    if (n.count % CUBE_PANEL)
        memset(narrow + (size_t)(panels - 1) * elements * size, 0, (size_t)elements * size);
    op_copy(&panel, &from, k.count, n.count);
    if (size == 4)
        return;
    if (p->engine->per_word == 1) {
        op_widen(p->b_type, (float *)(void *)p->scratch->b, narrow, (size_t)panels * elements);
        return;
    }
    for (uint32_t i = 0; i < panels; i++)
        pair_rows(p->scratch->b + (size_t)i * words(p, k.count) * CUBE_PANEL,
                  narrow + (size_t)i * elements, k.count);
}

/* ---- blocks -------------------------------------------------------------------------------- */
struct strip {
    const uint32_t *b;   /* first panel */
    ptrdiff_t b_panel;   /* words */
    uint32_t col, cols;  /* of c; cols is less than the panels hold at the right edge */
    uint32_t panels, steps;
};

static const void *left_of(const struct product *p, const struct chunk *m, const struct chunk *k,
                           uint32_t row, ptrdiff_t *block)
{
    uint32_t in_block = row % CUBE_ROWS;
    size_t blocks = (words(p, k->count) + p->engine->block - 1) / p->engine->block;

    if (p->engine->in_place) {
        *block = p->a.col.outer / 4;
        return op_address(&p->a, m->first + row, k->first);
    }
    *block = (ptrdiff_t)(CUBE_ROWS * p->engine->block);
    return p->scratch->a + ((row - in_block) * blocks + in_block) * p->engine->block;
}

/* c's rows [row, row + rows) of a strip; where it ends inside of a fractal by way of a copy. */
static void multiply_rows(const struct product *p, const struct strip *strip, const void *a,
                          ptrdiff_t a_block, uint32_t row, uint32_t rows)
{
    cube_function *kernel = p->engine->kernel(rows, strip->panels);
    struct op_place c = op_place_at(p->c, row, strip->col);
    struct op_place edge = {(uint8_t *)p->scratch->edge,
                            {0, OP_AXIS_PLAIN, 0, 4 * CUBE_PANEL},
                            {0, 4, 4 * CUBE_PANEL * CUBE_ROWS, 4},
                            4};

    if (strip->cols == strip->panels * CUBE_PANEL &&
        (rows == CUBE_ROWS || !p->engine->whole_fractals)) {
        kernel(op_address(&c, 0, 0), c.col.outer / 4, a, a_block, strip->b, strip->b_panel,
               strip->steps, p->init);
        return;
    }
    memset(p->scratch->edge, 0, sizeof p->scratch->edge);
    if (!p->init)
        op_copy(&edge, &c, rows, strip->cols);
    kernel(edge.data, edge.col.outer / 4, a, a_block, strip->b, strip->b_panel, strip->steps,
           p->init);
    op_copy(&c, &edge, rows, strip->cols);
}

/* Rows of a fractal are dealt evenly: 16 = 6 + 5 + 5 where the kernel takes at most 6. */
static void multiply_strip(const struct product *p, const struct strip *strip,
                           const struct chunk *m, const struct chunk *k)
{
    uint32_t rows, max_rows = p->engine->max_rows;

    for (uint32_t row = 0; row < m->count; row += rows) {
        uint32_t left = least(m->count - row, CUBE_ROWS - row % CUBE_ROWS);
        uint32_t parts = (left + max_rows - 1) / max_rows;
        ptrdiff_t a_block;
        const void *a = left_of(p, m, k, row, &a_block);

        rows = (left + parts - 1) / parts;
        multiply_rows(p, strip, a, a_block, m->first + row, rows);
    }
}

static void multiply_chunk(const struct product *p, struct chunk m, struct chunk n, struct chunk k)
{
    uint32_t step;
    struct strip strip;

    strip.steps = words(p, k.count);
    strip.b_panel = (ptrdiff_t)panel_rows(p, k.count) * CUBE_PANEL;
    strip.b = p->scratch->b;
    for (uint32_t col = 0; col < n.count; col += step) {
        strip.cols = least(n.count - col, p->engine->max_panels * CUBE_PANEL);
        strip.panels = (strip.cols + CUBE_PANEL - 1) / CUBE_PANEL;
        strip.col = n.first + col;
        step = strip.panels * CUBE_PANEL;
        multiply_strip(p, &strip, &m, &k);
        strip.b += strip.b_panel * strip.panels;
    }
}

/* Chunks of k come in ascending order and go on from what the one before left in c. */
static void multiply(struct product *p, uint32_t rows, uint32_t cols, uint32_t depth)
{
    struct chunk m, n, k = {0, 0};

    do {
        k.count = least(depth - k.first, K_CHUNK);
        for (n.first = 0; n.first < cols; n.first += N_CHUNK) {
            n.count = least(cols - n.first, N_CHUNK);
            image_of_b(p, k, n);
            for (m.first = 0; m.first < rows; m.first += M_CHUNK) {
                m.count = least(rows - m.first, M_CHUNK);
                if (!p->engine->in_place)
                    image_of_a(p, m, k);
                multiply_chunk(p, m, n, k);
            }
        }
        p->init = false;
        k.first += k.count;
    } while (k.first < depth);
}

/* ---- instructions -------------------------------------------------------------------------- */
const char *cube_check(const struct op_args *args)
{
    const struct op_view *c = &args->arg[0].view, *a = &args->arg[1].view, *b = &args->arg[2].view;

    if (a->cols != b->rows || c->rows != a->rows || c->cols != b->cols) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "shapes do not fit: c is %u x %u, a %u x %u, b %u x %u; they must be m x n, "
                 "m x k, k x n",
                 c->rows, c->cols, a->rows, a->cols, b->rows, b->cols);
        return args->message;
    }
    if (c->layout != PTO_NZ || c->space != PTO_L0C)
        return "c must be an nz tile in l0c";
    if ((a->layout != PTO_ZZ && a->layout != PTO_NZ) || b->layout != PTO_ZN)
        return "a must be a zz or nz tile, b a zn tile";
    return NULL;
}

static const struct cube_engine *engine_for(const struct op_args *args)
{
    switch (args->arg[1].view.dtype) {
    case PTO_F32: return &cube_f32;
    case PTO_I8: return args->int8 ? args->int8 : &cube_pairs;
    default: return &cube_small_floats;
    }
}

/* c = a * b if init, else c = c + a * b; a is m x k, b k x n, c m x n.
 *
 * Every element of c starts from +0 or from what it was and takes the products in ascending k, each
 * with one fused multiply-add in f32 (products of f16, bf16 and fp8 are exact in f32); a NaN result
 * is canonical.  int8: int32 sums that wrap around.  Only the valid region of a and b is used, only
 * that of c is written. */
const char *cube_multiply(const struct op_args *args, bool init)
{
    const struct op_view *a = &args->arg[1].view, *b = &args->arg[2].view;
    const char *fault = cube_check(args);
    struct product p;

    if (fault || !a->rows || !b->cols)
        return fault;
    p.a = op_place_of(a);
    p.b = op_place_of(b);
    p.c = op_place_of(&args->arg[0].view);
    p.a_type = a->dtype;
    p.b_type = b->dtype;
    p.engine = engine_for(args);
    p.init = init;
    p.scratch = (struct scratch *)(void *)args->scratch;
    if (p.engine->begin)
        p.engine->begin();
    multiply(&p, a->rows, b->cols, a->cols);
    if (p.engine->end)
        p.engine->end();
    return NULL;
}

OP(TMMAD)
{
    return cube_multiply(args, args->arg[3].i != 0);
}

OP(TMATMUL)
{
    return cube_multiply(args, true);
}

OP(TMATMUL_ACC)
{
    return cube_multiply(args, false);
}
