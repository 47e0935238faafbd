/* Names: those of the imported text, and those that become of them. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/carry.h"
#include "operators.h"

/* ---- diagnostics ---- */

struct pto_diag *mlir_refuse(struct mlir_lower *l, struct mlir_node *op,
                             const struct mlir_node *node, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    if (op->broken)
        return NULL;
    op->broken = true;
    l->errors++;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return mlir_error(l->tree, node, "%s", text);
}

void mlir_break(struct mlir_lower *l, struct mlir_node *op)
{
    const char *name[MLIR_CARRIED];
    unsigned names = mlir_result_names(l, op, name);

    op->broken = true;
    for (unsigned i = 0; i < names; i++)
        mlir_bind_text(l, op, op->result, name[i], mlir_value_new(l, MLIR_V_BROKEN));
}

/* ---- names of this project's language ---- */

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash % MLIR_BUCKETS;
}

static bool is_kept(const char *name)
{
    static const char *const kept[] = {
        "present", "clock", "sizeof", "rank", "nranks", "block_id", "block_num", "sub_id",
        "sub_num", "vec_id", "vec_count", "launch", "node_ranks", "min", "max", "cdiv", "mod",
        "abs", "sqrt", "int", "float", "inf", "nan", "to", "downto", "step", "of", "offset",
        "strides", "stride", "slots", "split", "flags", "free", "optional", "uniform",
    };

    for (unsigned i = 0; i < sizeof kept / sizeof *kept; i++)
        if (!strcmp(kept[i], name))
            return true;
    return pto_dtype_find(name) >= 0;
}

/* The entry of a name that is taken, or NULL. */
static struct mlir_taken *find_taken(struct mlir_lower *l, const char *name)
{
    for (uint32_t at = l->name_bucket[hash_of(name)]; at; at = l->name[at - 1].before)
        if (!strcmp(l->name[at - 1].name, name))
            return &l->name[at - 1];
    return NULL;
}

static void take(struct mlir_lower *l, const char *name)
{
    uint32_t *bucket = &l->name_bucket[hash_of(name)];

    PTO_GROW(l->name, l->names, l->name_capacity);
    l->name[l->names++] = (struct mlir_taken){name, *bucket, 2};
    *bucket = l->names;
}

/* Letters, digits and '_', beginning with a letter; '_' at the front is the assembler's. */
static char *plain_name(struct mlir_lower *l, const char *wanted)
{
    size_t length = strlen(wanted);
    char *name = pto_arena_alloc(l->arena, length + 2), *out = name;

    if (!isalpha((unsigned char)*wanted))
        *out++ = 'v';
    for (; *wanted; wanted++)
        *out++ = isalnum((unsigned char)*wanted) ? *wanted : '_';
    *out = '\0';
    return name;
}

static const char *free_name(struct mlir_lower *l, const char *base)
{
    struct mlir_taken *first = find_taken(l, base);
    const char *name = base;

    while (first && find_taken(l, name))
        name = pto_arena_printf(l->arena, "%s_%u", base, first->next++);
    take(l, name);
    return name;
}

const char *mlir_fresh(struct mlir_lower *l, const char *wanted)
{
    const char *base = plain_name(l, wanted);

    if (is_kept(base) && !find_taken(l, base))
        take(l, base); /* by the language */
    return free_name(l, base);
}

const char *mlir_register(struct mlir_lower *l, const char *ssa, bool is_float)
{
    const char *depth = l->calls ? pto_arena_printf(l->arena, "_in%u", l->calls) : "";
    const char *kind = is_float ? "_f" : "", *name;
    const char *key = pto_arena_printf(l->arena, "%s%s%s %u %u", ssa, kind, depth,
                                       l->arm ? l->arm->line : 0, l->arm ? l->arm->column : 0);
    uint32_t *bucket = &l->reg_bucket[hash_of(key)];

    for (uint32_t at = *bucket; at; at = l->reg[at - 1].before)
        if (!strcmp(l->reg[at - 1].key, key))
            return l->reg[at - 1].name;
    name = free_name(l, pto_arena_printf(l->arena, "%s%s%s", plain_name(l, ssa), kind, depth));
    name = pto_arena_printf(l->arena, "%%%s", name);
    PTO_GROW(l->reg, l->regs, l->reg_capacity);
    l->reg[l->regs++] = (struct mlir_reg){key, name, *bucket};
    *bucket = l->regs;
    return name;
}

/* ---- values ---- */

static uint32_t *bucket_of(struct mlir_lower *l, const char *name)
{
    return &l->bucket[hash_of(name)];
}

struct mlir_value *mlir_value_new(struct mlir_lower *l, enum mlir_value_kind kind)
{
    struct mlir_value *value = pto_arena_alloc(l->arena, sizeof *value);

    value->kind = (uint8_t)kind;
    return value;
}

struct mlir_value *mlir_choice(struct mlir_lower *l, const char *condition, struct mlir_value *yes,
                               struct mlir_value *no)
{
    struct mlir_value *both = mlir_value_new(l, MLIR_V_CHOICE);

    both->choice.condition = condition;
    both->choice.yes = yes;
    both->choice.no = no;
    return both;
}

static const struct mlir_binding *look_up(struct mlir_lower *l, const char *name)
{
    for (uint32_t at = *bucket_of(l, name); at > l->floor; at = l->binding[at - 1].before)
        if (!strcmp(l->binding[at - 1].name, name))
            return &l->binding[at - 1];
    return NULL;
}

