/* Slots of tiles that registers choose.  Internal to the room.
 *
 * Two operands that name a slot by the same expression over the same registers name the same slot
 * as long as none of these registers is assigned in between. */
#ifndef ASM_SYNC_SLOTS_H
#define ASM_SYNC_SLOTS_H

#include "sync/code.h"

enum {
    SYNC_SLOTS = 6,  /* expressions that are told apart */
    SYNC_STEPS = 4,  /* instructions of an expression */
    SYNC_LEAVES = 4, /* registers that an expression is made of */
    SYNC_NO_SLOT = 0 /* expressions are numbered from 1 */
};

struct slot {
    struct pto_insn step[SYNC_STEPS]; /* each one computes from the result of the one before */
    unsigned steps;
    uint16_t leaf[SYNC_LEAVES];
    unsigned leaves;
    uint16_t result; /* the register that holds it behind its steps */
    uint32_t count;  /* slots of the tiles that it is used for, the fewest */
};

struct slots {
    const struct pto_core_code *core;
    const bool *joins; /* by instruction: does anything branch to it? */
    struct slot slot[SYNC_SLOTS + 1];
    unsigned slots;
};

/* Number of the expression that chooses the slot of a tile operand of instruction `at`. */
unsigned slots_of(struct slots *slots, uint32_t at, const struct pto_tile_ref *ref);
/* Does an instruction assign a register that the expression is made of? */
bool slots_kills(const struct slot *slot, const struct pto_insn *insn);
/* Code that puts the number of the slot plus `base` into a register. */
void slots_emit(const struct slot *slot, struct sync_code *code, uint32_t pos, uint16_t into,
                unsigned base);

#endif
