#include "twin/side.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit.h"
#include "cli/stop.h"
#include "file.h"
#include "search/automatic.h"

/* Go to the folder of a core file, if it is one; *before, malloc'ed, to come back. */
static enum pto_status enter(const struct twin_side *side, char **before, struct pto_diags *diags)
{
    *before = side->is_core ? pto_file_folder() : NULL;
    if (!side->is_core || (*before && chdir(side->core.folder) == 0))
        return PTO_OK;
    if (*before)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "the folder '%s' of '%s' is not there",
                     side->core.folder, side->path);
    else
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "there is no way back from the folder of '%s': "
                     "the one that this was called in is gone", side->path);
    free(*before);
    return PTO_ECONFIG;
}

static void leave(const struct twin_side *side, char *before, struct pto_diags *diags)
{
    if (side->is_core && chdir(before) != 0)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "the folder '%s' is gone", before);
    free(before);
}

/* The options of the run that left the file; what they write is not written once more. */
static enum pto_status take_core(struct twin_side *side, struct pto_diags *diags)
{
    side->owns_options = true;
    PTO_TRY(cli_options_parse(&side->options, side->core.words, side->core.word, CLI_PTOVM, diags));
    side->options.max_time_ps =
        !strcmp(side->core.end, "stopped") && side->core.time_ps < side->options.max_time_ps
            ? side->core.time_ps : side->options.max_time_ps;
    if (side->options.operands >= 2)
        return PTO_OK;
    pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "'%s' names no kernel", side->path);
    return PTO_ECONFIG;
}

/* A core file says of what was searched for what was found, so this runs nothing. */
static enum pto_status settle_values(struct twin_side *side, struct pto_diags *diags)
{
    const struct cli_tune_progress silent = {0};
    int stopped_by = 0;

    if (!cli_tuned_asked(&side->options))
        return PTO_OK;
    return cli_tuned_find(&side->options, 1, &silent, &side->tuned, diags, &stopped_by) ==
                   EXIT_DONE
               ? PTO_OK
               : PTO_ECONFIG;
}

enum pto_status twin_side_open(struct twin_side *side, const char *path,
                               const struct cli_options *options, struct pto_diags *diags)
{
    enum pto_status status;
    char *before;

    *side = (struct twin_side){.path = path, .is_core = cli_core_is(path)};
    if (side->is_core) {
        PTO_TRY(cli_core_read(path, &side->core, diags));
        PTO_TRY(take_core(side, diags));
    } else {
        side->options = *options;
        side->operand[0] = options->operand[0];
        side->operand[1] = path;
        side->options.operand = side->operand;
        side->options.operands = 2;
    }
    PTO_TRY(enter(side, &before, diags));
    status = settle_values(side, diags);
    if (status == PTO_OK)
        status = cli_load(&side->options, 1, false, &side->launch, diags);
    leave(side, before, diags);
    return status;
}

static void tell_end(struct twin_side *side)
{
    const struct pto_fault *fault = pto_vm_fault(side->launch.vm);

    if (pto_vm_paused(side->launch.vm)) /* a run that was not to go on to its end */
        return;
    side->end.size = 0;
    side->end_ps = pto_vm_time(side->launch.vm);
    pto_buf_printf(&side->end, "%s",
                   cli_exit_name(cli_exit_of(fault ? fault->status : PTO_OK)));
    if (fault)
        pto_buf_printf(&side->end, ": %s", fault->message);
}

enum pto_status twin_side_run(struct twin_side *side, struct twin_record *record,
                              struct pto_diags *diags, int *stopped_by)
{
    const struct cli_machine_options machine = {.stepwise = true};
    enum pto_status status;
    char *before;

    pto_vm_free(side->launch.vm);
    side->launch.vm = NULL;
    PTO_TRY(enter(side, &before, diags));
    status = cli_launch(&side->options, &machine, &side->launch, diags);
    leave(side, before, diags);
    PTO_TRY(status);
    PTO_TRY(twin_record_begin(record, side->launch.vm));
    status = cli_run(side->launch.vm, &side->options.limits, stopped_by);
    twin_record_end(record);
    tell_end(side);
    /* a program that goes wrong is one that can be compared */
    return *stopped_by || status == PTO_EMEMORY || status == PTO_EINTERNAL ? status : PTO_OK;
}

void twin_side_free(struct twin_side *side)
{
    cli_launch_free(&side->launch);
    if (side->owns_options)
        cli_options_free(&side->options);
    cli_core_free(&side->core);
    pto_buf_free(&side->end);
}
