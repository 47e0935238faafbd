/* Sources, and the way back to them: diagnostics with line and trail, positions of the module. */
#include "program/asm.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

static const char *real_path(struct assembly *a, const char *path)
{
    char *real = realpath(path, NULL);
    const char *copy = real ? pto_arena_strdup(&a->arena, real) : NULL;

    free(real);
    return copy;
}

static void split_lines(struct assembly *a, struct asm_source *source, const char *text,
                        size_t size)
{
    const char *end = text + size;
    uint32_t count = 1;

    for (const char *c = text; c < end; c++)
        count += *c == '\n';
    source->line = pto_arena_array(&a->arena, count, sizeof *source->line);
    source->lines = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((newline ? newline : end) - text);

        if (length && text[length - 1] == '\r')
            length--;
        source->line[i] = pto_arena_strndup(&a->arena, text, length);
        text = newline ? newline + 1 : end;
    }
}

struct asm_source *asm_source_add(struct assembly *a, const char *name, const char *text,
                                  size_t size, bool is_file)
{
    struct asm_source *source = pto_arena_alloc(&a->arena, sizeof *source);

    source->name = pto_arena_strdup(&a->arena, name);
    source->module_file = PTO_NONE;
    source->is_file = is_file;
    source->real = is_file ? real_path(a, name) : NULL;
    if (a->last_source)
        a->last_source->next = source;
    else
        a->source = source;
    a->last_source = source;
    split_lines(a, source, text, size);
    asm_lex(a, source, text, size);
    return source;
}

/* Read one candidate; NULL with *why set. */
static struct asm_source *open_file(struct assembly *a, const char *path, const char **why)
{
    struct pto_buf text = {0};
    struct asm_source *source = NULL;
    const char *real = real_path(a, path);

    for (source = a->source; source; source = source->next)
        if (source->is_file && (!strcmp(source->name, path) ||
                                (source->library && real && source->real &&
                                 !strcmp(source->real, real))))
            return source;
    if (pto_file_read(path, &text, why) == PTO_OK) {
        if (text.size > ASM_MAX_SOURCE)
            *why = "it is larger than 16 MiB";
        else
            source = asm_source_add(a, path, (const char *)text.data, text.size, true);
    }
    pto_buf_free(&text);
    return source;
}

struct asm_source *asm_source_include(struct assembly *a, const struct asm_token *name)
{
    const char *from = name->origin->source->name, *slash = strrchr(from, '/');
    const char *why = NULL, *first_why;
    struct asm_source *source;
    struct pto_buf tried = {0};

    if (*name->text == '/' || !slash)
        source = open_file(a, name->text, &why);
    else
        source = open_file(a, pto_arena_printf(&a->arena, "%.*s/%s", (int)(slash - from), from,
                                               name->text), &why);
    first_why = why;
    for (unsigned i = 0; !source && *name->text != '/' && i < a->options->include_dirs; i++) {
        source = open_file(a, pto_arena_printf(&a->arena, "%s/%s", a->options->include_dir[i],
                                               name->text), &why);
        pto_buf_printf(&tried, " %s", a->options->include_dir[i]);
    }
    if (!source) {
        struct pto_diag *diag = asm_error(a, name, "cannot read '%s': %s", name->text, first_why);

        asm_hint(a, diag, "looked beside the including file%s%s; -I DIR adds a folder",
                 tried.size ? " and in" : "", pto_buf_text(&tried));
    }
    pto_buf_free(&tried);
    return source;
}

/* ---- diagnostics ---- */

static const char *line_text(const struct asm_source *source, uint32_t line)
{
    return line >= 1 && line <= source->lines ? source->line[line - 1] : NULL;
}

/* One step of a trail, as a note of its own. */
static struct pto_diag *trail_step(struct assembly *a, const struct asm_origin *origin)
{
    struct pto_arena *arena = &a->diags->arena;
    struct pto_diag *step = pto_arena_alloc(arena, sizeof *step);

    step->severity = PTO_NOTE;
    step->file = pto_arena_strdup(arena, origin->from->origin->source->name);
    step->line = origin->from->line;
    step->column = origin->from->column;
    step->length = origin->from->length;
    step->message = origin->macro
                        ? pto_arena_printf(arena, "in expansion of macro '%s'", origin->macro)
                        : "included from here";
    return step;
}

