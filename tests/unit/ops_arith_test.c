/* Elementwise arithmetic on tiles, tile and scalar, tile and column, against scalar definitions. */
#define OPS_MEMORY (80 << 12)
#include "ops_support.h"

enum kind { ADD, SUB, MUL, DIV, MAX, MIN };

static double float_result(enum kind kind, double a, double b)
{
    switch (kind) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case DIV: return a / b;
    default: break;
    }
    if (isnan(a) || isnan(b))
        return (double)NAN;
    if (a == b) /* zeros of both signs: the positive one is larger */
        return signbit(a) == (kind == MAX) ? b : a;
    return (a > b) == (kind == MAX) ? a : b;
}

/* f64 holds sums and products of f32 with at most one rounding that does not disturb the second
 * (53 >= 2 * 24 + 2). */
static uint64_t result(enum kind kind, int dtype, uint64_t x, uint64_t y)
{
    __int128 a, b;

    if (ops_is_float(dtype))
        return ops_encode(dtype, float_result(kind, ops_decode(dtype, x), ops_decode(dtype, y)));
    a = ops_integer(dtype, x);
    b = ops_integer(dtype, y);
    switch (kind) {
    case ADD: return (uint64_t)(a + b);
    case SUB: return (uint64_t)(a - b);
    case MUL: return (uint64_t)a * (uint64_t)b;
    case DIV: return (uint64_t)(a / b);
    case MAX: return (uint64_t)(a > b ? a : b);
    default: return (uint64_t)(a < b ? a : b);
    }
}

static const struct {
    enum kind kind;
    enum pto_op tile, scalar, column;
} families[] = {{ADD, PTO_OP_TADD, PTO_OP_TADDS, PTO_OP_TROWEXPANDADD},
                {SUB, PTO_OP_TSUB, PTO_OP_TSUBS, PTO_OP_TROWEXPANDSUB},
                {MUL, PTO_OP_TMUL, PTO_OP_TMULS, PTO_OP_TROWEXPANDMUL},
                {DIV, PTO_OP_TDIV, PTO_OP_TDIVS, PTO_OP_TROWEXPANDDIV},
                {MAX, PTO_OP_TMAX, PTO_OP_TMAXS, PTO_OP_COUNT},
                {MIN, PTO_OP_TMIN, PTO_OP_TMINS, PTO_OP_COUNT}};
enum { FAMILIES = sizeof families / sizeof *families };

static const int dtypes[] = {PTO_F32, PTO_F16, PTO_BF16, PTO_I8,  PTO_U8, PTO_I16,
                             PTO_U16, PTO_I32, PTO_U32,  PTO_I64, PTO_U64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* Replace divisors that fault. */
static void make_divisible(uint8_t *memory, const struct ops_tile *a, const struct ops_tile *b)
{
    for (uint32_t r = 0; r < b->rows; r++) {
        for (uint32_t c = 0; c < b->cols; c++) {
            __int128 divisor = ops_integer(b->dtype, ops_get(memory, b, r, c));
            bool lowest = false;

            for (uint32_t i = 0; i < a->cols; i++)
                lowest |= ops_is_signed(a->dtype) && r < a->rows &&
                          ops_integer(a->dtype, ops_get(memory, a, r, i)) == ops_least(a->dtype);
            if (divisor == 0 || (divisor == -1 && lowest))
                ops_set(memory, b, r, c, 3);
        }
    }
}

/* Shapes and layouts: contiguous, padded rows, columns, mixed, fractal, larger sources. */
static void shape(int variant, int dtype, struct ops_tile tile[3])
{
    static const struct {
        uint32_t tile_rows, tile_cols, rows, cols;
        int layout[3];
    } variants[] = {
        {8, 64, 8, 64, {PTO_ND, PTO_ND, PTO_ND}},   {16, 96, 13, 67, {PTO_ND, PTO_ND, PTO_ND}},
        {1, 1024, 1, 1001, {PTO_ND, PTO_ND, PTO_ND}}, {64, 5, 61, 5, {PTO_DN, PTO_DN, PTO_DN}},
        {32, 32, 31, 29, {PTO_ND, PTO_DN, PTO_ND}}, {32, 32, 17, 32, {PTO_DN, PTO_ND, PTO_DN}},
        {32, 64, 30, 63, {PTO_ND, PTO_NZ, PTO_ZN}}, {32, 64, 32, 64, {PTO_NZ, PTO_NZ, PTO_ND}},
        {512, 1, 500, 1, {PTO_DN, PTO_DN, PTO_DN}}, {40, 8, 37, 1, {PTO_ND, PTO_DN, PTO_ND}},
        {4, 300, 3, 299, {PTO_DN, PTO_ND, PTO_NZ}}};
    int count = (int)(sizeof variants / sizeof *variants);

    variant %= count;
    for (int i = 0; i < 3; i++) {
        uint32_t rows = variants[variant].tile_rows, cols = variants[variant].tile_cols;
        int layout = variants[variant].layout[i];

        if (layout != PTO_ND && layout != PTO_DN) {
            rows = (rows + 31) / 32 * 32;
            cols = (cols + 31) / 32 * 32;
        }
        tile[i] = ops_tile(dtype, layout, rows, cols, (size_t)i * 100000 + 32);
        tile[i].rows = variants[variant].rows;
        tile[i].cols = variants[variant].cols;
    }
    if (variant == 1) { /* sources with more valid elements than needed, and gaps */
        tile[1].rows = 16;
        tile[1].cols = 96;
        tile[2].stride = 96 * 8 + 64;
    }
}

static void run_tiles(enum kind kind, enum pto_op op, int dtype, int variant, int alias)
{
    struct ops_case run = {.op = op, .operands = 3};
    struct ops_memory memory = ops_memory();
    char what[64];

    shape(variant, dtype, run.tile);
    if (alias)
        run.tile[0] = run.tile[alias];
    ops_fill(memory.got, &run.tile[1]);
    ops_fill(memory.got, &run.tile[2]);
    if (kind == DIV && !ops_is_float(dtype))
        make_divisible(memory.got, &run.tile[1], &run.tile[2]);
    memcpy(memory.want, memory.got, OPS_MEMORY);
    for (uint32_t r = 0; r < run.tile[0].rows; r++)
        for (uint32_t c = 0; c < run.tile[0].cols; c++)
            ops_set(memory.want, &run.tile[0], r, c,
                    result(kind, dtype, ops_get(memory.got, &run.tile[1], r, c),
                           ops_get(memory.got, &run.tile[2], r, c)));
    snprintf(what, sizeof what, "variant %d alias %d", variant, alias);
    ops_expect(&run, &memory, what);
    ops_memory_free(&memory);
}

static void tile_with_tile(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++)
        for (int d = 0; d < DTYPES; d++)
            for (int variant = 0; variant < 11; variant++)
                run_tiles(families[f].kind, families[f].tile, dtypes[d], variant,
                          variant == 1 ? 0 : (variant + d + f) % 3);
}

