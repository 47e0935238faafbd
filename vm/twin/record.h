/* What the instructions of a run write, in the order in which each unit of the machine does it.
 *
 * A unit is a queue of a sub-core, and beside it, for every rank that it sends to, what lands
 * there.  Times move writes of different units against each other, never those of one. */
#ifndef PTO_TWIN_RECORD_H
#define PTO_TWIN_RECORD_H

#include "look/touch.h"

struct twin_unit {
    int rank;
    unsigned core;
    uint8_t queue;
    int to; /* -1: on its own rank */
};

/* What one instruction wrote. */
struct twin_write {
    uint64_t hash; /* of the bytes */
    uint64_t bytes, offset, time_ps;
    uint64_t event; /* as ptodbg counts them */
    uint64_t entry; /* of the queue */
    const struct pto_insn *insn;
    const struct pto_module *module;
    const char *object; /* NULL: on chip, */
    uint16_t space;     /* there */
    bool free_order;    /* what it leaves depends on who else came first */
};

struct twin_record {
    struct pto_vm *vm;
    struct pto_touches *touches;
    uint64_t events;
    /* The write at hand is not made yet when it is told. */
    bool pending;
    struct pto_touch touch;
    uint64_t number; /* of its event */
    struct pto_stretch *stretch;
    unsigned stretches, capacity;
    /* Called for every write, when it is made; `record` has the stretches of it. */
    void (*take)(void *context, const struct twin_unit *unit, const struct twin_write *write,
                 const struct twin_record *record);
    /* Called when the first stretch of a write is told, and at every event; may be NULL. */
    void (*touched)(void *context, const struct pto_touch *touch);
    void (*seen)(void *context, const struct pto_event *event);
    void *context;
};

/* Watch a machine that is ready to run; the three functions and their context are set. */
enum pto_status twin_record_begin(struct twin_record *record, struct pto_vm *vm);
/* The run is over. */
void twin_record_end(struct twin_record *record);
/* Where a byte of the place lies now; NULL: nobody has touched the place. */
const uint8_t *twin_bytes(struct pto_vm *vm, const struct pto_place *place);

#endif
