/* What a job is given before its run. */
#include <math.h>
#include <string.h>

#include "api/job.h"
#include "file.h"

/* ---- words ---------------------------------------------------------------------------------- */

/* Options of ptovm run that a library has a use for: they write no files, speak to no terminal,
 * and take no signals. */
static const enum cli_option_id TAKEN[] = {
    CLI_OPT_RANKS,       CLI_OPT_PROFILE,    CLI_OPT_PROFILE_SET,  CLI_OPT_CORES,
    CLI_OPT_TOPOLOGY,    CLI_OPT_LINK_DOWN,  CLI_OPT_SLOW_LINK,    CLI_OPT_SLOW_RANK,
    CLI_OPT_DEAD_RANK,   CLI_OPT_JITTER,     CLI_OPT_REPEAT,       CLI_OPT_JOIN,
    CLI_OPT_MAX_TIME,    CLI_OPT_HOST_COST,  CLI_OPT_MAX_INSNS,    CLI_OPT_THREADS,
    CLI_OPT_MAX_MEMORY,  CLI_OPT_TIMING_ONLY, CLI_OPT_VIEWS,       CLI_OPT_SCHEDULE,
    CLI_OPT_SET,         CLI_OPT_IN,         CLI_OPT_INCLUDE,      CLI_OPT_DEFINE,
    CLI_OPT_FUNCTION,    CLI_OPT_SYNC,       CLI_OPT_CHECK,        CLI_OPT_CHECK_KIND,
    CLI_OPT_CHECK_RANK,  CLI_OPT_CHECK_KERNEL, CLI_OPT_CHECK_COVERAGE, CLI_OPT_FLAG_KEY,
    CLI_OPT_SUPPRESS};

/* By number. */
static const struct {
    const char *name, *argument; /* NULL: it takes none; in brackets: it need not be there */
} OPTION_ROW[] = {
#define SECTION(title)
#define OPTION(id, letter, name, argument, users, help) {name, argument},
#include "cli/options.def"
#undef SECTION
#undef OPTION
};

static bool is_taken(int id)
{
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++)
        if ((int)TAKEN[i] == id)
            return true;
    return false;
}

/* What is wrong with an option that has no value?  As a word, one that wants a value would take the
 * next word for it; so would one that is cut short. */
static const char *wrong_without_value(const char *name)
{
    for (int id = 0; id < CLI_OPTIONS; id++)
        if (!strcmp(OPTION_ROW[id].name, name))
            return OPTION_ROW[id].argument && *OPTION_ROW[id].argument != '[' ? "it wants a value"
                                                                              : NULL;
    return "there is none of this name";
}

void job_add_word(struct pto_job *job, const char *word)
{
    PTO_GROW(job->word, job->words, job->word_capacity);
    job->word[job->words++] = word;
}

enum pto_result pto_job_option(struct pto_job *job, const char *name, const char *value)
{
    const char *wrong;

    if (!job_takes(job, __func__, JOB_OPEN))
        return PTO_RESULT_USAGE;
    if (!name || !*name || strchr(name, '='))
        return job_refuse(job, __func__, "'%s' is no name of an option", name ? name : "NULL");
    wrong = value ? NULL : wrong_without_value(name);
    if (wrong)
        return job_refuse(job, __func__, "option '%s': %s", name, wrong);
    job_add_word(job, pto_arena_printf(&job->arena, value ? "--%s=%s" : "--%s", name, value));
    return PTO_RESULT_OK;
}

enum pto_status job_check_options(struct pto_job *job)
{
    PTO_TRY(cli_options_check(&job->options, CLI_RUN, "run", &job->diags));
    for (int id = 0; id < CLI_OPTIONS; id++)
        if (job->options.given[id] && !is_taken(id)) {
            pto_diag_add(&job->diags, PTO_ERROR, NULL, 0, 0,
                         "option '%s' is for the program ptovm, not for a library",
                         OPTION_ROW[id].name);
            return PTO_ECONFIG;
        }
    if (job->options.operands > 0)
        return PTO_OK;
    pto_diag_add(&job->diags, PTO_ERROR, NULL, 0, 0, "the job has no kernel");
    return PTO_ECONFIG;
}

static void add_operand(struct pto_job *job, const char *operand)
{
    /* With '-' an option would begin, with '@' a file of words. */
    bool plain = *operand != '-' && *operand != '@';

    job_add_word(job, plain ? pto_arena_strdup(&job->arena, operand)
                            : pto_arena_printf(&job->arena, "./%s", operand));
}

