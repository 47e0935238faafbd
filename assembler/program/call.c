/* Functions in expressions: arithmetic by name, conversions, and what the machine knows. */
#include "call.h"

#include <string.h>

#include "assembly.h"
#include "code.h"
#include "expr.h"
#include "symbols.h"
#include "type.h"
#include "value.h"

/* `count` arguments, or an error. */
static bool eval_arguments(struct assembly *a, const struct asm_expr *expr, unsigned count,
                           struct asm_value *value)
{
    bool good = true;

    if (expr->paren->count != count) {
        asm_error_expr(a, expr, "%s() takes %u argument%s, not %u", expr->token->text, count,
                       count == 1 ? "" : "s", expr->paren->count);
        return false;
    }
    for (const struct asm_expr *x = expr->paren->first; x; x = x->next)
        good &= asm_eval(a, x, value++);
    return good;
}

static bool call_abs(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    struct asm_value x, negative;

    if (!eval_arguments(a, expr, 1, &x))
        return false;
    asm_hold(a, x.scalar, true);
    if (!asm_apply(a, expr, x.is_float ? PTO_OP_FMUL : PTO_OP_ISUB, x.is_float ? x : asm_int(0),
                   x.is_float ? asm_float(-1) : x, x.is_float, &negative))
        return false;
    asm_hold(a, x.scalar, false);
    return asm_apply(a, expr, x.is_float ? PTO_OP_FMAX : PTO_OP_IMAX, x, negative, x.is_float, d);
}

static bool call_sqrt(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    return eval_arguments(a, expr, 1, d) && asm_to_float(a, expr, d) &&
           asm_apply(a, expr, PTO_OP_FSQRT, *d, *d, true, d);
}

static bool call_int(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    return eval_arguments(a, expr, 1, d) &&
           (!d->is_float || asm_apply(a, expr, PTO_OP_FTOI, *d, *d, false, d));
}

static bool call_float(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    return eval_arguments(a, expr, 1, d) && asm_to_float(a, expr, d);
}

/* A temporary computed by an instruction whose operand is not a scalar. */
static void emit_special(struct assembly *a, const struct asm_expr *expr, unsigned op,
                         const struct pto_operand *source, struct asm_value *d)
{
    struct pto_operand operand[2] = {{.kind = PTO_O_SCALAR}};

    d->scalar = asm_temporary(a, expr->token, false);
    d->is_float = false;
    operand[0].scalar = d->scalar;
    if (source)
        operand[1] = *source;
    asm_emit(a, expr->token, op, source ? 2 : 1, operand);
}

static bool call_present(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    const struct asm_expr *x = expr->paren->first;
    const struct asm_symbol *symbol = NULL;
    struct pto_operand operand = {.kind = PTO_O_GM};

    if (!asm_needs_launch(a, expr))
        return false;
    if (expr->paren->count == 1 && x->kind == EX_REF)
        symbol = asm_symbol_find(a, NS_PLAIN, x->token);
    if (!symbol || symbol->kind != SYM_OBJECT) {
        asm_error_expr(a, expr, "present() takes the name of an input");
        return false;
    }
    operand.gm.object = (uint16_t)symbol->index;
    emit_special(a, expr, PTO_OP_PRESENT, &operand, d);
    return true;
}

static bool call_clock(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    if (!asm_needs_launch(a, expr) || !eval_arguments(a, expr, 0, d))
        return false;
    if (a->section != SECTION_CORE) {
        asm_error_expr(a, expr, "clock() needs a running core, set-up code has none");
        return false;
    }
    emit_special(a, expr, PTO_OP_CLOCK, NULL, d);
    return true;
}

/* Bytes of an element. */
static bool call_sizeof(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    int dtype = expr->paren->count == 1 ? asm_type_of(a, expr->paren->first) : PTO_NONE;

    if (dtype < 0) {
        asm_error_expr(a, expr, "sizeof() takes an element type");
        return false;
    }
    *d = asm_int(pto_dtype_size((enum pto_dtype)dtype));
    return true;
}

static const struct {
    const char *name;
    bool (*call)(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);
} functions[] = {
    {"abs", call_abs},         {"sqrt", call_sqrt},   {"int", call_int}, {"float", call_float},
    {"present", call_present}, {"clock", call_clock}, {"sizeof", call_sizeof},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const struct asm_arithmetic *binary_function(const char *name)
{
    for (unsigned i = 0; i < ASM_BINARIES; i++)
        if (!asm_binaries[i].token && !strcmp(asm_binaries[i].name, name))
            return &asm_binaries[i];
    return NULL;
}

bool asm_is_function(const char *name)
{
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (!strcmp(name, functions[i].name))
            return true;
    return binary_function(name) || pto_sys_find(name) >= 0 || !strcmp(name, "inf") ||
           !strcmp(name, "nan");
}

static bool eval_sys(struct assembly *a, const struct asm_expr *expr, enum pto_sys sys,
                     struct asm_value *d)
{
    if (!asm_needs_launch(a, expr) || !eval_arguments(a, expr, 0, d))
        return false;
    if (a->section != SECTION_CORE &&
        (sys == PTO_SYS_BLOCK_ID || sys == PTO_SYS_SUB_ID || sys == PTO_SYS_VEC_ID)) {
        asm_error_expr(a, expr, "%s() differs from core to core, but this is computed once per "
                       "rank", expr->token->text);
        return false;
    }
    *d = (struct asm_value){.scalar = {.kind = PTO_S_SYS, .reg = (uint16_t)sys}};
    return true;
}

static void unknown_function(struct assembly *a, const struct asm_expr *expr)
{
    const char *candidate[FUNCTIONS + ASM_BINARIES + PTO_SYS_COUNT];
    const char *name = expr->token->text;
    unsigned count = 0;
    struct pto_diag *diag = asm_error(a, expr->token, "there is no function '%s'", name);

    for (unsigned i = 0; i < FUNCTIONS; i++)
        candidate[count++] = functions[i].name;
    for (unsigned i = 0; i < ASM_BINARIES; i++)
        if (!asm_binaries[i].token)
            candidate[count++] = asm_binaries[i].name;
    for (unsigned i = 0; i < PTO_SYS_COUNT; i++)
        candidate[count++] = pto_sys_name(i);
    asm_hint_nearest(a, diag, name, candidate, count);
}

bool asm_call(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    const char *name = expr->token->text;
    const struct asm_arithmetic *row = binary_function(name);
    struct asm_value value[2];
    int sys = pto_sys_find(name);

    if (row)
        return eval_arguments(a, expr, 2, value) &&
               asm_arithmetic(a, expr, row, value[0], value[1], d);
    if (sys >= 0)
        return eval_sys(a, expr, (enum pto_sys)sys, d);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (!strcmp(name, functions[i].name))
            return functions[i].call(a, expr, d);
    unknown_function(a, expr);
    return false;
}
