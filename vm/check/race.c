/* States of bytes, and the verdict on every access to them.
 *
 * Two accesses to a byte, at least one of them a write and not both atomic, race unless the later
 * one knows the earlier one (clock.h).  Accesses that cannot matter any more are forgotten: a write
 * ends what came before it, and a reader that knows an older reader stands for it. */
#include <stdlib.h>
#include <string.h>

#include "check/cache.h"
#include "check/verdict.h"

enum { FIRST_SWEEP = 1 << 16, FEW_USES = 64 };

static uint32_t access_of(check_use use)
{
    return use >> 3;
}

/* ---- tables with sweeping ---- */

static void mark_use(struct pto_check *check, check_use use)
{
    if (use)
        check->access[access_of(use)].marked = true;
}

/* Who asks for a load's heir does not ask for the heir of that. */
static void mark_load(struct pto_check *check, uint32_t load)
{
    if (!load)
        return;
    check->access[load].marked = true;
    if (check->access[load].heir)
        check->access[check->access[load].heir].marked = true;
}

static check_use *others_of(struct state *state)
{
    return state->others > 2 ? state->many : state->few;
}

static void mark_state(void *context, uint32_t id)
{
    struct pto_check *check = context;
    struct state *state = &check->state[id];

    if (state->marked)
        return;
    state->marked = true;
    mark_use(check, state->writer);
    mark_load(check, state->load);
    for (uint32_t i = 0; i < state->others; i++)
        mark_use(check, others_of(state)[i]);
}

/* Entries under way hold on to their accesses. */
static void mark_queues(struct pto_check *check)
{
    for (uint32_t c = 0; c < check->cores; c++) {
        async_mark(check, &check->core[c]);
        for (unsigned p = 0; p < PTO_PIPE_COUNT; p++) {
            const struct check_core *core = &check->core[c];
            const struct pipe *pipe = &core->core->pipe[p];

            for (uint32_t i = pipe->head; core->pipe[p].ring && i != pipe->next; i++)
                check->access[core->pipe[p].ring[i & check->vm->ring_mask].access].marked = true;
        }
    }
    for (uint32_t i = 0; i < check->flights; i++)
        if (check->flight[i].busy)
            check->access[check->flight[i].access].marked = true;
}

static void mark_regions(struct pto_check *check)
{
    unsigned objects = check->vm->rank[0].objects;

    for (uint32_t c = 0; c < check->cores; c++)
        for (int s = 0; s < PTO_SPACE_COUNT; s++)
            shadow_visit(&check->core[c].space[s], &check->pools, mark_state, check);
    for (int r = 0; r < check->vm->ranks; r++)
        for (unsigned o = 0; o < objects; o++)
            shadow_visit(&check->object[r][o], &check->pools, mark_state, check);
}

/* Room in a list for all that there is. */
static uint32_t *reserve(uint32_t **list, uint32_t *capacity, uint32_t most)
{
    if (*capacity < most) {
        *list = pto_xrealloc(*list, (size_t)most * sizeof **list);
        *capacity = most;
    }
    return *list;
}

static void free_unmarked(struct pto_check *check)
{
    uint32_t *spare = reserve(&check->spare_state, &check->spare_state_capacity, check->states);
    uint32_t spares = 0;

    for (uint32_t i = STATE_READY + 1; i < check->states; i++) {
        struct state *state = &check->state[i];

        if (!state->marked) {
            if (state->others > 2)
                free(state->many);
            state->others = 0;
            spare[spares++] = i;
        }
        state->marked = false;
    }
    check->spare_states = spares;
    spare = reserve(&check->spare_access, &check->spare_access_capacity, check->accesses);
    spares = 0;
    for (uint32_t i = 1; i < check->accesses; i++) {
        if (!check->access[i].marked)
            spare[spares++] = i;
        check->access[i].marked = false;
    }
    check->spare_accesses = spares;
}

