/* The cache rule.  On chips `ld` and `st` of the scalar unit go through a cache of their sub-core
 * that nobody keeps coherent, while pipes, the DMA engine, fetch_add and signals go to memory.  So
 * a store reaches the others only when a dcci has written it back, and a load sees what others
 * wrote only if a dcci has dropped the line since.
 *
 * A dcci that writes something back counts as one more scalar store: whoever knows of it, by a flag
 * of S or a dsb as for every store, knows that the stores before it are in memory.  The end of a
 * launch writes back, its beginning drops.  A dcci of one line is known to the stores of that line
 * that it has written back; what S knew then counts for loads of that line alone. */
#include <stdlib.h>

#include "check/cache.h"
#include "check/handover.h"
#include "check/verdict.h"

enum {
    LINE_SLOTS = 16,  /* of a table that begins */
    LEAST_KEPT = 4096 /* write-backs of a sub-core, before older ones are forgotten */
};

/* ---- lines that were dropped alone ---- */

static bool is_line(const struct cache_line *line, uint32_t object, uint64_t number)
{
    return line->used && line->object == object && line->number == number;
}

/* The slot of a line, or the free one where it would go. */
static struct cache_line *slot_of_line(const struct cache_lines *lines, uint32_t object,
                                       uint64_t number)
{
    uint64_t hash = (number * 31 + object) * 0x9e3779b97f4a7c15u >> 32;

    for (;; hash++) {
        struct cache_line *line = &lines->slot[hash & (lines->slots - 1)];

        if (!line->used || is_line(line, object, number))
            return line;
    }
}

static void grow_lines(struct cache_lines *lines)
{
    struct cache_lines grown = {.slots = lines->slots ? 2 * lines->slots : LINE_SLOTS,
                                .used = lines->used};

    grown.slot = pto_xcalloc(grown.slots, sizeof *grown.slot);
    for (uint32_t i = 0; i < lines->slots; i++)
        if (lines->slot[i].used)
            *slot_of_line(&grown, lines->slot[i].object, lines->slot[i].number) = lines->slot[i];
    free(lines->slot);
    *lines = grown;
}

static struct cache_line *add_line(struct cache_lines *lines, uint32_t object, uint64_t number)
{
    struct cache_line *line;

    if (2 * lines->used >= lines->slots)
        grow_lines(lines);
    line = slot_of_line(lines, object, number);
    if (!line->used) {
        *line = (struct cache_line){.used = true, .object = object, .number = number};
        lines->used++;
    }
    return line;
}

void cache_forget_lines(struct check_core *core)
{
    for (uint32_t i = 0; i < core->lines.slots; i++)
        frame_drop(&core->lines.slot[i].fresh);
    free(core->lines.slot);
    core->lines = (struct cache_lines){0};
}

const struct frame *cache_line_fresh(const struct check_core *core, uint32_t object,
                                     uint64_t offset)
{
    const struct cache_line *line;

    if (!core->lines.used)
        return NULL;
    line = slot_of_line(&core->lines, object, offset / LINE_BYTES);
    return line->used ? &line->fresh : NULL;
}

/* ---- writing back and dropping ---- */

uint32_t cache_written_back(const struct pto_check *check, const struct access *store)
{
    const struct check_core *core = &check->core[store->core];
    uint32_t low = 0, high = core->cleans;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (core->clean[middle] > store->epoch)
            high = middle;
        else
            low = middle + 1;
    }
    if (store->back && (low == core->cleans || store->back < core->clean[low]))
        return store->back;
    return low < core->cleans ? core->clean[low] : 0;
}

bool cache_keeps(const struct pto_check *check, const struct access *store, uint32_t until)
{
    uint32_t back = cache_written_back(check, store);

    return !back || back > until;
}

static void next_write_back(struct check_core *core)
{
    check_change(core)->row.lane[LANE_STORE] =
        check_next_epoch(core, LANE_STORE, core->core->pc);
}

/* Let the stores that are still remembered say themselves when they were written back, so that
 * their number bounds what is kept. */
static void forget_write_backs(struct pto_check *check, struct check_core *core)
{
    for (uint32_t i = 1; i < check->accesses; i++) {
        struct access *store = &check->access[i];

        if (store->lane == LANE_STORE && store->core == core->id)
            store->back = cache_written_back(check, store);
    }
    core->clean[0] = core->clean[core->cleans - 1];
    core->cleans = 1;
}

void cache_write_back(struct pto_check *check, struct check_core *core)
{
    if (core->stored <= (core->cleans ? core->clean[core->cleans - 1] : 0))
        return; /* nothing was stored since */
    if (core->cleans >= LEAST_KEPT && core->cleans >= check->accesses)
        forget_write_backs(check, core);
    next_write_back(core);
    PTO_GROW(core->clean, core->cleans, core->clean_capacity);
    core->clean[core->cleans++] = core->count[LANE_STORE];
}

