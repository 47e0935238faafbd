#include "search/tune.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "cli/names.h"
#include "cli/stop.h"
#include "data/host.h"

enum { CONSTANTS_TRIED = 4 };

/* ---- one run ---- */

static struct cli_pair *room_behind(struct tune *tune, struct cli_pairs *pairs)
{
    struct cli_pair *pair =
        pto_arena_array(&tune->arena, pairs->count + tune->axes + 1, sizeof *pair);

    if (pairs->count)
        memcpy(pair, pairs->item, pairs->count * sizeof *pair);
    pairs->item = pair;
    return pair;
}

/* The options as given, and what a combination sets beside them. */
static struct cli_options choose(struct tune *tune, const unsigned *choice)
{
    struct cli_options options = tune->options;
    struct cli_pair *set = room_behind(tune, &options.set);
    struct cli_pair *define = room_behind(tune, &options.define);

    for (unsigned i = 0; choice && i < tune->axes; i++) {
        const struct tune_axis *axis = &tune->axis[i];
        int64_t value = axis->value[choice[i]];
        struct cli_pair pair = {axis->name,
                                pto_arena_printf(&tune->arena, "%lld", (long long)value)};

        if (axis->kind == TUNE_CORES)
            options.cores = (int)value;
        else if (axis->kind == TUNE_CONSTANT)
            define[options.define.count++] = pair;
        else
            set[options.set.count++] = pair;
    }
    return options;
}

static const char *why_not(struct tune *tune, struct pto_vm *vm, const struct pto_diags *diags)
{
    const struct pto_fault *fault = vm ? pto_vm_fault(vm) : NULL;

    if (fault && fault->message)
        return pto_arena_strdup(&tune->arena, fault->message);
    return pto_arena_strdup(&tune->arena, diags->first ? diags->first->message : "it was stopped");
}

/* Run what is loaded; `cause_ps`: what its critical path is made of, NULL: nobody asks. */
static enum pto_status run_loaded(struct tune *tune, struct cli_options *options,
                                  struct cli_launch *launch, struct tune_trial *trial,
                                  uint64_t *cause_ps, struct pto_diags *diags)
{
    const struct cli_machine_options silent = {0};
    struct pto_critical *path = NULL;
    enum pto_status status = cli_launch(options, &silent, launch, diags);

    options->limits.timeout_ps = cli_host_time_left(tune->end);
    if (status == PTO_OK && cause_ps)
        status = pto_critical_start(launch->vm, &path);
    if (status == PTO_OK)
        status = cli_run(launch->vm, &options->limits, &tune->stopped_by);
    if (status == PTO_OK && !tune->stopped_by) {
        const struct pto_critical_result *result = path ? pto_critical_finish(path) : NULL;

        trial->time_ps = pto_vm_time(launch->vm);
        if (result)
            memcpy(cause_ps, result->cause_ps, sizeof result->cause_ps);
    } else {
        trial->refusal = why_not(tune, launch->vm, diags);
    }
    pto_critical_free(path);
    pto_vm_free(launch->vm);
    launch->vm = NULL;
    return status;
}

/* Run a combination, of constants with texts that are assembled for it. */
static struct tune_trial run(struct tune *tune, unsigned *choice, uint64_t *cause_ps)
{
    struct cli_options options = choose(tune, choice);
    struct pto_diags diags = {.max_errors = 1};
    struct tune_trial trial = {.choice = choice};
    struct cli_launch loaded = {0};
    bool again = options.define.count > tune->options.define.count;
    enum pto_status status = PTO_OK;

    if (again)
        status = cli_load(&options, tune->first, false, &loaded, &diags);
    if (status == PTO_OK)
        status = run_loaded(tune, &options, again ? &loaded : tune->launch, &trial, cause_ps,
                            &diags);
    else
        trial.refusal = why_not(tune, NULL, &diags);
    if (!trial.time_ps)
        tune->last_refusal = cli_exit_of(status);
    cli_launch_free(&loaded);
    pto_diags_free(&diags);
    return trial;
}

/* ---- the search ---- */

