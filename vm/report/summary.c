#include "report/summary.h"

#include <stdio.h>
#include <string.h>

#include "characters.h"
#include "cli/faults.h"
#include "cli/share.h"
#include "cli/wires.h"
#include "core_name.h"

enum {
    MATRIX_RANKS = 16, /* up to here the links are shown as a matrix, beyond that as a list */
    LIST_LINKS = 32,
    CHANGES_SHOWN = 16,
    MACS_OF_F16_STEP = 16 * 16 * 16 /* one fractal step of the cube */
};

/* Statistics of some ranks together. */
struct totals {
    struct pto_rank_stats stats; /* sums; end_ps is the latest */
};

static void add_rank(const struct pto_vm *vm, int rank, struct totals *totals)
{
    struct pto_rank_stats stats, *sum = &totals->stats;

    pto_vm_rank_stats(vm, rank, &stats);
    sum->end_ps = stats.end_ps > sum->end_ps ? stats.end_ps : sum->end_ps;
    sum->scalar_instructions += stats.scalar_instructions;
    sum->cube_macs += stats.cube_macs;
    sum->gm_bytes += stats.gm_bytes;
    for (int kind = 0; kind < PTO_CORE_KINDS; kind++) {
        sum->cores[kind] += stats.cores[kind];
        for (int queue = 0; queue < PTO_QUEUE_COUNT; queue++)
            pto_pipe_stats_add(&sum->pipe[kind][queue], &stats.pipe[kind][queue]);
    }
}

static bool pipe_exists(const struct cli_launch *launch, int kind, int pipe)
{
    return launch->profile.pipes[kind] >> pipe & 1;
}

static void busy_header(const char *title, struct pto_buf *out)
{
    pto_buf_printf(out, "%-14s", title);
    for (int pipe = 0; pipe < PTO_PIPE_COUNT; pipe++)
        pto_buf_printf(out, "%8s", pto_enum_keyword(PTO_ENUM_PIPE, pipe));
    pto_buf_printf(out, "\n");
}

static void busy_row(const struct cli_launch *launch, const struct totals *totals, int kind,
                     const char *label, struct pto_buf *out)
{
    uint64_t whole = pto_vm_time(launch->vm) * totals->stats.cores[kind];

    pto_buf_printf(out, "  %-12s", label);
    for (int pipe = 0; pipe < PTO_PIPE_COUNT; pipe++) {
        if (pipe_exists(launch, kind, pipe))
            cli_share_text(totals->stats.pipe[kind][pipe].busy_ps, whole, 8, out);
        else
            pto_buf_printf(out, "%8s", "");
    }
    while (out->size > 0 && out->data[out->size - 1] == ' ')
        out->size--;
    pto_buf_printf(out, "\n");
}

static void busy_table(const struct cli_launch *launch, const struct totals *totals, int ranks,
                       struct pto_buf *out)
{
    busy_header("busy share", out);
    for (int kind = 0; kind < PTO_CORE_KINDS; kind++) {
        char label[32];

        if (totals->stats.cores[kind] == 0)
            continue;
        snprintf(label, sizeof label, "%s x %u", pto_core_names[kind],
                 totals->stats.cores[kind] / (unsigned)ranks);
        busy_row(launch, totals, kind, label, out);
    }
}

static void rank_table(const struct cli_launch *launch, int ranks, struct pto_buf *out)
{
    busy_header("rank", out);
    for (int rank = 0; rank < ranks; rank++) {
        struct totals one = {0};
        char label[32], time[CLI_TIME_BYTES];

        add_rank(launch->vm, rank, &one);
        for (int kind = 0; kind < PTO_CORE_KINDS; kind++) {
            if (one.stats.cores[kind] == 0)
                continue;
            snprintf(label, sizeof label, "%d %s", rank, pto_core_names[kind]);
            busy_row(launch, &one, kind, label, out);
        }
        pto_buf_printf(out, "  %-12s  ended at %s, GM %llu bytes\n", "",
                       cli_time_text(one.stats.end_ps, time),
                       (unsigned long long)one.stats.gm_bytes);
    }
}

