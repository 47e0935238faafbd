/* Events of ranks that other processes have, for the observers of process 0. */
#ifndef PTO_UNITS_CARRY_EVENTS_H
#define PTO_UNITS_CARRY_EVENTS_H

#include "machine/machine.h"
#include "machine/reader.h"

/* The texts that have come, each once: observers keep them. */
struct carry_texts {
    const char **text;
    unsigned count, capacity;
};

/* Append what the rank has gathered, event by event, each behind the byte `mark`. */
void carry_put_events(struct rank *rank, uint8_t mark, struct pto_buf *out);
/* One event, to where its rank gathers them. */
void carry_take_event(struct pto_vm *vm, struct carry_texts *texts, struct reader *in);
/* Observe for process 0, which has observers. */
void carry_observe(struct pto_vm *vm, bool causes, bool values);

#endif
