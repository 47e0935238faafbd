/* TCVT: every pair of the instruction table, every mode and saturation, against the definitions. */
#include "ops_support.h"

enum { ROWS = 7, COLS = 160 };

/* ---- reference ----------------------------------------------------------------------------- */
static int64_t greatest_index(int dtype)
{
    struct ops_format f = ops_format(dtype);

    return f.infinity ? (((INT64_C(1) << f.exponent_bits) - 1) << f.fraction_bits) - 1
                      : (int64_t)f.nan - 1;
}

/* Value number `index` of a float type, counted from 0 in both directions.  Beyond the greatest one
 * the numbers go on at the same distance: results there have overflowed. */
static long double value_at(int dtype, int64_t index)
{
    int64_t magnitude = index < 0 ? -index : index, top = greatest_index(dtype);
    long double value = ops_decode(dtype, (uint64_t)(magnitude < top ? magnitude : top));

    if (magnitude > top)
        value += (long double)(magnitude - top) *
                 (value - (long double)ops_decode(dtype, (uint64_t)(top - 1)));
    return index < 0 ? -value : value;
}

/* Find the neighbours below and above, then choose. */
static uint64_t to_float(int dtype, long double x, int mode, bool saturate)
{
    struct ops_format f = ops_format(dtype);
    uint64_t sign = (uint64_t)(signbit(x) != 0) << (f.exponent_bits + f.fraction_bits);
    int64_t top = greatest_index(dtype), low, high, index;

    if (isnan(x))
        return f.nan;
    if (saturate && fabsl(x) > value_at(dtype, top))
        return sign | (uint64_t)top;
    if (fabsl(x) > value_at(dtype, top + 1))
        return f.infinity ? sign | (uint64_t)(top + 1) : f.nan;
    if (mode == PTO_ROUND_RINT)
        return ops_encode(dtype, (double)x);
    low = (int64_t)ops_encode(dtype, (double)fabsl(x));
    low = low > top ? top : low;
    low = x < 0 ? -low : low;
    while (value_at(dtype, low) > x)
        low--;
    while (value_at(dtype, low + 1) <= x)
        low++;
    high = value_at(dtype, low) == x ? low : low + 1;
    switch (mode) {
    case PTO_ROUND_FLOOR: index = low; break;
    case PTO_ROUND_CEIL: index = high; break;
    case PTO_ROUND_TRUNC: index = x < 0 ? high : low; break;
    case PTO_ROUND_ODD: index = low & 1 ? low : high; break;
    default: { /* to nearest, ties away from zero */
        long double down = x - value_at(dtype, low), up = value_at(dtype, high) - x;

        index = down < up || (down == up && x < 0) ? low : high;
        break;
    }
    }
    index = index < 0 ? -index : index;
    return index > top && !f.infinity ? f.nan : sign | (uint64_t)index;
}

static double integral(double x, int mode)
{
    switch (mode) {
    case PTO_ROUND_RINT: return nearbyint(x);
    case PTO_ROUND_ROUND: return round(x);
    case PTO_ROUND_FLOOR: return floor(x);
    case PTO_ROUND_CEIL: return ceil(x);
    default: return trunc(x);
    }
}

static uint64_t int_to_int(int dtype, __int128 value, bool saturate)
{
    if (saturate && value < ops_least(dtype))
        value = ops_least(dtype);
    if (saturate && value > ops_greatest(dtype))
        value = ops_greatest(dtype);
    return (uint64_t)value;
}

static uint64_t float_to_int(int dtype, double x, int mode, bool saturate)
{
    if (isnan(x) || (isinf(x) && !saturate))
        return 0;
    if (fabs(x) >= 0x1p120) /* low bits are 0 */
        return saturate ? (uint64_t)(x < 0 ? ops_least(dtype) : ops_greatest(dtype)) : 0;
    return int_to_int(dtype, (__int128)integral(x, mode), saturate);
}

