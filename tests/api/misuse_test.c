/* What no caller should do: NULL, jobs that are gone, calls out of order or from callbacks.
 * examples_test.py sees to it that every function of pto.h has a row in FUNCTION. */
#include <math.h>
#include <stdio.h>

#include "jobs.h"

enum { SHELLS = 64 };

static const char FAULTS[] =
    ".kernel faults\n"
    ".core aiv\n"
    "    .if vec_id() == 0\n"
    "        %zero = vec_id()\n"
    "        %i = 1 / %zero\n"
    "    .endif\n";

static float input[COUNT];
static const uint64_t extent = COUNT;

/* A job that would run. */
static struct pto_job *good(void)
{
    struct pto_job *job = pto_job_new();

    assert_int_equal(pto_job_option(job, "cores", "1"), PTO_RESULT_OK);
    assert_int_equal(pto_job_text(job, "copy.pto", COPY, sizeof COPY - 1), PTO_RESULT_OK);
    assert_int_equal(pto_job_bind(job, PTO_EVERY_RANK, "a", "f32", 1, &extent, input),
                     PTO_RESULT_OK);
    return job;
}

/* ---- every function ------------------------------------------------------------------------- */

static void observe(void *context, const struct pto_job_event *event)
{
    (void)context;
    (void)event;
}

static void print(void *context, int rank, const char *core, uint64_t time_ps, const char *line)
{
    (void)context;
    (void)rank;
    (void)core;
    (void)time_ps;
    (void)line;
}

/* What a function with right arguments says to a job. */
enum kind { RESULT, FOUND, TEXT, NOTHING };
union answer {
    int number;
    const char *text;
};

#define CALL(name, kind, member, expression)                                                       \
    static union answer call_##name(struct pto_job *job)                                           \
    {                                                                                              \
        union answer answer = {0};                                                                 \
        answer.member = (expression);                                                              \
        return answer;                                                                             \
    }
#define CALLS                                                                                      \
    ROW(pto_job_option, RESULT, number, (int)pto_job_option(job, "join", NULL))                    \
    ROW(pto_job_file, RESULT, number, (int)pto_job_file(job, "x.pto"))                             \
    ROW(pto_job_text, RESULT, number, (int)pto_job_text(job, "x", COPY, sizeof COPY - 1))          \
    ROW(pto_job_set_int, RESULT, number, (int)pto_job_set_int(job, 0, "n", COUNT))                 \
    ROW(pto_job_set_float, RESULT, number, (int)pto_job_set_float(job, 0, "f", 1.0))               \
    ROW(pto_job_bind, RESULT, number,                                                              \
        (int)pto_job_bind(job, 0, "a", "f32", 1, &extent, input))                                  \
    ROW(pto_job_observe, RESULT, number, (int)pto_job_observe(job, observe, NULL))                 \
    ROW(pto_job_print, RESULT, number, (int)pto_job_print(job, print, NULL))                       \
    ROW(pto_job_load, RESULT, number, (int)pto_job_load(job))                                      \
    ROW(pto_job_run, RESULT, number, (int)pto_job_run(job))                                        \
    ROW(pto_job_name, FOUND, number, pto_job_name(job, 0, &(struct pto_job_name){0}))              \
    ROW(pto_job_array, FOUND, number, pto_job_array(job, 0, 0, &(struct pto_job_array){0}))        \
    ROW(pto_job_find, FOUND, number, pto_job_find(job, 0, "c", &(struct pto_job_array){0}))        \
    ROW(pto_job_ranks, FOUND, number, pto_job_ranks(job))                                          \
    ROW(pto_job_message, FOUND, number, pto_job_message(job, 0, &(struct pto_job_message){0}))     \
    ROW(pto_job_finding, FOUND, number, pto_job_finding(job, 0, &(struct pto_job_finding){0}))     \
    ROW(pto_job_explain, TEXT, text, pto_job_explain(job))                                         \
    ROW(pto_job_summary, TEXT, text, pto_job_summary(job))                                         \
    ROW(pto_job_report, TEXT, text, pto_job_report(job))                                           \
    ROW(pto_job_statistics, FOUND, number, (int)time_of(job))                                      \
    ROW(pto_job_stop, NOTHING, number, (pto_job_stop(job), 0))                                     \
    ROW(pto_job_free, NOTHING, number, (pto_job_free(job), 0))

