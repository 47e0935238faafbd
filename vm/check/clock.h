/* Vector clocks in two levels: what a party knows of its own sub-core is a row of lanes, what it
 * knows of all other sub-cores is a shared, immutable `far` clock.
 *
 * A lane counts the work of one queue: lane value n says "everything of that pipe up to its n-th
 * entry is ordered before".  Stores to global memory need more than their completion before a
 * TNOTIFY may speak of them, so the storing pipes have further lanes for what a dsb has published.
 *
 * Far clocks are copied on write; their groups and chunks of sub-cores are shared between clocks,
 * so that a copy costs little and memory follows what is known.  NULL is the clock that knows
 * nothing. */
#ifndef PTO_CHECK_CLOCK_H
#define PTO_CHECK_CLOCK_H

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
    struct clock_spares *spares;   /* clocks, groups and chunks to be used again */
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
    const struct clock_shape *shape;
    struct row row[];
};

/* Groups are compared without a look at their chunks, where these have tellers. */
struct far_group {
    uint32_t refs;
    struct far_stamps {
        clock_lanes teller, version; /* of chunks that are NULL: 0 */
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

void row_join(struct row *into, const struct row *from);
/* After a dsb: the row's local stores are published; `own`: the remote ones, too. */
void row_publish(struct row *row, bool own);
/* What a TNOTIFY tells of a row: unpublished stores are left out. */
struct row row_told(const struct row *row);
/* Is entry `epoch` of `lane` known, for somebody on another sub-core? */
static inline bool row_knows(const struct row *row, unsigned lane, uint32_t epoch)
{
    if (row->lane[lane] >= epoch)
        return true;
    switch (lane) {
    case PTO_PIPE_MTE3:
        return row->lane[LANE_PUBLIC_MTE3] >= epoch;
    case PTO_PIPE_FIX:
        return row->lane[LANE_PUBLIC_FIX] >= epoch;
    case LANE_STORE:
        return row->lane[LANE_PUBLIC_STORE] >= epoch;
    default:
        return false;
    }
}

struct far *far_share(struct far *far); /* one more reference */
void far_drop(struct far *far);
static inline struct far_chunk *far_chunk_at(const struct far *far, struct clock_place place)
{
    const struct far_group *group = far->group[place.group];

    return group ? group->chunk[place.chunk] : NULL;
}
/* The row of a sub-core, NULL if nothing is known of it. */
static inline const struct row *far_row(const struct far *far, uint32_t core)
{
    struct clock_place place;
    const struct far_chunk *chunk;

    if (!far)
        return NULL;
    place = far->shape->place[core];
    chunk = far_chunk_at(far, place);
    return chunk ? &chunk->row[place.row] : NULL;
}
/* Make *into know what `from` knows, and the row of a sub-core.  The shape outlives all clocks. */
void far_join(struct far **into, struct far *from);
void far_raise(struct far **into, uint32_t core, const struct row *row,
               const struct clock_shape *shape);
/* What a sub-core that knows `far` tells of itself; later versions are larger. */
struct far_chunk *far_tell(const struct far *far, uint32_t core, const struct row *row,
                           const struct clock_shape *shape, uint32_t version);
void chunk_drop(struct far_chunk *chunk);
/* Make *into know what `core` told, or that and what it told of others: `from`, in which it may be
 * older. */
void far_put(struct far **into, uint32_t core, struct far_chunk *told,
             const struct clock_shape *shape);
void far_hear(struct far **into, const struct far *from, uint32_t core, struct far_chunk *told,
              const struct clock_shape *shape);
/* dsb: all local stores that are known are published. */
void far_publish(struct far **far);
/* What a TNOTIFY tells of it; a new reference. */
struct far *far_told(struct far *far);

#endif
