#include "parties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "machine/cross_name.h"

struct look {
    const struct pto_vm *vm;
    struct pto_arena *arena;
    struct pto_party *list;
    unsigned count, capacity;
};

static struct pto_party_place place_of(const struct ready_code *code, uint32_t pc)
{
    const struct pto_insn *insn = &code->code->insn[pc];

    return (struct pto_party_place){code->module, (int32_t)insn->pos,
                                   pto_op_info(insn->op)->mnemonic};
}

static void add_near(struct pto_party *party, const char *text, struct pto_party_place place)
{
    if (party->nears < PTO_PARTY_NEAR)
        party->near[party->nears++] = (struct pto_party_near){text, place};
}

/* ---- flags ---- */

/* A flag as somebody wants it or as a set_flag gives it; id -1: in a register. */
struct key {
    unsigned src, dst;
    int64_t id;
};

static const char *key_text(struct look *look, const char *before, struct key key,
                            const char *behind)
{
    char id[24] = "in a register";

    if (key.id >= 0)
        snprintf(id, sizeof id, "%lld", (long long)key.id);
    return pto_arena_printf(look->arena, "%s%s, %s, %s%s", before, pto_queue_name(key.src),
                            pto_queue_name(key.dst), id, behind);
}

/* In how many of its parts does one differ from the other? */
static int difference(struct key a, struct key b)
{
    return (a.src != b.src) + (a.dst != b.dst) + (a.id != b.id && a.id >= 0 && b.id >= 0);
}

/* Tokens that are there and differ in one part. */
static void near_tokens(struct look *look, const struct core *core, struct key want,
                        struct pto_party *party)
{
    for (unsigned src = 0; src < PTO_PIPE_COUNT; src++)
        for (unsigned dst = 0; dst < PTO_PIPE_COUNT; dst++)
            for (unsigned id = 0; id < USER_EVENTS; id++) {
                struct key key = {src, dst, id};

                if (core_tokens(core, src, dst, id) && difference(key, want) == 1)
                    add_near(party, key_text(look, "a token ", key, " is set"),
                             place_of(core->ready, core_token_pc(core, src, dst, id)));
            }
}

/* Instructions that set the flag, or one that differs in one part. */
static void near_sets(struct look *look, const struct core *core, struct key want,
                      int wanted_difference, struct pto_party *party)
{
    const struct pto_code *code = core->ready->code;

    for (uint32_t pc = 0; pc < code->insns; pc++) {
        const struct pto_insn *insn = &code->insn[pc];
        const struct pto_scalar *id = insn->operands > 2 ? &insn->operand[2].scalar : NULL;
        struct key key;

        if (insn->op != PTO_OP_SET_FLAG)
            continue;
        key = (struct key){insn->operand[0].value, insn->operand[1].value,
                           id && id->kind == PTO_S_INT ? id->i : -1};
        if (difference(key, want) == wanted_difference)
            add_near(party, key_text(look, "set_flag ", key, ""), place_of(core->ready, pc));
    }
}

static void want_flag(struct look *look, const struct core *core, const struct pto_wait *wait,
                      struct pto_party *party)
{
    const struct key want = {wait->src, wait->dst, wait->id};

    party->wants = key_text(look, "set_flag ", want, "");
    near_sets(look, core, want, 0, party);
    near_tokens(look, core, want, party);
    if (!party->nears)
        near_sets(look, core, want, 1, party);
    if (!party->nears)
        add_near(party, "no instruction sets it, nor a flag that differs in one part",
                 (struct pto_party_place){0});
}

/* ---- signals ---- */

/* Instructions, on any kind of sub-core, that notify the object. */
static void near_notifies(struct look *look, const struct core *core, const char *object,
                          struct pto_party *party)
{
    const struct pto_kernel *kernel = core->ready->kernel;
    unsigned before = party->nears;

