/* Elementwise instructions (each.h): all levels give the same bytes over all types of the table,
 * overlapping operands give what separate ones do, transcendental results keep their bound.  What
 * the instructions compute is checked against numpy in tests/isa. */
#define OPS_MEMORY (1 << 18)
#include "ops_support.h"

enum { ROUNDS = 12, SLOT = 1 << 15 };

static const uint16_t instructions[] = {
    PTO_OP_TCMP, PTO_OP_TCMPS, PTO_OP_TCMPS_TILE, PTO_OP_TSEL, PTO_OP_TSELS, PTO_OP_TSELS_TMP,
    PTO_OP_TAND, PTO_OP_TOR, PTO_OP_TXOR, PTO_OP_TSHL, PTO_OP_TSHR, PTO_OP_TNOT,
    PTO_OP_TANDS, PTO_OP_TORS, PTO_OP_TXORS, PTO_OP_TSHLS, PTO_OP_TSHRS,
    PTO_OP_TABS, PTO_OP_TNEG, PTO_OP_TRELU, PTO_OP_TSQRT, PTO_OP_TRSQRT, PTO_OP_TRECIP,
    PTO_OP_TLOG, PTO_OP_TPOW, PTO_OP_TPOWS,
    PTO_OP_TREM, PTO_OP_TREMS, PTO_OP_TFMOD, PTO_OP_TFMODS,
    PTO_OP_TADDC, PTO_OP_TSUBC, PTO_OP_TADDSC, PTO_OP_TSUBSC,
    PTO_OP_TFUSEDMULADD, PTO_OP_TFUSEDMULADDRELU, PTO_OP_TMULADDDST, PTO_OP_TAXPY,
    PTO_OP_TPRELU, PTO_OP_TLRELU, PTO_OP_TSUBRELU,
    PTO_OP_TADDRELUCONV, PTO_OP_TSUBRELUCONV, PTO_OP_TADDDEQRELU, PTO_OP_TPAIRREDUCESUM,
    PTO_OP_TPARTADD, PTO_OP_TPARTMUL, PTO_OP_TPARTMAX, PTO_OP_TPARTMIN,
    PTO_OP_TPARTARGMAX, PTO_OP_TPARTARGMIN};
enum {
    INSTRUCTIONS = sizeof instructions / sizeof *instructions,
    ACCUMULATING = 4 /* TFUSEDMULADD, TFUSEDMULADDRELU, TMULADDDST, TAXPY */
};

/* ---- one case from a row of the table ------------------------------------------------------ */
/* The type of typed operand `index` in an alternative such as "u8,f16,f16" or "f16". */
static int type_of(const char *alternative, size_t length, unsigned index)
{
    const char *end = alternative + length, *comma;
    char name[16] = "";

    for (; index && (comma = memchr(alternative, ',', (size_t)(end - alternative))); index--)
        alternative = comma + 1;
    comma = memchr(alternative, ',', (size_t)(end - alternative));
    memcpy(name, alternative, (size_t)((comma ? comma : end) - alternative));
    return pto_dtype_find(name);
}

/* A value that every type and instruction accepts; sometimes a fractional one for floats. */
static struct op_arg scalar_for(const struct pto_operand_spec *spec, int dtype)
{
    if (spec->kind == PTO_K_ENUM)
        return ops_int((int64_t)ops_below(6));
    if (spec->kind == PTO_K_FLOAT || (ops_is_float(dtype) && ops_below(2)))
        return ops_float(ldexp((double)ops_below(4096), -9) - 3);
    return ops_int((int64_t)ops_below(7) + 1);
}

/* Tiles of at most 13 x 29 elements, sometimes of more than one block (lanes.c), one in each slot
 * of the memory. */
static struct ops_case make_case(enum pto_op op, const char *alternative, size_t length)
{
    const struct pto_op_info *info = pto_op_info(op);
    struct ops_case run = {.op = op, .operands = info->operands};
    uint32_t rows = 1 + ops_below(ops_below(4) ? 13 : 75), cols = 1 + ops_below(29);
    unsigned typed = 0;
    int dtype = 0;

    for (unsigned i = 0; i < info->operands; i++) {
        const struct pto_operand_spec *spec = &info->operand[i];

        if (spec->kind != PTO_K_TILE) {
            run.scalar[i] = scalar_for(spec, dtype);
        } else if (!(spec->access & PTO_SCRATCH)) {
            dtype = type_of(alternative, length, typed++);
            run.tile[i] = ops_tile(dtype, ops_below(3) ? PTO_ND : PTO_DN, 80, 32,
                                   (size_t)i * SLOT + 32);
            run.tile[i].rows = rows;
            run.tile[i].cols = cols;
        }
    }
    return run;
}

/* Patterns of all kinds, or small numbers that are legal as counts, divisors and exponents. */
static void fill_case(const struct ops_case *run, uint8_t *memory)
{
    bool small = ops_below(2);

    for (int i = 0; i < run->operands; i++) {
        const struct ops_tile *t = &run->tile[i];

        if (!t->tile_rows)
            continue;
        ops_fill(memory, t);
        for (uint32_t r = 0; small && r < t->rows; r++)
            for (uint32_t c = 0; c < t->cols; c++)
                ops_set(memory, t, r, c,
                        ops_is_float(t->dtype) ? ops_encode(t->dtype, ops_below(999) / 64.0 - 7)
                                               : 1 + ops_below(7));
    }
}

static void for_each_type(enum pto_op op, void (*check)(enum pto_op, const char *, size_t))
{
    const char *lists[] = {pto_op_info(op)->types, pto_op_info(op)->types_a5};

    for (int i = 0; i < 2; i++)
        for (const char *word = lists[i]; *word; word += strspn(word, " ")) {
            size_t length = strcspn(word, " ");

            check(op, word, length);
            word += length;
        }
}

