/* Loads of S from its tiles.  S takes a word here and a byte there, and mostly the next that comes
 * to these bytes writes over all of them, or the launch ends: then nobody has asked for the states
 * that the loads would have made.  So a load that has nothing to report is kept as it is.
 *
 * Whoever comes to the bytes puts the loads into their states first, as if that had been done at
 * once: nobody has touched the bytes between.  Only a plain write by the same sub-core, issued
 * behind the load, that goes over all of its bytes, ends it unseen: it knows the load and all that
 * S knew then, and makes the same of the bytes whether they were read or not. */
#include "check/held.h"

#include <stdlib.h>

#include "arena.h"
#include "check/verdict.h"

enum { HELD_WORD = 4, HELD_FIRST = 16, HELD_MOST = 256, HELD_CHAINS = 256, WORDS_LOOKED_UP = 8 };

/* Bytes of one word.  Of loads of a word one after the other only the last one is kept; S knows all
 * of them, so it makes no difference that others are put into the states later, oldest first. */
struct held {
    uint32_t offset; /* in its space */
    uint16_t size;   /* 0: gone */
    uint16_t next;   /* in its chain: number + 1 */
    uint32_t tile, load; /* of the state that the bytes are in */
    struct access access;
};

struct held_loads {
    unsigned space; /* of all of them */
    uint32_t used, live, capacity;
    uint32_t begin, end;         /* between which they all are */
    struct quiet {
        uint32_t begin, end; /* bytes in one state, of which S has nothing to report ... */
        uint32_t turn;       /* ... as long as no use is judged behind this one */
        uint32_t tile, load; /* of the state */
    } quiet;
    uint16_t chain[HELD_CHAINS]; /* by word: number + 1 */
    struct held *load;
};

static inline uint16_t *chain_of(struct held_loads *all, uint64_t offset)
{
    uint64_t word = offset / HELD_WORD;

    return &all->chain[(word ^ word / HELD_CHAINS) % HELD_CHAINS];
}

/* ---- the end of a load that is kept ---- */

/* Nothing is kept: the memory stays. */
static void empty(struct check_core *core)
{
    struct held_loads *all = core->held;

    for (uint32_t i = 0; i < all->used; i++)
        *chain_of(all, all->load[i].offset) = 0;
    all->used = all->live = 0;
    all->begin = UINT32_MAX;
    all->end = 0;
    core->held_pages = 0;
}

static void forget_quiet(struct held_loads *all)
{
    all->quiet.begin = all->quiet.end = 0;
}

void held_forget(struct check_core *core)
{
    if (!core->held)
        return;
    empty(core);
    forget_quiet(core->held);
}

void held_first_turn(struct check_core *core)
{
    if (core->held)
        forget_quiet(core->held);
}

void held_free(struct check_core *core)
{
    if (core->held)
        free(core->held->load);
    free(core->held);
}

/* Behind the last one, none can be found. */
static void drop(struct check_core *core, struct held *held)
{
    held->size = 0;
    if (--core->held->live == 0)
        empty(core);
}

/* Put the load into the state of its bytes, in the midst of another access. */
static void settle(struct pto_check *check, struct check_core *core, struct held *held)
{
    const struct touch outer = check->touch;
    uint32_t id = race_access_at_once(check);

    check->access[id] = held->access;
    check->touch.use = id << 3;
    check->touch.core = core->id;
    check->touch.frame = &core->s;
    shadow_touch_piece(&core->space[core->held->space], &check->pools, held->offset, held->size,
                       race_read_step, check);
    check->touch = outer;
    forget_quiet(core->held);
    drop(core, held);
}

static void settle_all(struct pto_check *check, struct check_core *core)
{
    for (uint32_t i = 0; i < core->held->used; i++)
        if (core->held->load[i].size)
            settle(check, core, &core->held->load[i]);
}

/* ---- somebody comes ---- */

