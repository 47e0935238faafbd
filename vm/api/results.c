/* What a job has to show. */
#include <string.h>

#include "api/job.h"
#include "cli/exit.h"
#include "cli/faults.h"
#include "place.h"
#include "report/summary.h"

/* Has it run to some end, so that there is something to show? */
static bool has_results(const struct pto_job *job)
{
    return job_state(job) == JOB_RAN && job->ran;
}

/* Is it a job, and not in the hands of the thread that runs it? */
static bool is_at_rest(const struct pto_job *job)
{
    enum job_state state = job_state(job);

    return state != JOB_RUNNING && state != JOB_FREED;
}

/* ---- objects -------------------------------------------------------------------------------- */

static const char *const OBJECT_KIND[PTO_OBJECT_KINDS] = {"in",  "out", "inout", "gm",
                                                          "sym", "signal", "view"};

static void describe(const struct pto_object_info *info, struct pto_job_array *array)
{
    unsigned bytes = pto_dtype_size((enum pto_dtype)info->dtype);

    *array = (struct pto_job_array){
        .name = info->name,
        .kind = OBJECT_KIND[info->kind],
        .dtype = pto_dtype_name((enum pto_dtype)info->dtype),
        .dims = info->dims,
        .size = info->size,
        .data = info->data,
    };
    for (unsigned i = 0; i < info->dims; i++) {
        array->dim[i] = info->dim[i];
        array->stride[i] = info->stride[i] * (int64_t)bytes;
    }
}

int pto_job_ranks(const struct pto_job *job)
{
    return has_results(job) ? pto_vm_ranks(job->launch.vm) : 0;
}

int pto_job_array(const struct pto_job *job, int rank, unsigned index, struct pto_job_array *array)
{
    struct pto_object_info info;

    if (!array || rank < 0 || rank >= pto_job_ranks(job) ||
        !pto_vm_object(job->launch.vm, rank, index, &info))
        return 0;
    describe(&info, array);
    return 1;
}

int pto_job_find(const struct pto_job *job, int rank, const char *name,
                 struct pto_job_array *array)
{
    int index = has_results(job) && name ? pto_vm_find_object(job->launch.vm, name) : -1;

    return index >= 0 && pto_job_array(job, rank, (unsigned)index, array);
}

/* ---- declarations --------------------------------------------------------------------------- */

static void declare(const struct pto_kernel *kernel, unsigned index, struct pto_job_name *name)
{
    if (index < kernel->params) {
        const struct pto_param *param = &kernel->param[index];

        *name = (struct pto_job_name){.kernel = kernel->name,
                                      .name = param->name,
                                      .kind = "param",
                                      .dtype = param->is_float ? "f64" : "i64",
                                      .optional = param->has_default};
    } else {
        const struct pto_object *object = &kernel->object[index - kernel->params];

        *name = (struct pto_job_name){.kernel = kernel->name,
                                      .name = object->name,
                                      .kind = OBJECT_KIND[object->kind],
                                      .dtype = pto_dtype_name((enum pto_dtype)object->dtype),
                                      .dims = object->dims,
                                      .optional = object->optional,
                                      .flat = object->flat};
    }
}

int pto_job_name(const struct pto_job *job, unsigned index, struct pto_job_name *name)
{
    enum job_state state = job_state(job);

    if (!name || state == JOB_OPEN || state == JOB_FREED)
        return 0;
    for (unsigned k = 0; k < job->launch.kernels; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&job->launch.kernel[k]);

        if (index < kernel->params + kernel->objects) {
            declare(kernel, index, name);
            return 1;
        }
        index -= kernel->params + kernel->objects;
    }
    return 0;
}

/* ---- messages ------------------------------------------------------------------------------- */

static void of_diag(const struct pto_diag *diag, struct pto_job_message *message)
{
    static const char *const severity[] = {"note", "warning", "error"};

    *message = (struct pto_job_message){severity[diag->severity], diag->file, diag->line,
                                        diag->column, diag->message, diag->hint};
}

static void of_fault(const struct pto_fault *fault, const char *severity,
                     struct pto_job_message *message)
{
    const struct pto_pos *pos = pto_place(fault->module, fault->pos);

    *message = (struct pto_job_message){.severity = severity,
                                        .file = pos ? fault->module->file[pos->file] : NULL,
                                        .line = pos ? pos->line : 0,
                                        .column = pos ? pos->column : 0,
                                        .text = fault->message,
                                        .hint = fault->hint};
}

