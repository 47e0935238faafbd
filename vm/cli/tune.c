#include "cli/tune.h"

#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "cli/host.h"
#include "cli/names.h"
#include "cli/stop.h"

/* ---- one run ---- */

/* The options as given, and what a combination sets beside them. */
static struct cli_options choose(struct tune *tune, const unsigned *choice)
{
    struct cli_options options = tune->options;
    struct cli_pair *pair =
        pto_arena_array(&tune->arena, options.set.count + tune->axes + 1, sizeof *pair);

    if (options.set.count)
        memcpy(pair, options.set.item, options.set.count * sizeof *pair);
    options.set.item = pair;
    for (unsigned i = 0; choice && i < tune->axes; i++) {
        const struct tune_axis *axis = &tune->axis[i];
        int64_t value = axis->value[choice[i]];

        if (axis->is_cores)
            options.cores = (int)value;
        else
            pair[options.set.count++] = (struct cli_pair){
                axis->name, pto_arena_printf(&tune->arena, "%lld", (long long)value)};
    }
    return options;
}

static const char *why_not(struct tune *tune, const struct pto_diags *diags)
{
    const struct pto_fault *fault = tune->launch->vm ? pto_vm_fault(tune->launch->vm) : NULL;

    if (fault && fault->message)
        return pto_arena_strdup(&tune->arena, fault->message);
    return pto_arena_strdup(&tune->arena, diags->first ? diags->first->message : "it was stopped");
}

/* Run a combination; `cause_ps`: what its critical path is made of, NULL: nobody asks. */
static struct tune_trial run(struct tune *tune, unsigned *choice, uint64_t *cause_ps)
{
    const struct cli_machine_options silent = {0};
    struct cli_options options = choose(tune, choice);
    struct pto_diags diags = {.max_errors = 1};
    struct tune_trial trial = {.choice = choice};
    struct pto_critical *path = NULL;
    enum pto_status status = cli_launch(&options, &silent, tune->launch, &diags);

    options.limits.timeout_ps = cli_host_time_left(tune->end);
    if (status == PTO_OK && cause_ps)
        status = pto_critical_start(tune->launch->vm, &path);
    if (status == PTO_OK)
        status = cli_run(tune->launch->vm, &options.limits, &tune->stopped_by);
    if (status == PTO_OK && !tune->stopped_by) {
        const struct pto_critical_result *result = path ? pto_critical_finish(path) : NULL;

        trial.time_ps = pto_vm_time(tune->launch->vm);
        if (result)
            memcpy(cause_ps, result->cause_ps, sizeof result->cause_ps);
    } else {
        trial.refusal = why_not(tune, &diags);
        tune->last_refusal = cli_exit_of(status);
    }
    pto_critical_free(path);
    pto_vm_free(tune->launch->vm);
    tune->launch->vm = NULL;
    pto_diags_free(&diags);
    return trial;
}

/* ---- the search ---- */

static bool is_over(const struct tune *tune)
{
    return tune->stopped_by || tune->trials > tune->options.explore_runs ||
           cli_host_time_left(tune->end) <= 1;
}

/* The trial of a combination, run unless it has been; NULL: no run is left. */
static const struct tune_trial *try(struct tune *tune, const unsigned *choice,
                                    const struct cli_tune_progress *progress)
{
    size_t size = tune->axes * sizeof *choice;
    unsigned *copy;
    struct tune_trial trial;

    for (unsigned i = 1; i < tune->trials; i++)
        if (!memcmp(tune->trial[i].choice, choice, size))
            return &tune->trial[i];
    if (is_over(tune))
        return NULL;
    copy = pto_arena_array(&tune->arena, tune->axes, sizeof *copy);
    memcpy(copy, choice, size);
    trial = run(tune, copy, NULL);
    if (tune->stopped_by)
        return NULL;
    PTO_GROW(tune->trial, tune->trials, tune->capacity);
    tune->trial[tune->trials] = trial;
    if (progress->tell)
        progress->tell(progress->context, tune->trials, tune->options.explore_runs);
    return &tune->trial[tune->trials++];
}

static void try_all(struct tune *tune, unsigned *choice, const struct cli_tune_progress *progress)
{
    for (uint64_t number = 0; number < tune->combinations; number++) {
        uint64_t rest = number;

        for (unsigned i = tune->axes; i-- > 0; rest /= tune->axis[i].values)
            choice[i] = (unsigned)(rest % tune->axis[i].values);
        if (!try(tune, choice, progress))
            return;
    }
}

/* The best of one axis, the others as they are; returns whether it is another one than before. */
static bool improve(struct tune *tune, unsigned *choice, unsigned axis, uint64_t *best,
                    const struct cli_tune_progress *progress)
{
    unsigned before = choice[axis], chosen = before;

    for (unsigned value = 0; value < tune->axis[axis].values; value++) {
        const struct tune_trial *trial;

        choice[axis] = value;
        trial = try(tune, choice, progress);
        if (!trial)
            break;
        if (trial->time_ps && (!*best || trial->time_ps < *best)) {
            *best = trial->time_ps;
            chosen = value;
        }
    }
    choice[axis] = chosen;
    return chosen != before;
}

