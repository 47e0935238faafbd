/* Sessions of the debugger: positions, completion, empty lines, the end. */
#include "dbg_sample.h"

static uint64_t event_of(struct sample *s)
{
    return s->dbg->events;
}

/* Going to an event gives what stood there the first time, whatever happened in between. */
static void positions(void **state)
{
    struct sample s;
    char *before;
    uint64_t event;
    char line[64];

    (void)state;
    sample_open(&s, false);
    assert_true(sample_do(&s, "break TADD if %off >= 64"));
    assert_true(sample_do(&s, "run"));
    assert_true(sample_do(&s, "step 3"));
    event = event_of(&s);
    assert_true(sample_do(&s, "info cores"));
    before = strdup(pto_buf_text(&s.answer));
    assert_true(sample_do(&s, "delete"));
    assert_true(sample_do(&s, "continue"));
    assert_true(sample_says(&s, "The program ended"));
    snprintf(line, sizeof line, "goto %llu", (unsigned long long)event);
    assert_true(sample_do(&s, line));
    assert_int_equal(event_of(&s), event);
    assert_true(sample_do(&s, "info cores"));
    assert_string_equal(pto_buf_text(&s.answer), before);
    free(before);
    sample_close(&s);
}

/* N steps back from a step N times on is where it began. */
static void back_and_forth(void **state)
{
    struct sample s;
    uint64_t begin;

    (void)state;
    sample_open(&s, false);
    assert_true(sample_do(&s, "break 20"));
    assert_true(sample_do(&s, "run"));
    assert_true(sample_do(&s, "delete"));
    begin = event_of(&s);
    for (int steps = 1; steps <= 9; steps++) {
        char line[32];

        snprintf(line, sizeof line, "step %d", steps);
        assert_true(sample_do(&s, line));
        assert_true(event_of(&s) > begin);
        snprintf(line, sizeof line, "reverse-step %d", steps);
        assert_true(sample_do(&s, line));
        assert_int_equal(event_of(&s), begin);
    }
    sample_close(&s);
}

/* Stops do not change the run: it ends at the same time after the same number of events. */
static void stops_change_nothing(void **state)
{
    struct sample free_run, stepped;

    (void)state;
    sample_open(&free_run, false);
    assert_true(sample_do(&free_run, "run"));
    sample_open(&stepped, false);
    assert_true(sample_do(&stepped, "break TLOAD"));
    assert_true(sample_do(&stepped, "catch complete"));
    assert_true(sample_do(&stepped, "start"));
    while (!sample_says(&stepped, "The program ended"))
        assert_true(sample_do(&stepped, "continue"));
    assert_int_equal(event_of(&free_run), event_of(&stepped));
    assert_int_equal(pto_vm_time(free_run.dbg->launch.vm), pto_vm_time(stepped.dbg->launch.vm));
    sample_close(&free_run);
    sample_close(&stepped);
}

/* The machine that the debugger steps ends when the one that runs freely does, with its bytes. */
static void same_as_without_debugger(void **state)
{
    const struct cli_machine_options free_machine = {.stepwise = false};
    struct cli_launch launch = {0};
    struct pto_diags diags = {0};
    struct pto_object_info a, b;
    struct sample s;

    (void)state;
    sample_open(&s, false);
    assert_true(sample_do(&s, "run"));
    assert_int_equal(cli_load(&s.options, 0, false, &launch, &diags), PTO_OK);
    assert_int_equal(cli_launch(&s.options, &free_machine, &launch, &diags), PTO_OK);
    assert_int_equal(pto_vm_run(launch.vm), PTO_OK);
    assert_int_equal(pto_vm_time(launch.vm), pto_vm_time(s.dbg->launch.vm));
    for (unsigned i = 0; pto_vm_object(launch.vm, 0, i, &a); i++) {
        assert_true(pto_vm_object(s.dbg->launch.vm, 0, i, &b));
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.data, b.data, a.size);
    }
    cli_launch_free(&launch);
    pto_diags_free(&diags);
    sample_close(&s);
}

