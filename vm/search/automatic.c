#include "search/automatic.h"

#include <string.h>

#include "cli/load.h"
#include "search/tune_memory.h"

/* The options of a search: what is asked for is tried, the rest is given. */
static struct cli_options apart(struct cli_options *options)
{
    struct cli_options search = cli_times_alone(options);
    const unsigned count = options->set.count;

    search.try = search.set = (struct cli_pairs){0};
    search.try.item = pto_arena_array(&options->arena, count, sizeof *search.try.item);
    search.set.item = pto_arena_array(&options->arena, count, sizeof *search.set.item);
    for (unsigned i = 0; i < count; i++) {
        struct cli_pair pair = options->set.item[i];
        const char *values = cli_tuned_values(&pair);

        if (values)
            search.try.item[search.try.count++] = (struct cli_pair){pair.name, values};
        else
            search.set.item[search.set.count++] = pair;
    }
    return search;
}

static void take_values(struct cli_options *options, const struct tune *tune,
                        const unsigned *choice, struct cli_tuned *tuned)
{
    struct pto_arena *arena = &options->arena;

    tuned->value = pto_arena_array(arena, tune->axes, sizeof *tuned->value);
    for (unsigned i = 0; i < tune->axes; i++) {
        long long value = (long long)tune->axis[i].value[choice[i]];

        tuned->value[tuned->values++] =
            (struct cli_pair){tune->axis[i].name, pto_arena_printf(arena, "%lld", value)};
    }
}

/* In the place of "auto" the value, where it belongs. */
static void apply(struct cli_options *options, const struct tune *tune, const unsigned *choice,
                  const struct cli_tuned *tuned)
{
    unsigned kept = 0, next = 0;

    for (unsigned i = 0; i < options->set.count; i++) {
        struct cli_pair pair = options->set.item[i];

        if (cli_tuned_values(&pair)) {
            const struct tune_axis *axis = &tune->axis[next];

            pair = tuned->value[next++];
            if (axis->kind == TUNE_CORES) {
                options->cores = (int)axis->value[choice[next - 1]];
                continue;
            }
            if (axis->kind == TUNE_CONSTANT) {
                PTO_GROW(options->define.item, options->define.count, options->define.capacity);
                options->define.item[options->define.count++] = pair;
                continue;
            }
        }
        options->set.item[kept++] = pair;
    }
    options->set.count = kept;
    options->tuned = tuned;
}

/* What was begun has one outcome, or is remembered, or is run. */
static enum exit_code settle(struct tune *tune, const struct cli_tune_progress *progress,
                             unsigned *choice, struct cli_tuned *tuned, struct pto_diags *diags)
{
    enum exit_code code;
    bool known = tune->combinations == 1;

    if (!known && tune_recall(tune, &tuned->found, choice, &known, diags) != PTO_OK)
        return EXIT_USAGE;
    if (known)
        return EXIT_DONE;
    code = cli_tune(tune, progress, diags);
    if (code != EXIT_DONE)
        return code;
    memcpy(choice, tune->trial[tune->rank[0]].choice, tune->axes * sizeof *choice);
    tuned->found = tune->found;
    tune_remember(tune, diags);
    return EXIT_DONE;
}

enum exit_code cli_tuned_find(struct cli_options *options, unsigned first,
                              const struct cli_tune_progress *progress, struct cli_tuned *tuned,
                              struct pto_diags *diags, int *stopped_by)
{
    struct cli_options search = apart(options);
    struct cli_launch launch = {0};
    struct tune tune = {0};
    enum exit_code code = cli_exit_of(cli_load(&search, first, false, &launch, diags));

    if (code == EXIT_DONE && !cli_tune_begin(&search, "set", first, &launch, diags, &tune))
        code = EXIT_USAGE;
    if (code == EXIT_DONE) {
        unsigned *choice = pto_arena_array(&options->arena, tune.axes, sizeof *choice);

        code = settle(&tune, progress, choice, tuned, diags);
        *stopped_by = tune.stopped_by;
        if (code == EXIT_DONE) {
            take_values(options, &tune, choice, tuned);
            apply(options, &tune, choice, tuned);
        }
    }
    cli_tune_free(&tune);
    cli_launch_free(&launch);
    return code;
}