/* Give back what nothing refers to, when twice as much has come together as was left last time. */
static void sweep_if_due(struct pto_check *check)
{
    uint32_t states = check->states - check->spare_states;
    uint32_t accesses = check->accesses - check->spare_accesses;
    uint32_t most = states > accesses ? states : accesses;

    if (!check->sweep_at)
        check->sweep_at = FIRST_SWEEP;
    if (most < check->sweep_at)
        return;
    mark_regions(check);
    mark_queues(check);
    free_unmarked(check);
    states = check->states - check->spare_states;
    accesses = check->accesses - check->spare_accesses;
    most = states > accesses ? states : accesses;
    check->sweep_at = 2 * most > FIRST_SWEEP ? 2 * most : FIRST_SWEEP;
}

uint32_t race_access(struct pto_check *check, const struct access *access)
{
    uint32_t id;

    sweep_if_due(check);
    if (check->spare_accesses) {
        id = check->spare_access[--check->spare_accesses];
    } else {
        PTO_GROW(check->access, check->accesses, check->access_capacity);
        id = check->accesses++;
    }
    check->access[id] = *access;
    return id;
}

/* A state with room for `others` uses, which the caller fills in. */
static uint32_t new_state(struct pto_check *check, check_use writer, uint32_t others)
{
    struct state *state;
    uint32_t id;

    if (check->spare_states) {
        id = check->spare_state[--check->spare_states];
    } else {
        PTO_GROW(check->state, check->states, check->state_capacity);
        id = check->states++;
    }
    state = &check->state[id];
    *state = (struct state){.writer = writer, .others = others};
    if (others > 2)
        state->many = pto_xmalloc(others * sizeof *state->many);
    return id;
}

void race_free(struct pto_check *check)
{
    for (uint32_t i = 0; i < check->states; i++)
        if (check->state[i].others > 2)
            free(check->state[i].many);
    free(check->state);
    free(check->access);
    free(check->spare_state);
    free(check->spare_access);
}

/* ---- verdict ---- */

static bool is_write(check_use use)
{
    return use & ACCESS_WRITE;
}

static bool knows(const struct pto_check *check, check_use other)
{
    return race_is_known_by(check, other, check->touch.frame, check->touch.core);
}

/* A chain of products into one accumulator needs no order of its own. */
static bool is_accumulation(const struct pto_check *check, const struct access *a,
                            const struct access *b)
{
    return a->core == b->core && a->lane == PTO_PIPE_M && b->lane == PTO_PIPE_M &&
           check->touch.space == pto_space_name(PTO_L0C);
}

/* The phases of one TREDUCE and its like are in the machine's own order. */
static bool is_one_macro(const struct access *a, const struct access *b)
{
    return a->core == b->core && a->pc == b->pc && a->lane == b->lane && a->code == b->code &&
           pto_op_info(a->code->code->insn[a->pc].op)->class == PTO_MACRO;
}

static bool is_exempt(const struct pto_check *check, const struct access *a,
                      const struct access *b)
{
    return is_accumulation(check, a, b) || is_one_macro(a, b);
}

static bool conflicts(const struct pto_check *check, check_use other)
{
    check_use self = check->touch.use;

    if (access_of(other) == access_of(self) || !(is_write(other) || is_write(self)))
        return false;
    return !knows(check, other) && !is_exempt(check, &check->access[access_of(other)],
                                              &check->access[access_of(self)]);
}

static void judge_in_full(struct pto_check *check, check_use other, uint64_t offset,
                          uint64_t length)
{
    if (conflicts(check, other))
        race_report(check, other, offset, length);
    else if (!check->touch.space)
        cache_judge(check, other, offset, length);
}

/* Most uses need no more than a look: readers, and on chip what the access knows.  Atomic accesses
 * go past the caches, in any order. */
static inline void judge_against(struct pto_check *check, check_use other, uint64_t offset,
                                 uint64_t length)
{
    check_use self = check->touch.use;

    if (!other || (other & self & ACCESS_ATOMIC) || !((other | self) & ACCESS_WRITE))
        return;
    if (!check->touch.space || !knows(check, other))
        judge_in_full(check, other, offset, length);
}

