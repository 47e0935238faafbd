/* A run from its options to its last file: see docs/ptovm.md. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "characters.h"
#include "cli/again.h"
#include "cli/core.h"
#include "cli/data.h"
#include "cli/details.h"
#include "cli/faults.h"
#include "cli/stop.h"
#include "data/host.h"
#include "file.h"
#include "look/graph.h"
#include "report/critical.h"
#include "report/efficiency.h"
#include "report/page.h"
#include "report/sarif.h"
#include "report/summary.h"
#include "session.h"

enum { MOST_SLICES = 400000 }; /* in a page; viewers stay fluid */

void session_put(const struct pto_buf *text, FILE *stream)
{
    if (text->size > 0)
        fwrite(text->data, 1, text->size, stream);
}

/* Where lines of `print` go: a report asked for, but never in the middle of JSON. */
static FILE *printed_to(const struct session *s)
{
    return s->options.json && !s->options.json_path ? stderr : stdout;
}

/* Without anybody to read them the run ends; its other results are still written. */
static void print_line(void *context, int rank, const char *core, uint64_t time_ps,
                       const char *text)
{
    struct session *s = context;
    struct pto_buf line = {0};
    char time[CLI_TIME_BYTES];

    pto_buf_printf(&line, "rank %d, %s, at %s: %s\n", rank, core, cli_time_text(time_ps, time),
                   text);
    session_put(&line, printed_to(s));
    cli_checkpoint_line(&s->checkpoint, pto_buf_text(&line));
    pto_buf_free(&line);
    if (ferror(printed_to(s)))
        cli_stop();
}

/* A run that goes on says what it has said before, so that its words are those of the whole one. */
static enum pto_status begin_or_resume(struct session *s)
{
    PTO_TRY(cli_checkpoint_begin(&s->checkpoint, &s->options, &s->launch, &s->diags));
    if (cli_processes_speaks(&s->processes))
        session_put(&s->checkpoint.printed, printed_to(s));
    return PTO_OK;
}

static enum pto_status prepare(struct session *s)
{
    const struct cli_filling filling = {session_show_filling, s};
    struct cli_machine_options machine = {
        .filling = session_tells_progress(s) ? &filling : NULL,
        .print = print_line,
        .print_context = s,
        .carrier = cli_processes_carrier(&s->processes),
        .beside = s->processes.beside,
    };
    enum pto_status status;

    PTO_TRY(cli_checkpoint_check(&s->options, &s->diags));
    PTO_TRY(cli_findings_load(&s->options, &s->findings, &s->diags));
    PTO_TRY(cli_load(&s->options, 1, false, &s->launch, &s->diags));
    PTO_TRY(cli_processes_deal(&s->processes, &s->options, &s->launch.arena, &s->diags));
    status = cli_launch(&s->options, &machine, &s->launch, &s->diags);
    session_clear_line(s);
    PTO_TRY(status);
    PTO_TRY(begin_or_resume(s));
    if (s->options.check)
        PTO_TRY(cli_findings_attach(&s->options, &s->launch, &s->findings));
    if (!cli_processes_speaks(&s->processes))
        return PTO_OK;
    PTO_TRY(cli_expect_load(&s->options, &s->launch, &s->expectations, &s->diags));
    if (s->options.report_path)
        PTO_TRY(cli_slices_start(s->launch.vm, MOST_SLICES, &s->slices));
    if (!s->options.trace_path)
        return PTO_OK;
    return cli_trace_start(s->launch.vm, &s->launch.profile, &s->options.trace,
                           s->options.trace_path, &s->diags, &s->trace);
}

static void complain(const char *path, const char *why)
{
    struct pto_buf text = {0};

    pto_put_clean(&text, path, strlen(path));
    fprintf(stderr, "error: cannot write '%s': %s\n", pto_buf_text(&text), why);
    pto_buf_free(&text);
}

enum exit_code session_write(const char *path, const struct pto_buf *text, enum exit_code code)
{
    const char *why = "";

    if (pto_file_write(path, text->data, text->size, &why) == PTO_OK)
        return code;
    complain(path, why);
    return code == EXIT_DONE ? EXIT_USAGE : code;
}

static enum exit_code write_wait_graph(const struct session *s, enum exit_code code)
{
    struct pto_buf text = {0};

