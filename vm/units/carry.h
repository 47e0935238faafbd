/* Ranks that other processes have: what leaves for them, and what comes from them.
 *
 * Processes meet between windows, all with all.  Each tells its news, from which all draw the same
 * conclusions, and gives to each what has come together for it: messages for its ranks and, for
 * process 0, what ranks have printed and what observers are to see
 * (docs/decisions/0043-ranks-in-processes.md). */
#ifndef PTO_UNITS_CARRY_H
#define PTO_UNITS_CARRY_H

#include "machine/machine.h"

/* Of one process; after they have met, of all together. */
struct news {
    uint64_t next;    /* the earliest event of a rank, ENGINE_NEVER: none */
    uint64_t fault;   /* when the first rank has faulted, ENGINE_NEVER: none has */
    bool paused;      /* somebody asked for it */
    bool rests;       /* somebody asked for a rest before the next window */
    bool unfinished;  /* a rank has not ended all launches */
    bool woke;        /* pipes that nothing can wake have begun to wait */
    bool watched, causes, values; /* what observers ask for */
    /* --join */
    bool busy;        /* a rank is in a launch */
    unsigned first_launch, last_launch; /* which ranks are to begin */
    uint64_t latest_end;
};

static inline struct news no_news(void)
{
    return (struct news){
        .next = ENGINE_NEVER, .fault = ENGINE_NEVER, .first_launch = UINT32_MAX};
}

/* Deal the ranks; without a carrier this process has them all. */
void carry_create(struct pto_vm *vm);
void carry_free(struct pto_vm *vm);
/* Take over a message for a rank that this process does not have. */
void carry_message(struct pto_vm *vm, struct message *message);
/* Copies, without bytes, of what ranks of others have sent in this window, for the caller to free:
 * append them to vm->sent. */
void carry_announce(struct pto_vm *vm);
/* Meet.  Alone: nothing happens. */
void carry_meet(struct pto_vm *vm, struct news *news);
/* How long after the earliest event of all ranks nothing of another process reaches one of this. */
uint64_t carry_lead(const struct pto_vm *vm);
/* In the end: all get the sums of what all have counted. */
void carry_add_up(struct pto_vm *vm);
/* The next message that came for a rank of this process; NULL: none. */
struct message *carry_arrived(struct pto_vm *vm);
/* Give `data` to process 0, which gets in[p] from each process p; the caller frees what it got. */
void carry_home(struct pto_vm *vm, struct pto_buf *data, struct pto_buf *in);
/* All know what shared wires carry, but each only the ports of its own ranks, in which messages
 * wait: process 0 gets to know those of all. */
void carry_wires(struct pto_vm *vm);
/* Rank number `number` of those of a process; -1: it has fewer.  And what one has at most. */
int carry_rank(const struct pto_vm *vm, int process, int number);
int carry_most(const struct pto_vm *vm);

#endif
