/* Profiles: the built-in ones say what they should, and every mistake in a file has its message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "module.h"
#include "profile.h"
#include "profile_built_in.h"
#include "profile_load.h"
#include "profile_text.h"

static char folder[] = "/tmp/isa_profile_test_XXXXXX";
static char path[sizeof folder + 64];

static const char *write_profile(const char *name, const char *text)
{
    const char *why;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(pto_file_write(path, text, strlen(text), &why), PTO_OK);
    return path;
}

static struct pto_profile load(const char *name)
{
    struct pto_profile profile;
    struct pto_diags diags = {0};

    if (pto_profile_load(name, &profile, &diags) != PTO_OK)
        pto_diags_print(&diags, stderr, false);
    assert_int_equal(diags.errors, 0);
    return profile;
}

static void write_line(void *context, const char *key, const char *value)
{
    pto_buf_printf(context, "%s = %s\n", key, value);
}

/* What a profile writes of itself is read as the same profile, value by value. */
static void written_and_read(void **state)
{
    const char *const *names = pto_profile_names();

    (void)state;
    for (unsigned i = 0; names[i]; i++) {
        struct pto_profile profile = load(names[i]), again;
        struct pto_buf text = {0};

        pto_profile_text(&profile, write_line, &text);
        again = load(write_profile("again.profile", pto_buf_text(&text)));
        memcpy(again.name, profile.name, sizeof again.name);
        assert_memory_equal(&profile, &again, sizeof profile);
        if (!strcmp(names[i], "a2")) {
            assert_non_null(strstr(pto_buf_text(&text), "clock = 1.85 GHz\n"));
            assert_non_null(strstr(pto_buf_text(&text), "capacity.ub = 192 KiB\n"));
            assert_non_null(strstr(pto_buf_text(&text), "link_bandwidth = 20.938 GB/s\n"));
            assert_non_null(strstr(pto_buf_text(&text), "path.l0c.ub = none\n"));
            assert_non_null(strstr(pto_buf_text(&text), "pipes.aiv = S MTE2 V MTE3\n"));
        }
        pto_buf_free(&text);
    }
}

static void built_in_profiles(void **state)
{
    const char *const *names = pto_profile_names();
    unsigned count = 0;
    struct pto_profile a2 = load("a2"), a3 = load("a3"), a5 = load("a5"), toy = load("toy");
    struct pto_profile mi300x = load("mi300x");

    (void)state;
    for (; names[count]; count++)
        assert_string_equal(load(names[count]).name, names[count]);
    assert_int_equal(count, 5);
    assert_int_equal(a2.cores, 24);
    assert_int_equal(a2.clock_khz, 1850000);
    assert_int_equal(a2.capacity[PTO_UB], 192 << 10);
    assert_int_equal(a2.path[PTO_PATH_GM][PTO_UB].milli_bytes_per_cycle, 58600);
    assert_int_equal(a2.path[PTO_PATH_GM][PTO_UB].pipe, PTO_PIPE_MTE2);
    assert_false(a2.path[PTO_L0C][PTO_UB].exists);
    assert_int_equal(a2.cost[PTO_COST_V_ADD].slope_millicycles, 2000);
    assert_int_equal(a2.cost[PTO_COST_CUBE].latency_millicycles, 6000);
    assert_int_equal(a2.link_bytes_per_us, 20938); /* 19.5 GiB/s */
    assert_int_equal(a2.sync_all_ps, 1030000);
    assert_int_equal(a2.barrier_needed, 1 << PTO_PIPE_V | 1 << PTO_PIPE_MTE3);
    assert_int_equal(a2.pipes[PTO_AIV], 1 << PTO_PIPE_S | 1 << PTO_PIPE_MTE2 | 1 << PTO_PIPE_V |
                                            1 << PTO_PIPE_MTE3);
    memset(a3.name, 0, sizeof a3.name);
    memcpy(a3.name, "a2", 2);
    assert_int_equal(a3.link_bytes_per_us, 15500);
    assert_int_equal(a3.gm_bytes_per_us, 1380000);
    a3.link_bytes_per_us = a2.link_bytes_per_us; /* nothing else is known to differ */
    a3.gm_bytes_per_us = a2.gm_bytes_per_us;
    assert_memory_equal(&a2, &a3, sizeof a2);
    assert_int_equal(a2.l2_bytes, 192 << 20);
    assert_int_equal(a2.cost[PTO_COST_V_REDUCE].row_millicycles, 5600);
    assert_int_equal(a5.cost[PTO_COST_V_REDUCE].row_millicycles, 0);
    assert_int_equal(a5.l2_bytes, 128 << 20);
    assert_int_equal(a5.l2_line, 512); /* from its base */
    assert_int_equal(mi300x.l2_bytes, 0);
    assert_int_equal(toy.cost[PTO_COST_V_ADDS].slope_millicycles, 1000); /* as v_add */
    assert_int_equal(toy.cost[PTO_COST_V_COLUMNS].slope_millicycles, 2000); /* as v_reduce */
    assert_true(a5.a5 && !a2.a5);
    assert_int_equal(a5.capacity[PTO_UB], 248 << 10);
    assert_int_equal(a5.layout_l0a, PTO_NZ);
    assert_int_equal(a2.layout_l0a, PTO_ZZ);
    assert_int_equal(a5.link_latency_ps, 331350);
    assert_true(a5.path[PTO_L0C][PTO_UB].exists && !a5.path[PTO_L1][PTO_PATH_GM].exists);
    assert_int_equal(a5.cost[PTO_COST_V_ADD].slope_millicycles, 1247);
    assert_int_equal(a5.cost[PTO_COST_V_GATHER].slope_millicycles, 2000); /* from its base */
    assert_int_equal(toy.queue_depth, 4);
    assert_int_equal(toy.capacity[PTO_L0C], 8192);
    assert_int_equal(mi300x.cores * mi300x.vectors_per_core, 304);
    assert_int_equal(mi300x.link_bytes_per_us, 25000);
    assert_int_equal(mi300x.pipes[PTO_AIC], 1 << PTO_PIPE_S); /* no cube */
    assert_int_equal(mi300x.capacity[PTO_L0C], 0);
}

