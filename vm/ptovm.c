/* ptovm: run kernels on simulated ranks, look at their interface.  See docs/ptovm.md. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/again.h"
#include "cli/compare.h"
#include "cli/data.h"
#include "cli/exit.h"
#include "cli/explore.h"
#include "cli/faults.h"
#include "cli/findings.h"
#include "cli/info.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/repair.h"
#include "cli/sarif.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "cli/trace.h"
#include "look/graph.h"
#include "file.h"
#include "lines.h"
#include "process.h"
#include "version.h"

enum { ERRORS_SHOWN = 50 };

struct session {
    struct cli_options options;
    struct cli_launch launch;
    struct cli_expectations expectations;
    struct cli_findings findings;
    struct cli_repair repair;
    struct cli_trace *trace;
    struct pto_diags diags;
    int stopped_by; /* signal that cut the run off, or 0 */
    bool colour;
    double began; /* seconds of the host's clock */
};

/* ---- terminal ----------------------------------------------------------------------------- */

static double host_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void put(const struct pto_buf *text, FILE *stream)
{
    if (text->size > 0)
        fwrite(text->data, 1, text->size, stream);
}

/* Lines of `print`: a report asked for, but never in the middle of JSON.  Without anybody to read
 * them the run ends; its other results are still written. */
static void print_line(void *context, int rank, const char *core, uint64_t time_ps,
                       const char *text)
{
    char time[CLI_TIME_BYTES];

    fprintf(context, "rank %d, %s, at %s: %s\n", rank, core, cli_time_text(time_ps, time), text);
    if (ferror(context))
        cli_stop();
}

/* ---- run ---------------------------------------------------------------------------------- */

static enum pto_status prepare(struct session *s)
{
    struct cli_machine_options machine = {
        .print = print_line,
        .print_context = s->options.json && !s->options.json_path ? stderr : stdout,
    };

    PTO_TRY(cli_findings_load(&s->options, &s->findings, &s->diags));
    PTO_TRY(cli_load(&s->options, 1, false, &s->launch, &s->diags));
    PTO_TRY(cli_launch(&s->options, &machine, &s->launch, &s->diags));
    PTO_TRY(cli_expect_load(&s->options, &s->launch, &s->expectations, &s->diags));
    if (s->options.check)
        PTO_TRY(pto_check_attach(s->launch.vm, &s->findings.check));
    if (!s->options.trace_path)
        return PTO_OK;
    return cli_trace_start(s->launch.vm, &s->launch.profile, s->options.trace_max_events,
                           &s->trace);
}

/* Write a text; if that fails, a run that was done is not done. */
static enum exit_code write_text(const char *path, const struct pto_buf *text, enum exit_code code)
{
    const char *why = "";

    if (pto_file_write(path, text->data, text->size, &why) == PTO_OK)
        return code;
    fprintf(stderr, "error: cannot write '%s': %s\n", path, why);
    return code == EXIT_DONE ? EXIT_USAGE : code;
}

static enum exit_code write_wait_graph(const struct session *s, enum exit_code code)
{
    struct pto_buf text = {0};

    if (!s->options.wait_graph_path || code != EXIT_DEADLOCK)
        return code;
    pto_vm_wait_graph(s->launch.vm, &text);
    code = write_text(s->options.wait_graph_path, &text, code);
    pto_buf_free(&text);
    return code;
}

/* Look for what would make the run clean, and tell it in place of the advice that nobody tried. */
static void repair(struct session *s, enum exit_code code)
{
    int stopped_by = 0; /* cuts off the search, not the run */

    if (s->findings.check)
        cli_findings_collect(&s->options, &s->findings);
    if (s->options.fix && !s->stopped_by && (code != EXIT_DONE || s->findings.count > 0))
        cli_repair_search(&s->options, &s->launch, &s->findings, &s->repair, &stopped_by);
}

/* The change in the files, or as a diff where JSON does not take its place. */
static enum exit_code deliver_repair(struct session *s, enum exit_code code)
{
    struct pto_buf text = {0};

    cli_repair_text(&s->repair, &text);
    put(&text, stderr);
    text.size = 0;
    if (s->options.fix_in_place) {
        enum pto_status status = cli_repair_write(&s->repair, &s->diags);

        code = status == PTO_OK ? code : cli_exit_of(status);
    } else if (!s->options.json || s->options.json_path) {
        cli_repair_diff(&s->repair, &text);
        put(&text, stdout);
    }
    pto_buf_free(&text);
    return code;
}

/* Findings go to stderr like all messages; a run that ended well but has some is not done well. */
static enum exit_code tell_findings(struct session *s, enum exit_code code)
{
    struct pto_buf text = {0};

    if (!s->findings.check)
        return code;
    cli_findings_text(&s->findings, s->colour, &text);
    put(&text, stderr);
    pto_buf_free(&text);
    if (s->findings.count > 0 && (code == EXIT_DONE || code == EXIT_MISMATCH))
        code = (enum exit_code)s->options.error_exitcode;
    return code;
}

