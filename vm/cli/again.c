#include "cli/again.h"

#include "cli/stop.h"

enum {
    MOST_RUNS = 16,
    INSNS_FACTOR = 50, /* scalar instructions of a run, as a multiple of the first one's */
    LEAST_INSNS = 1 << 20
};

/* With these processes, or (NULL) alone. */
static enum pto_status make(const struct cli_options *options, const struct cli_processes *p,
                            struct cli_launch *launch, struct pto_diags *diags,
                            struct pto_vm **vm)
{
    const struct cli_machine_options silent = {
        .carrier = p ? cli_processes_carrier(p) : NULL,
        .beside = p ? p->beside : 0,
    };
    struct pto_vm *first = launch->vm;
    enum pto_status status;

    launch->vm = NULL;
    status = cli_launch(options, &silent, launch, diags);
    *vm = launch->vm;
    launch->vm = first;
    return status;
}

enum pto_status cli_make_again(const struct cli_options *options, struct cli_launch *launch,
                               struct pto_diags *diags, struct pto_vm **vm)
{
    return make(options, NULL, launch, diags, vm);
}

enum pto_status cli_findings_attach(const struct cli_options *options,
                                    const struct cli_launch *launch,
                                    struct cli_findings *findings)
{
    PTO_TRY(pto_check_attach(launch->vm, &findings->check));
    if (options->check_coverage)
        pto_check_watch_coverage(findings->check);
    if (options->share_flags)
        pto_check_share_flags(findings->check);
    return PTO_OK;
}

/* Run it under a checker that knows the doubts of findings->check, whose place it takes. */
static bool run_again(struct pto_vm *vm, const struct cli_options *options,
                      struct cli_processes *p, struct cli_findings *findings, int *stopped_by)
{
    struct pto_check *check;

    if (pto_check_attach_again(vm, findings->check, &check) != PTO_OK)
        return false;
    cli_run(vm, &options->limits, stopped_by);
    *stopped_by = cli_processes_stopped(p, *stopped_by);
    if (*stopped_by) {
        pto_check_free(check);
        return false;
    }
    pto_check_finish(check);
    pto_check_free(findings->check);
    pto_vm_free(findings->again);
    findings->check = check;
    findings->again = vm;
    return true;
}

enum pto_status cli_findings_settle(const struct cli_options *options, struct cli_processes *p,
                                    struct cli_launch *launch, struct cli_findings *findings,
                                    struct pto_diags *diags, int *stopped_by)
{
    *stopped_by = 0;
    for (int runs = 1; runs < MOST_RUNS && pto_check_doubtful(findings->check); runs++) {
        struct pto_vm *vm;
        enum pto_status status = make(options, p, launch, diags, &vm);

        status = cli_processes_worst(p, status, diags);
        if (status != PTO_OK || !run_again(vm, options, p, findings, stopped_by)) {
            pto_vm_free(vm);
            return status;
        }
    }
    return PTO_OK;
}

void cli_again_limit(struct cli_options *options, const struct pto_vm *vm)
{
    uint64_t insns = 0, most;

    for (int rank = 0; rank < options->ranks; rank++) {
        struct pto_rank_stats stats;

        pto_vm_rank_stats(vm, rank, &stats);
        insns += stats.scalar_instructions;
    }
    most = insns * INSNS_FACTOR + LEAST_INSNS;
    options->max_insns = most < options->max_insns ? most : options->max_insns;
}