enum pto_result pto_job_file(struct pto_job *job, const char *operand)
{
    if (!job_takes(job, __func__, JOB_OPEN))
        return PTO_RESULT_USAGE;
    if (!operand || !*operand)
        return job_refuse(job, __func__, "no file is named");
    add_operand(job, operand);
    return PTO_RESULT_OK;
}

enum pto_result pto_job_text(struct pto_job *job, const char *name, const void *text, size_t size)
{
    struct cli_given *given;
    char *copy;

    if (!job_takes(job, __func__, JOB_OPEN))
        return PTO_RESULT_USAGE;
    if (!name || !*name)
        return job_refuse(job, __func__, "the text has no name");
    if (!text && size)
        return job_refuse(job, __func__, "%zu bytes of '%s' are NULL", size, name);
    if (size > PTO_KERNEL_BYTES)
        return job_refuse(job, __func__, "'%s' has %zu bytes; a kernel has at most %d", name, size,
                          (int)PTO_KERNEL_BYTES);
    given = &job->given;
    copy = pto_arena_alloc(&job->arena, size + 1);
    if (size)
        memcpy(copy, text, size);
    add_operand(job, name);
    PTO_GROW(given->text, given->texts, given->text_capacity);
    given->text[given->texts++] =
        (struct cli_given_text){job->word[job->words - 1], copy, size};
    return PTO_RESULT_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Is it the name, and one of the ranks, that a value may be given to? */
static enum pto_result check_target(struct pto_job *job, const char *function, int rank,
                                    const char *name)
{
    if (!job_takes(job, function, JOB_LOADED))
        return PTO_RESULT_USAGE;
    if (!name || !*name)
        return job_refuse(job, function, "no name is given");
    if (rank < PTO_EVERY_RANK || rank >= PTO_MAX_RANKS)
        return job_refuse(job, function, "'%s' of rank %d: there is no such rank", name, rank);
    return PTO_RESULT_OK;
}

static void set(struct pto_job *job, const struct cli_given_value *value)
{
    struct cli_given *given = &job->given;

    PTO_GROW(given->value, given->values, given->value_capacity);
    given->value[given->values] = *value;
    given->value[given->values++].name = pto_arena_strdup(&job->arena, value->name);
}

enum pto_result pto_job_set_int(struct pto_job *job, int rank, const char *name, int64_t value)
{
    enum pto_result result = check_target(job, __func__, rank, name);

    if (result == PTO_RESULT_OK)
        set(job, &(struct cli_given_value){.name = name, .rank = rank, .integer = value});
    return result;
}

enum pto_result pto_job_set_float(struct pto_job *job, int rank, const char *name, double value)
{
    enum pto_result result = check_target(job, __func__, rank, name);

    if (result == PTO_RESULT_OK && !isfinite(value))
        return job_refuse(job, __func__, "'%s' is to be %g, which is no finite number", name,
                          value);
    if (result == PTO_RESULT_OK)
        set(job, &(struct cli_given_value){name, rank, .is_float = true, .number = value});
    return result;
}

/* ---- arrays --------------------------------------------------------------------------------- */

/* What is wrong with an array; NULL: nothing. */
static const char *wrong_with(int type, unsigned dims, const uint64_t *dim, const void *data)
{
    uint64_t bytes = type < 0 ? 0 : pto_dtype_size((enum pto_dtype)type);
    bool empty = false;

    if (type < 0)
        return "there is no such element type";
    if (dims > PTO_ARRAY_DIMS)
        return "it has more than 6 dimensions";
    if (dims && !dim)
        return "the dimensions are NULL";
    for (unsigned i = 0; i < dims; i++)
        empty |= dim[i] == 0;
    if (empty)
        return NULL;
    for (unsigned i = 0; i < dims; i++)
        if (__builtin_mul_overflow(bytes, dim[i], &bytes))
            return "it is larger than memory can be";
    return data ? NULL : "the contents are NULL";
}

enum pto_result pto_job_bind(struct pto_job *job, int rank, const char *name, const char *dtype,
                             unsigned dims, const uint64_t *dim, const void *data)
{
    static const char nothing[1]; /* what an array without elements points at */
    enum pto_result result = check_target(job, __func__, rank, name);
    int type = dtype ? pto_dtype_find(dtype) : -1;
    const char *why = wrong_with(type, dims, dim, data);
    struct cli_given *given;
    struct cli_given_array *array;

    if (result != PTO_RESULT_OK)
        return result;
    if (why)
        return job_refuse(job, __func__, "'%s' of %s: %s", name, dtype ? dtype : "NULL", why);
    given = &job->given;
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
