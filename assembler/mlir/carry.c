#include "mlir/carry.h"

#include <stdlib.h>
#include <string.h>

/* The number that has to be handed on: of a pointer its offset. */
static const char *number_of(const struct mlir_value *value)
{
    return value->kind == MLIR_V_PTR ? value->ptr.offset.text : value->scalar.text;
}

bool mlir_can_carry(struct mlir_lower *l, struct mlir_node *op, const struct mlir_value *value)
{
    if (value->kind == MLIR_V_SCALAR || value->kind == MLIR_V_PTR)
        return true;
    if (value->kind == MLIR_V_BROKEN)
        op->broken = true;
    else
        mlir_refuse(l, op, op, "'%s' hands on numbers and pointers, not tiles or views", op->text);
    return false;
}

/* A value like `like` in a register of its own. */
static struct mlir_value *in_register(struct mlir_lower *l, const struct mlir_value *like,
                                      const char *reg)
{
    struct mlir_value *value = mlir_value_new(l, (enum mlir_value_kind)like->kind);

    *value = *like;
    if (like->kind == MLIR_V_PTR)
        value->ptr.offset = (struct mlir_scalar){.text = reg, .bits = 64};
    else
        value->scalar = (struct mlir_scalar){.text = reg, .is_float = like->scalar.is_float,
                                             .bits = like->scalar.bits};
    return value;
}

struct mlir_value *mlir_into_register(struct mlir_lower *l, struct mlir_node *op,
                                      const struct mlir_value *value, const char *name)
{
    const char *reg = mlir_register(l, name, value->kind == MLIR_V_SCALAR &&
                                                 value->scalar.is_float);

    mlir_line(&l->code, op, "%s = %s", reg, number_of(value));
    return in_register(l, value, reg);
}

/* Read the carried values `(%a = %x, %b = %y)`, and assign the first turn's. */
bool mlir_carry(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *list,
                  struct mlir_carried *c)
{
    c->count = 0;
    for (const struct mlir_node *node = list; node; node = node->next) {
        struct mlir_value *first;

        if (node->kind != MLIR_SSA || !mlir_is(node->next, MLIR_SIGN, "=") || !node->next->next)
            continue;
        if (c->count == MLIR_CARRIED) {
            mlir_refuse(l, op, node, "a loop carries at most %d values", (int)MLIR_CARRIED);
            return false;
        }
        first = mlir_find(l, op, node->next->next);
        if (!first || !mlir_can_carry(l, op, first))
            return false;
        c->name[c->count] = node;
        c->value[c->count] = mlir_into_register(l, op, first, node->text);
        c->reg[c->count] = number_of(c->value[c->count]);
        c->count++;
        node = node->next->next;
    }
    return true;
}

/* The same kind of thing, and of pointers the same object. */
bool mlir_alike(const struct mlir_value *a, const struct mlir_value *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == MLIR_V_PTR ? a->ptr.object == b->ptr.object
                                 : a->scalar.is_float == b->scalar.is_float &&
                                       a->scalar.bits == b->scalar.bits;
}

/* Does handing on value number `at` read a register that an earlier one has overwritten? */
static bool is_overwritten(const struct mlir_lower *l, const char *const *reg, unsigned at)
{
    const char *text = number_of(l->result[at]);

    for (unsigned i = 0; i < at; i++)
        if (strstr(text, reg[i]))
            return true;
    return false;
}

/* Assign what a region handed on to registers, all at once. */
bool mlir_hand_on(struct mlir_lower *l, struct mlir_node *op, const char *const *reg,
                    struct mlir_value *const *like, unsigned count)
{
    const char *text[MLIR_CARRIED];

    if (l->results != count) {
        mlir_refuse(l, op, op, "%u values were expected from a region of '%s', not %u", count,
                    op->text, l->results);
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!mlir_can_carry(l, op, l->result[i]))
            return false;
        if (!mlir_alike(l->result[i], like[i])) {
            mlir_refuse(l, op, op, "value %u from a region of '%s' is of another type, or a "
                        "pointer to another argument", i, op->text);
            return false;
        }
        text[i] = number_of(l->result[i]);
    }
    for (unsigned i = 0; i < count; i++)
        if (is_overwritten(l, reg, i)) {
            const char *kept = mlir_register(l, pto_arena_printf(l->arena, "kept by%u", i),
                                             like[i]->kind == MLIR_V_SCALAR &&
                                                 like[i]->scalar.is_float);

            mlir_line(&l->code, op, "%s = %s", kept, text[i]);
            text[i] = kept;
        }
    for (unsigned i = 0; i < count; i++)
        if (strcmp(reg[i], text[i]) != 0)
            mlir_line(&l->code, op, "%s = %s", reg[i], text[i]);
    return true;
}

/* The names of an operation's results: `%a, %b` or `%a:2`, which is %a#0 and %a#1. */
unsigned mlir_result_names(struct mlir_lower *l, const struct mlir_node *op, const char **name)
{
    unsigned count = 0;

    for (const struct mlir_node *node = op->result; node; node = node->next) {
        unsigned several = node->first ? (unsigned)strtoul(node->first->text, NULL, 10) : 0;

        if (node->kind != MLIR_SSA)
            continue;
        for (unsigned i = 0; i < several && count < MLIR_CARRIED; i++)
            name[count++] = pto_arena_printf(l->arena, "%s#%u", node->text, i);
        if (!several && count < MLIR_CARRIED)
            name[count++] = node->text;
    }
    return count;
}

void mlir_bind_results(struct mlir_lower *l, struct mlir_node *op,
                         struct mlir_value *const *value, unsigned count)
{
    const char *name[MLIR_CARRIED];
    unsigned names = mlir_result_names(l, op, name);

    if (names && names != count) {
        mlir_refuse(l, op, op, "'%s' gives %u values, not %u", op->text, count, names);
        return;
    }
    for (unsigned i = 0; i < names; i++)
        mlir_bind_text(l, op, op->result, name[i], value[i]);
}
