/* From operands to rows of elements. */
#include "lanes.h"

#include "apart.h"

enum { BLOCK = 512 }; /* elements that go through buffers at a time; a multiple of 8: whole bytes */

/* How the elements of one lane reach the function. */
enum way { SINGLE, DIRECT, BUFFERED };

struct buffer {
    _Alignas(64) uint8_t bytes[BLOCK * 8];
};

/* Lanes that are to be worked on, turned so that rows are long. */
struct work {
    struct op_lane *lane;
    unsigned lanes;
    uint32_t rows, cols;
    op_rows_function *function;
    enum way way[OP_LANES];
    unsigned single; /* lanes on the way SINGLE */
};

static bool plain(const struct op_axis *axis)
{
    return axis->shift == OP_AXIS_PLAIN;
}

static bool constant_along(const struct op_axis *axis)
{
    return plain(axis) && axis->inner == 0;
}

static bool constant(const struct op_place *place)
{
    return constant_along(&place->row) && constant_along(&place->col);
}

/* Places that `count` elements of a row take. */
static uint32_t width_of(const struct op_lane *lane, uint32_t count)
{
    return lane->bits ? (count + 7) / 8 : count;
}

/* ---- a whole region in one call -------------------------------------------------------------- */
/* Do rows follow each other without gaps? */
static bool gapless(const struct op_lane *lane, uint32_t rows, uint32_t cols)
{
    const struct op_place *place = &lane->place;
    int64_t size = place->size;

    return plain(&place->row) && plain(&place->col) && place->col.inner == size &&
           (rows == 1 ||
            (place->row.inner == size * width_of(lane, cols) && !(lane->bits && cols % 8)));
}

/* The same elements, or no byte in common? */
static bool same_or_apart(const void *a, uint32_t a_size, size_t a_bytes, const void *b,
                          uint32_t b_size, size_t b_bytes)
{
    const uint8_t *x = a, *y = b;

    return (x == y && a_size == b_size && a_bytes == b_bytes) || x + a_bytes <= y ||
           y + b_bytes <= x;
}

static bool apart_from_results(const struct op_lane *lane, unsigned lanes, void *const *at,
                               const size_t *bytes, unsigned source)
{
    for (unsigned i = 0; i < lanes; i++)
        if (lane[i].written && !same_or_apart(at[i], lane[i].place.size, bytes[i], at[source],
                                              lane[source].place.size, bytes[source]))
            return false;
    return true;
}

/* Where every lane begins, if one call does it all. */
static bool in_one_call(const struct op_lane *lane, unsigned lanes, uint32_t rows, uint32_t cols,
                        void **at, unsigned *single)
{
    size_t bytes[OP_LANES];

    *single = 0;
    for (unsigned i = 0; i < lanes; i++) {
        const struct op_place *place = &lane[i].place;

        at[i] = op_address(place, 0, 0);
        bytes[i] = place->size;
        if (!lane[i].written && constant(place))
            *single |= 1u << i;
        else if (gapless(&lane[i], rows, cols))
            bytes[i] *= (size_t)rows * width_of(&lane[i], cols);
        else
            return false;
    }
    for (unsigned i = 0; i < lanes; i++)
        if (!lane[i].written && !apart_from_results(lane, lanes, at, bytes, i))
            return false;
    return true;
}

/* ---- sources that a result would spoil ------------------------------------------------------- */
/* Bits and elements of the same column lie at different addresses even where their tiles agree, so
 * those are never "the same place": a flipped place covers the same bytes and equals no other. */
static const char *detach(const struct op_args *args, struct op_lane *lane, unsigned lanes,
                          uint32_t rows, uint32_t cols)
{
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = NULL;

    for (unsigned to = 0; to < lanes; to++) {
        for (unsigned from = 0; from < lanes && lane[to].written && !fault; from++) {
            uint32_t to_cols = width_of(&lane[to], cols), from_cols = width_of(&lane[from], cols);
            struct op_place flipped = op_place_flip(lane[to].place);

            if (lane[from].written)
                continue;
            if (lane[to].bits == lane[from].bits)
                fault = op_detach(&scratch, &lane[to].place, rows, to_cols, &lane[from].place,
                                  rows, from_cols);
            else
                fault = op_detach(&scratch, &flipped, to_cols, rows, &lane[from].place, rows,
                                  from_cols);
        }
    }
    return fault;
}

/* ---- long rows ------------------------------------------------------------------------------- */
/* Rows as they lie may be used if they are in one piece. */
static bool in_one_piece(const struct op_lane *lane, uint32_t cols)
{
    const struct op_place *place = &lane->place;

    return (cols == 1 || place->col.inner == (int64_t)place->size) &&
           op_axis_run(&place->col, 0) >= width_of(lane, cols);
}

/* Is row r + 1 the continuation of row r? */
static bool continues(const struct op_lane *lane, uint32_t cols)
{
    const struct op_place *place = &lane->place;

    return plain(&place->row) && plain(&place->col) && !(lane->bits && cols % 8) &&
           (uint64_t)place->row.inner == (uint64_t)place->col.inner * width_of(lane, cols);
}

/* Columns become rows where the result is contiguous down its columns. */
static void turn(struct work *w)
{
    const struct op_place *result = &w->lane[0].place;
    bool down = result->row.inner == (int64_t)result->size &&
                (w->cols == 1 || !in_one_piece(&w->lane[0], w->cols));
    uint32_t rows = w->rows;

    for (unsigned i = 0; i < w->lanes; i++)
        down = down && !w->lane[i].bits;
    if (!down)
        return;
    for (unsigned i = 0; i < w->lanes; i++)
        w->lane[i].place = op_place_flip(w->lane[i].place);
    w->rows = w->cols;
    w->cols = rows;
}

