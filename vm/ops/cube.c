/* Matrix multiplication: TMMAD, TMATMUL, TMATMUL_ACC.
 *
 * The operands lie in fractals; the kernel wants images (cube_image.c), but for an A that it uses
 * where it lies.  They are made in scratch for a limited part of k, n and m at a time, so that any
 * tile fits. */
#include "cube.h"

#include <stdio.h>

#include "cube_mx.h"

/* Elements of k, n and m that are in scratch together; multiples of every fractal's sides.  The
 * image of B is used at once: with so few columns it does not leave the host's fastest cache. */
enum { K_CHUNK = 256, N_CHUNK = 64, M_CHUNK = 512 };
enum { MAX_PANELS = 4 }; /* of any engine */
enum { FRACTAL_BYTES = 512 };

struct scratch {
    uint32_t a[M_CHUNK * K_CHUNK];
    uint32_t b[(K_CHUNK + 1) * N_CHUNK];
    uint32_t edge[MAX_PANELS * CUBE_PANEL * CUBE_ROWS]; /* part of c that ends inside fractals */
};
_Static_assert(sizeof(struct scratch) <= OP_SCRATCH_BYTES, "images fit into scratch");

struct product {
    struct cube_matrix a, b, c;
    const struct cube_engine *engine;
    bool init; /* of the current chunk of k */
    const struct cube_mx *mx; /* factors with scales, or NULL */
    struct scratch *scratch;
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- images -------------------------------------------------------------------------------- */
static void image_of_a(const struct product *p, struct cube_chunk m, struct cube_chunk k)
{
    if (p->mx)
        cube_mx_left(p->mx, (float *)(void *)p->scratch->a, m.first, m.count, k.first, k.count);
    else if (!p->engine->in_place)
        cube_image_of_a(p->engine, &p->a, p->scratch->a, m, k);
}

static void image_of_b(const struct product *p, struct cube_chunk k, struct cube_chunk n)
{
    if (p->mx)
        cube_mx_right(p->mx, (float *)(void *)p->scratch->b, k.first, k.count, n.first, n.count);
    else
        cube_image_of_b(p->engine, &p->b, p->scratch->b, k, n);
}

/* ---- blocks -------------------------------------------------------------------------------- */
struct strip {
    const uint32_t *b;   /* first panel */
    ptrdiff_t b_panel;   /* words */
    uint32_t col, cols;  /* of c; cols is less than the panels hold at the right edge */
    uint32_t panels, steps;
};

static const uint8_t *left_of(const struct product *p, const struct cube_chunk *m,
                              const struct cube_chunk *k, uint32_t row, ptrdiff_t *block)
{
    uint32_t in_block = row % CUBE_ROWS, shift = p->engine->block_shift;
    size_t blocks = (cube_words(p->engine, k->count) + (1u << shift) - 1) >> shift;

    if (p->engine->in_place) {
        *block = p->a.along / 4;
        return p->a.data + (m->first + row) / CUBE_ROWS * p->a.down +
               (k->first >> p->a.k_shift) * p->a.along + ((size_t)in_block << shift) * 4;
    }
    *block = CUBE_ROWS << shift;
    return (const uint8_t *)(p->scratch->a + (((row - in_block) * blocks + in_block) << shift));
}

static void copy_part(uint8_t *to, int64_t to_panel, const uint8_t *from, int64_t from_panel,
                      uint32_t rows, uint32_t cols)
{
    for (; cols >= CUBE_PANEL; cols -= CUBE_PANEL, to += to_panel, from += from_panel)
        for (uint32_t r = 0; r < rows; r++)
            memcpy(to + r * ROW_BYTES, from + r * ROW_BYTES, ROW_BYTES);
    for (uint32_t r = 0; r < rows && cols; r++)
        memcpy(to + r * ROW_BYTES, from + r * ROW_BYTES, 4 * cols);
}

/* c's rows [row, row + rows) of a strip; where it ends inside of a fractal by way of a copy. */
static void multiply_rows(const struct product *p, const struct strip *strip,
                          cube_function *kernel, const uint8_t *a, ptrdiff_t a_block, uint32_t row,
                          uint32_t rows)
{
    enum { EDGE_PANEL = CUBE_ROWS * CUBE_PANEL };
    uint8_t *edge = (uint8_t *)p->scratch->edge;
    uint8_t *c = p->c.data + strip->col / CUBE_PANEL * p->c.along +
                 row / CUBE_ROWS * p->c.down + row % CUBE_ROWS * ROW_BYTES;

    if (strip->cols == strip->panels * CUBE_PANEL &&
        (rows == CUBE_ROWS || !p->engine->whole_fractals)) {
        kernel(c, p->c.along / 4, a, a_block, strip->b, strip->b_panel, strip->steps, p->init);
        return;
    }
    memset(edge, 0, sizeof p->scratch->edge);
    if (!p->init)
        copy_part(edge, 4 * EDGE_PANEL, c, p->c.along, rows, strip->cols);
    kernel(edge, EDGE_PANEL, a, a_block, strip->b, strip->b_panel, strip->steps, p->init);
    copy_part(c, p->c.along, edge, 4 * EDGE_PANEL, rows, strip->cols);
}

/* Rows of a fractal are dealt evenly: 16 = 6 + 5 + 5 where the kernel takes at most 6.  Dividing
 * them would take a twentieth of the kernel's time. */
static uint32_t rows_at_once(uint32_t left, uint32_t most)
{
    if (left <= most)
        return left;
    return left <= 2 * most ? (left + 1) / 2 : (left + 2) / 3;
}

static void multiply_strip(const struct product *p, const struct strip *strip,
                           const struct cube_chunk *m, const struct cube_chunk *k)
{
    uint32_t max_rows = strip->panels == 1 ? p->engine->max_rows_of_one : p->engine->max_rows;
    uint32_t rows, rows_before = 0;
    cube_function *kernel = NULL;

    for (uint32_t row = 0; row < m->count; row += rows) {
        uint32_t left = least(m->count - row, CUBE_ROWS - row % CUBE_ROWS);
        ptrdiff_t a_block;
        const uint8_t *a = left_of(p, m, k, row, &a_block);

        rows = rows_at_once(left, max_rows);
        if (rows != rows_before)
            kernel = p->engine->kernel(rows, strip->panels);
        rows_before = rows;
        multiply_rows(p, strip, kernel, a, a_block, m->first + row, rows);
    }
}

static void multiply_chunk(const struct product *p, struct cube_chunk m, struct cube_chunk n,
                           struct cube_chunk k)
{
    uint32_t step;
    struct strip strip;

