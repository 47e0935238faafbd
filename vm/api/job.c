/* A job from its making to the end of its run. */
#include <stdlib.h>
#include <string.h>

#include "api/job.h"
#include "cli/again.h"
#include "cli/exit.h"
#include "lines.h"
#include "version.h"

/* Jobs that were freed last: their shells stay, so that a second pto_job_free, and whatever else
 * comes too late, meets a job that says so. */
enum { SHELLS = 64 };
static _Atomic(struct pto_job *) shell[SHELLS];
static atomic_uint shells;

const char *pto_library_version(void)
{
    return pto_version();
}

struct pto_job *pto_job_new(void)
{
    struct pto_job *job = pto_xcalloc(1, sizeof *job);

    job_add_word(job, "libpto");
    return job;
}

static void empty(struct pto_job *job)
{
    cli_findings_free(&job->findings);
    cli_launch_free(&job->launch);
    cli_options_free(&job->options);
    pto_diags_free(&job->diags);
    free(job->given.text);
    free(job->given.value);
    free(job->given.array);
    free(job->word);
    pto_buf_free(&job->explained);
    pto_buf_free(&job->summary);
    pto_buf_free(&job->report);
    pto_arena_free(&job->arena);
}

void pto_job_free(struct pto_job *job)
{
    int state = job_state(job);

    do {
        if (state == JOB_FREED || state == JOB_RUNNING)
            return;
    } while (!atomic_compare_exchange_weak(&job->state, &state, JOB_FREED));
    empty(job);
    free(atomic_exchange(&shell[atomic_fetch_add(&shells, 1) % SHELLS], job));
}

/* ---- the run -------------------------------------------------------------------------------- */

/* A name stands for one text: of two, the second would never run. */
static enum pto_status check_texts(struct pto_job *job)
{
    const struct cli_given_text *text = job->given.text;

    for (unsigned i = 1; i < job->given.texts; i++)
        for (unsigned j = 0; j < i; j++)
            if (!strcmp(text[i].name, text[j].name) &&
                (text[i].size != text[j].size ||
                 memcmp(text[i].bytes, text[j].bytes, text[i].size) != 0)) {
                pto_diag_add(&job->diags, PTO_ERROR, NULL, 0, 0,
                             "two different texts are called '%s'", text[i].name);
                return PTO_ECONFIG;
            }
    return PTO_OK;
}

static enum pto_status load(struct pto_job *job)
{
    /* Parsing copies the array before it reorders it. */
    char **words = (char **)(uintptr_t)job->word;
    struct cli_options *o = &job->options;

    if (job->refused)
        return PTO_ECONFIG;
    PTO_TRY(cli_options_parse(o, (int)job->words, words, CLI_PTOVM, &job->diags));
    PTO_TRY(job_check_options(job));
    PTO_TRY(check_texts(job));
    o->host = &job->given;
    o->limits.timeout_ps = 0;
    o->limits.host = &job->stop;
    PTO_TRY(cli_findings_load(o, &job->findings, &job->diags));
    return cli_load(o, 0, false, &job->launch, &job->diags);
}

enum pto_result pto_job_load(struct pto_job *job)
{
    enum job_state state = job_state(job);

    if (state == JOB_RUNNING || state == JOB_FREED)
        return PTO_RESULT_USAGE;
    if (state != JOB_OPEN)
        return job->result;
    atomic_store(&job->state, JOB_LOADED);
    job->result = (enum pto_result)cli_exit_of(load(job));
    pto_diags_add_lines(&job->diags);
    return job->result;
}

static void print_line(void *context, int rank, const char *core, uint64_t time_ps,
                       const char *text)
{
    const struct pto_job *job = context;

    job->printer(job->printer_context, rank, core, time_ps, text);
}

static enum pto_status prepare(struct pto_job *job)
{
    const struct cli_machine_options machine = {
        .print = job->printer ? print_line : NULL,
        .print_context = job,
    };

    PTO_TRY(cli_launch(&job->options, &machine, &job->launch, &job->diags));
    PTO_TRY(job_attach_observers(job));
    return job->options.check ? cli_findings_attach(&job->options, &job->launch, &job->findings)
                              : PTO_OK;
}

/* What the checker found; runs once more where waits have learned something.  *stopped_by: as of
 * the run before. */
static enum pto_result conclude(struct pto_job *job, enum pto_result result, int *stopped_by)
{
    if (!job->findings.check)
        return result;
    pto_check_finish(job->findings.check);
    if (!*stopped_by) {
        enum pto_status settled = cli_findings_settle(&job->options, NULL, &job->launch,
                                                      &job->findings, &job->diags, stopped_by);

        result = result == PTO_RESULT_OK ? (enum pto_result)cli_exit_of(settled) : result;
    }
    cli_findings_collect(&job->options, &job->findings);
    return result == PTO_RESULT_OK && job->findings.count > 0 ? PTO_RESULT_FINDINGS : result;
}

static enum pto_result run(struct pto_job *job)
{
    enum pto_result result = job->refused ? PTO_RESULT_USAGE
                                          : (enum pto_result)cli_exit_of(prepare(job));
    int stopped_by;

    pto_diags_add_lines(&job->diags);
    if (result != PTO_RESULT_OK)
        return result;
    result = (enum pto_result)cli_exit_of(
        cli_run(job->launch.vm, &job->options.limits, &stopped_by));
    job->ran = true;
    result = conclude(job, result, &stopped_by);
    return stopped_by ? PTO_RESULT_STOPPED : result;
}

enum pto_result pto_job_run(struct pto_job *job)
{
    enum pto_result loaded = pto_job_load(job);
    int state = JOB_LOADED;

    if (loaded != PTO_RESULT_OK || job_state(job) != JOB_LOADED)
        return loaded;
    if (!atomic_compare_exchange_strong(&job->state, &state, JOB_RUNNING))
        return PTO_RESULT_USAGE;
    job->result = run(job);
    atomic_store(&job->state, JOB_RAN);
    return job->result;
}

void pto_job_stop(struct pto_job *job)
{
    if (job_state(job) != JOB_FREED)
        cli_host_stop(&job->stop);
}
