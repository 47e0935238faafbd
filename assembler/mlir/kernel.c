/* Functions to kernels: arguments, cores, and the whole of the text. */
#include <stdlib.h>
#include <string.h>

#include "mlir/lower.h"
#include "mlir/together.h"
#include "core_name.h"

/* ---- what an operation, or one inside of it, says ---- */

typedef bool test(const struct mlir_node *op, const void *what);

static bool any(const struct mlir_node *inside, test *is_it, const void *what)
{
    for (const struct mlir_node *node = inside->first; node; node = node->next) {
        if (node->kind == MLIR_OP && is_it(node, what))
            return true;
        if ((node->kind == MLIR_OP || node->kind == MLIR_REGION) && any(node, is_it, what))
            return true;
    }
    return false;
}

static bool is_named(const struct mlir_node *op, const void *what)
{
    return !strcmp(op->text, what);
}

static bool is_flag(const struct mlir_node *op, const void *what)
{
    static const char *const name[] = {"pto.set_flag", "pto.wait_flag", "pto.set_flag_dyn",
                                       "pto.wait_flag_dyn", "pto.record_event", "pto.wait_event"};

    (void)what;
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(op->text, name[i]))
            return true;
    return false;
}

static bool asks_block(const struct mlir_node *op, const void *what)
{
    (void)what;
    return !strcmp(op->text, "pto.get_block_idx") || mlir_is_given_block(op);
}

/* Does a tile type, or one inside of it, name a memory of one kind of sub-core? */
static bool names_memory(const struct mlir_node *type, bool of_cube)
{
    static const char *const cube[] = {"mat", "left", "right", "acc", "bias", "scaling"};

    for (const struct mlir_node *node = type->first; node; node = node->next) {
        if (!of_cube && mlir_is(node, MLIR_WORD, "vec"))
            return true;
        for (unsigned i = 0; of_cube && i < sizeof cube / sizeof *cube; i++)
            if (mlir_is(node, MLIR_WORD, cube[i]))
                return true;
        if (node->kind == MLIR_ANGLE && names_memory(node, of_cube))
            return true;
    }
    return false;
}

/* A tile of the memories of one kind of sub-core. */
static bool makes_tile(const struct mlir_node *op, const void *what)
{
    const struct mlir_node *type = op->first;

    if (strcmp(op->text, "pto.alloc_tile") != 0 && strcmp(op->text, "pto.alloc_multi_tile") != 0)
        return false;
    while (type && type->kind != MLIR_ANGLE)
        type = type->next;
    return type && names_memory(type, *(const unsigned *)what == PTO_AIC);
}

unsigned mlir_function_cores(const struct mlir_node *function)
{
    const struct mlir_node *kind = mlir_attribute(function, "pto.kernel_kind");
    const char *word = kind ? mlir_enum_word(kind) : "";

    if (!strcmp(word, "cube"))
        return 1u << PTO_AIC;
    return !strcmp(word, "vector") ? 1u << PTO_AIV : 0;
}

/* ---- the cores of a kernel ---- */

static unsigned called_cores(const struct mlir_lower *l, const struct mlir_node *inside)
{
    unsigned cores = 0;

    for (const struct mlir_node *node = inside->first; node; node = node->next) {
        if (mlir_is_call(node)) {
            const struct mlir_node *function = mlir_function(l->functions, node->first->text);

            cores |= function ? mlir_function_cores(function) : 0;
        }
        if (node->kind == MLIR_OP || node->kind == MLIR_REGION)
            cores |= called_cores(l, node);
    }
    return cores;
}

static unsigned tile_cores(const struct mlir_node *function)
{
    unsigned cores = 0;

    for (unsigned core = 0; core < PTO_CORE_KINDS; core++)
        if (any(function, makes_tile, &core))
            cores |= 1u << core;
    return cores;
}

