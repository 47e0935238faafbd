/* TROWMAX and TROWSUM against their definitions, the documented order of the float sum included. */
#include "ops_support.h"

static const int dtypes[] = {PTO_F32, PTO_F16, PTO_BF16, PTO_I8,  PTO_U8, PTO_I16,
                             PTO_U16, PTO_I32, PTO_U32,  PTO_I64, PTO_U64};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* f32 additions, lane by lane as documented. */
static uint64_t float_sum(const uint8_t *memory, const struct ops_tile *src, uint32_t r)
{
    float lane[16];
    double result;

    for (uint32_t j = 0; j < 16; j++) {
        lane[j] = -0.0f;
        for (uint32_t c = j; c < src->cols; c += 16) {
            float x = (float)ops_decode(src->dtype, ops_get(memory, src, r, c));

            lane[j] = c == j ? x : lane[j] + x;
        }
    }
    for (uint32_t j = 0; j < 8; j++)
        lane[j] += lane[j + 8];
    for (uint32_t j = 0; j < 4; j++)
        lane[j] += lane[j + 4];
    lane[0] += lane[2];
    lane[1] += lane[3];
    result = lane[0] + lane[1];
    return ops_encode(src->dtype, result);
}

static uint64_t float_max(const uint8_t *memory, const struct ops_tile *src, uint32_t r)
{
    double best = -(double)INFINITY;

    for (uint32_t c = 0; c < src->cols; c++) {
        double x = ops_decode(src->dtype, ops_get(memory, src, r, c));

        if (isnan(x))
            return ops_format(src->dtype).nan;
        if (c == 0 || x > best || (x == best && signbit(best)))
            best = x;
    }
    return ops_encode(src->dtype, best);
}

static uint64_t integer(const uint8_t *memory, const struct ops_tile *src, uint32_t r, bool sum)
{
    __int128 result = ops_integer(src->dtype, ops_get(memory, src, r, 0));

    for (uint32_t c = 1; c < src->cols; c++) {
        __int128 x = ops_integer(src->dtype, ops_get(memory, src, r, c));

        result = sum ? result + x : x > result ? x : result;
    }
    return (uint64_t)result;
}

static uint64_t expected(const uint8_t *memory, const struct ops_tile *src, uint32_t r, bool sum)
{
    if (!ops_is_float(src->dtype))
        return integer(memory, src, r, sum);
    return sum ? float_sum(memory, src, r) : float_max(memory, src, r);
}

/* Ordinary numbers, so that most sums are not NaN, or troublesome patterns in every third case. */
static void fill(uint8_t *memory, const struct ops_tile *t, bool ordinary)
{
    ops_fill(memory, t);
    for (uint32_t r = 0; ordinary && r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++)
            if (ops_is_float(t->dtype))
                ops_set(memory, t, r, c,
                        ops_encode(t->dtype, ldexp((double)ops_below(1u << 31) - 0x1p30,
                                                   (int)ops_below(12) - 34)));
}

static void reductions(void **state)
{
    static const uint32_t widths[] = {1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 100, 511, 512, 513, 1100};
    static const int layouts[][2] = {{PTO_ND, PTO_ND}, {PTO_DN, PTO_ND}, {PTO_DN, PTO_DN},
                                     {PTO_ND, PTO_NZ}};

    (void)state;
    for (int d = 0; d < DTYPES; d++) {
        for (int w = 0; w < 15; w++) {
            int layout = (d + w) % 4;
            bool sum = (d + w) % 2;
            struct ops_case run = {.op = sum ? PTO_OP_TROWSUM : PTO_OP_TROWMAX, .operands = 3};

            for (int turn = 0; turn < 4; turn++, run.op = sum ? PTO_OP_TROWSUM : PTO_OP_TROWMAX) {
                struct ops_memory memory = ops_memory();
                uint32_t cols = (widths[w] + 31) / 32 * 32;

                run.tile[1] = ops_tile(dtypes[d], layouts[layout][1], 32, cols, 65536);
                run.tile[1].rows = 20;
                run.tile[1].cols = widths[w];
                run.tile[0] = ops_tile(dtypes[d], layouts[layout][0], 32, 8, 64);
                run.tile[0].rows = 19;
                run.tile[0].cols = 1;
                if (turn == 3) /* the results go into the source */
                    run.tile[0].at = 65536;
                fill(memory.got, &run.tile[1], turn != 2);
                memcpy(memory.want, memory.got, OPS_MEMORY);
                for (uint32_t r = 0; r < 19; r++)
                    ops_set(memory.want, &run.tile[0], r, 0,
                            expected(memory.got, &run.tile[1], r, sum));
                ops_expect(&run, &memory, "row");
                ops_memory_free(&memory);
                sum = !sum;
            }
        }
    }
}

