#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "pipe.h"

static const char *pipe_name(unsigned pipe)
{
    return pto_enum_keyword(PTO_ENUM_PIPE, (int)pipe);
}

static int32_t position(const struct core *core, uint32_t pc)
{
    if (!core->ready || pc >= core->ready->code->insns)
        return PTO_NONE;
    return (int32_t)core->ready->code->insn[pc].pos;
}

const char *fault_place(const struct core *core, uint32_t pc)
{
    const struct pto_module *module = core->ready->module;
    int32_t at = position(core, pc);

    if (at < 0 || (uint32_t)at >= module->positions)
        return "an unknown place";
    return pto_arena_printf(&core->rank->vm->arena, "%s:%u", module->file[module->pos[at].file],
                            module->pos[at].line);
}

static const char *format_text(struct pto_vm *vm, const char *format, va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof text, format, args);
    return pto_arena_strdup(&vm->arena, text);
}

bool fault_raise(struct core *core, uint32_t pc, unsigned pipe, uint64_t time, const char *hint,
                 const char *format, ...)
{
    struct rank *rank = core->rank;
    va_list args;

    if (rank->dead)
        return false;
    va_start(args, format);
    rank->dead = true;
    rank->fault = (struct pto_fault){
        .status = PTO_EPROGRAM,
        .message = format_text(rank->vm, format, args),
        .hint = hint,
        .rank = rank->number,
        .core = core->name[0] ? core->name : NULL,
        .pipe = pipe_name(pipe),
        .time_ps = time,
        .module = core->ready->module,
        .pos = position(core, pc),
    };
    va_end(args);
    return false;
}

void fault_rank(struct rank *rank, enum pto_status status, uint64_t time, const char *hint,
                const char *format, ...)
{
    struct pto_buf waits = {0};
    va_list args;

    va_start(args, format);
    fault_describe_waits(rank->vm, &waits);
    rank->dead = true;
    rank->fault = (struct pto_fault){
        .status = status,
        .message = format_text(rank->vm, format, args),
        .hint = hint,
        .rank = rank->number,
        .time_ps = time,
        .pos = PTO_NONE,
        .details = pto_arena_strdup(&rank->vm->arena, pto_buf_text(&waits)),
    };
    pto_buf_free(&waits);
    va_end(args);
}

void fault_leftover(struct core *core, uint32_t pc, const char *format, ...)
{
    struct pto_vm *vm = core->rank->vm;
    va_list args;

    va_start(args, format);
    PTO_GROW(vm->warning, vm->warnings, vm->warning_capacity);
    vm->warning[vm->warnings++] = (struct pto_fault){
        .status = PTO_EPROGRAM,
        .message = format_text(vm, format, args),
        .hint = "every set needs its wait before the end, or the next launch starts out of step",
        .rank = core->rank->number,
        .core = core->name,
        .time_ps = core->rank->now,
        .module = core->ready->module,
        .pos = position(core, pc),
    };
    va_end(args);
}

void fault_collect(struct pto_vm *vm)
{
    const struct rank *first = NULL;

    if (vm->status != PTO_OK)
        return;
    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        if (rank->dead && (!first || rank->fault.time_ps < first->fault.time_ps))
            first = rank;
    }
    if (!first)
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
        vm->fault.details = pto_arena_printf(&vm->arena, "and %u more leftovers like this\n",
                                             vm->warnings - 1);
}

/* ---- who waits for what ---- */

static void describe_flag(struct pto_buf *out, const struct core *core, unsigned src,
                          unsigned dst, unsigned id)
{
    pto_buf_printf(out, "waits for set_flag %s, %s, %u", pipe_name(src), pipe_name(dst), id);
    for (unsigned other = 0; other < PTO_PIPE_COUNT; other++)
        for (unsigned to = 0; to < PTO_PIPE_COUNT; to++)
            if (core->flag[other][to][id] && (other == src || to == dst))
                pto_buf_printf(out, " (a token %s, %s, %u exists, set at %s)", pipe_name(other),
                               pipe_name(to), id,
                               fault_place(core, core->flag_pc[other][to][id]));
}

static void describe_signal(struct pto_buf *out, const struct core *core)
{
    const struct signal_wait *wait = &core->wait;
    const struct bound_object *object = memory_object(core, gm_object(wait->gm));
    struct op_view view;
    int32_t now;

    memory_gm_view(core, wait->gm, &view);
    memcpy(&now, view.data, sizeof now);
    pto_buf_printf(out, "TWAIT for %s+%llu to be %s %lld, its value is %d",
                   core->rank->object[object->object].name,
                   (unsigned long long)(wait->gm[GM_OFFSET] - object->offset),
                   pto_enum_keyword(PTO_ENUM_CMP, wait->comparison), (long long)wait->value, now);
    if ((uint64_t)gm_rows(wait->gm) * gm_cols(wait->gm) > 1)
        pto_buf_printf(out, " (first of %u x %u elements)", gm_rows(wait->gm),
                       gm_cols(wait->gm));
}

