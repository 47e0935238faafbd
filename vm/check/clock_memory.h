/* What far clocks are made of, private to clock.c and clock_memory.c. */
#ifndef PTO_CHECK_CLOCK_MEMORY_H
#define PTO_CHECK_CLOCK_MEMORY_H

#include "check/clock.h"

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
