/* Infix expressions: constants are folded, the rest becomes scalar instructions. */
#include "asm.h"

#include <math.h>
#include <string.h>

#include "parse.h"

/* An operator or function of two numbers, by the operand type. */
struct arithmetic {
    int token;
    const char *name;
    int int_op, float_op; /* enum pto_op; -1: there is none */
    bool swap;            /* operands exchanged: a > b is b < a */
    bool compares;        /* the result is an integer, 0 or 1 */
};

static const struct arithmetic binaries[] = {
    {'+', "'+'", PTO_OP_IADD, PTO_OP_FADD, false, false},
    {'-', "'-'", PTO_OP_ISUB, PTO_OP_FSUB, false, false},
    {'*', "'*'", PTO_OP_IMUL, PTO_OP_FMUL, false, false},
    {'/', "'/'", PTO_OP_IDIV, PTO_OP_FDIV, false, false},
    {'&', "'&'", PTO_OP_AND, -1, false, false},
    {'|', "'|'", PTO_OP_OR, -1, false, false},
    {'^', "'^'", PTO_OP_XOR, -1, false, false},
    {TK_SHL, "'<<'", PTO_OP_SHL, -1, false, false},
    {TK_SHR, "'>>'", PTO_OP_SHR, -1, false, false},
    {'<', "'<'", PTO_OP_ILT, PTO_OP_FLT, false, true},
    {'>', "'>'", PTO_OP_ILT, PTO_OP_FLT, true, true},
    {TK_LE, "'<='", PTO_OP_ILE, PTO_OP_FLE, false, true},
    {TK_GE, "'>='", PTO_OP_ILE, PTO_OP_FLE, true, true},
    {TK_EQ, "'=='", PTO_OP_IEQ, PTO_OP_FEQ, false, true},
    {TK_NE, "'!='", PTO_OP_INE, PTO_OP_FNE, false, true},
    {0, "min()", PTO_OP_IMIN, PTO_OP_FMIN, false, false},
    {0, "max()", PTO_OP_IMAX, PTO_OP_FMAX, false, false},
    {0, "cdiv()", PTO_OP_CDIV, -1, false, false},
    {0, "mod()", PTO_OP_IMOD, -1, false, false},
};

enum { BINARIES = sizeof binaries / sizeof *binaries };

struct asm_value asm_int(int64_t i)
{
    return (struct asm_value){.scalar = {.kind = PTO_S_INT, .i = i}};
}

struct asm_value asm_float(double f)
{
    return (struct asm_value){.scalar = {.kind = PTO_S_FLOAT, .f = f}, .is_float = true};
}

bool asm_is_constant(const struct asm_value *value)
{
    return value->scalar.kind == PTO_S_INT || value->scalar.kind == PTO_S_FLOAT;
}

bool asm_apply(struct assembly *a, const struct asm_expr *expr, unsigned op, struct asm_value x,
               struct asm_value y, bool result_float, struct asm_value *d)
{
    unsigned count = pto_op_info(op)->operands;
    struct pto_scalar scalar[3] = {{0}, x.scalar, y.scalar};
    const char *why = NULL;

    if (asm_is_constant(&x) && (count < 3 || asm_is_constant(&y))) {
        if (asm_fold(op, &x, &y, d, &why))
            return true;
        asm_error_expr(a, expr, "%s", why);
        return false;
    }
    asm_release(a, x.scalar);
    asm_release(a, y.scalar);
    scalar[0] = asm_temporary(a, expr->token, result_float);
    asm_emit_scalar(a, expr->token, op, scalar, count);
    *d = (struct asm_value){scalar[0], result_float};
    return true;
}

bool asm_to_float(struct assembly *a, const struct asm_expr *expr, struct asm_value *value)
{
    return value->is_float || asm_apply(a, expr, PTO_OP_ITOF, *value, *value, true, value);
}

static bool apply_arithmetic(struct assembly *a, const struct asm_expr *expr,
                             const struct arithmetic *row, struct asm_value x, struct asm_value y,
                             struct asm_value *d)
{
    bool floats = x.is_float || y.is_float;

    if (floats && row->float_op < 0) {
        asm_hint(a, asm_error_expr(a, expr, "%s takes integers", row->name),
                 "int() makes an integer of a float, toward zero");
        return false;
    }
    if (floats && (!asm_to_float(a, expr, &x) || !asm_to_float(a, expr, &y)))
        return false;
    if (row->swap) {
        struct asm_value t = x;

        x = y;
        y = t;
    }
    return asm_apply(a, expr, (unsigned)(floats ? row->float_op : row->int_op), x, y,
                     floats && !row->compares, d);
}

static const struct arithmetic *arithmetic_of(int token)
{
    for (unsigned i = 0; i < BINARIES; i++)
        if (binaries[i].token == token)
            return &binaries[i];
    return NULL;
}

/* ---- truth values ---- */

static bool gives_truth(const struct asm_expr *expr)
{
    int op = expr->token->kind;
    const struct arithmetic *row = expr->kind == EX_BINARY ? arithmetic_of(op) : NULL;

    return (row && row->compares) || (expr->kind == EX_BINARY && (op == TK_LAND || op == TK_LOR)) ||
           (expr->kind == EX_UNARY && op == '!');
}

