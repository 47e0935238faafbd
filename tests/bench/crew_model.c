/* In place of vm/run/crew.c: the items are done one after the other and timed, and at the end
 * stands what other numbers of threads would have made of them.  `threads_model` is ptovm with this
 * crew:
 *   threads_model --threads 2 --ranks 8 run ...
 *
 * Model: a window ends when its last thread is done; threads take items in order as they become
 * free.  What happens between windows, and in windows that are not shared, stays as it is. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "machine/crew.h"

enum { MODEL_THREADS = 64 };

static const unsigned MODEL[] = {1, 2, 4, 8, 16};
enum { MODELS = sizeof MODEL / sizeof *MODEL };

struct crew {
    crew_work *work;
    void *context;
    int items;
    uint64_t windows;
    double began, ended;  /* of the run, about; seconds */
    double shared;        /* spent in windows that are shared */
    double model[MODELS]; /* the same with so many threads */
    double *item;         /* of the window in hand */
};

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct crew *crew_create(unsigned threads, int items, crew_work *work, void *context)
{
    struct crew *crew = pto_xcalloc(1, sizeof *crew);

    (void)threads;
    crew->work = work;
    crew->context = context;
    crew->items = items;
    crew->began = seconds();
    crew->item = pto_xcalloc((size_t)items, sizeof *crew->item);
    return crew;
}

/* When the last of `threads` threads is done that take the items in order. */
static double last_done(const struct crew *crew, unsigned threads)
{
    double busy[MODEL_THREADS] = {0}, last = 0;

    for (int i = 0; i < crew->items; i++) {
        unsigned first = 0;

        for (unsigned t = 1; t < threads; t++)
            first = busy[t] < busy[first] ? t : first;
        busy[first] += crew->item[i];
        last = busy[first] > last ? busy[first] : last;
    }
    return last;
}

void crew_run(struct crew *crew)
{
    double before = seconds(), after;

    for (int i = 0; i < crew->items; i++) {
        crew->work(crew->context, i, 0);
        after = seconds();
        crew->item[i] = after - before;
        crew->shared += after - before;
        before = after;
    }
    crew->windows++;
    crew->ended = before;
    for (unsigned m = 0; m < MODELS; m++)
        crew->model[m] += last_done(crew, MODEL[m]);
}

void crew_free(struct crew *crew)
{
    double all, rest;

    if (!crew)
        return;
    all = crew->ended - crew->began;
    rest = all - crew->shared;
    fprintf(stderr, "%.3f s, of it %.3f in %llu shared windows of %.3f ms;", all, crew->shared,
            (unsigned long long)crew->windows, 1e3 * crew->shared / (double)crew->windows);
    for (unsigned m = 1; m < MODELS; m++)
        fprintf(stderr, " %u threads %.2f", MODEL[m], all / (rest + crew->model[m]));
    fprintf(stderr, "\n");
    free(crew->item);
    free(crew);
}
