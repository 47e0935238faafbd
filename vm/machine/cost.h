/* What a phase costs, from the profile: the only source of simulated durations. */
#ifndef PTO_MACHINE_COST_H
#define PTO_MACHINE_COST_H

#include "machine.h"

struct phase_cost {
    uint64_t occupancy; /* picoseconds until the pipe may start its next phase */
    uint64_t latency;   /* picoseconds from the end of the occupancy to completion */
    uint64_t bytes;     /* moved, for transfers */
};

/* Cost of an entry of this pipe, without the shared resources (memory and links). */
struct phase_cost cost_phase(const struct core *core, unsigned pipe, const struct entry *entry);
/* Cost of a submission to the DMA engine: latency comes first, from its issue to the first byte. */
struct phase_cost cost_async(const struct core *core, uint64_t submission, uint64_t bytes);
/* Take the rank's global memory from now on; returns when the last of `bytes` is through. */
uint64_t cost_reserve_memory(struct rank *rank, uint64_t bytes);
/* Picoseconds that `bytes` take at `bytes_per_us`, rounded up. */
uint64_t cost_bytes(uint64_t bytes, uint64_t bytes_per_us);
/* A duration of this rank as it is slowed down (--slow-rank). */
uint64_t cost_scaled(const struct rank *rank, uint64_t ps);
/* Multiply-accumulate operations of a cube entry. */
uint64_t cost_macs(const struct entry *entry);

#endif