static void assert_completes(struct dbg *dbg, const char *line, size_t start, const char *wanted)
{
    struct pto_buf all = {0};
    size_t at;
    char **items = dbg_complete(dbg, line, &at);

    for (char **item = items; *item; item++) {
        pto_buf_printf(&all, "%s%s", item == items ? "" : " ", *item);
        free(*item);
    }
    free(items);
    assert_string_equal(pto_buf_text(&all), wanted);
    assert_int_equal(at, start);
    pto_buf_free(&all);
}

static void completion(void **state)
{
    struct sample s;

    (void)state;
    sample_open(&s, false);
    assert_true(sample_do(&s, "break 20"));
    assert_completes(s.dbg, "st", 0, "start step");
    assert_completes(s.dbg, "disa", 0, "disable disassemble");
    assert_completes(s.dbg, "break dr", 6, "drain");
    assert_completes(s.dbg, "break TLOA", 6, "TLOAD");
    assert_completes(s.dbg, "print ta", 6, "ta");
    assert_completes(s.dbg, "print %l", 6, "%len");
    assert_completes(s.dbg, "x l0", 2, "l0a l0a_mx l0b l0b_mx l0c");
    assert_completes(s.dbg, "info fl", 5, "flags");
    assert_completes(s.dbg, "focus 0 MT", 8, "MTE1 MTE2 MTE3");
    assert_completes(s.dbg, "delete ", 7, "1 checkpoint");
    assert_completes(s.dbg, "trace ", 6, "focus off on");
    assert_completes(s.dbg, "help when", 5, "when");
    assert_completes(s.dbg, "nonsense x", 9, "");
    sample_close(&s);
}

static void empty_line_repeats(void **state)
{
    static const char *const typed[] = {"start", "step", "", "", "info cores", "", NULL};
    struct pto_core_info info;
    struct sample s;

    (void)state;
    sample_open(&s, true);
    s.lines = typed;
    assert_int_equal(dbg_session(s.dbg), DBG_EXIT_DONE);
    dbg_focused(s.dbg, &info);
    assert_int_equal(info.pc, 3);
    sample_close(&s);
}

/* A person may go on after an error, a script may not. */
static void errors_end_scripts_only(void **state)
{
    static const char *const typed[] = {"bogus", "start", NULL};
    struct sample s;

    (void)state;
    sample_open(&s, true);
    s.lines = typed;
    assert_int_equal(dbg_session(s.dbg), DBG_EXIT_DONE);
    assert_true(event_of(&s) > 0);
    sample_close(&s);
    sample_open(&s, false);
    s.lines = typed;
    assert_int_equal(dbg_session(s.dbg), DBG_EXIT_USAGE);
    assert_int_equal(event_of(&s), 0);
    sample_close(&s);
}

static void stale_interrupt(void **state)
{
    struct sample s;

    (void)state;
    sample_open(&s, true);
    assert_true(sample_do(&s, "start"));
    dbg_interrupt(s.dbg);
    assert_true(sample_do(&s, "continue")); /* one before the run is stale */
    assert_true(sample_says(&s, "The program ended"));
    sample_close(&s);
}

/* Arbitrary text is answered. */
static void any_text(void **state)
{
    static const char *const words[] = {
        "break", "print", "x", "focus", "info", "list", "ta[0]", "{", "%off", "if", "(", "1", "-1",
        "ub", "rank", "core", "aiv0.1", "99999999999", "TADD", "f32", "@", "]", "\t", "/x", "c"};
    uint32_t random = 1;
    struct sample s;

    (void)state;
    sample_open(&s, false);
    assert_true(sample_do(&s, "run"));
    for (int i = 0; i < 3000; i++) {
        char line[256] = "";

        for (int n = 0; n < 6; n++) {
            random = random * 1664525u + 1013904223u;
            strcat(line, words[(random >> 8) % (sizeof words / sizeof *words)]);
            if (random & 1)
                strcat(line, " ");
        }
        s.answer.size = 0;
        if (!dbg_command(s.dbg, line))
            assert_true(sample_says(&s, "error: "));
    }
    sample_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions),
        cmocka_unit_test(back_and_forth),
        cmocka_unit_test(stops_change_nothing),
        cmocka_unit_test(same_as_without_debugger),
        cmocka_unit_test(completion),
        cmocka_unit_test(empty_line_repeats),
        cmocka_unit_test(errors_end_scripts_only),
        cmocka_unit_test(stale_interrupt),
        cmocka_unit_test(any_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
