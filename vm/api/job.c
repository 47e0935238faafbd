/* A job from its options to the end of its run. */
#include "api/job.h"

#include <stdlib.h>
#include <string.h>

#include "cli/again.h"
#include "cli/exit.h"
#include "lines.h"
#include "version.h"

const char *pto_library_version(void)
{
    return pto_version();
}

struct pto_job *pto_job_new(void)
{
    struct pto_job *job = pto_xcalloc(1, sizeof *job);

    PTO_GROW(job->word, job->words, job->word_capacity);
    job->word[job->words++] = "libpto";
    return job;
}

void pto_job_free(struct pto_job *job)
{
    if (!job)
        return;
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
    free(job);
}

/* ---- what it is given ----------------------------------------------------------------------- */

static void add_word(struct pto_job *job, const char *word)
{
    PTO_GROW(job->word, job->words, job->word_capacity);
    job->word[job->words++] = word;
}

void pto_job_option(struct pto_job *job, const char *name, const char *value)
{
    add_word(job, pto_arena_printf(&job->arena, value ? "--%s=%s" : "--%s", name, value));
}

void pto_job_file(struct pto_job *job, const char *operand)
{
    /* With '-' an option would begin, with '@' a file of words. */
    bool plain = *operand != '-' && *operand != '@';

    add_word(job, plain ? pto_arena_strdup(&job->arena, operand)
                        : pto_arena_printf(&job->arena, "./%s", operand));
}

void pto_job_text(struct pto_job *job, const char *name, const void *text, size_t size)
{
    struct cli_given *given = &job->given;
    char *copy = pto_arena_alloc(&job->arena, size + 1);

    if (size)
        memcpy(copy, text, size);
    pto_job_file(job, name);
    PTO_GROW(given->text, given->texts, given->text_capacity);
    given->text[given->texts++] =
        (struct cli_given_text){job->word[job->words - 1], copy, size};
}

static void set(struct pto_job *job, const struct cli_given_value *value)
{
    struct cli_given *given = &job->given;

    PTO_GROW(given->value, given->values, given->value_capacity);
    given->value[given->values] = *value;
    given->value[given->values++].name = pto_arena_strdup(&job->arena, value->name);
}

void pto_job_set_int(struct pto_job *job, int rank, const char *name, int64_t value)
{
    set(job, &(struct cli_given_value){.name = name, .rank = rank, .integer = value});
}

void pto_job_set_float(struct pto_job *job, int rank, const char *name, double value)
{
    set(job, &(struct cli_given_value){name, rank, .is_float = true, .number = value});
}

enum pto_result pto_job_bind(struct pto_job *job, int rank, const char *name, const char *dtype,
                             unsigned dims, const uint64_t *dim, const void *data)
{
    static const char nothing[1]; /* what an array without elements points at */
    struct cli_given *given = &job->given;
    int type = pto_dtype_find(dtype);
    struct cli_given_array *array;

    if (type < 0 || dims > PTO_ARRAY_DIMS)
        return PTO_RESULT_USAGE;
    PTO_GROW(given->array, given->arrays, given->array_capacity);
    array = &given->array[given->arrays++];
    *array = (struct cli_given_array){.name = pto_arena_strdup(&job->arena, name),
                                      .rank = rank,
                                      .dtype = (enum pto_dtype)type,
                                      .dims = dims,
                                      .data = data ? data : nothing};
    if (dims)
        memcpy(array->dim, dim, dims * sizeof *dim);
    return PTO_RESULT_OK;
}

void pto_job_print(struct pto_job *job, pto_job_printer *printer, void *context)
{
    job->printer = printer;
    job->printer_context = context;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* Options of ptovm run that a library has no use for: they write files, speak to a terminal, or
 * take signals. */
static bool is_refused(enum cli_option_id id)
{
    static const enum cli_option_id refused[] = {
        CLI_OPT_OUT, CLI_OPT_EXPECT, CLI_OPT_RTOL, CLI_OPT_ATOL, CLI_OPT_TIMEOUT, CLI_OPT_SARIF,
        CLI_OPT_FIX, CLI_OPT_FIX_RUNS, CLI_OPT_ERROR_EXITCODE, CLI_OPT_WAIT_GRAPH, CLI_OPT_JSON,
        CLI_OPT_TRACE, CLI_OPT_TRACE_MAX, CLI_OPT_QUIET, CLI_OPT_VERBOSE, CLI_OPT_COLOR,
        CLI_OPT_HELP, CLI_OPT_VERSION};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i] == id)
            return true;
    return false;
}

