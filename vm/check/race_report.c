/* What becomes of a verdict: the finding, with its parties in the order that the program means.
 *
 * Which of two accesses on different sub-cores comes first is luck, so their order in the finding,
 * its kind and its explanation follow from what each side knew, not from the clock. */
#include <stdlib.h>

#include "check/advice.h"
#include "check/travel.h"
#include "check/verdict.h"

void race_locate(struct pto_check *check, struct found *found, uint64_t offset, uint64_t length)
{
    const struct touch *touch = &check->touch;

    found->finding.offset = offset;
    found->finding.bytes = length;
    if (!touch->global)
        found->finding.where = pto_space_name(touch->space);
    else if (check->vm->ranks == 1)
        found->finding.where = touch->object->name;
    else
        found->finding.where = pto_arena_printf(&check->arena, "%s of rank %d",
                                                touch->object->name, touch->rank);
}

static const struct access *access_of(const struct pto_check *check, check_use use)
{
    return &check->access[use >> 3];
}

/* ---- who comes first ---- */

/* What S knew of the other's sub-core when it issued `access`. */
static const struct row *known_row(const struct pto_check *check, const struct access *access,
                                   const struct access *other)
{
    return far_row(travel_far_at(check, access), other->core);
}

/* Had the sub-core of `access` been told of something behind the issue of the other one? */
static bool was_told(const struct pto_check *check, const struct access *access,
                     const struct access *other)
{
    const struct row *row = known_row(check, access, other);

    return row && row->lane[PTO_PIPE_S] > other->told;
}

/* Does the sub-core of the read know an earlier turn of the write?  Not if S makes it: what S has
 * done may not have landed. */
static bool knows_turn(const struct pto_check *check, const struct access *read,
                       const struct access *write)
{
    const struct row *row = known_row(check, read, write);
    const struct logged *entry;
    bool of_pipe = write->lane < LANE_STORE && write->lane != PTO_PIPE_S;
    uint32_t known = row && of_pipe ? row->lane[write->lane] : 0;

    for (uint32_t epoch = known; (entry = travel_logged(check, write, epoch)) != NULL; epoch--)
        if (entry->code->code == write->code->code && entry->pc == write->pc)
            return true;
    return false;
}

/* A read and a write of two sub-cores.  Who was told of the other comes second.  A read that knows
 * an earlier turn of the write, but not this one, is to read what the earlier one left. */
static bool read_comes_first(const struct pto_check *check, const struct access *read,
                             const struct access *write)
{
    if (was_told(check, read, write))
        return false;
    return was_told(check, write, read) || knows_turn(check, read, write);
}

/* Two writes of two sub-cores: in the order of the text, to name them alike in every run. */
bool race_stands_before(const struct access *a, const struct access *b)
{
    return a->code->code == b->code->code ? a->pc < b->pc : a->core < b->core;
}

/* Do the parties change places, `other` having come first in time? */
static bool changes_places(const struct pto_check *check, check_use other, check_use self)
{
    const struct access *a = access_of(check, other), *b = access_of(check, self);

    if (a->core == b->core)
        return a->serial > b->serial;
    if ((other & ACCESS_WRITE) && (self & ACCESS_WRITE))
        return race_stands_before(b, a);
    if (other & ACCESS_WRITE)
        return read_comes_first(check, b, a);
    return !read_comes_first(check, a, b);
}

/* ---- findings ---- */

static enum pto_finding_kind kind_of(check_use first, check_use second)
{
    if (!(second & ACCESS_WRITE))
        return PTO_FIND_RAW;
    return first & ACCESS_WRITE ? PTO_FIND_WAW : PTO_FIND_WAR;
}

/* One pair of instructions of two sub-cores is one finding, whichever of the two comes second: the
 * later turns of a loop without order race in both directions. */
static bool is_other_turn(struct pto_check *check, enum pto_finding_kind kind,
                          const struct party *first, const struct party *second)
{
    if (first->core == second->core || kind == PTO_FIND_WAW)
        return false;
    return finding_count(check, kind == PTO_FIND_RAW ? PTO_FIND_WAR : PTO_FIND_RAW, second, first);
}

void race_report(struct pto_check *check, check_use other, uint64_t offset, uint64_t length)
{
    check_use self = check->touch.use, first = other, second = self;
    bool late = changes_places(check, other, self);
    enum pto_finding_kind kind;
    struct party one, two;
    struct found *found;

    if (late) {
        first = self;
        second = other;
    }
    kind = kind_of(first, second);
    one = finding_party(check, first);
    two = finding_party(check, second);
    if (is_other_turn(check, kind, &one, &two))
        return;
    found = finding_add(check, kind, &one, &two);
    if (!found)
        return;
    race_locate(check, found, offset, length);
    found->epoch = access_of(check, first)->epoch;
    found->told = access_of(check, second)->told;
    found->known = late ? (struct frame){.far = far_share(travel_far_at(
                              check, access_of(check, second)))}
                        : frame_copy(check->touch.frame);
    advise_order(check, found, access_of(check, first), access_of(check, second), late);
}

void race_report_uninitialised(struct pto_check *check, uint64_t offset, uint64_t length)
{
    struct party none = {0}, reader = finding_party(check, check->touch.use);
    struct found *found = finding_add(check, PTO_FIND_UNINIT, &none, &reader);

    if (found)
        race_locate(check, found, offset, length);
}

/* Named with the load that did not bring the bytes. */
void race_report_stale(struct pto_check *check, uint32_t load, uint64_t offset, uint64_t length)
{
    struct party first = finding_party(check, load << 3 | ACCESS_WRITE);
    struct party second = finding_party(check, check->touch.use);
    struct found *found = finding_add(check, PTO_FIND_STALE_BYTES, &first, &second);

    if (found)
        race_locate(check, found, offset, length);
}

void race_report_overlap(struct pto_check *check, check_use writer, uint64_t offset,
                         uint64_t length)
{
    struct party first = finding_party(check, writer);
    struct party second = finding_party(check, check->touch.use);
    struct found *found = finding_add(check, PTO_FIND_TILE_OVERLAP, &first, &second);

    if (found)
        race_locate(check, found, offset, length);
}
