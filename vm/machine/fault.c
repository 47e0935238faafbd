#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe.h"
#include "queue.h"
#include "wake.h"

enum { MOST_ASSIGNMENT = 300, MOST_ASSIGNMENTS = 100 }; /* characters */

int32_t fault_position(const struct core *core, uint32_t pc)
{
    if (!core->ready || pc >= core->ready->code->insns)
        return PTO_NONE;
    return (int32_t)core->ready->code->insn[pc].pos;
}

const char *fault_place(const struct core *core, uint32_t pc)
{
    const struct pto_module *module = core->ready->module;
    int32_t at = fault_position(core, pc);

    if (at < 0 || (uint32_t)at >= module->positions)
        return "an unknown place";
    return pto_arena_printf(&core->rank->arena, "%s:%u", module->file[module->pos[at].file],
                            module->pos[at].line);
}

/* One operand's part; each register once, those of the assembler ('_') not at all. */
static void add_register(const struct core *core, const struct pto_scalar *scalar,
                         struct pto_buf *out)
{
    const struct pto_register *reg = &core->ready->code->reg[scalar->reg];
    char assignment[MOST_ASSIGNMENT];
    int64_t bits;
    double number;

    if (scalar->kind != PTO_S_REG || *reg->name == '_' || out->size > MOST_ASSIGNMENTS)
        return;
    bits = (int64_t)core->reg[scalar->reg];
    memcpy(&number, &bits, sizeof number);
    if (reg->is_float)
        snprintf(assignment, sizeof assignment, "%%%s = %g", reg->name, number);
    else
        snprintf(assignment, sizeof assignment, "%%%s = %lld", reg->name, (long long)bits);
    if (!out->size || !strstr(pto_buf_text(out), assignment))
        pto_buf_printf(out, "%s%s", out->size ? ", " : " (", assignment);
}

static void add_registers(const struct core *core, const struct pto_operand *operand,
                          struct pto_buf *out)
{
    const struct pto_tile_ref *tile = &operand->tile;
    const struct pto_gm_ref *gm = &operand->gm;

    if (operand->kind == PTO_O_TILE) {
        const struct pto_scalar *part[] = {&tile->slot, &tile->row,  &tile->col,
                                           &tile->byte, &tile->rows, &tile->cols};

        for (size_t i = 0; i < sizeof part / sizeof *part; i++)
            add_register(core, part[i], out);
    }
    if (operand->kind == PTO_O_GM) {
        add_register(core, &gm->rank, out);
        for (unsigned i = 0; i < gm->indices; i++)
            add_register(core, &gm->index[i], out);
        add_register(core, &gm->rows, out);
        add_register(core, &gm->cols, out);
    }
}

const char *fault_registers(const struct core *core)
{
    const struct pto_insn *insn = &core->ready->code->insn[core->pc];
    struct pto_buf text = {0};
    const char *copy;

    for (unsigned i = 0; i < insn->operands; i++)
        add_registers(core, &insn->operand[i], &text);
    if (text.size)
        pto_buf_byte(&text, ')');
    copy = pto_arena_strdup(&core->rank->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    return copy;
}

static const char *format_text(struct rank *rank, const char *format, va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof text, format, args);
    return pto_arena_strdup(&rank->arena, text);
}

bool fault_raise(struct core *core, uint32_t pc, unsigned pipe, uint64_t time, const char *hint,
                 const char *format, ...)
{
    struct rank *rank = core->rank;
    va_list args;

    if (rank->dead)
        return false;
    if (pipe == PTO_PIPE_S && time > rank->now && core->ready->core) {
        /* S has run ahead of the clock: it comes back at its own time and faults then, unless
         * something earlier ends the run. */
        wake_scalar(core, time);
        return false;
    }
    va_start(args, format);
    rank->dead = true;
    rank->fault = (struct pto_fault){
        .status = PTO_EPROGRAM,
        .message = format_text(rank, format, args),
        .hint = hint,
        .rank = rank->number,
        .core = core->name[0] ? core->name : NULL,
        .pipe = pto_queue_name(pipe),
        .time_ps = time,
        .module = core->ready->module,
        .pos = fault_position(core, pc),
    };
    va_end(args);
    if (observed(core))
        observe_core(core, pc, (struct pto_event){.kind = PTO_EV_FAULT,
                                                  .pipe = (uint8_t)pipe,
                                                  .time_ps = time,
                                                  .text = rank->fault.message,
                                                  .entry = pipe == PTO_DMA
                                                               ? 0
                                                               : head_number(core, pipe)});
    return false;
}

