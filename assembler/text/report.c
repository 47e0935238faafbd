#include "report.h"

#include <stdarg.h>

static const char *line_text(const struct asm_source *source, uint32_t line)
{
    return line >= 1 && line <= source->lines ? source->line[line - 1] : NULL;
}

/* One step of a trail, as a note of its own. */
static struct pto_diag *trail_step(struct asm_text *t, const struct asm_origin *origin)
{
    struct pto_arena *arena = &t->diags->arena;
    struct pto_diag *step = pto_arena_alloc(arena, sizeof *step);

    step->severity = PTO_NOTE;
    step->file = pto_arena_strdup(arena, origin->from->origin->source->name);
    step->line = origin->from->line;
    step->column = origin->from->column;
    step->length = origin->from->length;
    step->included = !origin->macro;
    step->macro = origin->macro ? pto_arena_strdup(arena, origin->macro) : NULL;
    step->message = origin->macro
                        ? pto_arena_printf(arena, "in expansion of macro '%s'", origin->macro)
                        : "included from here";
    return step;
}

/* The includes and macro uses around a token, innermost first; the middle of a long trail is left
 * out. */
static struct pto_diag *trail_of(struct asm_text *t, const struct asm_origin *origin)
{
    enum { INNER = 6, OUTER = 3 };
    struct pto_diag *first = NULL, **next = &first;
    uint32_t steps = origin->depth;

    for (uint32_t i = 0; i < steps; i++, origin = origin->from->origin) {
        if (i >= INNER && i < steps - OUTER && steps > INNER + OUTER + 1) {
            if (i > INNER)
                continue;
            *next = pto_arena_alloc(&t->diags->arena, sizeof **next);
            (*next)->severity = PTO_NOTE;
            (*next)->message = pto_arena_printf(&t->diags->arena, "(%u more)",
                                                steps - INNER - OUTER);
        } else {
            *next = trail_step(t, origin);
        }
        next = &(*next)->trail;
    }
    return first;
}

/* Many errors of one long line need it once. */
static const char *copy_line(struct asm_text *t, const char *line)
{
    if (t->shown != line) {
        t->shown = line;
        t->shown_copy = pto_arena_strdup(&t->diags->arena, line);
    }
    return t->shown_copy;
}

static struct pto_diag *add_diag(struct asm_text *t, enum pto_severity severity,
                                 const struct asm_token *token, uint32_t length,
                                 const char *text)
{
    const struct asm_source *source = token->origin->source;
    struct pto_diag *diag = pto_diag_add(t->diags, severity, source->name, token->line,
                                         token->column, "%s", text);
    const char *line = line_text(source, token->line);

    if (pto_diags_full(t->diags))
        return diag;
    diag->length = length ? length : 1;
    diag->source_line = line ? copy_line(t, line) : NULL;
    diag->trail = trail_of(t, token->origin);
    return diag;
}

static const char *format_text(struct asm_text *t, const char *format, va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof text, format, args);
    return pto_arena_strdup(t->arena, text);
}

struct pto_diag *text_error(struct asm_text *t, const struct asm_token *token, const char *format,
                            ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = format_text(t, format, args);
    va_end(args);
    return add_diag(t, PTO_ERROR, token, token->length, text);
}

struct pto_diag *text_error_expr(struct asm_text *t, const struct asm_expr *expr,
                                 const char *format, ...)
{
    const struct asm_token *begin = expr->begin, *end = expr->end;
    uint32_t length = begin->length;
    va_list args;
    const char *text;

    if (begin->origin == end->origin && begin->line == end->line && end->column >= begin->column)
        length = end->column + end->length - begin->column;
    va_start(args, format);
    text = format_text(t, format, args);
    va_end(args);
    return add_diag(t, PTO_ERROR, begin, length, text);
}

void text_note(struct asm_text *t, const struct asm_token *token, const char *format, ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = format_text(t, format, args);
    va_end(args);
    add_diag(t, PTO_NOTE, token, token->length, text);
}

bool text_hint_nearest(struct asm_text *t, struct pto_diag *diag, const char *word,
                       const char *const *candidate, unsigned count)
{
    const char *nearest = pto_nearest(word, candidate, count);

    if (nearest)
        text_hint(t, diag, "did you mean '%s'?", nearest);
    return nearest != NULL;
}
