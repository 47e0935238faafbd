/* Jobs that are stopped at any moment, and jobs of two threads at the same time. */
#include <pthread.h>

#include "jobs.h"

static const char ENDLESS[] =
    ".kernel endless\n"
    ".core aiv\n"
    "    .if vec_id() == 0\n"
    "        print \"begun\"\n"
    "        %i = 0\n"
    "again:\n"
    "        %i = %i + 1\n"
    "        jump again\n"
    "    .endif\n";
static void stop_from_within(void *context, int rank, const char *core, uint64_t time_ps,
                             const char *line)
{
    (void)rank;
    (void)core;
    (void)time_ps;
    (void)line;
    pto_job_stop(context);
}

static void *stop_from_beside(void *context)
{
    pto_job_stop(context);
    return NULL;
}

/* Whenever the stop comes, the run ends by it; max-insns would end it with PTO_RESULT_LIMIT. */
static void stopped(void **state)
{
    struct pto_job *job = job_of(ENDLESS);

    (void)state;
    pto_job_print(job, stop_from_within, job);
    assert_int_equal(pto_job_run(job), PTO_RESULT_STOPPED);
    pto_job_free(job);

    job = job_of(ENDLESS);
    pto_job_stop(job);
    assert_int_equal(pto_job_run(job), PTO_RESULT_STOPPED);
    assert_int_equal(pto_job_run(job), PTO_RESULT_STOPPED);
    pto_job_free(job);

    for (int i = 0; i < 50; i++) {
        pthread_t beside;

        job = job_of(ENDLESS);
        pto_job_option(job, "max-insns", "200000000");
        assert_int_equal(pto_job_load(job), PTO_RESULT_OK);
        assert_int_equal(pthread_create(&beside, NULL, stop_from_beside, job), 0);
        assert_int_equal(pto_job_run(job), PTO_RESULT_STOPPED);
        pthread_join(beside, NULL);
        pto_job_free(job);
    }
}

static void *run_many(void *context)
{
    float first = *(float *)context, mine[COUNT];
    uintptr_t right = 0;

    for (int i = 0; i < COUNT; i++)
        mine[i] = first + (float)i;
    for (int round = 0; round < 20; round++) {
        struct pto_job *job = job_of(COPY);
        struct pto_job_array c;

        pto_job_bind(job, PTO_EVERY_RANK, "a", "f32", 1, &(uint64_t){COUNT}, mine);
        right += pto_job_run(job) == PTO_RESULT_OK && pto_job_find(job, 0, "c", &c) &&
                 c.size == sizeof mine && !memcmp(c.data, mine, sizeof mine);
        pto_job_free(job);
    }
    return (void *)right;
}

static void two_threads(void **state)
{
    float first[2] = {1, 1000};
    pthread_t thread[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_many, &first[i]), 0);
    for (int i = 0; i < 2; i++) {
        void *right;

        pthread_join(thread[i], &right);
        assert_int_equal((uintptr_t)right, 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped),
        cmocka_unit_test(two_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