/* Does the access that is being judged end the load unseen? */
static bool is_ended(const struct pto_check *check, const struct check_core *core,
                     const struct held *held, uint64_t offset, uint64_t end)
{
    const struct touch *touch = &check->touch;

    return touch->quick && touch->use & ACCESS_WRITE && touch->core == core->id &&
           check->access[touch->use >> 3].serial > held->access.serial && offset <= held->offset &&
           held->offset + held->size <= end &&
           (!held->tile || !touch->tile || held->tile == touch->tile);
}

static void meet(struct pto_check *check, struct check_core *core, struct held *held,
                 uint64_t offset, uint64_t end)
{
    if (!held->size || held->offset >= end || held->offset + held->size <= offset)
        return;
    if (is_ended(check, core, held, offset, end))
        drop(core, held);
    else
        settle(check, core, held);
}

/* The oldest one is at the end. */
static void meet_chain(struct pto_check *check, struct check_core *core, uint32_t last,
                       uint64_t offset, uint64_t end)
{
    struct held *held;

    if (!last)
        return;
    held = &core->held->load[last - 1];
    meet_chain(check, core, held->next, offset, end);
    meet(check, core, held, offset, end);
}

void held_meet_slowly(struct pto_check *check, struct check_core *core, uint64_t offset,
                      uint64_t length)
{
    const uint64_t end = offset + length;
    struct held_loads *all = core->held;

    if (!length || check->touch.space != all->space)
        return;
    if (length > WORDS_LOOKED_UP * HELD_WORD) {
        for (uint32_t i = 0; i < all->used; i++)
            meet(check, core, &all->load[i], offset, end);
        return;
    }
    for (uint64_t at = offset / HELD_WORD * HELD_WORD; at < end; at += HELD_WORD)
        meet_chain(check, core, *chain_of(all, at), offset, end);
}

/* Only the pieces from the first one on that ends behind the first byte of the load. */
static void meet_some(struct pto_check *check, struct check_core *core, struct held *held,
                      const struct effect_pieces *pieces)
{
    uint64_t ended = pieces->offset + pieces->length;
    uint64_t i = held->offset < ended ? 0 : (held->offset - ended) / pieces->step + 1;
    uint64_t offset = pieces->offset + i * pieces->step;

    for (; i < pieces->count && offset < held->offset + held->size; i++) {
        meet(check, core, held, offset, offset + pieces->length);
        offset += pieces->step;
    }
}

void held_meet_pieces(struct pto_check *check, struct check_core *core,
                      const struct effect_pieces *pieces)
{
    struct held_loads *all = core->held;

    if (pieces->count == 1)
        held_meet(check, core, pieces->offset, pieces->length);
    else if (pieces->length && check->touch.space == all->space && pieces->offset < all->end &&
             all->begin < pieces->offset + (pieces->count - 1) * pieces->step + pieces->length)
        for (uint32_t i = 0; i < all->used; i++)
            meet_some(check, core, &all->load[i], pieces);
}

/* ---- a load ---- */

static bool is_known(const struct pto_check *check, const struct check_core *core, check_use use)
{
    const struct access *access = &check->access[use >> 3];

    return access->core == core->id && core->s.row.lane[access->lane] >= access->epoch;
}

/* Does S know all uses of bytes in this state, and has it nothing to report?  It does not know
 * less later. */
static bool is_quiet(const struct pto_check *check, const struct check_core *core,
                     struct state *state)
{
    if (state->quiet)
        return true;
    if ((state->writer ? !is_known(check, core, state->writer) : state->never) ||
        state->others > 2 || state->spoiled)
        return false;
    for (uint32_t i = 0; i < state->others; i++)
        if (state->few[i] & ACCESS_WRITE || !is_known(check, core, state->few[i]))
            return false;
    state->quiet = true;
    return true;
}

/* What a load has brought may become stale. */
static inline bool is_stale(const struct pto_check *check, uint32_t load)
{
    return load && check->access[load].heir;
}

/* Is it known that S has nothing to report of the bytes?  Mostly it loads one word of a tile after
 * the other, and nobody comes between. */
