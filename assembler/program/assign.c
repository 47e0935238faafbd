/* What expressions are for: assignments to registers, and the conditions of branches. */
#include "assign.h"

#include "assembly.h"
#include "code.h"
#include "expr.h"
#include "parse.h"
#include "registers.h"
#include "type.h"
#include "value.h"

bool asm_assign(struct assembly *a, const struct asm_expr *expr, uint16_t reg,
                struct asm_value value)
{
    const struct asm_register *target = &asm_code(a)->reg[reg];
    struct pto_scalar scalar[2] = {{.kind = PTO_S_REG, .reg = reg}};

    if (target->is_float && !asm_to_float(a, expr, &value))
        return false;
    if (value.is_float && !target->is_float) {
        if (target->unknown)
            return false;
        asm_hint(a, asm_error_expr(a, expr, "%%%s is an integer by its first assignment, this is "
                                   "a float", target->name),
                 "int() makes an integer of a float; a first assignment of 0.0 makes a float");
        return false;
    }
    if (asm_retarget(a, value.scalar, reg))
        return true;
    scalar[1] = value.scalar;
    asm_emit_scalar(a, expr->begin, PTO_OP_MOV, scalar, 2);
    return true;
}

void asm_assign_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_value value;
    bool taken;
    int32_t reg;

    if (!asm_eval(a, stmt->expr, &value)) {
        /* Declared all the same, so that its uses are not reported too. */
        if (asm_register_known(a, stmt->token) != PTO_NONE)
            return;
        reg = asm_register_write(a, stmt->token, false);
        if (reg != PTO_NONE)
            asm_code(a)->reg[reg].unknown = true;
        return;
    }
    reg = asm_register_take(a, stmt->token, &value, &taken);
    if (reg != PTO_NONE && !taken)
        asm_assign(a, stmt->expr, (uint16_t)reg, value);
}

/* ---- conditions ---- */

/* Branches that compare two integers, when the condition is true and when it is false. */
static const struct comparison {
    int token;
    uint8_t if_true, if_false; /* enum pto_op */
    bool swap;
} comparisons[] = {
    {'<', PTO_OP_BLT, PTO_OP_BGE, false},   {TK_GE, PTO_OP_BGE, PTO_OP_BLT, false},
    {'>', PTO_OP_BLT, PTO_OP_BGE, true},    {TK_LE, PTO_OP_BGE, PTO_OP_BLT, true},
    {TK_EQ, PTO_OP_BEQ, PTO_OP_BNE, false}, {TK_NE, PTO_OP_BNE, PTO_OP_BEQ, false},
};

static const struct comparison *comparison_of(const struct asm_expr *expr)
{
    for (unsigned i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (expr->kind == EX_BINARY && comparisons[i].token == expr->token->kind)
            return &comparisons[i];
    return NULL;
}

/* Branch on a number being zero or not. */
static bool branch_value(struct assembly *a, const struct asm_expr *expr, bool sense,
                         uint32_t target, struct asm_value value, int *constant)
{
    if (asm_is_constant(&value)) {
        *constant = asm_is_true(&value);
        return true;
    }
    if (value.is_float &&
        !asm_apply(a, expr, PTO_OP_FNE, value, asm_float(0), false, &value))
        return false;
    asm_emit_branch(a, expr->begin, sense ? PTO_OP_BT : PTO_OP_BF, &value.scalar, 1, target);
    return true;
}

static bool branch_comparison(struct assembly *a, const struct asm_expr *expr,
                              const struct comparison *row, bool sense, uint32_t target,
                              int *constant)
{
    struct asm_value x, y, truth;
    bool left = asm_eval(a, expr->left, &x);
    struct pto_scalar scalar[2];

    if (!asm_eval(a, expr->right, &y) || !left)
        return false;
    if (x.is_float || y.is_float || (asm_is_constant(&x) && asm_is_constant(&y)))
        return asm_arithmetic(a, expr, asm_arithmetic_of(row->token), x, y, &truth) &&
               branch_value(a, expr, sense, target, truth, constant);
    scalar[0] = row->swap ? y.scalar : x.scalar;
    scalar[1] = row->swap ? x.scalar : y.scalar;
    asm_emit_branch(a, expr->begin, sense ? row->if_true : row->if_false, scalar, 2, target);
    return true;
}

bool asm_branch(struct assembly *a, const struct asm_expr *expr, bool sense, uint32_t target,
                int *constant)
{
    const struct comparison *row;
    struct asm_value value;
    bool flipped = false, good;

    *constant = -1;
    while (expr->kind == EX_UNARY && expr->token->kind == '!') {
        expr = expr->left;
        flipped = !flipped;
    }
    row = comparison_of(expr);
    if (row && !asm_compares_types(a, expr))
        good = branch_comparison(a, expr, row, sense != flipped, target, constant);
    else
        good = asm_eval(a, expr, &value) &&
               branch_value(a, expr, sense != flipped, target, value, constant);
    if (good && *constant >= 0 && flipped)
        *constant = !*constant;
    return good;
}
