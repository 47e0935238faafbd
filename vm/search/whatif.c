#include "search/whatif.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/faults.h"
#include "cli/share.h"
#include "cli/stop.h"
#include "place.h"
#include "report/critical.h"
#include "tool/number.h"
#include "version.h"

/* ---- waits that are taken away ---- */

static bool is_same_file(const char *path, const char *other)
{
    struct stat one, two;

    return !strcmp(path, other) || (stat(path, &one) == 0 && stat(other, &two) == 0 &&
                                    one.st_dev == two.st_dev && one.st_ino == two.st_ino);
}

/* "kernels/basic/vadd.pto" is also meant by vadd.pto, and by any other path to the same file. */
static bool is_meant(const char *path, const char *wanted)
{
    size_t all = strlen(path), length = strlen(wanted);

    return (all > length && path[all - length - 1] == '/' &&
            !strcmp(path + all - length, wanted)) ||
           is_same_file(path, wanted);
}

static bool waits(const struct pto_insn *insn)
{
    switch (insn->op) {
    case PTO_OP_WAIT_FLAG:
    case PTO_OP_WAIT_FLAG_DEV:
    case PTO_OP_WAIT_INTRA_BLOCK:
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
    case PTO_OP_SYNC_ALL:
    case PTO_OP_DSB:
    case PTO_OP_TWAIT:
    case PTO_OP_TWAIT_ANY2:
    case PTO_OP_TWAIT_ANY3:
    case PTO_OP_ASYNC_WAIT:
        return true;
    default:
        return false;
    }
}

/* What one --without-wait means. */
struct removal {
    const char *what;
    const char *file; /* as the run spells it; NULL: it has none of that name */
    uint32_t line;
    unsigned capacity, found;
};

static enum pto_status complain_wait(const char *what, const char *wrong, struct pto_diags *diags)
{
    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--without-wait %s: %s", what, wrong),
                  "--critical-path lists the waits of a run");
    return PTO_ECONFIG;
}

/* Several files of a run may have one name: then it has to be said which one is meant. */
static enum pto_status find_file(const struct cli_launch *launch, const char *wanted,
                                 struct removal *removal, struct pto_diags *diags)
{
    for (unsigned i = 0; i < launch->files; i++) {
        const struct pto_module *module = &launch->file[i].program.module;

        for (uint32_t f = 0; f < module->files; f++) {
            if (!is_meant(module->file[f], wanted))
                continue;
            if (!removal->file || !strcmp(module->file[f], wanted))
                removal->file = module->file[f];
            else if (strcmp(removal->file, wanted) != 0 &&
                     !is_same_file(removal->file, module->file[f])) {
                pto_diag_hint(diags,
                              pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                           "--without-wait %s: several files of this run have "
                                           "that name", removal->what),
                              "write %s or %s", removal->file, module->file[f]);
                return PTO_ECONFIG;
            }
        }
    }
    return PTO_OK;
}

static void remove_in(struct cli_launch *launch, const struct pto_module *module, uint32_t file,
                      const struct pto_code *code, struct removal *removal)
{
    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_pos *pos = pto_place(module, code->insn[i].pos);

        if (!pos || pos->file != file || pos->line != removal->line || !waits(&code->insn[i]))
            continue;
        PTO_GROW(launch->unwaited, launch->unwaiteds, removal->capacity);
        launch->unwaited[launch->unwaiteds++] = &code->insn[i];
        removal->found++;
    }
}

static void remove_in_kernel(struct cli_launch *launch, const struct cli_kernel *one,
                             struct removal *removal)
{
    const struct pto_module *module = &one->file->program.module;
    const struct pto_kernel *kernel = cli_kernel_of(one);

    for (uint32_t f = 0; f < module->files; f++)
        for (unsigned kind = 0;
             kind < PTO_CORE_KINDS && is_same_file(module->file[f], removal->file); kind++)
            remove_in(launch, module, f, &kernel->core[kind].code, removal);
}

static enum pto_status remove_wait(struct cli_launch *launch, const char *what, unsigned *capacity,
                                   struct pto_diags *diags)
{
    const char *colon = strrchr(what, ':');
    struct removal removal = {.what = what, .capacity = *capacity};
    enum pto_status status;
    char *wanted;

