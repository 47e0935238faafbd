/* From verified programs to a prepared machine, see launch.h. */
#include "cli/launch.h"

#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "cli/names.h"
#include "cli/schedule.h"
#include "data/hash.h"
#include "data/host.h"
#include "file.h"
#include "tool/number.h"

/* ---- parameters --------------------------------------------------------------------------- */

static enum pto_status complain_value(const struct cli_pair *pair, const char *what,
                                      const char *hint, struct pto_diags *diags)
{
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--set %s=%s: %s",
                                         pair->name, pair->value, what);

    pto_diag_hint(diags, diag, "%s", hint);
    return PTO_ECONFIG;
}

/* One value per rank from an array. */
static enum pto_status set_values(struct cli_launch *launch, const struct cli_pair *pair,
                                  const struct pto_param *param, const struct cli_array *array,
                                  struct pto_diags *diags)
{
    enum pto_dtype dtype = (enum pto_dtype)array->dtype;
    int ranks = pto_vm_ranks(launch->vm);

    if (array->count != (uint64_t)ranks)
        return complain_value(pair, "the file does not hold one value per rank",
                              "give as many values as --ranks says", diags);
    if (!param->is_float && pto_dtype_is_float(dtype))
        return complain_value(pair, "the file holds floating-point numbers",
                              "the parameter is i64: give integers", diags);
    launch->values_sum = cli_hash(launch->values_sum + CLI_HASH_OF_NOTHING, array->data,
                                  (size_t)ranks * pto_dtype_size(dtype));
    for (int rank = 0; rank < ranks; rank++) {
        const uint8_t *element = array->data + (size_t)rank * pto_dtype_size(dtype);

        if (param->is_float)
            PTO_TRY(pto_vm_set_float(launch->vm, rank, pair->name, pto_load_f64(element, dtype),
                                     diags));
        else
            PTO_TRY(pto_vm_set_int(launch->vm, rank, pair->name, pto_load_int(element, dtype),
                                   diags));
    }
    return PTO_OK;
}

static enum pto_status set_from_file(struct cli_launch *launch, const struct cli_pair *pair,
                                     const struct pto_param *param, struct pto_diags *diags)
{
    struct cli_source source;
    struct cli_array array;
    enum pto_status status;

    PTO_TRY(cli_source_parse("set", pair->name, pair->value + 1, &launch->arena, &source, diags));
    if (source.generated)
        return complain_value(pair, "a generator is no file", "write @FILE", diags);
    status = cli_source_load(&source, 0, param->is_float ? PTO_F32 : PTO_I64, launch->most_memory,
                             &array, diags);
    if (status == PTO_OK)
        status = set_values(launch, pair, param, &array, diags);
    free(array.owner);
    return status;
}

static enum pto_status set_param(struct cli_launch *launch, const struct cli_pair *pair,
                                 struct pto_diags *diags)
{
    size_t length = strlen(pair->value);
    int64_t integer;
    double number;
    const struct pto_param *param = cli_find_param(launch, "set", pair->name, diags);
    bool is_int;

    if (!param)
        return PTO_ECONFIG;
    if (pair->value[0] == '@')
        return set_from_file(launch, pair, param, diags);
    is_int = tool_parse_int(pair->value, length, &integer);
    if (!param->is_float) {
        if (!is_int)
            return complain_value(pair, "not an integer",
                                  "write for instance 1000, 4K or 0x10, below 2^63", diags);
        return pto_vm_set_int(launch->vm, PTO_ALL_RANKS, pair->name, integer, diags);
    }
    if (is_int)
        number = (double)integer;
    else if (!tool_parse_float(pair->value, length, &number))
        return complain_value(pair, "not a finite number", "write for instance 0.5 or 1e-3",
                              diags);
    return pto_vm_set_float(launch->vm, PTO_ALL_RANKS, pair->name, number, diags);
}

