/* Arrays of the scalar unit: `pto.declare_local_array`, `pto.local_array_get`, `.._set`. */
#include <inttypes.h>
#include <string.h>

#include "mlir/lower.h"

/* `%a = pto.declare_local_array -> !pto.local_array<16xi32>` */
static void declare_array(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_value *value = mlir_value_new(l, MLIR_V_ARRAY);
    const struct mlir_node *at = mlir_behind_arrow(op);
    int64_t count = 1;

    if (at && !mlir_read_type(l, op, &at, &value->type))
        return;
    if (value->type.kind != MLIR_T_ARRAY || !op->result) {
        mlir_refuse(l, op, op, "'%%ARRAY = pto.declare_local_array -> !pto.local_array<..>' was "
                    "expected");
        return;
    }
    for (unsigned i = 0; i < value->type.rank; i++)
        count *= value->type.dim[i];
    value->array = mlir_fresh(l, op->result->text);
    mlir_line(&l->code, op, ".local %s : %s[%" PRId64 "]", value->array,
              value->type.is_float ? "f64" : "i64", count);
    mlir_bind(l, op, op->result, value);
}

/* `%a[%i, %j]`: the element, as it is written, row after row; NULL after an error. */
static const char *element_of(struct mlir_lower *l, struct mlir_node *op,
                              const struct mlir_node *name, const struct mlir_value **array)
{
    const struct mlir_node *list = name ? name->next : NULL;
    struct mlir_scalar at = mlir_int(l, 0), index;
    struct mlir_value *value;
    struct mlir_args args;

    if (!list || list->kind != MLIR_SQUARE) {
        mlir_refuse(l, op, name ? name : op, "'ARRAY[INDEX]' was expected");
        return NULL;
    }
    value = mlir_want(l, op, name, MLIR_V_ARRAY);
    if (!value || !mlir_read_args(l, op, list->first, &args))
        return NULL;
    if (args.values != value->type.rank) {
        mlir_refuse(l, op, list, "'%%%s' has an index for each of its %u dimensions", name->text,
                    value->type.rank);
        return NULL;
    }
    for (unsigned i = 0; i < args.values; i++) {
        if (!mlir_integer(l, op, args.value[i], &index))
            return NULL;
        if (index.is_const && (index.i < 0 || index.i >= value->type.dim[i])) {
            mlir_refuse(l, op, args.value[i], "elements 0 to %" PRId64 ", there is none %" PRId64,
                        value->type.dim[i] - 1, index.i);
            return NULL;
        }
        if (i && !index.is_const) /* else it could be an element of another row */
            mlir_line(&l->code, op, "assert %s >= 0 && %s < %" PRId64 ", \"index %u of '%s' is 0 "
                      "to %" PRId64 "\"", index.text, index.text, value->type.dim[i], i,
                      value->array, value->type.dim[i] - 1);
        at = mlir_times(l, &at, value->type.dim[i]);
        at = mlir_sum(l, &at, &index);
    }
    *array = value;
    return pto_arena_printf(l->arena, "%s[%s]", value->array, at.text);
}

/* `%x = pto.local_array_get %a[%i] : !pto.local_array<16xi32> -> i32` */
static void get(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_value *array;
    const char *place = element_of(l, op, op->first, &array);
    struct mlir_scalar value;

    if (!place)
        return;
    value = (struct mlir_scalar){.text = pto_arena_printf(l->arena, "ld %s", place),
                                 .is_float = array->type.is_float, .dtype = array->type.dtype,
                                 .bits = array->type.bits};
    mlir_assign(l, op, &value);
}

/* `pto.local_array_set %a[%i], %x : !pto.local_array<16xi32>, i32` */
static void set(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *list = op->first ? op->first->next : NULL;
    const struct mlir_node *number = list && mlir_is(list->next, MLIR_SIGN, ",") ? list->next->next
                                                                                 : NULL;
    const struct mlir_value *array;
    const char *place = element_of(l, op, op->first, &array);
    struct mlir_scalar value;

    if (!place)
        return;
    if (!number || number->kind != MLIR_SSA) {
        mlir_refuse(l, op, op, "'pto.local_array_set ARRAY[INDEX], NUMBER' was expected");
        return;
    }
    if (!mlir_number(l, op, number, &value))
        return;
    if (value.is_float != array->type.is_float || value.bits != array->type.bits ||
        (value.is_float && value.dtype != array->type.dtype))
        mlir_refuse(l, op, number, "the elements of the array are of another type");
    else
        mlir_line(&l->code, op, "st %s, %s", place, value.text);
}

bool mlir_array_op(struct mlir_lower *l, struct mlir_node *op)
{
    if (!strcmp(op->text, "pto.declare_local_array"))
        declare_array(l, op);
    else if (!strcmp(op->text, "pto.local_array_get"))
        get(l, op);
    else if (!strcmp(op->text, "pto.local_array_set"))
        set(l, op);
    else
        return false;
    return true;
}