static enum pto_status check_options(struct pto_job *job)
{
    static const char *const name[] = {
#define SECTION(title)
#define OPTION(id, letter, name, argument, users, help) name,
#include "cli/options.def"
#undef SECTION
#undef OPTION
    };

    PTO_TRY(cli_options_check(&job->options, CLI_RUN, "run", &job->diags));
    for (int id = 0; id < CLI_OPTIONS; id++)
        if (job->options.given[id] && is_refused((enum cli_option_id)id)) {
            pto_diag_add(&job->diags, PTO_ERROR, NULL, 0, 0,
                         "option '%s' is for the program ptovm, not for a library", name[id]);
            return PTO_ECONFIG;
        }
    if (job->options.operands > 0)
        return PTO_OK;
    pto_diag_add(&job->diags, PTO_ERROR, NULL, 0, 0, "the job has no kernel");
    return PTO_ECONFIG;
}

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

    PTO_TRY(cli_options_parse(o, (int)job->words, words, CLI_PTOVM, &job->diags));
    PTO_TRY(check_options(job));
    PTO_TRY(check_texts(job));
    o->host = &job->given;
    o->limits.timeout_ps = 0;
    o->limits.unwatched = true;
    PTO_TRY(cli_findings_load(o, &job->findings, &job->diags));
    return cli_load(o, 0, false, &job->launch, &job->diags);
}

enum pto_result pto_job_load(struct pto_job *job)
{
    if (job->state != JOB_OPEN)
        return job->result;
    job->state = JOB_LOADED;
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

/* Between the two a stop pauses the machine. */
static enum pto_status run_machine(struct pto_job *job)
{
    enum pto_status status = PTO_OK;

    atomic_store(&job->running, job->launch.vm);
    if (!atomic_load(&job->stopped))
        status = pto_vm_run(job->launch.vm);
    atomic_store(&job->running, NULL);
    return status;
}

/* What the checker found; runs once more where waits have learned something. */
static enum pto_result conclude(struct pto_job *job, enum pto_result result)
{
    int stopped_by;

    if (!job->findings.check)
        return result;
    pto_check_finish(job->findings.check);
    if (!atomic_load(&job->stopped)) {
        enum pto_status settled = cli_findings_settle(&job->options, NULL, &job->launch,
                                                      &job->findings, &job->diags, &stopped_by);

        result = result == PTO_RESULT_OK ? (enum pto_result)cli_exit_of(settled) : result;
    }
    cli_findings_collect(&job->options, &job->findings);
    return result == PTO_RESULT_OK && job->findings.count > 0 ? PTO_RESULT_FINDINGS : result;
}

static enum pto_result run(struct pto_job *job)
{
    enum pto_result result = (enum pto_result)cli_exit_of(prepare(job));

    pto_diags_add_lines(&job->diags);
    if (result != PTO_RESULT_OK)
        return result;
    result = (enum pto_result)cli_exit_of(run_machine(job));
    job->ran = true;
    result = conclude(job, result);
    return atomic_load(&job->stopped) && !pto_vm_finished(job->launch.vm) ? PTO_RESULT_STOPPED
                                                                         : result;
}

enum pto_result pto_job_run(struct pto_job *job)
{
    if (pto_job_load(job) != PTO_RESULT_OK || job->state == JOB_RAN)
        return job->result;
    job->state = JOB_RAN;
    job->result = run(job);
    return job->result;
}

void pto_job_stop(struct pto_job *job)
{
    struct pto_vm *vm;

    atomic_store(&job->stopped, true);
    vm = atomic_load(&job->running);
    if (vm)
        pto_vm_pause(vm);
}
