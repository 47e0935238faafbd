#include "dbg/expr.h"

#include <string.h>

#include "dbg/place.h"
#include "dbg/value.h"
#include "dbg/variable.h"
#include "dtype.h"
#include "text/report.h"

/* Where names are looked up. */
struct lookup {
    const struct formula *formula;
    struct expr_scope scope;
    const struct pto_kernel *kernel;
    const struct pto_core_code *code; /* NULL: no program, so no registers and arrays */
    bool known; /* there are values; else only names and types are looked at */
};

enum { SEVERAL = -2, NOT_THERE = -1 };

static const char *const functions[] = {"clock", "sizeof"};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Stands for a value that nobody knows yet. */
static struct asm_value unknown(bool is_float)
{
    return (struct asm_value){.scalar = {.kind = PTO_S_REG}, .is_float = is_float};
}

/* ---- names ---- */

/* Register of this name, or the only one that macro uses made of it. */
static int find_register(const struct pto_core_code *code, const char *name)
{
    int found = NOT_THERE;

    for (uint32_t i = 0; code && i < code->code.regs; i++) {
        if (!strcmp(code->code.reg[i].name, name))
            return (int)i;
        if (dbg_is_copy(code->code.reg[i].name, name, strlen(name)))
            found = found == NOT_THERE ? (int)i : SEVERAL;
    }
    return found;
}

static int find_local(const struct pto_core_code *code, const char *name)
{
    for (uint32_t i = 0; code && i < code->locals; i++)
        if (!strcmp(code->local[i].name, name))
            return (int)i;
    return NOT_THERE;
}

static int find_object(const struct pto_kernel *kernel, const char *name)
{
    for (uint32_t i = 0; kernel && i < kernel->objects; i++)
        if (!strcmp(kernel->object[i].name, name))
            return (int)i;
    return NOT_THERE;
}

/* What a name stands for that is no number; NULL: nothing. */
static const char *kind_of(const struct lookup *l, const char *name)
{
    for (uint32_t i = 0; l->code && i < l->code->tiles; i++)
        if (!strcmp(l->code->tile[i].name, name))
            return "a tile";
    return find_object(l->kernel, name) >= 0 ? "a global object"
           : find_local(l->code, name) >= 0  ? "an array"
                                             : NULL;
}

bool expr_is_name(const struct dbg *dbg, const char *name)
{
    struct pto_core_info info;

    dbg_focused(dbg, &info);
    return formula_is_reserved(name) || pto_sys_find(name) >= 0 ||
           find_register(info.code, name) != NOT_THERE || find_local(info.code, name) >= 0;
}

static bool several(const struct lookup *l, const struct asm_expr *expr)
{
    const char *name = expr->token->text;
    uint32_t one = 0;

    while (!dbg_is_copy(l->code->code.reg[one].name, name, strlen(name)))
        one++;
    text_hint(l->formula->text,
              text_error(l->formula->text, expr->token,
                         "several macro uses have a register '%%%s'", name),
              "write the number of one, as in %%%s", l->code->code.reg[one].name);
    return false;
}

static uint64_t register_bits(const struct expr_scope *scope, unsigned reg)
{
    return scope->reg ? scope->reg[reg]
                      : pto_vm_register(scope->dbg->launch.vm, scope->rank, scope->core, reg);
}

static struct asm_value value_of(const struct lookup *l, int reg)
{
    bool is_float = l->code->code.reg[reg].is_float;

    return l->known ? value_of_bits(is_float, register_bits(&l->scope, (unsigned)reg))
                    : unknown(is_float);
}

static bool read_variable(const struct lookup *l, const struct asm_expr *expr, struct asm_value *d)
{
    const char *name = expr->token->text;

    if (variable_value(l->scope.dbg, name, d))
        return true;
    text_hint(l->formula->text,
              text_error(l->formula->text, expr->token, "'%s' has no value", name),
              variable_is_own(name) ? "'info variables' says what %s is"
                                    : "'set %s = 5' gives it one", name);
    return false;
}