/* One parameter at a time, until none of them can be bettered. */
static void try_by_axis(struct tune *tune, unsigned *choice,
                        const struct cli_tune_progress *progress)
{
    uint64_t best = 0;
    bool better = true;

    while (better && !is_over(tune)) {
        better = false;
        for (unsigned axis = 0; axis < tune->axes; axis++)
            better |= improve(tune, choice, axis, &best, progress);
    }
}

/* A parameter of that name comes before the option. */
static bool names_cores(const struct tune *tune, const char *name)
{
    struct pto_diags ignored = {0};
    bool is_param;

    if (strcmp(name, "cores") != 0)
        return false;
    is_param = cli_find_param(tune->launch, "try", name, &ignored) != NULL;
    pto_diags_free(&ignored);
    return !is_param;
}

static bool is_set(const struct cli_options *options, const char *name)
{
    for (unsigned i = 0; i < options->set.count; i++)
        if (!strcmp(options->set.item[i].name, name))
            return true;
    return false;
}

static bool all_possible(const struct tune_axis *cores, struct pto_diags *diags)
{
    for (unsigned i = 0; i < cores->values; i++)
        if (cores->value[i] < 1 || cores->value[i] > INT16_MAX) {
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--try cores: %lld cores are not possible",
                         (long long)cores->value[i]);
            return false;
        }
    return true;
}

static bool read_axes(struct tune *tune, const struct cli_options *options,
                      struct pto_diags *diags)
{
    if (cli_pairs_check(&options->try, "try", diags) != PTO_OK)
        return false;
    if (!options->try.count) {
        pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "nothing to try"),
                      "give parameters and values, as in --try interval=1..8");
        return false;
    }
    tune->axis = pto_arena_array(&tune->arena, options->try.count, sizeof *tune->axis);
    tune->combinations = 1;
    for (; tune->axes < options->try.count; tune->axes++) {
        struct tune_axis *axis = &tune->axis[tune->axes];

        if (!tune_axis_read(&options->try.item[tune->axes], &tune->arena, axis, diags))
            return false;
        axis->is_cores = names_cores(tune, axis->name);
        if (axis->is_cores && !all_possible(axis, diags))
            return false;
        if (!axis->is_cores && !cli_find_param(tune->launch, "try", axis->name, diags))
            return false;
        if (is_set(options, axis->name)) {
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "'%s' is given with --set and with --try",
                         axis->name);
            return false;
        }
        if (tune->combinations < UINT32_MAX)
            tune->combinations *= axis->values;
    }
    return true;
}

/* ---- the outcome ---- */

/* Those that ran, by time; equal ones as they were run. */
static void rank_trials(struct tune *tune)
{
    tune->rank = pto_arena_array(&tune->arena, tune->trials, sizeof *tune->rank);
    for (unsigned i = 1; i < tune->trials; i++) {
        unsigned at = tune->ranked;

        if (!tune->trial[i].time_ps)
            continue;
        for (; at && tune->trial[tune->rank[at - 1]].time_ps > tune->trial[i].time_ps; at--)
            tune->rank[at] = tune->rank[at - 1];
        tune->rank[at] = i;
        tune->ranked++;
    }
}

enum exit_code cli_tune(const struct cli_options *options, struct cli_launch *launch,
                        const struct cli_tune_progress *progress, struct pto_diags *diags,
                        struct tune *tune)
{
    unsigned *choice;
    int asked;

    *tune = (struct tune){.options = *options, .launch = launch};
    tune->options.timing_only = true;
    tune->end = cli_host_seconds() + 1e-12 * (double)options->limits.timeout_ps;
    if (!read_axes(tune, options, diags))
        return EXIT_USAGE;
    cli_series_begin();
    PTO_GROW(tune->trial, tune->trials, tune->capacity);
    tune->trial[tune->trials++] = run(tune, NULL, tune->given_ps);
    tune->by_axis = tune->combinations > options->explore_runs;
    choice = pto_arena_array(&tune->arena, tune->axes, sizeof *choice);
    (tune->by_axis ? try_by_axis : try_all)(tune, choice, progress);
    rank_trials(tune);
    if (tune->ranked && !tune->stopped_by)
        run(tune, tune->trial[tune->rank[0]].choice, tune->best_ps);
    asked = cli_series_end();
    tune->stopped_by = asked ? asked : tune->stopped_by;
    if (tune->stopped_by)
        return cli_exit_stopped(tune->stopped_by);
    if (!tune->ranked)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "no combination can be run: %s",
                     tune->trial[tune->trials - 1].refusal);
    return tune->ranked ? EXIT_DONE : tune->last_refusal;
}

void cli_tune_free(struct tune *tune)
{
    free(tune->trial);
    pto_arena_free(&tune->arena);
}