/* Judge the access against bytes in this state. */
static void judge(struct pto_check *check, uint32_t id, uint64_t offset, uint64_t length)
{
    check_use self = check->touch.use;
    const struct state *state = &check->state[id]; /* no report makes new states */

    judge_against(check, state->writer, offset, length);
    for (uint32_t i = 0; i < state->others; i++)
        judge_against(check, race_others(state)[i], offset, length);
    if (is_write(self) && !(self & ACCESS_ATOMIC))
        return;
    if (state->never && !state->writer)
        race_report_uninitialised(check, offset, length);
    if (state->spoiled && state->spoiled == check->touch.tile)
        race_report_overlap(check, state->writer, offset, length);
    if (state->load && check->access[state->load].heir)
        race_report_stale(check, check->access[state->load].heir, offset, length);
}

/* ---- transitions ---- */

/* The tile whose contents are lost when this access writes over the state. */
static uint32_t spoils(const struct pto_check *check, const struct state *old)
{
    uint32_t tile = check->touch.tile;

    if (old->tile && tile && old->tile != tile)
        return old->tile;
    return old->spoiled == tile ? 0 : old->spoiled;
}

/* What brought the contents behind this access: a load itself; in place they stay what they were.
 * A load in the place of an earlier one is its heir: what it leaves of that one is stale. */
static uint32_t load_behind(struct pto_check *check, uint32_t old, bool read)
{
    uint32_t self = access_of(check->touch.use);
    const struct access *load = &check->access[self];

    if (!load->origin)
        return read ? old : 0;
    if (old && old != self && check->access[old].origin == load->origin &&
        check->access[old].object == load->object)
        check->access[old].heir = self;
    return self;
}

/* A write ends what was there; that the same instruction had read the bytes stays on record, for it
 * is the read that names the trouble if an earlier write comes late. */
static uint32_t after_write(struct pto_check *check, uint32_t id)
{
    struct state *old = &check->state[id];
    check_use self = check->touch.use & ~7u;
    uint32_t spoiled = spoils(check, old), once = 0, load, *made;
    bool read = false;

    for (uint32_t i = 0; i < old->others; i++)
        read = read || others_of(old)[i] == self;
    load = load_behind(check, old->load, read);
    made = spoiled || (read && load) ? &once : &check->touch.write_state[read];
    if (!*made) {
        *made = new_state(check, check->touch.use, read);
        check->state[*made].few[0] = self;
        check->state[*made].tile = check->touch.tile;
        check->state[*made].spoiled = spoiled;
        check->state[*made].load = load;
    }
    return *made;
}

/* Does a use stay on record beside an atomic write?  Atomic writes that are not ordered with it do;
 * plain uses do even if they are: the next atomic write, which need not know this one, has to know
 * them. */
static bool outlasts_atomic(const struct pto_check *check, check_use other)
{
    if (!other || access_of(other) == access_of(check->touch.use))
        return false;
    return !(other & ACCESS_ATOMIC) || !knows(check, other);
}

static uint32_t after_atomic(struct pto_check *check, uint32_t id)
{
    struct state old = check->state[id];
    check_use few[FEW_USES], *keep = few;
    uint32_t kept = 0, next;

    if (old.others >= FEW_USES)
        keep = pto_xmalloc((old.others + 1) * sizeof *keep);
    if (outlasts_atomic(check, old.writer))
        keep[kept++] = old.writer;
    for (uint32_t i = 0; i < old.others; i++)
        if (outlasts_atomic(check, others_of(&old)[i]))
            keep[kept++] = others_of(&old)[i];
    next = kept ? new_state(check, check->touch.use, kept) : after_write(check, id);
    if (kept)
        memcpy(others_of(&check->state[next]), keep, kept * sizeof *keep);
    if (keep != few)
        free(keep);
    return next;
}

/* The bytes as they were, with these readers. */
static uint32_t read_state(struct pto_check *check, uint32_t id, const check_use *reader,
                           uint32_t readers)
{
    uint32_t next = new_state(check, check->state[id].writer, readers);
    const struct state *old = &check->state[id];
    struct state *state = &check->state[next];

    state->never = old->never;
    state->tile = old->tile;
    state->spoiled = old->spoiled;
    state->load = old->load;
    if (readers == 1)
        state->few[0] = reader[0];
    else
        memcpy(others_of(state), reader, readers * sizeof *reader);
    return next;
}

/* Does a use stay on record beside a read? */
static bool outlasts_read(const struct pto_check *check, const struct state *state,
                          check_use other)
{
    return is_write(other) || access_of(other) == access_of(state->writer) ||
           !knows(check, other);
}

