/* What durations are made of; for cost.c and cost_memory.c. */
#ifndef PTO_MACHINE_COST_PARTS_H
#define PTO_MACHINE_COST_PARTS_H

#include "machine.h"

/* A duration of this rank as it is slowed down. */
uint64_t cost_scaled(const struct rank *rank, uint64_t ps);
/* With jitter between 3/4 and 5/4 of the duration, which hangs on the entry of the queue alone. */
uint64_t cost_perturbed(const struct core *core, unsigned queue, uint64_t entry, uint64_t ps);
/* Picoseconds that `bytes` take at `bytes_per_us`, rounded up. */
uint64_t cost_bytes_ps(uint64_t bytes, uint64_t bytes_per_us);
/* Picoseconds that `bytes` take on a path. */
uint64_t cost_path_ps(const struct pto_vm *vm, const struct pto_path *path, uint64_t bytes);

#endif
