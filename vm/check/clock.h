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

#include "check/clock_memory.h"

static inline void row_copy(struct row *into, const struct row *from)
{
#pragma GCC unroll 8
    for (int i = 0; i < ROW_VECTORS; i++)
        into->vector[i] = from->vector[i];
}
static inline void row_join(struct row *into, const struct row *from)
{
#pragma GCC unroll 8
    for (int i = 0; i < ROW_VECTORS; i++) {
        clock_lanes mine = into->vector[i], theirs = from->vector[i], larger = mine > theirs;

        into->vector[i] = (mine & larger) | (theirs & ~larger);
    }
}
/* Does `from` know something that decides verdicts and that `into` does not? */
static inline bool row_adds(const struct row *into, const struct row *from)
{
    for (int i = 0; i < LANE_TOLD_MTE3; i++)
        if (from->lane[i] > into->lane[i])
            return true;
    return false;
}
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
/* far_join of many into their sum: what several of them share is looked at once. */
void far_gather(struct far **sum, struct far *const *from, uint32_t count);
void far_raise(struct far **into, uint32_t core, const struct row *row,
               const struct clock_shape *shape);
/* What a sub-core that knows `far` tells of itself; later versions are larger. */
struct far_chunk *far_tell(const struct far *far, uint32_t core, const struct row *row,
                           const struct clock_shape *shape, uint32_t version);
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
