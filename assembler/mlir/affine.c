/* `affine.apply affine_map<(d0)[s0] -> (d0 * 4 + s0)>(%i)[%n]`: a number by an expression. */
#include <stdlib.h>
#include <string.h>

#include "mlir/lower.h"

enum { MOST_TEXT = 2000 }; /* characters of an expression, as it is written in this language */

/* An expression on its way: what its names are worth, and where reading has come to. */
struct affine {
    struct mlir_lower *l;
    struct mlir_node *op;
    const struct mlir_node *at;
    const char *name[16];
    struct mlir_scalar value[16];
    unsigned names;
};

static const struct {
    const char *word, *form;
    bool is_sum;
} OPERATOR[] = {
    {"+", "(@ + #)", true},
    {"-", "(@ - #)", true},
    {"*", "(@ * #)", false},
    {"mod", "mod(mod(@, #) + #, #)", false}, /* never negative */
    {"floordiv", "((@ - mod(mod(@, #) + #, #)) / #)", false},
    {"ceildiv", "cdiv(@, #)", false},
};

static bool read_sum(struct affine *a, struct mlir_scalar *value);

static bool refuse(struct affine *a, const char *message)
{
    mlir_refuse(a->l, a->op, a->at ? a->at : a->op, "%s", message);
    return false;
}

static bool read_name(struct affine *a, struct mlir_scalar *value)
{
    for (unsigned i = 0; i < a->names; i++)
        if (mlir_is(a->at, MLIR_WORD, a->name[i])) {
            *value = a->value[i];
            a->at = a->at->next;
            return true;
        }
    return refuse(a, "a dimension or symbol of the map was expected");
}

static bool read_atom(struct affine *a, struct mlir_scalar *value)
{
    const struct mlir_node *at = a->at;

    if (at && at->kind == MLIR_INT) {
        a->at = at->next;
        return mlir_number(a->l, a->op, at, value);
    }
    if (!at || at->kind != MLIR_PAREN)
        return read_name(a, value);
    a->at = at->first;
    if (!read_sum(a, value))
        return false;
    if (a->at)
        return refuse(a, "the expression was expected to end here");
    a->at = at->next;
    return true;
}

static bool read_factor(struct affine *a, struct mlir_scalar *value)
{
    const struct mlir_scalar zero = mlir_int(a->l, 0);
    bool negative = false;

    for (; mlir_is(a->at, MLIR_SIGN, "-"); a->at = a->at->next)
        negative = !negative;
    if (!read_atom(a, value))
        return false;
    if (negative)
        *value = mlir_join(a->l, "(@ - #)", &zero, value);
    return true;
}

/* Operators of one precedence, from the left. */
static bool read_chain(struct affine *a, bool is_sum, struct mlir_scalar *value)
{
    struct mlir_scalar right;

    if (!(is_sum ? read_chain(a, false, value) : read_factor(a, value)))
        return false;
    for (unsigned i = 0; i < sizeof OPERATOR / sizeof *OPERATOR;) {
        if (!a->at || OPERATOR[i].is_sum != is_sum || strcmp(a->at->text, OPERATOR[i].word) != 0) {
            i++;
            continue;
        }
        a->at = a->at->next;
        if (!(is_sum ? read_chain(a, false, &right) : read_factor(a, &right)))
            return false;
        *value = mlir_join(a->l, OPERATOR[i].form, value, &right);
        if (strlen(value->text) > MOST_TEXT)
            return refuse(a, "this expression is too long");
        i = 0;
    }
    return true;
}

static bool read_sum(struct affine *a, struct mlir_scalar *value)
{
    return read_chain(a, true, value);
}

/* Names of the map in one pair of brackets, with the values in another. */
static bool bind_names(struct affine *a, const struct mlir_node *names,
                       const struct mlir_node *values)
{
    for (; names && values; names = names->next, values = values->next) {
        if (mlir_is(names, MLIR_SIGN, ",") && mlir_is(values, MLIR_SIGN, ","))
            continue;
        for (unsigned i = 0; i < a->names; i++)
            if (!strcmp(a->name[i], names->text))
                return false;
        if (a->names == 16 || names->kind != MLIR_WORD ||
            !mlir_number(a->l, a->op, values, &a->value[a->names]))
            return false;
        a->name[a->names++] = names->text;
    }
    return !names && !values;
}

static const struct mlir_node *bracket(const struct mlir_node **node, enum mlir_kind kind)
{
    const struct mlir_node *group = *node;

    if (!group || group->kind != kind)
        return NULL;
    *node = group->next;
    return group->first;
}

static bool apply(const struct affine *at_map, struct mlir_scalar *value)
{
    struct affine a = *at_map;
    const struct mlir_node *map, *given, *dims, *symbols;

    map = a.at ? mlir_resolve(a.l->tree, a.at) : NULL;
    given = map == a.at ? NULL : a.at->next;
    if (!mlir_is(map, MLIR_WORD, "affine_map") || !map->next || map->next->kind != MLIR_ANGLE)
        return refuse(&a, "'affine.apply affine_map<(d0) -> (..)>(VALUE)' was expected");
    given = given ? given : map->next->next;
    map = map->next->first;
    dims = bracket(&map, MLIR_PAREN);
    symbols = bracket(&map, MLIR_SQUARE);
    if (!bind_names(&a, dims, bracket(&given, MLIR_PAREN)) ||
        !bind_names(&a, symbols, bracket(&given, MLIR_SQUARE)))
        return refuse(&a, "a value for each dimension and symbol of the map was expected");
    if (!mlir_is(map, MLIR_SIGN, "->") || !map->next || map->next->kind != MLIR_PAREN)
        return refuse(&a, "a map '(d0) -> (..)' was expected");
    a.at = map->next->first;
    if (!read_sum(&a, value))
        return false;
    return !a.at || refuse(&a, "one expression was expected");
}

bool mlir_affine_op(struct mlir_lower *l, struct mlir_node *op)
{
    struct affine a = {.l = l, .op = op, .at = op->first};
    struct mlir_scalar value;

    if (strcmp(op->text, "affine.apply") != 0)
        return false;
    if (apply(&a, &value))
        mlir_assign(l, op, &value);
    return true;
}