/* Regions without gaps become one row. */
static void join(struct work *w)
{
    bool all = (uint64_t)w->rows * w->cols <= UINT32_MAX;

    for (unsigned i = 0; i < w->lanes; i++)
        all = all && continues(&w->lane[i], w->cols);
    if (!all)
        return;
    w->cols *= w->rows;
    w->rows = 1;
}

static void choose_ways(struct work *w)
{
    for (unsigned i = 0; i < w->lanes; i++) {
        const struct op_lane *lane = &w->lane[i];

        if (!lane->written && constant_along(&lane->place.col)) {
            w->way[i] = SINGLE;
            w->single |= 1u << i;
        } else {
            w->way[i] = in_one_piece(lane, w->cols) ? DIRECT : BUFFERED;
        }
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */
/* How many rows of `width` columns go together. */
static uint32_t height_of(const struct work *w, uint32_t width)
{
    uint32_t height = BLOCK / width;

    for (unsigned i = 0; i < w->lanes; i++)
        if ((w->way[i] == SINGLE && !constant_along(&w->lane[i].place.row)) ||
            (w->lane[i].bits && width % 8))
            height = 1;
    return height;
}

/* Part of the rows. */
struct block {
    uint32_t row, col, height, width;
};

/* The block where it lies, or NULL if its elements are not one row. */
static void *in_place(const struct work *w, unsigned i, const struct block *b)
{
    const struct op_lane *lane = &w->lane[i];
    const struct op_place *place = &lane->place;
    uint32_t width = width_of(lane, b->width);

    if (w->way[i] == SINGLE)
        return op_address(place, b->row, 0);
    if (w->way[i] == BUFFERED)
        return NULL;
    if (b->height > 1 && (place->row.inner != (int64_t)place->size * width ||
                          op_axis_run(&place->row, b->row) < b->height))
        return NULL;
    return op_address(place, b->row, lane->bits ? b->col / 8 : b->col);
}

/* Between a lane's place and its buffer, row by row. */
static void copy_block(const struct op_lane *lane, struct buffer *buffer, const struct block *b,
                       bool store)
{
    uint32_t size = lane->place.size, width = width_of(lane, b->width);
    struct op_place memory =
        op_place_at(lane->place, b->row, lane->bits ? b->col / 8 : b->col);
    struct op_place row = op_strided(buffer->bytes, (int64_t)width * size, size, size);

    if (store)
        op_copy(&memory, &row, b->height, width);
    else
        op_copy(&row, &memory, b->height, width);
}

static const char *run_block(const struct work *w, struct buffer *buffer, const struct block *b)
{
    void *at[OP_LANES], *direct[OP_LANES];
    const char *fault;

    for (unsigned i = 0; i < w->lanes; i++) {
        direct[i] = in_place(w, i, b);
        at[i] = direct[i] ? direct[i] : buffer[i].bytes;
        if (!direct[i] && w->lane[i].read)
            copy_block(&w->lane[i], &buffer[i], b, false);
    }
    fault = w->function(at, (size_t)b->height * b->width, w->single, NULL);
    for (unsigned i = 0; i < w->lanes && !fault; i++)
        if (!direct[i] && w->lane[i].written)
            copy_block(&w->lane[i], &buffer[i], b, true);
    return fault;
}

static const char *run_blocks(const struct work *w)
{
    struct buffer buffer[OP_LANES];
    uint32_t width = w->cols < BLOCK ? w->cols : BLOCK, height = height_of(w, width);
    const char *fault = NULL;

    for (uint32_t row = 0; row < w->rows && !fault; row += height)
        for (uint32_t col = 0; col < w->cols && !fault; col += width) {
            struct block b = {row, col, w->rows - row < height ? w->rows - row : height,
                              w->cols - col < width ? w->cols - col : width};

            fault = run_block(w, buffer, &b);
        }
    return fault;
}

/* Rows as they lie: in one call if each operand's are at one distance. */
static const char *run_rows(const struct work *w)
{
    struct op_down down = {.rows = w->rows};
    const char *fault = NULL;
    void *at[OP_LANES];
    bool even = true;

    for (unsigned i = 0; i < w->lanes; i++) {
        const struct op_place *place = &w->lane[i].place;

        even = even && plain(&place->row);
        at[i] = op_address(place, 0, 0);
        down.stride[i] = place->row.inner;
    }
    if (even)
        return w->function(at, w->cols, w->single, &down);
    for (uint32_t row = 0; row < w->rows && !fault; row++) {
        for (unsigned i = 0; i < w->lanes; i++)
            at[i] = op_address(&w->lane[i].place, row, 0);
        fault = w->function(at, w->cols, w->single, NULL);
    }
    return fault;
}

const char *op_run_lanes(const struct op_args *args, uint32_t rows, uint32_t cols,
                         struct op_lane *lane, unsigned lanes, op_rows_function *function)
{
    struct work w = {.lane = lane, .lanes = lanes, .rows = rows, .cols = cols,
                     .function = function};
    bool buffered = false;
    void *at[OP_LANES];
    const char *fault;
    unsigned single;

    if (!rows || !cols)
        return NULL;
    if (!function)
        return OP_NO_FUNCTION;
    if (in_one_call(lane, lanes, rows, cols, at, &single))
        return function(at, (size_t)rows * cols, single, NULL);
    fault = detach(args, lane, lanes, rows, cols);
    if (fault)
        return fault;
    turn(&w);
    join(&w);
    choose_ways(&w);
    for (unsigned i = 0; i < lanes; i++)
        buffered = buffered || w.way[i] == BUFFERED;
    return buffered ? run_blocks(&w) : run_rows(&w);
}
