/* A program under construction: instructions, registers, temporaries, branch targets. */
#ifndef ASM_PROGRAM_CODE_H
#define ASM_PROGRAM_CODE_H

#include "module.h"
#include "text/token.h"

struct assembly;

enum {
    ASM_MAX_CODE = 1 << 20, /* instructions of one program */
    ASM_MAX_LABELS = 1 << 20
};

struct asm_register {
    const char *name;
    bool is_float;
    bool unknown; /* its first assignment was wrong: any type will do */
    bool temporary, busy, held;
    bool hidden; /* of the assembler, under a name: the text cannot assign to it */
    bool of_slots; /* hidden, the slot in turn of some .slots */
    bool of_setup; /* hidden, in a core: register `setup` of the set-up code */
    uint16_t setup;
    uint32_t uses; /* how often a temporary was handed out */
};

/* A branch target: placed by the assembler, or named and resolved at the end of the core. */
struct asm_target {
    const struct asm_token *name;
    int64_t insn;   /* PTO_NONE until placed */
    uint64_t slots; /* named: asm_slots_state at the branch */
    bool used;      /* there is a branch to it */
};

/* A program under construction. */
struct asm_code {
    struct pto_insn *insn;
    uint32_t insns, insn_capacity;
    struct asm_register *reg;
    uint32_t regs, reg_capacity;
    bool lent; /* a temporary was handed out since the last statement ended */
    struct asm_target *target;
    uint32_t targets, target_capacity;
    uint32_t last_target; /* instruction that a target or label was last placed at */
    uint32_t temporaries; /* number of the next name */
    bool full;            /* a limit was hit and reported */
};

/* The program that statements go into now. */
struct asm_code *asm_code(struct assembly *a);
void asm_code_open(struct assembly *a);
void asm_code_close(struct assembly *a, struct asm_code *code, struct pto_code *out);
void asm_code_free(struct asm_code *code);
/* Append an instruction; `token`: its place. */
void asm_emit(struct assembly *a, const struct asm_token *token, unsigned op, unsigned operands,
              const struct pto_operand *operand);
/* Append an instruction of scalar operands only. */
void asm_emit_scalar(struct assembly *a, const struct asm_token *token, unsigned op,
                     const struct pto_scalar *scalar, unsigned count);
/* Put the instruction emitted last before those from `place` on, which no branch leads into. */
void asm_code_move_last(struct assembly *a, uint32_t place);
/* May control come to the place behind the last instruction? */
bool asm_code_reached(struct assembly *a);
/* Append a branch: scalar operands, then the target. */
void asm_emit_branch(struct assembly *a, const struct asm_token *token, unsigned op,
                     const struct pto_scalar *scalar, unsigned count, uint32_t target);
struct pto_scalar asm_temporary(struct assembly *a, const struct asm_token *token, bool is_float);
/* Temporaries live to the end of the statement, or until released; held ones until let go. Any
 * other scalar passes through unharmed. */
void asm_release(struct assembly *a, struct pto_scalar scalar);
void asm_hold(struct assembly *a, struct pto_scalar scalar, bool held);
void asm_statement_end(struct assembly *a);
/* If the last instruction is what computed the temporary `from`: let it write `reg` instead. */
bool asm_retarget(struct assembly *a, struct pto_scalar from, uint16_t reg);
/* The same, where the temporary was never used before: make it a register of this name. */
bool asm_adopt(struct assembly *a, struct pto_scalar from, const char *name);
uint16_t asm_register_add(struct assembly *a, const struct asm_token *token, bool is_float);
uint32_t asm_target_new(struct assembly *a);
uint32_t asm_target_named(struct assembly *a, const struct asm_token *name);
void asm_target_place(struct assembly *a, uint32_t target);
void asm_label(struct assembly *a, const struct asm_token *name);
/* At the end of a program: targets become instruction indices. */
void asm_targets_resolve(struct assembly *a);

#endif
