/* Finding one's way in what stands behind the name of an operation. */
#include <string.h>

#include "mlir/lower.h"

bool mlir_is(const struct mlir_node *node, enum mlir_kind kind, const char *text)
{
    return node && node->kind == kind && !strcmp(node->text, text);
}

const struct mlir_node *mlir_clause(const struct mlir_node *op, const char *word)
{
    for (const struct mlir_node *node = op->first; node; node = node->next)
        if (mlir_is(node, MLIR_WORD, word))
            return mlir_is(node->next, MLIR_SIGN, "=") ? node->next->next : node->next;
    return NULL;
}

const struct mlir_node *mlir_behind_arrow(const struct mlir_node *op)
{
    for (const struct mlir_node *node = op->first; node; node = node->next)
        if (mlir_is(node, MLIR_SIGN, "->"))
            return node->next;
    return NULL;
}

const struct mlir_node *mlir_region(const struct mlir_node *op, unsigned number)
{
    for (const struct mlir_node *node = op->first; node; node = node->next) {
        /* A region without operations cannot be told from an empty dictionary. */
        bool empty = node->kind == MLIR_BRACE && !node->first;

        if ((node->kind == MLIR_REGION || empty) && number-- == 0)
            return node;
    }
    return NULL;
}

enum { MOST_ARGS = sizeof ((struct mlir_args *)NULL)->value / sizeof(struct mlir_node *) };

static bool take_value(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                       struct mlir_args *args)
{
    if (args->values == MOST_ARGS) {
        mlir_refuse(l, op, node, "an operation or call has at most %d operands", (int)MOST_ARGS);
        return false;
    }
    args->value[args->values++] = node;
    return true;
}

static bool unexpected(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node)
{
    mlir_refuse(l, op, node, "'%s' was not expected among operands", node->text);
    return false;
}

/* Values with commas between them. */
static bool take_values(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *first,
                        struct mlir_args *args)
{
    for (; first; first = first->next)
        if (first->kind == MLIR_SSA) {
            if (!take_value(l, op, first, args))
                return false;
        } else if (!mlir_is(first, MLIR_SIGN, ",")) {
            return unexpected(l, op, first);
        }
    return true;
}

bool mlir_read_args(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *first,
                    struct mlir_args *args)
{
    *args = (struct mlir_args){0};
    for (; first; first = first->next) {
        if (mlir_is(first, MLIR_SIGN, ":")) {
            args->types = first->next;
            if (!first->next)
                mlir_refuse(l, op, first, "types are missing behind this ':'");
            return first->next != NULL;
        }
        if (first->kind == MLIR_BRACE) {
            args->dict = first;
        } else if (first->kind == MLIR_SSA || first->kind == MLIR_INT ||
                   first->kind == MLIR_FLOAT) {
            if (!take_value(l, op, first, args))
                return false;
        } else if ((mlir_is(first, MLIR_WORD, "fastmath") ||
                    mlir_is(first, MLIR_WORD, "overflow")) &&
                   first->next && first->next->kind == MLIR_ANGLE) {
            first = first->next;
        } else if (mlir_is(first, MLIR_WORD, "buf") && first->next &&
                   first->next->kind == MLIR_PAREN) {
            first = first->next;
            args->staging = args->values;
            if (!take_values(l, op, first->first, args))
                return false;
        } else if (mlir_is(first, MLIR_WORD, "no_tmp") && args->values) {
            args->no_scratch = first;
        } else if (!mlir_is(first, MLIR_SIGN, ",")) {
            return unexpected(l, op, first);
        }
    }
    return true;
}

bool mlir_read_group(struct mlir_lower *l, struct mlir_node *op, const char *word,
                     struct mlir_args *args)
{
    const struct mlir_node *group = mlir_clause(op, word);

    if (group && group->kind == MLIR_PAREN)
        return mlir_read_args(l, op, group->first, args);
    mlir_refuse(l, op, group ? group : op, "'%s' lacks '%s(..)'", op->text, word);
    return false;
}

static const struct mlir_node *in_dictionary(const struct mlir_node *dict, const char *key)
{
    for (const struct mlir_node *node = dict->first; node; node = node->next)
        if ((node->kind == MLIR_WORD || node->kind == MLIR_STRING) && !strcmp(node->text, key))
            return mlir_is(node->next, MLIR_SIGN, "=") ? node->next->next : node;
    return NULL;
}

const struct mlir_node *mlir_attribute(const struct mlir_node *op, const char *key)
{
    for (const struct mlir_node *node = op->first; node; node = node->next) {
        const struct mlir_node *found = NULL;

        if (node->kind == MLIR_BRACE)
            found = in_dictionary(node, key);
        else if (node->kind == MLIR_PAREN)
            found = mlir_attribute(node, key);
        if (found)
            return found;
    }
    return NULL;
}

bool mlir_is_among(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; length && (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

const char *mlir_enum_word(const struct mlir_node *value)
{
    const struct mlir_node *group = value->next;
    const char *word = value->text;

    if (value->kind == MLIR_ANGLE)
        group = value;
    if (value->kind != MLIR_ATTR && value->kind != MLIR_ANGLE)
        return word;
    if (group && group->kind == MLIR_ANGLE) {
        const struct mlir_node *inside = group->first;

        /* Of `#pto<cmp lt>` it is the second one. */
        if (value->kind == MLIR_ATTR && !strchr(value->text, '.') && inside && inside->next)
            inside = inside->next;
        word = inside && !inside->next ? inside->text : "";
    }
    return word;
}
