/* Conversions to and from integers, and elements in memory, against references in wider types. */
#include "isa_dtype_support.h"

#include <fenv.h>

static const uint8_t int_types[] = {PTO_I8, PTO_U8, PTO_I16, PTO_U16,
                                    PTO_I32, PTO_U32, PTO_I64, PTO_U64};
enum { INT_TYPES = sizeof int_types };

static double round_reference(double value, int mode)
{
    double low = floor(value);

    switch (mode) {
    case PTO_ROUND_ROUND: return round(value);
    case PTO_ROUND_FLOOR: return low;
    case PTO_ROUND_CEIL: return ceil(value);
    case PTO_ROUND_TRUNC: return trunc(value);
    case PTO_ROUND_ODD: return low == value || fmod(low, 2) != 0 ? low : low + 1;
    default: return nearbyint(value);
    }
}

static __int128 lowest(uint8_t type)
{
    return pto_dtype_is_signed(type) ? -((__int128)1 << (pto_dtype_size(type) * 8 - 1)) : 0;
}

static __int128 highest(uint8_t type)
{
    return ((__int128)1 << (pto_dtype_size(type) * 8 - pto_dtype_is_signed(type))) - 1;
}

/* Low bits of a number, as the type sees them. */
static __int128 wrapped(__int128 value, uint8_t type)
{
    __int128 size = (__int128)1 << (pto_dtype_size(type) * 8);
    __int128 rest = ((value % size) + size) % size;

    return rest > highest(type) ? rest - size : rest;
}

static __int128 clamped(__int128 value, uint8_t type)
{
    return value < lowest(type) ? lowest(type) : value > highest(type) ? highest(type) : value;
}

static __int128 as_type(int64_t got, uint8_t type)
{
    return type == PTO_U64 ? (__int128)(uint64_t)got : got;
}

static void check_to_int(double value)
{
    for (int t = 0; t < INT_TYPES; t++)
        for (int m = 0; m < MODES; m++) {
            uint8_t type = int_types[t];
            double rounded = round_reference(value, modes[m]);
            bool big = !(fabs(rounded) < 0x1p126);
            __int128 exact = isnan(value) ? 0 : big ? 0 : (__int128)rounded;
            __int128 kept = as_type(pto_f64_to_int(value, type, modes[m], false), type);
            __int128 limited = as_type(pto_f64_to_int(value, type, modes[m], true), type);
            __int128 limit = isnan(value) ? 0
                             : big        ? (value > 0 ? highest(type) : lowest(type))
                                          : clamped(exact, type);

            if (kept != wrapped(exact, type) || limited != limit)
                fail_msg("%s of %a, mode %d", pto_dtype_name(type), value, modes[m]);
        }
}

static void f64_to_integers(void **state)
{
    (void)state;
    assert_int_equal(pto_f64_to_int(300.0, PTO_I8, PTO_ROUND_TRUNC, false), 44);
    for (int i = 0; i < SPECIALS; i++)
        check_to_int(specials[i]);
    for (double step = 0.25; step < 0x1p66; step *= 2)
        for (int k = -9; k <= 9; k++) {
            check_to_int(step + k * 0.25);
            check_to_int(-step + k * 0.25);
            check_to_int(nextafter(step, 0));
        }
    for (int i = 0; i < RANDOMS / 10; i++) {
        check_to_int(random_f64());
        check_to_int(ldexp((double)(int64_t)random_next(), -(int)(random_next() % 70)));
    }
}

static void integers_to_integers(void **state)
{
    (void)state;
    for (int i = 0; i < RANDOMS; i++) {
        uint64_t bits = random_next() >> (random_next() % 64);
        int64_t value = (int64_t)(random_next() & 1 ? -bits : bits);

        for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++)
            for (int t = 0; t < INT_TYPES; t++) {
                uint8_t type = int_types[t];
                __int128 exact = is_unsigned ? (__int128)(uint64_t)value : value;

                assert_true(as_type(pto_int_to_int(value, is_unsigned, type, false), type) ==
                            wrapped(exact, type));
                assert_true(as_type(pto_int_to_int(value, is_unsigned, type, true), type) ==
                            clamped(exact, type));
            }
    }
}

/* The host converts 64-bit integers to f32 with one rounding in its current mode. */
static void integers_to_f32(void **state)
{
    static const int host[][2] = {{PTO_ROUND_RINT, FE_TONEAREST}, {PTO_ROUND_FLOOR, FE_DOWNWARD},
                                  {PTO_ROUND_CEIL, FE_UPWARD}, {PTO_ROUND_TRUNC, FE_TOWARDZERO}};

    (void)state;
    for (int i = 0; i < RANDOMS; i++) {
        uint64_t bits = random_next() >> (random_next() % 64);
        volatile int64_t value = (int64_t)(random_next() & 1 ? -bits : bits);

        for (int m = 0; m < 4; m++) {
            volatile float want, want_unsigned;
            float got = pto_int_to_f32(value, false, host[m][0]);

            fesetround(host[m][1]);
            want = (float)value;
            want_unsigned = (float)(uint64_t)value;
            fesetround(FE_TONEAREST);
            assert_true(got == want);
            assert_true(pto_int_to_f32(value, true, host[m][0]) == want_unsigned);
        }
    }
    assert_true(pto_int_to_f32(16777217, false, PTO_ROUND_ROUND) == 16777218.0f);
    assert_true(pto_int_to_f32(16777217, false, PTO_ROUND_ODD) == 16777218.0f);
    assert_true(pto_int_to_f32(-0x7fffff7fffffffff, false, PTO_ROUND_RINT) == -0x1.fffffep62f);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void loads_and_stores(void **state)
{
    uint8_t bytes[9];

    (void)state;
    for (int type = 0; type < PTO_DTYPE_COUNT; type++) {
        unsigned size = pto_dtype_size((enum pto_dtype)type);

        memset(bytes, 0xee, sizeof bytes);
        pto_store_f64(bytes + 1, (enum pto_dtype)type, 5.0);
        assert_true(pto_load_f64(bytes + 1, (enum pto_dtype)type) == 5.0);
        assert_int_equal(bytes[0], 0xee);
        if (1 + size < sizeof bytes)
            assert_int_equal(bytes[1 + size], 0xee);
        if (pto_dtype_is_float((enum pto_dtype)type))
            continue;
        pto_store_int(bytes + 1, (enum pto_dtype)type, -2);
        assert_true(as_type(pto_load_int(bytes + 1, (enum pto_dtype)type), (uint8_t)type) ==
                    wrapped(-2, (uint8_t)type));
        assert_true(pto_load_f64(bytes + 1, (enum pto_dtype)type) ==
                    (double)wrapped(-2, (uint8_t)type));
    }
    pto_store_f64(bytes, PTO_I8, -3.9);
    assert_int_equal(pto_load_int(bytes, PTO_I8), -3);
    pto_store_f64(bytes, PTO_F16, 1.0 / 3);
    assert_int_equal(bytes[0] | bytes[1] << 8, 0x3555);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f64_to_integers),
        cmocka_unit_test(integers_to_integers),
        cmocka_unit_test(integers_to_f32),
        cmocka_unit_test(loads_and_stores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
