/* Structured control flow to branches. */
#ifndef ASM_PROGRAM_FLOW_H
#define ASM_PROGRAM_FLOW_H

#include "module.h"
#include "text/ast.h"

struct assembly;

/* One open .for, .while, .if, .ordered. */
struct asm_block {
    int kind; /* token of the directive */
    const struct asm_token *token;
    bool textual;      /* an .if that reaches outside of a program: it has no code of its own */
    bool dead_outside; /* the block as a whole is not assembled */
    bool dead;         /* what stands here is not */
    uint32_t end;      /* target behind the block */
    /* .if */
    uint32_t next;     /* target of the next arm */
    bool conditional;  /* an arm was entered under a run-time condition */
    bool settled;      /* an arm is entered unless one before it was: no further arm can be */
    bool has_else;
    /* loops */
    uint32_t body, again; /* targets: first instruction, what .continue goes to */
    const struct asm_expr *condition;
    struct pto_scalar counter, limit, step;
    bool down;
};

void asm_flow_statement(struct assembly *a, const struct asm_stmt *stmt);
/* A line that should have opened a block, but was not understood: its end is not to be reported. */
void asm_flow_broken(struct assembly *a, const struct asm_token *token);
/* Inside an arm that is not assembled? */
bool asm_flow_dead(const struct assembly *a);
/* Number of the innermost open block that execution can go around or repeat, a loop or an .if with
 * a run-time condition; 0: there is none. */
uint32_t asm_flow_scope(const struct assembly *a);
/* Inside a loop? */
bool asm_flow_repeats(const struct assembly *a);
/* At the end of a program, and of the text: nothing that was opened in it may be open. */
void asm_flow_close(struct assembly *a);

#endif