/* Who has a name: %a, or %a#0 of several results, which are one name. */
static const struct mlir_binding *owner_of(struct mlir_lower *l, const char *name)
{
    const struct mlir_binding *owner = look_up(l, name);
    const char *number = strchr(name, '#');

    if (owner)
        return owner;
    return look_up(l, number ? pto_arena_strndup(l->arena, name, (size_t)(number - name))
                             : pto_arena_printf(l->arena, "%s#0", name));
}

void mlir_bind_text(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *at,
                    const char *name, struct mlir_value *value)
{
    const struct mlir_binding *before = owner_of(l, name);
    uint32_t *bucket = bucket_of(l, name);

    if (before && !op->broken)
        mlir_refuse(l, op, at, "'%%%s' is made already, in line %u", at->text, before->at->line);
    PTO_GROW(l->binding, l->bindings, l->binding_capacity);
    l->binding[l->bindings++] = (struct mlir_binding){name, value, at, *bucket};
    *bucket = l->bindings;
}

void mlir_bind(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *name,
               struct mlir_value *value)
{
    if (name == op->result && (name->next || name->first))
        mlir_refuse(l, op, op, "'%s' has one result", op->text);
    mlir_bind_text(l, op, name, name->text, value);
}

void mlir_rebind(struct mlir_lower *l, const char *name, struct mlir_value *value)
{
    for (uint32_t at = *bucket_of(l, name); at > l->floor; at = l->binding[at - 1].before)
        if (!strcmp(l->binding[at - 1].name, name)) {
            l->binding[at - 1].value = value;
            return;
        }
}

void mlir_scope_end(struct mlir_lower *l, uint32_t bindings)
{
    while (l->bindings > bindings) {
        const struct mlir_binding *last = &l->binding[--l->bindings];

        *bucket_of(l, last->name) = last->before;
    }
}

struct mlir_value *mlir_bound(struct mlir_lower *l, const char *name)
{
    const struct mlir_binding *binding = look_up(l, name);

    return binding ? binding->value : NULL;
}

/* Where a name is made, in a place from which it is not seen; NULL: nowhere. */
static const struct mlir_node *made_at(const struct mlir_node *inside, const char *name)
{
    for (const struct mlir_node *node = inside->first; node; node = node->next) {
        const struct mlir_node *found = NULL;

        for (const struct mlir_node *result = node->result; result; result = result->next)
            if (result->kind == MLIR_SSA && !strcmp(result->text, name))
                return result;
        if (node->kind == MLIR_SSA && mlir_is(node->next, MLIR_SIGN, "=") &&
            !strcmp(node->text, name))
            return node; /* what a loop counts or carries */
        if (node->kind == MLIR_OP || node->kind == MLIR_REGION || node->kind == MLIR_PAREN)
            found = made_at(node, name);
        if (found)
            return found;
    }
    return NULL;
}

static void no_value(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *name)
{
    const struct mlir_node *made =
        pto_diags_full(l->tree->diags) ? NULL : made_at(l->kernel, name->text);
    struct pto_diag *diag = mlir_refuse(l, op, name, "there is no value '%%%s' here", name->text);

    if (diag && made && made == op->result)
        pto_diag_hint(l->tree->diags, diag, "it is made by this operation itself");
    else if (diag && made && made->line > name->line)
        pto_diag_hint(l->tree->diags, diag, "it is made further down, in line %u", made->line);
    else if (diag && made)
        pto_diag_hint(l->tree->diags, diag, "it is made in line %u, for the region there alone",
                      made->line);
}

struct mlir_value *mlir_find(struct mlir_lower *l, struct mlir_node *op,
                             const struct mlir_node *name)
{
    struct mlir_value *value = name->kind == MLIR_SSA ? mlir_bound(l, name->text) : NULL;

    if (name->kind != MLIR_SSA)
        mlir_refuse(l, op, name, "a value was expected, not '%s'", name->text);
    else if (!value)
        no_value(l, op, name);
    if (value && value->kind != MLIR_V_BROKEN)
        return value;
    op->broken = true;
    return NULL;
}

static const char *kind_name(unsigned kind)
{
    static const char *const name[] = {
        [MLIR_V_SCALAR] = "a number", [MLIR_V_PTR] = "a pointer", [MLIR_V_VIEW] = "a tensor_view",
        [MLIR_V_PART] = "a partition_tensor_view", [MLIR_V_TILE] = "a tile_buf",
        [MLIR_V_TILES] = "a multi_tile_buf", [MLIR_V_ARRAY] = "a local_array",
        [MLIR_V_BUFFER] = "a reserved buffer", [MLIR_V_COUNTS] = "a vector",
        [MLIR_V_CHOICE] = "one of several",
    };

    return name[kind];
}

struct mlir_value *mlir_want(struct mlir_lower *l, struct mlir_node *op,
                             const struct mlir_node *name, enum mlir_value_kind kind)
{
    struct mlir_value *value = mlir_find(l, op, name);

    if (!value || value->kind == kind)
        return value;
    mlir_refuse(l, op, name, "%s was expected, '%%%s' is %s", kind_name(kind), name->text,
                kind_name(value->kind));
    return NULL;
}