/* ---- levels -------------------------------------------------------------------------------- */
static void levels_of_type(enum pto_op op, const char *alternative, size_t length)
{
    struct ops_memory memory = ops_memory();
    int worked = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct ops_case run = make_case(op, alternative, length);

        fill_case(&run, memory.got);
        worked += !ops_run(&run, &memory);
    }
    if (!worked)
        fail_msg("%s %.*s: every case faults", pto_op_info(op)->mnemonic, (int)length, alternative);
    ops_memory_free(&memory);
}

static void same_bits_on_all_levels(void **state)
{
    (void)state;
    for (unsigned i = 0; i < INSTRUCTIONS; i++)
        for_each_type(instructions[i], levels_of_type);
}

/* ---- overlap ------------------------------------------------------------------------------- */
/* The first destination over source `from`, shifted by whole elements, gives what it gives
 * elsewhere. Returns the number of elements that were compared: 0 if the instruction faults. */
static unsigned overlap_of_operand(enum pto_op op, const char *alternative, size_t length, int from)
{
    struct ops_memory memory = ops_memory();
    struct ops_case apart = make_case(op, alternative, length), over;
    const struct ops_tile *dst = &over.tile[0], *there = &apart.tile[0];
    bool mask = !strcmp(pto_op_info(op)->operand[0].name, "mask");
    uint32_t cols = mask ? (there->cols + 7) / 8 : there->cols;
    unsigned compared = 0;

    fill_case(&apart, memory.got);
    over = apart;
    over.tile[0].at = over.tile[from].at + ops_below(9) * ops_size(dst->dtype);
    memcpy(memory.want, memory.got, OPS_MEMORY);
    if (!ops_run_on(ops_level(0), &apart, memory.want)) {
        assert_null(ops_run_on(ops_level(0), &over, memory.got));
        for (uint32_t r = 0; r < dst->rows; r++)
            for (uint32_t c = 0; c < cols; c++, compared++)
                if (ops_get(memory.got, dst, r, c) != ops_get(memory.want, there, r, c))
                    fail_msg("%s %.*s: element (%u, %u) differs where dst overlaps operand %d",
                             pto_op_info(op)->mnemonic, (int)length, alternative, r, c, from);
    }
    ops_memory_free(&memory);
    return compared;
}

static void overlap_of_type(enum pto_op op, const char *alternative, size_t length)
{
    const struct pto_op_info *info = pto_op_info(op);

    for (int from = 1; from < info->operands; from++) {
        unsigned compared = 0;

        if (info->operand[from].kind != PTO_K_TILE || info->operand[from].access != PTO_READ)
            continue;
        for (int round = 0; round < ROUNDS; round++)
            compared += overlap_of_operand(op, alternative, length, from);
        if (!compared)
            fail_msg("%s %.*s: nothing was compared with dst over operand %d", info->mnemonic,
                     (int)length, alternative, from);
    }
}

static void overlap_is_like_separate_tiles(void **state)
{
    unsigned overlapped = 0;

    (void)state;
    for (unsigned i = 0; i < INSTRUCTIONS; i++)
        if (pto_op_info(instructions[i])->operand[0].access == PTO_WRITE) {
            for_each_type(instructions[i], overlap_of_type);
            overlapped++;
        }
    /* all but those that read what dst held: over a source it holds something else */
    assert_int_equal(INSTRUCTIONS - overlapped, ACCUMULATING);
}

/* ---- bounds of transcendental results ------------------------------------------------------ */
enum { ROW = 8192, STEP = 0x8003 };

static double inverse_root(double x)
{
    return 1 / sqrt(x);
}

/* f32 inputs of the whole range against f64, which the C library computes far more precisely. */
static void check_function(enum pto_op op, double (*exact)(double))
{
    struct ops_memory memory = ops_memory();
    struct ops_case run = {.op = op, .operands = 2};
    struct ops_tile *dst = &run.tile[0], *src = &run.tile[1];

    *dst = ops_tile(PTO_F32, PTO_ND, 1, ROW, OPS_MEMORY / 2);
    *src = ops_tile(PTO_F32, PTO_ND, 1, ROW, 0);
    for (uint64_t first = 0; first < UINT64_C(1) << 32; first += (uint64_t)ROW * STEP) {
        for (uint32_t i = 0; i < ROW; i++)
            ops_set(memory.got, src, 0, i, first + (uint64_t)i * STEP);
        assert_null(ops_run(&run, &memory));
        for (uint32_t i = 0; i < ROW; i++) {
            double x = ops_decode(PTO_F32, ops_get(memory.got, src, 0, i)), want = exact(x);
            double got = ops_decode(PTO_F32, ops_get(memory.got, dst, 0, i));
            int exponent;

            frexp(want, &exponent);
            if (!isfinite(want) ? !(got == want || (isnan(got) && isnan(want)))
                                : !(fabs(got - want) <= ldexp(1, exponent - 24)))
                fail_msg("%s(%a) = %a, exact %a", pto_op_info(op)->mnemonic, x, got, want);
        }
    }
    ops_memory_free(&memory);
}

static void results_within_one_ulp(void **state)
{
    (void)state;
    check_function(PTO_OP_TLOG, log);
    check_function(PTO_OP_TSQRT, sqrt);
    check_function(PTO_OP_TRSQRT, inverse_root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_on_all_levels),
                                       cmocka_unit_test(overlap_is_like_separate_tiles),
                                       cmocka_unit_test(results_within_one_ulp)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
