#include "eval.h"

#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "bits.h"
#include "ops.h"
#include "text/report.h"

enum { MOST_ARGUMENTS = 6 }; /* of a function */

bool formula_is_bare(const struct asm_expr *x)
{
    return x->kind == EX_REF && !x->rank && !x->index && !x->paren && !x->brace;
}

/* ---- arithmetic ---- */

static uint64_t bits_of(const struct asm_value *constant)
{
    return constant->is_float ? pto_f64_bits(constant->scalar.f) : (uint64_t)constant->scalar.i;
}

/* Where the machine would fault, there is no value. */
static bool fold(const struct formula *f, const struct asm_expr *expr, unsigned op,
                 const struct asm_value *x, const struct asm_value *y, struct asm_value *d)
{
    uint64_t left = bits_of(x), right = bits_of(y), bits;
    enum pto_arith_fault fault = pto_arith(op, left, right, &bits);
    struct pto_buf why = {0};

    if (fault == PTO_ARITH_FINE) {
        *d = pto_op_info(op)->operand[0].kind == PTO_K_FLOAT_REG
                 ? asm_float(pto_f64_from_bits(bits)) : asm_int((int64_t)bits);
        return true;
    }
    pto_arith_fault_text(fault, left, right, &why);
    text_error_expr(f->text, expr, "%s", pto_buf_text(&why));
    pto_buf_free(&why);
    return false;
}

/* d = op(x, y), of the types that the instruction takes (one operand: y is not looked at). */
static bool apply(const struct formula *f, const struct asm_expr *expr, unsigned op,
                  struct asm_value x, struct asm_value y, struct asm_value *d)
{
    if (pto_op_info(op)->operands < 3)
        y = x;
    if (asm_is_constant(&x) && asm_is_constant(&y))
        return fold(f, expr, op, &x, &y, d);
    return f->host->compute(f->context, expr, op, &x, &y, d);
}

bool formula_to_float(const struct formula *f, const struct asm_expr *expr,
                      struct asm_value *value)
{
    return value->is_float || apply(f, expr, PTO_OP_ITOF, *value, *value, value);
}

static bool takes_integers(const struct formula *f, const struct asm_expr *expr,
                           const struct pto_operator *row)
{
    struct pto_diag *diag =
        row->fixity == PTO_FUNCTION
            ? text_error_expr(f->text, expr, "%s() takes integers", row->text)
            : text_error_expr(f->text, expr, "'%s' takes integers", row->text);

    text_hint(f->text, diag, "int() makes an integer of a float, toward zero");
    return false;
}

bool formula_binary(const struct formula *f, const struct asm_expr *expr,
                    const struct pto_operator *row, struct asm_value x, struct asm_value y,
                    struct asm_value *d)
{
    bool floats = x.is_float || y.is_float;
    unsigned op = (unsigned)(floats ? row->of_floats : row->of_integers);

    if (floats && row->of_floats < 0)
        return takes_integers(f, expr, row);
    if (floats && (!formula_to_float(f, expr, &x) || !formula_to_float(f, expr, &y)))
        return false;
    return row->mirrored ? apply(f, expr, op, y, x, d)
                         : apply(f, expr, op, x, y, d);
}

/* ---- operators ---- */

bool formula_compare_zero(const struct formula *f, const struct asm_expr *expr, bool equal,
                          struct asm_value *value)
{
    const struct pto_operator *row = pto_operator(equal ? PTO_OPERATOR_EQ : PTO_OPERATOR_NE);

    return apply(f, expr, (unsigned)(value->is_float ? row->of_floats : row->of_integers),
                         *value, value->is_float ? asm_float(0) : asm_int(0), value);
}

/* Is the value 0 or 1 by its operator? */
static bool gives_truth(const struct asm_expr *expr)
{
    if (expr->kind == EX_UNARY)
        return expr->op == PTO_OPERATOR_NOT;
    return expr->kind == EX_BINARY && pto_operator(expr->op)->level <= PTO_LEVEL_COMPARISON;
}

static bool truth(const struct formula *f, const struct asm_expr *expr, struct asm_value *d)
{
    return formula_value(f, expr, d) &&
           (gives_truth(expr) || formula_compare_zero(f, expr, false, d));
}

static bool logic(const struct formula *f, const struct asm_expr *expr, struct asm_value *d)
{
    struct asm_value x, y;
    bool left = truth(f, expr->left, &x);

    return truth(f, expr->right, &y) && left &&
           apply(f, expr, expr->op == PTO_OPERATOR_LAND ? PTO_OP_AND : PTO_OP_OR, x, y, d);
}