static uint64_t time_of(const struct pto_job *job)
{
    struct pto_job_statistics statistics = {.time_ps = 1};

    pto_job_statistics(job, PTO_EVERY_RANK, &statistics);
    return statistics.time_ps;
}

#define ROW CALL
CALLS
#undef ROW

static const struct {
    const char *name;
    enum kind kind;
    union answer (*call)(struct pto_job *job);
} FUNCTION[] = {
#define ROW(name, kind, member, expression) {#name, kind, call_##name},
    CALLS
#undef ROW
};
enum { FUNCTIONS = sizeof FUNCTION / sizeof *FUNCTION };

static void assert_refuses(struct pto_job *job, int function)
{
    const union answer answer = FUNCTION[function].call(job);

    print_message("%s\n", FUNCTION[function].name);
    if (FUNCTION[function].kind == RESULT)
        assert_int_equal(answer.number, PTO_RESULT_USAGE);
    else if (FUNCTION[function].kind == FOUND)
        assert_int_equal(answer.number, 0);
    else if (FUNCTION[function].kind == TEXT)
        assert_non_null(answer.text);
}

static void no_job(void **state)
{
    struct pto_job *gone = good();

    (void)state;
    assert_int_equal(pto_job_run(gone), PTO_RESULT_OK);
    pto_job_free(gone);
    for (int f = 0; f < FUNCTIONS; f++) {
        assert_refuses(NULL, f);
        assert_refuses(gone, f);
    }
    assert_non_null(strstr(pto_job_explain(NULL), "there is no job"));
    assert_non_null(strstr(pto_job_explain(gone), "has been freed"));
    assert_string_equal(pto_job_summary(gone), "");
    assert_string_equal(pto_job_report(NULL), "");
}

/* What is freed again is no other job's memory. */
static void freed_twice(void **state)
{
    struct pto_job *first = good(), *later[SHELLS];

    (void)state;
    pto_job_free(first);
    for (int i = 0; i < SHELLS; i++)
        later[i] = good();
    for (int i = 0; i < SHELLS - 1; i++) {
        pto_job_free(first);
        pto_job_free(later[i]);
    }
    assert_int_equal(pto_job_run(later[SHELLS - 1]), PTO_RESULT_OK);
    pto_job_free(later[SHELLS - 1]);
    for (int i = 1; i < SHELLS; i++)
        pto_job_free(later[i]);
}

/* ---- wrong arguments ------------------------------------------------------------------------ */

static const uint64_t HUGE_DIM[] = {UINT64_C(1) << 40, UINT64_C(1) << 40};
static const uint64_t SMALL_DIM[] = {1, 1, 1, 1, 1, 1, 1};