/* Which programs a kernel has; 0 after an error. */
static unsigned find_cores(struct mlir_lower *l)
{
    const unsigned both = (1u << PTO_AIC) | (1u << PTO_AIV);
    unsigned cores = mlir_function_cores(l->kernel) | called_cores(l, l->kernel);

    if (any(l->kernel, is_named, "pto.section.cube"))
        cores |= 1u << PTO_AIC;
    if (any(l->kernel, is_named, "pto.section.vector"))
        cores |= 1u << PTO_AIV;
    if (cores)
        return cores;
    cores = tile_cores(l->kernel);
    if (cores == both) {
        mlir_refuse(l, l->kernel, l->kernel, "the function '@%s' has tiles of the cube and of the "
                    "vector sub-cores, but no sections that tell them apart",
                    mlir_function_name(l->kernel));
        return 0;
    }
    return cores ? cores : 1u << PTO_AIV;
}

/* ---- a kernel ---- */

/* A function that never asks which block it is was written for one. */
static void lower_core(struct mlir_lower *l, enum pto_core_kind core, bool one_block,
                       struct mlir_out *code)
{
    uint32_t scope = l->bindings;

    l->core = core;
    l->tile = NULL;
    l->last_tile = &l->tile;
    l->again = NULL;
    l->code = (struct mlir_out){.indent = 1, .source = l->tree};
    mlir_rings_begin(l);
    if (one_block) {
        mlir_line(&l->code, l->kernel, ".if block_id() == 0");
        l->code.indent++;
    }
    mlir_body(l, mlir_region(l->kernel, 0));
    if (l->results)
        mlir_refuse(l, l->kernel, l->kernel, "a kernel returns nothing");
    if (one_block) {
        l->code.indent--;
        mlir_line(&l->code, l->kernel, ".endif");
    }
    mlir_scope_end(l, scope);
    *code = l->code;
}

static void lower_cores(struct mlir_lower *l, unsigned set, bool one_block, struct mlir_out *out)
{
    struct mlir_tile *tile[PTO_CORE_KINDS] = {NULL};
    struct mlir_out code[PTO_CORE_KINDS] = {{.lines = 0}};

    for (unsigned core = 0; core < PTO_CORE_KINDS; core++) {
        if (!(set & (1u << core)))
            continue;
        lower_core(l, (enum pto_core_kind)core, one_block, &code[core]);
        tile[core] = l->tile;
    }
    mlir_share_tiles(l, tile);
    for (unsigned core = 0; core < PTO_CORE_KINDS; core++) {
        if (!(set & (1u << core)))
            continue;
        mlir_line(out, l->kernel, ".core %s", pto_core_names[core]);
        mlir_tiles_declare(tile[core], out);
        mlir_out_append(out, &code[core]);
        mlir_out_free(&code[core]);
    }
}

static void lower_kernel(struct mlir_lower *l, bool one_block, struct mlir_out *out)
{
    struct mlir_out cores = {.lines = 0}, rings = {.lines = 0};
    unsigned set = find_cores(l);

    l->mixed = set == ((1u << PTO_AIC) | (1u << PTO_AIV));
    mlir_line(out, l->kernel, ".kernel %s", mlir_function_name(l->kernel));
    if (!l->mixed)
        mlir_line(out, l->kernel, ".mix 1:1");
    if (set && mlir_add_arguments(l)) {
        mlir_rings_find(l, l->kernel);
        mlir_rings_declare(l, &rings);
        lower_cores(l, set, one_block, &cores);
        mlir_out_append(out, &l->params);
        mlir_declare_objects(l, out);
        mlir_out_append(out, &l->views);
        mlir_out_append(out, &rings);
        mlir_out_append(out, &cores);
    }
    mlir_out_free(&l->params);
    mlir_out_free(&l->views);
    mlir_out_free(&rings);
    mlir_out_free(&cores);
    free(l->name);
    free(l->reg);
    free(l->binding);
}

/* ---- a file ---- */

struct import {
    struct mlir_text *tree;
    const struct mlir_options *options;
    struct mlir_functions functions;
    bool asks_block; /* which block it is */
    struct mlir_out out;
    unsigned kernels;
    bool failed;
};

static void import_function(struct import *import, struct mlir_node *function)
{
    struct mlir_lower *l = pto_xcalloc(1, sizeof *l);

    l->tree = import->tree;
    l->options = import->options;
    l->functions = &import->functions;
    l->arena = &import->tree->arena;
    l->kernel = function;
    l->last_object = &l->object;
    lower_kernel(l, !import->asks_block, &import->out);
    import->failed |= l->errors > 0;
    import->kernels++;
    free(l);
}

