/* Conversions of floating-point scalars, to each other and from and to integers. */
#include <string.h>

#include "mlir/real.h"

/* What an operation is: `name VALUE : TYPE to TYPE`. */
struct cast {
    struct mlir_scalar value;
    struct mlir_type to;
};

/* ---- from integers ---- */

/* An integer beyond 2^53 has two roundings ahead of it: to f64, and to its type.  The first one is
 * made harmless: what is below 2048 is cut off and its being there remembered in a bit which is
 * below all that the type keeps. */
#define ODD "((abs(@) <= 9007199254740992) | ((@ & 2047) == 0) ? @ : (@ & -2048 | 2048))"
#define HALF "((@ >> 1) & 9223372036854775807 | (@ & 1))"

static void from_integer(struct mlir_lower *l, struct mlir_node *op, const struct cast *c)
{
    struct mlir_scalar a = c->value, half, result;
    unsigned dtype = c->to.dtype;
    const char *form = dtype == MLIR_F64 || a.bits < 64 ? "float(@)" : "float(" ODD ")";

    if (!strcmp(op->text, "arith.sitofp")) {
        if (a.bits == 1) /* true is -1 */
            a = mlir_join(l, "(0 - @)", &a, &a);
        result = mlir_real(l, dtype, form, &a, &a);
    } else if (a.bits < 64) {
        a = mlir_unsigned(l, a);
        result = mlir_real(l, dtype, form, &a, &a);
    } else { /* of 2^63 and more, a half whose last bit says what was cut off */
        half = mlir_kept(l, op, "half", mlir_join(l, HALF, &a, &a));
        half = mlir_real(l, dtype, form, &half, &half);
        result = mlir_real(l, dtype, form, &a, &a);
        result.text = pto_arena_printf(l->arena, "(%s < 0 ? 2.0 * %s : %s)", a.text, half.text,
                                       result.text);
    }
    result = mlir_rounded(l, dtype, &result);
    mlir_assign(l, op, &result);
}

/* ---- to integers ---- */

/* A register that holds an integer: `form` of two numbers. */
static struct mlir_scalar whole(struct mlir_lower *l, struct mlir_node *op, const char *what,
                                const char *form, const struct mlir_scalar *a,
                                const struct mlir_scalar *b)
{
    return mlir_kept(l, op, what, (struct mlir_scalar){.text = mlir_join(l, form, a, b).text,
                                                       .bits = 64});
}

/* What does not fit is no number at all there, and a fault here. */
static void must_hold(struct mlir_lower *l, struct mlir_node *op, const char *form,
                      const struct mlir_scalar *a, const struct mlir_scalar *b, unsigned bits)
{
    mlir_line(&l->code, op, ".assert %s, \"%s: the number does not fit into %s%u\"",
              mlir_join(l, form, a, b).text, op->text,
              strcmp(op->text, "arith.fptoui") ? "i" : "ui", bits);
}

/* From 2^63 on: that is taken off, and put on as the highest bit. */
static struct mlir_scalar to_64_bits(struct mlir_lower *l, struct mlir_node *op,
                                     const struct mlir_scalar *a)
{
    struct mlir_scalar high = whole(l, op, "high", "(@ >= 9223372036854775808.0)", a, a);
    struct mlir_scalar rest = whole(l, op, "whole",
                                    "int(@ - (# ? 9223372036854775808.0 : 0.0))", a, &high);

    must_hold(l, op, "(@ >= 0)", &rest, &rest, 64);
    return mlir_join(l, "(@ ^ (# << 63))", &rest, &high);
}

static void to_integer(struct mlir_lower *l, struct mlir_node *op, const struct cast *c)
{
    bool is_unsigned = !strcmp(op->text, "arith.fptoui");
    unsigned bits = c->to.bits;
    struct mlir_scalar number, cut, same;

    if (is_unsigned && bits == 64) {
        cut = to_64_bits(l, op, &c->value);
        mlir_assign(l, op, &cut);
        return;
    }
    number = whole(l, op, "whole", "int(@)", &c->value, &c->value);
    cut = mlir_cut(l, number, bits);
    same = is_unsigned ? mlir_unsigned(l, cut)
           : bits == 1 ? mlir_join(l, "(0 - @)", &cut, &cut) : cut;
    if (bits < 64)
        must_hold(l, op, "(@ == #)", &same, &number, bits);
    mlir_assign(l, op, &cut);
}

/* ---- of one width, and among floats ---- */

static const char *bits_function(unsigned dtype)
{
    return dtype == PTO_F32    ? "f32_bits(@)"
           : dtype == PTO_F16  ? "f16_bits(@)"
           : dtype == PTO_BF16 ? "bf16_bits(@)" : "f64_bits(@)";
}

