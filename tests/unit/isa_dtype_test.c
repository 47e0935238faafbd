/* Conversions against references that share nothing with them: every value of a narrow format by
 * its closed form, neighbours by search, the host's own casts for f32 and integers, and numpy for
 * f16. */
#include "isa_dtype_support.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

/* A narrow format as its definition has it. */
struct narrow {
    const char *name;
    int exponent_bits, mantissa_bits;
    bool infinities; /* else all codes but the last are finite */
    uint32_t nan;
    double (*widen)(uint32_t bits);
    uint32_t (*convert)(double value, int mode, bool saturate);
    uint32_t finite;   /* number of finite values that are not negative */
    double *value;     /* ascending by code, and one more: the next if there were no bound */
};

static double widen_16(uint32_t bits, enum pto_dtype dtype)
{
    uint8_t bytes[] = {(uint8_t)bits, (uint8_t)(bits >> 8)};

    return pto_load_f64(bytes, dtype);
}

static double widen_f16(uint32_t bits) { return widen_16(bits, PTO_F16); }
static double widen_bf16(uint32_t bits) { return widen_16(bits, PTO_BF16); }
static double widen_e4m3(uint32_t bits) { return pto_load_f64(&bits, PTO_F8E4M3); }
static double widen_e5m2(uint32_t bits) { return pto_load_f64(&bits, PTO_F8E5M2); }
static uint32_t to_f16(double v, int mode, bool sat) { return pto_f64_to_f16(v, mode, sat); }
static uint32_t to_bf16(double v, int mode, bool sat) { return pto_f64_to_bf16(v, mode, sat); }
static uint32_t to_e4m3(double v, int mode, bool sat) { return pto_f64_to_e4m3(v, mode, sat); }
static uint32_t to_e5m2(double v, int mode, bool sat) { return pto_f64_to_e5m2(v, mode, sat); }

static struct narrow formats[] = {
    {"f16", 5, 10, true, 0x7e00, widen_f16, to_f16, 0, NULL},
    {"bf16", 8, 7, true, 0x7fc0, widen_bf16, to_bf16, 0, NULL},
    {"f8e4m3", 4, 3, false, 0x7f, widen_e4m3, to_e4m3, 0, NULL},
    {"f8e5m2", 5, 2, true, 0x7e, widen_e5m2, to_e5m2, 0, NULL},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static double closed_form(const struct narrow *f, uint32_t code)
{
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    int exponent = (int)(code >> f->mantissa_bits);
    double mantissa = code & ((1u << f->mantissa_bits) - 1);

    if (exponent == 0)
        return ldexp(mantissa, 1 - bias - f->mantissa_bits);
    return ldexp(mantissa + (1 << f->mantissa_bits), exponent - bias - f->mantissa_bits);
}

static uint32_t sign_bit(const struct narrow *f)
{
    return 1u << (f->exponent_bits + f->mantissa_bits);
}

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        struct narrow *f = &formats[i];

        f->finite = f->infinities ? sign_bit(f) - (1u << f->mantissa_bits) : sign_bit(f) - 1;
        f->value = malloc((f->finite + 1) * sizeof *f->value);
        for (uint32_t code = 0; code <= f->finite; code++)
            f->value[code] = closed_form(f, code);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < FORMATS; i++)
        free(formats[i].value);
    return 0;
}

/* The code that `value` must become: neighbours by bisection, then the mode by its definition. */
static uint32_t reference(const struct narrow *f, double value, int mode, bool saturate)
{
    uint32_t sign = signbit(value) ? sign_bit(f) : 0, low = 0, high = f->finite, code;
    uint32_t overflow = saturate        ? sign | (f->finite - 1)
                        : f->infinities ? sign | f->finite
                                        : f->nan;
    double magnitude = fabs(value), middle;

    if (isnan(value))
        return f->nan;
    if (magnitude >= f->value[f->finite])
        return overflow;
    while (high - low > 1) { /* value[low] <= magnitude < value[high] */
        uint32_t half = (low + high) / 2;

        if (f->value[half] <= magnitude)
            low = half;
        else
            high = half;
    }
    middle = (f->value[low] + f->value[high]) / 2; /* exact */
    code = low;
    if (magnitude != f->value[low])
        switch (mode) {
        case PTO_ROUND_FLOOR: code = sign ? high : low; break;
        case PTO_ROUND_CEIL: code = sign ? low : high; break;
        case PTO_ROUND_TRUNC: code = low; break;
        case PTO_ROUND_ODD: code = low & 1 ? low : high; break;
        case PTO_ROUND_ROUND: code = magnitude >= middle ? high : low; break;
        default:
            code = magnitude > middle || (magnitude == middle && (low & 1)) ? high : low;
        }
    return code == f->finite ? overflow : sign | code;
}