/* The values that a host program gives. */
static enum pto_status set_given(const struct cli_options *options, struct cli_launch *launch,
                                 struct pto_diags *diags)
{
    for (unsigned i = 0; options->host && i < options->host->values; i++) {
        const struct cli_given_value *value = &options->host->value[i];
        const struct pto_param *param = cli_find_param(launch, "set", value->name, diags);

        if (!param || !cli_pairs_leave(&options->set, "set", value->name, diags))
            return PTO_ECONFIG;
        if (!param->is_float && value->is_float) {
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "parameter '%s' is an integer, %g is not",
                         value->name, value->number);
            return PTO_ECONFIG;
        }
        if (param->is_float)
            PTO_TRY(pto_vm_set_float(launch->vm, value->rank, value->name,
                                     value->is_float ? value->number : (double)value->integer,
                                     diags));
        else
            PTO_TRY(pto_vm_set_int(launch->vm, value->rank, value->name, value->integer, diags));
    }
    return PTO_OK;
}

static enum pto_status set_params(const struct cli_options *options, struct cli_launch *launch,
                                  struct pto_diags *diags)
{
    enum pto_status result = cli_pairs_check(&options->set, "set", diags);
    enum pto_status given = set_given(options, launch, diags);

    result = result == PTO_OK ? given : result;
    for (unsigned i = 0; i < options->set.count; i++) {
        enum pto_status status = set_param(launch, &options->set.item[i], diags);

        if (result == PTO_OK)
            result = status;
    }
    return result;
}

/* ---- machine ------------------------------------------------------------------------------ */

/* An option names a rank: does this run have it? */
static void check_rank(const struct cli_options *options, const char *option, int rank,
                       struct pto_diags *diags)
{
    struct pto_diag *diag;

    if (rank < options->ranks)
        return;
    diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "%s %d: no such rank", option, rank);
    pto_diag_hint(diags, diag, "--ranks %d numbers them 0 to %d", options->ranks,
                  options->ranks - 1);
}

static void check_link(const struct cli_options *options, const char *option,
                       const struct pto_link *link, struct pto_diags *diags)
{
    check_rank(options, option, link->a, diags); /* 0 where places have names */
    check_rank(options, option, link->b, diags);
}

static enum pto_status check_ranks(const struct cli_options *options, struct pto_diags *diags)
{
    for (int i = 0; i < options->links_down; i++)
        check_link(options, "--link-down", &options->link_down[i], diags);
    for (int i = 0; i < options->slow_links; i++)
        check_link(options, "--slow-link", &options->slow_link[i].link, diags);
    for (int i = 0; i < options->slow_ranks; i++)
        check_rank(options, "--slow-rank", options->slow_rank[i].rank, diags);
    for (int i = 0; i < options->dead_ranks; i++)
        check_rank(options, "--dead-rank", options->dead_rank[i].rank, diags);
    check_rank(options, "--check-rank", options->check_rank, diags);
    return diags->errors == 0 ? PTO_OK : PTO_ECONFIG;
}

/* A filter for a kernel that does not run would hide every finding. */
static enum pto_status check_kernel_filter(const struct cli_options *options,
                                           const struct cli_launch *launch,
                                           struct pto_diags *diags)
{
    for (unsigned k = 0; options->check_kernel && k < launch->kernels; k++) {
        const struct pto_module *module = &launch->kernel[k].file->program.module;

        if (!strcmp(module->kernel[launch->kernel[k].kernel].name, options->check_kernel))
            return PTO_OK;
    }
    if (!options->check_kernel)
        return PTO_OK;
    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                               "--check-kernel %s: no such kernel runs", options->check_kernel),
                  "name a kernel of this run, such as %s",
                  launch->kernel[0].file->program.module.kernel[launch->kernel[0].kernel].name);
    return PTO_ECONFIG;
}

/* The schedule that the machine follows: its acts, and its slow ranks beside those of the command
 * line. */
static enum pto_status follow_schedule(const struct cli_options *options,
                                       struct cli_launch *launch, struct pto_vm_options *settings,
                                       struct pto_diags *diags)
{
    unsigned given = (unsigned)options->slow_ranks, slows;
    struct pto_slow_rank *all;

    if (!launch->schedule) {
        launch->schedule = &launch->given;
        PTO_TRY(cli_schedule_load(options, launch, &launch->given, diags));
    }
    slows = launch->schedule->slows;
    all = pto_arena_array(&launch->arena, given + slows + 1u, sizeof *all);
    for (unsigned i = 0; i < given; i++)
        all[i] = options->slow_rank[i];
    for (unsigned i = 0; i < slows; i++)
        all[given + i] = launch->schedule->slow[i];
    settings->slow_rank = all;
    settings->slow_ranks = (int)(given + slows);
    settings->delay = launch->schedule->delay;
    settings->delays = launch->schedule->delays;
    return PTO_OK;
}