/* Warnings, and the fault, deadlock or limit that ended the run. */
static void tell(const struct session *s)
{
    struct pto_buf text = {0};

    cli_end_text(s->launch.vm, s->options.verbose, s->colour, &text);
    fflush(stdout);
    put(&text, stderr);
    pto_buf_free(&text);
}

/* How a run ended that may have been stopped. */
static enum exit_code ended(const struct session *s, enum pto_status status)
{
    if (!s->stopped_by)
        return cli_exit_of(status);
    cli_stop_tell(s->stopped_by, &s->options.limits, stderr);
    return cli_exit_stopped(s->stopped_by);
}

static enum exit_code execute(struct session *s)
{
    enum exit_code code =
        ended(s, cli_run(s->launch.vm, &s->options.limits, &s->stopped_by));

    tell(s);
    return code;
}

/* Before anything is written: the inputs may be needed again. */
static enum exit_code settle(struct session *s)
{
    if (!s->findings.check)
        return EXIT_DONE;
    pto_check_finish(s->findings.check);
    if (s->stopped_by)
        return EXIT_DONE;
    return ended(s, cli_findings_settle(&s->options, &s->launch, &s->findings, &s->diags,
                                        &s->stopped_by));
}

/* Results of a run that ended well: files, comparisons. */
static enum exit_code deliver(struct session *s)
{
    enum exit_code code = cli_exit_of(cli_outputs_write(&s->options, &s->launch, &s->diags));
    struct pto_buf text = {0};

    if (cli_expect_compare(&s->options, &s->launch, &s->expectations))
        return code;
    for (unsigned i = 0; i < s->expectations.count; i++)
        if (s->expectations.item[i].result.mismatches > 0)
            cli_comparison_text(&s->expectations.item[i].result, &text);
    put(&text, stderr);
    pto_buf_free(&text);
    return code == EXIT_DONE ? EXIT_MISMATCH : code;
}

static enum exit_code write_trace(struct session *s, enum exit_code code)
{
    enum pto_status status;

    if (!s->trace)
        return code;
    status = cli_trace_write(s->trace, s->options.trace_path, &s->diags);
    if (cli_trace_dropped(s->trace) > 0)
        fprintf(stderr, "note: the trace left out %llu events; see --trace-max-events\n",
                (unsigned long long)cli_trace_dropped(s->trace));
    return code == EXIT_DONE ? cli_exit_of(status) : code;
}

static struct cli_outcome outcome_of(const struct session *s, bool ran, enum exit_code code)
{
    struct cli_outcome outcome = {ran || code != EXIT_PROGRAM ? cli_exit_name(code) : "error",
                                  (int)code};

    if (s->stopped_by > 0 && s->stopped_by != SIGALRM)
        outcome.status = "interrupted";
    else if (s->stopped_by == CLI_STOPPED_MEMORY)
        outcome.status = "limit";
    else if (s->findings.count > 0 && (int)code == s->options.error_exitcode)
        outcome.status = "findings";
    return outcome;
}

static enum exit_code write_sarif(const struct session *s, bool ran, enum exit_code code)
{
    struct cli_outcome outcome = outcome_of(s, ran, code);
    struct pto_buf text = {0};

    if (!s->options.sarif_path || s->launch.outputs_clash)
        return code;
    cli_sarif(&s->findings, ran ? s->launch.vm : NULL, &s->diags, &outcome, &text);
    code = write_text(s->options.sarif_path, &text, code);
    pto_buf_free(&text);
    return code;
}

static enum exit_code report(struct session *s, bool ran, enum exit_code code)
{
    struct pto_buf text = {0};
    struct cli_outcome outcome = outcome_of(s, ran, code);
    bool json_to_stdout = s->options.json && !s->options.json_path;
    const char *why = "";

    if (s->options.json && (json_to_stdout || !s->launch.outputs_clash)) {
        cli_report_json(&s->options, &s->launch, &s->expectations, &s->findings, &s->diags,
                        &outcome, &text);
        if (pto_file_write(json_to_stdout ? "-" : s->options.json_path, text.data, text.size,
                           &why) != PTO_OK) {
            fprintf(stderr, "error: cannot write '%s': %s\n",
                    json_to_stdout ? "standard output" : s->options.json_path, why);
            code = code == EXIT_DONE ? EXIT_USAGE : code;
        }
        text.size = 0;
    }
    if (ran && !s->options.quiet && !s->options.fix && !json_to_stdout)
        cli_summary_text(&s->options, &s->launch, &s->expectations, s->options.verbose, &text);
    put(&text, stdout);
    pto_buf_free(&text);
    if (ran && s->options.verbose)
        fprintf(stderr, "host          %.3f s, %llu pipe events\n", host_seconds() - s->began,
                (unsigned long long)pto_vm_events(s->launch.vm));
    return code;
}

static enum exit_code run(struct session *s)
{
    enum exit_code code, settled;
    bool ran;

    signal(SIGPIPE, SIG_IGN); /* a reader that goes away must not take the results along */
    code = cli_exit_of(prepare(s));
    ran = code == EXIT_DONE;
    if (ran) {
        code = execute(s);
        settled = settle(s);
        if (code == EXIT_DONE)
            code = deliver(s);
        code = code == EXIT_DONE ? settled : code;
        repair(s, code);
        code = tell_findings(s, write_wait_graph(s, code));
        code = deliver_repair(s, code);
        code = write_trace(s, code);
    }
    return report(s, ran, write_sarif(s, ran, code));
}

