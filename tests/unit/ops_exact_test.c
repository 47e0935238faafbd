/* Shortcuts that must not show: remainders, inverse roots and logarithms against their definitions,
 * powers at all levels, where the quick way is taken, where it is not, and in between. */
#include "ops_support.h"

enum { ROW = 65536, A = 0, B = 262144, RESULT = 524288 };

static float from_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return value != value ? 0x7fc00000 : bits;
}

/* result = op(a, b) over a row of f32; two operands or one. */
static void run_row(struct ops_memory *memory, enum pto_op op, const float *a, const float *b)
{
    static const uint32_t place[] = {RESULT, A, B};
    struct ops_case run = {.op = op, .operands = pto_op_info(op)->operands};

    for (int i = 0; i < (b ? 3 : 2); i++)
        run.tile[i] = ops_tile(PTO_F32, PTO_ND, 1, ROW, place[i]);
    memcpy(memory->got + A, a, ROW * sizeof *a);
    if (b)
        memcpy(memory->got + B, b, ROW * sizeof *b);
    assert_null(ops_run(&run, memory));
}

static void check_row(const struct ops_memory *memory, const char *name, const float *a,
                      const float *b, float (*definition)(float x, float y))
{
    for (uint32_t i = 0; i < ROW; i++) {
        uint32_t got, want = bits_of(definition(a[i], b ? b[i] : 0));

        memcpy(&got, memory->got + RESULT + 4 * i, sizeof got);
        if (got != want)
            fail_msg("%s(%a, %a) = %a, not %a", name, a[i], b ? b[i] : 0, from_bits(got),
                     from_bits(want));
    }
}

/* ---- 1 / square root, ln --------------------------------------------------------------------- */
static float inverse_root(float x, float unused)
{
    (void)unused;
    return (float)(1.0 / sqrt(x));
}

static float logarithm(float x, float unused)
{
    (void)unused;
    return (float)log(x);
}

/* From each of these numbers on a row, from the first one on `count` numbers. */
static void check_from(const uint32_t *starts, size_t n, uint32_t count, enum pto_op op,
                       const char *name, float (*definition)(float x, float unused))
{
    struct ops_memory memory = ops_memory();
    float *row = malloc(ROW * sizeof *row);

    assert_non_null(row);
    for (size_t s = 0; s < n; s++)
        for (uint32_t first = starts[s]; first - starts[s] < (s ? ROW : count); first += ROW) {
            for (uint32_t i = 0; i < ROW; i++)
                row[i] = from_bits(first + i);
            run_row(&memory, op, row, NULL);
            check_row(&memory, name, row, NULL, definition);
        }
    free(row);
    ops_memory_free(&memory);
}

/* Two binades hold every significand with an even and an odd exponent. */
static void every_inverse_root(void **state)
{
    static const uint32_t starts[] = {0x3f800000, /* 1 */ 0x217f8000, /* around 2^-60 */
                                      0x5d7f8000, /* around 2^60 */ 0x00000000, 0x7f7f8000,
                                      0xffff0000};

    (void)state;
    check_from(starts, sizeof starts / sizeof *starts, 1u << 24, PTO_OP_TRSQRT, "1/sqrt",
               inverse_root);
}

/* Some of 2^21 results are so near to the middle between two f32 that the quick way does not
 * decide. */
static void many_logarithms(void **state)
{
    static const uint32_t starts[] = {0x3f700000, /* around 1 */ 0x007f8000, /* least normal */
                                      0x00000000, 0x7f7f8000, 0xffff0000, 0x3f350000};

    (void)state;
    check_from(starts, sizeof starts / sizeof *starts, 1u << 21, PTO_OP_TLOG, "log", logarithm);
}

/* Pairs of operands of three kinds, in turn. */
static void in_rounds(void (*try)(struct ops_memory *memory, float *a, float *b, unsigned kind))
{
    struct ops_memory memory = ops_memory();
    float *a = malloc(ROW * sizeof *a), *b = malloc(ROW * sizeof *b);

    assert_non_null(a);
    assert_non_null(b);
    for (unsigned round = 0; round < 12; round++)
        try(&memory, a, b, round % 3);
    free(a);
    free(b);
    ops_memory_free(&memory);
}

/* ---- powers ---------------------------------------------------------------------------------- */
/* Bases beside 1, from any binade, and with so few bits that results are exact or lie in the middle
 * between two f32; exponents with which results are ordinary, or few of them are not. */
static void fill_powers(float *a, float *b, unsigned kind)
{
    for (uint32_t i = 0; i < ROW; i++) {
        double part = (double)ops_below(1u << 24) * 0x1p-24, exponent = 2 * part - 1;
        uint32_t any = ops_below(0x7f000000) + 0x00800000;

        switch (kind) {
        case 0: a[i] = from_bits(0x3f800000 + ops_below(1u << 16) - (1u << 15)); break;
        case 1: a[i] = from_bits(any); break;
        default: a[i] = 1 + (float)ops_below(64) / 64; break;
        }
        b[i] = (float)(kind == 0 ? 30000 * exponent : kind == 1 ? 1.001 * exponent
                                                                : (int)(64 * exponent) * 0.25);
    }
}

static void try_powers(struct ops_memory *memory, float *a, float *b, unsigned kind)
{
    fill_powers(a, b, kind);
    run_row(memory, PTO_OP_TPOW, a, b); /* at every level of the host, with the same bits */
    for (uint32_t i = 0; i < ROW; i++) {
        double want = pow(a[i], b[i]);
        float got;

        memcpy(&got, memory->got + RESULT + 4 * i, sizeof got);
        if (want < 0x1p127 && !(fabs(got - want) <= want * 0x1.001p-24 + 0x1p-149))
            fail_msg("%a to the power %a = %a, not %a", a[i], b[i], got, want);
    }
}

static void many_powers(void **state)
{
    (void)state;
    in_rounds(try_powers);
}

/* ---- remainders ------------------------------------------------------------------------------ */
static float truncated(float x, float y)
{
    return (float)fmod(x, y);
}

static float floored(float x, float y)
{
    float rest = truncated(x, y);

    if (rest == 0)
        return copysignf(0, y);
    return signbit(rest) != signbit(y) ? rest + y : rest;
}

/* Pairs of all kinds: any patterns; multiples of the divisor, on and next to them; quotients around
 * those where the quick way ends. */
static void fill_pairs(float *a, float *b, unsigned kind)
{
    for (uint32_t i = 0; i < ROW; i++) {
        float whole = (float)ops_below(1u << (kind == 2 ? 24 : 12));

        b[i] = from_bits((uint32_t)ops_random());
        if (kind == 0) {
            a[i] = from_bits((uint32_t)ops_random());
            continue;
        }
        b[i] = ldexpf(1 + (float)ops_below(1u << 23) * 0x1p-23f, (int)ops_below(40) - 20);
        b[i] = ops_below(2) ? -b[i] : b[i];
        a[i] = from_bits(bits_of(whole * b[i]) + ops_below(3) - 1);
    }
}

static void try_remainders(struct ops_memory *memory, float *a, float *b, unsigned kind)
{
    fill_pairs(a, b, kind);
    run_row(memory, PTO_OP_TFMOD, a, b);
    check_row(memory, "fmod", a, b, truncated);
    run_row(memory, PTO_OP_TREM, a, b);
    check_row(memory, "rem", a, b, floored);
}

static void many_remainders(void **state)
{
    (void)state;
    in_rounds(try_remainders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_inverse_root),
                                       cmocka_unit_test(many_logarithms),
                                       cmocka_unit_test(many_powers),
                                       cmocka_unit_test(many_remainders)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
