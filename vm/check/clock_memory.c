/* The memory of far clocks: clocks, groups and chunks come and go with every message, and are used
 * again. */
#include "check/clock_memory.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

enum { MOST_ROWS = 8 }; /* of a chunk */

enum { BLOCK = 16 << 10, ALIGNMENT = 16, JOINS_KEPT = 1024 };

struct spare {
    struct spare *next;
};

/* They come in blocks, which stay until the end. */
struct clock_spares {
    struct spare *far, *group, *chunk, *release, *block;
    uint64_t sums, numbers; /* given so far */
    struct joined joined[JOINS_KEPT];
};

static __attribute__((noinline)) void add_spares(struct clock_spares *spares, struct spare **list,
                                                 size_t size)
{
    size_t each = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t count = each < BLOCK ? BLOCK / each : 1;
    struct spare *block = pto_xmalloc(ALIGNMENT + count * each);

    block->next = spares->block;
    spares->block = block;
    for (size_t i = count; i-- > 0;) {
        struct spare *spare = (struct spare *)(void *)((char *)block + ALIGNMENT + i * each);

        spare->next = *list;
        *list = spare;
    }
}

static inline void *take(const struct clock_shape *shape, struct spare **list, size_t size)
{
    struct spare *spare;

    if (!*list)
        add_spares(shape->spares, list, size);
    spare = *list;
    *list = spare->next;
    return spare;
}

static void give(struct spare **list, void *memory)
{
    struct spare *spare = memory;

    spare->next = *list;
    *list = spare;
}

uint64_t clock_next_sum(const struct clock_shape *shape)
{
    return ++shape->spares->sums;
}

struct joined *clock_joined(const struct clock_shape *shape, uint64_t into, uint64_t from)
{
    return &shape->spares->joined[(31 * into + from) % JOINS_KEPT];
}

static void give_number(struct far_group *group, const struct clock_shape *shape)
{
    group->number = ++shape->spares->numbers;
}

void *clock_take_release(const struct clock_shape *shape, size_t size)
{
    return take(shape, &shape->spares->release, size);
}

void clock_give_release(const struct clock_shape *shape, void *release)
{
    give(&shape->spares->release, release);
}

/* ---- shapes ---- */

struct clock_shape clock_shape_of(uint32_t ranks, uint32_t per_rank)
{
    uint32_t of_rank = (per_rank + MOST_ROWS - 1) / MOST_ROWS, chunks = ranks * of_rank;
    uint32_t rows = (per_rank + of_rank - 1) / of_rank, group = 1;
    struct clock_shape shape = {.rows = rows};

    while (group * group < chunks)
        group++;
    shape.groups = (chunks + group - 1) / group;
    shape.group_chunks = group;
    shape.group_vectors = (group + VECTOR_LANES - 1) / VECTOR_LANES;
    shape.spares = pto_xcalloc(1, sizeof *shape.spares);
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
    while (shape->spares->block) {
        struct spare *block = shape->spares->block;

        shape->spares->block = block->next;
        free(block);
    }
    free(shape->spares);
    free(shape->place);
}

/* ---- clocks ---- */

static size_t far_size(const struct clock_shape *shape)
{
    return sizeof(struct far) + shape->groups * sizeof(struct far_group *);
}

static size_t group_size(const struct clock_shape *shape)
{
    return sizeof(struct far_group) + shape->group_chunks * sizeof(struct far_chunk *) +
           shape->group_vectors * sizeof(struct far_stamps);
}

static struct far_stamps *stamps_of(struct far_group *group, const struct clock_shape *shape)
{
    return (struct far_stamps *)(void *)&group->chunk[shape->group_chunks];
}

/* A new one, like `old` if there is one. */
static struct far *new_far(const struct far *old, const struct clock_shape *shape)
{
    struct far *far = take(shape, &shape->spares->far, far_size(shape));

