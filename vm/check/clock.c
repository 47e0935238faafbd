#include "check/clock.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

enum { MOST_ROWS = 8 }; /* of a chunk */

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

void row_join(struct row *into, const struct row *from)
{
    for (int i = 0; i < ROW_VECTORS; i++) {
        clock_lanes mine = into->vector[i], theirs = from->vector[i], larger = mine > theirs;

        into->vector[i] = (mine & larger) | (theirs & ~larger);
    }
}

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

struct clock_shape clock_shape_of(uint32_t ranks, uint32_t per_rank)
{
    uint32_t of_rank = (per_rank + MOST_ROWS - 1) / MOST_ROWS, chunks = ranks * of_rank;
    uint32_t rows = (per_rank + of_rank - 1) / of_rank, group = 1;
    struct clock_shape shape = {.rows = rows};

    while (group * group < chunks)
        group++;
    shape.groups = (chunks + group - 1) / group;
    shape.group_chunks = group;
    shape.place = pto_xmalloc((size_t)ranks * per_rank * sizeof *shape.place);
    for (uint32_t core = 0; core < ranks * per_rank; core++) {
        uint32_t chunk = core / per_rank * of_rank + core % per_rank / rows;

        shape.place[core] = (struct clock_place){
            (uint16_t)(chunk / group), (uint16_t)(chunk % group), core % per_rank % rows};
    }
    return shape;
}

void clock_shape_free(struct clock_shape *shape)
{
    free(shape->place);
}

static struct far *far_new(const struct clock_shape *shape)
{
    struct far *far = pto_xcalloc(1, sizeof *far + shape->groups * sizeof(struct far_group *));

    far->refs = 1;
    far->published = true;
    far->shape = shape;
    return far;
}

void chunk_drop(struct far_chunk *chunk)
{
    if (chunk && --chunk->refs == 0)
        free(chunk);
}

static void drop_group(struct far_group *group, const struct clock_shape *shape)
{
    if (!group || --group->refs)
        return;
    for (uint32_t i = 0; i < shape->group_chunks; i++)
        chunk_drop(group->chunk[i]);
    free(group);
}

struct far *far_share(struct far *far)
{
    if (far)
        far->refs++;
    return far;
}

void far_drop(struct far *far)
{
    if (!far || --far->refs)
        return;
    for (uint32_t i = 0; i < far->shape->groups; i++)
        drop_group(far->group[i], far->shape);
    free(far);
}

/* A clock of one's own in *far. */
static struct far *own_far(struct far **far, const struct clock_shape *shape)
{
    struct far *copy;

    if (*far && (*far)->refs == 1)
        return *far;
    copy = far_new(shape);
    if (*far) {
        copy->published = (*far)->published;
        memcpy(copy->group, (*far)->group, shape->groups * sizeof(struct far_group *));
        for (uint32_t i = 0; i < shape->groups; i++)
            if (copy->group[i])
                copy->group[i]->refs++;
        (*far)->refs--;
    }
    return *far = copy;
}

static struct far_group *own_group(struct far_group **group, const struct clock_shape *shape)
{
    size_t chunks = shape->group_chunks * sizeof(struct far_chunk *);
    struct far_group *copy;

    if (*group && (*group)->refs == 1)
        return *group;
    copy = pto_xcalloc(1, sizeof *copy + chunks);
    copy->refs = 1;
    if (*group) {
        memcpy(copy->chunk, (*group)->chunk, chunks);
        for (uint32_t i = 0; i < shape->group_chunks; i++)
            if (copy->chunk[i])
                copy->chunk[i]->refs++;
        (*group)->refs--;
    }
    return *group = copy;
}

/* A chunk in a clock of one's own. */
static struct far_chunk **chunk_in(struct far *far, struct clock_place place)
{
    return &own_group(&far->group[place.group], far->shape)->chunk[place.chunk];
}

/* A copy that nobody shares; of NULL: of nothing known. */
static struct far_chunk *copy_chunk(const struct far_chunk *chunk, const struct clock_shape *shape)
{
    size_t rows = shape->rows * sizeof(struct row);
    struct far_chunk *copy = pto_xmalloc(sizeof *copy + rows);

    *copy = (struct far_chunk){.refs = 1};
    if (chunk)
        memcpy(copy->row, chunk->row, rows);
    else
        memset(copy->row, 0, rows);
    return copy;
}

static struct far_chunk *own_chunk(struct far_chunk **chunk, const struct clock_shape *shape)
{
    struct far_chunk *copy;

    if (*chunk && (*chunk)->refs == 1) {
        (*chunk)->version = 0;
        return *chunk;
    }
    copy = copy_chunk(*chunk, shape);
    chunk_drop(*chunk);
    return *chunk = copy;
}

/* Does one of two chunks lack something that the other knows? */
struct difference {
    bool less, more;
};

static bool any_negative(clock_lanes lanes)
{
    return (lanes[0] | lanes[1] | lanes[2] | lanes[3]) < 0;
}