#define WRONG_CALLS                                                                                \
    ROW(pto_job_option(job, NULL, "1"), "pto_job_option: 'NULL' is no name of an option")          \
    ROW(pto_job_option(job, "", NULL), "pto_job_option: '' is no name of an option")               \
    ROW(pto_job_option(job, "set=n", "1"), "pto_job_option: 'set=n' is no name of an option")      \
    ROW(pto_job_option(job, "include", NULL), "option 'include': it wants a value")                \
    ROW(pto_job_option(job, "includ", NULL), "option 'includ': there is none of this name")        \
    ROW(pto_job_file(job, NULL), "pto_job_file: no file is named")                                 \
    ROW(pto_job_file(job, ""), "pto_job_file: no file is named")                                   \
    ROW(pto_job_text(job, NULL, COPY, 1), "pto_job_text: the text has no name")                    \
    ROW(pto_job_text(job, "", COPY, 1), "pto_job_text: the text has no name")                      \
    ROW(pto_job_text(job, "x", NULL, 5), "pto_job_text: 5 bytes of 'x' are NULL")                  \
    ROW(pto_job_text(job, "x", COPY, SIZE_MAX), "a kernel has at most 67108864")                   \
    ROW(pto_job_set_int(job, 0, NULL, 1), "pto_job_set_int: no name is given")                     \
    ROW(pto_job_set_int(job, -2, "n", 1), "pto_job_set_int: 'n' of rank -2: there is no such")     \
    ROW(pto_job_set_int(job, 4096, "n", 1), "pto_job_set_int: 'n' of rank 4096: there is no")      \
    ROW(pto_job_set_float(job, 0, "", 1), "pto_job_set_float: no name is given")                   \
    ROW(pto_job_set_float(job, 0, "f", NAN), "pto_job_set_float: 'f' is to be nan, which is")      \
    ROW(pto_job_set_float(job, 0, "f", -INFINITY), "pto_job_set_float: 'f' is to be -inf")         \
    ROW(pto_job_bind(job, 0, NULL, "f32", 1, &extent, input), "pto_job_bind: no name is given")    \
    ROW(pto_job_bind(job, -3, "a", "f32", 1, &extent, input), "pto_job_bind: 'a' of rank -3")      \
    ROW(pto_job_bind(job, 0, "a", NULL, 1, &extent, input),                                        \
        "pto_job_bind: 'a' of NULL: there is no such element type")                                \
    ROW(pto_job_bind(job, 0, "a", "f33", 1, &extent, input),                                       \
        "pto_job_bind: 'a' of f33: there is no such element type")                                 \
    ROW(pto_job_bind(job, 0, "a", "f32", 7, SMALL_DIM, input),                                     \
        "pto_job_bind: 'a' of f32: it has more than 6 dimensions")                                 \
    ROW(pto_job_bind(job, 0, "a", "f32", 1, NULL, input), "the dimensions are NULL")               \
    ROW(pto_job_bind(job, 0, "a", "f32", 1, &extent, NULL), "the contents are NULL")               \
    ROW(pto_job_bind(job, 0, "a", "f32", 0, NULL, NULL), "the contents are NULL")                  \
    ROW(pto_job_bind(job, 0, "a", "f32", 2, HUGE_DIM, input), "larger than memory can be")         \
    ROW(pto_job_observe(job, NULL, NULL), "pto_job_observe: the observer is NULL")

static enum pto_result wrong_call(struct pto_job *job, int number, const char **message)
{
    int row = 0;

#define ROW(expression, said)                                                                      \
    if (row++ == number) {                                                                         \
        *message = said;                                                                           \
        return expression;                                                                         \
    }
    WRONG_CALLS
#undef ROW
    *message = NULL;
    return PTO_RESULT_OK;
}

/* Each is refused with its reason, and what is left does not run. */
static void wrong_arguments(void **state)
{
    (void)state;
    for (int number = 0;; number++) {
        struct pto_job *job = good();
        struct pto_job_message first;
        const char *message;
        enum pto_result result = wrong_call(job, number, &message);

        if (!message) {
            pto_job_free(job);
            assert_true(number > 20);
            return;
        }
        print_message("%s\n", message);
        assert_int_equal(result, PTO_RESULT_USAGE);
        assert_int_equal(pto_job_run(job), PTO_RESULT_USAGE);
        assert_non_null(strstr(pto_job_explain(job), message));
        assert_true(pto_job_message(job, 0, &first));
        assert_string_equal(first.severity, "error");
        assert_int_equal(pto_job_ranks(job), 0);
        assert_non_null(strstr(pto_job_report(job), message));
        pto_job_free(job);
    }
}

/* The first element of the result on a rank. */
static float first_of(const struct pto_job *job, int rank)
{
    struct pto_job_array c;

    assert_int_equal(pto_job_find(job, rank, "c", &c), 1);
    return *(const float *)c.data;
}

/* What is given again takes the place of what was given before, whatever ranks it was for. */
static void given_again(void **state)
{
    enum { ALL = PTO_EVERY_RANK };
    static const struct {
        int first, second;
        float rank[2]; /* what the ranks have in the end: the first array holds 1, the second 2 */
    } row[] = {{ALL, ALL, {2, 2}}, {ALL, 1, {1, 2}}, {1, ALL, {2, 2}}, {0, 1, {1, 2}}};
    float one[COUNT], two[COUNT];

    (void)state;
    for (unsigned i = 0; i < COUNT; i++) {
        one[i] = 1;
        two[i] = 2;
    }
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct pto_job *job = job_of(COPY);

        pto_job_option(job, "ranks", "2");
        assert_int_equal(pto_job_bind(job, row[i].first, "a", "f32", 1, &extent, one), 0);
        assert_int_equal(pto_job_bind(job, row[i].second, "a", "f32", 1, &extent, two), 0);
        assert_int_equal(pto_job_run(job), PTO_RESULT_OK);
        assert_float_equal(first_of(job, 0), row[i].rank[0], 0);
        assert_float_equal(first_of(job, 1), row[i].rank[1], 0);
        pto_job_free(job);
    }
}

