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
    uint32_t *lands; /* where a branch that stood at an index goes now; 0: to what has `moved` */
    uint32_t *from;  /* by new instruction: where it stood, plus 1 */
    uint32_t from_room;
};

/* A flag or barrier between the pipes of a sub-core. */
bool sync_is_own(const struct pto_insn *insn);
void sync_begin(struct sync_code *code, struct pto_module *module, struct pto_core_code *core);
/* What is emitted from here on belongs to instruction `at`: branches to it come here. */
void sync_at(struct sync_code *code, uint32_t at);
/* The branch at `from` comes here. */
void sync_land(struct sync_code *code, uint32_t from);
void sync_emit(struct sync_code *code, const struct pto_insn *insn);
/* The same for what takes the place of instruction `from`. */
void sync_emit_from(struct sync_code *code, const struct pto_insn *insn, uint32_t from);
void sync_barrier(struct sync_code *code, uint32_t pos, unsigned pipe);
/* S's cache of global memory is written back and dropped. */
void sync_drop_cache(struct sync_code *code, uint32_t pos);
void sync_dsb(struct sync_code *code, uint32_t pos);
/* Stores of S, to global memory too, are there for all that is issued behind it. */
void sync_fence(struct sync_code *code, uint32_t pos);
/* PTO_OP_SET_FLAG or PTO_OP_WAIT_FLAG */
void sync_flag(struct sync_code *code, uint32_t pos, unsigned op, unsigned from, unsigned to,
               struct pto_scalar event);
/* Put the new code in place; branches and labels follow. */
void sync_end(struct sync_code *code);
/* How a program is rewritten.  In order: with a barrier of all behind every instruction that a pipe
 * executes, a fence behind every store of S, and an empty cache before every load of S from what
 * the kernel writes.  Publish: with dsb where others are told of stores. */
enum sync_rewriting { SYNC_BARE = 0, SYNC_IN_ORDER = 1, SYNC_PUBLISH = 2 };
/* A program without its flags and barriers; `how`: a mask of the above. */
void sync_rewrite(struct pto_module *module, const struct pto_kernel *kernel,
                  struct pto_core_code *core, unsigned how);

#endif