/* A destination that lies a few elements beside a source, or over it in another layout: sources are
 * read before anything is written. */
static void overlap(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        int dtype = dtypes[i % DTYPES];
        struct ops_case run = {.op = PTO_OP_TADD, .operands = 3};
        struct ops_memory memory = ops_memory();

        for (int k = 0; k < 3; k++)
            run.tile[k] = ops_tile(dtype, PTO_ND, 16, 32, 4096 + ops_below(20) * ops_size(dtype));
        if (i % 3 == 1)
            run.tile[1].layout = PTO_DN;
        if (i % 3 == 2)
            run.tile[0].stride = 33 * ops_size(dtype);
        for (uint32_t r = 0; r < 16; r++)
            for (uint32_t c = 0; c < 32; c++)
                ops_set(memory.want, &run.tile[0], r, c,
                        result(ADD, dtype, ops_get(memory.got, &run.tile[1], r, c),
                               ops_get(memory.got, &run.tile[2], r, c)));
        ops_expect(&run, &memory, "overlapping");
        ops_memory_free(&memory);
    }
}

/* A scalar operand that holds exactly the element `bits`. */
static struct op_arg scalar_of(int dtype, uint64_t bits)
{
    if (ops_is_float(dtype))
        return ops_float(ops_decode(dtype, bits));
    return ops_int((int64_t)ops_integer(dtype, bits));
}

static void run_scalar(enum kind kind, enum pto_op op, int dtype, int variant)
{
    bool reverse = op == PTO_OP_TDIVS_REV;
    int at = reverse ? 1 : 2;
    struct ops_case run = {.op = op, .operands = 3};
    struct ops_memory memory = ops_memory();
    uint64_t bits = ops_pattern(dtype) & (UINT64_MAX >> (64 - 8 * ops_size(dtype)));

    shape(variant, dtype, run.tile);
    ops_fill(memory.got, &run.tile[1]);
    if (kind == DIV && !ops_is_float(dtype)) {
        bits = bits == 0 || ops_integer(dtype, bits) == -1 ? 7 : bits;
        if (reverse)
            make_divisible(memory.got, &run.tile[1], &run.tile[1]);
        if (reverse && ops_integer(dtype, bits) == ops_least(dtype))
            bits = 5;
    }
    memcpy(memory.want, memory.got, OPS_MEMORY);
    for (uint32_t r = 0; r < run.tile[0].rows; r++) {
        for (uint32_t c = 0; c < run.tile[0].cols; c++) {
            uint64_t x = ops_get(memory.got, &run.tile[1], r, c);

            ops_set(memory.want, &run.tile[0], r, c,
                    reverse ? result(kind, dtype, bits, x) : result(kind, dtype, x, bits));
        }
    }
    run.tile[3 - at] = run.tile[1];
    run.tile[at] = (struct ops_tile){0};
    run.scalar[at] = scalar_of(dtype, bits);
    ops_expect(&run, &memory, "with a scalar");
    ops_memory_free(&memory);
}