int pto_job_message(struct pto_job *job, unsigned index, struct pto_job_message *message)
{
    const struct pto_fault *warning, *fault;
    unsigned warnings;

    if (!message || !is_at_rest(job))
        return 0;
    for (const struct pto_diag *diag = job->diags.first; diag; diag = diag->next)
        if (index-- == 0) {
            of_diag(diag, message);
            return 1;
        }
    if (!has_results(job))
        return 0;
    fault = pto_vm_fault(job->launch.vm);
    warnings = pto_vm_warnings(job->launch.vm, &warning);
    if (index < warnings)
        of_fault(&warning[index], "warning", message);
    else if (index == warnings && fault)
        of_fault(fault, cli_fault_kind(fault), message);
    else
        return 0;
    return 1;
}

/* ---- findings ------------------------------------------------------------------------------- */

static struct pto_job_party party(const struct pto_finding_access *access)
{
    const struct pto_pos *pos = cli_access_pos(access);

    if (!access->present)
        return (struct pto_job_party){.mnemonic = NULL};
    return (struct pto_job_party){
        .mnemonic = access->mnemonic,
        .file = cli_access_file(access),
        .line = pos ? pos->line : 0,
        .column = pos ? pos->column : 0,
        .rank = access->rank,
        .core = access->core,
        .pipe = access->pipe,
        .time_ps = access->time_ps,
    };
}

int pto_job_finding(const struct pto_job *job, unsigned index, struct pto_job_finding *finding)
{
    const struct pto_finding *f;

    if (!finding || !has_results(job) || index >= job->findings.count)
        return 0;
    f = job->findings.item[index].finding;
    *finding = (struct pto_job_finding){
        .kind = pto_finding_name(f->kind),
        .text = f->message,
        .advice = job->findings.item[index].advice->text,
        .where = f->where,
        .offset = f->offset,
        .bytes = f->bytes,
        .count = f->count,
        .earlier = party(&f->access[0]),
        .later = party(&f->access[1]),
    };
    return 1;
}

/* ---- statistics ----------------------------------------------------------------------------- */

void pto_job_statistics(const struct pto_job *job, int rank, struct pto_job_statistics *statistics)
{
    int ranks = pto_job_ranks(job);

    if (!statistics)
        return;
    *statistics = (struct pto_job_statistics){0};
    for (int r = 0; r < ranks; r++) {
        struct pto_rank_stats one;

        if (rank != PTO_EVERY_RANK && rank != r)
            continue;
        pto_vm_rank_stats(job->launch.vm, r, &one);
        if (one.end_ps > statistics->time_ps)
            statistics->time_ps = one.end_ps;
        statistics->scalar_instructions += one.scalar_instructions;
        statistics->gm_bytes += one.gm_bytes;
        statistics->cube_macs += one.cube_macs;
    }
    if (rank == PTO_EVERY_RANK && ranks > 0)
        statistics->time_ps = pto_vm_time(job->launch.vm);
}

/* ---- texts ---------------------------------------------------------------------------------- */

const char *pto_job_explain(struct pto_job *job)
{
    struct pto_buf *text;

    if (!is_at_rest(job))
        return job_state(job) == JOB_RUNNING ? "error: the job is running\n"
                                             : "error: there is no job, or it has been freed\n";
    text = &job->explained;
    text->size = 0;
    pto_diags_text(&job->diags, false, text);
    if (has_results(job))
        cli_end_text(job->launch.vm, false, false, text);
    if (has_results(job) && job->findings.check)
        cli_findings_text(&job->findings, false, text);
    return pto_buf_text(text);
}

const char *pto_job_summary(struct pto_job *job)
{
    if (!has_results(job))
        return "";
    job->summary.size = 0;
    cli_summary_text(&job->options, &job->launch, &job->nothing, false, &job->summary);
    return pto_buf_text(&job->summary);
}

static struct cli_outcome outcome(const struct pto_job *job)
{
    const char *status = cli_exit_name((enum exit_code)job->result);

    if (job->result == PTO_RESULT_FINDINGS)
        status = "findings";
    else if (job->result == PTO_RESULT_STOPPED)
        status = "interrupted";
    else if (job->result == PTO_RESULT_PROGRAM && !job->ran)
        status = "error";
    return (struct cli_outcome){.status = status, .exit_code = (int)job->result};
}

const char *pto_job_report(struct pto_job *job)
{
    struct cli_outcome end;

    if (!is_at_rest(job))
        return "";
    end = outcome(job);
    job->report.size = 0;
    cli_report_json(&job->options, &job->launch, &job->nothing, &job->findings, &job->diags, &end,
                    &job->report);
    return pto_buf_text(&job->report);
}