    if (!s->options.wait_graph_path || code != EXIT_DEADLOCK)
        return code;
    pto_vm_wait_graph(s->launch.vm, &text);
    code = session_write(s->options.wait_graph_path, &text, code);
    pto_buf_free(&text);
    return code;
}

/* What leads here once more: where it is asked for, or something is wrong. */
static enum exit_code write_core(const struct session *s, enum exit_code code)
{
    const char *const path[] = {code == EXIT_DONE ? NULL : s->options.core_path,
                                s->options.record_path};
    const char *why = "", *end = cli_exit_name(code);

    if (code == EXIT_USAGE)
        return code;
    if (s->stopped_by)
        end = "stopped";
    else if (s->findings.count > 0 && (int)code == s->options.error_exitcode)
        end = "finding";
    for (unsigned i = 0; i < sizeof path / sizeof *path; i++)
        if (path[i] && !cli_core_write(path[i], s->argc, s->argv, &s->options, &s->launch, end,
                                       &why)) {
            complain(path[i], why);
            code = code == EXIT_DONE ? EXIT_USAGE : code;
        }
    return code;
}

/* Look for what would make the run clean, and tell it in place of the advice that nobody tried. */
static void repair(struct session *s, enum exit_code code)
{
    if (s->findings.check)
        cli_findings_collect(&s->options, &s->findings);
    if (s->options.fix && !s->stopped_by && (code != EXIT_DONE || s->findings.count > 0))
        cli_repair_search(&s->options, &s->launch, &s->findings, &s->repair, &s->search_ended_by);
}

/* A signal may have come while nothing ran. */
static void end_series(struct session *s)
{
    int asked = cli_series_end();

    if (asked && !s->stopped_by)
        s->search_ended_by = asked;
}

/* A search that was told to end is not done, whatever it found; one that ran out of time or memory
 * says so, and the exit status is that of the run as it is. */
static enum exit_code tell_search_end(const struct session *s, enum exit_code code)
{
    enum exit_code stopped = cli_exit_stopped(s->search_ended_by);

    if (!s->search_ended_by)
        return code;
    cli_series_tell(s->search_ended_by, s->repair.runs, "trial", &s->options.limits, stderr);
    return stopped > EXIT_SIGNAL ? stopped : code;
}

/* The change in the files, or as a diff where JSON does not take its place. */
static enum exit_code deliver_repair(struct session *s, enum exit_code code)
{
    struct pto_buf text = {0};

    code = tell_search_end(s, code);
    cli_repair_text(&s->repair, s->options.fix_in_place, &text);
    session_put(&text, stderr);
    text.size = 0;
    if (s->options.fix_in_place && s->repair.may_write) {
        enum pto_status status = cli_repair_write(&s->repair, &s->diags);

        code = status == PTO_OK ? code : cli_exit_of(status);
    } else if (!s->options.json || s->options.json_path) {
        cli_repair_diff(&s->repair, &text);
        session_put(&text, stdout);
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
    session_put(&text, stderr);
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
    session_put(&text, stderr);
    pto_buf_free(&text);
}

/* How a run ended that may have been stopped. */
static enum exit_code ended(const struct session *s, enum pto_status status)
{
    if (!s->stopped_by)
        return cli_exit_of(status);
    if (cli_processes_speaks(&s->processes))
        cli_stop_tell(s->stopped_by, &s->options.limits, stderr);
    return cli_exit_stopped(s->stopped_by);
}

/* Where everybody stood when the run was stopped. */
static void tell_standing(const struct session *s)
{
    struct pto_buf standing = {0}, text = {0};

    pto_vm_describe_waits(s->launch.vm, true, &standing);
    cli_details_text(pto_buf_text(&standing), &text);
    session_put(&text, stderr);
    pto_buf_free(&standing);
    pto_buf_free(&text);
}

/* One that cannot be written is told of once; the run goes on, and the last one stays. */
static void keep(void *context)
{
    struct session *s = context;

    fflush(stdout);
    if (cli_checkpoint_write(&s->checkpoint, cli_processes_speaks(&s->processes)) || s->unkept)
        return;
    s->unkept = true;
    session_clear_line(s);
    complain(s->options.checkpoint_path, s->checkpoint.problem);
}

static enum pto_status execute(struct session *s)
{
    const bool speaks = cli_processes_speaks(&s->processes);
    const struct cli_keeping keeping = {speaks ? s->options.every_ps : 0, keep, s,
                                        s->processes.processes > 1};
    const struct cli_progress progress = {session_show_progress, s};
    struct cli_limits limits = s->options.limits;
    enum pto_status status;

