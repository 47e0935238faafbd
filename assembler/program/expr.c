/* Infix expressions: constants are folded, the rest becomes scalar instructions. */
#include "expr.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "assembly.h"
#include "bits.h"
#include "call.h"
#include "code.h"
#include "parse.h"
#include "registers.h"
#include "symbols.h"
#include "type.h"
#include "value.h"

const struct asm_arithmetic asm_binaries[ASM_BINARIES] = {
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
    {0, "min", PTO_OP_IMIN, PTO_OP_FMIN, false, false},
    {0, "max", PTO_OP_IMAX, PTO_OP_FMAX, false, false},
    {0, "cdiv", PTO_OP_CDIV, -1, false, false},
    {0, "mod", PTO_OP_IMOD, -1, false, false},
};

bool asm_is_bare(const struct asm_expr *x)
{
    return x->kind == EX_REF && !x->rank && !x->index && !x->paren && !x->brace;
}

static uint64_t bits_of(const struct asm_value *constant)
{
    return constant->is_float ? pto_f64_bits(constant->scalar.f) : (uint64_t)constant->scalar.i;
}

/* Where the machine would fault, the text is wrong. */
static bool fold(struct assembly *a, const struct asm_expr *expr, unsigned op,
                 const struct asm_value *x, const struct asm_value *y, bool result_float,
                 struct asm_value *d)
{
    uint64_t left = bits_of(x), right = bits_of(y), bits;
    enum pto_arith_fault fault = pto_arith(op, left, right, &bits);
    struct pto_buf text = {0};

    if (fault == PTO_ARITH_FINE) {
        *d = result_float ? asm_float(pto_f64_from_bits(bits)) : asm_int((int64_t)bits);
        return true;
    }
    pto_arith_fault_text(fault, left, right, &text);
    asm_error_expr(a, expr, "%s", pto_buf_text(&text));
    pto_buf_free(&text);
    return false;
}

bool asm_apply(struct assembly *a, const struct asm_expr *expr, unsigned op, struct asm_value x,
               struct asm_value y, bool result_float, struct asm_value *d)
{
    unsigned count = pto_op_info(op)->operands;
    struct pto_scalar scalar[3] = {{0}, x.scalar, y.scalar};

    if (asm_is_constant(&x) && (count < 3 || asm_is_constant(&y)))
        return fold(a, expr, op, &x, &y, result_float, d);
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

static bool takes_integers(struct assembly *a, const struct asm_expr *expr, const char *name)
{
    asm_hint(a, asm_error_expr(a, expr, "%s takes integers", name),
             "int() makes an integer of a float, toward zero");
    return false;
}

bool asm_arithmetic(struct assembly *a, const struct asm_expr *expr,
                    const struct asm_arithmetic *row, struct asm_value x, struct asm_value y,
                    struct asm_value *d)
{
    bool floats = x.is_float || y.is_float;

    if (floats && row->float_op < 0) {
        return takes_integers(a, expr, row->token ? row->name :
                              pto_arena_printf(&a->arena, "%s()", row->name));
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

const struct asm_arithmetic *asm_arithmetic_of(int token)
{
    for (unsigned i = 0; i < ASM_BINARIES; i++)
        if (asm_binaries[i].token == token)
            return &asm_binaries[i];
    return NULL;
}

/* ---- truth values ---- */

static bool gives_truth(const struct asm_expr *expr)
{
    int op = expr->token->kind;
    const struct asm_arithmetic *row = expr->kind == EX_BINARY ? asm_arithmetic_of(op) : NULL;

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
    if (asm_compares_types(a, expr))
        return asm_compare_types(a, expr, d);
    left = asm_eval(a, expr->left, &x);
    return asm_eval(a, expr->right, &y) && left &&
           asm_arithmetic(a, expr, asm_arithmetic_of(expr->token->kind), x, y, d);
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
    return x.is_float ? takes_integers(a, expr, "'~'")
                      : asm_apply(a, expr, PTO_OP_XOR, x, asm_int(-1), false, d);
}

/* ---- names and literals ---- */

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
    struct pto_diag *diag = asm_error(a, expr->token, "nothing is called '%s' here", name);
    const char *reg = asm_symbol_nearest(a, NS_REG, 1 << SYM_REG, name);

    if (asm_is_function(name))
        asm_hint(a, diag, "functions take parentheses: %s()", name);
    else if (reg && !strcmp(reg, name))
        asm_hint(a, diag, "registers are written with '%%': %%%s", reg);
    else
        asm_symbol_hint(a, diag, NS_PLAIN, 1 << SYM_CONSTANT | 1 << SYM_PARAM, name);
}

static bool eval_symbol(struct assembly *a, const struct asm_expr *expr,
                        const struct asm_symbol *symbol, struct asm_value *d)
{
    bool scalar = symbol->kind == SYM_CONSTANT || symbol->kind == SYM_PARAM;
    bool bare = asm_is_bare(expr);
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

static bool eval_ref(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_PLAIN, expr->token);

    if (symbol)
        return eval_symbol(a, expr, symbol, d);
    if (expr->paren)
        return asm_call(a, expr, d);
    if (!strcmp(expr->token->text, "inf") || !strcmp(expr->token->text, "nan")) {
        *d = asm_float(*expr->token->text == 'i' ? HUGE_VAL : (double)NAN);
        return true;
    }
    if (asm_type_of(a, expr) >= 0)
        asm_error(a, expr->token, "'%s' is an element type, not a number", expr->token->text);
    else
        unknown_name(a, expr);
    return false;
}

bool asm_eval(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    switch (expr->kind) {
    case EX_INT:
        *d = asm_int((int64_t)expr->token->i);
        if (expr->token->text)
            asm_error(a, expr->token, "this integer does not fit into 64 bits");
        return !expr->token->text;
    case EX_FLOAT:
        *d = asm_float(expr->token->f);
        return true;
    case EX_STRING:
        asm_error(a, expr->token, "a string is not a number");
        return false;
    case EX_REG:
        return asm_needs_launch(a, expr) && asm_register_read(a, expr->token, d);
    case EX_REF:
        return eval_ref(a, expr, d);
    case EX_UNARY:
        return eval_unary(a, expr, d);
    default:
        return eval_binary(a, expr, d);
    }
}

bool asm_eval_int(struct assembly *a, const struct asm_expr *expr, struct asm_value *d)
{
    if (!asm_eval(a, expr, d))
        return false;
    if (!d->is_float)
        return true;
    asm_hint(a, asm_error_expr(a, expr, "an integer is needed here, this is a float"),
             "int() makes an integer of a float, toward zero");
    return false;
}

bool asm_constant(struct assembly *a, const struct asm_expr *expr, const char *what,
                  struct asm_value *value)
{
    bool good;

    a->constant_for = what;
    good = asm_eval(a, expr, value);
    a->constant_for = NULL;
    return good;
}

bool asm_constant_int(struct assembly *a, const struct asm_expr *expr, const char *what,
                      int64_t low, int64_t high, int64_t *value)
{
    struct asm_value constant;
    bool good;

    a->constant_for = what;
    good = asm_eval_int(a, expr, &constant);
    a->constant_for = NULL;
    if (!good)
        return false;
    *value = constant.scalar.i;
    if (*value >= low && *value <= high)
        return true;
    asm_error_expr(a, expr, "%s is %" PRId64 ", but must be %" PRId64 " to %" PRId64, what, *value,
                   low, high);
    return false;
}