static bool binary(const struct formula *f, const struct asm_expr *expr, struct asm_value *d)
{
    struct asm_value x, y;
    bool left;

    if (expr->op == PTO_OPERATOR_LAND || expr->op == PTO_OPERATOR_LOR)
        return logic(f, expr, d);
    if (f->host->owns && f->host->owns(f->context, expr))
        return f->host->own(f->context, expr, d);
    left = formula_value(f, expr->left, &x);
    return formula_value(f, expr->right, &y) && left &&
           formula_binary(f, expr, pto_operator(expr->op), x, y, d);
}

/* Not 0 - x of a float, which would lose the sign of zero. */
static bool negate(const struct formula *f, const struct asm_expr *expr, struct asm_value x,
                   struct asm_value *d)
{
    return x.is_float ? apply(f, expr, PTO_OP_FMUL, x, asm_float(-1), d)
                      : apply(f, expr, PTO_OP_ISUB, asm_int(0), x, d);
}

/* A literal 2^63: the least integer once it is negated. */
static bool is_2_to_63(const struct asm_expr *expr)
{
    return expr->kind == EX_INT && expr->token->text;
}

static bool unary(const struct formula *f, const struct asm_expr *expr, struct asm_value *d)
{
    struct asm_value x;

    if (expr->op == PTO_OPERATOR_NEGATE && is_2_to_63(expr->left)) {
        *d = asm_int(INT64_MIN);
        return true;
    }
    if (!formula_value(f, expr->left, &x))
        return false;
    switch (expr->op) {
    case PTO_OPERATOR_NOT:
        *d = x;
        return formula_compare_zero(f, expr, true, d);
    case PTO_OPERATOR_NEGATE:
        return negate(f, expr, x, d);
    default: /* PTO_OPERATOR_COMPLEMENT */
        return x.is_float ? takes_integers(f, expr, pto_operator(expr->op))
                          : apply(f, expr, PTO_OP_XOR, x, asm_int(-1), d);
    }
}

/* ---- choices ---- */

static bool mixed_arms(const struct formula *f, const struct asm_expr *expr,
                       const struct asm_value *x)
{
    text_hint(f->text,
              text_error_expr(f->text, expr, "%s is chosen before the ':', %s behind it",
                              x->is_float ? "a float" : "an integer",
                              x->is_float ? "an integer" : "a float"),
              "float() makes a float of an integer, int() an integer of a float");
    return false;
}

/* Both arms are computed where only the run knows which one counts. */
static bool choose_later(const struct formula *f, const struct asm_expr *expr,
                         struct asm_value *condition, struct asm_value *d)
{
    struct asm_value x, y;
    bool left;

    if (condition->is_float && !formula_compare_zero(f, expr->condition, false, condition))
        return false;
    left = formula_value(f, expr->left, &x);
    if (!formula_value(f, expr->right, &y) || !left)
        return false;
    return x.is_float == y.is_float ? f->host->choose(f->context, expr, condition, &x, &y, d)
                                    : mixed_arms(f, expr, &x);
}

/* A known condition decides: the other arm is not looked at. */
static bool choice(const struct formula *f, const struct asm_expr *expr, struct asm_value *d)
{
    struct asm_value condition;

    if (!formula_value(f, expr->condition, &condition))
        return false;
    if (!asm_is_constant(&condition))
        return choose_later(f, expr, &condition, d);
    return formula_value(f, asm_is_true(&condition) ? expr->left : expr->right, d);
}

/* ---- functions of numbers ---- */

bool formula_takes(const struct formula *f, const struct asm_expr *expr, unsigned count)
{
    if (expr->paren->count == count)
        return true;
    text_error_expr(f->text, expr, "%s() takes %u argument%s, not %u", expr->token->text, count,
                    count == 1 ? "" : "s", expr->paren->count);
    return false;
}

static bool absolute(const struct formula *f, const struct asm_expr *expr, struct asm_value x,
                     struct asm_value *d)
{
    struct asm_value negative;
    bool good;

    if (f->host->hold)
        f->host->hold(f->context, &x, true);
    good = negate(f, expr, x, &negative);
    if (f->host->hold)
        f->host->hold(f->context, &x, false);
    return good && formula_binary(f, expr, pto_operator(PTO_OPERATOR_MAX), x, negative, d);
}

/* d = OP(d) */
static bool of_one_number(const struct formula *f, const struct asm_expr *expr,
                          const struct pto_operator *row, struct asm_value *d)
{
    if (row->of_integers < 0)
        return formula_to_float(f, expr, d) && apply(f, expr, (unsigned)row->of_floats, *d, *d, d);
    return d->is_float ? takes_integers(f, expr, row)
                       : apply(f, expr, (unsigned)row->of_integers, *d, *d, d);
}

/* fmatrix(height, width, left, right, top, bottom): what TIMG2COL takes for a feature map and its
 * padding, a number of 64 bits (isa/img2col.h). */
