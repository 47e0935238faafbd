#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units/dma.h"
#include "memory.h"
#include "observe.h"
#include "units/pipe.h"
#include "units/scalar.h"

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
    if (pipe == PTO_PIPE_S && time > rank->now && core->ready->core) {
        /* S has run ahead of the clock: it comes back at its own time and faults then, unless
         * something earlier ends the run. */
        scalar_wake(core, time);
        return false;
    }
    va_start(args, format);
    rank->dead = true;
    rank->fault = (struct pto_fault){
        .status = PTO_EPROGRAM,
        .message = format_text(rank->vm, format, args),
        .hint = hint,
        .rank = rank->number,
        .core = core->name[0] ? core->name : NULL,
        .pipe = pto_queue_name(pipe),
        .time_ps = time,
        .module = core->ready->module,
        .pos = position(core, pc),
    };
    va_end(args);
    if (observed(core))
        observe_core(core, pc, (struct pto_event){.kind = PTO_EV_FAULT,
                                                  .pipe = (uint8_t)pipe,
                                                  .time_ps = time,
                                                  .text = rank->fault.message});
    return false;
}

void fault_leftover(struct core *core, uint32_t pc, const char *hint, const char *format, ...)
{
    struct pto_vm *vm = core->rank->vm;
    va_list args;

    va_start(args, format);
    PTO_GROW(vm->warning, vm->warnings, vm->warning_capacity);
    vm->warning[vm->warnings++] = (struct pto_fault){
        .status = PTO_EPROGRAM,
        .message = format_text(vm, format, args),
        .hint = hint,
        .mnemonic = pto_op_info(core->ready->code->insn[pc].op)->mnemonic,
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

static bool is_queued(const struct core *core, unsigned src, unsigned dst, unsigned id)
{
    const struct pipe *pipe = &core->pipe[src];

    for (uint32_t i = pipe->next; i != pipe->tail; i++) {
        const struct entry *entry = pipe_entry(core->rank->vm, pipe, i);

        if (entry->kind == ENTRY_SET && entry->flag_dst == dst && entry->flag_id == id)
            return true;
    }
    return false;
}

/* The flag, whether its set is under way, and near misses: tokens that differ in one of the three. */
static void describe_flag(struct pto_buf *out, const struct core *core, unsigned src,
                          unsigned dst, unsigned id)
{
    pto_buf_printf(out, "waits for set_flag %s, %s, %u", pto_queue_name(src), pto_queue_name(dst),
                   id);
    pto_buf_printf(out, is_queued(core, src, dst, id) ? ", which is still queued"
                                                      : ", which nobody has issued");
    for (unsigned other = 0; other < PTO_PIPE_COUNT; other++)
        for (unsigned to = 0; to < PTO_PIPE_COUNT; to++)
            for (unsigned event = 0; event < USER_EVENTS; event++)
                if (core->flag[other][to][event] &&
                    (event == id) + (other == src) + (to == dst) == 2)
                    pto_buf_printf(out, " (a token %s, %s, %u exists, set at %s)",
                                   pto_queue_name(other), pto_queue_name(to), event,
                                   fault_place(core, core->flag_pc[other][to][event]));
}

static void describe_signal(struct pto_buf *out, const struct core *core)
{
    const struct signal_wait *wait = &core->wait;
    const struct bound_object *object = memory_object(core, gm_object(wait->gm));
    struct op_view view;
    int32_t now;

    memory_gm_view(core, wait->gm, &view);
    memcpy(&now, view.data, sizeof now);
    pto_buf_printf(out, "TWAIT for '%s' (byte %llu) to be %s %lld, its value is %d",
                   core->rank->object[object->object].name,
                   (unsigned long long)(wait->gm[GM_OFFSET] - object->offset),
                   pto_enum_keyword(PTO_ENUM_CMP, wait->comparison), (long long)wait->value, now);
    if ((uint64_t)gm_rows(wait->gm) * gm_cols(wait->gm) > 1)
        pto_buf_printf(out, " (first of %u x %u elements)", gm_rows(wait->gm),
                       gm_cols(wait->gm));
}

static void describe_async(struct pto_buf *out, const struct core *core)
{
    const struct submission *s = async_submission(core, core->stall_event - 1);

    pto_buf_printf(out, "waits for event %llu, %s at %s; the DMA engine has completed %llu of %llu",
                   (unsigned long long)core->stall_event, s->op->info->mnemonic,
                   fault_place(core, s->pc), (unsigned long long)core->dma.head,
                   (unsigned long long)core->dma.tail);
}

static void describe_stall(struct pto_buf *out, const struct core *core)
{
    switch (core->stall) {
    case STALL_QUEUE:
        pto_buf_printf(out, "waits, the queue of %s is full", pto_queue_name(core->stall_pipe));
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
    case STALL_ASYNC:
        describe_async(out, core);
        break;
    case STALL_CROSS:
        pto_buf_printf(out, "waits for cross-core flag %u", core->stall_id);
        break;
    default:
        pto_buf_printf(out, "waits at sync_all %s",
                       pto_enum_keyword(PTO_ENUM_SYNC, core->sync_scope));
    }
}

/* One waiting party: the scalar unit of a sub-core or one of its pipes. */
struct party {
    const struct core *core;
    unsigned pipe;
    uint32_t pc;
    bool hopeless; /* what it waits for has not even been issued */
    char *text;    /* what it waits for, in the arena of the list */
};

struct parties {
    struct pto_arena arena;
    struct party *party;
    unsigned count, capacity;
    bool with_running; /* for a limit: who was busy matters as much as who waited */
};

static void add_party(struct parties *list, const struct core *core, unsigned pipe, uint32_t pc,
                      bool hopeless, struct pto_buf *text)
{
    PTO_GROW(list->party, list->count, list->capacity);
    list->party[list->count++] =
        (struct party){core, pipe, pc, hopeless,
                       pto_arena_printf(&list->arena, "%s, at %s", pto_buf_text(text),
                                        fault_place(core, pc))};
    text->size = 0;
}

static void add_pipe(struct parties *list, const struct core *core, unsigned number,
                     struct pto_buf *text)
{
    const struct pipe *pipe = &core->pipe[number];
    const struct entry *entry;
    bool hidden;

    if (pipe->next == pipe->tail)
        return;
    entry = pipe_entry(core->rank->vm, pipe, pipe->next);
    if (entry->kind != ENTRY_WAIT)
        return;
    hidden = entry->flag_id >= USER_EVENTS;
    pto_buf_printf(text, "pipe %s ", pto_queue_name(number));
    if (hidden)
        pto_buf_printf(text, "waits for the other phase of a transfer");
    else
        describe_flag(text, core, entry->flag_src, entry->flag_dst, entry->flag_id);
    add_party(list, core, number, entry->pc,
              !hidden && !is_queued(core, entry->flag_src, entry->flag_dst, entry->flag_id), text);
}

static void add_core(struct parties *list, const struct core *core, struct pto_buf *text)
{
    if (list->with_running && (core->stall == STALL_TIME || core->stall == STALL_NONE)) {
        pto_buf_printf(text, "pipe S is running");
        add_party(list, core, PTO_PIPE_S, core->pc, true, text);
    }
    if (core->stall != STALL_ENDED && core->stall != STALL_TIME && core->stall != STALL_NONE) {
        bool flag = core->stall == STALL_FLAG;

        pto_buf_printf(text, "pipe S ");
        describe_stall(text, core);
        add_party(list, core, PTO_PIPE_S, core->pc,
                  core->stall == STALL_SIGNAL || core->stall == STALL_CROSS ||
                      (flag && !is_queued(core, core->stall_src, PTO_PIPE_S, core->stall_id)),
                  text);
    }
    for (unsigned pipe = PTO_PIPE_S + 1; pipe < PTO_PIPE_COUNT; pipe++)
        add_pipe(list, core, pipe, text);
}

static void collect_parties(const struct pto_vm *vm, struct parties *list)
{
    struct pto_buf text = {0};

    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        for (unsigned i = 0; i < rank->cores && !rank->between_launches; i++)
            if (rank->core[i].ready && !rank->core[i].drained)
                add_core(list, &rank->core[i], &text);
    }
    pto_buf_free(&text);
}

static void free_parties(struct parties *list)
{
    free(list->party);
    pto_arena_free(&list->arena);
}

/* The parties from `first` on that wait for the same, by rank: "rank 0: aiv0.0 aiv0.1". */
static void print_same(struct pto_buf *out, const struct parties *list, unsigned first)
{
    int rank = -1;

    for (unsigned i = first; i < list->count; i++) {
        const struct party *party = &list->party[i];

        if (strcmp(party->text, list->party[first].text) != 0)
            continue;
        if (party->core->rank->number != rank)
            pto_buf_printf(out, rank < 0 ? "rank %d:" : "; rank %d:", party->core->rank->number);
        rank = party->core->rank->number;
        pto_buf_printf(out, " %s", party->core->name);
    }
}

static bool seen_before(const struct parties *list, unsigned index)
{
    for (unsigned i = 0; i < index; i++)
        if (!strcmp(list->party[i].text, list->party[index].text))
            return true;
    return false;
}

static void print_parties(struct pto_buf *out, const struct parties *list)
{
    for (unsigned i = 0; i < list->count; i++)
        if (!seen_before(list, i)) {
            pto_buf_printf(out, "%s: ", list->party[i].text);
            print_same(out, list, i);
            pto_buf_printf(out, "\n");
        }
}

void fault_describe_waits(const struct pto_vm *vm, struct pto_buf *out)
{
    struct parties list = {0};

    collect_parties(vm, &list);
    print_parties(out, &list);
    free_parties(&list);
}

/* The party to blame: the first whose wait nothing queued can end, else the first. */
static const struct party *root_of(const struct parties *list)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->party[i].hopeless)
            return &list->party[i];
    return list->count ? &list->party[0] : NULL;
}

