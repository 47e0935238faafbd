/* ptovm: run kernels on simulated ranks, look at their interface.  See docs/ptovm.md. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/core.h"
#include "cli/files.h"
#include "cli/info.h"
#include "cli/stop.h"
#include "data/host.h"
#include "diff/diff.h"
#include "lines.h"
#include "process.h"
#include "search/automatic.h"
#include "search/explore.h"
#include "search/tune_memory.h"
#include "search/whatif.h"
#include "session.h"
#include "twin/twin.h"
#include "version.h"

enum { ERRORS_SHOWN = 50 };

static enum exit_code check(struct session *s)
{
    s->options.check = true;
    return session_run(s);
}

static void show_progress(void *context, unsigned runs, unsigned most, unsigned bad)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "exploring: run %u of at most %u, %u found", runs, most, bad);
    session_show_line(context, &text);
    pto_buf_free(&text);
}

static enum exit_code explore(struct session *s)
{
    const struct cli_explore_progress progress = {
        session_tells_progress(s) ? show_progress : NULL,
        s,
    };
    enum exit_code code = cli_exit_of(cli_load(&s->options, 1, false, &s->launch, &s->diags));
    struct pto_buf text = {0}, json = {0};
    unsigned runs = 0;

    if (code != EXIT_DONE)
        return code;
    code = cli_explore(&s->options, &s->launch, &progress, &s->diags, &text, &json,
                       &s->stopped_by, &runs);
    session_clear_line(s);
    if (s->stopped_by)
        cli_series_tell(s->stopped_by, runs, "run", &s->options.limits, stderr);
    if (s->options.json_path)
        code = session_write(s->options.json_path, &json, code);
    session_put(s->options.json && !s->options.json_path ? &json : &text, stdout);
    pto_buf_free(&text);
    pto_buf_free(&json);
    return code;
}

static void show_tuning(void *context, unsigned runs, unsigned most)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "tuning: run %u of at most %u", runs, most);
    session_show_line(context, &text);
    pto_buf_free(&text);
}

/* What a search found, where it was asked for. */
static enum exit_code report_tuning(struct session *s, const struct tune *tune,
                                    enum exit_code code)
{
    struct pto_buf text = {0}, json = {0}, best = {0};

    cli_tune_text(tune, &text);
    cli_tune_json(tune, code, &json);
    if (s->options.json_path)
        code = session_write(s->options.json_path, &json, code);
    if (s->options.best_path && tune->ranked) {
        cli_tune_best(tune, &best);
        code = session_write(s->options.best_path, &best, code);
    }
    if (s->options.json && !s->options.json_path)
        session_put(&json, stdout);
    else if (!s->options.quiet)
        session_put(&text, stdout);
    pto_buf_free(&text);
    pto_buf_free(&json);
    pto_buf_free(&best);
    return code;
}

static struct cli_tune_progress tuning_progress(struct session *s)
{
    return (struct cli_tune_progress){session_tells_progress(s) ? show_tuning : NULL, s};
}

static enum exit_code tune(struct session *s)
{
    const struct cli_tune_progress progress = tuning_progress(s);
    enum exit_code code;
    struct tune tune = {0};
    int asked;

    cli_series_begin(); /* up to the end of the program: what was found is told, whenever it is */
    code = cli_exit_of(cli_load(&s->options, 1, false, &s->launch, &s->diags));
    if (code == EXIT_DONE) {
        code = cli_tune_begin(&s->options, "try", 1, &s->launch, &s->diags, &tune)
                   ? cli_tune(&tune, &progress, &s->diags)
                   : EXIT_USAGE;
        session_clear_line(s);
        tune.remembered = code == EXIT_DONE && tune_remember(&tune, &s->diags);
        if (tune.stopped_by)
            cli_series_tell(tune.stopped_by, tune.trials ? tune.trials - 1 : 0, "run",
                            &s->options.limits, stderr);
        if (tune.trials)
            code = report_tuning(s, &tune, code);
        cli_tune_free(&tune);
    }
    asked = cli_series_asked();
    return asked && code == EXIT_DONE ? cli_exit_stopped(asked) : code;
}

/* Values that were left to a search are known before the command begins.  Of two runs that are
 * compared (`two`) they are found for the first kernel, and a second one runs with the same. */
static enum exit_code find_values(struct session *s, bool two)
{
    const struct cli_tune_progress progress = tuning_progress(s);
    const char **operand = s->options.operand, *first[2];
    unsigned operands = s->options.operands;
    enum exit_code code;
    int asked;

