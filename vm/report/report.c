/* The JSON report, see summary.h. */
#include <string.h>

#include "cli/faults.h"
#include "cli/findings.h"
#include "cli/json.h"
#include "cli/setup.h"
#include "cli/tuned.h"
#include "cli/waits.h"
#include "cli/wires.h"
#include "core_name.h"
#include "report/critical.h"
#include "report/summary.h"
#include "version.h"

static void kernels(const struct cli_launch *launch, struct cli_json *json)
{
    cli_json_open(json, "kernels", '[');
    for (unsigned i = 0; i < launch->kernels; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "file", launch->kernel[i].file->path);
        cli_json_text(json, "kernel", cli_kernel_of(&launch->kernel[i])->name);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void pipes(const struct cli_launch *launch, const struct pto_rank_stats *stats,
                  struct cli_json *json)
{
    cli_json_open(json, "pipes", '[');
    for (int kind = 0; kind < PTO_CORE_KINDS; kind++)
        for (unsigned pipe = 0; pipe < PTO_QUEUE_COUNT && stats->cores[kind] > 0; pipe++) {
            const struct pto_pipe_stats *p = &stats->pipe[kind][pipe];
            bool shown = pipe == PTO_DMA ? p->instructions > 0
                                         : launch->profile.pipes[kind] >> pipe & 1;

            if (!shown)
                continue;
            cli_json_open(json, NULL, '{');
            cli_json_text(json, "core", pto_core_names[kind]);
            cli_json_text(json, "pipe", pto_queue_name(pipe));
            cli_json_uint(json, "busy_ps", p->busy_ps);
            cli_json_uint(json, "wait_ps", p->wait_ps);
            cli_json_uint(json, "instructions", p->instructions);
            cli_json_uint(json, "bytes", p->bytes);
            cli_json_close(json, '}');
        }
    cli_json_close(json, ']');
}

static void ranks(const struct cli_options *options, const struct cli_launch *launch,
                  struct cli_json *json)
{
    cli_json_open(json, "per_rank", '[');
    for (int rank = 0; rank < options->ranks; rank++) {
        struct pto_rank_stats stats;

        pto_vm_rank_stats(launch->vm, rank, &stats);
        cli_json_open(json, NULL, '{');
        cli_json_int(json, "rank", rank);
        cli_json_uint(json, "end_ps", stats.end_ps);
        cli_json_uint(json, "scalar_instructions", stats.scalar_instructions);
        cli_json_uint(json, "cube_macs", stats.cube_macs);
        cli_json_uint(json, "gm_bytes", stats.gm_bytes);
        for (int kind = 0; kind < PTO_CORE_KINDS; kind++)
            cli_json_uint(json, pto_core_names[kind], stats.cores[kind]);
        pipes(launch, &stats, json);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void links(const struct cli_options *options, const struct pto_vm *vm,
                  struct cli_json *json)
{
    cli_json_open(json, "links", '[');
    for (int from = 0; from < options->ranks; from++)
        for (int to = 0; to < options->ranks; to++) {
            uint64_t bytes = 0, messages = 0;

            if (from != to)
                pto_vm_link_stats(vm, from, to, &bytes, &messages);
            if (messages == 0)
                continue;
            cli_json_open(json, NULL, '{');
            cli_json_int(json, "from", from);
            cli_json_int(json, "to", to);
            cli_json_uint(json, "bytes", bytes);
            cli_json_uint(json, "messages", messages);
            cli_json_close(json, '}');
        }
    cli_json_close(json, ']');
}

static void expectation(const struct cli_comparison *result, struct cli_json *json)
{
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "object", result->name);
    cli_json_uint(json, "elements", result->elements);
    cli_json_uint(json, "mismatches", result->mismatches);
    cli_json_number(json, "max_abs_error", result->max_abs);
    cli_json_number(json, "max_rel_error", result->max_rel);
    if (result->mismatches > 0) {
        cli_json_open(json, "first", '{');
        cli_json_int(json, "rank", result->rank);
        cli_json_open(json, "index", '[');
        for (unsigned d = 0; d < result->dims; d++)
            cli_json_uint(json, NULL, result->index[d]);
        cli_json_close(json, ']');
        cli_json_text(json, "got", result->got);
        cli_json_text(json, "want", result->want);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
}

static void diagnostics(const struct pto_diags *diags, struct cli_json *json)
{
    static const char *const severity[] = {"note", "warning", "error"};

    cli_json_open(json, "diagnostics", '[');
    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "severity", severity[diag->severity]);
        cli_json_text(json, "file", diag->file);
        cli_json_uint(json, "line", diag->line);
        cli_json_uint(json, "column", diag->column);
        cli_json_text(json, "message", diag->message);
        cli_json_text(json, "hint", diag->hint);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void critical_path(const struct cli_launch *launch, struct cli_json *json)
{
    struct cli_critical critical;

    if (cli_critical_begin(&critical, launch))
        cli_critical_json(&critical, launch->vm, json);
    cli_critical_free(&critical);
}

/* What only a machine can tell. */
static void run(const struct cli_options *options, const struct cli_launch *launch,
                struct cli_json *json)
{
    const struct pto_fault *warning, *fault = pto_vm_fault(launch->vm);
    unsigned warnings = pto_vm_warnings(launch->vm, &warning);

    cli_json_uint(json, "time_ps", pto_vm_time(launch->vm));
    if (options->host_cost_ps)
        cli_json_uint(json, "host_ps", options->host_cost_ps * options->repeat);
    cli_json_uint(json, "tile_instructions", pto_vm_instructions(launch->vm));
    cli_json_uint(json, "pipe_events", pto_vm_events(launch->vm));
    ranks(options, launch, json);
    links(options, launch->vm, json);
    cli_changes_json(launch->vm, json);
    cli_regions_json(launch->regions, json);
    critical_path(launch, json);
    cli_json_open(json, "warnings", '[');
    for (unsigned i = 0; i < warnings; i++)
        cli_fault_json(&warning[i], NULL, json);
    cli_json_close(json, ']');
    if (fault)
        cli_fault_json(fault, "fault", json);
    if (fault && (fault->status == PTO_EDEADLOCK || fault->status == PTO_ELIMIT))
        cli_waits_json(launch->vm, json);
}

void cli_report_json(const struct cli_options *options, const struct cli_launch *launch,
                     const struct cli_expectations *expectations,
                     const struct cli_findings *findings, const struct pto_diags *diags,
                     const struct cli_outcome *outcome, struct pto_buf *out)
{
    struct cli_json json = {.out = out};
    int cores = options->cores > 0 ? options->cores : (int)launch->profile.cores;

    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "pto-report/1");
    cli_json_text(&json, "tool", "ptovm");
    cli_json_text(&json, "version", pto_version());
    cli_json_text(&json, "status", outcome->status);
    cli_json_int(&json, "exit_code", outcome->exit_code);
    if (outcome->partial)
        cli_json_bool(&json, "partial", true);
    kernels(launch, &json);
    cli_json_text(&json, "profile", launch->profile.name);
    cli_json_text(&json, "topology", options->topology ? options->topology : "mesh");
    cli_json_int(&json, "ranks", options->ranks);
    cli_json_int(&json, "cores", cores);
    cli_json_uint(&json, "repeat", options->repeat);
    cli_json_uint(&json, "jitter", options->jitter);
    cli_setup_json(options, launch, &json);
    if (options->tuned)
        cli_tuned_json(options->tuned, &json);
    cli_json_open(&json, "limits", '{');
    cli_json_uint(&json, "max_time_ps", options->max_time_ps);
    cli_json_uint(&json, "max_insns", options->max_insns);
    cli_json_uint(&json, "timeout_ps", options->limits.timeout_ps);
    if (options->limits.memory) /* the default differs from host to host */
        cli_json_uint(&json, "max_memory", options->limits.memory);
    cli_json_close(&json, '}');
    if (launch->vm)
        run(options, launch, &json);
    if (findings->check)
        cli_findings_json(findings, &json);
    cli_json_open(&json, "expectations", '[');
    for (unsigned i = 0; i < expectations->count; i++)
        if (expectations->item[i].result.elements > 0)
            expectation(&expectations->item[i].result, &json);
    cli_json_close(&json, ']');
    diagnostics(diags, &json);
    cli_json_close(&json, '}');
}
