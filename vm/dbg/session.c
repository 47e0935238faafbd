/* Life of a session: loading, answers, scripts, the end. */
#include "dbg/dbg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "characters.h"
#include "cli/faults.h"
#include "dbg/block.h"
#include "dbg/breakpoint.h"
#include "dbg/change.h"
#include "dbg/checkpoint.h"
#include "dbg/define.h"
#include "dbg/display.h"
#include "dbg/event.h"
#include "dbg/findings.h"
#include "dbg/history.h"
#include "dbg/issue.h"
#include "dbg/lines.h"
#include "dbg/run.h"
#include "dbg/source.h"
#include "dbg/paint.h"
#include "dbg/past.h"
#include "dbg/variable.h"
#include "dbg/writer.h"

#define HISTORY_LIMIT (UINT64_C(512) << 20) /* bytes */

enum { HISTORY_INTERVAL = 240 * 1000 }; /* events: a tenth of a second or two */

enum { DEFAULT_WIDTH = 80, DEFAULT_ROWS = 16, LONGEST_ANSWER = 4096 };

/* ---- answers ---- */

/* Lines that may quote anything: sources, strings of the program, names of files. */
static void say(struct dbg *dbg, const char *text, size_t length)
{
    for (;;) {
        const char *newline = memchr(text, '\n', length);
        size_t part = newline ? (size_t)(newline - text) : length;

        pto_put_clean(&dbg->out, text, part);
        if (!newline)
            return;
        pto_buf_byte(&dbg->out, '\n');
        text += part + 1;
        length -= part + 1;
    }
}