    if (session_tells_progress(s) && s->processes.processes == 1)
        limits.progress = &progress;
    if (s->options.checkpoint_path)
        limits.keeping = &keeping;
    status = cli_run(s->launch.vm, &limits, &s->stopped_by);
    session_clear_line(s);
    s->stopped_by = cli_processes_stopped(&s->processes, s->stopped_by);
    return status;
}

static enum exit_code tell_end(struct session *s, enum pto_status status)
{
    enum exit_code code = ended(s, status);

    if (s->stopped_by && s->stopped_by != SIGPIPE)
        tell_standing(s);
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
    return ended(s, cli_findings_settle(&s->options, &s->processes, &s->launch, &s->findings,
                                        &s->diags, &s->stopped_by));
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
    session_put(&text, stderr);
    pto_buf_free(&text);
    return code == EXIT_DONE ? EXIT_MISMATCH : code;
}

/* What of the run is not in the trace, if that can be a surprise. */
static void tell_left_out(const struct session *s)
{
    uint64_t dropped = cli_trace_dropped(s->trace);
    char time[CLI_TIME_BYTES];

    if (dropped > 0)
        fprintf(stderr, "note: the trace left out %llu events; see --trace-max-events\n",
                (unsigned long long)dropped);
    else if (cli_trace_events(s->trace) == 0)
        fprintf(stderr, "note: the trace is empty: in %s of simulated time nothing happened that "
                        "the --trace-... options leave\n",
                cli_time_text(pto_vm_time(s->launch.vm), time));
}

static enum exit_code write_trace(struct session *s, enum exit_code code)
{
    enum pto_status status;

    if (!s->trace)
        return code;
    status = cli_trace_write(s->trace, &s->findings, s->options.trace_path, &s->diags);
    tell_left_out(s);
    return code == EXIT_DONE ? cli_exit_of(status) : code;
}

static struct cli_outcome outcome_of(const struct session *s, bool ran, enum exit_code code)
{
    struct cli_outcome outcome = {ran || code != EXIT_PROGRAM ? cli_exit_name(code) : "error",
                                  (int)code, s->stopped_by != 0};

    if ((s->stopped_by > 0 && s->stopped_by != SIGALRM) || code > EXIT_SIGNAL)
        outcome.status = "interrupted";
    else if (s->stopped_by == CLI_STOPPED_MEMORY)
        outcome.status = "limit";
    else if (s->findings.count > 0 && (int)code == s->options.error_exitcode)
        outcome.status = "findings";
    return outcome;
}

/* It has been told of a path that cannot be written. */
static bool may_write(const struct session *s, const char *path)
{
    return !s->launch.outputs_clash &&
           !(s->launch.unwritable && !strcmp(s->launch.unwritable, path));
}

static enum exit_code write_sarif(const struct session *s, bool ran, enum exit_code code)
{
    struct cli_outcome outcome = outcome_of(s, ran, code);
    struct pto_buf text = {0};

    if (!s->options.sarif_path || !may_write(s, s->options.sarif_path))
        return code;
    cli_sarif(&s->findings, ran ? s->launch.vm : NULL, &s->diags, &outcome,
              s->options.operands > 1 ? s->options.operand[1] : "", &text);
    code = session_write(s->options.sarif_path, &text, code);
    pto_buf_free(&text);
    return code;
}

static enum exit_code write_page(struct session *s, enum exit_code code)
{
    struct cli_outcome outcome = outcome_of(s, true, code);
    struct pto_buf json = {0}, page = {0};

