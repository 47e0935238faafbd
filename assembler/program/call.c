/* Functions in expressions, other than those of numbers: what the machine and the text know. */
#include "call.h"

#include <string.h>

#include "assembly.h"
#include "code.h"
#include "expr.h"
#include "formula/value.h"
#include "symbols.h"
#include "type.h"

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
    if (!asm_needs_launch(a, expr) || !formula_takes(&a->formula, expr, 0))
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
    {"present", call_present}, {"clock", call_clock}, {"sizeof", call_sizeof},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

bool asm_is_function(const char *name)
{
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (!strcmp(name, functions[i].name))
            return true;
    return formula_is_reserved(name) || pto_sys_find(name) >= 0;
}

static bool eval_sys(struct assembly *a, const struct asm_expr *expr, enum pto_sys sys,
                     struct asm_value *d)
{
    if (!asm_needs_launch(a, expr) || !formula_takes(&a->formula, expr, 0))
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

bool asm_call(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    const char *name = expr->token->text;
    const char *candidate[FUNCTIONS];
    int sys = pto_sys_find(name);

    if (sys >= 0)
        return eval_sys(a, expr, (enum pto_sys)sys, d);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (!strcmp(name, functions[i].name))
            return functions[i].call(a, expr, d);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        candidate[i] = functions[i].name;
    formula_unknown_function(&a->formula, expr, candidate, FUNCTIONS);
    return false;
}
