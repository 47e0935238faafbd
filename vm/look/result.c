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

static const uint8_t *element_of(const struct op_view *view, uint32_t row, uint32_t col)
{
    const struct pto_tile tile = {.layout = view->layout,
                                  .space = view->space,
                                  .dtype = view->dtype,
                                  .rows = (uint16_t)view->tile_rows,
                                  .cols = (uint16_t)view->tile_cols};

    if (view->row_stride || view->col_stride)
        return view->data + (int64_t)(view->row + row) * view->row_stride +
               (int64_t)(view->col + col) * view->col_stride;
    return view->data +
           pto_tile_offset(&tile, view->row + row, view->col + col) * pto_dtype_size(view->dtype);
}

static bool has_nan(const struct op_view *view)
{
    unsigned size = pto_dtype_size(view->dtype);

    if (!pto_dtype_is_float(view->dtype))
        return false;
    for (uint32_t r = 0; r < view->rows; r++)
        for (uint32_t c = 0; c < view->cols; c++) {
            const uint8_t *element = element_of(view, r, c);

            if (isnan(pto_load_f64(element, view->dtype)) && !is_poison(element, size))
                return true;
        }
    return false;
}

bool pto_vm_result_has_nan(struct pto_vm *vm, const struct pto_event *event)
{
    struct core *core = &vm->rank[event->rank].core[event->core];
    const struct pipe *pipe = &core->pipe[event->pipe];
    const struct entry *entry = pipe_entry(vm, pipe, pipe->head);
    struct op_args args;

    if (event->pipe == PTO_DMA || entry->kind != ENTRY_TILE || entry->op->skipped)
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