    if (old)
        memcpy(far, old, far_size(shape));
    else
        memset(far, 0, far_size(shape));
    far->refs = 1;
    far->published = !old || old->published;
    far->shape = shape;
    for (uint32_t i = 0; old && i < shape->groups; i++)
        if (far->group[i])
            far->group[i]->refs++;
    return far;
}

static struct far_group *new_group(const struct far_group *old, const struct clock_shape *shape)
{
    struct far_group *group = take(shape, &shape->spares->group, group_size(shape));

    if (old)
        memcpy(group, old, group_size(shape));
    else
        memset(group, 0, group_size(shape));
    group->refs = 1;
    group->gathered = 0;
    give_number(group, shape);
    group->published = old && old->published == old->number ? group->number : 0;
    group->stamps = stamps_of(group, shape);
    for (uint32_t i = 0; old && i < shape->group_chunks; i++)
        if (group->chunk[i])
            group->chunk[i]->refs++;
    return group;
}

/* A copy that nobody shares; of NULL: of nothing known. */
struct far_chunk *clock_new_chunk(const struct far_chunk *old, const struct clock_shape *shape)
{
    size_t rows = shape->rows * sizeof(struct row);
    struct far_chunk *chunk = take(shape, &shape->spares->chunk, sizeof *chunk + rows);

    *chunk = (struct far_chunk){.refs = 1, .shape = shape};
    if (old)
        memcpy(chunk->row, old->row, rows);
    else
        memset(chunk->row, 0, rows);
    return chunk;
}

void chunk_drop(struct far_chunk *chunk)
{
    if (chunk && --chunk->refs == 0)
        give(&chunk->shape->spares->chunk, chunk);
}

void clock_drop_group(struct far_group *group, const struct clock_shape *shape)
{
    if (!group || --group->refs)
        return;
    for (uint32_t i = 0; i < shape->group_chunks; i++)
        chunk_drop(group->chunk[i]);
    group->number = 0;
    give(&shape->spares->group, group);
}

void clock_give_far(struct far *far)
{
    for (uint32_t i = 0; i < far->shape->groups; i++)
        clock_drop_group(far->group[i], far->shape);
    give(&far->shape->spares->far, far);
}

/* A clock of one's own in *far. */
struct far *clock_own_far(struct far **far, const struct clock_shape *shape)
{
    struct far *old = *far;

    if (old && old->refs == 1)
        return old;
    *far = new_far(old, shape);
    if (old)
        old->refs--;
    return *far;
}

struct far_group *clock_own_group(struct far_group **group, const struct clock_shape *shape)
{
    struct far_group *old = *group;

    if (old && old->refs == 1)
        return old;
    *group = new_group(old, shape);
    if (old)
        old->refs--;
    return *group;
}

/* The group of a chunk in a clock of one's own. */
struct far_group *clock_group_in(struct far *far, struct clock_place place)
{
    return clock_own_group(&far->group[place.group], far->shape);
}

/* Put a reference to a chunk in the place of another one. */
void clock_put_chunk(struct far_group *group, uint32_t i, struct far_chunk *chunk)
{
    struct far_stamps *stamps = &group->stamps[i / VECTOR_LANES];

    chunk_drop(group->chunk[i]);
    group->chunk[i] = chunk;
    give_number(group, chunk->shape);
    stamps->teller[i % VECTOR_LANES] = chunk->version ? (int32_t)chunk->teller : -1;
    stamps->version[i % VECTOR_LANES] = (int32_t)chunk->version;
}

/* A chunk that is going to be changed. */
struct far_chunk *clock_own_chunk(struct far_group *group, uint32_t i,
                                   const struct clock_shape *shape)
{
    struct far_chunk *chunk = group->chunk[i];

    if (!chunk || chunk->refs > 1) {
        clock_put_chunk(group, i, clock_new_chunk(chunk, shape));
    } else {
        chunk->version = 0;
        give_number(group, shape);
        group->stamps[i / VECTOR_LANES].teller[i % VECTOR_LANES] = -1;
    }
    return group->chunk[i];
}
