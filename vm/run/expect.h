/* What the host's caches do not hold of all ranks is fetched a few ranks ahead. */
#ifndef PTO_RUN_EXPECT_H
#define PTO_RUN_EXPECT_H

#include "machine/machine.h"

/* Of so many ranks the host's caches do not hold all.  Below FETCHED_RANKS the misses are so few
 * that fetching takes longer than it saves. */
enum { MANY_RANKS = 64, FETCHED_RANKS = 192 };

/* The rank at `item` of those of this process is advanced next, and the others after it. */
void expect_ranks(const struct pto_vm *vm, int item);

#endif
