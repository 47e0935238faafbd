/* What the machine tells, in the words of the library. */
#include "api/job.h"
#include "place.h"

static const char *const KIND[] = {
    [PTO_EV_LAUNCH] = "launch",
    [PTO_EV_END] = "end",
    [PTO_EV_SCALAR] = "scalar",
    [PTO_EV_ISSUE] = "issue",
    [PTO_EV_STALL] = "stall",
    [PTO_EV_RESUME] = "resume",
    [PTO_EV_START] = "start",
    [PTO_EV_COMPLETE] = "complete",
    [PTO_EV_SET] = "set",
    [PTO_EV_WAIT_BEGIN] = "wait begin",
    [PTO_EV_WAIT_END] = "wait end",
    [PTO_EV_SEND] = "send",
    [PTO_EV_LAND] = "land",
    [PTO_EV_SIGNAL] = "signal",
    [PTO_EV_REGION_BEGIN] = "region begin",
    [PTO_EV_REGION_END] = "region end",
    [PTO_EV_FAULT] = "fault",
};

/* The pipe, or the DMA engine, that an event is about; NULL: it is about none. */
static const char *pipe_of(const struct pto_event *event)
{
    switch (event->kind) {
    case PTO_EV_ISSUE:
    case PTO_EV_START:
    case PTO_EV_COMPLETE:
    case PTO_EV_WAIT_BEGIN:
    case PTO_EV_WAIT_END:
        return pto_queue_name(event->pipe);
    case PTO_EV_SET:
        return pto_queue_name(event->flag_src);
    default:
        return NULL;
    }
}

static void tell(void *context, const struct pto_event *event)
{
    const struct job_observer *observer = context;
    const struct pto_insn *insn = event->insn;
    const struct pto_pos *pos = insn ? pto_place(event->module, insn->pos) : NULL;
    struct pto_core_info core;

    pto_vm_core(observer->job->launch.vm, event->rank, event->core, &core);
    observer->function(
        observer->context,
        &(struct pto_job_event){
            .kind = KIND[event->kind],
            .rank = event->rank,
            .peer = event->peer,
            .core = core.name,
            .pipe = pipe_of(event),
            .mnemonic = insn ? pto_op_info((enum pto_op)insn->op)->mnemonic : NULL,
            .file = pos ? event->module->file[pos->file] : NULL,
            .line = pos ? pos->line : 0,
            .column = pos ? pos->column : 0,
            .time_ps = event->time_ps,
            .start_ps = event->start_ps,
            .bytes = event->bytes,
            .text = event->text,
        });
}

enum pto_result pto_job_observe(struct pto_job *job, pto_job_observer *observer, void *context)
{
    if (!job_takes(job, __func__, JOB_LOADED))
        return PTO_RESULT_USAGE;
    if (!observer)
        return job_refuse(job, __func__, "the observer is NULL");
    if (job->observers == JOB_OBSERVERS)
        return job_refuse(job, __func__, "there are %d observers already", JOB_OBSERVERS);
    job->observer[job->observers++] = (struct job_observer){job, observer, context};
    return PTO_RESULT_OK;
}

enum pto_result pto_job_print(struct pto_job *job, pto_job_printer *printer, void *context)
{
    if (!job_takes(job, __func__, JOB_LOADED))
        return PTO_RESULT_USAGE;
    job->printer = printer;
    job->printer_context = context;
    return PTO_RESULT_OK;
}

enum pto_status job_attach_observers(struct pto_job *job)
{
    for (unsigned i = 0; i < job->observers; i++)
        PTO_TRY(pto_vm_observe(job->launch.vm, tell, &job->observer[i]));
    return PTO_OK;
}
