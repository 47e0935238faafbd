/* Those whom a wait is for, as far as they are known. */
#include "awaited.h"

#include <stdio.h>

#include "look.h"

struct asked {
    pto_awaited_fn *tell;
    void *context;
};

static void tell_party(const struct asked *asked, const struct core *core, unsigned queue,
                       const char *label)
{
    asked->tell(asked->context, &(struct pto_awaited){core->rank->number, core->number, queue,
                                                      label});
}

/* Somebody who is not known is to change it. */
static void tell_thing(const struct asked *asked, const struct core *core, const char *name)
{
    asked->tell(asked->context,
                &(struct pto_awaited){core->rank->number, PTO_AWAITED_THING, 0, name});
}

static void tell_flag(const struct asked *asked, const struct core *core, unsigned queue,
                      const struct pto_wait *wait)
{
    char label[64];

    snprintf(label, sizeof label, "(%s, %s, %u)", pto_queue_name(wait->src),
             pto_queue_name(queue), wait->id);
    tell_party(asked, core, wait->src, label);
}

static void tell_others(const struct asked *asked, const struct core *core)
{
    const struct rank *rank = core->rank;

    for (unsigned i = 0; i < rank->cores; i++) {
        const struct core *other = &rank->core[i];

        if (look_takes_part(other, core->sync_scope) &&
            !(other->arrived && other->sync_scope == core->sync_scope))
            tell_party(asked, other, PTO_PIPE_S, "sync_all");
    }
}

static void tell_pipes(const struct asked *asked, const struct core *core)
{
    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
        if (!pipe_empty(core, p))
            tell_party(asked, core, p, "empty");
}

void pto_vm_awaited(const struct pto_vm *vm, int rank, unsigned number, unsigned queue,
                    pto_awaited_fn *tell, void *context)
{
    const struct core *core = &vm->rank[rank].core[number];
    const struct asked asked = {tell, context};
    const struct pto_wait wait = look_wait(core, queue);

    switch (wait.kind) {
    case PTO_WAIT_FLAG:
    case PTO_WAIT_TRANSFER:
        tell_flag(&asked, core, queue, &wait);
        break;
    case PTO_WAIT_ROOM:
        tell_party(&asked, core, wait.queue, "queue is full");
        break;
    case PTO_WAIT_EMPTY:
        tell_pipes(&asked, core);
        break;
    case PTO_WAIT_SIGNAL:
        for (unsigned i = 0; i < wait.signals; i++)
            tell_thing(&asked, core, wait.signal[i].object);
        break;
    case PTO_WAIT_CROSS:
        tell_thing(&asked, core, wait.flag);
        break;
    case PTO_WAIT_SYNC_ALL:
        tell_others(&asked, core);
        break;
    default:
        break;
    }
}
