/* Everything that waits, in words: what a deadlock and a limit report, and `why all`. */
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "machine/fault.h"

/* Of a line, before "and 7 more"; a long text leaves room for the fewest. */
enum { MOST_NAMES = 20, FEWEST_NAMES = 3, MOST_COLUMNS = 140 };

/* ---- one wait in words ---- */

/* Whether the set is under way, and near misses: tokens that differ in one of the three. */
static void tell_flag(struct pto_buf *out, const struct core *core, const struct pto_wait *wait)
{
    pto_buf_printf(out, "waits for set_flag %s, %s, %u", pto_queue_name(wait->src),
                   pto_queue_name(wait->dst), wait->id);
    pto_buf_printf(out, wait->queued ? ", which is still queued" : ", which nobody has issued");
    for (unsigned src = 0; src < PTO_PIPE_COUNT; src++)
        for (unsigned dst = 0; dst < PTO_PIPE_COUNT; dst++)
            for (unsigned id = 0; id < USER_EVENTS; id++)
                if (core_tokens(core, src, dst, id) &&
                    (id == wait->id) + (src == wait->src) + (dst == wait->dst) == 2)
                    pto_buf_printf(out, " (a token %s, %s, %u exists, set at %s)",
                                   pto_queue_name(src), pto_queue_name(dst), id,
                                   fault_place(core, core_token_pc(core, src, dst, id)));
}

static void tell_signals(struct pto_buf *out, const struct pto_wait *wait)
{
    pto_buf_printf(out, wait->signals > 1 ? "TWAIT_ANY" : "TWAIT");
    for (unsigned i = 0; i < wait->signals; i++) {
        const struct pto_wait_signal *signal = &wait->signal[i];

        pto_buf_printf(out, "%s for %s to be %s %lld, its value is %d", i ? ", or" : "",
                       signal->element, pto_enum_keyword(PTO_ENUM_CMP, signal->comparison),
                       (long long)signal->value, signal->now);
        if ((uint64_t)signal->rows * signal->cols > 1)
            pto_buf_printf(out, " (first of %u x %u elements)", signal->rows, signal->cols);
    }
}

static void tell_event(struct pto_buf *out, const struct core *core, const struct pto_wait *wait)
{
    const struct submission *s = dma_submission(core, wait->event - 1);

    pto_buf_printf(out, "waits for event %llu, %s at %s; the DMA engine has completed %llu of %llu",
                   (unsigned long long)wait->event, s->op->info->mnemonic,
                   fault_place(core, s->pc), (unsigned long long)core->dma->head,
                   (unsigned long long)core->dma->tail);
}

static void tell_wait(struct pto_buf *out, const struct core *core, const struct pto_wait *wait)
{
    switch (wait->kind) {
    case PTO_WAIT_ROOM:
        pto_buf_printf(out, "waits, the queue of %s is full", pto_queue_name(wait->queue));
        break;
    case PTO_WAIT_FLAG:
        tell_flag(out, core, wait);
        break;
    case PTO_WAIT_TRANSFER:
        pto_buf_printf(out, "waits for the other phase of a transfer");
        break;
    case PTO_WAIT_EARLIER:
        pto_buf_printf(out, "waits for its earlier work");
        break;
    case PTO_WAIT_EMPTY:
        pto_buf_printf(out, "waits until its pipes are empty");
        break;
    case PTO_WAIT_SIGNAL:
        tell_signals(out, wait);
        break;
    case PTO_WAIT_CROSS:
        pto_buf_printf(out, "waits for %s", wait->flag);
        break;
    case PTO_WAIT_SYNC_ALL:
        pto_buf_printf(out, "waits at sync_all %s", pto_enum_keyword(PTO_ENUM_SYNC, wait->scope));
        break;
    case PTO_WAIT_EVENT:
        tell_event(out, core, wait);
        break;
    case PTO_WAIT_STORES:
        pto_buf_printf(out, "waits at dsb until what it sent is acknowledged");
        break;
    default:
        pto_buf_printf(out, "is running");
    }
}

