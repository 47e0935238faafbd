/* What a rank knows of the ranks that it has sent to: a table that grows with them.  Most ranks of
 * a large machine have few partners, and an array over all pairs would be quadratic. */
#ifndef PTO_MACHINE_LINKS_H
#define PTO_MACHINE_LINKS_H

#include "machine.h"

/* Where the table has the link to a rank, or the place that it would take; there is room. */
static inline struct link *links_place(const struct links *links, int to)
{
    uint32_t mask = links->slots - 1, at = (uint32_t)to * UINT32_C(0x9e3779b1) >> 7 & mask;

    while (links->slot[at].peer && links->slot[at].peer != (uint32_t)to + 1)
        at = (at + 1) & mask;
    return &links->slot[at];
}

/* NULL: nothing was sent there. */
static inline struct link *links_find(const struct rank *rank, int to)
{
    struct link *link = rank->links.slots ? links_place(&rank->links, to) : NULL;

    return link && link->peer ? link : NULL;
}

/* Valid until the next one is made. */
struct link *links_make(struct rank *rank, int to);

size_t links_bytes(const struct links *links);
/* A table of so many slots, whose contents the caller gives. */
void links_resize(struct links *links, uint32_t slots);
void links_free(struct links *links);

#endif