static bool pair_is(int to, int from, int a, int b)
{
    return to == a && from == b;
}

static uint64_t convert(int to, int from, uint64_t bits, int mode, int sat)
{
    bool off_by_default =
        pair_is(to, from, PTO_U8, PTO_F16) || pair_is(to, from, PTO_I8, PTO_F16) ||
        pair_is(to, from, PTO_I16, PTO_F32) || pair_is(to, from, PTO_I16, PTO_F16) ||
        pair_is(to, from, PTO_I32, PTO_I64) || pair_is(to, from, PTO_I16, PTO_I32);
    bool free = to == PTO_F8E4M3 || to == PTO_F8E5M2 || pair_is(to, from, PTO_F16, PTO_BF16);
    bool saturate = off_by_default ? sat == PTO_SAT_ON : !(free && sat == PTO_SAT_OFF);
    double x;

    if (mode == PTO_ROUND_DEFAULT ||
        (mode == PTO_ROUND_ODD && !pair_is(to, from, PTO_F16, PTO_F32)))
        mode = ops_is_float(to) ? PTO_ROUND_RINT : PTO_ROUND_TRUNC;
    if (!ops_is_float(from)) {
        __int128 value = ops_integer(from, bits);

        return ops_is_float(to) ? to_float(to, (long double)value, mode, true)
                                : int_to_int(to, value, saturate);
    }
    x = ops_decode(from, bits);
    if (!ops_is_float(to))
        return float_to_int(to, x, mode, saturate);
    if (to == PTO_F32)
        return ops_encode(to, from == PTO_F32 ? integral(x, mode) : x);
    return to_float(to, x, mode, saturate);
}

/* ---- data ---------------------------------------------------------------------------------- */
/* Troublesome patterns, and numbers with fractions around the limits of all integer types. */
static uint64_t source_pattern(int dtype)
{
    static const double scales[] = {4, 300, 70000, 0x1p32, 0x1p40};
    double scale = scales[ops_below(5)], value;

    if (!ops_is_float(dtype) || ops_below(3) == 0)
        return ops_pattern(dtype);
    value = ldexp((double)ops_below(1u << 30), -29) * scale - scale;
    if (ops_below(2))
        value = floor(value) + 0.5;
    return ops_encode(dtype, value);
}

static void run_pair(int to, int from, int mode, int sat, int variant)
{
    static const int layouts[3][2] = {{PTO_ND, PTO_ND}, {PTO_DN, PTO_ND}, {PTO_DN, PTO_DN}};
    struct ops_case run = {.op = PTO_OP_TCVT, .operands = 4};
    struct ops_memory memory = ops_memory();
    bool in_place = variant == 2 && ops_size(to) <= ops_size(from);
    char what[96];

    run.tile[0] = ops_tile(to, layouts[variant][0], ROWS + 1, COLS, in_place ? 64 : 65536);
    run.tile[1] = ops_tile(from, layouts[variant][1], ROWS + 1, COLS, 64);
    run.tile[0].rows = run.tile[1].rows = ROWS;
    run.tile[0].cols = COLS - 3;
    run.scalar[2] = ops_int(mode);
    run.scalar[3] = ops_int(sat);
    run.scalar[2].present = mode != PTO_ROUND_DEFAULT;
    run.scalar[3].present = sat != PTO_SAT_DEFAULT;
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < COLS; c++)
            ops_set(memory.got, &run.tile[1], r, c, source_pattern(from));
    memcpy(memory.want, memory.got, OPS_MEMORY);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < run.tile[0].cols; c++)
            ops_set(memory.want, &run.tile[0], r, c,
                    convert(to, from, ops_get(memory.got, &run.tile[1], r, c), mode, sat));
    snprintf(what, sizeof what, "from %s, mode %d, saturation %d",
             pto_dtype_name((enum pto_dtype)from), mode, sat);
    ops_expect(&run, &memory, what);
    ops_memory_free(&memory);
}