    if (!cli_tuned_asked(&s->options))
        return EXIT_DONE;
    if (two) {
        first[0] = operand[0];
        first[1] = operand[cli_core_is(operand[1]) ? 2 : 1];
        if (cli_core_is(first[1]))
            return EXIT_DONE; /* both say what they ran with */
        s->options.operand = first;
        s->options.operands = 2;
    }
    cli_series_begin();
    code = cli_tuned_find(&s->options, 1, &progress, &s->tuned, &s->diags, &s->stopped_by);
    s->options.operand = operand;
    s->options.operands = operands;
    session_clear_line(s);
    asked = cli_series_end();
    if (asked && !s->stopped_by) /* it came between the runs or behind them */
        code = cli_exit_stopped(s->stopped_by = asked);
    if (s->stopped_by)
        cli_stop_tell(s->stopped_by, &s->options.limits, stderr);
    return code;
}

static enum exit_code diff(struct session *s)
{
    struct cli_file report[2] = {{.path = s->options.operand[1]}, {.path = s->options.operand[2]}};
    struct cli_launch read = {.file = report, .files = 2};
    struct pto_buf text = {0}, json = {0};
    enum exit_code code;

    if (cli_files_check(&s->options, &read, &s->diags) != PTO_OK)
        return EXIT_USAGE;
    code = diff_reports(s->options.operand + 1, &s->diags, &text, &json);
    if (s->options.json_path && code != EXIT_USAGE)
        code = session_write(s->options.json_path, &json, code);
    session_put(s->options.json && !s->options.json_path ? &json : &text, stdout);
    pto_buf_free(&text);
    pto_buf_free(&json);
    return code;
}

/* Two core files say all themselves. */
static bool check_state(struct session *s)
{
    static const enum cli_option_id common[] = {CLI_OPT_STATE, CLI_OPT_JSON, CLI_OPT_TIMEOUT,
                                                CLI_OPT_MAX_MEMORY, CLI_OPT_COLOR};
    bool given[CLI_OPTIONS];

    if (!cli_core_is(s->options.operand[1]) || !cli_core_is(s->options.operand[2]))
        return true;
    memcpy(given, s->options.given, sizeof given);
    for (unsigned i = 0; i < sizeof common / sizeof *common; i++)
        given[common[i]] = false;
    for (unsigned i = 0; i < CLI_OPTIONS; i++)
        if (given[i]) {
            pto_diag_hint(&s->diags,
                          pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0,
                                       "both are core files, which have options of their own"),
                          "leave out the options of runs");
            return false;
        }
    return true;
}

static enum exit_code diff_state(struct session *s)
{
    struct cli_file run[2] = {{.path = s->options.operand[1]}, {.path = s->options.operand[2]}};
    struct cli_launch read = {.file = run, .files = 2};
    struct pto_buf text = {0}, json = {0};
    enum exit_code code;
    int asked;

    if (!check_state(s) || cli_files_check(&s->options, &read, &s->diags) != PTO_OK)
        return EXIT_USAGE;
    if (s->options.tuned)
        cli_tuned_text(s->options.tuned, &text);
    cli_series_begin();
    code = twin_compare(s->options.operand + 1, &s->options, &s->diags, &text, &json,
                        &s->stopped_by);
    asked = cli_series_end();
    if (asked && !s->stopped_by) /* it came between the runs or behind them */
        code = cli_exit_stopped(s->stopped_by = asked);
    if (s->stopped_by)
        cli_stop_tell(s->stopped_by, &s->options.limits, stderr);
    if (s->options.json_path && json.size > 0)
        code = session_write(s->options.json_path, &json, code);
    session_put(s->options.json && !s->options.json_path ? &json : &text, stdout);
    pto_buf_free(&text);
    pto_buf_free(&json);
    return code;
}

static enum exit_code whatif(struct session *s)
{
    struct pto_buf text = {0}, json = {0};
    enum exit_code code;
    int asked;

    cli_series_begin();
    code = cli_whatif(&s->options, &s->launch, &s->diags, &text, &json, &s->stopped_by);
    asked = cli_series_end();
    if (asked && !s->stopped_by) /* it came between the runs or behind them */
        code = cli_exit_stopped(s->stopped_by = asked);
    if (s->stopped_by)
        cli_stop_tell(s->stopped_by, &s->options.limits, stderr);
    if (s->options.json_path && json.size > 0) /* a run that came to no end has no answer */
        code = session_write(s->options.json_path, &json, code);
    if (code != EXIT_DONE)
        session_put(&text, stderr);
    else
        session_put(s->options.json && !s->options.json_path ? &json : &text, stdout);
    pto_buf_free(&text);
    pto_buf_free(&json);
    return code;
}

/* ---- other commands ----------------------------------------------------------------------- */