static struct difference compare_rows(const struct far_chunk *a, const struct far_chunk *b,
                                      uint32_t rows)
{
    clock_lanes less = {0}, more = {0};

    for (uint32_t r = 0; r < rows; r++)
        for (int i = 0; i < ROW_VECTORS; i++) {
            less |= a->row[r].vector[i] - b->row[r].vector[i];
            more |= b->row[r].vector[i] - a->row[r].vector[i];
        }
    return (struct difference){any_negative(less), any_negative(more)};
}

static inline struct difference compare_chunks(const struct far_chunk *a,
                                               const struct far_chunk *b, uint32_t rows)
{
    if (a->teller == b->teller && a->version && b->version)
        return (struct difference){a->version < b->version, a->version > b->version};
    return compare_rows(a, b, rows);
}

static void replace_chunk(struct far_chunk **into, struct far_chunk *chunk)
{
    chunk->refs++;
    chunk_drop(*into);
    *into = chunk;
}

static void join_chunk(struct far_chunk **into, struct far_chunk *from,
                       const struct clock_shape *shape)
{
    struct difference difference = {true, false};
    struct far_chunk *sum;

    if (!from || *into == from)
        return;
    if (*into)
        difference = compare_chunks(*into, from, shape->rows);
    if (!difference.less)
        return;
    if (!difference.more) {
        replace_chunk(into, from);
        return;
    }
    sum = own_chunk(into, shape);
    for (uint32_t r = 0; r < shape->rows; r++)
        row_join(&sum->row[r], &from->row[r]);
}

static struct difference compare_groups(const struct far_group *a, const struct far_group *b,
                                        const struct clock_shape *shape)
{
    struct difference all = {false, false};

    for (uint32_t i = 0; i < shape->group_chunks && !(all.less && all.more); i++) {
        const struct far_chunk *mine = a->chunk[i], *theirs = b->chunk[i];
        struct difference one = {!mine, !theirs};

        if (mine == theirs)
            continue;
        if (mine && theirs)
            one = compare_chunks(mine, theirs, shape->rows);
        all.less |= one.less;
        all.more |= one.more;
    }
    return all;
}

static void join_group(struct far_group **into, struct far_group *from,
                       const struct clock_shape *shape)
{
    struct difference difference = {true, false};
    struct far_group *sum;

    if (!from || *into == from)
        return;
    if (*into)
        difference = compare_groups(*into, from, shape);
    if (!difference.less)
        return;
    if (!difference.more) {
        drop_group(*into, shape);
        from->refs++;
        *into = from;
        return;
    }
    sum = own_group(into, shape);
    for (uint32_t i = 0; i < shape->group_chunks; i++)
        join_chunk(&sum->chunk[i], from->chunk[i], shape);
}

void far_join(struct far **into, struct far *from)
{
    struct far *far;

    if (!from || *into == from)
        return;
    if (!*into) {
        *into = far_share(from);
        return;
    }
    far = own_far(into, from->shape);
    for (uint32_t i = 0; i < from->shape->groups; i++)
        join_group(&far->group[i], from->group[i], from->shape);
    far->published = far->published && from->published;
}

void far_raise(struct far **into, uint32_t core, const struct row *row,
               const struct clock_shape *shape)
{
    struct clock_place place = shape->place[core];
    struct far *far = own_far(into, shape);

    row_join(&own_chunk(chunk_in(far, place), shape)->row[place.row], row);
    far->published = far->published && row_published(row);
}

struct far_chunk *far_tell(const struct far *far, uint32_t core, const struct row *row,
                           const struct clock_shape *shape, uint32_t version)
{
    struct clock_place place = shape->place[core];
    struct far_chunk *told = copy_chunk(far ? far_chunk_at(far, place) : NULL, shape);

    row_join(&told->row[place.row], row);
    told->teller = core;
    told->version = version;
    return told;
}

void far_hear(struct far **into, uint32_t core, struct far_chunk *told,
              const struct clock_shape *shape)
{
    struct clock_place place = shape->place[core];

    if (*into && far_chunk_at(*into, place) == told)
        return;
    join_chunk(chunk_in(own_far(into, shape), place), told, shape);
}

static bool chunk_published(const struct far_chunk *chunk, const struct clock_shape *shape)
{
    for (uint32_t r = 0; chunk && r < shape->rows; r++)
        if (!row_published(&chunk->row[r]))
            return false;
    return true;
}

/* Apply a change to every row that has unpublished stores. */
static void change_unpublished(struct far *far, void (*change)(struct row *row))
{
    const struct clock_shape *shape = far->shape;

    for (uint32_t i = 0; i < shape->groups * shape->group_chunks; i++) {
        struct clock_place place = {
            (uint16_t)(i / shape->group_chunks), (uint16_t)(i % shape->group_chunks), 0};
        struct far_chunk *own;

        if (chunk_published(far_chunk_at(far, place), shape))
            continue;
        own = own_chunk(chunk_in(far, place), shape);
        for (uint32_t r = 0; r < shape->rows; r++)
            if (!row_published(&own->row[r]))
                change(&own->row[r]);
    }
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
        change_unpublished(own_far(far, (*far)->shape), publish_foreign);
}

struct far *far_told(struct far *far)
{
    struct far *told = far_share(far);

    if (told && !told->published)
        change_unpublished(own_far(&told, told->shape), tell);
    return told;
}
