#include "check/clock.h"

#include <string.h>

/* Storing pipes: their lane and those that go with it. */
static const struct store_lanes {
    uint8_t done, public, told;
} STORE[] = {
    {PTO_PIPE_MTE3, LANE_PUBLIC_MTE3, LANE_TOLD_MTE3},
    {PTO_PIPE_FIX, LANE_PUBLIC_FIX, LANE_TOLD_FIX},
    {LANE_STORE, LANE_PUBLIC_STORE, LANE_TOLD_STORE},
};
enum { STORES = sizeof STORE / sizeof *STORE };

static void raise_lane(uint32_t *lane, uint32_t value)
{
    *lane = *lane > value ? *lane : value;
}

/* ---- rows ---- */

void row_publish(struct row *row, bool own)
{
    for (int i = 0; i < STORES; i++)
        raise_lane(&row->lane[STORE[i].public], row->lane[STORE[i].done]);
    if (own) {
        raise_lane(&row->lane[LANE_REMOTE_MTE3], row->lane[PTO_PIPE_MTE3]);
        raise_lane(&row->lane[LANE_REMOTE_FIX], row->lane[PTO_PIPE_FIX]);
    }
}

static bool row_published(const struct row *row)
{
    for (int i = 0; i < STORES; i++)
        if (row->lane[STORE[i].done] > row->lane[STORE[i].public])
            return false;
    return true;
}

struct row row_told(const struct row *row)
{
    struct row told = *row;

    for (int i = 0; i < STORES; i++) {
        raise_lane(&told.lane[STORE[i].told], told.lane[STORE[i].done]);
        told.lane[STORE[i].done] = told.lane[STORE[i].public];
    }
    return told;
}

/* ---- far clocks ---- */

/* Does one of two groups lack something that the other knows? */
struct difference {
    bool less, more;
};

static bool any_negative(clock_lanes lanes)
{
    uint64_t half[2];

    memcpy(half, &lanes, sizeof half);
    return (half[0] | half[1]) & 0x8000000080000000u;
}

/* Does `a` lack something that `b` knows? */
static bool rows_lack(const struct far_chunk *a, const struct far_chunk *b, uint32_t rows)
{
    clock_lanes less = {0};

    for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 8
        for (int i = 0; i < ROW_VECTORS; i++)
            less |= a->row[r].vector[i] - b->row[r].vector[i];
    return any_negative(less);
}

static bool has_versions(const struct far_chunk *a, const struct far_chunk *b)
{
    return a->teller == b->teller && a->version && b->version;
}

static inline bool chunk_lacks(const struct far_chunk *a, const struct far_chunk *b, uint32_t rows)
{
    return has_versions(a, b) ? a->version < b->version : rows_lack(a, b, rows);
}

static void join_chunk(struct far_group *into, uint32_t i, struct far_chunk *from,
                       const struct clock_shape *shape)
{
    const struct far_chunk *mine = into->chunk[i];
    struct far_chunk *sum;

    if (!from || mine == from || (mine && !chunk_lacks(mine, from, shape->rows)))
        return;
    if (!mine || !chunk_lacks(from, mine, shape->rows)) {
        from->refs++;
        clock_put_chunk(into, i, from);
        return;
    }
    sum = clock_own_chunk(into, i, shape);
    for (uint32_t r = 0; r < shape->rows; r++)
        row_join(&sum->row[r], &from->row[r]);
}

/* Chunks that have no version, or different tellers; `told` is known to be more than theirs. */
static struct difference compare_some(const struct far_group *a, const struct far_group *b,
                                      const struct far_chunk *told,
                                      const struct clock_shape *shape)
{
    struct difference all = {false, false};

    for (uint32_t i = 0; i < shape->group_chunks && !(all.less && all.more); i++) {
        const struct far_chunk *mine = a->chunk[i], *theirs = b->chunk[i];

        if (mine == theirs)
            continue;
        if (!mine || !theirs || mine == told) {
            all.less |= !mine;
            all.more |= !theirs || mine == told;
            continue;
        }
        /* Mostly one of the two knows all; what has been found needs no second look. */
        all.less = all.less || chunk_lacks(mine, theirs, shape->rows);
        all.more = all.more || chunk_lacks(theirs, mine, shape->rows);
    }
    return all;
}

static struct difference compare_groups(const struct far_group *a, const struct far_group *b,
                                        const struct far_chunk *told,
                                        const struct clock_shape *shape)
{
    clock_lanes unlike = {0}, less = {0}, more = {0};

    for (uint32_t v = 0; v < shape->group_vectors; v++) {
        clock_lanes mine = a->stamps[v].version, theirs = b->stamps[v].version;

        unlike |= (a->stamps[v].teller != b->stamps[v].teller) | a->stamps[v].teller;
        less |= mine - theirs;
        more |= theirs - mine;
    }
    if (any_negative(unlike))
        return compare_some(a, b, told, shape);
    return (struct difference){any_negative(less), any_negative(more)};
}

/* Know what `from` knows, which is all. */
static void take_group(struct far_group **into, struct far_group *from,
                       const struct clock_shape *shape)
{
    from->refs++;
    clock_drop_group(*into, shape);
    *into = from;
}

/* Two groups that have not been joined lately. */
static void join_anew(struct far_group **into, struct far_group *from,
                      const struct far_chunk *told, const struct clock_shape *shape)
{
    const struct difference difference = compare_groups(*into, from, told, shape);
    struct far_group *sum;

    if (!difference.less)
        return;
    if (!difference.more) {
        take_group(into, from, shape);
        return;
    }
    sum = clock_own_group(into, shape);
    for (uint32_t i = 0; i < shape->group_chunks; i++)
        if (!told || sum->chunk[i] != told)
            join_chunk(sum, i, from->chunk[i], shape);
}