/* ---- all of them ---- */

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
                      const struct pto_wait *wait)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "pipe %s ", pto_queue_name(pipe));
    tell_wait(&text, core, wait);
    pto_buf_printf(&text, ", at %s", fault_place(core, pc));
    if (wait->kind == PTO_WAIT_NONE)
        look_tell_loop(core, pc, &text);
    PTO_GROW(list->party, list->count, list->capacity);
    list->party[list->count++] =
        (struct party){core, pipe, pc, wait->kind == PTO_WAIT_NONE || pto_wait_hopeless(wait),
                       pto_arena_strdup(&list->arena, pto_buf_text(&text))};
    pto_buf_free(&text);
}

static void add_pipe(struct parties *list, const struct core *core, unsigned number)
{
    struct pto_wait wait = look_wait(core, number);
    const struct pipe *pipe = core->pipe[number];

    if (wait.kind == PTO_WAIT_FLAG || wait.kind == PTO_WAIT_TRANSFER ||
        wait.kind == PTO_WAIT_CROSS)
        add_party(list, core, number, pipe_entry(pipe, pipe->next)->pc, &wait);
}

static void add_core(struct parties *list, const struct core *core)
{
    struct pto_wait wait = look_wait(core, PTO_PIPE_S);

    if (wait.kind != PTO_WAIT_ENDED && (wait.kind != PTO_WAIT_NONE || list->with_running))
        add_party(list, core, PTO_PIPE_S, core->pc, &wait);
    for (unsigned pipe = PTO_PIPE_S + 1; pipe < PTO_PIPE_COUNT; pipe++)
        add_pipe(list, core, pipe);
}

static void collect_parties(const struct pto_vm *vm, struct parties *list)
{
    for (int r = 0; r < vm->ranks; r++)
        for (unsigned i = 0; i < vm->rank[r].cores; i++)
            if (look_is_running(&vm->rank[r].core[i]))
                add_core(list, &vm->rank[r].core[i]);
}

static void free_parties(struct parties *list)
{
    free(list->party);
    pto_arena_free(&list->arena);
}

/* The parties from `first` on that wait for the same, by rank, as many as the line takes that began
 * at `start`: "rank 0: aiv0.0 aiv0.1". */
static void print_same(struct pto_buf *out, const struct parties *list, unsigned first,
                       size_t start)
{
    unsigned names = 0, left = 0;
    int rank = -1;

    for (unsigned i = first; i < list->count; i++) {
        const struct party *party = &list->party[i];

        if (strcmp(party->text, list->party[first].text) != 0)
            continue;
        if (names == MOST_NAMES || (names >= FEWEST_NAMES && out->size - start > MOST_COLUMNS)) {
            left++;
            continue;
        }
        if (party->core->rank->number != rank)
            pto_buf_printf(out, rank < 0 ? "rank %d:" : "; rank %d:", party->core->rank->number);
        rank = party->core->rank->number;
        pto_buf_printf(out, " %s", party->core->name);
        names++;
    }
    if (left)
        pto_buf_printf(out, " and %u more", left);
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
            size_t start = out->size;

            pto_buf_printf(out, "%s: ", list->party[i].text);
            print_same(out, list, i, start);
            pto_buf_printf(out, "\n");
        }
}

void pto_vm_describe_waits(const struct pto_vm *vm, bool with_running, struct pto_buf *out)
{
    struct parties list = {.with_running = with_running};

    collect_parties(vm, &list);
    print_parties(out, &list);
    free_parties(&list);
}

/* ---- whom a fault blames ---- */

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
    fault->pos = fault_position(root->core, root->pc);
    if (fault->status == PTO_EDEADLOCK)
        fault->time_ps = root->core->rank->now;
}

/* List the parties into the details of a deadlock or a limit, and blame one. */
static void list_parties(struct pto_vm *vm)
{
    struct pto_fault *fault = &vm->fault;
    struct parties list = {.with_running = fault->status == PTO_ELIMIT};
    struct pto_buf text = {0};
    const struct party *root;

    collect_parties(vm, &list);
    print_parties(&text, &list);
    root = root_of(&list);
    fault->details = pto_arena_strdup(&vm->arena, pto_buf_text(&text));
    if (root)
        blame(fault, root);
    pto_buf_free(&text);
    free_parties(&list);
}

const struct pto_fault *pto_vm_fault(struct pto_vm *vm)
{
    bool asks = vm->status == PTO_EDEADLOCK || vm->status == PTO_ELIMIT;

    if (vm->status == PTO_OK)
        return NULL;
    if (asks && !vm->parties_listed)
        list_parties(vm);
    vm->parties_listed = true;
    return &vm->fault;
}