/* The includes and macro uses around a token, innermost first; the middle of a long trail is left
 * out. */
static struct pto_diag *trail_of(struct assembly *a, const struct asm_origin *origin)
{
    enum { INNER = 6, OUTER = 3 };
    struct pto_diag *first = NULL, **next = &first;
    uint32_t steps = origin->depth;

    for (uint32_t i = 0; i < steps; i++, origin = origin->from->origin) {
        if (i >= INNER && i < steps - OUTER && steps > INNER + OUTER + 1) {
            if (i > INNER)
                continue;
            *next = pto_arena_alloc(&a->diags->arena, sizeof **next);
            (*next)->severity = PTO_NOTE;
            (*next)->message = pto_arena_printf(&a->diags->arena, "(%u more)",
                                                steps - INNER - OUTER);
        } else {
            *next = trail_step(a, origin);
        }
        next = &(*next)->trail;
    }
    return first;
}

static struct pto_diag *add_diag(struct assembly *a, enum pto_severity severity,
                                 const struct asm_token *token, uint32_t length,
                                 const char *text)
{
    const struct asm_source *source = token->origin->source;
    struct pto_diag *diag = pto_diag_add(a->diags, severity, source->name, token->line,
                                         token->column, "%s", text);
    const char *line = line_text(source, token->line);

    diag->length = length ? length : 1;
    diag->source_line = line ? pto_arena_strdup(&a->diags->arena, line) : NULL;
    diag->trail = trail_of(a, token->origin);
    return diag;
}

static const char *format_text(struct assembly *a, const char *format, va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof text, format, args);
    return pto_arena_strdup(&a->arena, text);
}

struct pto_diag *asm_error(struct assembly *a, const struct asm_token *token, const char *format,
                           ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = format_text(a, format, args);
    va_end(args);
    return add_diag(a, PTO_ERROR, token, token->length, text);
}

struct pto_diag *asm_error_expr(struct assembly *a, const struct asm_expr *expr,
                                const char *format, ...)
{
    const struct asm_token *begin = expr->begin, *end = expr->end;
    uint32_t length = begin->length;
    va_list args;
    const char *text;

    if (begin->origin == end->origin && begin->line == end->line && end->column >= begin->column)
        length = end->column + end->length - begin->column;
    va_start(args, format);
    text = format_text(a, format, args);
    va_end(args);
    return add_diag(a, PTO_ERROR, begin, length, text);
}

void asm_note(struct assembly *a, const struct asm_token *token, const char *format, ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = format_text(a, format, args);
    va_end(args);
    add_diag(a, PTO_NOTE, token, token->length, text);
}

bool asm_hint_nearest(struct assembly *a, struct pto_diag *diag, const char *word,
                      const char *const *candidate, unsigned count)
{
    const char *nearest = pto_nearest(word, candidate, count);

    if (nearest)
        asm_hint(a, diag, "did you mean '%s'?", nearest);
    return nearest != NULL;
}

/* ---- positions ---- */

static uint32_t module_file(struct assembly *a, struct asm_source *source)
{
    struct pto_module *module = a->module;

    if (source->module_file == PTO_NONE) {
        PTO_GROW(module->file, module->files, a->file_capacity);
        source->module_file = (int32_t)module->files;
        module->file[module->files++] = asm_to_utf8(&module->arena, source->name);
    }
    return (uint32_t)source->module_file;
}

uint32_t asm_position(struct assembly *a, const struct asm_token *token)
{
    struct pto_module *module = a->module;
    struct asm_origin *origin = token->origin;
    const struct asm_token *last = a->pos_token;

    if (last && last->origin == origin && last->line == token->line &&
        last->column == token->column)
        return (uint32_t)a->last_pos;
    if (origin->from && origin->pos == PTO_NONE)
        origin->pos = (int32_t)asm_position(a, origin->from);
    PTO_GROW(module->pos, module->positions, a->pos_capacity);
    module->pos[module->positions] =
        (struct pto_pos){module_file(a, origin->source), token->line, token->column, origin->pos};
    a->pos_token = token;
    a->last_pos = (int32_t)module->positions;
    return module->positions++;
}

uint32_t asm_position_now(struct assembly *a, const struct asm_token *token)
{
    return a->explicit_pos ? a->at : asm_position(a, token);
}
