/* Arguments of a kernel: pointers become objects, numbers parameters. */
#include <string.h>

#include "mlir/lower.h"

static void add_object(struct mlir_lower *l, const struct mlir_node *name,
                       const struct mlir_type *type)
{
    struct mlir_object *object = pto_arena_alloc(l->arena, sizeof *object);
    struct mlir_value *value = mlir_value_new(l, MLIR_V_PTR);

    object->name = mlir_fresh(l, name->text);
    object->size = mlir_fresh(l, pto_arena_printf(l->arena, "%s_size", object->name));
    object->dtype = type->dtype;
    object->node = name;
    *l->last_object = object;
    l->last_object = &object->next;
    value->type = *type;
    value->ptr.object = object;
    value->ptr.offset = mlir_int(l, 0);
    mlir_bind(l, l->kernel, name, value);
}

static void add_parameter(struct mlir_lower *l, const struct mlir_node *name,
                          const struct mlir_type *type)
{
    struct mlir_value *value = mlir_value_new(l, MLIR_V_SCALAR);
    const char *word = mlir_fresh(l, name->text);
    const char *reg = pto_arena_printf(l->arena, "%%%s", word);

    value->type = *type;
    value->scalar = (struct mlir_scalar){.text = reg, .setup = reg, .bits = type->bits,
                                         .is_float = type->kind == MLIR_T_FLOAT,
                                         .dtype = type->dtype,
                                         .is_loose = type->kind == MLIR_T_FLOAT &&
                                                     type->dtype != MLIR_F64};
    mlir_line(&l->params, name, ".param %s : %s", word,
              type->kind == MLIR_T_FLOAT ? "f64" : "i64");
    mlir_bind(l, l->kernel, name, value);
}

/* What PyPTO appends to a function that asks which block it is: what the machine knows itself. */
static const struct {
    const char *name, *text;
    bool is_shared; /* by all cores of a rank */
} IDENTITY[] = {
    {"__pypto_spmd_block_idx", "block_id()", false},
    {"__pypto_spmd_block_num", "block_num()", true},
    {"__pypto_spmd_subblock_idx", "sub_id()", false},
};

static bool add_identity(struct mlir_lower *l, const struct mlir_node *name,
                         const struct mlir_type *type)
{
    for (unsigned i = 0; i < sizeof IDENTITY / sizeof *IDENTITY; i++)
        if (!strcmp(name->text, IDENTITY[i].name) && type->kind == MLIR_T_INT) {
            struct mlir_value *value = mlir_value_new(l, MLIR_V_SCALAR);

            value->type = *type;
            value->scalar = (struct mlir_scalar){
                .text = IDENTITY[i].text, .bits = type->bits,
                .setup = IDENTITY[i].is_shared ? IDENTITY[i].text : NULL};
            mlir_bind(l, l->kernel, name, value);
            return true;
        }
    return false;
}

bool mlir_is_given_block(const struct mlir_node *op)
{
    const struct mlir_node *list = mlir_is_function(op) ? mlir_arguments(op) : NULL;

    for (const struct mlir_node *node = list; node; node = node->next)
        if (mlir_is(node, MLIR_SSA, IDENTITY[0].name))
            return true;
    return false;
}

bool mlir_add_arguments(struct mlir_lower *l)
{
    for (const struct mlir_node *node = mlir_arguments(l->kernel); node; node = node->next) {
        const struct mlir_node *at;
        struct mlir_type type;

        if (node->kind != MLIR_SSA)
            continue;
        if (!mlir_is(node->next, MLIR_SIGN, ":")) {
            mlir_refuse(l, l->kernel, node, "the argument '%%%s' lacks its type", node->text);
            break;
        }
        at = node->next->next;
        if (!at) {
            mlir_refuse(l, l->kernel, node, "the argument '%%%s' lacks its type", node->text);
        } else if (!mlir_type_read(l->tree, &at, &type)) {
            l->errors++;
            l->kernel->broken = true;
        } else if (type.kind == MLIR_T_PTR) {
            add_object(l, node, &type);
        } else if (add_identity(l, node, &type)) {
            continue;
        } else if (type.kind == MLIR_T_INT || type.kind == MLIR_T_FLOAT) {
            add_parameter(l, node, &type);
        } else {
            mlir_refuse(l, l->kernel, node, "a kernel takes pointers and numbers, not this");
        }
    }
    return !l->kernel->broken;
}

void mlir_declare_objects(struct mlir_lower *l, struct mlir_out *out)
{
    static const char *const kind[] = {[MLIR_UNUSED] = ".in", [MLIR_OWN] = ".inout",
                                       [MLIR_SHARED] = ".sym"};

    for (const struct mlir_object *object = l->object; object; object = object->next) {
        const char *least = object->least ? object->least
                            : object->use == MLIR_UNUSED ? "1" : NULL;

        if (object->use != MLIR_CONTEXT)
            mlir_line(out, object->node, least ? ".param %s : i64 = %s" : ".param %s : i64",
                      object->size, least);
    }
    for (const struct mlir_object *object = l->object; object; object = object->next)
        if (object->use != MLIR_CONTEXT)
            mlir_line(out, object->node, "%s %s : %s[%s] %sflat", kind[object->use], object->name,
                      pto_dtype_name((enum pto_dtype)object->dtype), object->size,
                      object->use == MLIR_UNUSED ? "optional " : "");
}