    if (!colon || colon == what || !tool_parse_line(colon + 1, &removal.line))
        return complain_wait(what, "not of the form FILE:LINE", diags);
    wanted = pto_xstrndup(what, (size_t)(colon - what));
    status = find_file(launch, wanted, &removal, diags);
    free(wanted);
    PTO_TRY(status);
    if (!removal.file)
        return complain_wait(what, "no instruction of this run is of that file", diags);
    for (unsigned i = 0; i < launch->kernels; i++)
        remove_in_kernel(launch, &launch->kernel[i], &removal);
    *capacity = removal.capacity;
    return removal.found ? PTO_OK : complain_wait(what, "nobody waits in this line", diags);
}

static int by_address(const void *one, const void *two)
{
    const struct pto_insn *a = *(const struct pto_insn *const *)one;
    const struct pto_insn *b = *(const struct pto_insn *const *)two;

    return a < b ? -1 : a > b;
}

static enum pto_status remove_waits(const struct cli_options *options, struct cli_launch *launch,
                                    struct pto_diags *diags)
{
    unsigned capacity = 0;

    for (unsigned i = 0; i < options->without_waits; i++)
        PTO_TRY(remove_wait(launch, options->without_wait[i], &capacity, diags));
    if (launch->unwaiteds)
        qsort(launch->unwaited, launch->unwaiteds, sizeof *launch->unwaited, by_address);
    return PTO_OK;
}

/* ---- runs ---- */

/* One run for times alone.  What it prints is nobody's concern. */
static enum exit_code run(const struct cli_options *options, struct cli_launch *launch,
                          struct pto_diags *diags, int *stopped_by)
{
    static const struct cli_machine_options silent;
    enum pto_status status = cli_load(options, 1, false, launch, diags);

    if (status == PTO_OK)
        status = remove_waits(options, launch, diags);
    if (status == PTO_OK)
        status = cli_launch(options, &silent, launch, diags);
    if (status == PTO_OK)
        status = cli_run(launch->vm, &options->limits, stopped_by);
    return *stopped_by ? cli_exit_stopped(*stopped_by) : cli_exit_of(status);
}

static void tell(const struct cli_critical *critical, uint64_t before, struct pto_buf *out)
{
    uint64_t after = critical->result->time_ps;
    uint64_t less = before > after ? before - after : after - before;
    char time[CLI_TIME_BYTES];

    pto_buf_printf(out, "%-14s%s\n", "as it is", cli_time_text(before, time));
    pto_buf_printf(out, "%-14s%s", "what if", cli_time_text(after, time));
    pto_buf_printf(out, ": %s %s, ", cli_time_text(less, time), before < after ? "more" : "less");
    cli_share_text(less, before, 1, out);
    pto_buf_printf(out, "\n");
    cli_critical_text(critical, out);
}

static void report(const struct cli_critical *critical, const struct pto_vm *vm, uint64_t before,
                   struct pto_buf *out)
{
    struct cli_json json = {.out = out};

    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "pto-whatif/1");
    cli_json_text(&json, "tool", "ptovm");
    cli_json_text(&json, "version", pto_version());
    cli_json_uint(&json, "time_ps", before);
    cli_json_uint(&json, "what_if_ps", critical->result->time_ps);
    cli_critical_json(critical, vm, &json);
    cli_json_close(&json, '}');
}

enum exit_code cli_whatif(const struct cli_options *options, struct cli_launch *launch,
                          struct pto_diags *diags, struct pto_buf *text, struct pto_buf *json,
                          int *stopped_by)
{
    struct cli_options plain = *options, changed = *options;
    struct cli_launch first = {0};
    struct cli_critical critical = {0};
    enum exit_code code;
    uint64_t before;

    plain.timing_only = changed.timing_only = changed.critical_path = true;
    plain.set_cost.count = plain.without_waits = 0;
    code = run(&plain, &first, diags, stopped_by);
    if (first.vm && code != EXIT_DONE)
        cli_end_text(first.vm, false, false, text);
    before = first.vm ? pto_vm_time(first.vm) : 0;
    cli_launch_free(&first);
    if (code != EXIT_DONE)
        return code;
    code = run(&changed, launch, diags, stopped_by);
    if (launch->vm && code != EXIT_DONE)
        cli_end_text(launch->vm, false, false, text);
    if (code == EXIT_DONE && cli_critical_begin(&critical, launch)) {
        tell(&critical, before, text);
        report(&critical, launch->vm, before, json);
    }
    cli_critical_free(&critical);
    return code;
}