/* `func.func private @F`: for the calls of its module, no entry of its own. */
static bool is_private(const struct mlir_node *function)
{
    const struct mlir_node *node = function->first;

    while (node && node->kind == MLIR_WORD && strcmp(node->text, "private") != 0)
        node = node->next;
    return mlir_is(node, MLIR_WORD, "private");
}

static bool is_wanted(const struct import *import, const struct mlir_node *function)
{
    const char *name = mlir_function_name(function);

    if (!mlir_region(function, 0))
        return false;
    if (import->options->function)
        return !strcmp(import->options->function, name);
    return !is_private(function) && !mlir_is_called(&import->functions, name);
}

/* Two functions of one kernel, which `--function` may call by its name or by either of theirs. */
static bool are_wanted(const struct import *import, const struct mlir_node *one,
                       const struct mlir_node *other)
{
    const char *wanted = import->options->function;

    return is_wanted(import, one) || is_wanted(import, other) ||
           (wanted && !strcmp(wanted, mlir_name_together(import->tree, &import->functions, one,
                                                         other)));
}

/* Where the first one of the two stands, for both. */
static void import_together(struct import *import, struct mlir_node *one, struct mlir_node *other)
{
    struct mlir_node *entry;

    if (other->line < one->line || (other->line == one->line && other->column < one->column) ||
        !are_wanted(import, one, other))
        return;
    entry = mlir_call_together(import->tree, &import->functions, one, other);
    if (entry)
        import_function(import, entry);
    else
        import->failed = true;
}

static void import_kernel(struct import *import, struct mlir_node *function)
{
    struct mlir_node *partner = mlir_partner(&import->functions, function);

    if (partner)
        import_together(import, function, partner);
    else if (is_wanted(import, function))
        import_function(import, function);
}

/* What modules and functions say that changes what their text means. */
static bool check_word(struct import *import, struct mlir_node *node, const char *key,
                       const char *words)
{
    const struct mlir_node *value = mlir_attribute(node, key);

    if (!value || mlir_is_among(words, mlir_enum_word(value)))
        return true;
    pto_diag_hint(import->tree->diags,
                  mlir_error(import->tree, value, "'%s' is no value of '%s'",
                             mlir_enum_word(value), key), "one of: %s", words);
    return false;
}

/* Modules and functions, also those that become no kernel. */
static void check_outer(struct import *import, struct mlir_node *node)
{
    struct mlir_lower *l = pto_xcalloc(1, sizeof *l);

    l->tree = import->tree;
    l->arena = &import->tree->arena;
    mlir_check_form(l, node);
    if (mlir_is_function(node))
        mlir_check_function(l, node);
    if (l->errors || !check_word(import, node, "pto.target_arch", "a2 a3 a2a3 a5") ||
        !check_word(import, node, "pto.kernel_kind", "cube vector"))
        import->failed = true;
    free(l);
}

static void import_region(struct import *import, struct mlir_node *region)
{
    for (struct mlir_node *node = region->first; node; node = node->next) {
        bool is_function = mlir_is_function(node);

        if (is_function && !*mlir_function_name(node)) {
            pto_diag_hint(import->tree->diags,
                          mlir_error(import->tree, node, "this function has no name"),
                          "func.func @NAME(...) {..}");
            import->failed = true;
            continue;
        }
        if (is_function || mlir_is(node, MLIR_OP, "module") ||
            mlir_is(node, MLIR_OP, "builtin.module"))
            check_outer(import, node);
        if (node->kind == MLIR_REGION || mlir_is(node, MLIR_OP, "module") ||
            mlir_is(node, MLIR_OP, "builtin.module")) {
            import_region(import, node);
        } else if (is_function) {
            import_kernel(import, node);
        } else if (node->kind == MLIR_OP) {
            mlir_error(import->tree, node, "a function or module was expected, not '%s'",
                       node->text);
            import->failed = true;
        }
    }
}