    for (int kind = 0; kind < PTO_CORE_KINDS; kind++) {
        const struct pto_code *code = &kernel->core[kind].code;

        for (uint32_t pc = 0; kernel->core[kind].present && pc < code->insns; pc++) {
            const struct pto_insn *insn = &code->insn[pc];

            if (insn->op == PTO_OP_TNOTIFY &&
                !strcmp(kernel->object[insn->operand[0].gm.object].name, object))
                add_near(party, "this notifies it",
                         (struct pto_party_place){core->ready->module, (int32_t)insn->pos,
                                                 "TNOTIFY"});
        }
    }
    if (party->nears == before)
        add_near(party, pto_arena_printf(look->arena, "no instruction of this kernel notifies '%s'",
                                        object), (struct pto_party_place){0});
}

static void want_signal(struct look *look, const struct core *core, const struct pto_wait *wait,
                        struct pto_party *party)
{
    party->wants = "";
    for (unsigned i = 0; i < wait->signals; i++) {
        const struct pto_wait_signal *signal = &wait->signal[i];

        party->wants = pto_arena_printf(
            look->arena, "%s%s%s %s %lld, which is %d", party->wants, i ? " or " : "",
            signal->element, pto_enum_keyword(PTO_ENUM_CMP, signal->comparison),
            (long long)signal->value, signal->now);
        if (!i || strcmp(signal->name, wait->signal[i - 1].name))
            near_notifies(look, core, signal->name, party);
    }
}

/* ---- the rest of what S waits for ---- */

/* Who of the participants is missing, or stands at a barrier of others. */
static void want_others(struct look *look, const struct core *core, struct pto_party *party)
{
    party->wants = pto_arena_printf(look->arena, "sync_all %s",
                                   pto_enum_keyword(PTO_ENUM_SYNC, core->sync_scope));
    for (unsigned i = 0; i < core->rank->cores; i++) {
        const struct core *other = &core->rank->core[i];

        if (!look_takes_part(other, core->sync_scope))
            continue;
        if (!other->arrived)
            add_near(party, pto_arena_printf(look->arena, "%s has not come", other->name),
                     place_of(other->ready, other->pc));
        else if (other->sync_scope != core->sync_scope)
            add_near(party, pto_arena_printf(look->arena, "%s waits at sync_all %s", other->name,
                                            pto_enum_keyword(PTO_ENUM_SYNC, other->sync_scope)),
                     place_of(other->ready, other->pc));
    }
}

/* Sub-cores that have sent a count which waits for those of others, and counts of other flags. */
static void want_cross(struct look *look, const struct core *core, const struct pto_wait *wait,
                       struct pto_party *party)
{
    const struct cross *cross = core->cross;
    const unsigned id = wait->id;

    party->wants = pto_arena_strdup(look->arena, wait->flag);
    for (unsigned i = 0; i < core->rank->cores; i++) {
        const struct core *other = &core->rank->core[i];

        if (other->ready && other->cross && other->cross->sent[id])
            add_near(party, pto_arena_printf(look->arena, "%s has set it; its partners have not",
                                            other->name),
                     place_of(other->ready, other->cross->sent_pc[id]));
    }
    for (unsigned other = 0; cross && other < CROSS_PLACES; other++)
        if (cross->count[other])
            add_near(party, pto_arena_printf(look->arena, "%s has come and is not taken",
                                            CROSS_NAME(core, other)),
                     place_of(cross->setter[other].core->ready, cross->setter[other].pc));
}

