/* Transfers between all layouts, with windows, strides, casts and atomic operations. */
#include "ops_support.h"

static const int dtypes[] = {PTO_I8, PTO_F16, PTO_F32, PTO_I64};
enum { SPACE_GM = PTO_SPACE_COUNT, GM_AT = 400000, TILE_AT = 64 };

/* A window of global memory: an nd "tile" whose strides are its own. */
struct window {
    struct ops_tile tile;
    int64_t row_stride, col_stride;
};

static size_t window_place(const struct window *w, uint32_t r, uint32_t c)
{
    return (size_t)((int64_t)w->tile.at + r * w->row_stride + c * w->col_stride);
}

static struct window window(int dtype, uint32_t rows, uint32_t cols, int64_t row, int64_t col)
{
    struct window w = {ops_tile(dtype, PTO_ND, rows, cols, GM_AT), row * ops_size(dtype),
                       col * ops_size(dtype)};

    w.tile.space = SPACE_GM;
    return w;
}

static struct op_view window_view(const struct window *w, uint8_t *memory)
{
    struct op_view view = ops_view(&w->tile, memory);

    view.row_stride = w->row_stride;
    view.col_stride = w->col_stride;
    return view;
}

/* Windows cannot be told by an ops_case: run here, on every level. */
static const char *run_window(enum pto_op op, const struct window *w, const struct ops_tile *tile,
                              int atomic, bool relu, struct ops_memory *memory)
{
    uint8_t *start = ops_take();
    char message[OP_MESSAGE_BYTES];
    const char *fault = NULL;
    bool first = true;

    memcpy(start, memory->got, OPS_MEMORY);
    for (int i = 0; i < OPS_LEVELS; i++) {
        const struct op_set *set = ops_level(i);
        uint8_t *bytes = first ? memory->got : ops_take();
        struct op_args args = {.scratch = ops_scratch(), .message = message};

        if (set) {
            memcpy(bytes, start, OPS_MEMORY);
            args.arg[op == PTO_OP_TLOAD].view = window_view(w, bytes);
            args.arg[op != PTO_OP_TLOAD].view = ops_view(tile, bytes);
            args.arg[2] = ops_int(atomic);
            args.arg[3] = ops_int(relu ? PTO_RELU_RELU : PTO_RELU_NONE);
            fault = set->function[op](&args);
            assert_memory_equal(bytes, memory->got, OPS_MEMORY);
        }
        if (bytes != memory->got)
            ops_give(bytes);
        first = false;
    }
    if (fault)
        snprintf(ops_fault, sizeof ops_fault, "%s", fault);
    ops_give(start);
    return fault ? ops_fault : NULL;
}

static struct ops_tile random_tile(int dtype, size_t at, uint32_t rows, uint32_t cols)
{
    static const int layouts[] = {PTO_ND, PTO_DN, PTO_NZ, PTO_ZZ, PTO_ZN};
    struct ops_tile tile = ops_tile(dtype, layouts[ops_below(5)], (rows + 31) / 32 * 32,
                                    (cols + 31) / 32 * 32, at);

    tile.space = PTO_L1;
    tile.rows = rows;
    tile.cols = cols;
    if (tile.layout == PTO_ND && ops_below(2))
        tile.stride = (tile.tile_cols + 32) * ops_size(dtype);
    return tile;
}

/* Row major with and without gaps, transposed, every other element, backwards. */
static struct window random_window(int dtype, uint32_t rows, uint32_t cols)
{
    struct window w;

    switch (ops_below(5)) {
    case 0: return window(dtype, rows, cols, cols, 1);
    case 1: return window(dtype, rows, cols, cols + 13, 1);
    case 2: return window(dtype, rows, cols, 1, rows + 3);
    case 3: return window(dtype, rows, cols, 2 * cols + 1, 2);
    default:
        w = window(dtype, rows, cols, -(int64_t)cols - 5, 1);
        w.tile.at += rows * (cols + 5) * ops_size(dtype);
        return w;
    }
}

