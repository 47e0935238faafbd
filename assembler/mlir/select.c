/* One of two values by a condition: `arith.select`, and what the arms of an `scf.if` give. */
#include <string.h>

#include "mlir/carry.h"

bool mlir_is_chosen(const struct mlir_value *value)
{
    return value->kind == MLIR_V_VIEW || value->kind == MLIR_V_PART ||
           value->kind == MLIR_V_CHOICE || value->kind == MLIR_V_TILE;
}

struct mlir_value *mlir_joined(struct mlir_lower *l, struct mlir_node *op, const char *condition,
                               struct mlir_value *yes, struct mlir_value *no)
{
    if (yes->kind == MLIR_V_SCALAR && no->kind == MLIR_V_SCALAR && mlir_alike(yes, no))
        return yes;
    if ((yes->kind == MLIR_V_PTR) != (no->kind == MLIR_V_PTR) ||
        (yes->kind != MLIR_V_PTR && (!mlir_is_chosen(yes) || !mlir_is_chosen(no))) ||
        mlir_is_tile(yes) != mlir_is_tile(no)) {
        mlir_refuse(l, op, op, "'%s' gives one of two values of different kinds", op->text);
        return NULL;
    }
    if (!mlir_is_tile(yes))
        return mlir_choice(l, condition, yes, no);
    if (mlir_tiles_alike(yes, no))
        return mlir_tiles_joined(l, condition, yes, no);
    mlir_refuse(l, op, op, "'%s' gives one of two tiles of different types", op->text);
    return NULL;
}

/* A number is in a register. */
static void choose_number(struct mlir_lower *l, struct mlir_node *op, const char *condition,
                          const struct mlir_args *args)
{
    struct mlir_scalar a, b;
    struct mlir_value *value;
    const char *name;

    if (!mlir_number(l, op, args->value[1], &a) || !mlir_number(l, op, args->value[2], &b))
        return;
    a = mlir_exact(l, a);
    b = mlir_exact(l, b);
    name = mlir_register(l, op->result->text, a.is_float);
    mlir_line(&l->code, op, "%s = %s", name, b.text);
    mlir_line(&l->code, op, ".if %s", condition);
    mlir_line(&l->code, op, "    %s = %s", name, a.text);
    mlir_line(&l->code, op, ".endif");
    value = mlir_value_new(l, MLIR_V_SCALAR);
    value->scalar = (struct mlir_scalar){.text = name, .is_float = a.is_float, .bits = a.bits,
                                         .dtype = a.dtype};
    mlir_bind(l, op, op->result, value);
}

/* What is no number is chosen where it is used. */
static void choose(struct mlir_lower *l, struct mlir_node *op, const char *condition,
                   struct mlir_value *yes, struct mlir_value *no)
{
    struct mlir_value *value = mlir_joined(l, op, condition, yes, no);

    if (value && mlir_is_tile(value))
        value = mlir_tiles_own(l, op, op->result->text, value);
    if (value && !op->broken)
        mlir_bind(l, op, op->result, value);
}

bool mlir_select_op(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_scalar condition;
    struct mlir_value *yes, *no;
    struct mlir_args args;

    if (strcmp(op->text, "arith.select"))
        return false;
    if (!mlir_read_args(l, op, op->first, &args))
        return true;
    if (args.values != 3 || !op->result) {
        mlir_refuse(l, op, op, "'arith.select CONDITION, VALUE, VALUE' was expected");
        return true;
    }
    if (!mlir_condition(l, op, args.value[0], &condition))
        return true;
    yes = args.value[1]->kind == MLIR_SSA ? mlir_find(l, op, args.value[1]) : NULL;
    no = args.value[2]->kind == MLIR_SSA ? mlir_find(l, op, args.value[2]) : NULL;
    if (op->broken)
        return true;
    if (!yes || !no || (yes->kind == MLIR_V_SCALAR && no->kind == MLIR_V_SCALAR))
        choose_number(l, op, condition.text, &args);
    else
        choose(l, op, condition.text, yes, no);
    return true;
}
