#include "mlir/functions.h"

#include <stdlib.h>
#include <string.h>

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

bool mlir_is_call(const struct mlir_node *op)
{
    return op->kind == MLIR_OP && (!strcmp(op->text, "call") || !strcmp(op->text, "func.call")) &&
           op->first && op->first->kind == MLIR_SYMBOL;
}

static bool is_change(const struct mlir_node *op)
{
    return op->kind == MLIR_OP && !strcmp(op->text, "pto.set_validshape") && op->first;
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
            PTO_GROW(f->called, f->calls, f->call_capacity);
            f->called[f->calls++] = node->first->text;
        }
        if (is_change(node)) {
            PTO_GROW(f->changed, f->changes, f->change_capacity);
            f->changed[f->changes++] = node->first->text;
        }
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

void mlir_functions_find(struct mlir_functions *f, const struct mlir_text *tree)
{
    *f = (struct mlir_functions){.functions = 0};
    find(f, tree->root, false);
    if (f->functions)
        qsort(f->function, f->functions, sizeof(struct mlir_node *), by_name);
    if (f->calls)
        qsort(f->called, f->calls, sizeof *f->called, by_text);
    if (f->changes)
        qsort(f->changed, f->changes, sizeof *f->changed, by_text);
}

void mlir_functions_free(struct mlir_functions *f)
{
    free(f->function);
    free(f->called);
    free(f->changed);
    *f = (struct mlir_functions){.functions = 0};
}

struct mlir_node *mlir_function(const struct mlir_functions *f, const char *name)
{
    uint32_t first = 0, end = f->functions;

    while (first < end) {
        uint32_t middle = first + (end - first) / 2;

        if (strcmp(mlir_function_name(f->function[middle]), name) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    if (first < f->functions && !strcmp(mlir_function_name(f->function[first]), name))
        return f->function[first];
    return NULL;
}

bool mlir_is_called(const struct mlir_functions *f, const char *name)
{
    return f->calls && bsearch(&name, f->called, f->calls, sizeof *f->called, by_text);
}

bool mlir_is_changed(const struct mlir_functions *f, const char *tile)
{
    return f->changes && bsearch(&tile, f->changed, f->changes, sizeof *f->changed, by_text);
}