void dbg_say(struct dbg *dbg, const char *format, ...)
{
    char text[LONGEST_ANSWER];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length > 0)
        say(dbg, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

bool dbg_error(struct dbg *dbg, const char *hint, const char *format, ...)
{
    char text[LONGEST_ANSWER];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dbg_say(dbg, "error: %s\n", text);
    if (hint)
        dbg_say(dbg, "  hint: %s\n", hint);
    return false;
}

struct dbg_time dbg_time(uint64_t ps)
{
    struct dbg_time time;

    _Static_assert(sizeof time.text >= CLI_TIME_BYTES, "a time fits");
    cli_time_text(ps, time.text);
    return time;
}

static void write_line(const struct dbg_terminal *terminal, const char *line, size_t length)
{
    struct pto_buf painted = {0};

    if (!terminal->colours) {
        terminal->write(terminal->context, line, length);
        return;
    }
    paint_line(line, length, &painted);
    terminal->write(terminal->context, (const char *)painted.data, painted.size);
    pto_buf_free(&painted);
}

void dbg_flush(struct dbg *dbg)
{
    const struct dbg_terminal *terminal = dbg->terminal;
    bool paged = terminal->interactive && dbg->pagination && terminal->height > 2 &&
                 terminal->more;
    bool by_lines = paged || terminal->colours;
    const char *text = pto_buf_text(&dbg->out), *end = text + dbg->out.size;

    if (dbg->options->json_lines) {
        lines_keep(dbg);
        return;
    }
    while (text < end) {
        const char *newline = by_lines ? memchr(text, '\n', (size_t)(end - text)) : NULL;
        const char *stop = newline ? newline + 1 : end;

        if (paged && dbg->lines_shown + 1 >= terminal->height) {
            dbg->lines_shown = 0;
            if (!terminal->more(terminal->context))
                break;
        }
        write_line(terminal, text, (size_t)(stop - text));
        dbg->lines_shown++;
        text = stop;
    }
    dbg->out.size = 0;
}

/* ---- building the machine ---- */

static void print_line(void *context, int rank, const char *core, uint64_t time_ps,
                       const char *text)
{
    struct dbg *dbg = context;

    if (dbg->muted)
        return;
    dbg_say(dbg, "rank %d, %s, at %s: %s\n", rank, core, dbg_time(time_ps).text, text);
    dbg_flush(dbg);
}

static enum pto_status build(struct dbg *dbg, struct pto_diags *diags)
{
    struct cli_machine_options machine = {
        .stepwise = true, .print = print_line, .print_context = dbg};

    PTO_TRY(cli_launch(dbg->options, &machine, &dbg->launch, diags));
    PTO_TRY(pto_vm_observe(dbg->launch.vm, run_observe, dbg));
    PTO_TRY(findings_attach(dbg, run_observe));
    watch_attach(dbg);
    dbg->cores = pto_xcalloc((size_t)pto_vm_ranks(dbg->launch.vm) * pto_vm_cores(dbg->launch.vm),
                             sizeof *dbg->cores);
    dbg->fault = pto_xcalloc((size_t)pto_vm_ranks(dbg->launch.vm), sizeof *dbg->fault);
    dbg->started = false;
    dbg->delivered = false;
    dbg->events = 0;
    dbg->latest_ps = 0;
    change_undo(dbg, 0);
    issue_drop(dbg->stop.issue);
    dbg->stop = (struct dbg_stop){.kind = DBG_NOT_STOPPED};
    return PTO_OK;
}

static void tear_down(struct dbg *dbg)
{
    unsigned count = 0;

    if (dbg->launch.vm)
        count = (unsigned)pto_vm_ranks(dbg->launch.vm) * pto_vm_cores(dbg->launch.vm);
    if (dbg->launch.vm)
        history_forget(dbg);
    for (unsigned i = 0; dbg->cores && i < count; i++)
        dbg_forget(dbg, &dbg->cores[i]);
    for (int i = 0; dbg->fault && i < pto_vm_ranks(dbg->launch.vm); i++)
        issue_drop(dbg->fault[i].issue);
    free(dbg->fault);
    dbg->fault = NULL;
    free(dbg->cores);
    dbg->cores = NULL;
    watch_detach(dbg);
    findings_detach(dbg);
    pto_vm_free(dbg->launch.vm);
    dbg->launch.vm = NULL;
}

bool dbg_rebuild(struct dbg *dbg)
{
    struct pto_diags diags = {0};
    bool good;

    if (history_return(dbg, 1)) {
        watch_detach(dbg); /* what is on its way is not what it has seen leave */
        watch_attach(dbg);
        return true;
    }
    tear_down(dbg);
    dbg->lost = build(dbg, &diags);
    good = dbg->lost == PTO_OK;
    for (const struct pto_diag *diag = diags.first; diag; diag = diag->next)
        dbg_error(dbg, diag->hint, "%s", diag->message);
    pto_diags_free(&diags);
    if (!good) {
        dbg_error(dbg, NULL, "the machine cannot be built again; the session ends");
        dbg->quit = true;
    }
    return good;
}

/* The first sub-core that the first kernel runs on. */
static unsigned first_core(const struct dbg *dbg)
{
    const struct pto_kernel *kernel = cli_kernel_of(&dbg->launch.kernel[0]);
    struct pto_core_info info;

    for (unsigned i = 0; i < pto_vm_cores(dbg->launch.vm); i++) {
        pto_vm_core(dbg->launch.vm, 0, i, &info);
        if (kernel->core[info.kind].present)
            return i;
    }
    return 0;
}

enum pto_status dbg_create(const struct cli_options *options, const struct dbg_terminal *terminal,
                           struct pto_diags *diags, struct dbg **out)
{
    struct dbg *dbg = pto_xcalloc(1, sizeof *dbg);
    enum pto_status status;

    dbg->options = options;
    dbg->terminal = terminal;
    dbg->pagination = true;
    dbg->history_limit = HISTORY_LIMIT;
    dbg->interval = HISTORY_INTERVAL;
    dbg->next_moment = UINT64_MAX;
    dbg->next_change = UINT64_MAX;
    dbg->width = terminal->width ? terminal->width : DEFAULT_WIDTH;
    dbg->rows = DEFAULT_ROWS;
    dbg->pipe = DBG_ANY_PIPE;
    dbg->depth = DBG_DEPTH_INNERMOST;
    dbg->next_number = 1;
    dbg->history = pto_xcalloc(DBG_HISTORY, sizeof *dbg->history);
    status = cli_load(options, 0, false, &dbg->launch, diags);
    if (status == PTO_OK)
        status = build(dbg, diags);
    if (status == PTO_OK) {
        dbg->core = first_core(dbg);
        if (options->check)
            breakpoint_catch_findings(dbg);
    } else {
        dbg_free(dbg);
        dbg = NULL;
    }
    *out = dbg;
    return status;
}

void dbg_free(struct dbg *dbg)
{
    if (!dbg)
        return;
    tear_down(dbg);
    breakpoint_free_all(dbg);
    source_free(dbg);
    event_forget(dbg);
    writer_forget_sources(dbg);
    findings_forget(dbg);
    issue_drop(dbg->stop.issue);
    free(dbg->last_line);
    pto_buf_free(&dbg->out);
    pto_buf_free(&dbg->line);
    display_free(dbg);
    define_free(dbg);
    block_free(dbg);
    variable_free(dbg);
    past_free(dbg);
    free(dbg->due);
    change_forget(dbg);
    checkpoint_free(dbg);
    cli_launch_free(&dbg->launch);
    free(dbg);
}

void dbg_keep_lines(struct dbg *dbg, const char *path)
{
    past_keep(dbg, path);
    dbg_flush(dbg);
}

void dbg_interrupt(struct dbg *dbg)
{
    dbg->interrupted = 1;
}

void dbg_expire(struct dbg *dbg)
{
    dbg->expired = 1;
    dbg->interrupted = 1;
}

bool dbg_expired(const struct dbg *dbg)
{
    return dbg->cut_off && dbg->expired;
}

/* ---- session ---- */

static bool run_scripts(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->options->scripts && !dbg->quit; i++) {
        const struct cli_script *script = &dbg->options->script[i];
        bool good = script->is_file ? dbg_source(dbg, script->text)
                                    : dbg_command(dbg, script->text);

        dbg_flush(dbg);
        if (!good)
            return false;
    }
    return true;
}

