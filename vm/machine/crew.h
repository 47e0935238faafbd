/* Host threads that work through numbered items together: run/sched.c hands them the ranks of a
 * window, backlog.c the AI cores of a rank.
 *
 * The caller works too, and never waits for a thread that has not begun an item, so help that
 * comes late or not at all costs nothing.  Threads out of work spin briefly, then sleep.  Signals
 * are left to the caller's thread. */
#ifndef PTO_MACHINE_CREW_H
#define PTO_MACHINE_CREW_H

struct crew;

/* Does item `item`; `worker` tells the threads of the crew apart, 0 being the caller's. */
typedef void crew_work(void *context, int item, unsigned worker);

/* For `items` items, at most `threads` threads: fewer if the host gives no more.  NULL: none but
 * the caller's. */
struct crew *crew_create(unsigned threads, int items, crew_work *work, void *context);
/* Do all items once, in any order. */
void crew_run(struct crew *crew);
void crew_free(struct crew *crew);

#endif
