/* Links: what leaves a rank, and the inbox of what is on its way to it. */
#ifndef PTO_UNITS_LINK_H
#define PTO_UNITS_LINK_H

#include "machine/machine.h"
#include "machine/route.h"

struct news;

/* Take the link's bandwidth from now on for bytes that come to the link `owner->way` later, at
 * whose pace of then they leave; returns when the last one is on that way, as far as is known now
 * (turns.h). */
uint64_t link_reserve(struct rank *from, int to, uint64_t bytes, const struct turn *owner);

/* The way to another rank, and back, has been whole from `since` until now; else the instruction
 * faults: false. */
static inline bool link_holds(struct core *core, uint32_t pc, unsigned queue, int to,
                              uint64_t since)
{
    return route_holds(core, pc, queue, to, since, core->rank->now,
                       "choose a route that avoids this pair");
}

/* In all of these `pc` is that of the instruction. */
/* A write leaves a pipe now: packed elements for the window that `word` names on another rank.
 * Takes the payload over. */
void link_send_put(struct core *core, unsigned pipe, uint32_t pc, const uint64_t *word,
                   uint8_t *payload, int atomic);
/* A write of the DMA engine, submission `counter`, leaves now; returns when it is acknowledged.
 * dsb does not wait for it. */
uint64_t link_send_dma(struct core *core, uint64_t counter, uint32_t pc, const uint64_t *word,
                       uint8_t *payload);
/* A signal operation leaves now. */
void link_send_notify(struct core *core, const uint64_t *word, int64_t value, int operation);
/* Ask the owner for the window that `word` names; the reply completes entry `counter` of a pipe,
 * or the submission at that place of the DMA engine's ring.  `bare`: its bytes are not needed. */
void link_send_request(struct core *core, unsigned pipe, uint32_t pc, uint32_t counter,
                       const uint64_t *word, bool bare);
/* Send the window that a request asks for: `payload`, which it takes over; NULL if it is bare. */
void link_send_reply(struct rank *rank, const struct message *request, uint8_t *payload);
/* The last byte of a reply should have left by now: MESSAGE_LEAVING, which it takes over. */
void link_left(struct rank *rank, struct message *reply);
/* Of the window that a message describes. */
uint64_t link_window_bytes(const struct message *message);
/* A cross-core flag reaches sub-core `core` of the same rank after the profile's delay. */
void link_send_cross(struct rank *rank, unsigned core, unsigned id);
/* When a count that is sent now is there. */
uint64_t link_cross_arrival(const struct rank *rank);

/* Earliest arrival in the inbox, ENGINE_NEVER if it is empty. */
static inline uint64_t link_next_arrival(const struct rank *rank)
{
    return rank->inbox_size ? rank->inbox[0]->arrival : ENGINE_NEVER;
}
/* Take the earliest message out of the inbox; the caller frees it and its payload. */
struct message *link_take(struct rank *rank);
/* How long after its arrival a message lands. */
uint64_t link_unseen(const struct rank *rank, const struct message *message);
/* Move what ranks have sent in this window to the inboxes of their targets; what goes to ranks of
 * other processes is with them when all have met. */
void link_exchange(struct pto_vm *vm);
/* Only what stays in this process and meets nothing of others on the way. */
void link_exchange_inside(struct pto_vm *vm);
/* Meet the other processes, with what this one has to tell; take what came for its ranks. */
void link_meet(struct pto_vm *vm, struct news *news);
void link_free(struct rank *rank);

#endif