static enum pto_status read_topology(const struct cli_options *options,
                                     struct cli_launch *launch, struct pto_diags *diags)
{
    struct pto_buf text = {0};
    const char *why;
    enum pto_status status;

    if (!options->topology_path || launch->topology_text)
        return PTO_OK;
    status = pto_file_read(options->topology_path, PTO_FILE_SETTINGS, &text, &why);
    if (status == PTO_OK && text.size && memchr(text.data, 0, text.size)) {
        pto_diag_add(diags, PTO_ERROR, options->topology_path, 0, 0,
                     "the topology is not a text file");
        status = PTO_ECONFIG;
    } else if (status == PTO_OK) {
        launch->topology_text = pto_arena_strdup(&launch->arena, pto_buf_text(&text));
    } else {
        pto_diag_add(diags, PTO_ERROR, options->topology_path, 0, 0,
                     "cannot read the topology: %s", why);
    }
    pto_buf_free(&text);
    return status == PTO_OK ? PTO_OK : PTO_ECONFIG;
}

static int most_threads(const struct cli_machine_options *machine)
{
    int processors = cli_host_processors();

    return machine->beside > 1 ? (processors + machine->beside - 1) / machine->beside : processors;
}

static enum pto_status create(const struct cli_options *options,
                              const struct cli_machine_options *machine, struct cli_launch *launch,
                              struct pto_diags *diags)
{
    const bool lent = options->host != NULL; /* by a program, which has no command line */
    const uint64_t beside = machine->beside > 1 ? (uint64_t)machine->beside : 1;
    struct pto_vm_options settings = {
        .ranks = options->ranks,
        .cores = options->cores,
        .topology = options->topology,
        .slow_link = options->slow_link,
        .slow_links = options->slow_links,
        .link_down = options->link_down,
        .links_down = options->links_down,
        .dead_rank = options->dead_rank,
        .dead_ranks = options->dead_ranks,
        .jitter = options->jitter,
        .join = options->join,
        .max_time_ps = options->max_time_ps,
        .max_insns = options->max_insns,
        .threads = options->threads ? options->threads : most_threads(machine),
        .max_memory =
            options->limits.memory ? options->limits.memory : cli_host_memory("") / beside,
        .timing_only = options->timing_only,
        .views_by_buffer = options->views_by_buffer,
        .unwaited = launch->unwaited,
        .unwaiteds = launch->unwaiteds,
        .cpu_level = getenv("PTO_CPU_LEVEL"),
        .stepwise = machine->stepwise,
        .print = machine->print,
        .print_context = machine->print_context,
        .carrier = machine->carrier,
        .remedies = {
            .no_parameter = lent ? "give it a number, or an input whose shape tells"
                                 : "give it with --set, or an input whose shape tells",
            .no_input = lent ? "give it an array, or a source such as random:1"
                             : "give it with --in",
            .wrong_type = lent ? "convert its elements"
                               : "convert the file, or name its type with FILE:TYPE",
            .time_limit = "raise it with --max-time",
            .insn_limit = "raise it with --max-insns",
            .memory_limit = "use fewer ranks or elements, or raise the limit with --max-memory",
        },
    };

    PTO_TRY(follow_schedule(options, launch, &settings, diags));
    PTO_TRY(read_topology(options, launch, diags));
    settings.topology_text = launch->topology_text;
    PTO_TRY(pto_vm_create(&settings, &launch->profile, diags, &launch->vm));
    for (uint32_t round = 0; round < options->repeat; round++)
        for (unsigned k = 0; k < launch->kernels; k++)
            PTO_TRY(pto_vm_launch(launch->vm, &launch->kernel[k].file->program,
                                  launch->kernel[k].kernel, diags));
    return PTO_OK;
}

enum pto_status cli_measure(const struct cli_options *options, struct cli_launch *launch,
                            struct pto_memory *memory, struct pto_diags *diags)
{
    static const struct cli_machine_options nothing;
    struct cli_inputs inputs = {0};
    enum pto_status status;

