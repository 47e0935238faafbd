/* TMMAD and its aliases against one fused multiply-add per step in ascending k. */
#include "ops_support.h"

enum { A_AT = 64, B_AT = 300000, C_AT = 600000 };

static const int pairs[][3] = {
    {PTO_F32, PTO_F32, PTO_F32},       {PTO_F32, PTO_F16, PTO_F16},
    {PTO_F32, PTO_BF16, PTO_BF16},     {PTO_I32, PTO_I8, PTO_I8},
    {PTO_F32, PTO_F8E4M3, PTO_F8E5M2}, {PTO_F32, PTO_F8E5M2, PTO_F8E4M3}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static uint32_t up(uint32_t value, uint32_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* Ordinary numbers, or troublesome patterns. */
static void fill(uint8_t *memory, const struct ops_tile *t, bool ordinary)
{
    for (uint32_t r = 0; r < t->rows; r++) {
        for (uint32_t c = 0; c < t->cols; c++) {
            double value = ldexp((double)ops_below(1u << 31) - 0x1p30, -29);

            ops_set(memory, t, r, c,
                    !ops_is_float(t->dtype) ? ops_random()
                    : ordinary              ? ops_encode(t->dtype, value)
                                            : ops_pattern(t->dtype));
        }
    }
}

static uint64_t float_element(const uint8_t *memory, const struct ops_case *run, uint32_t r,
                              uint32_t c, bool init)
{
    const struct ops_tile *a = &run->tile[1], *b = &run->tile[2];
    float sum = init ? 0 : (float)ops_decode(PTO_F32, ops_get(memory, &run->tile[0], r, c));

    for (uint32_t k = 0; k < a->cols; k++)
        sum = fmaf((float)ops_decode(a->dtype, ops_get(memory, a, r, k)),
                   (float)ops_decode(b->dtype, ops_get(memory, b, k, c)), sum);
    return ops_encode(PTO_F32, sum);
}

static uint64_t int_element(const uint8_t *memory, const struct ops_case *run, uint32_t r,
                            uint32_t c, bool init)
{
    const struct ops_tile *a = &run->tile[1], *b = &run->tile[2];
    uint64_t sum = init ? 0 : ops_get(memory, &run->tile[0], r, c);

    for (uint32_t k = 0; k < a->cols; k++)
        sum += (uint64_t)(ops_integer(a->dtype, ops_get(memory, a, r, k)) *
                          ops_integer(b->dtype, ops_get(memory, b, k, c)));
    return (uint32_t)sum;
}

static struct ops_case product(enum pto_op op, const int types[3], uint32_t m, uint32_t n,
                               uint32_t k, bool a_in_nz)
{
    struct ops_case run = {.op = op, .operands = op == PTO_OP_TMMAD ? 4 : 3};

    run.tile[0] = ops_tile(types[0], PTO_NZ, up(m, 16), up(n, 16), C_AT);
    run.tile[1] = ops_tile(types[1], a_in_nz ? PTO_NZ : PTO_ZZ, up(m, 16), up(k, 32), A_AT);
    run.tile[2] = ops_tile(types[2], PTO_ZN, up(k, 32), up(n, 16), B_AT);
    run.tile[0].space = PTO_L0C;
    run.tile[1].space = PTO_L0A;
    run.tile[2].space = PTO_L0B;
    run.tile[0].rows = run.tile[1].rows = m;
    run.tile[0].cols = run.tile[2].cols = n;
    run.tile[1].cols = run.tile[2].rows = k;
    return run;
}

static void check(enum pto_op op, int pair, uint32_t m, uint32_t n, uint32_t k, bool init,
                  bool ordinary)
{
    struct ops_case run = product(op, pairs[pair], m, n, k, (m + n + k) % 2);
    struct ops_memory memory = ops_memory();
    char what[64];

    assert_true(ops_place(&run.tile[0], m - 1, n - 1) + 4 <= OPS_MEMORY);
    run.scalar[3] = ops_int(op == PTO_OP_TMMAD && init ? 7 : 0);
    for (int i = 0; i < 3; i++)
        fill(memory.got, &run.tile[i], ordinary);
    memcpy(memory.want, memory.got, OPS_MEMORY);
    for (uint32_t r = 0; r < m; r++)
        for (uint32_t c = 0; c < n; c++)
            ops_set(memory.want, &run.tile[0], r, c,
                    pairs[pair][0] == PTO_I32 ? int_element(memory.got, &run, r, c, init)
                                              : float_element(memory.got, &run, r, c, init));
    snprintf(what, sizeof what, "%u x %u x %u, types %d, init %d", m, n, k, pair, init);
    ops_expect(&run, &memory, what);
    ops_memory_free(&memory);
}

static void odd_shapes(void **state)
{
    static const uint32_t shapes[][3] = {{16, 16, 16}, {1, 1, 1},    {1, 17, 3},   {15, 31, 33},
                                         {17, 16, 8},  {33, 47, 61}, {6, 64, 32},  {23, 33, 1},
                                         {48, 20, 31}, {13, 96, 17}, {64, 65, 100}};

    (void)state;
    for (int pair = 0; pair < PAIRS; pair++) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            check(PTO_OP_TMMAD, pair, shapes[i][0], shapes[i][1], shapes[i][2], i % 2, true);
            check(PTO_OP_TMMAD, pair, shapes[i][0], shapes[i][1], shapes[i][2], i % 2 == 0, i % 3);
        }
        check(PTO_OP_TMATMUL, pair, 20, 20, 20, true, true);
        check(PTO_OP_TMATMUL_ACC, pair, 20, 20, 20, false, true);
    }
}

