#include "crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "arena.h"

enum { SPINS = 1000 }; /* some 40 us, about what it takes to wake a thread */

/* The items that a worker begins with, so that they stay in its caches; others help when they have
 * done theirs. */
struct share {
    _Alignas(64) atomic_int next;
    int begin, end;
};

struct worker {
    struct crew *crew;
    unsigned number;
    pthread_t thread;
};

struct crew {
    crew_work *work;
    void *context;
    int items;
    unsigned workers; /* the caller's thread included: worker 0 */
    struct worker *worker;
    struct share *share;
    atomic_uint round; /* counts calls of crew_run */
    atomic_int left;   /* items of this round that are not done */
    atomic_bool quit;
    atomic_uint sleepers;
    atomic_bool caller_sleeps;
    pthread_mutex_t lock; /* for sleeping alone */
    pthread_cond_t begun, done;
};

static inline void pause_briefly(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

/* ---- work --------------------------------------------------------------------------------- */

static void finish_item(struct crew *crew)
{
    if (atomic_fetch_sub(&crew->left, 1) > 1 || !atomic_load(&crew->caller_sleeps))
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_signal(&crew->done);
    pthread_mutex_unlock(&crew->lock);
}

/* Who comes late finds nothing in a share, or items of the next round, which are as good. */
static void work_share(struct crew *crew, struct share *share, unsigned worker)
{
    int item;

    while ((item = atomic_fetch_add(&share->next, 1)) < share->end) {
        crew->work(crew->context, item, worker);
        finish_item(crew);
    }
}

static void work_all(struct crew *crew, unsigned worker)
{
    for (unsigned i = 0; i < crew->workers; i++)
        work_share(crew, &crew->share[(worker + i) % crew->workers], worker);
}

/* ---- waiting ------------------------------------------------------------------------------ */

static bool has_begun(struct crew *crew, unsigned seen)
{
    return atomic_load(&crew->round) != seen || atomic_load(&crew->quit);
}

static void wait_for_round(struct crew *crew, unsigned seen)
{
    for (unsigned i = 0; i < SPINS; i++) {
        if (has_begun(crew, seen))
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->sleepers, 1);
    while (!has_begun(crew, seen))
        pthread_cond_wait(&crew->begun, &crew->lock);
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void wait_for_others(struct crew *crew)
{
    for (unsigned i = 0; i < SPINS; i++) {
        if (!atomic_load(&crew->left))
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_store(&crew->caller_sleeps, true);
    while (atomic_load(&crew->left))
        pthread_cond_wait(&crew->done, &crew->lock);
    atomic_store(&crew->caller_sleeps, false);
    pthread_mutex_unlock(&crew->lock);
}

static void wake_all(struct crew *crew)
{
    if (!atomic_load(&crew->sleepers))
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
}

static void *help(void *context)
{
    struct worker *worker = context;
    struct crew *crew = worker->crew;
    unsigned seen = 0;

    while (!atomic_load(&crew->quit)) {
        wait_for_round(crew, seen);
        seen = atomic_load(&crew->round);
        work_all(crew, worker->number);
    }
    return NULL;
}

/* ---- the crew ----------------------------------------------------------------------------- */

static void divide(struct crew *crew)
{
    int workers = (int)crew->workers;

    for (int i = 0; i < workers; i++) {
        struct share *share = &crew->share[i];

        share->begin = (int)((long)crew->items * i / workers);
        share->end = (int)((long)crew->items * (i + 1) / workers);
        atomic_init(&share->next, share->end);
    }
}

/* Threads that wait for the first round.  Those that the host refuses are missed by nobody: what
 * would be theirs to begin with is left to the others. */
static void hire(struct crew *crew)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 1; i < crew->workers; i++) {
        struct worker *worker = &crew->worker[i];

        *worker = (struct worker){.crew = crew, .number = i};
        if (pthread_create(&worker->thread, NULL, help, worker) != 0)
            worker->crew = NULL;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct crew *crew_create(unsigned threads, int items, crew_work *work, void *context)
{
    struct crew *crew;

    if (threads > (unsigned)items)
        threads = (unsigned)items;
    if (threads < 2)
        return NULL;
    crew = pto_xcalloc(1, sizeof *crew);
    crew->work = work;
    crew->context = context;
    crew->items = items;
    crew->workers = threads;
    crew->worker = pto_xcalloc(threads, sizeof *crew->worker);
    crew->share = aligned_alloc(64, threads * sizeof *crew->share);
    if (!crew->share)
        pto_out_of_memory(threads * sizeof *crew->share);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begun, NULL);
    pthread_cond_init(&crew->done, NULL);
    divide(crew);
    hire(crew);
    return crew;
}

void crew_run(struct crew *crew)
{
    atomic_store(&crew->left, crew->items);
    for (unsigned i = 0; i < crew->workers; i++)
        atomic_store(&crew->share[i].next, crew->share[i].begin);
    atomic_fetch_add(&crew->round, 1);
    wake_all(crew);
    work_all(crew, 0);
    wait_for_others(crew);
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    atomic_store(&crew->quit, true);
    wake_all(crew);
    for (unsigned i = 1; i < crew->workers; i++)
        if (crew->worker[i].crew)
            pthread_join(crew->worker[i].thread, NULL);
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->begun);
    pthread_mutex_destroy(&crew->lock);
    free(crew->share);
    free(crew->worker);
    free(crew);
}
