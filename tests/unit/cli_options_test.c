/* The command line as data: every option, every kind of wrong value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"

enum { WORDS = 48 };

struct parsed {
    struct cli_options options;
    struct pto_diags diags;
    enum pto_status status;
};

/* Words are separated by single blanks. */
static void parse_for(struct parsed *p, unsigned users, const char *line)
{
    char text[1024];
    char *word[WORDS + 1];
    int count = 0;
    snprintf(text, sizeof text, "ptovm %s", line);
    for (char *at = strtok(text, " "); at != NULL && count < WORDS; at = strtok(NULL, " "))
        word[count++] = at;
    word[count] = NULL;
    memset(p, 0, sizeof *p);
    p->status = cli_options_parse(&p->options, count, word, users, &p->diags);
}

static void done(struct parsed *p)
{
    cli_options_free(&p->options);
    pto_diags_free(&p->diags);
}

static void takes_options_anywhere(void **state)
{
    struct parsed p;
    (void)state;
    parse_for(&p, CLI_PTOVM, "--ranks 8 run a.pto --link-down 0-1,2-3 --set n=1K b.pto:K "
                             "--link-down 4-5 --in x=iota --slow-rank 3=2.5 -q -- --odd");
    assert_int_equal(p.status, PTO_OK);
    assert_int_equal(p.options.ranks, 8);
    assert_int_equal(p.options.operands, 4);
    assert_string_equal(p.options.operand[0], "run");
    assert_string_equal(p.options.operand[2], "b.pto:K");
    assert_string_equal(p.options.operand[3], "--odd");
    assert_int_equal(p.options.links_down, 3);
    assert_int_equal(p.options.link_down[2].b, 5);
    assert_string_equal(p.options.set.item[0].name, "n");
    assert_string_equal(p.options.set.item[0].value, "1K");
    assert_int_equal(p.options.slow_rank[0].rank, 3);
    assert_true(p.options.slow_rank[0].factor == 2.5);
    assert_true(p.options.quiet);
    done(&p);
}

static void has_defaults(void **state)
{
    struct parsed p;
    (void)state;
    parse_for(&p, CLI_PTOVM, "profiles");
    assert_int_equal(p.options.ranks, 1);
    assert_int_equal(p.options.repeat, 1);
    assert_int_equal(p.options.cores, 0);
    assert_null(p.options.profile);
    assert_false(p.options.json);
    done(&p);
}

static void takes_reports_and_limits(void **state)
{
    struct parsed p;
    (void)state;
    parse_for(&p, CLI_PTOVM, "run k --json --trace t.json --trace-max-events 2K --max-time 1.5us "
                             "--max-insns 1M --rtol 1e-3 --atol 0 -I a -I b -D N=4 --jitter 7 "
                             "--join --color=never");
    assert_int_equal(p.status, PTO_OK);
    assert_true(p.options.json);
    assert_null(p.options.json_path);
    assert_int_equal(p.options.trace.most, 2048);
    assert_int_equal(p.options.max_time_ps, 1500000);
    assert_int_equal(p.options.max_insns, 1 << 20);
    assert_int_equal(p.options.include_dirs, 2);
    assert_string_equal(p.options.define.item[0].value, "4");
    assert_int_equal(p.options.colour, TOOL_COLOUR_NEVER);
    done(&p);
    parse_for(&p, CLI_PTOVM, "run k --json=r.json");
    assert_string_equal(p.options.json_path, "r.json");
    done(&p);
}

static void explains_wrong_values(void **state)
{
    static const struct {
        const char *line, *message;
    } bad[] = {
        {"--ranks x run", "not an integer"},
        {"--ranks 0 run", "out of range"},
        {"--ranks 4097 run", "out of range"},
        {"--cores -1 run", "out of range"},
        {"--repeat 0 run", "out of range"},
        {"--jitter -1 run", "out of range"},
        {"--link-down 01 run", "not a pair"},
        {"--link-down 0- run", "not a pair"},
        {"--link-down 0-1@x run", "not a time"},
        {"--link-down 0-1, run", "not a pair"},
        {"--link-down 2-2 run", "link to itself"},
        {"--slow-rank 1 run", "not a rank"},
        {"--slow-rank 1=0 run", "not a rank"},
        {"--slow-rank 1=nan run", "not a rank"},
        {"--max-time 5 run", "not a time"},
        {"--max-time infs run", "not a time"},
        {"--max-insns 0 run", "out of range"},
        {"--rtol nan run", "not a tolerance"},
        {"--rtol -1 run", "not a tolerance"},
        {"--atol inf run", "not a tolerance"},
        {"--set n run", "name or value missing"},
        {"--set =1 run", "name or value missing"},
        {"--in a= run", "name or value missing"},
        {"--color blue run", "unknown"},
        {"--rnaks 2 run", "unknown option '--rnaks'"},
        {"--join=3 run", "takes no argument"},
        {"-z run", "unknown option '-z'"},
        {"run --ranks", "needs an argument"},
        {"run --batch", "unknown option '--batch'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct parsed p;
        parse_for(&p, CLI_PTOVM, bad[i].line);
        assert_int_equal(p.status, PTO_ECONFIG);
        assert_int_equal(p.diags.errors, 1);
        if (strstr(p.diags.first->message, bad[i].message) == NULL)
            fail_msg("'%s': '%s' lacks '%s'", bad[i].line, p.diags.first->message,
                     bad[i].message);
        done(&p);
    }
}

static void suggests_the_nearest_option(void **state)
{
    struct parsed p;
    (void)state;
    parse_for(&p, CLI_PTOVM, "--rnaks 2 run");
    assert_non_null(strstr(p.diags.first->hint, "--ranks"));
    done(&p);
}

static void knows_who_takes_what(void **state)
{
    struct parsed p;
    (void)state;
    parse_for(&p, CLI_PTOVM, "info k.pto --out a=x --profile a5");
    assert_int_equal(p.status, PTO_OK);
    assert_int_equal(cli_options_check(&p.options, CLI_INFO, "info", &p.diags), PTO_ECONFIG);
    assert_int_equal(p.diags.errors, 1);
    assert_non_null(strstr(p.diags.first->message, "'--out' does not apply to 'info'"));
    done(&p);
    parse_for(&p, CLI_DEBUG, "k.pto -x s1 -e step -x s2 --batch");
    assert_int_equal(p.status, PTO_OK);
    assert_int_equal(p.options.scripts, 3);
    assert_true(p.options.script[0].is_file);
    assert_false(p.options.script[1].is_file);
    assert_true(p.options.batch);
    done(&p);
}

static void helps(void **state)
{
    struct pto_buf out = {0};
    (void)state;
    cli_options_help(CLI_PTOVM, &out);
    assert_non_null(strstr(pto_buf_text(&out), "--link-down A-B[@T[..U]]"));
    assert_non_null(strstr(pto_buf_text(&out), "--json[=FILE]"));
    assert_null(strstr(pto_buf_text(&out), "--batch"));
    for (const char *at = pto_buf_text(&out); *at != '\0'; at += strcspn(at, "\n") + 1)
        assert_true(strcspn(at, "\n") <= 110);
    pto_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_options_anywhere),  cmocka_unit_test(has_defaults),
        cmocka_unit_test(takes_reports_and_limits), cmocka_unit_test(explains_wrong_values),
        cmocka_unit_test(suggests_the_nearest_option), cmocka_unit_test(knows_who_takes_what),
        cmocka_unit_test(helps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
