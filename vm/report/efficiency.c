#include "report/efficiency.h"

#include "cli/again.h"
#include "cli/share.h"
#include "cli/stop.h"

/* Next to nothing.  Windows of the scheduler are as long as a link's latency, and shorter ones than
 * this would only take the host longer. */
enum { IDEAL_LATENCY_PS = 1000, IDEAL_BYTES_PER_US = 1000000000 };

/* ---- the run on an instantaneous network ---- */

static void make_ideal(struct pto_profile *profile)
{
    if (profile->link_latency_ps > IDEAL_LATENCY_PS)
        profile->link_latency_ps = IDEAL_LATENCY_PS;
    profile->link_bytes_per_us = IDEAL_BYTES_PER_US;
    profile->egress_bytes_per_us = 0;
}

static struct cli_options on_ideal_network(const struct cli_options *options)
{
    struct cli_options ideal = cli_times_alone(options);

    ideal.topology = ideal.topology_path = NULL;
    ideal.links_down = ideal.slow_links = 0;
    return ideal;
}

static bool is_asked_for(const struct cli_launch *launch)
{
    return launch->critical && pto_vm_ranks(launch->vm) > 1 && pto_vm_finished(launch->vm) &&
           !pto_vm_fault(launch->vm);
}

bool cli_ideal_time(const struct cli_options *options, struct cli_launch *launch,
                    int *stopped_by)
{
    const struct cli_options ideal = on_ideal_network(options);
    const struct pto_profile real = launch->profile;
    struct pto_diags diags = {0};
    struct pto_vm *vm = NULL;
    enum pto_status status;

    if (!is_asked_for(launch))
        return true;
    make_ideal(&launch->profile);
    status = cli_make_again(&ideal, launch, &diags, &vm);
    launch->profile = real;
    if (status == PTO_OK)
        status = cli_run(vm, &options->limits, stopped_by);
    if (status == PTO_OK && !*stopped_by)
        launch->ideal_ps = pto_vm_time(vm);
    pto_vm_free(vm);
    pto_diags_free(&diags);
    return launch->ideal_ps > 0;
}

/* ---- what is told ---- */

struct useful {
    uint64_t sum, most;
};

static struct useful useful_of(const struct pto_critical_result *result)
{
    struct useful useful = {0};

    for (int rank = 0; rank < result->ranks; rank++) {
        uint64_t ps = result->useful_ps[rank];

        useful.sum += ps;
        useful.most = ps > useful.most ? ps : useful.most;
    }
    return useful;
}

static bool is_told(const struct pto_critical_result *result, const struct useful *useful)
{
    return result->ranks > 1 && useful->most > 0;
}

void cli_efficiency_text(const struct pto_critical_result *result, uint64_t ideal_ps,
                         struct pto_buf *out)
{
    const struct useful useful = useful_of(result);
    const uint64_t ranks = (uint64_t)result->ranks;

    if (!is_told(result, &useful))
        return;
    pto_buf_printf(out, "  %-12s", "efficiency");
    cli_share_text(useful.sum, result->time_ps * ranks, 8, out);
    pto_buf_printf(out, "  = load balance ");
    cli_share_text(useful.sum, useful.most * ranks, 1, out);
    if (ideal_ps) {
        pto_buf_printf(out, " x serialisation ");
        cli_share_text(useful.most, ideal_ps, 1, out);
        pto_buf_printf(out, " x transfer ");
        cli_share_text(ideal_ps, result->time_ps, 1, out);
    } else {
        pto_buf_printf(out, " x communication ");
        cli_share_text(useful.most, result->time_ps, 1, out);
    }
    pto_buf_printf(out, "\n");
}

void cli_efficiency_json(const struct pto_critical_result *result, uint64_t ideal_ps,
                         struct cli_json *json)
{
    const struct useful useful = useful_of(result);
    const double mean = (double)useful.sum / result->ranks, most = (double)useful.most;

    if (!is_told(result, &useful))
        return;
    cli_json_open(json, "efficiency", '{');
    cli_json_number(json, "parallel", mean / (double)result->time_ps);
    cli_json_number(json, "load_balance", mean / most);
    cli_json_number(json, "communication", most / (double)result->time_ps);
    if (ideal_ps) {
        cli_json_number(json, "serialisation", most / (double)ideal_ps);
        cli_json_number(json, "transfer", (double)ideal_ps / (double)result->time_ps);
        cli_json_uint(json, "ideal_ps", ideal_ps);
    }
    cli_json_open(json, "useful_ps", '[');
    for (int rank = 0; rank < result->ranks; rank++)
        cli_json_uint(json, NULL, result->useful_ps[rank]);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}