static int pairs_of(const char *types)
{
    int pairs = 0;

    for (const char *at = types; *at; at += strcspn(at, " "), at += *at == ' ') {
        char text[32];
        char *from;

        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, " "), at);
        if (*text == '-')
            continue;
        from = strchr(text, ',');
        if (from)
            *from++ = 0;
        if (from && pto_dtype_numbers((enum pto_dtype)pto_dtype_find(text)) !=
                        pto_dtype_numbers((enum pto_dtype)pto_dtype_find(from)))
            continue; /* not element by element: tests/isa/TCVT.py */
        for (int mode = PTO_ROUND_DEFAULT; mode <= PTO_ROUND_ODD; mode++)
            for (int sat = PTO_SAT_DEFAULT; sat <= PTO_SAT_OFF; sat++)
                run_pair(pto_dtype_find(text), pto_dtype_find(from ? from : text), mode, sat,
                         (mode + sat) % 3);
        pairs++;
    }
    return pairs;
}

static void all_pairs(void **state)
{
    const struct pto_op_info *info = pto_op_info(PTO_OP_TCVT);

    (void)state;
    assert_true(pairs_of(info->types) > 20);
    assert_true(pairs_of(info->types_a5) > 5);
}

/* A few values by hand, so that the reference itself stands on something. */
static void known(void **state)
{
    static const struct {
        int to, from;
        uint64_t in;
        int mode, sat;
        uint64_t out;
    } values[] = {
        {PTO_I8, PTO_F16, 0x5cb0, PTO_ROUND_DEFAULT, PTO_SAT_DEFAULT, 44},   /* 300: low bits */
        {PTO_I8, PTO_F16, 0x5cb0, PTO_ROUND_DEFAULT, PTO_SAT_ON, 127},
        {PTO_I32, PTO_F32, 0xc0200000, PTO_ROUND_DEFAULT, PTO_SAT_DEFAULT, 0xfffffffe}, /* -2.5 */
        {PTO_I32, PTO_F32, 0xc0200000, PTO_ROUND_ROUND, PTO_SAT_DEFAULT, 0xfffffffd},
        {PTO_I32, PTO_F32, 0x4f000000, PTO_ROUND_RINT, PTO_SAT_OFF, 0x7fffffff}, /* 2^31 clamps */
        {PTO_F16, PTO_F32, 0x7f800000, PTO_ROUND_RINT, PTO_SAT_DEFAULT, 0x7bff},
        {PTO_F16, PTO_F32, 0x3f801000, PTO_ROUND_RINT, PTO_SAT_DEFAULT, 0x3c00}, /* tie */
        {PTO_F16, PTO_F32, 0x3f801000, PTO_ROUND_ODD, PTO_SAT_DEFAULT, 0x3c01},
        {PTO_F16, PTO_F32, 0x3f801000, PTO_ROUND_ROUND, PTO_SAT_DEFAULT, 0x3c01},
        {PTO_BF16, PTO_F32, 0x3f808000, PTO_ROUND_DEFAULT, PTO_SAT_DEFAULT, 0x3f80},
        {PTO_F32, PTO_F16, 0x7c01, PTO_ROUND_DEFAULT, PTO_SAT_DEFAULT, 0x7fc00000},
        {PTO_F32, PTO_F32, 0x3fc00000, PTO_ROUND_FLOOR, PTO_SAT_DEFAULT, 0x3f800000},
        {PTO_F8E4M3, PTO_F32, 0x43e80000, PTO_ROUND_RINT, PTO_SAT_OFF, 0x7e}, /* 464: tie to 448 */
        {PTO_F8E4M3, PTO_F32, 0xc3e80001, PTO_ROUND_RINT, PTO_SAT_OFF, 0x7f},
        {PTO_F8E4M3, PTO_F32, 0xff800000, PTO_ROUND_RINT, PTO_SAT_DEFAULT, 0xfe},
        {PTO_F8E5M2, PTO_F32, 0x476fffff, PTO_ROUND_RINT, PTO_SAT_OFF, 0x7b},
        {PTO_F8E5M2, PTO_F32, 0xc7700000, PTO_ROUND_RINT, PTO_SAT_OFF, 0xfc}, /* tie to infinity */
        {PTO_F8E5M2, PTO_F32, 0xffc00000, PTO_ROUND_RINT, PTO_SAT_OFF, 0x7e},
        {PTO_F32, PTO_I64, 0x4000004000000001, PTO_ROUND_RINT, PTO_SAT_DEFAULT, 0x5e800001},
    };

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct ops_case run = {.op = PTO_OP_TCVT, .operands = 4};
        struct ops_memory memory = ops_memory();

        run.tile[0] = ops_tile(values[i].to, PTO_ND, 1, 1, 0);
        run.tile[1] = ops_tile(values[i].from, PTO_ND, 1, 1, 64);
        run.scalar[2] = ops_int(values[i].mode);
        run.scalar[3] = ops_int(values[i].sat);
        ops_set(memory.got, &run.tile[1], 0, 0, values[i].in);
        ops_set(memory.want, &run.tile[1], 0, 0, values[i].in);
        ops_set(memory.want, &run.tile[0], 0, 0, values[i].out);
        ops_expect(&run, &memory, "known value");
        ops_memory_free(&memory);
    }
}