    strip.steps = cube_words(p->engine, k.count);
    strip.b_panel = (ptrdiff_t)cube_panel_rows(p->engine, &p->b, k.count) * CUBE_PANEL;
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
    struct cube_chunk m, n, k = {0, 0};

    do {
        k.count = least(depth - k.first, K_CHUNK);
        for (m.first = 0; m.first < rows; m.first += M_CHUNK) {
            m.count = least(rows - m.first, M_CHUNK);
            image_of_a(p, m, k);
            for (n.first = 0; n.first < cols; n.first += N_CHUNK) {
                n.count = least(cols - n.first, N_CHUNK);
                image_of_b(p, k, n);
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

/* Fractals of 2^rows_shift x 2^cols_shift elements follow each other along rows (zz, zn) or columns
 * (nz); they have so many bytes. */
static struct cube_matrix matrix_of(const struct op_view *view, uint32_t rows_shift,
                                    uint32_t cols_shift, int64_t fractal)
{
    bool by_columns = pto_layouts[view->layout].columns_first;
    uint32_t rows = by_columns && view->pitch ? view->pitch : view->tile_rows;
    uint32_t cols = !by_columns && view->pitch ? view->pitch : view->tile_cols;
    int64_t down = (rows + (1u << rows_shift) - 1) >> rows_shift;
    int64_t along = (cols + (1u << cols_shift) - 1) >> cols_shift;

    return (struct cube_matrix){.data = view->data,
                                .down = by_columns ? fractal : fractal * along,
                                .along = by_columns ? fractal * down : fractal,
                                .type = view->dtype};
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
const char *cube_multiply_scaled(const struct op_args *args, bool init, const struct cube_mx *mx)
{
    const struct op_view *a = &args->arg[1].view, *b = &args->arg[2].view;
    const char *fault = cube_check(args);
    struct product p;
    uint32_t k_shift;

    if (fault || !a->rows || !b->cols)
        return fault;
    k_shift = a->dtype == PTO_F32 ? 3 : a->dtype == PTO_F16 || a->dtype == PTO_BF16 ? 4 : 5;
    p.a = matrix_of(a, 4, k_shift, FRACTAL_BYTES);
    p.b = matrix_of(b, k_shift, 4, FRACTAL_BYTES);
    p.c = matrix_of(&args->arg[0].view, 4, 4, 2 * FRACTAL_BYTES);
    p.a.k_shift = p.b.k_shift = mx ? 0 : k_shift; /* images of scaled factors have no fractals */
    p.engine = engine_for(args);
    p.init = init;
    p.mx = mx;
    p.scratch = (struct scratch *)(void *)args->scratch;
    if (p.engine->begin)
        p.engine->begin();
    multiply(&p, a->rows, b->cols, a->cols * (mx ? mx->a.packed : 1));
    if (p.engine->end)
        p.engine->end();
    return NULL;
}

const char *cube_multiply(const struct op_args *args, bool init)
{
    return cube_multiply_scaled(args, init, NULL);
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