static void load_and_store(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++) {
        int dtype = dtypes[i % 4];
        bool load = i / 4 % 2;
        uint32_t rows = ops_below(4) ? 1 + ops_below(75) : ops_below(3), cols = 1 + ops_below(120);
        struct ops_tile tile = random_tile(dtype, TILE_AT, rows, cols);
        struct window w = random_window(dtype, rows, cols);
        struct ops_memory memory = ops_memory();

        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < cols; c++) {
                uint8_t *here = memory.want + ops_place(&tile, r, c);
                uint8_t *there = memory.want + window_place(&w, r, c);

                memcpy(load ? here : there, load ? there : here, ops_size(dtype));
            }
        assert_null(run_window(load ? PTO_OP_TLOAD : PTO_OP_TSTORE, &w, &tile, PTO_ATOMIC_NONE,
                               false, &memory));
        if (memcmp(memory.got, memory.want, OPS_MEMORY))
            fail_msg("case %d: %s of %u x %u, layout %d, strides %lld %lld", i,
                     load ? "load" : "store", rows, cols, tile.layout, (long long)w.row_stride,
                     (long long)w.col_stride);
        ops_memory_free(&memory);
    }
}

static void moves(void **state)
{
    (void)state;
    for (int i = 0; i < 600; i++) {
        int dtype = dtypes[i % 3];
        bool extract = i / 3 % 2;
        struct ops_case run = {.op = extract ? PTO_OP_TEXTRACT : PTO_OP_TMOV, .operands = 2};
        struct ops_memory memory = ops_memory();
        uint32_t rows = 1 + ops_below(100), cols = 1 + ops_below(100);
        /* every third case: the destination overlaps the source */
        size_t dst_at = i % 7 ? GM_AT : TILE_AT + ops_below(100) * ops_size(dtype);

        run.tile[0] = random_tile(dtype, dst_at, rows, cols);
        run.tile[1] = random_tile(dtype, TILE_AT, rows + (extract ? 64 : 0), cols + 40);
        if (extract) {
            run.tile[1].row = ops_below(2) ? ops_below(65) : ops_below(5) * 16;
            run.tile[1].col = ops_below(2) ? ops_below(41) : ops_below(2) * 32;
            run.tile[1].rows = rows;
            run.tile[1].cols = cols;
        }
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < cols; c++)
                ops_set(memory.want, &run.tile[0], r, c, ops_get(memory.got, &run.tile[1], r, c));
        ops_expect(&run, &memory, "any layout");
        ops_memory_free(&memory);
    }
}

/* ---- atomic -------------------------------------------------------------------------------- */
static uint64_t combine(int dtype, int atomic, uint64_t x, uint64_t y)
{
    if (ops_is_float(dtype)) {
        double a = ops_decode(dtype, x), b = ops_decode(dtype, y);

        if (isnan(a) || isnan(b))
            return ops_format(dtype).nan;
        if (atomic == PTO_ATOMIC_ADD)
            return ops_encode(dtype, a + b);
        if (a == b)
            return signbit(a) == (atomic == PTO_ATOMIC_MAX) ? y : x;
        return (a > b) == (atomic == PTO_ATOMIC_MAX) ? x : y;
    } else {
        __int128 a = ops_integer(dtype, x), b = ops_integer(dtype, y);

        if (atomic == PTO_ATOMIC_ADD)
            return (uint64_t)(a + b);
        return (uint64_t)((a > b) == (atomic == PTO_ATOMIC_MAX) ? a : b);
    }
}

static void fill_window(uint8_t *memory, const struct window *w)
{
    for (uint32_t r = 0; r < w->tile.rows; r++)
        for (uint32_t c = 0; c < w->tile.cols; c++) {
            uint64_t bits = ops_pattern(w->tile.dtype);

            memcpy(memory + window_place(w, r, c), &bits, ops_size(w->tile.dtype));
        }
}

static void combine_into(uint8_t *memory, const struct window *w, uint32_t r, uint32_t c,
                         int atomic, uint64_t bits)
{
    uint8_t *at = memory + window_place(w, r, c);
    unsigned size = ops_size(w->tile.dtype);

    if (atomic != PTO_ATOMIC_NONE)
        bits = combine(w->tile.dtype, atomic, ops_load(at, size), bits);
    memcpy(at, &bits, size);
}

