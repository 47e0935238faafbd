/* The cache rule.  On chips `ld` and `st` of the scalar unit go through a cache of their sub-core
 * that nobody keeps coherent, while pipes, the DMA engine, fetch_add and signals go to memory.  So
 * a store reaches the others only when a dcci has written it back, and a load sees what others
 * wrote only if a dcci has dropped the line since.
 *
 * A dcci that writes something back counts as one more scalar store: whoever knows of it, by a flag
 * of S or a dsb as for every store, knows that the stores before it are in memory.  The end of a
 * launch writes back, its beginning drops. */
#include "check/internal.h"

uint32_t cache_written_back(const struct check_core *core, uint32_t store)
{
    uint32_t low = 0, high = core->cleans;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (core->clean[middle] > store)
            high = middle;
        else
            low = middle + 1;
    }
    return low < core->cleans ? core->clean[low] : 0;
}

bool cache_keeps(const struct pto_check *check, const struct access *store, uint32_t until)
{
    uint32_t back = cache_written_back(&check->core[store->core], store->epoch);

    return !back || back > until;
}

void cache_write_back(struct check_core *core)
{
    if (core->cleans ? core->clean[core->cleans - 1] == core->count[LANE_STORE]
                     : !core->count[LANE_STORE])
        return; /* nothing was stored since */
    core->s.row.lane[LANE_STORE] = check_next_epoch(core, LANE_STORE, core->core->pc);
    PTO_GROW(core->clean, core->cleans, core->clean_capacity);
    core->clean[core->cleans++] = core->count[LANE_STORE];
}

void cache_drop(struct check_core *core)
{
    frame_set(&core->fresh, &core->s);
}

void cache_maintain(void *context, struct core *source)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    uint32_t before = core->cleans;

    cache_write_back(core);
    cover_note(check, source->ready, source->pc,
               core->cleans > before || redundant_adds(&core->fresh, &core->s));
    cache_drop(core);
}

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

    if (!(other & ACCESS_WRITE) || is_notify(first) ||
        (first->core == second->core && is_cached(first) && is_cached(second)))
        return;
    if (first->lane == LANE_STORE) {
        back = cache_written_back(&check->core[first->core], first->epoch);
        if (!back || !race_knows(check->touch.frame, second->core, first->core, LANE_STORE, back)) {
            report(check, other, true, offset, length);
            return;
        }
    }
    if (loads && !race_is_known(check, other, &check->core[second->core].fresh))
        report(check, other, false, offset, length);
}