/* Options that say how kernels are to be run ask what that would take. */
static bool asks_for_memory(const struct cli_options *options)
{
    static const enum cli_option_id runs[] = {CLI_OPT_SET, CLI_OPT_IN, CLI_OPT_RANKS,
                                              CLI_OPT_CORES, CLI_OPT_REPEAT};

    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++)
        if (options->given[runs[i]])
            return true;
    return false;
}

static enum exit_code info(struct session *s)
{
    struct pto_buf text = {0};
    bool measured = asks_for_memory(&s->options);
    struct pto_memory memory;
    enum pto_status status = cli_load(&s->options, 1, true, &s->launch, &s->diags);

    if (status == PTO_OK && measured)
        status = cli_measure(&s->options, &s->launch, &memory, &s->diags);
    for (unsigned i = 0; i < s->launch.files && status == PTO_OK; i++) {
        const struct pto_program *program = &s->launch.file[i].program;

        if (s->options.json)
            cli_info_json(&program->module, &program->profile, measured ? &memory : NULL, &text);
        else
            cli_info_text(&program->module, &program->profile, &text);
    }
    if (status == PTO_OK && measured && !s->options.json)
        cli_memory_text(&memory, s->options.ranks, &text);
    session_put(&text, stdout);
    pto_buf_free(&text);
    return cli_exit_of(status);
}

static enum exit_code profiles(struct session *s)
{
    struct pto_buf text = {0};
    enum pto_status status = cli_profiles_text(&text, &s->diags);

    session_put(&text, stdout);
    pto_buf_free(&text);
    return cli_exit_of(status);
}

static enum exit_code help(struct session *s)
{
    struct pto_buf text = {0};

    (void)s;
    pto_buf_printf(&text, "usage: ptovm [options] run FILE[:KERNEL]...   run kernels in sequence\n"
                          "       ptovm [options] check FILE[:KERNEL]... the same with --check\n"
                          "       ptovm [options] explore FILE...       "
                          "run in many orders of events\n"
                          "       ptovm [options] tune FILE...          "
                          "find the best values of parameters\n"
                          "       ptovm [options] whatif FILE...        "
                          "time it with other costs, without waits\n"
                          "       ptovm [options] diff A.json B.json    compare two reports\n"
                          "       ptovm [options] diff --state A B      "
                          "compare what two runs write\n"
                          "       ptovm [options] info FILE             print their interface\n"
                          "       ptovm profiles                        list the machine profiles\n"
                          "\n"
                          "FILE is assembly text (.pto), an object (.ptob) or -, standard input.\n"
                          "Options may stand anywhere.  {rank} in data file names is the rank.\n");
    cli_options_help(CLI_PTOVM, &text);
    pto_buf_printf(&text, "\nexit status: 0 done; 1 the program is wrong; 2 usage, files, shapes; "
                          "3 deadlock;\n  4 findings of --check; 5 limit reached; 6 not as "
                          "expected; 70 internal error; "
                          "71 out of memory;\n  128+N ended by signal N\n");
    session_put(&text, stdout);
    pto_buf_free(&text);
    return EXIT_DONE;
}

static enum exit_code version(struct session *s)
{
    (void)s;
    printf("ptovm %s\nreport schema pto-report/1\n%d instructions in the table\n",
           pto_version(), (int)PTO_OP_COUNT);
    return EXIT_DONE;
}

/* ---- main --------------------------------------------------------------------------------- */

struct command {
    const char *name;
    enum cli_user user;
    unsigned min_files, max_files;
    enum exit_code (*function)(struct session *s);
};

static const struct command COMMAND[] = {
    {"run", CLI_RUN, 1, 256, session_run},
    {"check", CLI_RUN, 1, 256, check},
    {"explore", CLI_EXPLORE, 1, 256, explore},
    {"tune", CLI_TUNE, 1, 256, tune},
    {"whatif", CLI_WHATIF, 1, 256, whatif},
    {"diff", CLI_DIFF, 2, 2, diff},
    {"info", CLI_INFO, 1, 1, info},
    {"profiles", CLI_PROFILES, 0, 0, profiles},
};
enum { COMMANDS = sizeof COMMAND / sizeof *COMMAND };