static void atomics(void **state)
{
    static const int all[] = {PTO_F32, PTO_F16, PTO_BF16, PTO_I8,
                              PTO_U8,  PTO_I16, PTO_I32,  PTO_U64};

    (void)state;
    for (int i = 0; i < 240; i++) {
        int dtype = all[i % 8], atomic = PTO_ATOMIC_ADD + i / 8 % 3;
        uint32_t rows = 1 + ops_below(20), cols = 1 + ops_below(300);
        struct ops_tile tile = random_tile(dtype, TILE_AT, rows, cols);
        struct window w = random_window(dtype, rows, cols);
        struct ops_memory memory = ops_memory();

        if (i % 5 == 0) /* all rows, or all columns, land on one: in ascending order */
            w.row_stride = 0;
        if (i % 5 == 1)
            w.col_stride = 0;
        ops_fill(memory.got, &tile);
        fill_window(memory.got, &w);
        memcpy(memory.want, memory.got, OPS_MEMORY);
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < cols; c++)
                combine_into(memory.want, &w, r, c, atomic, ops_get(memory.got, &tile, r, c));
        assert_null(run_window(PTO_OP_TSTORE, &w, &tile, atomic, false, &memory));
        assert_memory_equal(memory.got, memory.want, OPS_MEMORY);
        ops_memory_free(&memory);
    }
}

/* ---- out of the accumulator ---------------------------------------------------------------- */
static uint64_t out_of_l0c(int to, int from, uint64_t bits, bool relu)
{
    double value;

    if (from == PTO_I32)
        return relu && ops_integer(from, bits) < 0 ? 0 : bits;
    value = ops_decode(from, bits);
    if (relu && (value < 0 || value == 0))
        value = 0;
    return to == from && !relu ? bits : ops_encode(to, value);
}

static void accumulators(void **state)
{
    static const int pairs[][2] = {
        {PTO_F32, PTO_F32}, {PTO_F16, PTO_F32}, {PTO_BF16, PTO_F32}, {PTO_I32, PTO_I32}};

    (void)state;
    for (int i = 0; i < 160; i++) {
        int to = pairs[i % 4][0], from = pairs[i % 4][1], atomic = i % 3 ? 0 : PTO_ATOMIC_ADD;
        bool relu = i / 4 % 2;
        uint32_t rows = 1 + ops_below(140), cols = 1 + ops_below(200);
        struct ops_tile tile = ops_tile(from, PTO_NZ, (rows + 15) / 16 * 16,
                                        (cols + 15) / 16 * 16, TILE_AT);
        struct window w = random_window(to, rows, cols);
        struct ops_memory memory = ops_memory();

        tile.space = PTO_L0C;
        tile.rows = rows;
        tile.cols = cols;
        ops_fill(memory.got, &tile);
        fill_window(memory.got, &w);
        memcpy(memory.want, memory.got, OPS_MEMORY);
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < cols; c++)
                combine_into(memory.want, &w, r, c, atomic,
                             out_of_l0c(to, from, ops_get(memory.got, &tile, r, c), relu));
        assert_null(run_window(PTO_OP_TSTORE, &w, &tile, atomic, relu, &memory));
        assert_memory_equal(memory.got, memory.want, OPS_MEMORY);
        ops_memory_free(&memory);
    }
}

/* TMOV and TEXTRACT from L0C to L1, with a cast. */
static void accumulator_moves(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        struct ops_case run = {.op = i % 2 ? PTO_OP_TMOV : PTO_OP_TEXTRACT, .operands = 2};
        struct ops_memory memory = ops_memory();
        uint32_t rows = 1 + ops_below(128), cols = 1 + ops_below(128);

        run.tile[0] = random_tile(i % 3 ? PTO_F16 : PTO_BF16, GM_AT, rows, cols);
        run.tile[1] = ops_tile(PTO_F32, PTO_NZ, 144, 144, TILE_AT);
        run.tile[1].space = PTO_L0C;
        if (i % 2 == 0)
            run.tile[1].row = run.tile[1].col = 16;
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < cols; c++)
                ops_set(memory.got, &run.tile[1], r, c, ops_pattern(PTO_F32));
        memcpy(memory.want, memory.got, OPS_MEMORY);
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < cols; c++)
                ops_set(memory.want, &run.tile[0], r, c,
                        out_of_l0c(run.tile[0].dtype, PTO_F32,
                                   ops_get(memory.got, &run.tile[1], r, c), false));
        ops_expect(&run, &memory, "cast");
        ops_memory_free(&memory);
    }
}