/* What the DMA engines did, if anything. */
static void copies_line(const struct totals *totals, struct pto_buf *out)
{
    struct pto_pipe_stats sum = {0};
    char time[CLI_TIME_BYTES];

    for (int kind = 0; kind < PTO_CORE_KINDS; kind++)
        pto_pipe_stats_add(&sum, &totals->stats.pipe[kind][PTO_DMA]);
    if (sum.instructions > 0)
        pto_buf_printf(out, "copies        %llu by DMA engines, %llu bytes, busy for %s in all\n",
                       (unsigned long long)sum.instructions, (unsigned long long)sum.bytes,
                       cli_time_text(sum.busy_ps, time));
}

static void cube_line(const struct cli_launch *launch, const struct totals *totals,
                      struct pto_buf *out)
{
    uint64_t steps = totals->stats.cube_macs / MACS_OF_F16_STEP, ideal;

    if (totals->stats.cube_macs == 0)
        return;
    ideal = pto_profile_ps(&launch->profile,
                           steps * launch->profile.cost[PTO_COST_CUBE].slope_millicycles);
    pto_buf_printf(out, "%-14s%llu multiply-adds, ", "cube",
                   (unsigned long long)totals->stats.cube_macs);
    cli_share_text(ideal, pto_vm_time(launch->vm) * totals->stats.cores[PTO_AIC], 1, out);
    pto_buf_printf(out, " of the f16 rate\n");
}

static void link_matrix(const struct cli_options *options, const struct pto_vm *vm,
                        struct pto_buf *out)
{
    const uint64_t end = pto_vm_time(vm);

    pto_buf_printf(out, "  %-10s", "from\\to");
    for (int to = 0; to < options->ranks; to++)
        pto_buf_printf(out, " %10d", to);
    pto_buf_printf(out, "\n");
    for (int from = 0; from < options->ranks; from++) {
        pto_buf_printf(out, "  %-10d", from);
        for (int to = 0; to < options->ranks; to++) {
            uint64_t bytes = 0, messages = 0;

            if (from != to)
                pto_vm_link_stats(vm, from, to, &bytes, &messages);
            if (messages > 0)
                pto_buf_printf(out, " %10llu", (unsigned long long)bytes);
            else
                pto_buf_printf(out, " %10s",
                               cli_is_down(vm, from, to, end) ? "down" : ".");
        }
        pto_buf_printf(out, "\n");
    }
}

static void link_list(const struct cli_options *options, const struct pto_vm *vm, unsigned used,
                      struct pto_buf *out)
{
    unsigned shown = 0;

    for (int from = 0; from < options->ranks; from++)
        for (int to = 0; to < options->ranks && shown < LIST_LINKS; to++) {
            uint64_t bytes = 0, messages = 0;

            if (from != to)
                pto_vm_link_stats(vm, from, to, &bytes, &messages);
            if (messages == 0)
                continue;
            pto_buf_printf(out, "  %4d -> %-4d %14llu bytes %10llu messages\n", from, to,
                           (unsigned long long)bytes, (unsigned long long)messages);
            shown++;
        }
    if (used > shown)
        pto_buf_printf(out, "  and %u more; --json has them all\n", used - shown);
}

static void links(const struct cli_options *options, const struct pto_vm *vm, struct pto_buf *out)
{
    uint64_t bytes = 0, messages = 0;
    unsigned used = 0;

    for (int from = 0; from < options->ranks; from++)
        for (int to = 0; to < options->ranks; to++) {
            uint64_t b = 0, m = 0;

            if (from != to)
                pto_vm_link_stats(vm, from, to, &b, &m);
            bytes += b;
            messages += m;
            used += m > 0;
        }
    if (options->ranks == 1)
        return;
    pto_buf_printf(out, "%-14s%u used, %llu bytes, %llu messages\n", "links", used,
                   (unsigned long long)bytes, (unsigned long long)messages);
    if (used > 0 && options->ranks <= MATRIX_RANKS)
        link_matrix(options, vm, out);
    else if (used > 0)
        link_list(options, vm, used, out);
}

