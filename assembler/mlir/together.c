#include "mlir/together.h"

#include <string.h>

#include "core_name.h"
#include "mlir/lower.h"

/* ---- who belongs to whom ---- */

/* Two functions, one of each kind, that nobody calls; either may have a partner already. */
static void pair(struct mlir_functions *f, uint32_t one, const char *name)
{
    const unsigned both = (1u << PTO_AIC) | (1u << PTO_AIV);
    uint32_t other = mlir_function_place(f, name);
    struct mlir_node **function = f->function;

    if (other == f->functions || f->partner[one] || f->partner[other] ||
        (mlir_function_cores(function[one]) ^ mlir_function_cores(function[other])) != both ||
        mlir_is_called(f, name) || mlir_is_called(f, mlir_function_name(function[one])) ||
        !mlir_region(function[one], 0) || !mlir_region(function[other], 0))
        return;
    f->partner[one] = function[other];
    f->partner[other] = function[one];
}

static void find_peers(struct mlir_functions *f, uint32_t function, const struct mlir_node *inside)
{
    for (const struct mlir_node *node = inside->first; node; node = node->next) {
        const struct mlir_node *peer = NULL;

        if (node->kind != MLIR_OP && node->kind != MLIR_REGION)
            continue;
        if (node->kind == MLIR_OP && !strcmp(node->text, "pto.import_reserved_buffer"))
            peer = mlir_attribute(node, "peer_func");
        if (peer && peer->kind == MLIR_SYMBOL)
            pair(f, function, peer->text);
        find_peers(f, function, node);
    }
}

void mlir_pair_up(struct mlir_functions *f)
{
    for (uint32_t i = 0; i < f->functions; i++)
        find_peers(f, i, f->function[i]);
}

struct mlir_node *mlir_partner(const struct mlir_functions *f, const struct mlir_node *function)
{
    uint32_t place = mlir_function_place(f, mlir_function_name(function));

    return place < f->functions ? f->partner[place] : NULL;
}

static bool is_cube(const struct mlir_node *function)
{
    return mlir_function_cores(function) == 1u << PTO_AIC;
}

/* How much of the name stands before "_aic"; 0: it does not end so. */
static size_t stem(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);

    return length > tail && !strcmp(name + length - tail, end) ? length - tail : 0;
}

const char *mlir_name_together(struct mlir_text *t, const struct mlir_functions *f,
                               const struct mlir_node *one, const struct mlir_node *other)
{
    const char *cube = mlir_function_name(is_cube(one) ? one : other);
    const char *vector = mlir_function_name(is_cube(one) ? other : one);
    size_t length = stem(cube, "_aic");
    const char *name;

    if (!length || length != stem(vector, "_aiv") || strncmp(cube, vector, length) != 0)
        return cube;
    name = pto_arena_printf(&t->arena, "%.*s", (int)length, cube);
    return mlir_function(f, name) ? cube : name;
}

/* ---- the function that calls both ---- */

/* What is written one after the other; its nodes stand where `at` does. */
struct row {
    struct mlir_text *t;
    const struct mlir_node *at;
    struct mlir_node *first, **end;
};

static struct row row_begin(struct mlir_text *t, const struct mlir_node *at)
{
    return (struct row){.t = t, .at = at};
}

static struct mlir_node *put(struct row *row, enum mlir_kind kind, const char *text,
                             struct mlir_node *inside)
{
    struct mlir_node *node = pto_arena_alloc(&row->t->arena, sizeof *node);

    *node = (struct mlir_node){.kind = (uint8_t)kind, .line = row->at->line,
                               .column = row->at->column, .length = row->at->length, .text = text,
                               .first = inside};
    *(row->first ? row->end : &row->first) = node;
    row->end = &node->next;
    return node;
}

static bool ends_argument(const struct mlir_node *node)
{
    return !node || mlir_is(node, MLIR_SIGN, ",");
}

/* A name with its type, as it is written. */
static void put_argument(struct row *row, const struct mlir_node *name)
{
    if (row->first)
        put(row, MLIR_SIGN, ",", NULL);
    for (const struct mlir_node *node = name; !ends_argument(node); node = node->next) {
        row->at = node;
        put(row, (enum mlir_kind)node->kind, node->text, node->first);
    }
}

static bool same(const struct mlir_node *a, const struct mlir_node *b)
{
    return a->kind == b->kind && (!a->text || !b->text ? a->text == b->text
                                                       : !strcmp(a->text, b->text));
}

/* Up to the end of what is written in brackets, or of an argument. */
static bool same_row(const struct mlir_node *a, const struct mlir_node *b, bool whole)
{
    for (; a && b && (whole || (!ends_argument(a) && !ends_argument(b)));
         a = a->next, b = b->next)
        if (!same(a, b) || !same_row(a->first, b->first, true))
            return false;
    return whole ? !a && !b : ends_argument(a) && ends_argument(b);
}

static const struct mlir_node *find_argument(const struct mlir_node *list, const char *name)
{
    while (list && !mlir_is(list, MLIR_SSA, name))
        list = list->next;
    return list;
}

/* Those of the second function that the first one does not have; false after an error. */
static bool put_others(struct row *row, const struct mlir_node *one, const struct mlir_node *other)
{
    for (const struct mlir_node *node = mlir_arguments(other); node; node = node->next) {
        const struct mlir_node *known =
            node->kind == MLIR_SSA ? find_argument(mlir_arguments(one), node->text) : NULL;

        if (node->kind != MLIR_SSA)
            continue;
        if (!known) {
            put_argument(row, node);
        } else if (!same_row(known->next, node->next, false)) {
            mlir_error(row->t, node, "'%%%s' has another type in '@%s', which is launched together "
                       "with '@%s'", node->text, mlir_function_name(one),
                       mlir_function_name(other));
            return false;
        }
    }
    return true;
}

static void put_call(struct row *body, const struct mlir_node *function)
{
    struct row call = row_begin(body->t, function), given = row_begin(body->t, function);

    for (const struct mlir_node *node = mlir_arguments(function); node; node = node->next)
        if (node->kind == MLIR_SSA) {
            if (given.first)
                put(&given, MLIR_SIGN, ",", NULL);
            put(&given, MLIR_SSA, node->text, NULL);
        }
    put(&call, MLIR_SYMBOL, mlir_function_name(function), NULL);
    put(&call, MLIR_PAREN, "", given.first);
    body->at = function;
    put(body, MLIR_OP, "func.call", call.first);
}

struct mlir_node *mlir_call_together(struct mlir_text *t, const struct mlir_functions *f,
                                     const struct mlir_node *one, const struct mlir_node *other)
{
    struct row list = row_begin(t, one), body = row_begin(t, one), head = row_begin(t, one);
    struct row entry = row_begin(t, one);

    for (const struct mlir_node *node = mlir_arguments(one); node; node = node->next)
        if (node->kind == MLIR_SSA)
            put_argument(&list, node);
    if (!put_others(&list, one, other))
        return NULL;
    put_call(&body, one);
    put_call(&body, other);
    body.at = other;
    put(&body, MLIR_OP, "return", NULL);
    put(&head, MLIR_SYMBOL, mlir_name_together(t, f, one, other), NULL);
    put(&head, MLIR_PAREN, "", list.first);
    put(&head, MLIR_REGION, "", body.first);
    return put(&entry, MLIR_OP, "func.func", head.first);
}
