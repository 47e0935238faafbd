/* Two sub-cores that store to different words of one cache line.  The scalar cache writes back
 * whole lines, so the older words of one put back what the other has changed - unless the one has
 * dropped the line since the other wrote it back. */
#include "check/cache.h"
#include "check/verdict.h"

enum { NOBODY = 0, SEVERAL = UINT32_MAX }; /* values of check->storer beside core + 1 */

/* The store that is being judged. */
struct store_walk {
    struct pto_check *check;
    const struct check_core *core;
    const struct access *self;
    const struct frame *fresh; /* since its line was dropped alone; or NULL */
    uint64_t offset, length;
};

/* Parties in no order are named in that of the text, to be the same in every run. */
static void report(const struct store_walk *walk, check_use other, bool kept, uint64_t offset,
                   uint64_t length)
{
    struct pto_check *check = walk->check;
    const struct access *first = &check->access[other >> 3];
    bool ordered = race_is_known(check, other, check->touch.frame);
    bool turned = !ordered && race_stands_before(walk->self, first);
    struct party one = finding_party(check, turned ? check->touch.use : other);
    struct party two = finding_party(check, turned ? other : check->touch.use);
    struct found *found = finding_add(check, PTO_FIND_FALSE_SHARING, &one, &two);

    if (!found)
        return;
    found->near = kept ? NEAR_WRITE_BACK : NEAR_NOTHING;
    found->stale = ordered;
    found->finding.ordered =
        !ordered ? "nothing orders the two"
        : kept   ? "the second comes behind the first, but not behind its write-back"
                 : "the second comes behind the first, but its cache may have the line from before";
    race_locate(check, found, turned ? offset : walk->offset, turned ? length : walk->length);
}

/* What another sub-core has stored beside it has to be in memory when this one fetches the line. */
static uint32_t look(void *context, uint32_t id, uint64_t offset, uint64_t length)
{
    const struct store_walk *walk = context;
    struct pto_check *check = walk->check;
    check_use writer = check->state[id].writer;
    const struct access *other = &check->access[writer >> 3];
    uint32_t back;

    if (!writer || other->lane != LANE_STORE || other->core == walk->core->id)
        return id;
    back = cache_written_back(check, other);
    if (!back || !race_knows(check->touch.frame, walk->core->id, other->core, LANE_STORE, back))
        report(walk, writer, true, offset, length);
    else if (!race_knows(&walk->core->fresh, walk->core->id, other->core, LANE_STORE, back) &&
             !(walk->fresh &&
               race_knows(walk->fresh, walk->core->id, other->core, LANE_STORE, back)))
        report(walk, writer, false, offset, length);
    return id;
}

void line_touch(struct pto_check *check, const struct check_core *core, uint32_t object,
                uint64_t offset, shadow_step *step, void *context)
{
    struct shadow *shadow = &check->object[core->core->rank->number][object];
    uint64_t first = offset / LINE_BYTES * LINE_BYTES, left = shadow->size - first;

    shadow_touch(shadow, &check->pools,
                 &(struct effect_pieces){
                     .offset = first,
                     .length = left < LINE_BYTES ? left : LINE_BYTES,
                     .count = 1,
                 },
                 step, context);
}

void line_judge(struct pto_check *check, const struct check_core *core, uint32_t object,
                uint64_t offset, uint64_t length)
{
    const struct rank *rank = core->core->rank;
    uint32_t *storer = &check->storer[rank->number];
    struct store_walk walk = {check, core, &check->access[check->touch.use >> 3],
                              cache_line_fresh(core, object, offset), offset, length};

    if (*storer == NOBODY)
        *storer = core->id + 1;
    else if (*storer != core->id + 1)
        *storer = SEVERAL;
    if (*storer == SEVERAL)
        line_touch(check, core, object, offset, look, &walk);
}

void line_begin(struct pto_check *check, const struct rank *rank)
{
    check->storer[rank->number] = NOBODY;
}