static enum exit_code check(struct session *s)
{
    s->options.check = true;
    return run(s);
}

/* One line that is written over and over. */
static void show_progress(void *context, unsigned runs, unsigned most, unsigned bad)
{
    fprintf(context, "\r\033[Kexploring: run %u of at most %u, %u found\r", runs, most, bad);
    fflush(context);
}

static enum exit_code explore(struct session *s)
{
    const bool terminal = isatty(STDERR_FILENO) && !s->options.quiet;
    const struct cli_explore_progress progress = {terminal ? show_progress : NULL, stderr};
    enum exit_code code = cli_exit_of(cli_load(&s->options, 1, false, &s->launch, &s->diags));
    struct pto_buf text = {0};

    if (code == EXIT_DONE)
        code = cli_explore(&s->options, &s->launch, &progress, &s->diags, &text);
    if (terminal)
        fprintf(stderr, "\033[K");
    put(&text, stdout);
    pto_buf_free(&text);
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
    put(&text, stdout);
    pto_buf_free(&text);
    return cli_exit_of(status);
}

static enum exit_code profiles(struct session *s)
{
    struct pto_buf text = {0};
    enum pto_status status = cli_profiles_text(&text, &s->diags);

    put(&text, stdout);
    pto_buf_free(&text);
    return cli_exit_of(status);
}

static enum exit_code help(struct session *s)
{
    struct pto_buf text = {0};

    (void)s;
    pto_buf_printf(&text, "usage: ptovm [options] run FILE[:KERNEL]...   run kernels in sequence\n"
                          "       ptovm [options] check FILE[:KERNEL]... the same with --check\n"
                          "       ptovm [options] explore FILE...       run in many orders of events\n"
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
    put(&text, stdout);
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
    {"run", CLI_RUN, 1, 256, run},
    {"check", CLI_RUN, 1, 256, check},
    {"explore", CLI_EXPLORE, 1, 256, explore},
    {"info", CLI_INFO, 1, 1, info},
    {"profiles", CLI_PROFILES, 0, 0, profiles},
};
enum { COMMANDS = sizeof COMMAND / sizeof *COMMAND };

static const struct command *choose_command(struct session *s)
{
    static const struct command help_command = {"help", CLI_PTOVM, 0, 0, help};
    static const struct command version_command = {"version", CLI_PTOVM, 0, 0, version};
    const char *word = s->options.operands > 0 ? s->options.operand[0] : NULL;
    const char *names[COMMANDS], *best;
    struct pto_diag *diag;

    if (s->options.help || s->options.version)
        return s->options.help ? &help_command : &version_command;
    for (int i = 0; i < COMMANDS; i++) {
        names[i] = COMMAND[i].name;
        if (word && !strcmp(word, names[i]))
            return &COMMAND[i];
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
        pto_diag_hint(&s->diags, diag, "commands are run, check, explore, info and profiles");
    return NULL;
}

static bool check_command(struct session *s, const struct command *command)
{
    unsigned files;

    if (command->user == CLI_PTOVM)
        return true;
    files = s->options.operands - 1;
    cli_options_check(&s->options, command->user, command->name, &s->diags);
    if (files < command->min_files)
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "'%s' needs a kernel file", command->name);
    else if (files > command->max_files)
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "'%s' does not take '%s'", command->name,
                     s->options.operand[1 + command->max_files]);
    return s->diags.errors == 0;
}

static enum exit_code usage_error(struct session *s)
{
    pto_diags_print(&s->diags, stderr, s->colour);
    fprintf(stderr, "Try 'ptovm --help'.\n");
    return EXIT_USAGE;
}

static enum exit_code finish(struct session *s, enum exit_code code)
{
    pto_diags_add_lines(&s->diags);
    pto_diags_print(&s->diags, stderr, s->colour);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        fprintf(stderr, "error: cannot write to standard output\n");
        return EXIT_USAGE;
    }
    return code;
}

static void free_session(struct session *s)
{
    cli_trace_free(s->trace);
    cli_repair_free(&s->repair);
    cli_findings_free(&s->findings);
    cli_expect_free(&s->expectations);
    cli_launch_free(&s->launch);
    cli_options_free(&s->options);
    pto_diags_free(&s->diags);
}

int main(int argc, char **argv)
{
    struct session session = {.began = host_seconds(), .diags = {.max_errors = ERRORS_SHOWN}};
    enum exit_code code;
    enum pto_status parsed =
        cli_options_parse(&session.options, argc, argv, CLI_PTOVM, &session.diags);
    const struct command *command;

    pto_process_begin();
    session.colour = tool_wants_colour(session.options.colour, STDERR_FILENO);
    command = parsed == PTO_OK ? choose_command(&session) : NULL;
    if (!command || !check_command(&session, command))
        code = usage_error(&session);
    else
        code = finish(&session, command->function(&session));
    free_session(&session);
    return (int)code;
}