/* All numbers of rows, so that every size of the kernel runs. */
static void every_height(void **state)
{
    (void)state;
    for (uint32_t m = 1; m <= 34; m++)
        for (int pair = 0; pair < 4; pair++)
            check(PTO_OP_TMMAD, pair, m, 16 + m % 3 * 16, 9 + m, m % 2, m % 5);
}

/* Longer than what is multiplied at a time, along each side. */
static void long_sides(void **state)
{
    (void)state;
    for (int pair = 0; pair < PAIRS; pair++) {
        check(PTO_OP_TMMAD, pair, 17, 18, 300, true, true);
        check(PTO_OP_TMMAD, pair, 5, 530, 19, false, true);
        check(PTO_OP_TMMAD, pair, 530, 5, 19, false, true);
    }
    check(PTO_OP_TMMAD, 1, 18, 17, 800, true, true);
    check(PTO_OP_TMMAD, 3, 18, 17, 801, true, true);
}

/* Halving k into two instructions changes nothing: one element at a time, ascending. */
static void split_depth(void **state)
{
    struct ops_case whole = product(PTO_OP_TMMAD, pairs[1], 40, 40, 64, false), half;
    struct ops_memory once = ops_memory(), twice;

    (void)state;
    fill(once.got, &whole.tile[1], true);
    fill(once.got, &whole.tile[2], true);
    twice = (struct ops_memory){ops_take(), ops_take()};
    memcpy(twice.got, once.got, OPS_MEMORY);
    whole.scalar[3] = ops_int(1);
    assert_null(ops_run(&whole, &once));
    half = whole;
    half.tile[1].cols = half.tile[2].rows = 32;
    assert_null(ops_run(&half, &twice));
    half.tile[1].at += 2 * 32 * 16; /* zz: the third fractal of a block row; only 16 rows of it */
    half.tile[0].rows = half.tile[1].rows = 16;
    half.tile[2].at += 2 * 32 * 48; /* zn: block rows of 16 x 48 elements */
    half.scalar[3] = ops_int(0);
    assert_null(ops_run(&half, &twice));
    for (uint32_t r = 0; r < 16; r++)
        for (uint32_t c = 0; c < 40; c++)
            assert_int_equal(ops_get(once.got, &whole.tile[0], r, c),
                             ops_get(twice.got, &whole.tile[0], r, c));
    ops_memory_free(&once);
    ops_memory_free(&twice);
}

static void extremes(void **state)
{
    struct ops_memory memory = ops_memory();
    struct ops_case run = product(PTO_OP_TMMAD, pairs[3], 16, 16, 512, false);

    (void)state;
    /* -128 * -128 in every step, on top of nearly the greatest sum: wraps around */
    for (uint32_t i = 0; i < 16 * 512; i++) {
        ops_set(memory.got, &run.tile[1], i / 512, i % 512, 0x80);
        ops_set(memory.got, &run.tile[2], i % 512, i / 512, 0x80);
    }
    for (uint32_t i = 0; i < 256; i++)
        ops_set(memory.got, &run.tile[0], i / 16, i % 16, INT32_MAX);
    memcpy(memory.want, memory.got, OPS_MEMORY);
    for (uint32_t i = 0; i < 256; i++)
        ops_set(memory.want, &run.tile[0], i / 16, i % 16, (uint32_t)INT32_MAX + 512u * 16384u);
    run.scalar[3] = ops_int(0);
    ops_expect(&run, &memory, "wrap-around");
    ops_memory_free(&memory);
}

static void faults(void **state)
{
    struct ops_memory memory = ops_memory();
    struct ops_case run = product(PTO_OP_TMMAD, pairs[0], 16, 32, 48, false);

    (void)state;
    run.scalar[3] = ops_int(1);
    run.tile[2].rows = 47;
    ops_expect_fault(&run, &memory, "b 47 x 32");
    run.tile[2].rows = 48;
    run.tile[0].rows = 15;
    ops_expect_fault(&run, &memory, "c is 15 x 32");
    run.tile[0].rows = 16;
    run.tile[2].layout = PTO_ND;
    ops_expect_fault(&run, &memory, "zn");
    run.tile[2].layout = PTO_ZN;
    run.tile[0].space = PTO_L1;
    ops_expect_fault(&run, &memory, "l0c");
    ops_memory_free(&memory);
}

/* Without steps the product is 0; without rows or columns nothing happens. */
static void empty(void **state)
{
    struct ops_memory memory = ops_memory();
    struct ops_case run = product(PTO_OP_TMATMUL, pairs[0], 16, 16, 16, false);

    (void)state;
    run.tile[0].rows = run.tile[1].rows = 0;
    ops_expect(&run, &memory, "no rows");
    run.tile[0].rows = run.tile[1].rows = 16;
    run.tile[1].cols = run.tile[2].rows = 0;
    for (uint32_t i = 0; i < 256; i++)
        ops_set(memory.want, &run.tile[0], i / 16, i % 16, 0);
    ops_expect(&run, &memory, "no steps");
    ops_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_shapes),  cmocka_unit_test(every_height), cmocka_unit_test(long_sides),
        cmocka_unit_test(split_depth), cmocka_unit_test(extremes),     cmocka_unit_test(faults),
        cmocka_unit_test(empty)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
