/* Slots that take turns (.slots): who has one is known to the assembler, which gives it back where
 * its block ends. */
#ifndef ASM_PROGRAM_SLOTS_H
#define ASM_PROGRAM_SLOTS_H

#include "module.h"
#include "order.h"
#include "text/ast.h"

struct assembly;
struct asm_symbol;

/* The slots of one declaration, from .slots to where they are drained. */
struct asm_slots {
    const struct asm_symbol *symbol; /* register of the slot in turn; of a single one, constant 0 */
    const struct asm_token *directive; /* place of what is emitted for the declaration */
    uint32_t count;
    unsigned from, to; /* enum pto_pipe: the token of a slot says that it is free */
    int64_t flags;     /* event of slot 0 */
    uint32_t scope;    /* block that ends them, as asm_flow_scope; 0: the program */
    uint32_t number;   /* of the declaration */
    const struct asm_token *taken; /* the .take in force, NULL: the slot in turn is nobody's */
    uint32_t taken_scope;          /* block that gives it back */
    uint32_t taken_number;         /* of the .take */
    bool drained;                  /* closed: only its events are remembered */
    struct asm_order order;        /* behind the waits of .take, or of the drain */
};

/* .slots, .take, .give, .drain */
void asm_slots_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_take_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_give_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_drain_statement(struct assembly *a, const struct asm_stmt *stmt);
/* A block ends here (asm_flow_scope inside of it; 0: the program): what was taken in it is given
 * back, and slots that it declares are drained. */
void asm_slots_leave(struct assembly *a, uint32_t scope);
/* The same for a branch out of this block and those inside of it, or for `end` (0): the text behind
 * the branch finds everything as it was. */
void asm_slots_branch(struct assembly *a, uint32_t scope);
/* Behind the end of the program: nothing is known any more. */
void asm_slots_close(struct assembly *a);
/* An instruction was emitted. */
void asm_slots_see(struct assembly *a, const struct pto_insn *insn);
/* The open slots that an event of a pair of pipes belongs to, or NULL. */
const struct asm_slots *asm_slots_of_flag(const struct assembly *a, unsigned from, unsigned to,
                                          int64_t event);
/* Which slots are open and taken here, as a number: plain branches must find it as they left it. */
uint64_t asm_slots_state(const struct assembly *a);

#endif