/* What a party wants, in words, and what nearly gave it. */
static void want(struct look *look, const struct core *core, const struct pto_wait *wait,
                 struct pto_party *party)
{
    party->state = "waits";
    switch (wait->kind) {
    case PTO_WAIT_ROOM:
        party->wants = pto_arena_printf(look->arena, "room in the queue of %s",
                                        pto_queue_name(wait->queue));
        break;
    case PTO_WAIT_FLAG:
        want_flag(look, core, wait, party);
        break;
    case PTO_WAIT_TRANSFER:
        party->wants = "the other phase of a transfer";
        break;
    case PTO_WAIT_EMPTY:
        party->wants = "its pipes to be empty";
        break;
    case PTO_WAIT_SIGNAL:
        want_signal(look, core, wait, party);
        break;
    case PTO_WAIT_CROSS:
        want_cross(look, core, wait, party);
        break;
    case PTO_WAIT_SYNC_ALL:
        want_others(look, core, party);
        break;
    case PTO_WAIT_EVENT:
        party->wants = pto_arena_printf(look->arena, "event %llu of the DMA engine",
                                        (unsigned long long)wait->event);
        break;
    case PTO_WAIT_STORES:
        party->wants = "what it sent to be acknowledged";
        break;
    case PTO_WAIT_ENDED:
        party->state = "ended";
        break;
    default:
        party->state = "runs";
    }
}

static void look_at_scalar(struct look *look, const struct core *core, struct pto_party *party)
{
    const struct pto_wait wait = look_wait(core, PTO_PIPE_S);

    party->at = place_of(core->ready, core->pc);
    want(look, core, &wait, party);
}

/* ---- pipes ---- */

/* The entry that completed last still lies in front of the head, unless the ring is full; it may be
 * of an earlier launch. */
static void look_at_last(const struct core *core, const struct pipe *pipe,
                         struct pto_party *party)
{
    struct completed last = pipe->last;

    if (!pipe->head || (pipe->ring && pipe->tail - pipe->head > pipe->mask))
        return;
    if (pipe->ring) {
        const struct entry *entry = pipe_entry(pipe, pipe->head - 1);

        last = (struct completed){entry->issue, entry->complete, entry->pc};
    }
    if (last.issue < core->rank->launch_at)
        return;
    party->last = place_of(core->ready, last.pc);
    party->last_ps = last.complete;
}

static void look_at_pipe(struct look *look, const struct core *core, unsigned number,
                         struct pto_party *party)
{
    const struct pipe *pipe = core->pipe[number];
    const struct entry *entry;

    look_at_last(core, pipe, party);
    if (pipe->head == pipe->tail)
        return;
    party->state = "runs";
    entry = pipe_entry(pipe, pipe->head);
    party->at = place_of(core->ready, entry->pc);
    if (pipe->head == pipe->next) {
        const struct pto_wait waits_for = look_wait(core, number);

        want(look, core, &waits_for, party);
    }
}

static struct pto_party *new_wait(struct look *look, const char *state, int rank)
{
    struct pto_party *party;

    PTO_GROW(look->list, look->count, look->capacity);
    party = &look->list[look->count++];
    *party = (struct pto_party){
        .rank = rank, .state = state, .at.pos = PTO_NONE, .last.pos = PTO_NONE};
    return party;
}

static struct pto_party *new_party(struct look *look, const struct core *core, unsigned number)
{
    struct pto_party *party = new_wait(look, "idle", core->rank->number);

    party->core = core->name;
    party->pipe = pto_queue_name(number);
    return party;
}

static void look_at_core(struct look *look, const struct core *core)
{
    look_at_scalar(look, core, new_party(look, core, PTO_PIPE_S));
    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
        if (core->pipe[p]->ring || core->pipe[p]->tail)
            look_at_pipe(look, core, p, new_party(look, core, p));
}

unsigned pto_vm_parties(const struct pto_vm *vm, struct pto_arena *arena, struct pto_party **list)
{
    struct look look = {.vm = vm, .arena = arena};

    for (int r = 0; r < vm->ranks; r++) {
        const struct rank *rank = &vm->rank[r];

        if (rank->died || rank->between_launches) {
            new_wait(&look, rank->died ? "died" : "ended", r);
            continue;
        }
        for (unsigned i = 0; i < rank->cores; i++)
            if (rank->core[i].ready)
                look_at_core(&look, &rank->core[i]);
    }
    *list = pto_arena_array(arena, look.count + 1, sizeof **list);
    if (look.count)
        memcpy(*list, look.list, look.count * sizeof **list);
    free(look.list);
    return look.count;
}
