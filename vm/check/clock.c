#include "check/clock.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

/* Storing pipes: their lane and those that go with it. */
static const struct store_lanes {
    uint8_t done, public, told;
} STORE[] = {
    {PTO_PIPE_MTE3, LANE_PUBLIC_MTE3, LANE_TOLD_MTE3},
    {PTO_PIPE_FIX, LANE_PUBLIC_FIX, LANE_TOLD_FIX},
    {LANE_STORE, LANE_PUBLIC_STORE, LANE_TOLD_STORE},
};
enum { STORES = sizeof STORE / sizeof *STORE };

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void raise_lane(uint32_t *lane, uint32_t value)
{
    *lane = most(*lane, value);
}

/* ---- rows ---- */

void row_join(struct row *into, const struct row *from)
{
    for (int i = 0; i < LANES; i++)
        into->lane[i] = most(into->lane[i], from->lane[i]);
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

static struct far *far_new(uint32_t cores)
{
    uint32_t chunks = (cores + CLOCK_CHUNK - 1) / CLOCK_CHUNK;
    struct far *far = pto_xcalloc(1, sizeof *far + chunks * sizeof(struct far_chunk *));

    far->refs = 1;
    far->chunks = chunks;
    far->published = true;
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
    for (uint32_t i = 0; i < far->chunks; i++)
        drop_chunk(far->chunk[i]);
    free(far);
}

const struct row *far_row(const struct far *far, uint32_t core)
{
    const struct far_chunk *chunk = far ? far->chunk[core / CLOCK_CHUNK] : NULL;

    return chunk ? &chunk->row[core % CLOCK_CHUNK] : NULL;
}

/* A clock of one's own in *far. */
static struct far *own_far(struct far **far, uint32_t cores)
{
    struct far *copy;

    if (*far && (*far)->refs == 1)
        return *far;
    copy = far_new(cores);
    if (*far) {
        copy->published = (*far)->published;
        memcpy(copy->chunk, (*far)->chunk, copy->chunks * sizeof(struct far_chunk *));
        for (uint32_t i = 0; i < copy->chunks; i++)
            if (copy->chunk[i])
                copy->chunk[i]->refs++;
        (*far)->refs--;
    }
    return *far = copy;
}

static struct far_chunk *own_chunk(struct far_chunk **chunk)
{
    struct far_chunk *copy;

    if (*chunk && (*chunk)->refs == 1)
        return *chunk;
    copy = pto_xcalloc(1, sizeof *copy);
    if (*chunk) {
        memcpy(copy->row, (*chunk)->row, sizeof copy->row);
        (*chunk)->refs--;
    }
    copy->refs = 1;
    return *chunk = copy;
}

/* Does `a` know everything that `b` knows? */
static bool covers(const struct far_chunk *a, const struct far_chunk *b)
{
    uint32_t missing = 0;

    for (int i = 0; i < CLOCK_CHUNK * LANES; i++)
        missing |= a->lane[i] - b->lane[i]; /* lanes stay below 2^31: a borrow sets the sign */
    return !(missing >> 31);
}

static void join_chunk(struct far_chunk **into, struct far_chunk *from)
{
    struct far_chunk *sum;

    if (!from || *into == from || (*into && covers(*into, from)))
        return;
    if (!*into || covers(from, *into)) {
        drop_chunk(*into);
        from->refs++;
        *into = from;
        return;
    }
    sum = own_chunk(into);
    for (int i = 0; i < CLOCK_CHUNK * LANES; i++)
        sum->lane[i] = most(sum->lane[i], from->lane[i]);
}

void far_join(struct far **into, struct far *from, uint32_t cores)
{
    struct far *far;

    if (!from || *into == from)
        return;
    if (!*into) {
        *into = far_share(from);
        return;
    }
    far = own_far(into, cores);
    for (uint32_t i = 0; i < far->chunks; i++)
        join_chunk(&far->chunk[i], from->chunk[i]);
    far->published = far->published && from->published;
}

void far_raise(struct far **into, uint32_t core, const struct row *row, uint32_t cores)
{
    struct far *far = own_far(into, cores);
    struct far_chunk *chunk = own_chunk(&far->chunk[core / CLOCK_CHUNK]);

    row_join(&chunk->row[core % CLOCK_CHUNK], row);
    far->published = far->published && row_published(row);
}

/* Apply a change to every row that has unpublished stores. */
static void change_unpublished(struct far *far, void (*change)(struct row *row))
{
    for (uint32_t i = 0; i < far->chunks; i++)
        for (uint32_t r = 0; far->chunk[i] && r < CLOCK_CHUNK; r++)
            if (!row_published(&far->chunk[i]->row[r]))
                change(&own_chunk(&far->chunk[i])->row[r]);
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

void far_publish(struct far **far, uint32_t cores)
{
    if (*far && !(*far)->published)
        change_unpublished(own_far(far, cores), publish_foreign);
}

struct far *far_told(struct far *far, uint32_t cores)
{
    struct far *told = far_share(far);

    if (told && !told->published)
        change_unpublished(own_far(&told, cores), tell);
    return told;
}