/* All values of a small type to f32, and the f32 values on and around every tie back to it. */
static void every_value_of(int small, int sat)
{
    uint32_t count = 1u << 8 * ops_size(small);
    bool is_f8 = ops_size(small) == 1;
    struct ops_case wide = {.op = PTO_OP_TCVT, .operands = 4};
    struct ops_case narrow = wide;
    struct ops_memory memory = ops_memory();

    wide.tile[0] = narrow.tile[1] = ops_tile(PTO_F32, PTO_ND, 1, count, 131072);
    wide.tile[1] = ops_tile(small, PTO_ND, 1, count, 0);
    narrow.tile[0] = ops_tile(small, PTO_ND, 1, count, 524288);
    narrow.scalar[3] = ops_int(sat);
    narrow.scalar[3].present = true;
    for (uint32_t k = 0; k < count; k++) {
        ops_set(memory.got, &wide.tile[1], 0, k, k);
        ops_set(memory.want, &wide.tile[1], 0, k, k);
        ops_set(memory.want, &wide.tile[0], 0, k, ops_encode(PTO_F32, ops_decode(small, k)));
    }
    ops_expect(&wide, &memory, "all values");
    for (int around = -1; around <= 1; around++) {
        for (uint32_t k = 0; k < count; k++) {
            uint64_t next = ops_encode(
                PTO_F32, (ops_decode(small, k) + ops_decode(small, (k + 1) % count)) / 2);

            next = (uint32_t)((int64_t)next + around);
            ops_set(memory.got, &narrow.tile[1], 0, k, next);
            ops_set(memory.want, &narrow.tile[1], 0, k, next);
            ops_set(memory.want, &narrow.tile[0], 0, k,
                    to_float(small, ops_decode(PTO_F32, next), PTO_ROUND_RINT,
                             !is_f8 || sat == PTO_SAT_ON));
        }
        ops_expect(&narrow, &memory, "ties");
    }
    ops_memory_free(&memory);
}

static void every_small_float(void **state)
{
    static const int smalls[] = {PTO_F16, PTO_BF16, PTO_F8E4M3, PTO_F8E5M2};

    (void)state;
    for (int i = 0; i < 4; i++) {
        every_value_of(smalls[i], PTO_SAT_ON);
        every_value_of(smalls[i], PTO_SAT_OFF);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_pairs), cmocka_unit_test(known),
                                       cmocka_unit_test(every_small_float)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