static const char *number_function(unsigned dtype)
{
    return dtype == PTO_F32    ? "bits_f32(@)"
           : dtype == PTO_F16  ? "bits_f16(@)"
           : dtype == PTO_BF16 ? "bits_bf16(@)" : "bits_f64(@)";
}

static void keep_bits(struct mlir_lower *l, struct mlir_node *op, const struct cast *c)
{
    struct mlir_scalar value = c->value;

    if (c->to.bits != value.bits) {
        mlir_refuse(l, op, op, "'%s' keeps the bits of a number: not %u as %u", op->text,
                    value.bits, c->to.bits);
        return;
    }
    if (value.is_float)
        value = (struct mlir_scalar){.bits = value.bits, .text = mlir_join(
            l, bits_function(value.dtype), &value, &value).text};
    if (c->to.kind == MLIR_T_FLOAT)
        value = mlir_real(l, c->to.dtype, number_function(c->to.dtype), &value, &value);
    else if (value.bits < 64)
        value = mlir_cut(l, value, value.bits);
    mlir_assign(l, op, &value);
}

static bool rounds_otherwise(struct mlir_lower *l, struct mlir_node *op)
{
    for (const struct mlir_node *at = op->first; at; at = at->next)
        if (at->kind == MLIR_WORD &&
            mlir_is_among("downward upward toward_zero to_nearest_away", at->text)) {
            mlir_refuse(l, op, at, "'%s' rounds to the nearest even number here", op->text);
            return true;
        }
    return false;
}

static void to_float(struct mlir_lower *l, struct mlir_node *op, const struct cast *c)
{
    bool is_wider = !strcmp(op->text, "arith.extf");
    struct mlir_scalar result;

    if (rounds_otherwise(l, op))
        return;
    if (is_wider ? c->to.bits <= c->value.bits : c->to.bits >= c->value.bits) {
        mlir_refuse(l, op, op, "'%s' makes numbers %s: not %s of %s", op->text,
                    is_wider ? "wider" : "narrower", mlir_element_name(c->to.dtype),
                    mlir_element_name(c->value.dtype));
        return;
    }
    result = mlir_rounded(l, is_wider ? MLIR_F64 : c->to.dtype, &c->value);
    result.dtype = c->to.dtype;
    result.bits = c->to.bits;
    mlir_assign(l, op, &result);
}

/* ---- all of them ---- */

enum side { INTEGER = 1, FLOATING = 2, EITHER = INTEGER | FLOATING };

static const struct {
    const char *name;
    enum side from, to;
    void (*lower)(struct mlir_lower *l, struct mlir_node *op, const struct cast *c);
} CAST[] = {
    {"arith.sitofp", INTEGER, FLOATING, from_integer},
    {"arith.uitofp", INTEGER, FLOATING, from_integer},
    {"arith.fptosi", FLOATING, INTEGER, to_integer},
    {"arith.fptoui", FLOATING, INTEGER, to_integer},
    {"arith.extf", FLOATING, FLOATING, to_float},
    {"arith.truncf", FLOATING, FLOATING, to_float},
    {"arith.bitcast", EITHER, EITHER, keep_bits},
};

static bool read_cast(struct mlir_lower *l, struct mlir_node *op, enum side from, enum side sides,
                      struct cast *c)
{
    const struct mlir_node *to = mlir_clause(op, "to"), *at = to;

    if (!op->first || !to) {
        mlir_refuse(l, op, op, "'%s VALUE : TYPE to TYPE' was expected", op->text);
        return false;
    }
    if (!mlir_read_type(l, op, &at, &c->to))
        return false;
    if ((c->to.kind != MLIR_T_FLOAT || !(sides & FLOATING) || !mlir_is_computed(c->to.dtype)) &&
        (c->to.kind != MLIR_T_INT || !(sides & INTEGER))) {
        mlir_refuse(l, op, to, sides == INTEGER    ? "'%s' gives an integer: i8, i32, ..."
                               : sides == FLOATING ? "'%s' gives f16, bf16, f32 or f64"
                                                   : "'%s' gives an integer, f16, bf16, f32 or f64",
                    op->text);
        return false;
    }
    if (from == FLOATING)
        return mlir_real_operand(l, op, op->first, &c->value);
    if (from == INTEGER)
        return mlir_integer(l, op, op->first, &c->value);
    return mlir_number(l, op, op->first, &c->value) &&
           (!c->value.is_float || mlir_real_operand(l, op, op->first, &c->value));
}

bool mlir_cast_op(struct mlir_lower *l, struct mlir_node *op)
{
    struct cast c;

    for (unsigned i = 0; i < sizeof CAST / sizeof *CAST; i++)
        if (!strcmp(op->text, CAST[i].name)) {
            if (read_cast(l, op, CAST[i].from, CAST[i].to, &c))
                CAST[i].lower(l, op, &c);
            return true;
        }
    return false;
}