static const struct command *choose_command(struct session *s)
{
    static const struct command help_command = {"help", CLI_PTOVM, 0, 0, help};
    static const struct command state_command = {"diff", CLI_STATE, 2, 2, diff_state};
    static const struct command version_command = {"version", CLI_PTOVM, 0, 0, version};
    const char *word = s->options.operands > 0 ? s->options.operand[0] : NULL;
    const char *names[COMMANDS], *best;
    struct pto_diag *diag;

    if (s->options.help || s->options.version)
        return s->options.help ? &help_command : &version_command;
    for (int i = 0; i < COMMANDS; i++) {
        names[i] = COMMAND[i].name;
        if (word && !strcmp(word, names[i]))
            return COMMAND[i].user == CLI_DIFF && s->options.given[CLI_OPT_STATE] ? &state_command
                                                                                  : &COMMAND[i];
    }
    if (!word) {
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "no command given");
        return NULL;
    }
    diag = pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "unknown command '%s'", word);
    best = pto_nearest(word, names, COMMANDS);
    if (best)
        pto_diag_hint(&s->diags, diag, "did you mean '%s'?", best);
    else
        pto_diag_hint(&s->diags, diag,
                      "commands are run, check, explore, tune, whatif, diff, info and profiles");
    return NULL;
}

static bool check_command(struct session *s, const struct command *command)
{
    unsigned files;

    if (command->user == CLI_PTOVM)
        return true;
    files = s->options.operands - 1;
    cli_processes_check(&s->processes, &s->options, command->name, &s->diags);
    cli_options_check(&s->options, command->user, command->name, &s->diags);
    if (!(command->user & (CLI_RUN | CLI_EXPLORE | CLI_WHATIF | CLI_STATE)))
        cli_tuned_refuse(&s->options, command->user == CLI_TUNE ? "--try names what is tried"
                                                                : "give it a number", &s->diags);
    if (files < command->min_files)
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "'%s' needs %s", command->name,
                     command->user == CLI_DIFF    ? "two reports"
                     : command->user == CLI_STATE ? "two core files or kernels"
                                                  : "a kernel file");
    else if (files > command->max_files)
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "'%s' does not take '%s'", command->name,
                     s->options.operand[1 + command->max_files]);
    return s->diags.errors == 0;
}

/* Another process, of another build or with other arguments, may have no error, or something else
 * to do, and waits for this one: all agree on how the program ends.  Without a way to meet nobody
 * waits for anybody. */
static enum exit_code agree(struct session *s, enum exit_code code)
{
    struct pto_diags unheard = {0};

    if (s->processes.processes > 1 &&
        cli_processes_open(&s->processes, &s->options, &unheard) == PTO_OK) {
        code = cli_processes_agree(&s->processes, code, s->argc, s->argv, &s->launch, &s->diags);
        cli_processes_close(&s->processes);
    }
    pto_diags_free(&unheard);
    return code;
}

static enum exit_code usage_error(struct session *s)
{
    agree(s, EXIT_USAGE);
    if (!cli_processes_speaks(&s->processes))
        return EXIT_DONE;
    pto_diags_print(&s->diags, stderr, s->colour);
    fprintf(stderr, "Try 'ptovm --help'.\n");
    return EXIT_USAGE;
}

static enum exit_code finish(struct session *s, enum exit_code code)
{
    if (!cli_processes_speaks(&s->processes))
        return EXIT_DONE;
    pto_diags_add_lines(&s->diags);
    pto_diags_print(&s->diags, stderr, s->colour);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "error: cannot write to standard output\n");
    /* 1 of diff, "they differ", says nothing if nobody can read where */
    return code == EXIT_DONE || code == EXIT_PROGRAM ? EXIT_USAGE : code;
}

static void free_session(struct session *s)
{
    cli_trace_free(s->trace);
    cli_slices_free(s->slices);
    cli_repair_free(&s->repair);
    cli_findings_free(&s->findings);
    cli_expect_free(&s->expectations);
    cli_checkpoint_free(&s->checkpoint);
    cli_launch_free(&s->launch);
    cli_options_free(&s->options);
    pto_diags_free(&s->diags);
}

int main(int argc, char **argv)
{
    struct session session = {
        .argc = argc,
        .argv = argv,
        .began = cli_host_seconds(),
        .diags = {.max_errors = ERRORS_SHOWN},
    };
    enum exit_code code;
    enum pto_status parsed;
    const struct command *command;

    pto_process_begin();
    parsed = cli_options_parse(&session.options, argc, argv, CLI_PTOVM, &session.diags);
    cli_processes_look(&session.processes);
    session.colour = tool_wants_colour(session.options.colour, STDERR_FILENO);
    command = parsed == PTO_OK ? choose_command(&session) : NULL;
    if (!command || !check_command(&session, command))
        code = usage_error(&session);
    else if (command->user != CLI_RUN && (code = agree(&session, EXIT_DONE)) != EXIT_DONE)
        code = finish(&session, code);
    else if (command->user != CLI_RUN && !cli_processes_speaks(&session.processes))
        code = EXIT_DONE; /* what is no run one does for all */
    else if ((code = find_values(&session, command->user == CLI_STATE)) != EXIT_DONE)
        code = finish(&session, code);
    else
        code = finish(&session, command->function(&session));
    free_session(&session);
    return (int)code;
}