static void run_terminal(struct dbg *dbg)
{
    const struct dbg_terminal *terminal = dbg->terminal;

    while (!dbg->quit) {
        char *line;
        bool good;

        if (terminal->interactive)
            dbg->interrupted = 0;
        line = terminal->read(terminal->context, dbg->block.name ? "> " : "(ptodbg) ");
        if (!line)
            return;
        if (terminal->interactive)
            past_add(dbg, line);
        dbg->at_prompt = true;
        good = dbg_command(dbg, line);
        dbg->at_prompt = false;
        free(line);
        if (!good && !terminal->interactive && !dbg->options->json_lines) {
            dbg->failed = true;
            return;
        }
    }
}

enum dbg_exit dbg_exit_of(enum pto_status status)
{
    switch (status) {
    case PTO_OK:
        return DBG_EXIT_DONE;
    case PTO_EPROGRAM:
        return DBG_EXIT_PROGRAM;
    case PTO_EDEADLOCK:
        return DBG_EXIT_DEADLOCK;
    case PTO_ELIMIT:
        return DBG_EXIT_LIMIT;
    case PTO_EMEMORY:
        return DBG_EXIT_MEMORY;
    case PTO_EINTERNAL:
        return DBG_EXIT_INTERNAL;
    default:
        return DBG_EXIT_USAGE;
    }
}

enum dbg_exit dbg_program_exit(const struct dbg *dbg)
{
    const struct pto_fault *fault = dbg->launch.vm ? pto_vm_fault(dbg->launch.vm) : NULL;

    if (!fault && dbg->concluded && findings_count(dbg) > 0)
        return DBG_EXIT_FINDINGS;
    return dbg_exit_of(fault ? fault->status : PTO_OK);
}

enum dbg_exit dbg_session(struct dbg *dbg)
{
    bool scripted = run_scripts(dbg);

    /* A person goes on after a script that failed; a batch does not. */
    if (!scripted && (dbg->options->batch || !dbg->terminal->interactive))
        dbg->failed = true;
    else if (!dbg->options->batch && (!dbg->options->tui || dbg_command(dbg, "tui")))
        run_terminal(dbg);
    else if (!dbg->options->batch)
        dbg->failed = true;
    if (!block_is_whole(dbg) && !dbg->terminal->interactive)
        dbg->failed = true;
    dbg_flush(dbg);
    if (dbg->cut_off)
        return dbg_expired(dbg) ? DBG_EXIT_LIMIT : DBG_EXIT_INTERRUPTED;
    if (dbg->lost != PTO_OK)
        return dbg_exit_of(dbg->lost);
    return dbg->failed ? DBG_EXIT_USAGE : dbg_program_exit(dbg);
}
