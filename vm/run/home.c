#include "home.h"

#include <stdlib.h>

#include "launch.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "pack.h"
#include "preparation.h"
#include "units/carry.h"

/* ---- objects ---- */

/* Whoever waits for a signal is described with its value. */
static bool goes_home(const struct rank *rank, const struct object *object)
{
    const struct pto_carrier *carrier = rank->vm->options.carrier;
    const struct binding *binding = prepare_binding(rank->vm, rank->number, object->name);
    bool symmetric = object->kind == PTO_OBJ_SYM || object->kind == PTO_OBJ_SIGNAL;
    bool shared = object->lent && binding && binding->rank == PTO_ALL_RANKS; /* it is there */

    return object->data && !shared &&
           ((symmetric && !launch_all_done(rank)) ||
            carrier->wants(carrier->wants_context, object->name, object->kind));
}

static void put_objects(const struct rank *rank, struct pto_buf *out)
{
    for (unsigned i = 0; i < rank->objects; i++) {
        const struct object *object = &rank->object[i];
        bool goes = goes_home(rank, object);

        pto_buf_byte(out, goes);
        if (goes)
            pto_buf_append(out, object->data, object->size);
    }
}

static void take_objects(struct rank *rank, struct reader *in)
{
    for (unsigned i = 0; i < rank->objects; i++) {
        struct object *object = &rank->object[i];

        if (!*in->at++)
            continue;
        if (!object->data && !memory_allocate(rank->vm, object, true))
            pto_out_of_memory(object->size);
        reader_take(in, object->data, object->size);
    }
}

/* ---- ranks ---- */

static void put_rank(const struct rank *rank, struct pto_buf *out)
{
    pack_rank(rank, out);
    for (unsigned c = 0; c < rank->cores; c++)
        pack_core(&rank->core[c], out);
    put_objects(rank, out);
}

/* What only a sub-core that goes on needs stays behind. */
static void take_rank(struct rank *rank, struct reader *in)
{
    pack_take_rank(rank, in);
    for (unsigned c = 0; c < rank->cores; c++)
        pack_take_core(&rank->core[c], in);
    take_objects(rank, in);
}

/* One rank of each process at a time, so that process 0 holds no more than that twice. */
void home_gather(struct pto_vm *vm)
{
    const int processes = vm->options.carrier->processes;
    struct pto_buf out = {0}, *in = pto_xcalloc((size_t)processes, sizeof *in);
    const int rounds = carry_most(vm);

    carry_add_up(vm);
    for (int round = 0; round < rounds; round++) {
        out.size = 0;
        if (vm->process > 0 && round < vm->owns)
            put_rank(&vm->rank[vm->own[round]], &out);
        carry_home(vm, &out, in);
        for (int p = 0; p < processes; p++) {
            if (in[p].size)
                take_rank(&vm->rank[carry_rank(vm, p, round)],
                          &(struct reader){in[p].data, in[p].data + in[p].size});
            pto_buf_free(&in[p]);
        }
    }
    pto_buf_free(&out);
    free(in);
    vm->home = true;
    if (vm->process > 0)
        return;
    vm->status = PTO_OK;
    vm->fault = (struct pto_fault){0};
    vm->warnings = 0;
    fault_collect(vm); /* over all of them */
}