static void check_value(const struct narrow *f, double value)
{
    for (int m = 0; m < MODES; m++)
        for (int saturate = 0; saturate < 2; saturate++) {
            uint32_t got = f->convert(value, modes[m], saturate);
            uint32_t want = reference(f, value, modes[m], saturate);

            if (got != want)
                fail_msg("%s of %a, mode %d, saturate %d: 0x%x, not 0x%x", f->name, value,
                         modes[m], saturate, got, want);
        }
}

static void widening_is_exact(void **state)
{
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        const struct narrow *f = &formats[i];

        for (uint32_t code = 0; code < sign_bit(f); code++) {
            double positive = f->widen(code), negative = f->widen(code | sign_bit(f));
            double want = code < f->finite ? f->value[code] : INFINITY;
            float single = (float)positive;
            uint32_t bits;

            if (code >= f->finite && !(f->infinities && code == f->finite)) {
                memcpy(&bits, &single, sizeof bits);
                assert_int_equal(bits, 0x7fc00000);
                assert_true(isnan(negative));
                continue;
            }
            assert_true(positive == want && negative == -want);
            assert_true(!signbit(positive) && signbit(negative));
        }
    }
}

static void narrowing_at_and_around_every_value(void **state)
{
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        const struct narrow *f = &formats[i];

        for (uint32_t code = 0; code <= f->finite; code++) {
            double value = f->value[code];
            double tie = code < f->finite ? (value + f->value[code + 1]) / 2 : value * 2;
            double around[] = {value, nextafter(value, INFINITY), tie, nextafter(tie, 0),
                               nextafter(tie, INFINITY)};

            for (int k = 0; k < 5; k++) {
                check_value(f, around[k]);
                check_value(f, -around[k]);
            }
        }
    }
}

static void narrowing_of_specials_and_randoms(void **state)
{
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        for (int k = 0; k < SPECIALS; k++)
            check_value(&formats[i], specials[k]);
        for (int k = 0; k < RANDOMS / 4; k++)
            check_value(&formats[i], random_f64());
    }
}

/* Literal results from the standards. */
static void known_results(void **state)
{
    (void)state;
    assert_int_equal(pto_f64_to_f16(65520, PTO_ROUND_RINT, false), 0x7c00);
    assert_int_equal(pto_f64_to_f16(65519, PTO_ROUND_RINT, false), 0x7bff);
    assert_int_equal(pto_f64_to_f16(65520, PTO_ROUND_RINT, true), 0x7bff);
    assert_int_equal(pto_f64_to_f16(-INFINITY, PTO_ROUND_RINT, true), 0xfbff);
    assert_int_equal(pto_f64_to_f16(70000, PTO_ROUND_TRUNC, false), 0x7c00);
    assert_int_equal(pto_f64_to_f16(65535, PTO_ROUND_TRUNC, false), 0x7bff);
    assert_int_equal(pto_f64_to_f16(0x1p-25, PTO_ROUND_RINT, false), 0);
    assert_int_equal(pto_f64_to_f16(0x1p-25, PTO_ROUND_ROUND, false), 1);
    assert_int_equal(pto_f64_to_f16(0x1p-1074, PTO_ROUND_ODD, false), 1);
    assert_int_equal(pto_f64_to_f16(-0x1p-1074, PTO_ROUND_FLOOR, false), 0x8001);
    assert_int_equal(pto_f64_to_e4m3(464, PTO_ROUND_RINT, false), 0x7e);
    assert_int_equal(pto_f64_to_e4m3(465, PTO_ROUND_RINT, false), 0x7f);
    assert_int_equal(pto_f64_to_e4m3(-465, PTO_ROUND_RINT, false), 0x7f);
    assert_int_equal(pto_f64_to_e4m3(-1e9, PTO_ROUND_RINT, true), 0xfe);
    assert_int_equal(pto_f64_to_e5m2(61440, PTO_ROUND_RINT, false), 0x7c);
    assert_int_equal(pto_f64_to_bf16(NAN, PTO_ROUND_CEIL, true), 0x7fc0);
    assert_int_equal(pto_f64_to_bf16(1.00390625, PTO_ROUND_RINT, false), 0x3f80);
    assert_int_equal(pto_f64_to_bf16(1.00390625, PTO_ROUND_ROUND, false), 0x3f81);
}

/* ---- f32 ------------------------------------------------------------------------------------- */