static void picoseconds_round_up(void **state)
{
    struct pto_profile profile = {.clock_khz = 1850000};

    (void)state;
    assert_int_equal(pto_profile_ps(&profile, 0), 0);
    assert_int_equal(pto_profile_ps(&profile, 1850), 1000);
    assert_int_equal(pto_profile_ps(&profile, 1000), 541); /* 540.54 */
    assert_int_equal(pto_profile_ps(&profile, 1), 1);
    profile.clock_khz = 1;
    assert_true(pto_profile_ps(&profile, UINT64_MAX) == UINT64_MAX);
}

static void a_file_changes_what_it_names(void **state)
{
    struct pto_profile mine, a2 = load("a2");

    (void)state;
    mine = load(write_profile("slow-2.profile", "# mine\r\nbase=a2\r\n  clock = 100 MHz # slow\r\n"
                                                "path.ub.gm = none\nbarrier_needed =\n"
                                                "link_bandwidth = 1 PB/s\n"
                                                "cost.v_div = 7 cycles , 0.5 cycles/repeat"));
    assert_string_equal(mine.name, "slow-2");
    assert_int_equal(mine.clock_khz, 100000);
    assert_false(mine.path[PTO_UB][PTO_PATH_GM].exists);
    assert_int_equal(mine.barrier_needed, 0);
    assert_int_equal(mine.link_bytes_per_us, 1000000000);
    assert_int_equal(mine.cost[PTO_COST_V_DIV].latency_millicycles, 7000);
    assert_int_equal(mine.cost[PTO_COST_V_DIV].slope_millicycles, 500);
    assert_int_equal(mine.cores, a2.cores);
    assert_int_equal(mine.link_latency_ps, a2.link_latency_ps);
}

/* One error, with this text and, behind a bar, this hint. */
static void expect_error(const char *name, enum pto_status status, const char *message,
                         const char *hint)
{
    struct pto_profile profile;
    struct pto_diags diags = {0};

    assert_int_equal(pto_profile_load(name, &profile, &diags), status);
    assert_int_equal(diags.errors, 1);
    assert_string_equal(diags.first->message, message);
    if (!hint)
        assert_null(diags.first->hint);
    else
        assert_string_equal(diags.first->hint, hint);
    pto_diags_free(&diags);
}