/* Calls would take one of two functions of a name; they are sorted by names and places. */
static bool name_twice(struct import *import)
{
    const struct mlir_functions *f = &import->functions;

    for (uint32_t i = 1; i < f->functions; i++) {
        const struct mlir_node *first = f->function[i - 1], *again = f->function[i];
        const char *name = mlir_function_name(again);

        if (!*name || strcmp(name, mlir_function_name(first)) != 0)
            continue;
        mlir_error(import->tree, again, "there is a function '@%s' already, in line %u", name,
                   first->line);
        return true;
    }
    return false;
}

static void no_kernel(struct import *import)
{
    const struct mlir_functions *f = &import->functions;
    struct mlir_text *tree = import->tree;

    for (uint32_t i = 0; i < f->functions; i++) {
        const char *name = mlir_function_name(f->function[i]);

        if (!mlir_region(f->function[i], 0) || mlir_is_called(f, name))
            continue;
        pto_diag_hint(tree->diags,
                      mlir_error(tree, f->function[i], "'@%s' is private, and no function here "
                                 "calls it: it is no kernel", name),
                      "--function %s takes it all the same", name);
        return;
    }
    mlir_error(tree, tree->root, "no function here has a body and is called by no other");
}

enum pto_status mlir_import(const char *name, const char *text, size_t size,
                            const struct mlir_options *options, struct mlir_result *result,
                            struct pto_diags *diags)
{
    struct mlir_text tree = {.name = name, .text = text, .size = size, .diags = diags};
    struct import import = {.tree = &tree, .options = options, .failed = !mlir_parse(&tree)};

    *result = (struct mlir_result){.lines = 0};
    if (!import.failed) {
        mlir_line(&import.out, tree.root, ".assembled_for \"%s\"", options->profile->name);
        result->has_flags = any(tree.root, is_flag, NULL);
        mlir_functions_find(&import.functions, &tree);
        import.asks_block = any(tree.root, asks_block, NULL);
        import_region(&import, tree.root);
        import.failed |= name_twice(&import);
    }
    if (!import.failed && !import.kernels) {
        if (options->function)
            mlir_error(&tree, tree.root, "there is no function '@%s' with a body",
                       options->function);
        else
            no_kernel(&import);
        import.failed = true;
    }
    result->text = import.out.text;
    result->place = import.out.place;
    result->lines = import.out.lines;
    mlir_functions_free(&import.functions);
    mlir_text_free(&tree);
    return import.failed ? PTO_EPROGRAM : PTO_OK;
}

void mlir_result_free(struct mlir_result *result)
{
    pto_buf_free(&result->text);
    free(result->place);
    *result = (struct mlir_result){.lines = 0};
}

/* ---- what a text says of itself ---- */

const char *mlir_profile(const char *text, size_t size)
{
    struct pto_diags silent = {.max_errors = 1};
    struct mlir_text tree = {.name = "", .text = text, .size = size, .diags = &silent};
    const char *profile = "a3";

    if (mlir_parse(&tree))
        for (const struct mlir_node *node = tree.root->first; node; node = node->next) {
            const struct mlir_node *arch = mlir_attribute(node, "pto.target_arch");

            if (arch)
                profile = !strcmp(mlir_enum_word(arch), "a5") ? "a5" : "a3";
        }
    mlir_text_free(&tree);
    pto_diags_free(&silent);
    return profile;
}

/* ---- diagnostics about the text that came out ---- */

void mlir_move_diags(const struct mlir_result *result, const char *name,
                     const struct pto_diags *from, struct pto_diags *to)
{
    const char *last = NULL;
    uint32_t line = 0;

    for (const struct pto_diag *diag = from->first; diag; diag = diag->next) {
        struct mlir_place place = {0};
        struct pto_diag *moved;

        if (diag->line && diag->line <= result->lines)
            place = result->place[diag->line - 1];
        if (last && !strcmp(last, diag->message) && place.line == line)
            continue; /* of another operand, which is told by the same words */
        last = diag->message;
        line = place.line;
        moved = pto_diag_add(to, diag->severity, name, place.line, place.column, "%s",
                             diag->message);
        moved->length = place.length;
        if (diag->hint)
            pto_diag_hint(to, moved, "%s", diag->hint);
    }
}