static float reference_f32(double value, int mode, bool saturate)
{
    float nearest = (float)value, below, above, result;
    double error = value - (double)nearest;

    if (isnan(value))
        return NAN;
    if (isinf(value) || (isinf(nearest) && fabs(value) >= 0x1p128))
        return copysignf(saturate ? FLT_MAX : INFINITY, (float)value);
    if (isinf(nearest)) { /* between the largest value and 2^128 */
        below = value > 0 ? FLT_MAX : -INFINITY;
        above = value > 0 ? INFINITY : -FLT_MAX;
        error = 1;
        nearest = copysignf(INFINITY, (float)value);
    } else {
        below = error < 0 ? nextafterf(nearest, -INFINITY) : nearest;
        above = error > 0 ? nextafterf(nearest, INFINITY) : nearest;
    }
    result = nearest;
    if (error != 0)
        switch (mode) {
        case PTO_ROUND_FLOOR: result = below; break;
        case PTO_ROUND_CEIL: result = above; break;
        case PTO_ROUND_TRUNC: result = signbit(value) ? above : below; break;
        case PTO_ROUND_ODD: {
            uint32_t bits;

            memcpy(&bits, &below, sizeof bits);
            result = bits & 1 ? below : above;
            break;
        }
        case PTO_ROUND_ROUND: { /* a tie only moves if it went to the even side near zero */
            float away = signbit(value) ? below : above;

            if (!isinf(nearest) && fabs((double)away - value) == fabs(error))
                result = away;
            break;
        }
        default: break;
        }
    if (result == 0)
        result = copysignf(result, (float)value);
    return isinf(result) && saturate ? copysignf(FLT_MAX, result) : result;
}

static void check_f32(double value)
{
    for (int m = 0; m < MODES; m++)
        for (int saturate = 0; saturate < 2; saturate++) {
            float got = pto_f64_to_f32(value, modes[m], saturate);
            float want = reference_f32(value, modes[m], saturate);

            if (isnan(want) ? !isnan(got)
                            : got != want || signbit(got) != signbit(want))
                fail_msg("f32 of %a, mode %d, saturate %d: %a, not %a", value, modes[m], saturate,
                         (double)got, (double)want);
        }
}

static void f64_to_f32(void **state)
{
    (void)state;
    for (int i = 0; i < SPECIALS; i++)
        check_f32(specials[i]);
    for (int i = 0; i < RANDOMS; i++) {
        uint32_t bits = (uint32_t)random_next();
        float f;
        double value, up;

        memcpy(&f, &bits, sizeof f);
        if (!isfinite(f))
            continue;
        value = f;
        up = nextafterf(f, INFINITY);
        check_f32(value);
        check_f32(value + (up - value) / 2); /* a tie */
        check_f32(nextafter(value, INFINITY));
        check_f32(random_f64());
    }
}

/* ---- numpy ----------------------------------------------------------------------------------- */

static void f16_against_numpy(void **state)
{
    FILE *pipe = popen("/usr/bin/python3 -c \""
                       "import numpy, sys\n"
                       "numpy.seterr(all='ignore')\n"
                       "g = numpy.random.RandomState(7)\n"
                       "x = g.uniform(-1, 1, 100000) * 2.0 ** g.randint(-30, 18, 100000)\n"
                       "h = numpy.arange(65536).astype(numpy.uint16).view(numpy.float16)\n"
                       "sys.stdout.buffer.write(h.astype(numpy.float64).tobytes())\n"
                       "sys.stdout.buffer.write(x.tobytes())\n"
                       "sys.stdout.buffer.write(x.astype(numpy.float16).tobytes())\n"
                       "\" 2>/dev/null", "r");
    static double widened[65536], values[100000];
    static uint16_t narrowed[100000];
    size_t got;

    (void)state;
    assert_non_null(pipe);
    got = fread(widened, sizeof *widened, 65536, pipe);
    got += fread(values, sizeof *values, 100000, pipe);
    got += fread(narrowed, sizeof *narrowed, 100000, pipe);
    pclose(pipe);
    if (got == 0)
        skip(); /* no numpy here */
    assert_int_equal(got, 265536);
    for (uint32_t i = 0; i < 65536; i++) {
        double mine = widen_f16(i);

        assert_true(isnan(widened[i]) ? isnan(mine) : mine == widened[i]);
    }
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(pto_f64_to_f16(values[i], PTO_ROUND_RINT, false), narrowed[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widening_is_exact),
        cmocka_unit_test(narrowing_at_and_around_every_value),
        cmocka_unit_test(narrowing_of_specials_and_randoms),
        cmocka_unit_test(known_results),
        cmocka_unit_test(f64_to_f32),
        cmocka_unit_test(f16_against_numpy),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