static bool feature_map(const struct formula *f, const struct asm_expr *expr,
                        const struct asm_value *x, struct asm_value *d)
{
    static const struct {
        uint8_t argument, bits;
    } field[] = {{4, 8}, {3, 8}, {2, 8}, {0, 16}, {1, 16}}; /* below argument 5, the topmost */
    const struct asm_expr *argument = expr->paren->first;
    bool good = true;

    for (unsigned i = 0; argument; argument = argument->next, i++) {
        int64_t most = i < 2 ? UINT16_MAX : UINT8_MAX;

        if (asm_is_constant(&x[i]) && !x[i].is_float &&
            (x[i].scalar.i < 0 || x[i].scalar.i > most)) {
            text_error_expr(f->text, argument, "%s() takes 0 to %lld here, not %lld",
                            expr->token->text, (long long)most, (long long)x[i].scalar.i);
            return false;
        }
    }
    *d = x[MOST_ARGUMENTS - 1];
    for (unsigned i = 0; good && i < sizeof field / sizeof *field; i++)
        good = formula_binary(f, expr, pto_operator(PTO_OPERATOR_SHL), *d, asm_int(field[i].bits),
                              d) &&
               formula_binary(f, expr, pto_operator(PTO_OPERATOR_OR), *d, x[field[i].argument], d);
    return good;
}

static bool function(const struct formula *f, const struct asm_expr *expr,
                     enum pto_operator_id id, struct asm_value *d)
{
    struct asm_value x[MOST_ARGUMENTS] = {{{0}, false}}, *next = x;
    bool good = formula_takes(f, expr, pto_operator(id)->operands);

    if (!good)
        return false;
    for (const struct asm_expr *argument = expr->paren->first; argument; argument = argument->next)
        good &= formula_value(f, argument, next++);
    if (!good)
        return false;
    *d = x[0];
    switch (id) {
    case PTO_OPERATOR_ABS:
        return absolute(f, expr, x[0], d);
    case PTO_OPERATOR_FLOAT:
        return formula_to_float(f, expr, d);
    case PTO_OPERATOR_FMATRIX:
        return feature_map(f, expr, x, d);
    case PTO_OPERATOR_INT:
        return !d->is_float || apply(f, expr, PTO_OP_FTOI, *d, *d, d);
    default:
        return pto_operator(id)->operands == 1
                   ? of_one_number(f, expr, pto_operator(id), d)
                   : formula_binary(f, expr, pto_operator(id), x[0], x[1], d);
    }
}

bool formula_is_reserved(const char *name)
{
    return pto_operator_find(PTO_FUNCTION, name) >= 0 || !strcmp(name, "inf") ||
           !strcmp(name, "nan");
}

void formula_unknown_function(const struct formula *f, const struct asm_expr *expr,
                              const char *const *names, unsigned count)
{
    const char **candidate = pto_arena_array(
        f->text->arena, count + PTO_OPERATOR_COUNT + PTO_SYS_COUNT, sizeof *candidate);
    unsigned candidates = 0;

    for (unsigned i = 0; i < count; i++)
        candidate[candidates++] = names[i];
    for (unsigned i = 0; i < PTO_OPERATOR_COUNT; i++)
        if (pto_operator(i)->fixity == PTO_FUNCTION)
            candidate[candidates++] = pto_operator(i)->text;
    for (unsigned i = 0; i < PTO_SYS_COUNT; i++)
        candidate[candidates++] = pto_sys_name(i);
    text_hint_nearest(f->text,
                      text_error(f->text, expr->token, "there is no function '%s'",
                                 expr->token->text),
                      expr->token->text, candidate, candidates);
}

/* ---- all kinds of expression ---- */

static bool reference(const struct formula *f, const struct asm_expr *expr, struct asm_value *d)
{
    const char *name = expr->token->text;
    int id = expr->paren ? pto_operator_find(PTO_FUNCTION, name) : -1;

    if (id >= 0)
        return function(f, expr, (enum pto_operator_id)id, d);
    if (formula_is_bare(expr) && (!strcmp(name, "inf") || !strcmp(name, "nan"))) {
        *d = asm_float(*name == 'i' ? HUGE_VAL : (double)NAN);
        return true;
    }
    return f->host->ref(f->context, expr, d);
}

bool formula_value(const struct formula *f, const struct asm_expr *expr, struct asm_value *d)
{
    switch (expr->kind) {
    case EX_INT:
        *d = asm_int((int64_t)expr->token->i);
        if (is_2_to_63(expr))
            text_error(f->text, expr->token, "this integer does not fit into 64 bits");
        return !is_2_to_63(expr);
    case EX_FLOAT:
        *d = asm_float(expr->token->f);
        return true;
    case EX_STRING:
        text_error(f->text, expr->token, "a string is not a number");
        return false;
    case EX_REG:
        return f->host->reg(f->context, expr, d);
    case EX_REF:
        return reference(f, expr, d);
    case EX_UNARY:
        return unary(f, expr, d);
    case EX_CHOICE:
        return choice(f, expr, d);
    default:
        return binary(f, expr, d);
    }
}
