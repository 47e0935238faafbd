/* Whom a wait is for.  Graphs, timelines and pages draw it, each in its own way. */
#ifndef PTO_LOOK_AWAITED_H
#define PTO_LOOK_AWAITED_H

#include "vm.h"

enum { PTO_AWAITED_THING = -1 };

struct pto_awaited {
    int rank;
    int core;          /* PTO_AWAITED_THING: no party but a signal or a cross-core flag there */
    unsigned queue;    /* of a party */
    const char *label; /* "(MTE2, V, 0)", "sync_all"; the name of a thing */
};

typedef void pto_awaited_fn(void *context, const struct pto_awaited *awaited);
/* Tell all whom a queue of a sub-core (PTO_PIPE_S: its scalar unit) waits for now. */
void pto_vm_awaited(const struct pto_vm *vm, int rank, unsigned core, unsigned queue,
                    pto_awaited_fn *tell, void *context);

#endif