    if (!s->options.report_path)
        return code;
    cli_report_json(&s->options, &s->launch, &s->expectations, &s->findings, &s->diags, &outcome,
                    &json);
    cli_page(&s->launch, s->slices, &json, &page);
    code = session_write(s->options.report_path, &page, code);
    pto_buf_free(&json);
    pto_buf_free(&page);
    return code;
}

static void tell_critical(const struct session *s, struct pto_buf *text)
{
    struct cli_critical critical;

    if (cli_critical_begin(&critical, &s->launch))
        cli_critical_text(&critical, text);
    else
        pto_buf_printf(text, "critical path none: the run did not come to its end\n");
    cli_critical_free(&critical);
}

static enum exit_code report(struct session *s, bool ran, enum exit_code code)
{
    struct pto_buf text = {0};
    struct cli_outcome outcome = outcome_of(s, ran, code);
    bool json_to_stdout = s->options.json && !s->options.json_path;
    const char *why = "";

    if (s->options.json && (json_to_stdout || may_write(s, s->options.json_path))) {
        cli_report_json(&s->options, &s->launch, &s->expectations, &s->findings, &s->diags,
                        &outcome, &text);
        if (pto_file_write(json_to_stdout ? "-" : s->options.json_path, text.data, text.size,
                           &why) != PTO_OK) {
            complain(json_to_stdout ? "standard output" : s->options.json_path, why);
            code = code == EXIT_DONE ? EXIT_USAGE : code;
        }
        text.size = 0;
    }
    if (ran && !s->options.quiet && !json_to_stdout && s->options.tuned)
        cli_tuned_text(s->options.tuned, &text);
    if (ran && !s->options.quiet && !s->options.fix && !json_to_stdout)
        cli_summary_text(&s->options, &s->launch, &s->expectations, s->options.verbose, &text);
    if (ran && s->options.check_coverage && !json_to_stdout)
        cli_coverage_text(&s->findings, &text);
    if (ran && s->options.given[CLI_OPT_CRITICAL] && !json_to_stdout)
        tell_critical(s, &text);
    session_put(&text, stdout);
    text.size = 0;
    if (ran && s->options.verbose)
        cli_processes_host(&s->processes, s->launch.vm, cli_host_seconds() - s->began, &text);
    session_put(&text, stderr);
    pto_buf_free(&text);
    return code;
}

/* For the efficiency beside the critical path, which tells less without it. */
static enum exit_code time_ideal(struct session *s, enum exit_code code)
{
    int stopped_by = 0;

    if (s->stopped_by || cli_ideal_time(&s->options, &s->launch, &stopped_by))
        return code;
    fprintf(stderr, "note: the same on an instantaneous network did not come to its end, so the "
                    "efficiency does not tell serialisation from transfer\n");
    return stopped_by > 0 && code == EXIT_DONE ? cli_exit_stopped(stopped_by) : code;
}

/* Everything that comes behind a run, once. */
static enum exit_code finish(struct session *s, enum pto_status status)
{
    enum exit_code code = tell_end(s, status), settled = settle(s);

    if (code == EXIT_DONE)
        code = deliver(s);
    code = code == EXIT_DONE ? settled : code;
    code = code == EXIT_DONE && s->unkept ? EXIT_USAGE : code;
    repair(s, code);
    if (s->options.fix)
        end_series(s);
    code = write_core(s, tell_findings(s, write_wait_graph(s, code)));
    code = time_ideal(s, deliver_repair(s, code));
    return write_page(s, write_trace(s, code));
}

static enum exit_code run(struct session *s)
{
    enum exit_code code;
    enum pto_status status;
    bool ran;

    signal(SIGPIPE, SIG_IGN); /* a reader that goes away must not take the results along */
    code = cli_exit_of(prepare(s));
    code = cli_processes_agree(&s->processes, code, s->argc, s->argv, &s->launch, &s->diags);
    ran = code == EXIT_DONE;
    if (ran && s->options.fix)
        cli_series_begin();
    status = ran ? execute(s) : PTO_OK;
    if (!cli_processes_speaks(&s->processes))
        return ran ? settle(s) : EXIT_DONE;
    if (ran)
        code = finish(s, status);
    return report(s, ran, write_sarif(s, ran, code));
}

enum exit_code session_run(struct session *s)
{
    enum exit_code code;

    if (cli_processes_open(&s->processes, &s->options, &s->diags) != PTO_OK)
        return EXIT_USAGE;
    code = run(s);
    cli_processes_close(&s->processes);
    return code;
}
