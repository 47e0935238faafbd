/* What the grammar makes of a line.  Internal to the parser. */
#ifndef ASM_TEXT_TREE_H
#define ASM_TEXT_TREE_H

#include "ast.h"
#include "text.h"

/* A line on its way through a parser. */
struct parser {
    struct asm_text *text;
    struct asm_token *token; /* of the line */
    uint32_t count, at;
    int start;   /* a token that says what is to be parsed, 0: none is left */
    bool silent; /* a line that is wrong will be parsed once more, for its message */
    struct asm_stmt *stmt;
    struct asm_expr *expr;
};

struct asm_expr *tree_leaf(struct parser *p, enum asm_expr_kind kind,
                           const struct asm_token *token);
struct asm_expr *tree_unary(struct parser *p, const struct asm_token *op, struct asm_expr *x);
/* Append an operator and what follows it.  Where operators on the right edge of `left` bind looser,
 * it takes their right side.  NULL after an error. */
struct asm_expr *tree_join(struct parser *p, struct asm_expr *left, const struct asm_token *op,
                           struct asm_expr *right);
struct asm_expr *tree_choice(struct parser *p, struct asm_expr *condition,
                             const struct asm_token *op, struct asm_expr *left,
                             struct asm_expr *right);
/* Complain of a '?' without its ':'. */
void tree_no_colon(struct parser *p, const struct asm_token *op);
/* In parentheses. */
struct asm_expr *tree_enclose(const struct asm_token *open, struct asm_expr *x,
                              const struct asm_token *close);
/* A name and what follows it. */
struct asm_expr *tree_suffix(struct asm_expr *x, struct asm_list *index, struct asm_list *paren,
                             struct asm_list *brace);
/* At the end, and in front; no list: a new one, nothing to add: an empty one. */
struct asm_list *tree_add(struct parser *p, struct asm_list *list, struct asm_expr *x);
struct asm_list *tree_front(struct parser *p, struct asm_expr *x, struct asm_list *list);
struct asm_stmt *tree_stmt(struct parser *p, int kind, const struct asm_token *token);

#endif