/* What is not so all the time: a line of a topology's file may say that of thousands of links. */
static void changes(const struct pto_vm *vm, struct pto_buf *out)
{
    const uint64_t end = pto_vm_time(vm);
    struct pto_change change;
    unsigned timed = 0;

    for (unsigned i = 0; pto_vm_change(vm, i, &change); i++) {
        if (!cli_change_is_timed(&change) || ++timed > CHANGES_SHOWN)
            continue;
        pto_buf_printf(out, "%-14s", "change");
        cli_change_text(&change, out);
        pto_buf_printf(out, "%s\n", change.when.from_ps > end ? ", after the end" : "");
    }
    if (timed > CHANGES_SHOWN)
        pto_buf_printf(out, "%-14s%u more, which the JSON report has\n", "changes",
                       timed - CHANGES_SHOWN);
}

/* "run  vadd on a2, 8 ranks, 24 cores each" */
static void headline(const struct cli_options *options, const struct cli_launch *launch,
                     struct pto_buf *out)
{
    int cores = options->cores > 0 ? options->cores : (int)launch->profile.cores;

    pto_buf_printf(out, "%-14s", "run");
    for (unsigned i = 0; i < launch->kernels; i++)
        pto_buf_printf(out, "%s%s", i > 0 ? ", " : "", cli_kernel_of(&launch->kernel[i])->name);
    if (options->repeat > 1)
        pto_buf_printf(out, ", %u times", options->repeat);
    pto_buf_printf(out, " on %s, %d rank%s", launch->profile.name, options->ranks,
                   options->ranks == 1 ? "" : "s");
    if (options->topology) {
        pto_buf_printf(out, " (");
        pto_put_clean(out, options->topology, strlen(options->topology));
        pto_buf_byte(out, ')');
    }
    pto_buf_printf(out, ", %d core%s each\n", cores, cores == 1 ? "" : "s");
}

/* What the clock of a host would show that starts every repetition and waits for its end. */
static void host_line(const struct cli_options *options, const struct cli_launch *launch,
                      struct pto_buf *out)
{
    uint64_t cost = options->host_cost_ps * options->repeat;
    char part[CLI_TIME_BYTES], whole[CLI_TIME_BYTES];

    if (cost)
        pto_buf_printf(out, "%-14s%s for %u call%s: %s by its clock\n", "host",
                       cli_time_text(cost, part), options->repeat, options->repeat == 1 ? "" : "s",
                       cli_time_text(pto_vm_time(launch->vm) + cost, whole));
}

void cli_summary_text(const struct cli_options *options, const struct cli_launch *launch,
                      const struct cli_expectations *expectations, bool per_rank,
                      struct pto_buf *out)
{
    struct totals totals = {0};
    char time[CLI_TIME_BYTES];
    const struct pto_fault *warnings;
    unsigned remarks = pto_vm_warnings(launch->vm, &warnings);

    for (int rank = 0; rank < options->ranks; rank++)
        add_rank(launch->vm, rank, &totals);
    headline(options, launch, out);
    pto_buf_printf(out, "%-14s%s simulated%s\n", "time",
                   cli_time_text(pto_vm_time(launch->vm), time),
                   pto_vm_finished(launch->vm) && !pto_vm_fault(launch->vm)
                       ? ""
                       : ", when it stopped");
    host_line(options, launch, out);
    pto_buf_printf(out, "%-14s%llu scalar, %llu tile\n", "instructions",
                   (unsigned long long)totals.stats.scalar_instructions,
                   (unsigned long long)pto_vm_instructions(launch->vm));
    pto_buf_printf(out, "%-14s%llu bytes of global memory moved\n", "traffic",
                   (unsigned long long)totals.stats.gm_bytes);
    copies_line(&totals, out);
    cube_line(launch, &totals, out);
    busy_table(launch, &totals, options->ranks, out);
    if (per_rank)
        rank_table(launch, options->ranks, out);
    links(options, launch->vm, out);
    changes(launch->vm, out);
    cli_regions_text(launch->regions, out);
    if (remarks > 0)
        pto_buf_printf(out, "%-14s%u\n", "warnings", remarks);
    for (unsigned i = 0; i < expectations->count; i++)
        if (expectations->item[i].result.mismatches == 0)
            cli_comparison_text(&expectations->item[i].result, out);
}
