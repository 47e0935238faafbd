/* Every simulated duration comes from here: phases, transfers, links, and what the scalar unit and
 * flags take, for a rank as slow as it is (--slow-rank) and with jitter. */
#ifndef PTO_MACHINE_COST_H
#define PTO_MACHINE_COST_H

#include "machine.h"

/* Cost of an entry of this pipe, without the shared resources (memory and links). */
struct phase_cost cost_of_phase(const struct core *core, unsigned pipe, const struct entry *entry);
static inline struct phase_cost cost_phase(const struct core *core, unsigned pipe,
                                           const struct entry *entry)
{
    if (entry->op->always_costs && core->rank->at_pace)
        return entry->op->cost;
    return cost_of_phase(core, pipe, entry);
}

/* Does the phase take the same each time?  Then `op->cost` says what. */
void cost_foresee(const struct pto_vm *vm, struct ready_op *op);
/* Cost of a submission to the DMA engine: latency comes first, from its issue to the first byte. */
struct phase_cost cost_async(const struct core *core, uint64_t submission, uint64_t bytes);
/* Take the rank's global memory, and the cache in front of it, from now on for a transfer between
 * it and a tile, or for a submission to the DMA engine; returns when its last byte is through. */
void cost_memory(struct core *core, unsigned pipe, const struct entry *entry,
                 struct phase_cost *cost);
uint64_t cost_async_memory(struct core *core, const struct submission *submission);
/* The rank's cache, made if it has none yet: for a profile with a second level. */
struct cache *cost_cache(struct rank *rank);
/* Bytes from another rank take their place in the cache. */
void cost_land(struct rank *rank, const struct message *message);
/* Time that bytes take on a wire from a time on, to leave by one's own, and of what all links of a
 * rank carry. */
uint64_t cost_wire(const struct pto_vm *vm, const struct hop *hop, uint64_t bytes, uint64_t from);
uint64_t cost_send(const struct rank *rank, const struct hop *hop, uint64_t bytes, uint64_t from);
uint64_t cost_egress(const struct rank *rank, uint64_t bytes);
/* The work of a wire to send bytes: time that it takes at the profile's pace.  How long work takes
 * from a time on, and how much is done from one time to another. */
uint64_t cost_send_work(const struct rank *rank, const struct hop *hop, uint64_t bytes);
uint64_t cost_take(const struct pto_vm *vm, const struct hop *hop, uint64_t work, uint64_t from);
uint64_t cost_done(const struct pto_vm *vm, const struct hop *hop, uint64_t from, uint64_t until);
/* Time that bytes have taken on a wire that they have left at a time. */
uint64_t cost_wire_until(const struct pto_vm *vm, const struct hop *hop, uint64_t bytes,
                         uint64_t until);
/* From the end of a wire to the other, however slow the ranks are: for what enters it at a time,
 * and the least at any time. */
uint64_t cost_latency(const struct pto_vm *vm, const struct hop *hop, uint64_t when);
uint64_t cost_least_latency(const struct pto_vm *vm, const struct hop *hop);

/* A launch that the host starts on all ranks at once, however slow they are. */
uint64_t cost_common_launch(const struct pto_vm *vm);

/* Fill in the rank's durations from the profile and its slowness at a time. */
void cost_prepare(struct rank *rank, uint64_t now);
/* A duration with the jitter of this moment of the core's S. */
uint64_t cost_jittered(const struct core *core, enum duration which);

/* What something takes S at its present time. */
static inline uint64_t cost_of(const struct core *core, enum duration which)
{
    if (__builtin_expect(core->rank->vm->options.jitter != 0, 0))
        return cost_jittered(core, which);
    return core->rank->duration[which];
}

/* What the entry that a pipe starts next takes if it is a flag or a barrier. */
uint64_t cost_jittered_flag(const struct core *core, unsigned pipe);
static inline uint64_t cost_flag(const struct core *core, unsigned pipe)
{
    return core->rank->at_pace ? core->rank->duration[COST_FLAG] : cost_jittered_flag(core, pipe);
}

/* Multiply-accumulate operations of a cube entry. */
uint64_t cost_macs(const struct entry *entry);

#endif