/* The signs of zero and the order are visible: a single -0 stays, and 1 + 2^60 - 2^60 depends on
 * it. */
static void visible_order(void **state)
{
    static const float rows[4][18] = {{-0.0f, -0.0f, -0.0f},
                                      {-0.0f, 0.0f},
                                      {0x1p60f, 1, [16] = -0x1p60f},
                                      {0x1p60f, [8] = 1, [16] = -0x1p60f}};
    static const uint32_t cols[4] = {3, 2, 18, 18};
    static const float sums[4] = {-0.0f, 0.0f, 1.0f, 1.0f};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct ops_case run = {.op = PTO_OP_TROWSUM, .operands = 2};
        struct ops_memory memory = ops_memory();

        run.tile[0] = ops_tile(PTO_F32, PTO_ND, 1, 1, 0);
        run.tile[1] = ops_tile(PTO_F32, PTO_ND, 1, cols[i], 64);
        memcpy(memory.got + 64, rows[i], cols[i] * sizeof(float));
        memcpy(memory.want, memory.got, OPS_MEMORY);
        memcpy(memory.want, &sums[i], sizeof(float));
        ops_expect(&run, &memory, "order");
        ops_memory_free(&memory);
    }
}

/* One NaN decides, wherever in a long row it is. */
static void lone_nan(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < 1200; at += 97) {
        struct ops_case run = {.op = PTO_OP_TROWMAX, .operands = 2};
        struct ops_memory memory = ops_memory();

        run.tile[0] = ops_tile(PTO_F16, PTO_ND, 1, 1, 0);
        run.tile[1] = ops_tile(PTO_F16, PTO_ND, 1, 1200, 64);
        for (uint32_t c = 0; c < 1200; c++)
            ops_set(memory.got, &run.tile[1], 0, c, c == at ? 0xfe01 : 0x3c00);
        memcpy(memory.want, memory.got, OPS_MEMORY);
        ops_set(memory.want, &run.tile[0], 0, 0, 0x7e00);
        ops_expect(&run, &memory, "lone NaN");
        ops_memory_free(&memory);
    }
}

static void edges(void **state)
{
    struct ops_case run = {.op = PTO_OP_TROWMAX, .operands = 2};
    struct ops_memory memory = ops_memory();

    (void)state;
    run.tile[0] = ops_tile(PTO_F32, PTO_ND, 8, 8, 0);
    run.tile[1] = ops_tile(PTO_F32, PTO_ND, 8, 8, 1024);
    ops_expect_fault(&run, &memory, "8 valid columns");
    run.tile[0].cols = 1;
    run.tile[1].rows = 7;
    ops_expect_fault(&run, &memory, "src has 7 x 8");
    memcpy(memory.want, memory.got, OPS_MEMORY);
    run.tile[1].rows = 8;
    run.tile[1].cols = 0;
    ops_expect(&run, &memory, "no columns");
    run.tile[0].rows = 0;
    run.tile[1].cols = 8;
    ops_expect(&run, &memory, "no rows");
    ops_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions), cmocka_unit_test(visible_order), cmocka_unit_test(lone_nan),
        cmocka_unit_test(edges)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
