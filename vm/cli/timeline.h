/* The text of a timeline, in the JSON format of Chrome's trace viewer, which Perfetto reads
 * (Perfetto documentation, "Visualizing external trace formats").
 *
 * A process is a rank, a thread is a pipe of a sub-core (tid = 16 * sub-core + pipe); further
 * threads show what leaves for and comes from every other rank.  Processes and threads are named
 * when they first occur.  Times are microseconds with six decimals, which are picoseconds.  One
 * event a line. */
#ifndef PTO_CLI_TIMELINE_H
#define PTO_CLI_TIMELINE_H

#include "arena.h"
#include "vm.h"

struct timeline {
    struct pto_buf text;
    uint64_t max_events, events, dropped;
    struct pto_vm *vm;
    int ranks;
    unsigned cores;
    bool *pipe_named; /* [rank][sub-core][queue] */
    bool *rank_named;
    bool *peer_named; /* [rank][direction][peer] */
};

enum timeline_direction { TIMELINE_TO, TIMELINE_FROM };

/* What a slice stands for. */
struct span {
    uint64_t start, bytes; /* 0 bytes: not said */
    const struct pto_insn *insn; /* NULL: none */
    const struct pto_module *module;
};

void timeline_start(struct timeline *t, struct pto_vm *vm, uint64_t max_events);
void timeline_free(struct timeline *t);

/* Is there room for one more event?  It is counted as recorded or as dropped. */
bool timeline_admit(struct timeline *t);

/* Thread of a pipe, and of the messages to or from another rank. */
unsigned timeline_pipe(struct timeline *t, int rank, unsigned core, unsigned pipe);
unsigned timeline_peer(struct timeline *t, int rank, enum timeline_direction direction, int peer);

/* A slice up to its arguments, which timeline_close writes; `name` is copied as it is and needs no
 * escapes. */
void timeline_open(struct timeline *t, const char *category, const char *name, int rank,
                   unsigned tid, uint64_t start, uint64_t duration);
void timeline_close(struct timeline *t, const struct span *span, uint64_t end, bool unfinished);
/* One end of an arrow: 's' where it starts, 'f' where it ends.  Admits itself.  Viewers bind an
 * arrow to the slice that was opened last, so it has to follow at once. */
void timeline_arrow(struct timeline *t, char end, const char *category, uint64_t id, int rank,
                    unsigned tid, uint64_t when);
/* 'B', the begin of a region with this name, or 'E', the end of the latest one (no name). */
void timeline_region(struct timeline *t, char end, const char *name, int rank, unsigned tid,
                     uint64_t when);
/* The last line, with what there is to know of the whole; t->text is complete then. */
void timeline_end(struct timeline *t);

#endif
