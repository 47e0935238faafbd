/* Which pipes do their later work behind a place in the program of one pipe: what flags and
 * barriers since then say, in the order of the text. */
#ifndef ASM_PROGRAM_ORDER_H
#define ASM_PROGRAM_ORDER_H

#include "module.h"

struct asm_order {
    uint8_t ever; /* mask of pipes: some path orders them behind the place */
    /* By a pipe behind it: mask of those that it has set flags for. */
    uint8_t told[PTO_PIPE_COUNT];
    /* 1 + asm_flow_scope where the order was made; 0: not on every path that leads here. */
    uint32_t made[PTO_PIPE_COUNT];
};

/* The place is here, and of this pipe. */
void asm_order_begin(struct asm_order *order, unsigned pipe, uint32_t scope);
/* An instruction that stands behind the place, in the block `scope`. */
void asm_order_see(struct asm_order *order, const struct pto_insn *insn, uint32_t scope);
/* A block ends around which paths lead: what was ordered in it is so on some paths only. */
void asm_order_leave(struct asm_order *order, uint32_t scope);
/* Does later work of the pipe come behind the place: on every path; on one, at least? */
bool asm_order_holds(const struct asm_order *order, unsigned pipe);
bool asm_order_may_hold(const struct asm_order *order, unsigned pipe);

#endif