static void tile_with_scalar(void **state)
{
    (void)state;
    for (int f = 0; f < FAMILIES; f++)
        for (int d = 0; d < DTYPES; d++)
            for (int variant = 0; variant < 8; variant++)
                run_scalar(families[f].kind, families[f].scalar, dtypes[d], variant);
    for (int d = 0; d < DTYPES; d++)
        for (int variant = 0; variant < 8; variant++)
            run_scalar(DIV, PTO_OP_TDIVS_REV, dtypes[d], variant);
}

static void run_column(enum kind kind, enum pto_op op, int dtype, int variant, int alias)
{
    struct ops_case run = {.op = op, .operands = 3};
    struct ops_memory memory = ops_memory();

    shape(variant, dtype, run.tile);
    if (alias == 1)
        run.tile[0] = run.tile[1];
    if (alias == 2)
        run.tile[2] = run.tile[0]; /* the column is column 0 of the destination */
    run.tile[2].cols = 1;
    ops_fill(memory.got, &run.tile[1]);
    ops_fill(memory.got, &run.tile[2]);
    if (kind == DIV && !ops_is_float(dtype))
        make_divisible(memory.got, &run.tile[1], &run.tile[2]);
    memcpy(memory.want, memory.got, OPS_MEMORY);
    for (uint32_t r = 0; r < run.tile[0].rows; r++)
        for (uint32_t c = 0; c < run.tile[0].cols; c++)
            ops_set(memory.want, &run.tile[0], r, c,
                    result(kind, dtype, ops_get(memory.got, &run.tile[1], r, c),
                           ops_get(memory.got, &run.tile[2], r, 0)));
    ops_expect(&run, &memory, "with a column");
    ops_memory_free(&memory);
}

static void tile_with_column(void **state)
{
    (void)state;
    for (int f = 0; f < 4; f++)
        for (int d = 0; d < DTYPES; d++)
            for (int variant = 0; variant < 11; variant++)
                run_column(families[f].kind, families[f].column, dtypes[d], variant,
                           variant == 1 ? 0 : (variant + d) % 3);
}

static void expand(void **state)
{
    (void)state;
    for (int d = 0; d < DTYPES; d++) {
        for (int variant = 0; variant < 11; variant++) {
            struct ops_case row = {.op = PTO_OP_TROWEXPAND, .operands = 2};
            struct ops_case all = {.op = PTO_OP_TEXPANDS, .operands = 2};
            struct ops_memory memory = ops_memory();
            struct ops_tile tile[3];
            uint64_t bits = 77;

            shape(variant, dtypes[d], tile);
            row.tile[0] = all.tile[0] = tile[0];
            row.tile[1] = tile[variant % 2 ? 1 : 0];
            row.tile[1].cols = 1;
            for (uint32_t r = 0; r < tile[0].rows; r++)
                for (uint32_t c = 0; c < tile[0].cols; c++)
                    ops_set(memory.want, &tile[0], r, c, ops_get(memory.got, &row.tile[1], r, 0));
            ops_expect(&row, &memory, "");
            bits = ops_is_float(dtypes[d]) ? ops_encode(dtypes[d], 77) : 77;
            all.scalar[1] = ops_int(77);
            for (uint32_t r = 0; r < tile[0].rows; r++)
                for (uint32_t c = 0; c < tile[0].cols; c++)
                    ops_set(memory.want, &tile[0], r, c, bits);
            ops_expect(&all, &memory, "");
            ops_memory_free(&memory);
        }
    }
}

/* TEXPANDS shows how scalars become elements. */
static void expect_scalar(int dtype, struct op_arg scalar, uint64_t bits)
{
    struct ops_case run = {.op = PTO_OP_TEXPANDS, .operands = 2};
    struct ops_memory memory = ops_memory();

    run.tile[0] = ops_tile(dtype, PTO_ND, 1, 1, 64);
    run.scalar[1] = scalar;
    ops_set(memory.want, &run.tile[0], 0, 0, bits);
    ops_expect(&run, &memory, "scalar");
    ops_memory_free(&memory);
}

static void reject_scalar(int dtype, struct op_arg scalar)
{
    struct ops_case run = {.op = PTO_OP_TEXPANDS, .operands = 2};
    struct ops_memory memory = ops_memory();

    run.tile[0] = ops_tile(dtype, PTO_ND, 1, 1, 64);
    run.scalar[1] = scalar;
    ops_expect_fault(&run, &memory, "scalar");
    ops_memory_free(&memory);
}

