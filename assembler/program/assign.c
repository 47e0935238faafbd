/* What expressions are for: assignments to registers, and the conditions of branches. */
#include "assign.h"

#include "assembly.h"
#include "code.h"
#include "expr.h"
#include "formula/value.h"
#include "registers.h"
#include "type.h"

bool asm_assign(struct assembly *a, const struct asm_expr *expr, uint16_t reg,
                struct asm_value value)
{
    const struct asm_register *target = &asm_code(a)->reg[reg];
    struct pto_scalar scalar[2] = {{.kind = PTO_S_REG, .reg = reg}};

    if (target->is_float && !formula_to_float(&a->formula, expr, &value))
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

/* Branches instead of comparing two integers: when the comparison is true, when it is false. */
static const struct comparison {
    uint8_t op, if_true, if_false; /* enum pto_op */
    bool exchanged;                /* the branches take the operands in the other order */
} comparisons[] = {
    {PTO_OP_ILT, PTO_OP_BLT, PTO_OP_BGE, false},
    {PTO_OP_ILE, PTO_OP_BGE, PTO_OP_BLT, true},
    {PTO_OP_IEQ, PTO_OP_BEQ, PTO_OP_BNE, false},
    {PTO_OP_INE, PTO_OP_BNE, PTO_OP_BEQ, false},
};

static const struct comparison *comparison_of(const struct asm_expr *expr)
{
    for (unsigned i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (expr->kind == EX_BINARY && pto_operator(expr->op)->of_integers == comparisons[i].op)
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
        !formula_compare_zero(&a->formula, expr, false, &value))
        return false;
    asm_emit_branch(a, expr->begin, sense ? PTO_OP_BT : PTO_OP_BF, &value.scalar, 1, target);
    return true;
}

static bool branch_comparison(struct assembly *a, const struct asm_expr *expr,
                              const struct comparison *row, bool sense, uint32_t target,
                              int *constant)
{
    const struct pto_operator *written = pto_operator(expr->op);
    bool exchanged = row->exchanged != written->mirrored, left;
    struct asm_value x, y, truth;
    struct pto_scalar scalar[2];

    left = asm_eval(a, expr->left, &x);
    if (!asm_eval(a, expr->right, &y) || !left)
        return false;
    if (x.is_float || y.is_float || (asm_is_constant(&x) && asm_is_constant(&y)))
        return formula_binary(&a->formula, expr, written, x, y, &truth) &&
               branch_value(a, expr, sense, target, truth, constant);
    scalar[0] = exchanged ? y.scalar : x.scalar;
    scalar[1] = exchanged ? x.scalar : y.scalar;
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
    while (expr->kind == EX_UNARY && expr->op == PTO_OPERATOR_NOT) {
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
