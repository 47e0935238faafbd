#include "result.h"

#include <math.h>

#include "machine/effect.h"
#include "machine/memory.h"
#include "machine/queue.h"

static bool is_poison(const uint8_t *element, unsigned size)
{
    while (size > 0 && element[size - 1] == POISON)
        size--;
    return size == 0;
}

static bool has_nan(const struct op_view *view)
{
    unsigned size = pto_dtype_size(view->dtype);

    if (!pto_dtype_is_float(view->dtype))
        return false;
    for (uint32_t r = 0; r < view->rows; r++)
        for (uint32_t c = 0; c < view->cols; c++) {
            const uint8_t *element = view->data + memory_element_offset(view, r, c);

            if (isnan(pto_load_f64(element, view->dtype)) && !is_poison(element, size))
                return true;
        }
    return false;
}

bool pto_vm_result_has_nan(struct pto_vm *vm, const struct pto_event *event)
{
    struct core *core = &vm->rank[event->rank].core[event->core];
    const struct entry *entry;
    struct op_args args;

    if (event->pipe == PTO_DMA)
        return false;
    entry = pipe_entry(core->pipe[event->pipe], core->pipe[event->pipe]->head);
    if (entry->kind != ENTRY_TILE || entry->op->skipped)
        return false;
    memory_fill_args(core, entry, &args);
    for (unsigned i = 0; i < entry->op->operands; i++) {
        const struct ready_operand *operand = &entry->op->operand[i];
        bool here = operand->kind == PTO_O_TILE ||
                    gm_rank(&entry->word[operand->word]) == core->rank->number;

        if (effect_writes(entry->op, i) && here && has_nan(&args.arg[i].view))
            return true;
    }
    return false;
}

struct pto_progress pto_vm_progress(const struct pto_vm *vm)
{
    struct pto_progress far = {vm->launches, vm->launches, vm->ranks, 0};

    for (int r = 0; r < vm->ranks; r++) {
        if (vm->rank[r].launch < far.launches_done)
            far.launches_done = vm->rank[r].launch;
        far.ranks_done += vm->rank[r].launch == vm->launches;
    }
    return far;
}