static bool compare_zero(struct assembly *a, const struct asm_expr *expr, bool equal,
                         struct asm_value *value)
{
    struct asm_value zero = value->is_float ? asm_float(0) : asm_int(0);
    unsigned op = value->is_float ? (equal ? PTO_OP_FEQ : PTO_OP_FNE)
                                  : (equal ? PTO_OP_IEQ : PTO_OP_INE);

    return asm_apply(a, expr, op, *value, zero, false, value);
}

static bool eval_truth(struct assembly *a, const struct asm_expr *expr, struct asm_value *value)
{
    return asm_eval(a, expr, value) &&
           (gives_truth(expr) || compare_zero(a, expr, false, value));
}

static bool eval_logic(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    struct asm_value x, y;
    bool left = eval_truth(a, expr->left, &x);

    return eval_truth(a, expr->right, &y) && left &&
           asm_apply(a, expr, expr->token->kind == TK_LAND ? PTO_OP_AND : PTO_OP_OR, x, y, false,
                     d);
}

static bool eval_binary(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    struct asm_value x, y;
    bool left;

    if (expr->token->kind == TK_LAND || expr->token->kind == TK_LOR)
        return eval_logic(a, expr, d);
    left = asm_eval(a, expr->left, &x);
    return asm_eval(a, expr->right, &y) && left &&
           apply_arithmetic(a, expr, arithmetic_of(expr->token->kind), x, y, d);
}

static bool eval_unary(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    struct asm_value x;
    int op = expr->token->kind;

    if (op == '-' && expr->left->kind == EX_INT && expr->left->token->text) {
        *d = asm_int(INT64_MIN);
        return true;
    }
    if (!asm_eval(a, expr->left, &x))
        return false;
    if (op == '!') {
        *d = x;
        return compare_zero(a, expr, true, d);
    }
    if (op == '-' && x.is_float) /* not 0 - x, which would lose the sign of zero */
        return asm_apply(a, expr, PTO_OP_FMUL, x, asm_float(-1), true, d);
    if (op == '-')
        return asm_apply(a, expr, PTO_OP_ISUB, asm_int(0), x, false, d);
    return apply_arithmetic(a, expr, arithmetic_of('^'), x, asm_int(-1), d);
}

/* ---- functions ---- */

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

static bool needs_launch(struct assembly *a, const struct asm_expr *expr)
{
    if (!a->constant_for)
        return true;
    asm_error_expr(a, expr, "%s must be constant, and this is known only when the kernel runs",
                   a->constant_for);
    return false;
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

    if (!needs_launch(a, expr))
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
    if (!needs_launch(a, expr) || !eval_arguments(a, expr, 0, d))
        return false;
    if (a->section != SECTION_CORE) {
        asm_error_expr(a, expr, "clock() needs a running core, set-up code has none");
        return false;
    }
    emit_special(a, expr, PTO_OP_CLOCK, NULL, d);
    return true;
}

static const struct {
    const char *name;
    bool (*call)(struct assembly *a, const struct asm_expr *expr, struct asm_value *d);
} functions[] = {
    {"abs", call_abs},         {"sqrt", call_sqrt},   {"int", call_int}, {"float", call_float},
    {"present", call_present}, {"clock", call_clock},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const struct arithmetic *binary_function(const char *name)
{
    for (unsigned i = 0; i < BINARIES; i++)
        if (!binaries[i].token && !strncmp(binaries[i].name, name, strlen(name)) &&
            binaries[i].name[strlen(name)] == '(')
            return &binaries[i];
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
    if (!needs_launch(a, expr) || !eval_arguments(a, expr, 0, d))
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
    const char *candidate[FUNCTIONS + BINARIES + PTO_SYS_COUNT];
    const char *name = expr->token->text;
    unsigned count = 0;
    struct pto_diag *diag = asm_error(a, expr->token, "there is no function '%s'", name);

    for (unsigned i = 0; i < FUNCTIONS; i++)
        candidate[count++] = functions[i].name;
    for (unsigned i = 0; i < BINARIES; i++)
        if (!binaries[i].token)
            candidate[count++] = pto_arena_strndup(&a->arena, binaries[i].name,
                                                   strlen(binaries[i].name) - 2);
    for (unsigned i = 0; i < PTO_SYS_COUNT; i++)
        candidate[count++] = pto_sys_name(i);
    asm_hint_nearest(a, diag, name, candidate, count);
}

static bool eval_call(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    const char *name = expr->token->text;
    const struct arithmetic *row = binary_function(name);
    struct asm_value value[2];
    int sys = pto_sys_find(name);

    if (row)
        return eval_arguments(a, expr, 2, value) &&
               apply_arithmetic(a, expr, row, value[0], value[1], d);
    if (sys >= 0)
        return eval_sys(a, expr, sys, d);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (!strcmp(name, functions[i].name))
            return functions[i].call(a, expr, d);
    unknown_function(a, expr);
    return false;
}
