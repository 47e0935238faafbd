/* Names.  A symbol is visible in the section that defines it (0: the whole text; each kernel and
 * each core has a number of its own) and, if a macro's own text wrote it, only in that use of the
 * macro and the uses inside it. */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

#include "assembly.h"
#include "call.h"
#include "text/macro.h"
#include "text/text.h"

const char *asm_symbol_kind_name(enum asm_symbol_kind kind)
{
    static const char *const names[] = {
        [SYM_MACRO] = "a macro",   [SYM_CONSTANT] = "a constant",
        [SYM_PARAM] = "a parameter", [SYM_OBJECT] = "a global object",
        [SYM_TILE] = "a tile",     [SYM_LOCAL] = "a local array",
        [SYM_REG] = "a register",  [SYM_LABEL] = "a label",
        [SYM_KERNEL] = "a kernel",  [SYM_RING] = "a ring",
        [SYM_TYPE] = "an element type",
    };

    return names[kind];
}

/* The use of a macro is part of the key: a name local to it exists once for every use. */
static uint32_t hash_name(const char *name, enum asm_namespace space, uint32_t section,
                          uint32_t expansion)
{
    uint32_t hash = 2166136261u + (uint32_t)space + 31 * section + 0x9e3779b1u * expansion;

    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash;
}

static void link_symbol(struct assembly *a, struct asm_symbol *s)
{
    uint32_t hash = hash_name(s->name, s->space, s->section, s->expansion);
    struct asm_symbol **bucket = &a->bucket[hash & (a->buckets - 1)];

    s->next_hash = *bucket;
    *bucket = s;
}

static void grow(struct assembly *a)
{
    uint32_t buckets = a->buckets ? 2 * a->buckets : 256;

    free(a->bucket);
    a->bucket = pto_xcalloc(buckets, sizeof *a->bucket);
    a->buckets = buckets;
    for (struct asm_symbol *s = a->first_symbol; s; s = s->next)
        link_symbol(a, s);
}

static struct asm_symbol *find_in(const struct assembly *a, enum asm_namespace space,
                                  const char *name, uint32_t section, uint32_t expansion)
{
    struct asm_symbol *s;

    if (!a->buckets)
        return NULL;
    s = a->bucket[hash_name(name, space, section, expansion) & (a->buckets - 1)];
    while (s && (s->space != space || s->section != section || s->expansion != expansion ||
                 strcmp(s->name, name)))
        s = s->next_hash;
    return s;
}

/* Registers and labels belong to one program. */
static bool is_of_program(enum asm_namespace space)
{
    return space == NS_REG || space == NS_OUTER_REG || space == NS_LOST_REG ||
           space == NS_LABEL || space == NS_LOST_LABEL;
}

/* In one use of a macro (0: outside), from the innermost open section out. */
static struct asm_symbol *find_visible(const struct assembly *a, enum asm_namespace space,
                                       const char *name, uint32_t expansion)
{
    struct asm_symbol *s = NULL;

    if (is_of_program(space))
        return find_in(a, space, name, asm_section_now(a), expansion);
    if (a->core_section)
        s = find_in(a, space, name, a->core_section, expansion);
    if (!s && a->kernel_section)
        s = find_in(a, space, name, a->kernel_section, expansion);
    return s ? s : find_in(a, space, name, 0, expansion);
}

struct asm_symbol *asm_symbol_find(struct assembly *a, enum asm_namespace space,
                                   const struct asm_token *token)
{
    for (uint32_t e = token->expansion;; e = text_outer_expansion(&a->text, e)) {
        struct asm_symbol *s = find_visible(a, space, token->text, e);

        if (s || !e)
            return s;
    }
}

struct asm_symbol *asm_symbol_find_here(struct assembly *a, enum asm_namespace space,
                                        const struct asm_token *token)
{
    return find_visible(a, space, token->text, token->expansion);
}

const struct asm_symbol *asm_symbol_find_setup(struct assembly *a, const struct asm_token *token)
{
    for (uint32_t e = token->expansion;; e = text_outer_expansion(&a->text, e)) {
        const struct asm_symbol *s = find_in(a, NS_REG, token->text, a->kernel_section, e);

        if (s || !e)
            return s;
    }
}

