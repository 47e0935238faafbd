/* Bytes that are due: instructions are complete and have not moved them yet (backlog.h).  Who looks
 * at bytes beside the instructions themselves settles first. */
#ifndef PTO_MACHINE_DUE_H
#define PTO_MACHINE_DUE_H

#include "rank.h"

/* What follows looks at bytes on chip ... */
static inline void due_settle(struct rank *rank)
{
    if (__builtin_expect(rank->due != 0, 0))
        rank->work_off(rank);
}

/* ... or at those of an object of the rank. */
static inline void due_settle_object(struct rank *rank, uint32_t object)
{
    if (__builtin_expect(rank->object[object].due, 0))
        rank->work_off(rank);
}

#endif
