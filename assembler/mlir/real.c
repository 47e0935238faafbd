/* Numbers of floating point: arithmetic and comparisons.
 *
 * Registers are f64, and every result is rounded to its type.  That is the one rounding which IEEE
 * 754 asks for: f64 has more than twice the digits of f32, f16 and bf16 and two, so a sum, a
 * difference, a product, a quotient and a root of such numbers, rounded to f64, never lies in the
 * middle of two of them unless it does so exactly (Figueroa, "When is double rounding innocuous?",
 * 1995). */
#include <string.h>

#include "mlir/real.h"

/* ---- types ---- */

bool mlir_is_computed(unsigned dtype)
{
    return dtype == PTO_F32 || dtype == PTO_F16 || dtype == PTO_BF16 || dtype == MLIR_F64;
}

double mlir_as_type(double value, unsigned dtype)
{
    uint64_t bits = 0;

    if (dtype == MLIR_F64)
        return value;
    pto_store_f64(&bits, (enum pto_dtype)dtype, value);
    return pto_load_f64(&bits, (enum pto_dtype)dtype);
}

struct mlir_scalar mlir_real(struct mlir_lower *l, unsigned dtype, const char *form,
                             const struct mlir_scalar *a, const struct mlir_scalar *b)
{
    return (struct mlir_scalar){.text = mlir_join(l, form, a, b).text, .is_float = true,
                                .dtype = (uint8_t)dtype, .bits = (uint8_t)mlir_real_bits(dtype)};
}

struct mlir_scalar mlir_rounded(struct mlir_lower *l, unsigned dtype, const struct mlir_scalar *a)
{
    return mlir_real(l, dtype, dtype == PTO_F32    ? "bits_f32(f32_bits(@))"
                               : dtype == PTO_F16  ? "bits_f16(f16_bits(@))"
                               : dtype == PTO_BF16 ? "bits_bf16(bf16_bits(@))" : "@", a, a);
}

struct mlir_scalar mlir_exact(struct mlir_lower *l, struct mlir_scalar value)
{
    struct mlir_scalar exact;

    if (!value.is_loose)
        return value;
    if (!value.is_const)
        return mlir_rounded(l, value.dtype, &value);
    exact = mlir_float(l, mlir_as_type(value.f, value.dtype));
    exact.dtype = value.dtype;
    exact.bits = value.bits;
    return exact;
}

/* ---- operands ---- */

bool mlir_real_operand(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                       struct mlir_scalar *a)
{
    if (!mlir_number(l, op, node, a))
        return false;
    if (!a->is_float)
        mlir_refuse(l, op, node, "'%s' takes numbers of floating point, this is an integer",
                    op->text);
    else if (!mlir_is_computed(a->dtype))
        mlir_refuse(l, op, node, "scalars of %s are not computed with: f16, bf16, f32 and f64 are",
                    mlir_element_name(a->dtype));
    *a = mlir_exact(l, *a);
    return !op->broken;
}

/* `count` operands of one type, from `first` on. */
static bool read_operands(struct mlir_lower *l, struct mlir_node *op,
                          const struct mlir_node *first, unsigned count, struct mlir_scalar *a)
{
    struct mlir_args args;

    if (!mlir_read_args(l, op, first, &args))
        return false;
    if (args.values != count) {
        mlir_refuse(l, op, op, count == 1 ? "'%s' has one operand" : "'%s' has two operands",
                    op->text);
        return false;
    }
    for (unsigned i = 0; i < count; i++)
        if (!mlir_real_operand(l, op, args.value[i], &a[i]))
            return false;
    if (count == 1 || a[0].dtype == a[1].dtype)
        return true;
    mlir_refuse(l, op, args.value[1], "'%s' takes numbers of one type, not %s and %s", op->text,
                mlir_element_name(a[0].dtype), mlir_element_name(a[1].dtype));
    return false;
}

/* ---- arithmetic ---- */

static const struct real {
    const char *name, *form;
    unsigned operands;
    bool is_rounded;
} REAL[] = {
#define MLIR_OP(...)
#define MLIR_INTEGER(...)
#define MLIR_REAL(name, operands, form, is_rounded) {name, form, operands, is_rounded},
#include "mlir/mlir_ops.def"
#undef MLIR_OP
#undef MLIR_INTEGER
#undef MLIR_REAL
};

static void compute(struct mlir_lower *l, struct mlir_node *op, const struct real *row)
{
    struct mlir_scalar a[2], result;

    if (!read_operands(l, op, op->first, row->operands, a))
        return;
    result = mlir_real(l, a[0].dtype, row->form, &a[0], &a[row->operands - 1]);
    if (row->is_rounded)
        result = mlir_rounded(l, result.dtype, &result);
    mlir_assign(l, op, &result);
}

/* To whole numbers: the magnitude of the result, of the number `@` and `#`, the whole number
 * nearest to its magnitude, of two as near the even one. */