/* An option and a function for one name: neither is dropped without a word. */
static void given_two_ways(void **state)
{
    struct pto_job *job = good();

    (void)state;
    pto_job_option(job, "set", "n=10");
    assert_int_equal(pto_job_set_int(job, 0, "n", COUNT), PTO_RESULT_OK);
    assert_int_equal(pto_job_run(job), PTO_RESULT_USAGE);
    assert_non_null(strstr(pto_job_explain(job),
                           "'n' is given by option 'set' and by the host program"));
    pto_job_free(job);
    job = good();
    pto_job_option(job, "in", "a=zeros");
    assert_int_equal(pto_job_run(job), PTO_RESULT_USAGE);
    assert_non_null(strstr(pto_job_explain(job),
                           "'a' is given by option 'in' and by the host program"));
    pto_job_free(job);
}

static void nowhere_to_answer(void **state)
{
    struct pto_job *job = good();
    struct pto_job_array c;

    (void)state;
    assert_int_equal(pto_job_run(job), PTO_RESULT_OK);
    assert_int_equal(pto_job_name(job, 0, NULL), 0);
    assert_int_equal(pto_job_array(job, 0, 0, NULL), 0);
    assert_int_equal(pto_job_find(job, 0, "c", NULL), 0);
    assert_int_equal(pto_job_find(job, 0, NULL, &c), 0);
    assert_int_equal(pto_job_message(job, 0, NULL), 0);
    assert_int_equal(pto_job_finding(job, 0, NULL), 0);
    pto_job_statistics(job, 0, NULL);
    assert_int_equal(pto_job_find(job, -1, "c", &c), 0);
    assert_int_equal(pto_job_find(job, 1, "c", &c), 0);
    assert_int_equal(pto_job_find(job, 0, "c", &c), 1);
    pto_job_free(job);
}

/* What writes files, or acts on the process, is no option of a job. */
static void options_of_the_program(void **state)
{
    static const char *const option[][2] = {
        {"checkpoint", "x"}, {"resume", "x"},     {"every", "1s"},       {"core", "x"},
        {"record", "x"},     {"report", "x"},     {"trace", "x"},        {"trace-kinds", "pipe"},
        {"deal", "cyclic"},  {"out", "c=x"},      {"expect", "c=zeros"}, {"json", "x"},
        {"timeout", "1s"},   {"critical-path", NULL}, {"verbose", NULL}, {"sarif", "x"}};

    (void)state;
    for (unsigned i = 0; i < sizeof option / sizeof *option; i++) {
        struct pto_job *job = good();

        print_message("%s\n", option[i][0]);
        pto_job_option(job, option[i][0], option[i][1]);
        assert_int_equal(pto_job_run(job), PTO_RESULT_USAGE);
        assert_int_equal(pto_job_ranks(job), 0);
        pto_job_free(job);
    }
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Before the run there is nothing to show, and no function fails. */
static void too_early(void **state)
{
    struct pto_job *job = good();

    (void)state;
    assert_int_equal(pto_job_name(job, 0, &(struct pto_job_name){0}), 0);
    assert_int_equal(pto_job_find(job, 0, "c", &(struct pto_job_array){0}), 0);
    assert_int_equal(pto_job_finding(job, 0, &(struct pto_job_finding){0}), 0);
    assert_int_equal(time_of(job), 0);
    assert_string_equal(pto_job_explain(job), "");
    assert_string_equal(pto_job_summary(job), "");
    assert_non_null(strstr(pto_job_report(job), "pto-report/1"));
    assert_int_equal(pto_job_run(job), PTO_RESULT_OK);
    pto_job_free(job);
}

static void too_late_for_words(void **state)
{
    (void)state;
    for (int f = 0; f < FUNCTIONS && strcmp(FUNCTION[f].name, "pto_job_set_int") != 0; f++) {
        struct pto_job *job = good();

        assert_int_equal(pto_job_load(job), PTO_RESULT_OK);
        assert_refuses(job, f);
        assert_int_equal(pto_job_run(job), PTO_RESULT_USAGE);
        assert_non_null(strstr(pto_job_explain(job), "it comes too late"));
        pto_job_free(job);
    }
}

/* A job that has run stays as it is. */
static void too_late_for_all(void **state)
{
    struct pto_job *job = good();
    uint64_t time;

    (void)state;
    assert_int_equal(pto_job_run(job), PTO_RESULT_OK);
    time = time_of(job);
    assert_true(time > 0);
    for (int f = 0; f < FUNCTIONS && strcmp(FUNCTION[f].name, "pto_job_load") != 0; f++)
        assert_refuses(job, f);
    assert_int_equal(pto_job_bind(job, 0, "a", "f33", 9, NULL, NULL), PTO_RESULT_USAGE);
    pto_job_stop(job);
    assert_int_equal(pto_job_load(job), PTO_RESULT_OK);
    assert_int_equal(pto_job_run(job), PTO_RESULT_OK);
    assert_string_equal(pto_job_explain(job), "");
    assert_int_equal(time_of(job), time);
    pto_job_free(job);
}

static void fourth_observer(void **state)
{
    struct pto_job *job = good();

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pto_job_observe(job, observe, NULL), PTO_RESULT_OK);
    assert_int_equal(pto_job_observe(job, observe, NULL), PTO_RESULT_USAGE);
    assert_int_equal(pto_job_run(job), PTO_RESULT_USAGE);
    pto_job_free(job);
}

