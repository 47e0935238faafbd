/* Who touches which bytes: for watchpoints, and for the last writer of a value.
 *
 * Accesses are told at the instant at which the machine makes them, just before the bytes are
 * touched.  Watching changes nothing. */
#ifndef PTO_LOOK_TOUCH_H
#define PTO_LOOK_TOUCH_H

#include "vm.h"

/* An on-chip space of a sub-core, or an object of a rank. */
struct pto_place {
    int rank;
    int core;        /* -1: an object */
    unsigned number; /* of the space (enum pto_space), of the object */
};
static inline bool pto_same_place(const struct pto_place *a, const struct pto_place *b)
{
    return a->rank == b->rank && a->core == b->core && a->number == b->number;
}

/* `count` pieces of `length` bytes, `step` bytes apart, counted from the start of the place. */
struct pto_stretch {
    struct pto_place place;
    uint64_t offset, length, step, count;
};

/* One operand of one instruction. */
struct pto_touch {
    struct pto_stretch bytes;
    bool write, atomic;
    bool arrives; /* what was written to another rank lands now */
    /* The instruction; of an arrival: that has sent it. */
    int rank;
    unsigned core;
    uint8_t queue;  /* PTO_PIPE_*, PTO_DMA */
    uint64_t entry; /* of the queue, as in struct pto_event; 0: S itself */
    const struct pto_insn *insn;
    const struct pto_module *module;
    uint64_t time_ps; /* of the access */
    uint64_t mark;    /* of an arrival: what `departs` has given when it left */
};

struct pto_touch_listener {
    void *context;
    /* Is anybody interested in the place?  Others cost nothing more. */
    bool (*wants)(void *context, const struct pto_place *place);
    /* True: tell what the byte *at of the place, one of those written, is made from. */
    bool (*touched)(void *context, const struct pto_touch *touch, uint64_t *at);
    /* What is written to another rank leaves now, made from what there is now: a number that is to
     * come back when it lands.  NULL: none is. */
    uint64_t (*departs)(void *context, const struct pto_touch *sender);
    /* Bytes that it is made from: called for each source, in the order of the operands. */
    void (*source)(void *context, const struct pto_stretch *bytes);
};

struct pto_touches;
/* Before the run, or between two stops.  The listener is copied. */
struct pto_touches *pto_touches_attach(struct pto_vm *vm,
                                       const struct pto_touch_listener *listener);
/* Before the machine is freed. */
void pto_touches_detach(struct pto_touches *touches);

#endif