    PTO_TRY(create(options, &nothing, launch, diags));
    status = set_params(options, launch, diags);
    if (status == PTO_OK)
        status = cli_inputs_bind(options, launch, &inputs, diags);
    if (status == PTO_OK)
        status = pto_vm_measure(launch->vm, memory, diags);
    cli_inputs_free(&inputs);
    return status;
}

/* What has no contents can be neither written nor compared. */
static enum pto_status complain_left_out(const char *option, const char *name,
                                         struct pto_diags *diags)
{
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                         "--%s: no time depends on '%s', so --timing-only has no "
                                         "contents of it", option, name);

    pto_diag_hint(diags, diag, "run without --timing-only");
    return PTO_ECONFIG;
}

static enum pto_status check_pairs_left_out(const struct cli_pairs *pairs, const char *option,
                                            const struct cli_launch *launch,
                                            struct pto_diags *diags)
{
    enum pto_status status = PTO_OK;

    for (unsigned i = 0; i < pairs->count; i++) {
        struct pto_object_info info;

        cli_object_info(launch, 0, pairs->item[i].name, &info);
        if (info.skipped)
            status = complain_left_out(option, pairs->item[i].name, diags);
    }
    return status;
}

static enum pto_status check_archive_left_out(const struct cli_options *options,
                                              const struct cli_launch *launch,
                                              struct pto_diags *diags)
{
    struct pto_object_info info;

    for (unsigned i = 0; options->out_archive && pto_vm_object(launch->vm, 0, i, &info); i++)
        if (info.skipped && cli_is_result(info.kind))
            return complain_left_out("out", info.name, diags);
    return PTO_OK;
}

static enum pto_status check_left_out(const struct cli_options *options,
                                      const struct cli_launch *launch, struct pto_diags *diags)
{
    PTO_TRY(check_archive_left_out(options, launch, diags));
    PTO_TRY(check_pairs_left_out(&options->out, "out", launch, diags));
    return check_pairs_left_out(&options->expect, "expect", launch, diags);
}

/* A checker follows every byte. */
static enum pto_status check_modes(const struct cli_options *options, struct pto_diags *diags)
{
    if (!options->timing_only || !options->check)
        return PTO_OK;
    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                               "--timing-only leaves out bytes, and --check follows them all"),
                  "leave one of them out");
    return PTO_ECONFIG;
}

/* Sum up the regions of the first machine that is made. */
static enum pto_status watch_regions(struct cli_launch *launch)
{
    for (unsigned k = 0; k < launch->kernels && !launch->regions; k++)
        if (cli_regions_named(cli_kernel_of(&launch->kernel[k])))
            return cli_regions_start(launch->vm, &launch->regions);
    return PTO_OK;
}

enum pto_status cli_launch(const struct cli_options *options,
                           const struct cli_machine_options *machine, struct cli_launch *launch,
                           struct pto_diags *diags)
{
    struct cli_inputs inputs = {0};
    enum pto_status params, status, outputs;

    PTO_TRY(check_modes(options, diags));
    PTO_TRY(check_ranks(options, diags));
    PTO_TRY(check_kernel_filter(options, launch, diags));
    PTO_TRY(create(options, machine, launch, diags));
    params = set_params(options, launch, diags);
    status = cli_inputs_bind(options, launch, &inputs, diags);
    outputs = cli_outputs_check(options, launch, diags);
    if (status == PTO_OK)
        status = params != PTO_OK ? params : outputs;
    if (status == PTO_OK)
        status = pto_vm_prepare(launch->vm, diags);
    if (status == PTO_OK)
        status = check_left_out(options, launch, diags);
    if (status == PTO_OK)
        status = cli_inputs_fill(launch, &inputs, machine->filling, diags);
    if (status == PTO_OK)
        status = pto_vm_compare_uniform(launch->vm, diags);
    if (status == PTO_OK)
        status = watch_regions(launch);
    if (status == PTO_OK && options->critical_path && !launch->critical)
        status = pto_critical_start(launch->vm, &launch->critical);
    cli_inputs_free(&inputs);
    return status;
}
