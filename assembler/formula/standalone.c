#include "standalone.h"

#include <stdlib.h>
#include <string.h>

#include "text/parser.h"
#include "text/reader.h"
#include "text/report.h"
#include "text/source.h"

/* Parse what no reader has prepared: the tokens come from the source itself. */
static const struct asm_expr *parse(struct formula_standalone *s, struct asm_source *source)
{
    struct asm_origin *origin = pto_arena_alloc(&s->arena, sizeof *origin);
    uint32_t count = source->tokens - 1; /* without the end of the line */

    *origin = (struct asm_origin){.source = source, .pos = PTO_NONE};
    for (uint32_t i = 0; i < source->tokens; i++)
        source->token[i].origin = origin;
    if (count <= ASM_MAX_LINE_TOKENS)
        return text_parse_expression(&s->text, source->token, count);
    text_error(&s->text, source->token, "a line has at most %d words and signs",
               ASM_MAX_LINE_TOKENS);
    return NULL;
}

struct formula_standalone *formula_read(const char *text, struct pto_diags *diags)
{
    struct formula_standalone *s = pto_xcalloc(1, sizeof *s);
    unsigned errors = diags->errors;
    struct asm_source *source;

    s->text.arena = &s->arena;
    s->text.tree = &s->arena;
    s->text.diags = diags;
    s->text.variables = true;
    source = text_source_add(&s->text, "expression", text, strlen(text), false);
    if (diags->errors == errors)
        s->expr = parse(s, source);
    if (s->expr)
        return s;
    formula_free(s);
    return NULL;
}

void formula_free(struct formula_standalone *s)
{
    if (!s)
        return;
    text_free(&s->text);
    pto_arena_free(&s->arena);
    free(s);
}
