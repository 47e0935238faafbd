/* What the host's caches do not hold of all ranks is fetched a few ranks ahead. */
#ifndef PTO_RUN_EXPECT_H
#define PTO_RUN_EXPECT_H

#include "machine/machine.h"

/* Of fewer ranks the caches hold all that matters. */
enum { MANY_RANKS = 64 };

/* The rank at `item` of those of this process is advanced next, and the others after it. */
void expect_ranks(const struct pto_vm *vm, int item);

#endif
