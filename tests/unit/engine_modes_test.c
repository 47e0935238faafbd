/* A machine whose scalar units never run ahead of the clock, one that is observed, and one that is
 * paused again and again give the same bytes, the same times and the same statistics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_support.h"

struct kernel_case {
    const char *file, *input[2];
    const char *param[4];
    int64_t value[4];
    uint64_t dim[2][2];
    unsigned dims;
    enum pto_dtype dtype;
    int ranks, cores;
};

static const struct kernel_case cases[] = {
    {.file = "kernels/basic/vadd.pto", .input = {"a", "b"}, .dim = {{30001}, {30001}}, .dims = 1,
     .ranks = 1, .cores = 3},
    {.file = "kernels/basic/softmax.pto", .input = {"x"}, .dim = {{37, 100}}, .dims = 2,
     .ranks = 1, .cores = 2},
    {.file = "kernels/collective/allreduce_ring.pto", .input = {"x"}, .dim = {{5003}}, .dims = 1,
     .ranks = 4, .cores = 2},
    {.file = "kernels/collective/device_barrier.pto", .ranks = 3, .cores = 2},
};

enum mode { FREE_RUNNING, STEPWISE, OBSERVED, PAUSED, MODES };

static void bind(struct engine_run *run, const struct kernel_case *test)
{
    for (unsigned i = 0; i < 2 && test->input[i]; i++) {
        uint64_t count = test->dim[i][0] * (test->dims > 1 ? test->dim[i][1] : 1);
        float *data = malloc(count * sizeof *data);

        for (uint64_t k = 0; k < count; k++)
            data[k] = (float)((k * 2654435761u + i) % 1000) / 7;
        for (int rank = 0; rank < test->ranks; rank++) {
            data[0] = (float)rank;
            assert_int_equal(pto_vm_bind(run->vm, rank, test->input[i], PTO_F32, test->dim[i],
                                         test->dims, data, NULL, &run->diags), PTO_OK);
        }
        free(data);
    }
}

static void count_event(void *context, const struct pto_event *event)
{
    uint64_t *count = context;

    assert_true(event->kind < PTO_EV_FAULT);
    ++*count;
}

struct pauser {
    struct pto_vm *vm;
    uint64_t events;
};

static void pause_often(void *context, const struct pto_event *event)
{
    struct pauser *pauser = context;

    (void)event;
    if (++pauser->events % 97 == 0)
        pto_vm_pause(pauser->vm);
}

static void run_in_mode(struct engine_run *run, const struct kernel_case *test, enum mode mode)
{
    struct pto_vm_options options = {.ranks = test->ranks,
                                     .cores = test->cores,
                                     .stepwise = mode == STEPWISE || mode == PAUSED};
    struct pauser pauser = {0};
    uint64_t events = 0;

    engine_load(run, test->file, NULL);
    engine_create(run, &options);
    bind(run, test);
    engine_prepare(run);
    pauser.vm = run->vm;
    if (mode == OBSERVED)
        pto_vm_observe(run->vm, count_event, &events);
    if (mode == PAUSED)
        pto_vm_observe(run->vm, pause_often, &pauser);
    do {
        assert_int_equal(pto_vm_run(run->vm), PTO_OK);
    } while (!pto_vm_finished(run->vm));
    if (mode == OBSERVED)
        assert_true(events > 100);
    if (mode == PAUSED)
        assert_true(pauser.events > 200);
}

static void compare_ranks(const struct engine_run *a, const struct engine_run *b, int rank)
{
    struct pto_rank_stats left, right;
    struct pto_object_info one, other;

    pto_vm_rank_stats(a->vm, rank, &left);
    pto_vm_rank_stats(b->vm, rank, &right);
    assert_memory_equal(&left, &right, sizeof left);
    for (unsigned i = 0; pto_vm_object(a->vm, rank, i, &one); i++) {
        assert_true(pto_vm_object(b->vm, rank, i, &other));
        assert_int_equal(one.size, other.size);
        if (one.size)
            assert_memory_equal(one.data, other.data, one.size);
    }
}

static void all_modes_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct engine_run reference;

        run_in_mode(&reference, &cases[i], FREE_RUNNING);
        for (enum mode mode = STEPWISE; mode < MODES; mode++) {
            struct engine_run run;

            run_in_mode(&run, &cases[i], mode);
            assert_int_equal(pto_vm_time(run.vm), pto_vm_time(reference.vm));
            for (int rank = 0; rank < cases[i].ranks; rank++)
                compare_ranks(&reference, &run, rank);
            engine_free(&run);
        }
        engine_free(&reference);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_modes_agree)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