/* ---- remote traffic ------------------------------------------------------------------------ */
static void land_and_collect(void **state)
{
    (void)state;
    for (int i = 0; i < 120; i++) {
        int dtype = dtypes[i % 4], atomic = i / 4 % 4;
        uint32_t rows = 1 + ops_below(30), cols = 1 + ops_below(90);
        struct window w = random_window(dtype, rows, cols);
        struct ops_memory memory = ops_memory();
        size_t size = ops_size(dtype), bytes = rows * cols * size;
        uint8_t *packed = malloc(bytes), *back = malloc(bytes);

        assert_non_null(packed);
        assert_non_null(back);
        fill_window(memory.got, &w);
        memcpy(memory.want, memory.got, OPS_MEMORY);
        for (uint32_t k = 0; k < rows * cols; k++) {
            uint64_t bits = ops_pattern(dtype);

            memcpy(packed + k * size, &bits, size);
            combine_into(memory.want, &w, k / cols, k % cols, atomic,
                         ops_load(packed + k * size, (unsigned)size));
        }
        for (int level = 0; level < OPS_LEVELS; level++) {
            const struct op_set *set = ops_level(level);
            uint8_t *copy = ops_take();
            struct op_view view;

            memcpy(copy, memory.got, OPS_MEMORY);
            view = window_view(&w, copy);
            if (set) {
                set->land(&view, packed, atomic);
                assert_memory_equal(copy, memory.want, OPS_MEMORY);
                set->collect(&view, back);
                for (uint32_t k = 0; k < rows * cols; k++)
                    assert_memory_equal(back + k * size,
                                        memory.want + window_place(&w, k / cols, k % cols), size);
            }
            ops_give(copy);
        }
        free(packed);
        free(back);
        ops_memory_free(&memory);
    }
}

static void faults(void **state)
{
    struct ops_memory memory = ops_memory();
    struct ops_tile tile = ops_tile(PTO_F32, PTO_ND, 16, 16, TILE_AT);
    struct window w = window(PTO_F32, 16, 15, 16, 1);
    struct ops_case run = {.op = PTO_OP_TEXTRACT, .operands = 2};

    (void)state;
    assert_non_null(strstr(run_window(PTO_OP_TLOAD, &w, &tile, 0, false, &memory),
                           "src has 16 x 15"));
    w.tile.cols = 17;
    assert_non_null(strstr(run_window(PTO_OP_TSTORE, &w, &tile, 0, false, &memory),
                           "src has 16 x 16"));
    w.tile.cols = 16;
    assert_non_null(strstr(run_window(PTO_OP_TSTORE, &w, &tile, 0, true, &memory), "relu"));
    w.tile.dtype = PTO_F16;
    assert_non_null(strstr(run_window(PTO_OP_TSTORE, &w, &tile, 0, false, &memory), "l0c"));
    run.tile[0] = ops_tile(PTO_F32, PTO_ND, 16, 16, GM_AT);
    run.tile[1] = tile;
    run.tile[1].col = 1;
    ops_expect_fault(&run, &memory, "(0, 1) ends outside src, which is 16 x 16");
    run.tile[1].col = 0;
    run.tile[1].row = UINT32_MAX;
    ops_expect_fault(&run, &memory, "ends outside");
    run.op = PTO_OP_TMOV;
    run.tile[1].row = 0;
    run.tile[1].rows = 15;
    ops_expect_fault(&run, &memory, "src has 15 x 16");
    ops_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_and_store), cmocka_unit_test(moves),
        cmocka_unit_test(atomics),        cmocka_unit_test(accumulators),
        cmocka_unit_test(accumulator_moves), cmocka_unit_test(land_and_collect),
        cmocka_unit_test(faults)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
