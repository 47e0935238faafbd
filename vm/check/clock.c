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

bool row_knows(const struct row *row, unsigned lane, uint32_t epoch)
{
    if (row->lane[lane] >= epoch)
        return true;
    for (int i = 0; i < STORES; i++)
        if (STORE[i].done == lane)
            return row->lane[STORE[i].public] >= epoch;
    return false;
}

/* ---- far clocks ---- */

struct clock_shape clock_shape_of(uint32_t ranks, uint32_t per_rank)
{
    uint32_t chunks = (per_rank + MOST_ROWS - 1) / MOST_ROWS;

    return (struct clock_shape){
        .per_rank = per_rank,
        .rows = (per_rank + chunks - 1) / chunks,
        .chunks_of_rank = chunks,
        .chunks = ranks * chunks,
    };
}

static uint32_t chunk_of(const struct clock_shape *shape, uint32_t core)
{
    return core / shape->per_rank * shape->chunks_of_rank + core % shape->per_rank / shape->rows;
}

static uint32_t row_of(const struct clock_shape *shape, uint32_t core)
{
    return core % shape->per_rank % shape->rows;
}

static struct far *far_new(const struct clock_shape *shape)
{
    struct far *far = pto_xcalloc(1, sizeof *far + shape->chunks * sizeof(struct far_chunk *));

    far->refs = 1;
    far->published = true;
    far->shape = shape;
    return far;
}

static void drop_chunk(struct far_chunk *chunk)
{
    if (chunk && --chunk->refs == 0)
        free(chunk);
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
    for (uint32_t i = 0; i < far->shape->chunks; i++)
        drop_chunk(far->chunk[i]);
    free(far);
}

const struct row *far_row(const struct far *far, uint32_t core)
{
    const struct far_chunk *chunk = far ? far->chunk[chunk_of(far->shape, core)] : NULL;

    return chunk ? &chunk->row[row_of(far->shape, core)] : NULL;
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
        memcpy(copy->chunk, (*far)->chunk, shape->chunks * sizeof(struct far_chunk *));
        for (uint32_t i = 0; i < shape->chunks; i++)
            if (copy->chunk[i])
                copy->chunk[i]->refs++;
        (*far)->refs--;
    }
    return *far = copy;
}

static struct far_chunk *own_chunk(struct far_chunk **chunk, const struct clock_shape *shape)
{
    size_t rows = shape->rows * sizeof(struct row);
    struct far_chunk *copy;

    if (*chunk && (*chunk)->refs == 1) {
        (*chunk)->version = 0;
        return *chunk;
    }
    if (*chunk) {
        copy = pto_xmalloc(sizeof *copy + rows);
        memcpy(copy->row, (*chunk)->row, rows);
        (*chunk)->refs--;
    } else {
        copy = pto_xcalloc(1, sizeof *copy + rows);
    }
    copy->refs = 1;
    copy->version = 0;
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

static struct difference compare_chunks(const struct far_chunk *a, const struct far_chunk *b,
                                        uint32_t rows)
{
    clock_lanes less = {0}, more = {0};

    if (a->version && b->version && a->teller == b->teller)
        return (struct difference){a->version < b->version, a->version > b->version};
    for (uint32_t r = 0; r < rows; r++)
        for (int i = 0; i < ROW_VECTORS; i++) {
            less |= a->row[r].vector[i] - b->row[r].vector[i];
            more |= b->row[r].vector[i] - a->row[r].vector[i];
        }
    return (struct difference){any_negative(less), any_negative(more)};
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
        drop_chunk(*into);
        from->refs++;
        *into = from;
        return;
    }
    sum = own_chunk(into, shape);
    for (uint32_t r = 0; r < shape->rows; r++)
        row_join(&sum->row[r], &from->row[r]);
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
    for (uint32_t i = 0; i < from->shape->chunks; i++)
        join_chunk(&far->chunk[i], from->chunk[i], from->shape);
    far->published = far->published && from->published;
}

void far_raise(struct far **into, uint32_t core, const struct row *row,
               const struct clock_shape *shape)
{
    struct far *far = own_far(into, shape);
    struct far_chunk *chunk = own_chunk(&far->chunk[chunk_of(shape, core)], shape);

    row_join(&chunk->row[row_of(shape, core)], row);
    far->published = far->published && row_published(row);
}

void far_tell(struct far **into, uint32_t core, const struct row *row,
              const struct clock_shape *shape, uint32_t version)
{
    struct far_chunk *chunk;

    far_raise(into, core, row, shape);
    chunk = (*into)->chunk[chunk_of(shape, core)];
    chunk->teller = core;
    chunk->version = version;
}

/* Apply a change to every row that has unpublished stores. */
static void change_unpublished(struct far *far, void (*change)(struct row *row))
{
    for (uint32_t i = 0; i < far->shape->chunks; i++)
        for (uint32_t r = 0; far->chunk[i] && r < far->shape->rows; r++)
            if (!row_published(&far->chunk[i]->row[r]))
                change(&own_chunk(&far->chunk[i], far->shape)->row[r]);
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
