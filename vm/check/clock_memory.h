/* What clocks are made of (clock.h), and who owns it: clocks share groups, and groups share chunks,
 * each with a count of who refers to it. */
#ifndef PTO_CHECK_CLOCK_MEMORY_H
#define PTO_CHECK_CLOCK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "ops.h"

/* Lanes below LANE_STORE are the queues' own numbers: PTO_PIPE_*, PTO_DMA.  What the DMA engine has
 * completed needs no publishing: its event says that the bytes are there. */
enum lane {
    LANE_STORE = PTO_QUEUE_COUNT, /* stores of the scalar unit, which only flags and dsb publish */
    LANE_REMOTE_MTE3,    /* stores to other ranks that are acknowledged: the issuer's own dsb */
    LANE_REMOTE_FIX,
    LANE_PUBLIC_MTE3,    /* local stores published by a dsb on the chain of order */
    LANE_PUBLIC_FIX,
    LANE_PUBLIC_STORE,
    LANE_TOLD_MTE3,      /* what would be published if a dsb preceded all that tells of it: */
    LANE_TOLD_FIX,       /* never decides a verdict, explains it */
    LANE_TOLD_STORE,
    LANES
};

/* Most of the work is to compare rows: they are looked at by vectors of the host, which all
 * compilers of GNU C have.  What is beyond LANES stays 0. */
enum { VECTOR_LANES = 4, ROW_VECTORS = (LANES + VECTOR_LANES - 1) / VECTOR_LANES };
typedef int32_t clock_lanes
    __attribute__((vector_size(VECTOR_LANES * sizeof(int32_t)), aligned(sizeof(int32_t))));

struct row {
    union {
        uint32_t lane[ROW_VECTORS * VECTOR_LANES]; /* below 2^31 */
        clock_lanes vector[ROW_VECTORS];
    };
};

/* How sub-cores are gathered in chunks, never those of two ranks in one, and chunks in groups: what
 * one rank tells leaves the chunks of the others as they are, shared. */
struct clock_shape {
    uint32_t rows;                 /* sub-cores of a chunk */
    uint32_t groups, group_chunks;
    uint32_t group_vectors;        /* that have a lane for every chunk */
    struct clock_spares *spares;   /* clocks and what goes with them, to be used again */
    struct clock_place {
        uint16_t group, chunk;     /* chunk: in its group */
        uint32_t row;
    } *place;                      /* of every sub-core */
};

/* What one sub-core tells of its rank only grows: of two chunks of one teller the one with the
 * larger version knows more, without a look at their rows. */
struct far_chunk {
    uint32_t refs;
    uint32_t teller, version; /* version 0: changed since by somebody else */
    uint64_t gathered;        /* the last sum that it went into, by number */
    const struct clock_shape *shape;
    struct row row[];
};

/* Groups are compared without a look at their chunks, where these have tellers. */
struct far_group {
    uint32_t refs;
    uint64_t gathered; /* as of a chunk */
    uint64_t number;   /* of what it knows: another one after every change */
    uint64_t published; /* the number under which all stores of its rows were published */
    struct far_stamps {
        clock_lanes teller, version; /* of chunks without a version: teller -1; of NULL: 0 */
    } *stamps;                       /* behind the chunks */
    struct far_chunk *chunk[];
};

struct far {
    uint32_t refs;
    bool published; /* no row has stores that are known but not published */
    const struct clock_shape *shape;
    struct far_group *group[];
};

struct clock_shape clock_shape_of(uint32_t ranks, uint32_t per_rank);
void clock_shape_free(struct clock_shape *shape);

static inline struct far *far_share(struct far *far) /* one more reference */
{
    if (far)
        far->refs++;
    return far;
}
/* What joining two groups has come to lately, by their numbers. */
struct joined {
    uint64_t into, from, sum;
    struct far_group *group; /* while it has the number of the sum */
};
struct joined *clock_joined(const struct clock_shape *shape, uint64_t into, uint64_t from);
/* The number of the next sum that clocks are gathered in. */
uint64_t clock_next_sum(const struct clock_shape *shape);
/* Memory for what sub-cores tell each other, as it comes and goes with clocks: all of one size. */
void *clock_take_release(const struct clock_shape *shape, size_t size);
void clock_give_release(const struct clock_shape *shape, void *release);
void clock_give_far(struct far *far); /* to which nobody refers */
static inline void far_drop(struct far *far)
{
    if (far && --far->refs == 0)
        clock_give_far(far);
}
void chunk_drop(struct far_chunk *chunk);
static inline struct far_chunk *far_chunk_at(const struct far *far, struct clock_place place)
{
    const struct far_group *group = far->group[place.group];

    return group ? group->chunk[place.chunk] : NULL;
}
/* A copy of a chunk that nobody shares; of NULL: of nothing known. */
struct far_chunk *clock_new_chunk(const struct far_chunk *old, const struct clock_shape *shape);
void clock_drop_group(struct far_group *group, const struct clock_shape *shape);
/* A clock, or group, of one's own in *far, *group; the group of a chunk in such a clock. */
struct far *clock_own_far(struct far **far, const struct clock_shape *shape);
struct far_group *clock_own_group(struct far_group **group, const struct clock_shape *shape);
struct far_group *clock_group_in(struct far *far, struct clock_place place);
/* Put a reference to a chunk in the place of another one, in a group of one's own. */
void clock_put_chunk(struct far_group *group, uint32_t i, struct far_chunk *chunk);
/* The chunk there, which is going to be changed. */
struct far_chunk *clock_own_chunk(struct far_group *group, uint32_t i,
                                  const struct clock_shape *shape);

#endif
