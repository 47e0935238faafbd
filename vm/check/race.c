/* States of bytes, and the verdict on every access to them.
 *
 * Two accesses to a byte, at least one of them a write and not both atomic, race unless the later
 * one knows the earlier one (clock.h).  Accesses that cannot matter any more are forgotten: a write
 * ends what came before it, and a reader that knows an older reader stands for it. */
#include <stdlib.h>
#include <string.h>

#include "check/cache.h"
#include "check/held.h"
#include "check/verdict.h"

enum { FEW_USES = 64 };

static uint32_t access_of(check_use use)
{
    return use >> 3;
}

static check_use *others_of(struct state *state)
{
    return state->others > 2 ? state->many : state->few;
}

/* A state to be filled in; its number. */
static inline uint32_t new_state(struct pto_check *check)
{
    if (check->spare_states)
        return check->spare_state[--check->spare_states];
    PTO_GROW(check->state, check->states, check->state_capacity);
    return check->states++;
}

/* The same where there is room for one, so that what needs no more memory calls nobody: 0 if there
 * is none. */
static inline uint32_t take_state(struct pto_check *check)
{
    if (check->spare_states)
        return check->spare_state[--check->spare_states];
    return check->states < check->state_capacity ? check->states++ : 0;
}

/* Room for the other uses of a state. */
static inline check_use *make_room(struct state *state, uint32_t others)
{
    state->others = others;
    if (others > 2)
        state->many = pto_xmalloc(others * sizeof *state->many);
    return others_of(state);
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

/* One that puts to its own rank leaves there, and lands as a visitor. */
static bool is_one_entry(const struct access *a, const struct access *b)
{
    return a->core == b->core && a->lane == b->lane && a->epoch == b->epoch;
}

/* A chain of products into one accumulator needs no order of its own. */
static bool is_accumulation(const struct pto_check *check, const struct access *a,
                            const struct access *b)
{
    return a->core == b->core && a->lane == PTO_PIPE_M && b->lane == PTO_PIPE_M &&
           !check->touch.global && check->touch.space == PTO_L0C;
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
    return is_one_entry(a, b) || is_accumulation(check, a, b) || is_one_macro(a, b);
}

static bool conflicts(const struct pto_check *check, check_use other)
{
    check_use self = check->touch.use;

    if (!(is_write(other) || is_write(self)))
        return false;
    return !knows(check, other) && !is_exempt(check, &check->access[access_of(other)],
                                              &check->access[access_of(self)]);
}

static void judge_in_full(struct pto_check *check, check_use other, uint64_t offset,
                          uint64_t length)
{
    if (conflicts(check, other))
        race_report(check, other, offset, length);
    else if (check->touch.global)
        cache_judge(check, other, offset, length);
}

/* Most uses need no more than a look: readers, and on chip what the access knows.  Atomic accesses
 * go past the caches, in any order. */
static inline void judge_against(struct pto_check *check, check_use self, check_use other,
                                 uint64_t offset, uint64_t length)
{
    if (!other || (other & self & ACCESS_ATOMIC) || !((other | self) & ACCESS_WRITE))
        return;
    if (check->touch.global || !knows(check, other))
        judge_in_full(check, other, offset, length);
}

/* Judge the access against bytes in this state. */
static inline void judge(struct pto_check *check, check_use self, uint32_t id, uint64_t offset,
                         uint64_t length)
{
    const struct state *state = &check->state[id]; /* no report makes new states */
    const check_use *others = race_others(state);
    const uint32_t count = state->others;

    judge_against(check, self, state->writer, offset, length);
    for (uint32_t i = 0; i < count; i++)
        judge_against(check, self, others[i], offset, length);
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
static inline uint32_t load_behind(struct pto_check *check, uint32_t old, bool read)
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

/* A write ends what was there; that the same instruction had `read` the bytes stays on record, for
 * it is the read that names the trouble if an earlier write comes late.  0: there is no more room
 * in a list that is not to grow. */
static inline __attribute__((always_inline)) uint32_t
write_behind(struct pto_check *check, uint32_t id, bool read, uint32_t spoiled, bool stays)
{
    uint32_t once = 0, load = load_behind(check, check->state[id].load, read);
    uint32_t *made = spoiled || (read && load) ? &once : &check->touch.write_state[read];

    if (!*made) {
        *made = stays ? take_state(check) : new_state(check);
        if (!*made)
            return 0;
        check->state[*made] = (struct state){.writer = check->touch.use, .others = read,
                                             .few = {check->touch.use & ~7u},
                                             .tile = check->touch.tile, .spoiled = spoiled,
                                             .load = load};
    }
    return *made;
}

static uint32_t after_write(struct pto_check *check, uint32_t id)
{
    const struct state *old = &check->state[id];
    bool read = false;

    for (uint32_t i = 0; i < old->others; i++)
        read = read || race_others(old)[i] == (check->touch.use & ~7u);
    return write_behind(check, id, read, spoils(check, old), false);
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
    next = kept ? new_state(check) : after_write(check, id);
    if (kept) {
        check->state[next] = (struct state){.writer = check->touch.use};
        memcpy(make_room(&check->state[next], kept), keep, kept * sizeof *keep);
    }
    if (keep != few)
        free(keep);
    return next;
}

/* A new state like that of number *id, which becomes its number; the caller sets its readers. */
static inline struct state *read_state(struct pto_check *check, uint32_t *id)
{
    uint32_t next = new_state(check);
    struct state *state = &check->state[next];

    *state = check->state[*id];
    state->quiet = false;
    *id = next;
    return state;
}

/* Does a use stay on record beside a read? */
static inline bool outlasts_read(const struct pto_check *check, const struct touch *touch,
                                 check_use writer, check_use other)
{
    return is_write(other) || access_of(other) == access_of(writer) ||
           !race_is_known_by(check, other, touch->frame, touch->core);
}

/* Which of the others stay on record beside a read, and the read itself: into `keep`; their number.
 * 0: it is on record. */
static uint32_t keep_beside_read(const struct pto_check *check, const struct state *old,
                                 check_use *keep)
{
    const struct touch touch = check->touch; /* what is kept changes neither it nor the state */
    const check_use *others = race_others(old), writer = old->writer;
    const uint32_t count = old->others;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        check_use other = others[i];

        if (other == touch.use)
            return 0;
        if (outlasts_read(check, &touch, writer, other))
            keep[kept++] = other;
    }
    keep[kept++] = touch.use;
    return kept;
}

static uint32_t after_read_of_many(struct pto_check *check, uint32_t id)
{
    const struct state *old = &check->state[id];
    check_use few[FEW_USES], *keep = few;
    uint32_t kept;

    if (old->others >= FEW_USES)
        keep = pto_xmalloc((old->others + 1) * sizeof *keep);
    kept = keep_beside_read(check, old, keep);
    if (kept)
        memcpy(make_room(read_state(check, &id), kept), keep, kept * sizeof *keep);
    if (keep != few)
        free(keep);
    return id;
}

static uint32_t after_read(struct pto_check *check, check_use self, uint32_t id)
{
    const struct state *old = &check->state[id];
    uint32_t beside;
    struct state *state;

    if (old->others > 1)
        return after_read_of_many(check, id);
    if (old->others && old->few[0] == self)
        return id;
    beside = old->others && outlasts_read(check, &check->touch, old->writer, old->few[0]);
    state = read_state(check, &id);
    state->others = beside + 1;
    state->few[beside] = self;
    return id;
}

/* Did the run end since a pipe of this program was so fast that it set a token again? */
static bool ran_ahead(const struct pto_check *check, const struct pto_code *code)
{
    if (!check->end.faulted)
        return false;
    for (uint32_t pc = 0; pc < code->insns; pc++)
        if (code->insn[pc].op == PTO_OP_SET_FLAG && (int32_t)code->insn[pc].pos == check->end.pos)
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
    check_use self = check->touch.use;

    judge(check, self, id, offset, length);
    if (!is_write(self))
        return after_read(check, self, id);
    return self & ACCESS_ATOMIC ? after_atomic(check, id) : after_write(check, id);
}

/* An access makes the same of bytes that are in the same state. */
static inline uint32_t remember(struct pto_check *check, uint32_t id, uint32_t next)
{
    struct state *state = &check->state[id];

    state->turn = check->touch.turn;
    state->next = next;
    return next;
}

static __attribute__((noinline)) uint32_t step_slowly(struct pto_check *check, uint32_t id,
                                                      uint64_t offset, uint64_t length)
{
    if (!check->touch.unstarted)
        return remember(check, id, step_in_full(check, id, offset, length));
    judge_unstarted(check, id, offset, length);
    return id;
}

/* ---- the usual case ---- */

static __attribute__((noinline)) bool knows_from_afar(const struct pto_check *check,
                                                      check_use other)
{
    return knows(check, other);
}

/* Does the access know a use that caches have no part in?  Of its own sub-core that is a look. */
static inline bool knows_at_once(const struct pto_check *check, check_use other)
{
    const struct access *access = &check->access[access_of(other)];

    if (access->lane == LANE_STORE && check->touch.global)
        return false;
    if (access->core != check->touch.core)
        return knows_from_afar(check, other);
    return check->touch.frame->row.lane[access->lane] >= access->epoch;
}

/* A plain write of who knows all uses before it, through the same tile: the same as judge and
 * after_write.  False: it takes more. */
static inline bool write_at_once(struct pto_check *check, const struct state *old, uint32_t id,
                                 uint32_t *next)
{
    check_use self = check->touch.use & ~7u;
    bool read = false;

    if ((old->writer && !knows_at_once(check, old->writer)) || old->others > 2 ||
        (old->tile != check->touch.tile && old->tile && check->touch.tile) || old->spoiled)
        return false;
    for (uint32_t i = 0; i < old->others; i++) {
        if (old->few[i] == self)
            read = true;
        else if (!knows_at_once(check, old->few[i]))
            return false;
    }
    *next = write_behind(check, id, read, 0, true);
    return *next != 0;
}

/* A read, likewise, of bytes that are there and that at most one other has read, and no other
 * changed: judge and after_read. */
static inline bool read_at_once(struct pto_check *check, const struct state *old, uint32_t id,
                                uint32_t *next)
{
    check_use self = check->touch.use;
    uint32_t beside;
    struct state *state;

    if ((old->writer ? !knows_at_once(check, old->writer) : old->never) || old->others > 1 ||
        (old->others && is_write(old->few[0])) || old->spoiled ||
        (old->load && check->access[old->load].heir))
        return false;
    *next = id;
    if (old->others && old->few[0] == self)
        return true;
    *next = take_state(check);
    if (!*next)
        return false;
    state = &check->state[*next];
    *state = *old;
    state->quiet = false;
    beside = old->others && outlasts_read(check, &check->touch, old->writer, old->few[0]);
    state->others = beside + 1;
    state->few[beside] = self;
    return true;
}

uint32_t race_step(void *context, uint32_t id, uint64_t offset, uint64_t length)
{
    struct pto_check *check = context;
    const struct state *old = &check->state[id];
    uint32_t next;

    if (old->turn == check->touch.turn)
        return old->next;
    if (check->touch.quick &&
        (is_write(check->touch.use) ? write_at_once(check, old, id, &next)
                                    : read_at_once(check, old, id, &next)))
        return remember(check, id, next);
    return step_slowly(check, id, offset, length);
}

uint32_t race_read_step(void *context, uint32_t id, uint64_t offset, uint64_t length)
{
    struct pto_check *check = context;
    uint32_t next = after_read(check, check->touch.use, id);

    (void)offset;
    (void)length;
    if (next != id)
        check->state[next].turn = 0; /* the other access has not come to this one */
    return next;
}

void race_first_turn(struct pto_check *check)
{
    for (uint32_t i = 0; i < check->states; i++)
        check->state[i].turn = 0;
    for (uint32_t i = 0; i < check->cores; i++)
        held_first_turn(&check->core[i]);
    check->touch.turn = 1;
}