static struct asm_symbol *insert(struct assembly *a, const struct asm_symbol *model)
{
    struct asm_symbol *s = pto_arena_alloc(&a->arena, sizeof *s);

    *s = *model;
    if (a->symbols >= a->buckets)
        grow(a);
    link_symbol(a, s);
    s->next = a->first_symbol;
    a->first_symbol = s;
    a->symbols++;
    return s;
}

static void already(struct assembly *a, const struct asm_token *token, const struct asm_symbol *s)
{
    asm_error(a, token, "'%s' is already %s", token->text, asm_symbol_kind_name(s->kind));
    if (s->token)
        asm_note(a, s->token, "'%s' is defined here", token->text);
}

/* The interface of a kernel is the same for everyone, whoever writes it. */
static bool is_global(enum asm_symbol_kind kind)
{
    return kind == SYM_PARAM || kind == SYM_OBJECT || kind == SYM_RING ||
           kind == SYM_KERNEL;
}

struct asm_symbol *asm_symbol_define(struct assembly *a, enum asm_namespace space,
                                     enum asm_symbol_kind kind, const struct asm_token *token,
                                     uint32_t section, uint32_t index)
{
    uint32_t expansion = is_global(kind) ? 0 : token->expansion;
    struct asm_symbol *s = find_visible(a, space, token->text, expansion);

    if (s) {
        already(a, token, s);
        return NULL;
    }
    if (space == NS_PLAIN && asm_is_function(token->text)) {
        asm_error(a, token, "'%s' is a function and cannot name %s", token->text,
                  asm_symbol_kind_name(kind));
        return NULL;
    }
    return insert(a, &(struct asm_symbol){.kind = kind, .space = space, .name = token->text,
                                          .section = section, .expansion = expansion,
                                          .token = token, .index = index});
}

uint32_t asm_section_now(const struct assembly *a)
{
    return a->core_section ? a->core_section : a->kernel_section;
}

const char *asm_module_name(struct assembly *a, const struct asm_token *token)
{
    char *name = pto_arena_strdup(&a->module->arena, token->text), *point;

    if (!token->expansion)
        return name;
    if (strlen(name) > ASM_MAX_NAME) /* with a number of its own, which becomes part of the name */
        asm_error(a, token, "a name has at most %d characters", ASM_MAX_NAME);
    point = strchr(name, '.');
    if (point)
        *point = '_';
    return pto_arena_printf(&a->module->arena, "%s.%u", name, token->expansion);
}

static bool is_visible(const struct assembly *a, const struct asm_symbol *s)
{
    if (s->expansion) /* names of macro uses are not for others to suggest */
        return false;
    if (is_of_program(s->space))
        return s->section == asm_section_now(a);
    return !s->section || s->section == a->kernel_section || s->section == a->core_section;
}

const char *asm_symbol_nearest(struct assembly *a, enum asm_namespace space, unsigned kinds,
                               const char *name)
{
    const char **candidate, *nearest;
    unsigned count = 0;

    if (a->diags->max_errors && a->diags->errors > a->diags->max_errors)
        return NULL; /* nobody sees the hint, and looking for it takes all symbols */
    candidate = pto_xmalloc((a->symbols + 1) * sizeof *candidate);
    for (const struct asm_symbol *s = a->first_symbol; s; s = s->next)
        if (s->space == space && (kinds >> s->kind & 1) && is_visible(a, s))
            candidate[count++] = s->name;
    nearest = pto_nearest(name, candidate, count);
    free(candidate);
    return nearest;
}

bool asm_symbol_hint(struct assembly *a, struct pto_diag *diag, enum asm_namespace space,
                     unsigned kinds, const char *name)
{
    const char *nearest = asm_symbol_nearest(a, space, kinds, name);

    if (nearest)
        asm_hint(a, diag, "did you mean '%s'?", nearest);
    return nearest != NULL;
}

void asm_symbols_free(struct assembly *a)
{
    free(a->bucket);
}