/* Between two runs the time ends a search as it does within one. */
static bool is_over(struct tune *tune)
{
    if (!tune->stopped_by && cli_host_time_left(tune->end) <= 1)
        tune->stopped_by = SIGALRM;
    return tune->stopped_by || tune->trials > tune->options.explore_runs;
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

static bool is_param(const struct tune *tune, const char *name)
{
    struct pto_diags ignored = {0};
    bool found = cli_find_param(tune->launch, tune->option, name, &ignored) != NULL;

    pto_diags_free(&ignored);
    return found;
}

static bool is_in(const struct cli_pairs *pairs, const char *name)
{
    for (unsigned i = 0; i < pairs->count; i++)
        if (!strcmp(pairs->item[i].name, name))
            return true;
    return false;
}

/* Whether a text that is assembled with this value, whatever comes of it, has `.define name`. */
static bool uses_constant(struct tune *tune, const char *name, int64_t value)
{
    struct cli_options options = tune->options;
    struct cli_pair *define = room_behind(tune, &options.define);
    struct pto_diags ignored = {.max_errors = 1};
    struct cli_launch loaded = {0};
    bool found;

    define[options.define.count++] = (struct cli_pair){
        name, pto_arena_printf(&tune->arena, "%lld", (long long)value)};
    cli_load(&options, tune->first, false, &loaded, &ignored);
    found = loaded.define_used && loaded.define_used[options.define.count - 1];
    cli_launch_free(&loaded);
    pto_diags_free(&ignored);
    return found;
}

/* With a value that it cannot be assembled for, a text may not come to it. */
static bool is_constant(struct tune *tune, const struct tune_axis *axis)
{
    for (unsigned i = 0; i < axis->values && i < CONSTANTS_TRIED; i++)
        if (uses_constant(tune, axis->name, axis->value[i]))
            return true;
    return false;
}

static bool all_possible(const struct tune *tune, const struct tune_axis *cores,
                         struct pto_diags *diags)
{
    for (unsigned i = 0; i < cores->values; i++)
        if (cores->value[i] < 1 || cores->value[i] > INT16_MAX) {
            pto_diag_hint(diags,
                          pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                       "--%s cores: %lld cores are not possible", tune->option,
                                       (long long)cores->value[i]),
                          "try numbers from 1 to those of the profile");
            return false;
        }
    return true;
}

/* A parameter comes before the option --cores, both before a constant. */
static bool check_axis(struct tune *tune, struct tune_axis *axis, struct pto_diags *diags)
{
    const char *given = is_in(&tune->options.set, axis->name) ? "--set" : NULL;

    if (!is_param(tune, axis->name)) {
        if (!strcmp(axis->name, "cores")) {
            axis->kind = TUNE_CORES;
            given = tune->options.cores ? "--cores" : NULL;
        } else if (is_in(&tune->options.define, axis->name)) {
            given = "-D";
        } else if (is_constant(tune, axis)) {
            axis->kind = TUNE_CONSTANT;
        } else {
            return cli_find_param(tune->launch, tune->option, axis->name, diags) != NULL;
        }
    }
    if (given)
        pto_diag_hint(diags,
                      pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                   "'%s' is given with %s and is to be tried", axis->name, given),
                      "leave one of them out");
    return !given && (axis->kind != TUNE_CORES || all_possible(tune, axis, diags));
}

static void add_axis(struct tune *tune, const struct tune_axis *axis)
{
    tune->axis[tune->axes++] = *axis;
    if (tune->combinations < UINT32_MAX)
        tune->combinations *= axis->values;
}

/* A quarter, half, three quarters and all of the cores. */
static struct tune_axis known_cores(struct tune *tune)
{
    struct tune_axis cores = {"cores", "", pto_arena_array(&tune->arena, 4, sizeof *cores.value),
                              0, TUNE_CORES};
    int64_t all = tune->launch->profile.cores;

    for (int64_t part = 4; part >= 1; part--)
        if (all * part / 4 && (part == 4 || all * part / 4 < all * (part + 1) / 4))
            cores.value[cores.values++] = all * part / 4;
    return cores;
}

/* What is tried of something that is named without values. */
static bool find_values(struct tune *tune, const struct cli_pair *pair, struct tune_axis *axis,
                        struct pto_diags *diags)
{
    const struct cli_pair *known;