static bool read_register(void *context, const struct asm_expr *expr, struct asm_value *d)
{
    const struct lookup *l = context;
    int reg;

    if (*expr->token->text == '$')
        return read_variable(l, expr, d);
    reg = find_register(l->code, expr->token->text);
    if (reg == SEVERAL)
        return several(l, expr);
    if (reg < 0) {
        text_error(l->formula->text, expr->token, "there is no register '%%%s' here",
                   expr->token->text);
        return false;
    }
    *d = value_of(l, reg);
    return true;
}

/* A parameter or a register; what the program has under its bare name comes before registers. */
static bool read_bare(const struct lookup *l, const struct asm_expr *expr, struct asm_value *d)
{
    const char *name = expr->token->text, *kind = kind_of(l, name);
    int reg = find_register(l->code, name);
    struct pto_diag *diag;

    if (!kind && reg == SEVERAL)
        return several(l, expr);
    if (!kind && reg >= 0) {
        *d = value_of(l, reg);
        return true;
    }
    diag = kind ? text_error(l->formula->text, expr->token, "'%s' is %s, not a number", name, kind)
                : text_error(l->formula->text, expr->token, "nothing is called '%s' here", name);
    if (kind && reg >= 0)
        text_hint(l->formula->text, diag, "the register is written %%%s", name);
    else if (find_local(l->code, name) >= 0)
        text_hint(l->formula->text, diag, "write %s[index]", name);
    else if (formula_is_reserved(name) || pto_sys_find(name) >= 0)
        text_hint(l->formula->text, diag, "functions take parentheses: %s()", name);
    return false;
}

static bool read_local(const struct lookup *l, const struct asm_expr *expr, unsigned local,
                       struct asm_value *d)
{
    const struct pto_local *array = &l->code->local[local];
    struct asm_value index;
    uint64_t bits;

    if (expr->index->count != 1) {
        text_error_expr(l->formula->text, expr, "write %s[index]", array->name);
        return false;
    }
    if (!formula_value(l->formula, expr->index->first, &index))
        return false;
    *d = unknown(array->is_float);
    if (!asm_is_constant(&index) && !index.is_float)
        return true;
    if (index.is_float || index.scalar.i < 0 || index.scalar.i >= array->count) {
        text_error_expr(l->formula->text, expr, "'%s' has elements 0 to %u", array->name,
                        array->count - 1);
        return false;
    }
    if (l->known && pto_vm_local(l->scope.dbg->launch.vm, l->scope.rank, l->scope.core, local,
                                 (uint64_t)index.scalar.i, &bits))
        *d = value_of_bits(array->is_float, bits);
    return true;
}

/* ---- functions ---- */

static bool read_sys(const struct lookup *l, const struct asm_expr *expr, unsigned sys,
                     struct asm_value *d)
{
    int64_t value;

    if (!formula_takes(l->formula, expr, 0))
        return false;
    *d = unknown(false);
    if (!l->known)
        return true;
    if (!pto_vm_sys(l->scope.dbg->launch.vm, l->scope.rank, l->scope.core, sys, &value)) {
        text_error_expr(l->formula->text, expr,
                        "%s() has no value: the sub-core has no program now", expr->token->text);
        return false;
    }
    *d = asm_int(value);
    return true;
}

static bool read_clock(const struct lookup *l, const struct asm_expr *expr, struct asm_value *d)
{
    struct pto_core_info info;

    if (!formula_takes(l->formula, expr, 0))
        return false;
    *d = unknown(false);
    if (l->known) {
        pto_vm_core(l->scope.dbg->launch.vm, l->scope.rank, l->scope.core, &info);
        *d = asm_int((int64_t)info.time_ps);
    }
    return true;
}

