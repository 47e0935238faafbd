/* The walk over rows, and the checks that all elementwise instructions share. */
#include "walk.h"

#include <stdio.h>

#include "widen.h"

enum { CHUNK = 256 }; /* elements that go through buffers at a time */

/* One operand on its way through the rows. */
struct lane {
    struct op_place place;
    uint8_t dtype;
    bool constant;   /* one element for the whole row */
    bool contiguous; /* rows can be used where they lie */
    bool widen;
    _Alignas(64) uint8_t raw[CHUNK * 8];
    _Alignas(64) float wide[CHUNK];
};

struct op_operand op_column(const struct op_view *view)
{
    struct op_operand operand = op_operand_of(view);

    operand.place.col = (struct op_axis){0, OP_AXIS_PLAIN, 0, 0};
    return operand;
}

static bool plain(const struct op_axis *axis)
{
    return axis->shift == OP_AXIS_PLAIN;
}

static bool constant_along(const struct op_axis *axis)
{
    return plain(axis) && axis->inner == 0;
}

/* Rows as they lie may be used if they are in one piece. */
static bool in_one_piece(const struct op_place *place, uint32_t cols)
{
    return (cols == 1 || place->col.inner == (int64_t)place->size) &&
           op_axis_run(&place->col, 0) >= cols;
}

/* Is row r + 1 the continuation of row r? */
static bool continues(const struct op_place *place, uint32_t cols)
{
    return plain(&place->row) && plain(&place->col) &&
           (uint64_t)place->row.inner == (uint64_t)place->col.inner * cols;
}

static void lane_start(struct lane *lane, const struct op_operand *operand, bool flip, bool widen)
{
    lane->place = flip ? op_place_flip(operand->place) : operand->place;
    lane->dtype = operand->dtype;
    lane->widen = widen && op_is_small_float(operand->dtype);
}

static void lane_shape(struct lane *lane, uint32_t cols)
{
    lane->constant = constant_along(&lane->place.col);
    lane->contiguous = lane->constant || in_one_piece(&lane->place, cols);
}

/* Elements [col, col + count) of a row, as the function wants them. */
static const void *lane_fetch(struct lane *lane, uint32_t row, uint32_t col, uint32_t count)
{
    const void *from = op_address(&lane->place, row, col);

    if (!lane->contiguous) {
        struct op_place source = op_place_at(lane->place, row, col);
        struct op_place raw = op_strided(lane->raw, 0, source.size, source.size);

        op_copy(&raw, &source, 1, count);
        from = lane->raw;
    }
    if (!lane->widen)
        return from;
    op_widen(lane->dtype, lane->wide, from, lane->constant ? 1 : count);
    return lane->wide;
}

/* Where results go at first, and from there to their place. */
static void *lane_target(struct lane *lane, uint32_t row, uint32_t col)
{
    if (lane->widen)
        return lane->wide;
    return lane->contiguous ? op_address(&lane->place, row, col) : lane->raw;
}

static void lane_store(struct lane *lane, uint32_t row, uint32_t col, uint32_t count)
{
    void *to = lane->contiguous ? op_address(&lane->place, row, col) : lane->raw;

    if (lane->widen)
        op_narrow(lane->dtype, to, lane->wide, count);
    if (!lane->contiguous) {
        struct op_place target = op_place_at(lane->place, row, col);
        struct op_place raw = op_strided(lane->raw, 0, target.size, target.size);

        op_copy(&target, &raw, 1, count);
    }
}

static const char *walk_rows(struct lane *d, struct lane *a, struct lane *b, uint32_t rows,
                             uint32_t cols, op_row_function *function)
{
    bool direct = d->contiguous && a->contiguous && (!b || b->contiguous) && !d->widen &&
                  !a->widen && (!b || !b->widen);
    uint32_t step = direct ? cols : CHUNK;

    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t col = 0; col < cols;) {
            uint32_t count = cols - col < step ? cols - col : step;
            const void *x = lane_fetch(a, row, col, count);
            const void *y = b ? lane_fetch(b, row, col, count) : NULL;
            const char *fault = function(lane_target(d, row, col), x, y, count);

            if (fault)
                return fault;
            lane_store(d, row, col, count);
            col += count;
        }
    }
    return NULL;
}

/* Columns become rows where the destination is contiguous down its columns, and a tile without gaps
 * becomes one row. */