static const struct {
    const char *name, *form;
} WHOLE[] = {
    {"math.roundeven", "#"},
    {"math.round", "(abs(@) - # == 0.5 ? # + 1.0 : #)"},
    {"math.trunc", "(# > abs(@) ? # - 1.0 : #)"},
    {"math.floor", "(@ < 0.0 ? (# < abs(@) ? # + 1.0 : #) : (# > abs(@) ? # - 1.0 : #))"},
    {"math.ceil", "(@ < 0.0 ? (# > abs(@) ? # - 1.0 : #) : (# < abs(@) ? # + 1.0 : #))"},
};

static const struct real *row_of(const char *name)
{
    for (unsigned i = 0; i < sizeof REAL / sizeof *REAL; i++)
        if (!strcmp(REAL[i].name, name))
            return &REAL[i];
    return NULL;
}

/* All numbers from 2^52 on are whole; to less, 2^52 is added in f64, which rounds. */
static void make_whole(struct mlir_lower *l, struct mlir_node *op, const char *form)
{
    struct mlir_scalar a, nearest, result;

    if (!read_operands(l, op, op->first, 1, &a))
        return;
    nearest = mlir_real(l, a.dtype, "(abs(@) < 4503599627370496.0 ? abs(@) + 4503599627370496.0 - "
                        "4503599627370496.0 : abs(@))", &a, &a);
    nearest = mlir_kept(l, op, "nearest", nearest);
    result = mlir_real(l, a.dtype, form, &a, &nearest);
    result = mlir_kept(l, op, "whole", result);
    result = mlir_real(l, a.dtype, row_of("math.copysign")->form, &result, &a);
    mlir_assign(l, op, &result);
}

struct mlir_scalar mlir_kept(struct mlir_lower *l, struct mlir_node *op, const char *what,
                             struct mlir_scalar value)
{
    const char *result = op->result ? op->result->text : "";
    const char *name = mlir_register(l, pto_arena_printf(l->arena, "%s %s", result, what),
                                     value.is_float);

    mlir_line(&l->code, op, "%s = %s", name, value.text);
    value.text = name;
    return value;
}

/* ---- comparisons ---- */

/* Of ordered numbers, or else of a NaN as well; `!=` alone is true of NaN by itself. */
static const struct {
    const char *name, *form;
} COMPARISON[] = {
    {"oeq", "(@ == #)"}, {"ogt", "(@ > #)"}, {"oge", "(@ >= #)"}, {"olt", "(@ < #)"},
    {"ole", "(@ <= #)"}, {"one", "((@ < #) | (@ > #))"}, {"ord", "((@ == @) & (# == #))"},
    {"ueq", "(((@ < #) | (@ > #)) ^ 1)"}, {"ugt", "((@ <= #) ^ 1)"}, {"uge", "((@ < #) ^ 1)"},
    {"ult", "((@ >= #) ^ 1)"}, {"ule", "((@ > #) ^ 1)"}, {"une", "(@ != #)"},
    {"uno", "((@ != @) | (# != #))"}, {"false", "0"}, {"true", "1"},
};

static void compare(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *predicate = op->first;
    struct mlir_scalar a[2], result;
    struct pto_diag *diag;

    for (unsigned i = 0; predicate && i < sizeof COMPARISON / sizeof *COMPARISON; i++) {
        if (strcmp(predicate->text, COMPARISON[i].name) != 0)
            continue;
        if (!mlir_is(predicate->next, MLIR_SIGN, ",")) {
            mlir_refuse(l, op, predicate, "a ',' was expected behind '%s'", predicate->text);
            return;
        }
        if (!read_operands(l, op, predicate->next, 2, a))
            return;
        result = (struct mlir_scalar){
            .text = mlir_join(l, COMPARISON[i].form, &a[0], &a[1]).text, .bits = 1};
        mlir_assign(l, op, &result);
        return;
    }
    diag = mlir_refuse(l, op, predicate ? predicate : op,
                       "a comparison of floating-point numbers was expected");
    if (diag)
        pto_diag_hint(l->tree->diags, diag, "arith.cmpf olt, A, B : TYPE; oeq, ogt, oge, olt, ole, "
                      "one, ord, ueq, ugt, uge, ult, ule, une, uno, false, true");
}

bool mlir_real_op(struct mlir_lower *l, struct mlir_node *op)
{
    const struct real *row = row_of(op->text);

    if (row) {
        compute(l, op, row);
        return true;
    }
    for (unsigned i = 0; i < sizeof WHOLE / sizeof *WHOLE; i++)
        if (!strcmp(op->text, WHOLE[i].name)) {
            make_whole(l, op, WHOLE[i].form);
            return true;
        }
    if (strcmp(op->text, "arith.cmpf") != 0)
        return mlir_cast_op(l, op);
    compare(l, op);
    return true;
}
