#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/options_needs.h"
#include "cli/options_ranks.h"
#include "cli/options_trace.h"
#include "data/source.h"
#include "tool/installed.h"
#include "tool/number.h"

enum { REPEAT_LIMIT = 1000000, HOST_COST_LIMIT_S = 10, FIX_RUNS_LIMIT = 1000000, FIX_RUNS = 2000 };

static const uint64_t DEFAULT_TIMEOUT_PS = UINT64_C(1200) * 1000000000000; /* 20 minutes */
static const uint64_t DEFAULT_EVERY_PS = UINT64_C(600) * 1000000000000;

static const struct tool_option ROW[] = {
#define SECTION(title) {.section = title},
#define OPTION(id, letter, name, argument, users, help)                                            \
    {NULL, CLI_OPT_##id, letter, name, argument, users, help},
#include "cli/options.def"
#undef SECTION
#undef OPTION
};

static const struct tool_table TABLE = {ROW, sizeof ROW / sizeof *ROW};

/* ---- values of a form of their own ---- */

static void add_pair(const struct tool_value *v, struct cli_pairs *pairs)
{
    struct cli_options *o = v->context;
    struct cli_pair pair;

    if (!tool_pair(v, &o->arena, &pair.name, &pair.value))
        return;
    PTO_GROW(pairs->item, pairs->count, pairs->capacity);
    pairs->item[pairs->count++] = pair;
}

/* NAME=FILE, or an archive for all. */
static void add_output(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    if (strchr(v->text, '=') || !cli_source_is_npz(v->text))
        add_pair(v, &o->out);
    else if (o->out_archive)
        tool_complain(v, "all results are written to an archive already", "give one of them");
    else
        o->out_archive = pto_arena_strdup(&o->arena, v->text);
}

static double tolerance(const struct tool_value *v)
{
    double value;

    if (tool_parse_float(v->text, strlen(v->text), &value) && value >= 0)
        return value;
    tool_complain(v, "not a tolerance", "write a finite number of at least 0, for instance 1e-3");
    return 0;
}

static void add_script(const struct tool_value *v, bool is_file)
{
    struct cli_options *o = v->context;

    PTO_GROW(o->script, o->scripts, o->script_capacity);
    o->script[o->scripts++] = (struct cli_script){is_file, pto_arena_strdup(&o->arena, v->text)};
}

static void add_include(struct cli_options *o, const char *folder)
{
    PTO_GROW(o->include_dir, o->include_dirs, o->include_capacity);
    o->include_dir[o->include_dirs++] = pto_arena_strdup(&o->arena, folder);
}

/* Behind those that were named. */
static void add_installed_includes(struct cli_options *o)
{
    const char *folder = tool_installed_includes(&o->arena);

    if (folder)
        add_include(o, folder);
}

static void add_profile_set(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    PTO_GROW(o->profile_set, o->profile_sets, o->profile_set_capacity);
    o->profile_set[o->profile_sets++] = pto_arena_strdup(&o->arena, v->text);
}

/* The value, or NULL, in the arena. */
static const char *keep(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    return v->text ? pto_arena_strdup(&o->arena, v->text) : NULL;
}

/* ---- storing, by section of the table ---- */

static bool store_machine(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    switch (v->option->id) {
    case CLI_OPT_RANKS:
        o->ranks = (int)tool_int(v, 1, PTO_MAX_RANKS);
        return true;
    case CLI_OPT_PROFILE:
        o->profile = keep(v);
        return true;
    case CLI_OPT_PROFILE_SET:
        add_profile_set(v);
        return true;
    case CLI_OPT_CORES:
        o->cores = (int)tool_int(v, 1, INT16_MAX);
        return true;
    case CLI_OPT_TOPOLOGY:
        o->topology = keep(v);
        o->topology_path =
            !strncmp(o->topology, "file:", 5) && o->topology[5] ? o->topology + 5 : NULL;
        return true;
    case CLI_OPT_LINK_DOWN:
        cli_add_links(v, &o->arena, &o->link_down, &o->links_down, &o->link_capacity);
        return true;
    case CLI_OPT_SLOW_LINK:
        cli_add_slow_link(v, &o->arena, &o->slow_link, &o->slow_links, &o->slow_link_capacity);
        return true;
    case CLI_OPT_SLOW_RANK:
        cli_add_slow_rank(v, &o->arena, &o->slow_rank, &o->slow_ranks, &o->slow_capacity);
        return true;
    case CLI_OPT_DEAD_RANK:
        cli_add_dead_rank(v, &o->dead_rank, &o->dead_ranks, &o->dead_capacity);
        return true;
    case CLI_OPT_JITTER:
        o->jitter = (uint64_t)tool_int(v, 0, INT64_MAX);
        return true;
    default:
        return false;
    }
}

/* What a run may take, and where it goes on. */
static bool store_limits(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    switch (v->option->id) {
    case CLI_OPT_MAX_TIME:
        o->max_time_ps = tool_time(v, 0);
        return true;
    case CLI_OPT_MAX_INSNS:
        o->max_insns = (uint64_t)tool_int(v, 1, INT64_MAX);
        return true;
    case CLI_OPT_THREADS:
        o->threads = (int)tool_int(v, 1, PTO_MAX_THREADS);
        return true;
    case CLI_OPT_MAX_MEMORY:
        o->limits.memory = (uint64_t)tool_int(v, 1, INT64_MAX);
        return true;
    case CLI_OPT_TIMEOUT:
        o->limits.timeout_ps = tool_time(v, 0);
        return true;
    case CLI_OPT_DEAL:
        o->deal = keep(v);
        return true;
    case CLI_OPT_CHECKPOINT:
        o->checkpoint_path = keep(v);
        return true;
    case CLI_OPT_EVERY:
        o->every_ps = tool_time(v, 0);
        return true;
    case CLI_OPT_RESUME:
        o->resume_path = keep(v);
        return true;
    default:
        return false;
    }
}

static bool store_launch(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    switch (v->option->id) {
    case CLI_OPT_REPEAT:
        o->repeat = (uint32_t)tool_int(v, 1, REPEAT_LIMIT);
        return true;
    case CLI_OPT_JOIN:
        o->join = true;
        return true;
    case CLI_OPT_HOST_COST:
        o->host_cost_ps = tool_time(v, HOST_COST_LIMIT_S);
        return true;
    case CLI_OPT_TIMING_ONLY:
        o->timing_only = true;
        return true;
    case CLI_OPT_VIEWS:
        o->views_by_buffer = !strcmp(v->text, "buffer");
        if (!o->views_by_buffer && strcmp(v->text, "view") != 0)
            tool_complain(v, "unknown", "write view or buffer");
        return true;
    case CLI_OPT_SCHEDULE:
        o->schedule_path = keep(v);
        return true;
    case CLI_OPT_RUNS:
        o->explore_runs = (unsigned)tool_int(v, 1, REPEAT_LIMIT);
        return true;
    case CLI_OPT_TRY:
        add_pair(v, &o->try);
        return true;
    case CLI_OPT_BEST:
        o->best_path = keep(v);
        return true;
    case CLI_OPT_SAVE:
        o->save_prefix = keep(v);
        return true;
    case CLI_OPT_SET_COST:
        add_pair(v, &o->set_cost);
        return true;
    case CLI_OPT_WITHOUT_WAIT:
        PTO_GROW(o->without_wait, o->without_waits, o->without_capacity);
        o->without_wait[o->without_waits++] = keep(v);
        return true;
    default:
        return false;
    }
}

/* Data and source text. */
static bool store_data(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    switch (v->option->id) {
    case CLI_OPT_SET:
        add_pair(v, &o->set);
        return true;
    case CLI_OPT_IN:
        add_pair(v, &o->in);
        return true;
    case CLI_OPT_OUT:
        add_output(v);
        return true;
    case CLI_OPT_EXPECT:
        add_pair(v, &o->expect);
        return true;
    case CLI_OPT_RTOL:
        o->rtol = tolerance(v);
        return true;
    case CLI_OPT_ATOL:
        o->atol = tolerance(v);
        return true;
    case CLI_OPT_INCLUDE:
        add_include(o, v->text);
        return true;
    case CLI_OPT_DEFINE:
        add_pair(v, &o->define);
        return true;
    case CLI_OPT_FUNCTION:
        o->function = keep(v);
        return true;
    case CLI_OPT_SYNC:
        if (!pto_asm_sync_find(v->text, &o->sync))
            tool_complain(v, "unknown", "write asis, none, inorder or auto");
        return true;
    default:
        return false;
    }
}

/* All but the exit status and the graph turn the checker on. */
static bool store_check(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    switch (v->option->id) {
    case CLI_OPT_CHECK:
        break;
    case CLI_OPT_CHECK_KIND:
        o->check_kind = keep(v);
        break;
    case CLI_OPT_CHECK_KERNEL:
        o->check_kernel = keep(v);
        break;
    case CLI_OPT_CHECK_RANK:
        o->check_rank = (int)tool_int(v, 0, PTO_MAX_RANKS - 1);
        break;
    case CLI_OPT_CHECK_COVERAGE:
        o->check_coverage = true;
        break;
    case CLI_OPT_FLAG_KEY:
        o->share_flags = !strcmp(v->text, "set-pipe,id");
        if (!o->share_flags && strcmp(v->text, "set-pipe,wait-pipe,id"))
            tool_complain(v, "unknown", "write set-pipe,wait-pipe,id or set-pipe,id");
        break;
    case CLI_OPT_SUPPRESS:
        o->suppress_path = keep(v);
        break;
    case CLI_OPT_SARIF:
        o->sarif_path = keep(v);
        break;
    case CLI_OPT_WAIT_GRAPH:
        o->wait_graph_path = keep(v);
        return true;
    case CLI_OPT_FIX:
        o->fix = true;
        o->fix_in_place = v->text != NULL;
        if (v->text && strcmp(v->text, "in-place"))
            tool_complain(v, "not a way to fix", "--fix or --fix=in-place");
        break;
    case CLI_OPT_FIX_RUNS:
        o->fix_runs = (uint32_t)tool_int(v, 0, FIX_RUNS_LIMIT);
        break;
    case CLI_OPT_ERROR_EXITCODE:
        o->error_exitcode = (int)tool_int(v, 0, 255);
        return true;
    default:
        return false;
    }
    o->check = true;
    return true;
}

static bool store_debugger(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    switch (v->option->id) {
    case CLI_OPT_SCRIPT:
    case CLI_OPT_COMMAND:
        add_script(v, v->option->id == CLI_OPT_SCRIPT);
        return true;
    case CLI_OPT_BATCH:
        o->batch = true;
        return true;
    case CLI_OPT_LINES:
        o->json_lines = true;
        return true;
    case CLI_OPT_CORE:
    case CLI_OPT_OPEN_CORE:
        o->core_path = keep(v);
        return true;
    case CLI_OPT_TUI:
        o->tui = true;
        return true;
    case CLI_OPT_DAP:
        o->dap = true;
        return true;
    default:
        return false;
    }
}

static bool store_trace(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    return cli_trace_option(v, &o->trace, &o->arena);
}

static void store_report(const struct tool_value *v)
{
    struct cli_options *o = v->context;

    switch (v->option->id) {
    case CLI_OPT_JSON:
        o->json = true;
        if (v->text && strcmp(v->text, "-"))
            o->json_path = keep(v);
        break;
    case CLI_OPT_CRITICAL:
        o->critical_path = true;
        break;
    case CLI_OPT_REPORT:
        o->report_path = keep(v);
        o->critical_path = true;
        break;
    case CLI_OPT_STATE: /* that it is given says all */
        break;
    case CLI_OPT_RECORD:
        o->record_path = keep(v);
        break;
    case CLI_OPT_TRACE:
        o->trace_path = keep(v);
        break;
    case CLI_OPT_QUIET:
        o->quiet = true;
        break;
    case CLI_OPT_VERBOSE:
        o->verbose = true;
        break;
    case CLI_OPT_COLOR:
        tool_take_colour(v, &o->colour);
        break;
    case CLI_OPT_HELP:
        o->help = true;
        break;
    default:
        o->version = true;
    }
}

static void store(const struct tool_value *v)
{
    if (!store_machine(v) && !store_limits(v) && !store_launch(v) && !store_data(v) &&
        !store_check(v) && !store_debugger(v) && !store_trace(v))
        store_report(v);
}

/* ---- the whole line ---- */

enum pto_status cli_options_parse(struct cli_options *options, int argc, char **argv,
                                  unsigned users, struct pto_diags *diags)
{
    const struct tool_reader reader = {&TABLE, users, store, options, options->given};

    memset(options, 0, sizeof *options);
    options->ranks = 1;
    options->repeat = 1;
    options->explore_runs = 64;
    options->save_prefix = "explore";
    options->max_time_ps = PTO_DEFAULT_MAX_TIME_PS;
    options->max_insns = PTO_DEFAULT_MAX_INSNS;
    options->every_ps = DEFAULT_EVERY_PS;
    options->limits.timeout_ps = DEFAULT_TIMEOUT_PS;
    cli_trace_defaults(&options->trace);
    options->check_rank = -1;
    options->fix_runs = FIX_RUNS;
    options->error_exitcode = CLI_EXIT_FINDINGS;
    PTO_TRY(tool_options_read(&reader, argc, argv, &options->arena, &options->operand,
                              &options->operands, diags));
    add_installed_includes(options);
    return PTO_OK;
}

enum pto_status cli_options_check(const struct cli_options *options, enum cli_user user,
                                  const char *name, struct pto_diags *diags)
{
    const struct tool_user who = {user, name};

    PTO_TRY(tool_options_check(&TABLE, options->given, &who, NULL, 0, diags));
    return cli_options_needs(&TABLE, options->given, diags);
}

void cli_options_free(struct cli_options *options)
{
    free(options->link_down);
    free(options->slow_link);
    free(options->slow_rank);
    free(options->dead_rank);
    free(options->set.item);
    free(options->in.item);
    free(options->out.item);
    free(options->expect.item);
    free(options->define.item);
    free(options->try.item);
    free(options->include_dir);
    free(options->profile_set);
    free(options->set_cost.item);
    free(options->without_wait);
    free(options->script);
    pto_arena_free(&options->arena);
    *options = (struct cli_options){0};
}

void cli_options_help(unsigned users, struct pto_buf *out)
{
    tool_options_help(&TABLE, users, out);
}

struct cli_options cli_times_alone(const struct cli_options *options)
{
    struct cli_options alone = *options;

    alone.timing_only = true;
    alone.check = alone.critical_path = false;
    alone.out.count = alone.expect.count = alone.set_cost.count = 0;
    alone.without_waits = 0;
    alone.out_archive = NULL;
    return alone;
}