/* One wrong line each, behind base = a2. */
static const struct {
    const char *line, *message, *hint;
} mistaken[] = {
    {"queue_dept = 8", "'queue_dept' is no key of a profile", "did you mean queue_depth?"},
    {"cost.vadd = 1", "'cost.vadd' is no key of a profile", "did you mean cost.v_add?"},
    {"zzzzzzzz = 1", "'zzzzzzzz' is no key of a profile", NULL},
    {"path.gm.l9 = none", "'path.gm.l9' is no key of a profile",
     "write path.FROM.TO with two of gm ub l1 l0a l0b l0c bt fb l0a_mx l0b_mx"},
    {"path.a_very_long_name.ub = none", "'path.a_very_long_name.ub' is no key of a profile",
     "write path.FROM.TO with two of gm ub l1 l0a l0b l0c bt fb l0a_mx l0b_mx"},
    {"cores", "'cores' is not of the form key = value", NULL},
    {"cores =", "'cores' has no value", NULL},
    {"= 3", "'' lacks its key", NULL},
    {"cores = 0", "'cores' is out of range: '0'", "allowed are 1 to 1024"},
    {"cores = -1", "'cores' is not a decimal number of at most 18 digits: '-1'",
     "write a whole number such as 8"},
    {"cores = nan", "'cores' is not a decimal number of at most 18 digits: 'nan'",
     "write a whole number such as 8"},
    {"cores = 1.5", "'cores' is not a whole number: '1.5'", "write a whole number such as 8"},
    {"cores = 2 cores", "'cores' has a unit that does not fit: '2 cores'",
     "write a whole number such as 8"},
    {"cores = 9999999999999999999", "'cores' is not a decimal number of at most 18 digits: "
     "'9999999999999999999'", "write a whole number such as 8"},
    {"events = 9", "'events' is out of range: '9'", "allowed are 1 to 8"},
    {"queue_depth = 1", "'queue_depth' is out of range: '1'", "allowed are 2 to 4096"},
    {"queue_depth = 4097", "'queue_depth' is out of range: '4097'", "allowed are 2 to 4096"},
    {"clock = 1.85", "'clock' lacks its unit: '1.85'", "write a frequency such as 1.85 GHz"},
    {"clock = 101 GHz", "'clock' is out of range: '101 GHz'", "allowed are 1 to 100000000 kHz"},
    {"clock = 0.0001 kHz", "'clock' is out of range: '0.0001 kHz'",
     "allowed are 1 to 100000000 kHz"},
    {"clock = 1. GHz", "'clock' is not a decimal number of at most 18 digits: '1. GHz'",
     "write a frequency such as 1.85 GHz"},
    {"link_latency = 0 ns", "'link_latency' is out of range: '0 ns'",
     "allowed are 1 to 4000000000 ps"},
    {"link_latency = 5 ms", "'link_latency' is out of range: '5 ms'",
     "allowed are 1 to 4000000000 ps"},
    {"link_latency = 5 kHz", "'link_latency' has a unit that does not fit: '5 kHz'",
     "write a time such as 250 ns"},
    {"link_bandwidth = 0 GB/s", "'link_bandwidth' is out of range: '0 GB/s'",
     "allowed are 1 to 1000000000 MB/s"},
    {"link_bandwidth = 1.1 PB/s", "'link_bandwidth' is out of range: '1.1 PB/s'",
     "allowed are 1 to 1000000000 MB/s"},
    {"capacity.ub = 1000 MiB", "'capacity.ub' is out of range: '1000 MiB'",
     "allowed are 0 to 67108864 bytes"},
    {"level_a5 = maybe", "'level_a5' is neither yes nor no: 'maybe'", NULL},
    {"layout.l0a = zn", "'layout.l0a' is neither nz nor zz: 'zn'", NULL},
    {"pipes.aic = S X", "'pipes.aic' names no pipe: 'X'",
     "pipes are S MTE2 MTE1 M V MTE3 FIX"},
    {"barrier_needed = ALL", "'barrier_needed' names no pipe: 'ALL'",
     "pipes are S MTE2 MTE1 M V MTE3 FIX"},
    {"cost.cube = 6 cycles", "'cost.cube' wants two values",
     "write latency, slope: 24 cycles, 2 cycles/fractal"},
    {"cost.cube = 6 cycles, 1 cycle/repeat",
     "'cost.cube' has a unit that does not fit: '1 cycle/repeat'",
     "write a cost such as 1 cycle/fractal"},
    {"path.gm.ub = MTE2", "'path.gm.ub' wants three values or none",
     "write pipe, bandwidth, latency: MTE2, 58.6 B/cycle, 435 cycles"},
    {"path.gm.ub = MTE2, 1 B/cycle, 1 cycle, 4", "'path.gm.ub' wants three values or none",
     "write pipe, bandwidth, latency: MTE2, 58.6 B/cycle, 435 cycles"},
    {"path.gm.ub = S, 1 B/cycle, 1 cycle",
     "'path.gm.ub' names no pipe that moves data: 'S'", NULL},
    {"path.gm.ub = MTE2, 0 B/cycle, 1 cycle", "'path.gm.ub' is out of range: '0 B/cycle'",
     "allowed are 1 to 1000000000 thousandths of B/cycle"},
    {"cores = 2\ncores = 2", "'cores' is given twice", "the first time was line 2"},
    {"base = a5", "'base' must be the first key", NULL},
    {"alignment.ub = 48 B", "an alignment is not a power of two", NULL},
    {"capacity.ub = 33 B", "a capacity is not a multiple of its alignment", NULL},
    {"cross_flags = 4", "cross_flags_user is more than cross_flags", NULL},
    {"pipes.aiv = V", "a core without the pipe S cannot run", NULL},
    {"pipes.aic = S M\npipes.aiv = S V", "a path uses a pipe that no core has", NULL},
};