static void scalars(void **state)
{
    (void)state;
    expect_scalar(PTO_F32, ops_float(0.1), 0x3dcccccd);
    expect_scalar(PTO_F16, ops_float(65519.99), 0x7bff);
    expect_scalar(PTO_F16, ops_float(65520), 0x7c00);
    expect_scalar(PTO_BF16, ops_float((double)NAN), 0x7fc0);
    /* 2^24 + 1 is a tie for f32; one bit at the far end of an i64 decides another */
    expect_scalar(PTO_F32, ops_int((1 << 24) + 1), 0x4b800000);
    expect_scalar(PTO_F32, ops_int((INT64_C(1) << 62) + (INT64_C(1) << 38)), 0x5e800000);
    expect_scalar(PTO_F32, ops_int((INT64_C(1) << 62) + (INT64_C(1) << 38) + 1), 0x5e800001);
    expect_scalar(PTO_F32, ops_int(-(INT64_C(1) << 62) - (INT64_C(1) << 38) - 1), 0xde800001);
    expect_scalar(PTO_BF16, ops_int((INT64_C(1) << 62) + (INT64_C(1) << 54) + 1), 0x5e81);
    expect_scalar(PTO_F32, ops_int(INT64_MIN), 0xdf000000);
    expect_scalar(PTO_I8, ops_int(-128), 0x80);
    expect_scalar(PTO_U8, ops_float(255), 0xff);
    expect_scalar(PTO_U64, ops_int(-1), UINT64_MAX);
    expect_scalar(PTO_U64, ops_float(0x1p63), UINT64_C(1) << 63);
    expect_scalar(PTO_I64, ops_float(-0x1p63), UINT64_C(1) << 63);
    reject_scalar(PTO_I8, ops_int(128));
    reject_scalar(PTO_I8, ops_int(-129));
    reject_scalar(PTO_U16, ops_int(-1));
    reject_scalar(PTO_U32, ops_int(INT64_C(1) << 32));
    reject_scalar(PTO_I32, ops_float(0.5));
    reject_scalar(PTO_I32, ops_float((double)NAN));
    reject_scalar(PTO_I64, ops_float(0x1p63));
    reject_scalar(PTO_U64, ops_float(-1));
    reject_scalar(PTO_U64, ops_float(0x1p64));
    reject_scalar(PTO_I16, ops_float((double)INFINITY));
}

static void faults(void **state)
{
    struct ops_case run = {.op = PTO_OP_TDIV, .operands = 3};
    struct ops_memory memory = ops_memory();

    (void)state;
    for (int i = 0; i < 3; i++) {
        run.tile[i] = ops_tile(PTO_I32, PTO_ND, 2, 8, (size_t)i * 256);
        for (uint32_t k = 0; k < 16; k++)
            ops_set(memory.got, &run.tile[i], k / 8, k % 8, 6);
    }
    ops_set(memory.got, &run.tile[2], 1, 7, 0);
    ops_expect_fault(&run, &memory, "division by zero");
    ops_set(memory.got, &run.tile[2], 1, 7, (uint32_t)-1);
    ops_set(memory.got, &run.tile[1], 1, 7, (uint32_t)INT32_MIN);
    ops_expect_fault(&run, &memory, "overflow");
    run.tile[2].cols = 7;
    ops_expect_fault(&run, &memory, "src1 has 2 x 7");
    run.tile[2].cols = 8;
    run.tile[1].rows = 1;
    ops_expect_fault(&run, &memory, "src0 has 1 x 8");
    run.op = PTO_OP_TROWEXPANDADD;
    run.tile[1].rows = 2;
    run.tile[2].rows = 1;
    ops_expect_fault(&run, &memory, "src1 has 1 x 8");
    ops_memory_free(&memory);
}

/* No rows or no columns: nothing happens, whatever the scalars and sources hold. */
static void empty(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct ops_case run = {.op = i < 2 ? PTO_OP_TADD : PTO_OP_TROWEXPANDMUL, .operands = 3};
        struct ops_memory memory = ops_memory();

        for (int k = 0; k < 3; k++) {
            run.tile[k] = ops_tile(PTO_F16, PTO_ND, 16, 16, (size_t)k * 4096);
            run.tile[k].rows = i % 2 ? 0 : 16;
            run.tile[k].cols = i % 2 ? 16 : 0;
        }
        ops_expect(&run, &memory, "empty");
        ops_memory_free(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_with_tile),   cmocka_unit_test(overlap),
        cmocka_unit_test(tile_with_scalar), cmocka_unit_test(tile_with_column),
        cmocka_unit_test(expand),           cmocka_unit_test(scalars),
        cmocka_unit_test(faults),           cmocka_unit_test(empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
