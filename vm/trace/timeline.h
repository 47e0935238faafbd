/* The text of a timeline, in the JSON format of Chrome's trace viewer, which Perfetto reads
 * (Perfetto documentation, "Visualizing external trace formats"), or as MindStudio Insight wants
 * it.
 *
 * A process is a rank, a thread is a pipe of a sub-core (tid = 16 * sub-core + pipe); further
 * threads show what leaves for and comes from every other rank.  For Insight a process is a
 * sub-core.  Processes and threads are named when they first occur.  One event a line.
 *
 * Viewers know nanoseconds.  They would round begins and lengths each for itself, after which
 * slices overlap that only touch, and leave such slices out; so begins and ends are rounded down
 * here, which keeps what follows or holds what.  The exact picoseconds are among the arguments. */
#ifndef PTO_TRACE_TIMELINE_H
#define PTO_TRACE_TIMELINE_H

#include "arena.h"
#include "cli/trace_choice.h"
#include "data/spool.h"
#include "trace/text.h"
#include "vm.h"

struct timeline {
    struct pto_buf text; /* what the spool does not have yet */
    struct spool spool;
    uint64_t most, events, dropped;
    struct pto_vm *vm;
    int ranks;
    unsigned cores;
    bool insight, begun;
    bool *pipe_named; /* [rank][sub-core][queue] */
    bool *rank_named;
    struct trace_map peer_named; /* by rank and thread */
};

enum timeline_direction { TIMELINE_TO, TIMELINE_FROM };

struct timeline_slice {
    enum trace_kind kind;
    const char *before, *name; /* put together; they need no escapes */
    int rank;
    unsigned tid;
    uint64_t start, end;  /* as it is shown */
    uint64_t last;        /* when it was over; 0: at its end */
    uint64_t bytes;       /* 0: not said */
    const struct trace_insn *insn; /* NULL: none */
    const uint64_t *value; /* for the holes of its text; NULL: the text is left out */
    bool unfinished;
};

/* For a file at `path`; a failure sets *why, and the timeline is to be freed. */
enum pto_status timeline_start(struct timeline *t, struct pto_vm *vm,
                               const struct trace_choice *choice, const char *path,
                               const char **why);
void timeline_free(struct timeline *t);

/* Is there room for `events` more?  They are counted as recorded or as dropped. */
bool timeline_admit(struct timeline *t, unsigned events);

/* Thread of a pipe, and of the messages to or from another rank. */
unsigned timeline_pipe(struct timeline *t, int rank, unsigned core, unsigned pipe);
unsigned timeline_peer(struct timeline *t, int rank, enum timeline_direction direction, int peer);

void timeline_slice(struct timeline *t, const struct timeline_slice *slice);
/* One end of an arrow: 's' where it starts, 'f' where it ends, at the slice that was written last:
 * viewers bind it to the latest one of the thread. */
void timeline_arrow(struct timeline *t, char end, uint64_t id, enum trace_kind kind,
                    const struct timeline_slice *at, uint64_t when);
/* 'B', the begin of a region, or 'E', its end; `began` is that of its begin. */
void timeline_region(struct timeline *t, char end, const char *name, int rank, unsigned tid,
                     uint64_t began, uint64_t when);
/* Values of a counter of a rank from this time on, in thousandths. */
struct timeline_counter {
    const char *name;
    unsigned count;
    const char *series[2];
    uint64_t value[2];
};
void timeline_counter(struct timeline *t, int rank, const struct timeline_counter *counter,
                      uint64_t when);
/* A mark without length. */
void timeline_mark(struct timeline *t, const char *name, const char *message, int rank,
                   unsigned tid, uint64_t when);
/* The last lines; the file is complete then. */
enum pto_status timeline_end(struct timeline *t, const char *path, const char **why);

#endif