static void mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistaken / sizeof *mistaken; i++) {
        char text[256];

        snprintf(text, sizeof text, "base = a2\n%s\n", mistaken[i].line);
        expect_error(write_profile("p.profile", text), PTO_ECONFIG, mistaken[i].message,
                     mistaken[i].hint);
    }
}

static void the_place_is_named(void **state)
{
    struct pto_profile profile;
    struct pto_diags diags = {0};

    (void)state;
    assert_int_equal(pto_profile_load(write_profile("p.x", "base = a2\n\n  cores = x # no\n"),
                                      &profile, &diags), PTO_ECONFIG);
    assert_string_equal(diags.first->file, path);
    assert_int_equal(diags.first->line, 3);
    assert_string_equal(diags.first->source_line, "  cores = x # no");
    pto_diags_free(&diags);
}

static void whole_files(void **state)
{
    char missing[sizeof path];

    (void)state;
    expect_error("a4", PTO_ECONFIG, "unknown profile 'a4'",
                 "did you mean a2? the built-in ones are a2 a3 a5 mi300x toy; "
                 "a file is named by its path");
    expect_error("", PTO_ECONFIG, "unknown profile ''",
                 "the built-in ones are a2 a3 a5 mi300x toy; a file is named by its path");
    expect_error(write_profile("p.profile", ""), PTO_ECONFIG, "the profile does not say 'cores'",
                 "begin with base = a2 to take over what is not given");
    expect_error(write_profile("p.profile", "base = a9\n"), PTO_ECONFIG,
                 "'base' names no built-in profile: 'a9'",
                 "the built-in ones are a2 a3 a5 mi300x toy");
    expect_error(write_profile("bad name.profile", "base = a2\n"), PTO_ECONFIG,
                 "the file's name does not make a name of a profile",
                 "up to the first dot: 1 to 31 letters, digits, '_' or '-'");
    unlink(path);
    expect_error(write_profile("a3.slow.profile", "base = a3\n"), PTO_ECONFIG,
                 "a file cannot have the name of a built-in profile, 'a3'",
                 "objects keep the name only: give the file another one, or leave out its path");
    unlink(path);
    snprintf(missing, sizeof missing, "%s/none.profile", folder);
    expect_error(missing, PTO_ESYSTEM, "cannot read the profile: No such file or directory", NULL);
}

static void not_a_text_file(void **state)
{
    const char *why;

    (void)state;
    write_profile("p.profile", "x");
    assert_int_equal(pto_file_write(path, "base = a2\n\0x", 12, &why), PTO_OK);
    expect_error(path, PTO_ECONFIG, "the profile is not a text file", NULL);
}

/* Any text whatever ends in a profile or in messages with a hint of the place. */
static void damaged_files(void **state)
{
    static const char spice[] = "=#,. 09\tz\n\r-%GHzB/c\xff";
    static const char line[] = "base = a2\nclock = 1.85 GHz\n"
                               "path.gm.ub = MTE2, 58.6 B/cycle, 4 cycles\n"
                               "cost.v_add = 24 cycles, 2 cycles/repeat\n"
                               "pipes.aic = S MTE1 MTE2 M FIX MTE3 # x\n";
    uint32_t seed = 1;
    unsigned good = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct pto_profile profile;
        struct pto_diags diags = {0};
        char text[sizeof line];

        memcpy(text, line, sizeof line);
        for (int k = 0; k < 3; k++) {
            seed = seed * 1664525 + 1013904223;
            text[(seed >> 8) % (sizeof line - 1)] = spice[(seed >> 24) % (sizeof spice - 1)];
        }
        if (pto_profile_load(write_profile("p.profile", text), &profile, &diags) == PTO_OK)
            good++;
        else
            assert_true(diags.errors > 0);
        pto_diags_free(&diags);
    }
    assert_in_range(good, 1, 2999);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"p.profile", "p.x", "slow-2.profile"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_profiles),
        cmocka_unit_test(written_and_read),   cmocka_unit_test(picoseconds_round_up),
        cmocka_unit_test(a_file_changes_what_it_names),
        cmocka_unit_test(mistakes),            cmocka_unit_test(the_place_is_named),
        cmocka_unit_test(whole_files),         cmocka_unit_test(not_a_text_file),
        cmocka_unit_test(damaged_files),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