static uint32_t after_read_of_many(struct pto_check *check, uint32_t id)
{
    const struct state *old = &check->state[id];
    check_use self = check->touch.use, few[FEW_USES], *keep = few;
    uint32_t kept = 0, next = id;

    if (old->others >= FEW_USES)
        keep = pto_xmalloc((old->others + 1) * sizeof *keep);
    for (uint32_t i = 0; i < old->others; i++) {
        check_use other = race_others(old)[i];

        if (other == self)
            goto done;
        if (outlasts_read(check, old, other))
            keep[kept++] = other;
    }
    keep[kept++] = self;
    next = read_state(check, id, keep, kept);
done:
    if (keep != few)
        free(keep);
    return next;
}

static uint32_t after_read(struct pto_check *check, uint32_t id)
{
    const struct state *old = &check->state[id];
    check_use self = check->touch.use;

    if (old->others > 1)
        return after_read_of_many(check, id);
    if (old->others && old->few[0] == self)
        return id;
    if (old->others && outlasts_read(check, old, old->few[0]))
        return read_state(check, id, (check_use[]){old->few[0], self}, 2);
    return read_state(check, id, &self, 1);
}

/* Did the run end since a pipe of this program was so fast that it set a token again? */
static bool ran_ahead(const struct pto_check *check, const struct pto_code *code)
{
    const struct pto_fault *fault = &check->vm->fault;

    if (check->vm->status != PTO_EPROGRAM)
        return false;
    for (uint32_t pc = 0; pc < code->insns; pc++)
        if (code->insn[pc].op == PTO_OP_SET_FLAG && (int32_t)code->insn[pc].pos == fault->pos)
            return true;
    return false;
}

/* An entry that still waits in its queue when the run ends early.  What it would have waited for is
 * not known, so only this is certain: who was issued behind it and has read bytes that nobody had
 * written before has not waited for it to write them; and in a run that ends since a pipe was too
 * fast, who has overwritten what it is to read has not waited for it either. */
static void judge_unstarted(struct pto_check *check, uint32_t id, uint64_t offset, uint64_t length)
{
    struct state state = check->state[id];
    const struct access *self = &check->access[access_of(check->touch.use)];

    if (!is_write(check->touch.use)) {
        if (state.writer && check->access[access_of(state.writer)].serial > self->serial &&
            ran_ahead(check, self->code->code))
            race_report(check, state.writer, offset, length);
        return;
    }
    for (uint32_t i = 0; state.never && !state.writer && i < state.others; i++)
        if (check->access[access_of(others_of(&state)[i])].serial > self->serial)
            race_report(check, others_of(&state)[i], offset, length);
}

static uint32_t step_in_full(struct pto_check *check, uint32_t id, uint64_t offset,
                             uint64_t length)
{
    struct memo *memo = &check->memo[id % MEMO_SLOTS];
    check_use self = check->touch.use;

    if (check->touch.unstarted) {
        judge_unstarted(check, id, offset, length);
        return id;
    }
    judge(check, id, offset, length);
    if (!is_write(self))
        memo->to = after_read(check, id);
    else if (self & ACCESS_ATOMIC)
        memo->to = after_atomic(check, id);
    else
        memo->to = after_write(check, id);
    memo->generation = check->touch.generation;
    memo->from = id;
    return memo->to;
}

static uint32_t step(void *context, uint32_t id, uint64_t offset, uint64_t length)
{
    struct pto_check *check = context;
    const struct memo *memo = &check->memo[id % MEMO_SLOTS];

    if (memo->generation == check->touch.generation && memo->from == id)
        return memo->to;
    return step_in_full(check, id, offset, length);
}

void race_begin(struct pto_check *check, check_use use, const struct frame *frame)
{
    struct touch *touch = &check->touch;

    touch->use = use;
    touch->core = check->access[access_of(use)].core;
    touch->frame = frame;
    touch->write_state[0] = touch->write_state[1] = 0;
    touch->generation++;
}

void race_bytes(struct pto_check *check, struct shadow *shadow, const struct effect_pieces *pieces)
{
    shadow_touch(shadow, &check->pools, pieces, step, check);
}