void cache_drop(struct check_core *core)
{
    frame_set(&core->fresh, &core->s);
    cache_forget_lines(core);
}

static void maintain_all(struct pto_check *check, struct check_core *core)
{
    const struct core *source = core->core;
    uint32_t before = core->cleans;

    cache_write_back(check, core);
    cover_note(check, source->ready, source->pc,
               core->cleans > before || redundant_adds(&core->fresh, &core->s));
    cache_drop(core);
}

/* A line is being written back. */
struct line_walk {
    struct pto_check *check;
    struct check_core *core;
    bool wrote;
};

static void write_back_use(struct line_walk *walk, check_use use)
{
    struct access *store = &walk->check->access[use >> 3];

    if (!use || store->lane != LANE_STORE || store->core != walk->core->id ||
        cache_written_back(walk->check, store))
        return;
    if (!walk->wrote)
        next_write_back(walk->core);
    walk->wrote = true;
    store->back = walk->core->count[LANE_STORE];
}

static uint32_t write_back_state(void *context, uint32_t id, uint64_t offset, uint64_t length)
{
    struct line_walk *walk = context;
    const struct state *state = &walk->check->state[id];

    (void)offset;
    (void)length;
    write_back_use(walk, state->writer);
    for (uint32_t i = 0; i < state->others; i++)
        write_back_use(walk, race_others(state)[i]);
    return id;
}

static void maintain_line(struct pto_check *check, struct check_core *core, uint32_t object,
                          uint64_t offset)
{
    const struct core *source = core->core;
    struct line_walk walk = {check, core, false};
    struct cache_line *line = add_line(&core->lines, object, offset / LINE_BYTES);

    line_touch(check, core, object, offset, write_back_state, &walk);
    cover_note(check, source->ready, source->pc,
               walk.wrote || (redundant_adds(&core->fresh, &core->s) &&
                              redundant_adds(&line->fresh, &core->s)));
    frame_set(&line->fresh, &core->s);
}

void cache_maintain(void *context, struct core *source, const struct ready_operand *place,
                    const void *address)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    uint32_t object;

    if (!place) {
        maintain_all(check, core);
        return;
    }
    object = touch_object_number(source, place->object);
    maintain_line(check, core, object,
                  (uint64_t)((const uint8_t *)address - source->rank->object[object].data));
}

/* Does S know of the use since it last dropped the line? */
static bool is_fresh(const struct pto_check *check, check_use other, const struct check_core *core,
                     uint64_t offset)
{
    const struct touch *touch = &check->touch;
    const struct frame *line;

    if (race_is_known(check, other, &core->fresh))
        return true;
    line = cache_line_fresh(
        core, (uint32_t)(touch->object - check->vm->rank[touch->rank].object), offset);
    return line && race_is_known(check, other, line);
}

/* ---- verdict ---- */

/* A load or store of the scalar unit; fetch_add goes past the cache. */
static bool is_cached(const struct access *access)
{
    return (access->lane == LANE_STORE || access->lane == PTO_PIPE_S) &&
           access->code->code->insn[access->pc].op != PTO_OP_FETCH_ADD;
}

/* What a wait has seen of a signal is there, whoever reads it. */
static bool is_notify(const struct access *access)
{
    return access->code->code->insn[access->pc].op == PTO_OP_TNOTIFY;
}

static void report(struct pto_check *check, check_use other, bool held, uint64_t offset,
                   uint64_t length)
{
    struct party first = finding_party(check, other);
    struct party second = finding_party(check, check->touch.use);
    struct found *found = finding_add(check, PTO_FIND_CACHE_STALE, &first, &second);

    if (!found)
        return;
    found->near = held ? NEAR_WRITE_BACK : NEAR_NOTHING;
    race_locate(check, found, offset, length);
}

void cache_judge(struct pto_check *check, check_use other, uint64_t offset, uint64_t length)
{
    const struct access *first = &check->access[other >> 3];
    const struct access *second = &check->access[check->touch.use >> 3];
    bool loads = second->lane == PTO_PIPE_S && !(check->touch.use & ACCESS_WRITE);
    uint32_t back;

    if (!(other & ACCESS_WRITE) || (!loads && first->lane != LANE_STORE) || is_notify(first) ||
        (first->core == second->core && is_cached(first) && is_cached(second)))
        return;
    if (first->lane == LANE_STORE) {
        back = cache_written_back(check, first);
        if (!back || !race_knows(check->touch.frame, second->core, first->core, LANE_STORE, back)) {
            report(check, other, true, offset, length);
            return;
        }
    }
    if (loads && !is_fresh(check, other, &check->core[second->core], offset))
        report(check, other, false, offset, length);
}
