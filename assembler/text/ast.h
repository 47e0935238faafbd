/* Expressions and statements: what the parser makes of lines.  Everything lives in the arena of one
 * assembly. */
#ifndef ASM_TEXT_AST_H
#define ASM_TEXT_AST_H

#include "operators.h"
#include "token.h"

enum asm_expr_kind {
    EX_INT,
    EX_FLOAT,
    EX_STRING,
    EX_REG,
    EX_REF, /* name, and whichever of @rank [index] (arguments or offset) {extent} follow it */
    EX_UNARY,
    EX_BINARY,
    EX_CHOICE /* condition ? left : right */
};

struct asm_list {
    struct asm_expr *first, *last;
    unsigned count;
};

struct asm_expr {
    enum asm_expr_kind kind;
    const struct asm_token *token;       /* name, literal or operator */
    const struct asm_token *begin, *end; /* first and last token of the whole */
    const struct asm_token *arrow; /* of an operand: it stands behind this instead of a comma */
    enum pto_operator_id op; /* EX_UNARY (operand: left), EX_BINARY */
    bool enclosed;           /* in parentheses */
    struct asm_expr *condition; /* EX_CHOICE */
    struct asm_expr *left, *right;
    struct asm_expr *rank;
    struct asm_list *index, *paren, *brace; /* NULL: not written */
    struct asm_expr *next;                  /* in a list */
};

/* Which fields a statement fills depends on `kind`, see the grammar. */
struct asm_stmt {
    int kind;                      /* token of the directive, or one of those below */
    const struct asm_token *token; /* the directive, mnemonic or register: place of the statement */
    const struct asm_token *name, *type, *word, *text;
    struct asm_expr *expr, *to, *step;
    struct asm_list *list, *strides;
    struct asm_list *marks; /* .param and objects: words behind the type; NULL: none */
    bool down;
    struct asm_expr *slots; /* .tile, .fifo, .slots */
    struct asm_expr *flags; /* .slots only */
    const struct asm_token *split; /* .fifo only */
    /* .tile only */
    struct asm_expr *address, *stride, *pitch;
    const struct asm_token *parent;
    const struct asm_token *words[4]; /* space, type and layout, in any order */
    unsigned word_count;
};

enum { ST_LABEL = 1, ST_INSN, ST_ASSIGN };

#endif
