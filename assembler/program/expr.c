/* What names are worth in expressions, and instructions for what only the run knows. */
#include "expr.h"

#include <inttypes.h>
#include <string.h>

#include "assembly.h"
#include "call.h"
#include "code.h"
#include "lost.h"
#include "registers.h"
#include "symbols.h"
#include "type.h"

/* ---- names ---- */

bool asm_needs_launch(struct assembly *a, const struct asm_expr *expr)
{
    if (!a->constant_for)
        return true;
    asm_error_expr(a, expr, "%s must be constant, and this is known only when the kernel runs",
                   a->constant_for);
    return false;
}

static void unknown_name(struct assembly *a, const struct asm_expr *expr)
{
    const char *name = expr->token->text;
    const char *reg = asm_symbol_nearest(a, NS_REG, 1 << SYM_REG, name);
    struct pto_diag *diag;

    if (asm_lost_before(a, NS_PLAIN, expr->token))
        return;
    diag = asm_error(a, expr->token, "nothing is called '%s' here", name);
    if (asm_is_function(name))
        asm_hint(a, diag, "functions take parentheses: %s()", name);
    else if (reg && !strcmp(reg, name))
        asm_hint(a, diag, "registers are written with '%%': %%%s", reg);
    else if (!asm_symbol_hint(a, diag, NS_PLAIN, 1 << SYM_CONSTANT | 1 << SYM_PARAM, name))
        asm_hint(a, diag, ".param declares values from outside, .equ constants");
}

static bool read_symbol(struct assembly *a, const struct asm_expr *expr,
                        const struct asm_symbol *symbol, struct asm_value *d)
{
    bool scalar = symbol->kind == SYM_CONSTANT || symbol->kind == SYM_PARAM;
    bool bare = formula_is_bare(expr);
    struct pto_diag *diag;

    if (bare && symbol->kind == SYM_CONSTANT) {
        *d = symbol->value;
        return true;
    }
    if (bare && symbol->kind == SYM_PARAM)
        return asm_needs_launch(a, expr) && asm_register_read(a, expr->token, d);
    diag = asm_error_expr(a, expr, scalar ? "'%s' is %s and has no elements"
                                          : "'%s' is %s, not a number",
                          expr->token->text, asm_symbol_kind_name(symbol->kind));
    if (!scalar && symbol->kind != SYM_TYPE)
        asm_hint(a, diag, "its elements are read with %%x = ld %s%s", expr->token->text,
                 symbol->kind == SYM_TILE ? "[slot](row, col)" : "[index]");
    return false;
}

static bool read_ref(void *context, const struct asm_expr *expr, struct asm_value *d)
{
    struct assembly *a = context;
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_PLAIN, expr->token);

    if (symbol)
        return read_symbol(a, expr, symbol, d);
    if (expr->paren)
        return asm_call(a, expr, d);
    if (asm_type_of(a, expr) >= 0)
        asm_error(a, expr->token, "'%s' is an element type, not a number", expr->token->text);
    else
        unknown_name(a, expr);
    return false;
}

static bool read_register(void *context, const struct asm_expr *expr, struct asm_value *d)
{
    struct assembly *a = context;

    return asm_needs_launch(a, expr) && asm_register_read(a, expr->token, d);
}

/* ---- instructions ---- */

static bool compute(void *context, const struct asm_expr *expr, unsigned op,
                    const struct asm_value *x, const struct asm_value *y, struct asm_value *d)
{
    struct assembly *a = context;
    const struct pto_op_info *info = pto_op_info(op);
    bool is_float = info->operand[0].kind == PTO_K_FLOAT_REG;
    struct pto_scalar scalar[3] = {{0}, x->scalar, y->scalar};

    asm_release(a, x->scalar);
    asm_release(a, y->scalar);
    scalar[0] = asm_temporary(a, expr->token, is_float);
    asm_emit_scalar(a, expr->token, op, scalar, info->operands);
    *d = (struct asm_value){scalar[0], is_float};
    return true;
}

static bool choose(void *context, const struct asm_expr *expr, const struct asm_value *condition,
                   const struct asm_value *x, const struct asm_value *y, struct asm_value *d)
{
    struct assembly *a = context;
    struct pto_scalar scalar[] = {{0}, condition->scalar, x->scalar, y->scalar};

    for (unsigned i = 1; i < 4; i++)
        asm_release(a, scalar[i]);
    scalar[0] = asm_temporary(a, expr->token, x->is_float);
    asm_emit_scalar(a, expr->token, PTO_OP_SELECT, scalar, 4);
    *d = (struct asm_value){scalar[0], x->is_float};
    return true;
}

static void hold(void *context, const struct asm_value *value, bool held)
{
    asm_hold(context, value->scalar, held);
}

const struct formula_host asm_formula_host = {
    .reg = read_register, .ref = read_ref, .owns = asm_compares_types, .own = asm_compare_types,
    .compute = compute, .choose = choose, .hold = hold,
};

/* ---- expressions for a purpose ---- */

bool asm_eval(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    return formula_value(&a->formula, expr, d);
}

static bool is_int(struct assembly *a, const struct asm_expr *expr, const struct asm_value *value)
{
    if (!value->is_float)
        return true;
    asm_hint(a, asm_error_expr(a, expr, "an integer is needed here, this is a float"),
             "int() makes an integer of a float, toward zero");
    return false;
}

bool asm_eval_int(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    return asm_eval(a, expr, d) && is_int(a, expr, d);
}

bool asm_constant(struct assembly *a, const struct asm_expr *expr, const char *what,
                  struct asm_value *value)
{
    const char *outer = a->constant_for;
    bool good;

    a->constant_for = what;
    good = asm_eval(a, expr, value);
    a->constant_for = outer;
    return good;
}

bool asm_constant_int(struct assembly *a, const struct asm_expr *expr, const char *what,
                      int64_t low, int64_t high, int64_t *value)
{
    struct asm_value constant;

    if (!asm_constant(a, expr, what, &constant) || !is_int(a, expr, &constant))
        return false;
    *value = constant.scalar.i;
    if (*value >= low && *value <= high)
        return true;
    asm_error_expr(a, expr, "%s is %" PRId64 ", but must be %" PRId64 " to %" PRId64, what, *value,
                   low, high);
    return false;
}
