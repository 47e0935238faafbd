/* Slots of tiles that registers choose.  Internal to the room.
 *
 * Two operands that name a slot by the same expression over the same registers name the same slot
 * as long as none of these registers is assigned in between. */
#ifndef ASM_SYNC_SLOTS_H
#define ASM_SYNC_SLOTS_H

#include "sync/code.h"

enum {
    SYNC_SLOTS = 7,  /* expressions that are told apart */
    SYNC_STEPS = 4,  /* instructions of an expression */
    SYNC_LEAVES = 4, /* registers that an expression is made of */
    SYNC_NO_SLOT = 0 /* expressions are numbered from 1 */
};

/* An expression that chooses slots; or a register that windows of global memory move with, and
 * behind it one that stands for what was before the register began to grow. */
enum slot_kind { SLOT_CHOICE, SLOT_PLACE, SLOT_BEFORE };

struct slot {
    uint8_t kind; /* enum slot_kind; of those that are no choice `leaf[0]` alone counts */
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
/* Number of a register that windows move with; none is left: SYNC_NO_SLOT. */
unsigned slots_of_place(struct slots *slots, uint16_t reg);
/* The register that an instruction assigns, or -1. */
int slots_assigned(const struct pto_insn *insn);
/* Does one of the instructions from `from` on, before `to`, assign the register? */
bool slots_assigned_in(const struct slots *slots, unsigned reg, uint32_t from, uint32_t to);
/* Where a scalar instruction assigned the register, on the straight way to `at`; -1: none did. */
int64_t slots_assigned_before(const struct slots *slots, uint32_t at, unsigned reg);
/* Does an instruction assign a register that the expression is made of? */
bool slots_kills(const struct slot *slot, const struct pto_insn *insn);
/* Code that puts the number of the slot plus `base` into a register. */
void slots_emit(const struct slot *slot, struct sync_code *code, uint32_t pos, uint16_t into,
                unsigned base);

#endif
