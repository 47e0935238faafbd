/* What a job does not take. */
#include <stdarg.h>
#include <stdio.h>

#include "api/job.h"

enum { WHY_BYTES = 512 };

enum job_state job_state(const struct pto_job *job)
{
    return job ? (enum job_state)atomic_load(&job->state) : JOB_FREED;
}

/* A job that is under way, or has come to its end, stays as it is. */
static bool keeps_messages(enum job_state state)
{
    return state == JOB_OPEN || state == JOB_LOADED;
}

enum pto_result job_refuse(struct pto_job *job, const char *function, const char *format, ...)
{
    char why[WHY_BYTES]; /* of a name that is longer the beginning will do */
    va_list arguments;

    if (!keeps_messages(job_state(job)))
        return PTO_RESULT_USAGE;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    pto_diag_add(&job->diags, PTO_ERROR, NULL, 0, 0, "%s: %s", function, why);
    job->refused = true;
    return PTO_RESULT_USAGE;
}

bool job_takes(struct pto_job *job, const char *function, enum job_state last)
{
    enum job_state state = job_state(job);

    if (state <= last)
        return true;
    job_refuse(job, function, "it comes too late, the job has been loaded");
    return false;
}