    if (!strcmp(pair->name, "cores") && !is_param(tune, pair->name)) {
        *axis = known_cores(tune);
        return true;
    }
    for (unsigned i = 0; (known = tune_known(i)); i++)
        if (!strcmp(known->name, pair->name)) {
            bool good = tune_axis_read(known, tune->option, &tune->arena, axis, diags);

            axis->named = "";
            return good;
        }
    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                               "--%s %s=auto: which values there are to try is not known",
                               tune->option, pair->name),
                  "name them, for instance %s=auto:1..8 or %s=auto:16..256*2", pair->name,
                  pair->name);
    return false;
}

/* Without --try: what these kernels have of what kernels have in common, and the cores. */
static bool find_axes(struct tune *tune, struct pto_diags *diags)
{
    const struct cli_pair *known;
    unsigned most = 1;

    while (tune_known(most - 1))
        most++;
    tune->axis = pto_arena_array(&tune->arena, most, sizeof *tune->axis);
    for (unsigned i = 0; (known = tune_known(i)); i++) {
        struct pto_diags ignored = {.max_errors = 1};
        struct tune_axis axis;

        if (find_values(tune, known, &axis, &ignored) && check_axis(tune, &axis, &ignored))
            add_axis(tune, &axis);
        pto_diags_free(&ignored);
    }
    if (!tune->options.cores && !is_param(tune, "cores")) {
        struct tune_axis cores = known_cores(tune);

        add_axis(tune, &cores);
    }
    if (!tune->axes)
        pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "nothing to try"),
                      "give parameters and values, as in --try interval=1..8");
    return tune->axes > 0;
}

static bool read_axes(struct tune *tune, struct pto_diags *diags)
{
    const struct cli_pairs *try = &tune->options.try;

    tune->combinations = 1;
    if (cli_pairs_check(try, tune->option, diags) != PTO_OK)
        return false;
    if (!try->count)
        return find_axes(tune, diags);
    tune->axis = pto_arena_array(&tune->arena, try->count, sizeof *tune->axis);
    for (unsigned i = 0; i < try->count; i++) {
        const struct cli_pair *pair = &try->item[i];
        struct tune_axis axis;

        if (!(*pair->value ? tune_axis_read(pair, tune->option, &tune->arena, &axis, diags)
                           : find_values(tune, pair, &axis, diags)) ||
            !check_axis(tune, &axis, diags))
            return false;
        add_axis(tune, &axis);
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

static void sum_up(struct tune *tune)
{
    tune->found.runs = tune->trials - 1;
    tune->found.combinations = tune->combinations;
    tune->found.given_ps = tune->trial[0].time_ps;
    if (tune->ranked && !tune->stopped_by) {
        tune->found.time_ps = tune->trial[tune->rank[0]].time_ps;
        run(tune, tune->trial[tune->rank[0]].choice, tune->found.best_cause_ps);
    }
    tune->complete = !tune->stopped_by;
}

bool cli_tune_begin(const struct cli_options *options, const char *option, unsigned first,
                    struct cli_launch *launch, struct pto_diags *diags, struct tune *tune)
{
    *tune = (struct tune){.options = *options, .option = option, .first = first, .launch = launch};
    tune->options.timing_only = true;
    return read_axes(tune, diags);
}

enum exit_code cli_tune(struct tune *tune, const struct cli_tune_progress *progress,
                        struct pto_diags *diags)
{
    const struct cli_options *options = &tune->options;
    unsigned *choice = pto_arena_array(&tune->arena, tune->axes, sizeof *choice);
    int asked;

    tune->end = cli_host_seconds() + 1e-12 * (double)options->limits.timeout_ps;
    PTO_GROW(tune->trial, tune->trials, tune->capacity);
    tune->trial[tune->trials++] = run(tune, NULL, tune->found.given_cause_ps);
    tune->by_axis = tune->combinations > options->explore_runs;
    (tune->by_axis ? try_by_axis : try_all)(tune, choice, progress);
    rank_trials(tune);
    sum_up(tune);
    asked = cli_series_asked();
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
