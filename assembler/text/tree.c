#include "text/tree.h"

#include "text/report.h"

struct asm_expr *tree_leaf(struct parser *p, enum asm_expr_kind kind,
                           const struct asm_token *token)
{
    struct asm_expr *x = pto_arena_alloc(p->text->tree, sizeof *x);

    *x = (struct asm_expr){.kind = kind, .token = token, .begin = token, .end = token};
    return x;
}

struct asm_expr *tree_unary(struct parser *p, const struct asm_token *op, struct asm_expr *x)
{
    struct asm_expr *expr = tree_leaf(p, EX_UNARY, op);

    expr->op = (enum pto_operator_id)pto_operator_find(PTO_PREFIX, op->text);
    expr->left = x;
    expr->end = x->end;
    return expr;
}

static struct asm_expr *binary(struct parser *p, const struct asm_token *op,
                               enum pto_operator_id id, struct asm_expr *x, struct asm_expr *y)
{
    struct asm_expr *expr = tree_leaf(p, EX_BINARY, op);

    expr->op = id;
    expr->left = x;
    expr->right = y;
    expr->begin = x->begin;
    expr->end = y->end;
    return expr;
}

struct asm_expr *tree_join(struct parser *p, struct asm_expr *left, const struct asm_token *op,
                           struct asm_expr *right)
{
    enum pto_operator_id id = (enum pto_operator_id)pto_operator_find(PTO_INFIX, op->text);
    unsigned level = pto_operator(id)->level, before;

    if (left->kind != EX_BINARY || left->enclosed)
        return binary(p, op, id, left, right);
    before = pto_operator(left->op)->level;
    if (before == level && level == PTO_LEVEL_COMPARISON) {
        if (!p->silent)
            text_hint(p->text, text_error(p->text, op, "comparisons do not chain"),
                      "write a < b && b < c, or (a < b) == c");
        return NULL;
    }
    if (before >= level)
        return binary(p, op, id, left, right);
    left->right = tree_join(p, left->right, op, right);
    left->end = right->end;
    return left->right ? left : NULL;
}

struct asm_expr *tree_choice(struct parser *p, struct asm_expr *condition,
                             const struct asm_token *op, struct asm_expr *left,
                             struct asm_expr *right)
{
    struct asm_expr *expr = tree_leaf(p, EX_CHOICE, op);

    expr->condition = condition;
    expr->left = left;
    expr->right = right;
    expr->begin = condition->begin;
    expr->end = right->end;
    return expr;
}

void tree_no_colon(struct parser *p, const struct asm_token *op)
{
    if (!p->silent)
        text_hint(p->text, text_error(p->text, op, "this '?' has no ':'"),
                  "write condition ? value : other value");
}

struct asm_expr *tree_enclose(const struct asm_token *open, struct asm_expr *x,
                              const struct asm_token *close)
{
    x->enclosed = true;
    x->begin = open;
    x->end = close;
    return x;
}

struct asm_expr *tree_suffix(struct asm_expr *x, struct asm_list *index, struct asm_list *paren,
                             struct asm_list *brace)
{
    x->index = index;
    x->paren = paren;
    x->brace = brace;
    return x;
}

struct asm_list *tree_add(struct parser *p, struct asm_list *list, struct asm_expr *x)
{
    if (!list)
        list = pto_arena_alloc(p->text->tree, sizeof *list);
    if (!x)
        return list;
    if (list->last)
        list->last->next = x;
    else
        list->first = x;
    list->last = x;
    list->count++;
    return list;
}

struct asm_list *tree_front(struct parser *p, struct asm_expr *x, struct asm_list *list)
{
    struct asm_list *whole = tree_add(p, NULL, x);

    x->next = list->first;
    whole->last = list->last;
    whole->count += list->count;
    return whole;
}

struct asm_stmt *tree_stmt(struct parser *p, int kind, const struct asm_token *token)
{
    struct asm_stmt *stmt = pto_arena_alloc(p->text->tree, sizeof *stmt);

    stmt->kind = kind;
    stmt->token = token;
    return stmt;
}