void fault_leftover(struct core *core, uint32_t pc, const char *hint, const char *format, ...)
{
    struct rank *rank = core->rank;
    va_list args;

    va_start(args, format);
    PTO_GROW(rank->warning, rank->warnings, rank->warning_capacity);
    rank->warning[rank->warnings++] = (struct pto_fault){
        .status = PTO_EPROGRAM,
        .message = format_text(rank, format, args),
        .hint = hint,
        .mnemonic = pto_op_info(core->ready->code->insn[pc].op)->mnemonic,
        .rank = rank->number,
        .core = core->name,
        .time_ps = rank->now,
        .module = core->ready->module,
        .pos = fault_position(core, pc),
    };
    va_end(args);
}

void fault_limit(struct rank *rank, const char *message, const char *hint)
{
    rank->dead = true;
    rank->fault = (struct pto_fault){
        .status = PTO_ELIMIT,
        .message = message,
        .hint = hint,
        .rank = rank->number,
        .time_ps = rank->now,
        .pos = PTO_NONE,
    };
}

/* Did the rank die (--dead-rank) before it had ended?  Something was to happen to it then, or
 * others have come that far. */
static bool has_died(struct rank *rank)
{
    const struct pto_vm *vm = rank->vm;

    if (rank->dies_at == ENGINE_NEVER || rank->launch == vm->launches)
        return false;
    for (int r = 0; r < vm->ranks; r++)
        if (vm->rank[r].now >= rank->dies_at)
            return true;
    return eventq_peek(&rank->events) || rank->inbox_size ||
           (rank->between_launches && rank->launch_at != ENGINE_NEVER);
}

/* Mark who has died; returns the first of them, NULL: nobody. */
static const struct rank *mark_dead(struct pto_vm *vm)
{
    const struct rank *first = NULL;

    for (int r = 0; r < vm->ranks; r++) {
        struct rank *rank = &vm->rank[r];

        rank->died = has_died(rank);
        if (rank->died && (!first || rank->dies_at < first->dies_at))
            first = rank;
    }
    return first;
}

void fault_deadlock(struct pto_vm *vm)
{
    const struct rank *dead = mark_dead(vm);

    vm->status = PTO_EDEADLOCK;
    vm->fault = (struct pto_fault){
        .status = PTO_EDEADLOCK,
        .message = "nothing can run any more, and not every sub-core has ended",
        .rank = -1,
        .pos = PTO_NONE,
    };
    if (!dead)
        return;
    vm->fault.message = pto_arena_printf(&vm->arena, "rank %d died at %.3f us, before it had ended",
                                         dead->number, (double)dead->dies_at / 1e6);
    vm->fault.rank = dead->number;
    vm->fault.time_ps = dead->dies_at;
}

/* ---- what a machine makes of its ranks ---- */

/* The rank whose next remark, after the `taken[rank]` first ones, is the earliest. */
static int earliest_remark(const struct pto_vm *vm, const unsigned *taken)
{
    int first = -1;

    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        if (taken[r] < rank->warnings &&
            (first < 0 || rank->warning[taken[r]].time_ps <
                              vm->rank[first].warning[taken[first]].time_ps))
            first = r;
    }
    return first;
}

/* All remarks so far, by (time, rank). */
static void gather_leftovers(struct pto_vm *vm, unsigned count)
{
    unsigned *taken = pto_xcalloc((size_t)vm->ranks, sizeof *taken);

    vm->warning = pto_xrealloc(vm->warning, count * sizeof *vm->warning);
    for (vm->warnings = 0; vm->warnings < count; vm->warnings++) {
        int r = earliest_remark(vm, taken);

        vm->warning[vm->warnings] = vm->rank[r].warning[taken[r]++];
    }
    free(taken);
}

void fault_collect(struct pto_vm *vm)
{
    const struct rank *first = NULL;
    unsigned leftovers = 0;

    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        leftovers += rank->warnings;
        if (rank->dead && (!first || rank->fault.time_ps < first->fault.time_ps))
            first = rank;
    }
    if (leftovers != vm->warnings)
        gather_leftovers(vm, leftovers);
    if (!first || vm->status != PTO_OK)
        return;
    vm->fault = first->fault;
    vm->status = first->fault.status;
}

void fault_report_leftovers(struct pto_vm *vm)
{
    if (!vm->warnings)
        return;
    vm->fault = vm->warning[0];
    vm->status = PTO_EPROGRAM;
    if (vm->warnings > 1)
        vm->fault.details = pto_arena_printf(&vm->arena, "and %u more like this\n",
                                             vm->warnings - 1);
}
