/* Which bytes instructions touch, as far as that is known before the run.  Internal to the room. */
#ifndef ASM_SYNC_TOUCH_H
#define ASM_SYNC_TOUCH_H

#include "profile.h"
#include "sync/slots.h"

enum { SYNC_NO_PIPE = PTO_PIPE_COUNT };

/* The pipe that carries an instruction out; S for those of the scalar unit that touch memory;
 * SYNC_NO_PIPE for all others. */
unsigned sync_pipe(const struct pto_profile *profile, const struct pto_core_code *core,
                   const struct pto_insn *insn);

/* Does an instruction write an operand of this kind: global memory, a tile? */
bool sync_writes(const struct pto_insn *insn, enum pto_operand_kind kind);
/* Is it a store of S, which pipes learn of from flags and dsb alone?  Atomic ones are not. */
bool sync_is_store(const struct pto_insn *insn);

/* What an operand touches. */
struct reach {
    uint64_t first, end; /* bytes of its space; of global memory the number of the object */
    uint32_t insn;
    uint8_t space, operand;
    bool written;
};

struct touch {
    const struct pto_kernel *kernel;
    const struct pto_core_code *core;
    struct slots *slots;
    const bool *moves;   /* by tile that is no view: TASSIGN moves it */
    struct reach *reach; /* of instruction i: first_reach[i] up to that of the next one */
    uint32_t *first_reach, reaches, reach_room;
    int64_t steps[PTO_MAX_REGISTERS]; /* see place_find_steps */
};

void touch_begin(struct touch *touch, const struct pto_kernel *kernel,
                 const struct pto_core_code *core, struct slots *slots, const bool *moves);
void touch_free(struct touch *touch);

/* How two instructions may touch the same bytes, one of them writing: a mask.  Bit 0: whatever the
 * registers are.  Bit n: only if expression n of `slots` has the value for both that it has for
 * each of them.  Slots and places that only the run knows may be any; two windows of one object in
 * global memory may be the same. */
unsigned sync_conflict(const struct touch *touch, uint32_t a, uint32_t b);
/* The expressions that choose slots of an instruction's tiles: a mask of 1 << number. */
unsigned sync_keys(const struct touch *touch, uint32_t at);

#endif
