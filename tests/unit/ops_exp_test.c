/* TEXP: error bound against the exponential of the C library in f64, which is far more precise. */
#include "ops_support.h"

enum { ROW = 65536 };

/* Run on bits first, first + step, ... and leave the results in `memory`. */
static void run_row(struct ops_memory *memory, int dtype, uint64_t first, uint64_t step)
{
    struct ops_case run = {.op = PTO_OP_TEXP, .operands = 2};

    run.tile[0] = ops_tile(dtype, PTO_ND, 1, ROW, OPS_MEMORY / 2);
    run.tile[1] = ops_tile(dtype, PTO_ND, 1, ROW, 0);
    for (uint32_t i = 0; i < ROW; i++)
        ops_set(memory->got, &run.tile[1], 0, i, first + i * step);
    assert_null(ops_run(&run, memory));
}

/* Distance of a result from the exact value, in units of the last place of the format there. */
static double error_in_ulp(int dtype, double got, double exact)
{
    int exponent, fraction = dtype == PTO_F32 ? 23 : 10, least = dtype == PTO_F32 ? -149 : -24;

    frexp(exact, &exponent);
    exponent = exponent - 1 - fraction < least ? least : exponent - 1 - fraction;
    return fabs(got - exact) / ldexp(1, exponent);
}

static void check_row(const struct ops_memory *memory, int dtype, double *worst)
{
    struct ops_tile src = ops_tile(dtype, PTO_ND, 1, ROW, 0);
    struct ops_tile dst = ops_tile(dtype, PTO_ND, 1, ROW, OPS_MEMORY / 2);
    double greatest = dtype == PTO_F32 ? 0x1.fffffep127 : 65504;

    for (uint32_t i = 0; i < ROW; i++) {
        uint64_t bits = ops_get(memory->got, &dst, 0, i);
        double x = ops_decode(dtype, ops_get(memory->got, &src, 0, i)), got, exact = exp(x), error;

        got = ops_decode(dtype, bits);
        if (isnan(x)) {
            assert_int_equal(bits, ops_format(dtype).nan);
        } else if (isinf(got)) {
            if (exact < greatest || got < 0)
                fail_msg("exp(%a) overflows", x);
        } else {
            error = error_in_ulp(dtype, got, exact);
            *worst = error > *worst ? error : *worst;
            if (!(error <= 1))
                fail_msg("exp(%a) = %a, exact %a: %f ulp", x, got, exact, error);
        }
    }
}

static void all_of_f16(void **state)
{
    struct ops_memory memory = ops_memory();
    double worst = 0;

    (void)state;
    run_row(&memory, PTO_F16, 0, 1);
    check_row(&memory, PTO_F16, &worst);
    assert_true(worst <= 0.51);
    ops_memory_free(&memory);
}

/* Every 9973rd f32, and all around the places where something changes. */
static void much_of_f32(void **state)
{
    static const float edges[] = {0,       88.72283f, -87.33655f, -103.97208f, -104.0f, 89.0f,
                                  0.3466f, -0.3466f,  1.0f,       -1.0f,       1e-8f};
    struct ops_memory memory = ops_memory();
    double worst = 0;

    (void)state;
    for (uint64_t first = 0; first < UINT64_C(1) << 32; first += UINT64_C(9973) * ROW) {
        run_row(&memory, PTO_F32, first, 9973);
        check_row(&memory, PTO_F32, &worst);
    }
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        uint32_t bits;

        memcpy(&bits, &edges[i], sizeof bits);
        run_row(&memory, PTO_F32, bits - ROW / 2, 1);
        check_row(&memory, PTO_F32, &worst);
    }
    assert_true(worst > 0.4); /* the comparison has measured something */
    ops_memory_free(&memory);
}

static void special(void **state)
{
    static const uint32_t pairs[][2] = {{0x00000000, 0x3f800000}, {0x80000000, 0x3f800000},
                                        {0x7f800000, 0x7f800000}, {0xff800000, 0x00000000},
                                        {0x7f800001, 0x7fc00000}, {0xffffffff, 0x7fc00000},
                                        {0x00000001, 0x3f800000}, {0xc2d00000, 0x00000000},
                                        {0x7f7fffff, 0x7f800000}, {0xff7fffff, 0x00000000}};
    struct ops_case run = {.op = PTO_OP_TEXP, .operands = 2};
    struct ops_memory memory = ops_memory();

    (void)state;
    run.tile[0] = run.tile[1] = ops_tile(PTO_F32, PTO_DN, 10, 1, 512); /* in place */
    for (uint32_t i = 0; i < 10; i++) {
        ops_set(memory.got, &run.tile[1], i, 0, pairs[i][0]);
        ops_set(memory.want, &run.tile[0], i, 0, pairs[i][1]);
    }
    ops_expect(&run, &memory, "special values");
    run.tile[1].rows = 9;
    ops_expect_fault(&run, &memory, "src has 9 x 1");
    ops_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_of_f16), cmocka_unit_test(much_of_f32),
                                       cmocka_unit_test(special)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