static inline bool is_quiet_again(const struct pto_check *check, const struct held_loads *all,
                                  uint64_t offset, unsigned size)
{
    return offset >= all->quiet.begin && offset + size <= all->quiet.end &&
           all->quiet.turn == check->touch.turn;
}

/* Is that so?  Then it is known of all bytes around that are known to be in the same state. */
static bool look_whether_quiet(struct pto_check *check, struct check_core *core,
                               const struct shadow *shadow, uint64_t offset, unsigned size)
{
    struct shadow_span span;
    struct state *state;

    if (!shadow_span_of(shadow, &check->pools, offset, size, &span))
        return false;
    state = &check->state[span.state];
    if (!is_quiet(check, core, state) || is_stale(check, state->load))
        return false;
    core->held->quiet = (struct quiet){(uint32_t)span.begin, (uint32_t)span.end, check->touch.turn,
                                       state->tile, state->load};
    return true;
}

static struct held_loads *make_loads(struct check_core *core)
{
    core->held = pto_xcalloc(1, sizeof *core->held);
    core->held->begin = UINT32_MAX;
    return core->held;
}

static __attribute__((noinline)) void make_room(struct pto_check *check, struct check_core *core)
{
    struct held_loads *all = core->held;

    if (all->used == HELD_MOST)
        settle_all(check, core);
    if (all->used < all->capacity)
        return;
    all->capacity = all->capacity ? 2 * all->capacity : HELD_FIRST;
    all->load = pto_xrealloc(all->load, all->capacity * sizeof *all->load);
}

/* A place for one more, of bytes that are as `quiet` says. */
static inline struct held *new_held(struct pto_check *check, struct check_core *core,
                                    uint64_t offset, unsigned size)
{
    struct held_loads *all = core->held;
    uint16_t *chain = chain_of(all, offset);
    struct held *held;

    if (all->used == all->capacity || all->used == HELD_MOST)
        make_room(check, core);
    held = &all->load[all->used++];
    held->offset = (uint32_t)offset;
    held->size = (uint16_t)size;
    held->next = *chain;
    held->tile = all->quiet.tile;
    held->load = all->quiet.load;
    *chain = (uint16_t)all->used;
    all->live++;
    all->begin = offset < all->begin ? (uint32_t)offset : all->begin;
    all->end = offset + size > all->end ? (uint32_t)offset + size : all->end;
    core->held_pages |= held_page(offset);
    return held;
}

/* Another space, or the first one; false: what is kept is of one space. */
static bool takes_space(struct held_loads *all, unsigned space)
{
    if (all->live)
        return false;
    all->space = space;
    forget_quiet(all);
    return true;
}

/* The last load of the word, if it was of the same bytes: nobody has touched them since. */
static inline struct held *same_as_last(const struct pto_check *check, struct held_loads *all,
                                        uint64_t offset, unsigned size)
{
    for (uint32_t i = *chain_of(all, offset); i;) {
        struct held *held = &all->load[i - 1];

        if ((held->offset ^ offset) < HELD_WORD)
            return held->offset == offset && held->size == size && !is_stale(check, held->load)
                       ? held
                       : NULL;
        i = held->next;
    }
    return NULL;
}

struct access *held_take(struct pto_check *check, struct check_core *core,
                         const struct shadow *shadow, unsigned space, uint64_t offset,
                         unsigned size)
{
    struct held_loads *all = core->held ? core->held : make_loads(core);
    struct held *same;

    if (size > HELD_WORD || offset & (size - 1) ||
        (all->space != space && !takes_space(all, space)))
        return NULL;
    same = same_as_last(check, all, offset, size);
    if (same) /* it knows that one, and takes its place */
        return &same->access;
    if (!is_quiet_again(check, all, offset, size) &&
        !look_whether_quiet(check, core, shadow, offset, size))
        return NULL;
    return &new_held(check, core, offset, size)->access;
}