/* Put the place of the party to blame into a fault. */
static void blame(struct pto_fault *fault, const struct party *root)
{
    fault->rank = root->core->rank->number;
    fault->core = root->core->name;
    fault->pipe = pto_queue_name(root->pipe);
    fault->module = root->core->ready->module;
    fault->pos = position(root->core, root->pc);
}

/* List the parties into the fault's details and blame one. */
static void fill_parties(struct pto_vm *vm, struct pto_fault *fault, bool with_running)
{
    struct parties list = {.with_running = with_running};
    struct pto_buf text = {0};
    const struct party *root;

    collect_parties(vm, &list);
    print_parties(&text, &list);
    root = root_of(&list);
    fault->details = pto_arena_strdup(&vm->arena, pto_buf_text(&text));
    if (root)
        blame(fault, root);
    if (root && fault->status == PTO_EDEADLOCK)
        fault->time_ps = root->core->rank->now;
    pto_buf_free(&text);
    free_parties(&list);
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
    fill_parties(rank->vm, &rank->fault, true);
}

void fault_deadlock(struct pto_vm *vm)
{
    vm->status = PTO_EDEADLOCK;
    vm->fault = (struct pto_fault){
        .status = PTO_EDEADLOCK,
        .message = "nothing can run any more, and not every sub-core has ended",
        .rank = -1,
        .pos = PTO_NONE,
    };
    fill_parties(vm, &vm->fault, false);
}