static const char *walk_lanes(const struct op_operand *d, const struct op_operand *a,
                              const struct op_operand *b, uint32_t rows, uint32_t cols,
                              const struct op_kernel *kernel, bool widen)
{
    struct lane lane[3];
    struct lane *third = b ? &lane[2] : NULL;
    bool flip = d->place.row.inner == (int64_t)d->place.size &&
                (cols == 1 || !in_one_piece(&d->place, cols));
    op_row_function *function = kernel->tile;

    lane_start(&lane[0], d, flip, widen);
    lane_start(&lane[1], a, flip, widen);
    if (b)
        lane_start(&lane[2], b, flip, widen);
    if (flip) {
        uint32_t swap = rows;

        rows = cols;
        cols = swap;
    }
    if (continues(&lane[0].place, cols) && continues(&lane[1].place, cols) &&
        (!b || continues(&lane[2].place, cols)) && (uint64_t)rows * cols <= UINT32_MAX) {
        cols *= rows;
        rows = 1;
    }
    for (int i = 0; i < (b ? 3 : 2); i++)
        lane_shape(&lane[i], cols);
    if (b && lane[2].constant)
        function = kernel->scalar;
    else if (lane[1].constant)
        function = kernel->reverse;
    return function ? walk_rows(&lane[0], &lane[1], third, rows, cols, function) : OP_NO_FUNCTION;
}

static uint32_t distinct(const struct op_axis *axis, uint32_t count)
{
    return constant_along(axis) ? 1 : count;
}

const char *op_detach(struct op_scratch *scratch, const struct op_place *dst, uint32_t dst_rows,
                      uint32_t dst_cols, struct op_place *src, uint32_t rows, uint32_t cols)
{
    uint32_t own_rows = distinct(&src->row, rows), own_cols = distinct(&src->col, cols);
    size_t line = (size_t)own_cols * src->size;
    struct op_place copy;

    if (op_same_place(dst, src) || !op_overlap(dst, dst_rows, dst_cols, src, own_rows, own_cols))
        return NULL;
    if (line > (OP_SCRATCH_BYTES - scratch->used) / own_rows)
        return "operands overlap in a window that is too large: use separate tiles";
    copy = op_strided(scratch->base + scratch->used, (int64_t)line, src->size, src->size);
    op_copy(&copy, src, own_rows, own_cols);
    scratch->used += (line * own_rows + 63) / 64 * 64;
    copy.row.inner = own_rows < rows ? 0 : copy.row.inner;
    copy.col.inner = own_cols < cols ? 0 : copy.col.inner;
    *src = copy;
    return NULL;
}

/* ---- the common case: whole tiles without gaps --------------------------------------------- */
static bool gapless(const struct op_place *place, uint32_t rows, uint32_t cols, uint32_t size)
{
    return plain(&place->row) && plain(&place->col) && !place->row.first && !place->col.first &&
           place->size == size && place->col.inner == (int64_t)size &&
           (rows == 1 || place->row.inner == (int64_t)cols * size);
}

/* The same bytes or none in common. */
static bool same_or_apart(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    return a == b || a + bytes <= b || b + bytes <= a;
}

static bool everywhere_constant(const struct op_place *place)
{
    return constant_along(&place->row) && constant_along(&place->col);
}

/* The function that does it all in one call, or NULL if the operands need the walk. */
static op_row_function *in_one_call(uint32_t rows, uint32_t cols, const struct op_place *d,
                                    const struct op_place *a, const struct op_place *b,
                                    const struct op_kernel *kernel)
{
    size_t bytes = (size_t)rows * cols * d->size;

    if (!gapless(d, rows, cols, d->size) || !gapless(a, rows, cols, d->size) ||
        !same_or_apart(d->data, a->data, bytes))
        return NULL;
    if (!b)
        return kernel->tile;
    if (everywhere_constant(b))
        return kernel->scalar;
    if (gapless(b, rows, cols, d->size) && same_or_apart(d->data, b->data, bytes))
        return kernel->tile;
    return NULL;
}

const char *op_walk(const struct op_args *args, uint32_t rows, uint32_t cols,
                    const struct op_operand *d, const struct op_operand *a,
                    const struct op_operand *b, const struct op_kernel *kernel, bool widen)
{
    struct op_scratch scratch = {args->scratch, 0};
    struct op_operand left, right;
    op_row_function *function = NULL;
    const char *fault;

    if (!rows || !cols)
        return NULL;
    if (!widen || !(op_is_small_float(d->dtype) || op_is_small_float(a->dtype)))
        function = in_one_call(rows, cols, &d->place, &a->place, b ? &b->place : NULL, kernel);
    if (function)
        return function(d->place.data, a->place.data, b ? b->place.data : NULL,
                        (size_t)rows * cols);
    left = *a;
    fault = op_detach(&scratch, &d->place, rows, cols, &left.place, rows, cols);
    if (fault || !b)
        return fault ? fault : walk_lanes(d, &left, NULL, rows, cols, kernel, widen);
    right = *b;
    fault = op_detach(&scratch, &d->place, rows, cols, &right.place, rows, cols);
    return fault ? fault : walk_lanes(d, &left, &right, rows, cols, kernel, widen);
}

const char *op_covers(const struct op_args *args, int index, const char *name, uint32_t rows,
                      uint32_t cols)
{
    const struct op_view *view = &args->arg[index].view;

    if (view->rows >= rows && view->cols >= cols)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES,
             "%s has %u x %u valid elements where %u x %u are needed: extend it or shrink the "
             "destination",
             name, view->rows, view->cols, rows, cols);
    return args->message;
}
