#include "mlir/functions.h"

#include <stdlib.h>
#include <string.h>

#include "mlir/together.h"

bool mlir_is_function(const struct mlir_node *node)
{
    return node->kind == MLIR_OP && !strcmp(node->text, "func.func");
}

const char *mlir_function_name(const struct mlir_node *function)
{
    const struct mlir_node *node = function->first;

    while (node && node->kind != MLIR_SYMBOL)
        node = node->next;
    return node ? node->text : "";
}

const struct mlir_node *mlir_arguments(const struct mlir_node *function)
{
    const struct mlir_node *node = function->first;

    while (node && node->kind != MLIR_PAREN)
        node = node->next;
    return node ? node->first : NULL;
}

bool mlir_is_call(const struct mlir_node *op)
{
    return op->kind == MLIR_OP && (!strcmp(op->text, "call") || !strcmp(op->text, "func.call")) &&
           op->first && op->first->kind == MLIR_SYMBOL;
}

static bool is_change(const struct mlir_node *op)
{
    return op->kind == MLIR_OP && !strcmp(op->text, "pto.set_validshape") && op->first;
}

static void add_change(struct mlir_functions *f, const char *tile)
{
    PTO_GROW(f->changed, f->changes, f->change_capacity);
    f->changed[f->changes++] = tile;
}

/* Functions stand in modules, calls and changes anywhere. */
static void find(struct mlir_functions *f, struct mlir_node *inside, bool in_function)
{
    for (struct mlir_node *node = inside->first; node; node = node->next) {
        bool function = mlir_is_function(node);

        if (node->kind != MLIR_OP && node->kind != MLIR_REGION)
            continue;
        if (function && !in_function) {
            PTO_GROW(f->function, f->functions, f->function_capacity);
            f->function[f->functions++] = node;
        }
        if (mlir_is_call(node)) {
            PTO_GROW(f->call, f->calls, f->call_capacity);
            f->call[f->calls++] = node->first;
        }
        if (is_change(node))
            add_change(f, node->first->text);
        find(f, node, in_function || function);
    }
}

static int by_name(const void *left, const void *right)
{
    const struct mlir_node *a = *(struct mlir_node *const *)left;
    const struct mlir_node *b = *(struct mlir_node *const *)right;
    int order = strcmp(mlir_function_name(a), mlir_function_name(b));

    if (order)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const struct mlir_node *next_value(const struct mlir_node *node)
{
    while (node && node->kind != MLIR_SSA)
        node = node->next;
    return node;
}

/* Arguments whose names a function changes are changed where it is called. */
static void follow_arguments(struct mlir_functions *f, const struct mlir_node *call)
{
    const struct mlir_node *given = call->next, *function = mlir_function(f, call->text);
    const struct mlir_node *name = next_value(function ? mlir_arguments(function) : NULL);

    given = next_value(given && given->kind == MLIR_PAREN ? given->first : NULL);
    for (; name && given; name = next_value(name->next), given = next_value(given->next))
        if (mlir_is_changed(f, name->text) && !mlir_is_changed(f, given->text))
            add_change(f, given->text);
}

static void sort_texts(const char **text, uint32_t count)
{
    if (count)
        qsort(text, count, sizeof *text, by_text);
}

static void find_changes(struct mlir_functions *f)
{
    uint32_t before;

    sort_texts(f->changed, f->changes);
    do {
        uint32_t known = before = f->changes;

        for (uint32_t i = 0; i < f->calls && before; i++) {
            follow_arguments(f, f->call[i]);
            if (f->changes != known)
                sort_texts(f->changed, f->changes);
            known = f->changes;
        }
    } while (f->changes != before);
}

void mlir_functions_find(struct mlir_functions *f, const struct mlir_text *tree)
{
    *f = (struct mlir_functions){.functions = 0};
    find(f, tree->root, false);
    if (f->functions)
        qsort(f->function, f->functions, sizeof(struct mlir_node *), by_name);
    find_changes(f);
    f->called = f->calls ? pto_xcalloc(f->calls, sizeof *f->called) : NULL;
    for (uint32_t i = 0; i < f->calls; i++)
        f->called[i] = f->call[i]->text;
    sort_texts(f->called, f->calls);
    f->partner = f->functions ? pto_xcalloc(f->functions, sizeof(struct mlir_node *)) : NULL;
    mlir_pair_up(f);
}

void mlir_functions_free(struct mlir_functions *f)
{
    free(f->function);
    free(f->partner);
    free(f->call);
    free(f->called);
    free(f->changed);
    *f = (struct mlir_functions){.functions = 0};
}

uint32_t mlir_function_place(const struct mlir_functions *f, const char *name)
{
    uint32_t first = 0, end = f->functions;

    while (first < end) {
        uint32_t middle = first + (end - first) / 2;

        if (strcmp(mlir_function_name(f->function[middle]), name) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return first < f->functions && !strcmp(mlir_function_name(f->function[first]), name)
               ? first
               : f->functions;
}

struct mlir_node *mlir_function(const struct mlir_functions *f, const char *name)
{
    uint32_t place = mlir_function_place(f, name);

    return place < f->functions ? f->function[place] : NULL;
}

bool mlir_is_called(const struct mlir_functions *f, const char *name)
{
    return f->calls && bsearch(&name, f->called, f->calls, sizeof *f->called, by_text);
}

bool mlir_is_changed(const struct mlir_functions *f, const char *tile)
{
    return f->changes && bsearch(&tile, f->changed, f->changes, sizeof *f->changed, by_text);
}