static void after_a_failure(void **state)
{
    struct pto_job *job = job_of(FAULTS), *other = job_of(".kernel nothing\n");

    (void)state;
    assert_int_equal(pto_job_run(job), PTO_RESULT_PROGRAM);
    assert_int_equal(pto_job_run(job), PTO_RESULT_PROGRAM);
    assert_int_equal(pto_job_load(job), PTO_RESULT_PROGRAM);
    assert_int_equal(pto_job_ranks(job), 1);
    assert_non_null(strstr(pto_job_explain(job), "division by zero"));
    assert_int_equal(pto_job_set_int(job, 0, "n", 1), PTO_RESULT_USAGE);
    pto_job_free(job);

    assert_int_equal(pto_job_load(other), PTO_RESULT_PROGRAM);
    assert_int_equal(pto_job_run(other), PTO_RESULT_PROGRAM);
    assert_int_equal(pto_job_ranks(other), 0);
    assert_int_equal(pto_job_name(other, 0, &(struct pto_job_name){0}), 0);
    assert_string_equal(pto_job_summary(other), "");
    pto_job_free(other);
}

/* ---- callbacks ------------ ------------------------------------------------------------------ */

static void misuse_from_within(void *context, int rank, const char *core, uint64_t time_ps,
                               const char *line)
{
    struct pto_job *job = context;

    (void)rank;
    (void)core;
    (void)time_ps;
    (void)line;
    for (int f = 0; f < FUNCTIONS; f++)
        if (strcmp(FUNCTION[f].name, "pto_job_stop") != 0 &&
            strcmp(FUNCTION[f].name, "pto_job_name") != 0)
            assert_refuses(job, f);
    assert_int_equal(pto_job_name(job, 0, &(struct pto_job_name){0}), 1);
    assert_string_equal(pto_job_explain(job), "error: the job is running\n");
}

static void from_a_callback(void **state)
{
    struct pto_job *job = good();

    (void)state;
    pto_job_print(job, misuse_from_within, job);
    assert_int_equal(pto_job_run(job), PTO_RESULT_OK);
    assert_string_equal(pto_job_explain(job), "");
    pto_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_job),
        cmocka_unit_test(freed_twice),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(given_again),
        cmocka_unit_test(given_two_ways),
        cmocka_unit_test(nowhere_to_answer),
        cmocka_unit_test(options_of_the_program),
        cmocka_unit_test(too_early),
        cmocka_unit_test(too_late_for_words),
        cmocka_unit_test(too_late_for_all),
        cmocka_unit_test(fourth_observer),
        cmocka_unit_test(after_a_failure),
        cmocka_unit_test(from_a_callback),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