static void describe_stall(struct pto_buf *out, const struct core *core)
{
    switch (core->stall) {
    case STALL_QUEUE:
        pto_buf_printf(out, "the queue of %s is full", pipe_name(core->stall_pipe));
        break;
    case STALL_FLAG:
        describe_flag(out, core, core->stall_src, PTO_PIPE_S, core->stall_id);
        break;
    case STALL_BARRIER:
        pto_buf_printf(out, "waits until its pipes are empty");
        break;
    case STALL_SIGNAL:
        describe_signal(out, core);
        break;
    case STALL_CROSS:
        pto_buf_printf(out, "waits for cross-core flag %u", core->stall_id);
        break;
    case STALL_SYNC_ALL:
        pto_buf_printf(out, "waits at sync_all %s",
                       pto_enum_keyword(PTO_ENUM_SYNC, core->sync_scope));
        break;
    default:
        pto_buf_printf(out, "is running");
    }
}

static void describe_pipe(struct pto_buf *out, const struct core *core, unsigned number)
{
    const struct pipe *pipe = &core->pipe[number];
    const struct entry *entry;

    if (pipe->next == pipe->tail)
        return;
    entry = pipe_entry(core->rank->vm, pipe, pipe->next);
    if (entry->kind != ENTRY_WAIT)
        return;
    pto_buf_printf(out, "rank %d, %s, pipe %s: ", core->rank->number, core->name,
                   pipe_name(number));
    if (entry->flag_id >= USER_EVENTS)
        pto_buf_printf(out, "waits for the other phase of a transfer");
    else
        describe_flag(out, core, entry->flag_src, entry->flag_dst, entry->flag_id);
    pto_buf_printf(out, ", at %s; %u entries queued\n", fault_place(core, entry->pc),
                   pipe->tail - pipe->next);
}

static void describe_core(struct pto_buf *out, const struct core *core)
{
    if (core->stall != STALL_ENDED && core->stall != STALL_TIME && core->stall != STALL_NONE) {
        pto_buf_printf(out, "rank %d, %s, pipe S: ", core->rank->number, core->name);
        describe_stall(out, core);
        pto_buf_printf(out, ", at %s\n", fault_place(core, core->pc));
    }
    for (unsigned pipe = PTO_PIPE_S + 1; pipe < PTO_PIPE_COUNT; pipe++)
        describe_pipe(out, core, pipe);
}

void fault_describe_waits(const struct pto_vm *vm, struct pto_buf *out)
{
    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        for (unsigned i = 0; i < rank->cores && !rank->between_launches; i++)
            if (rank->core[i].ready && !rank->core[i].drained)
                describe_core(out, &rank->core[i]);
    }
}

/* The first waiting party, for the position of the report. */
static const struct core *first_waiting(const struct pto_vm *vm, uint32_t *pc, unsigned *pipe)
{
    for (int r = 0; r < vm->ranks; r++)
        for (unsigned i = 0; i < vm->rank[r].cores; i++) {
            const struct core *core = &vm->rank[r].core[i];

            if (!core->ready || core->drained || vm->rank[r].between_launches)
                continue;
            for (*pipe = PTO_PIPE_COUNT - 1; *pipe > PTO_PIPE_S; --*pipe) {
                const struct pipe *queue = &core->pipe[*pipe];

                if (queue->next != queue->tail) {
                    *pc = pipe_entry(vm, queue, queue->next)->pc;
                    return core;
                }
            }
            *pc = core->pc;
            return core;
        }
    return NULL;
}

void fault_deadlock(struct pto_vm *vm)
{
    struct pto_buf waits = {0};
    const struct core *core;
    uint32_t pc = 0;
    unsigned pipe = PTO_PIPE_S;

    fault_describe_waits(vm, &waits);
    vm->status = PTO_EDEADLOCK;
    vm->fault = (struct pto_fault){
        .status = PTO_EDEADLOCK,
        .message = "nothing can run any more, and not every sub-core has ended",
        .rank = -1,
        .pos = PTO_NONE,
        .details = pto_arena_strdup(&vm->arena, pto_buf_text(&waits)),
    };
    pto_buf_free(&waits);
    core = first_waiting(vm, &pc, &pipe);
    if (!core)
        return;
    vm->fault.rank = core->rank->number;
    vm->fault.core = core->name;
    vm->fault.pipe = pipe_name(pipe);
    vm->fault.time_ps = core->rank->now;
    vm->fault.module = core->ready->module;
    vm->fault.pos = position(core, pc);
}