static bool read_sizeof(const struct lookup *l, const struct asm_expr *expr, struct asm_value *d)
{
    const struct asm_expr *type = expr->paren->first;
    int dtype = expr->paren->count == 1 && formula_is_bare(type)
                    ? pto_dtype_find(type->token->text) : NOT_THERE;

    if (dtype < 0) {
        text_error_expr(l->formula->text, expr, "sizeof() takes an element type");
        return false;
    }
    *d = asm_int(pto_dtype_size((enum pto_dtype)dtype));
    return true;
}

static bool call(const struct lookup *l, const struct asm_expr *expr, struct asm_value *d)
{
    const char *name = expr->token->text;
    int sys = pto_sys_find(name);

    if (sys >= 0)
        return read_sys(l, expr, (unsigned)sys, d);
    if (!strcmp(name, "clock"))
        return read_clock(l, expr, d);
    if (!strcmp(name, "sizeof"))
        return read_sizeof(l, expr, d);
    formula_unknown_function(l->formula, expr, functions, FUNCTIONS);
    return false;
}

static bool read_name(void *context, const struct asm_expr *expr, struct asm_value *d)
{
    const struct lookup *l = context;
    const char *kind = kind_of(l, expr->token->text);
    int local = find_local(l->code, expr->token->text);

    if (formula_is_bare(expr))
        return read_bare(l, expr, d);
    if (local >= 0 && expr->index && !expr->rank && !expr->paren && !expr->brace)
        return read_local(l, expr, (unsigned)local, d);
    if (!kind && expr->paren && !expr->rank && !expr->index && !expr->brace)
        return call(l, expr, d);
    text_error_expr(l->formula->text, expr, "'%s' is %s, not a number", expr->token->text,
                    kind ? kind : "no array");
    return false;
}

/* ---- from outside ---- */

/* What is not known stays so. */
static bool compute(void *context, const struct asm_expr *expr, unsigned op,
                    const struct asm_value *x, const struct asm_value *y, struct asm_value *d)
{
    (void)context, (void)expr, (void)x, (void)y;
    *d = unknown(pto_op_info(op)->operand[0].kind == PTO_K_FLOAT_REG);
    return true;
}

static bool choose(void *context, const struct asm_expr *expr, const struct asm_value *condition,
                   const struct asm_value *x, const struct asm_value *y, struct asm_value *d)
{
    (void)context, (void)expr, (void)condition, (void)y;
    *d = unknown(x->is_float);
    return true;
}

static bool evaluate(struct lookup *l, struct formula_standalone *s, const struct asm_expr *expr,
                     struct pto_diags *diags, struct asm_value *value)
{
    static const struct formula_host host = {.reg = read_register, .ref = read_name,
                                             .compute = compute, .choose = choose};
    struct formula formula = {&s->text, &host, l};

    l->formula = &formula;
    s->text.diags = diags;
    return formula_value(&formula, expr, value);
}

/* Answer with the first of the errors. */
static bool answer(struct dbg *dbg, struct pto_diags *diags, const char *hint)
{
    if (diags->first)
        dbg_error(dbg, diags->first->hint ? diags->first->hint : hint, "%s",
                  diags->first->message);
    pto_diags_free(diags);
    return false;
}

struct formula_standalone *expr_read(struct dbg *dbg, const char *text, const char *hint)
{
    struct pto_diags diags = {0};
    struct formula_standalone *s = formula_read(text, &diags);

    if (!s)
        answer(dbg, &diags, hint);
    return s;
}

bool expr_value(const struct expr_scope *scope, struct formula_standalone *s,
                const struct asm_expr *expr, struct asm_value *value, struct pto_diags *diags)
{
    struct lookup l = {.scope = *scope, .known = true};
    struct pto_core_info info;

    pto_vm_core(scope->dbg->launch.vm, scope->rank, scope->core, &info);
    l.kernel = info.kernel;
    l.code = info.code;
    return evaluate(&l, s, expr, diags, value);
}

