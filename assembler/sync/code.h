/* New code for a program in place of its own, instruction by instruction.  Internal to the room. */
#ifndef ASM_SYNC_CODE_H
#define ASM_SYNC_CODE_H

#include "module.h"

struct sync_code {
    struct pto_module *module;
    struct pto_core_code *core;
    struct pto_insn *insn; /* malloc'ed until it is put in place */
    uint32_t insns, capacity;
    uint32_t *moved; /* where what stood at an index stands now, or what goes before it */
};

/* A flag or barrier between the pipes of a sub-core. */
bool sync_is_own(const struct pto_insn *insn);
void sync_begin(struct sync_code *code, struct pto_module *module, struct pto_core_code *core);
/* What is emitted from here on belongs to instruction `at`: branches to it come here. */
void sync_at(struct sync_code *code, uint32_t at);
void sync_emit(struct sync_code *code, const struct pto_insn *insn);
void sync_barrier(struct sync_code *code, uint32_t pos, unsigned pipe);
/* PTO_OP_SET_FLAG or PTO_OP_WAIT_FLAG */
void sync_flag(struct sync_code *code, uint32_t pos, unsigned op, unsigned from, unsigned to,
               unsigned event);
/* Put the new code in place; branches and labels follow. */
void sync_end(struct sync_code *code);

#endif