/* Sub-cores of one rank mostly know the same of other ranks and learn the same: what that has come
 * to is kept, and they go on sharing it. */
static void join_group(struct far_group **into, struct far_group *from,
                       const struct far_chunk *told, const struct clock_shape *shape)
{
    struct joined *joined, now;

    if (!from || *into == from)
        return;
    if (!*into) {
        take_group(into, from, shape);
        return;
    }
    now = (struct joined){.into = (*into)->number, .from = from->number};
    joined = clock_joined(shape, now.into, now.from);
    if (joined->into == now.into && joined->from == now.from &&
        joined->group->number == joined->sum) {
        take_group(into, joined->group, shape);
        return;
    }
    join_anew(into, from, told, shape);
    now.group = *into;
    now.sum = now.group->number;
    *joined = now;
}

static void join_groups(struct far *into, const struct far *from, const struct far_chunk *told)
{
    for (uint32_t i = 0; i < from->shape->groups; i++)
        join_group(&into->group[i], from->group[i], told, from->shape);
    into->published = into->published && from->published;
}

void far_join(struct far **into, struct far *from)
{
    if (!from || *into == from)
        return;
    if (*into)
        join_groups(clock_own_far(into, from->shape), from, NULL);
    else
        *into = far_share(from);
}

/* Groups of one place, of those who are gathered. */
static void gather_group(struct far_group **into, struct far_group *from, uint64_t number,
                         const struct clock_shape *shape)
{
    struct far_group *sum;

    if (!from || *into == from || from->gathered == number)
        return;
    from->gathered = number;
    if (!*into) {
        take_group(into, from, shape);
        return;
    }
    sum = clock_own_group(into, shape);
    for (uint32_t i = 0; i < shape->group_chunks; i++) {
        struct far_chunk *chunk = from->chunk[i];

        if (!chunk || chunk->gathered == number)
            continue;
        chunk->gathered = number;
        join_chunk(sum, i, chunk, shape);
    }
}

void far_gather(struct far **sum, struct far *const *from, uint32_t count)
{
    uint64_t number = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct far *into;

        if (!from[i] || *sum == from[i])
            continue;
        if (!number)
            number = clock_next_sum(from[i]->shape);
        into = clock_own_far(sum, from[i]->shape);
        for (uint32_t g = 0; g < from[i]->shape->groups; g++)
            gather_group(&into->group[g], from[i]->group[g], number, from[i]->shape);
        into->published = into->published && from[i]->published;
    }
}

void far_raise(struct far **into, uint32_t core, const struct row *row,
               const struct clock_shape *shape)
{
    struct clock_place place = shape->place[core];
    struct far *far = clock_own_far(into, shape);

    row_join(&clock_own_chunk(clock_group_in(far, place), place.chunk, shape)->row[place.row], row);
    far->published = far->published && row_published(row);
}

struct far_chunk *far_tell(const struct far *far, uint32_t core, const struct row *row,
                           const struct clock_shape *shape, uint32_t version)
{
    struct clock_place place = shape->place[core];
    struct far_chunk *told = clock_new_chunk(far ? far_chunk_at(far, place) : NULL, shape);

    row_join(&told->row[place.row], row);
    told->teller = core;
    told->version = version;
    return told;
}

void far_put(struct far **into, uint32_t core, struct far_chunk *told,
             const struct clock_shape *shape)
{
    struct clock_place place = shape->place[core];

    if (*into && far_chunk_at(*into, place) == told)
        return;
    join_chunk(clock_group_in(clock_own_far(into, shape), place), place.chunk, told, shape);
}

void far_hear(struct far **into, const struct far *from, uint32_t core, struct far_chunk *told,
              const struct clock_shape *shape)
{
    far_put(into, core, told, shape);
    if (from && *into != from)
        join_groups(clock_own_far(into, shape), from, told);
}

static bool chunk_published(const struct far_chunk *chunk, const struct clock_shape *shape)
{
    for (uint32_t r = 0; chunk && r < shape->rows; r++)
        if (!row_published(&chunk->row[r]))
            return false;
    return true;
}

/* Apply a change to every row of a group that has unpublished stores; sub-cores share most groups,
 * and one look at a group will do for all of them. */
static void change_group(struct far_group **group, void (*change)(struct row *row),
                         const struct clock_shape *shape)
{
    if (!*group || (*group)->published == (*group)->number)
        return;
    for (uint32_t i = 0; i < shape->group_chunks; i++) {
        struct far_chunk *own;

        if (chunk_published((*group)->chunk[i], shape))
            continue;
        own = clock_own_chunk(clock_own_group(group, shape), i, shape);
        for (uint32_t r = 0; r < shape->rows; r++)
            if (!row_published(&own->row[r]))
                change(&own->row[r]);
    }
    (*group)->published = (*group)->number;
}

/* The same of all of them. */
static void change_unpublished(struct far *far, void (*change)(struct row *row))
{
    for (uint32_t i = 0; i < far->shape->groups; i++)
        change_group(&far->group[i], change, far->shape);
    far->published = true;
}

static void publish_foreign(struct row *row)
{
    row_publish(row, false);
}

static void tell(struct row *row)
{
    *row = row_told(row);
}

void far_publish(struct far **far)
{
    if (*far && !(*far)->published)
        change_unpublished(clock_own_far(far, (*far)->shape), publish_foreign);
}

struct far *far_told(struct far *far)
{
    struct far *told = far_share(far);

    if (told && !told->published)
        change_unpublished(clock_own_far(&told, told->shape), tell);
    return told;
}