bool expr_value_or_answer(const struct expr_scope *scope, struct formula_standalone *s,
                          const struct asm_expr *expr, struct asm_value *value)
{
    struct pto_diags diags = {0};

    return expr_value(scope, s, expr, value, &diags) || answer(scope->dbg, &diags, NULL);
}

bool expr_int_or_answer(const struct expr_scope *scope, struct formula_standalone *s,
                        const struct asm_expr *expr, int64_t *value)
{
    struct asm_value result;

    if (!expr_value_or_answer(scope, s, expr, &result))
        return false;
    *value = result.scalar.i;
    return !result.is_float ||
           dbg_error(scope->dbg, NULL, "an integer is expected, not a number with a fraction");
}

bool expr_operand(const struct expr_scope *scope, const struct pto_scalar *scalar, int64_t *value)
{
    struct pto_core_info info;

    switch (scalar->kind) {
    case PTO_S_INT:
        *value = scalar->i;
        return true;
    case PTO_S_REG:
        pto_vm_core(scope->dbg->launch.vm, scope->rank, scope->core, &info);
        *value = (int64_t)register_bits(scope, scalar->reg);
        return info.module && !info.code->code.reg[scalar->reg].is_float;
    case PTO_S_SYS:
        return pto_vm_sys(scope->dbg->launch.vm, scope->rank, scope->core, scalar->reg, value);
    default:
        return false;
    }
}

/* The array of `name[index]`; NOT_THERE: it is no such thing. */
static int named_local(const struct pto_core_code *code, const struct asm_expr *expr)
{
    if (expr->kind != EX_REF || !expr->index || expr->rank || expr->paren || expr->brace ||
        expr->index->count != 1)
        return NOT_THERE;
    return find_local(code, expr->token->text);
}

bool expr_target(struct dbg *dbg, struct formula_standalone *s, struct expr_target *target)
{
    struct expr_scope scope = {dbg, dbg->rank, dbg->core, NULL};
    struct pto_core_info info;
    struct asm_value now;
    int64_t index;
    int local, reg = NOT_THERE;

    dbg_focused(dbg, &info);
    local = named_local(info.code, s->expr);
    if (s->expr->kind == EX_REG || (s->expr->kind == EX_REF && formula_is_bare(s->expr)))
        reg = find_register(info.code, s->expr->token->text);
    /* Whatever is wrong with a name or an index, reading says it. */
    if (!expr_value_or_answer(&scope, s, s->expr, &now))
        return false;
    *target = (struct expr_target){local >= 0, now.is_float, (unsigned)reg, 0};
    if (local < 0)
        return reg >= 0 || dbg_error(dbg, "for instance %off, seen[2], ta[0](0, 3) or $x",
                                     "only a register, an element or a variable can be set");
    if (!expr_int_or_answer(&scope, s, s->expr->index->first, &index))
        return false;
    target->number = (unsigned)local;
    target->index = (uint64_t)index;
    return true;
}

struct check {
    struct dbg *dbg;
    struct formula_standalone *s;
    bool good;
    struct pto_diags diags; /* of the last program */
};

static void check_program(void *context, const struct dbg_place *start)
{
    struct check *check = context;
    struct lookup l = {.scope = {.dbg = check->dbg}, .kernel = start->kernel, .code = start->code};
    struct asm_value value;

    if (check->good)
        return;
    pto_diags_free(&check->diags);
    check->diags = (struct pto_diags){0};
    check->good = evaluate(&l, check->s, check->s->expr, &check->diags, &value);
}

bool expr_check(struct dbg *dbg, struct formula_standalone *s, const char *hint)
{
    struct check check = {.dbg = dbg, .s = s};

    place_each_program(dbg, check_program, &check);
    if (!check.good)
        return answer(dbg, &check.diags, hint);
    pto_diags_free(&check.diags);
    return true;
}
