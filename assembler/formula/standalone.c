#include "standalone.h"

#include <stdlib.h>
#include <string.h>

#include "text/parser.h"
#include "text/source.h"

struct formula_standalone *formula_read(const char *text, struct pto_diags *diags)
{
    struct formula_standalone *s = pto_xcalloc(1, sizeof *s);
    unsigned errors = diags->errors;
    struct asm_source *source;

    s->text.arena = &s->arena;
    s->text.diags = diags;
    source = text_source_add(&s->text, "expression", text, strlen(text), false);
    if (diags->errors == errors)
        s->expr = text_parse_expression(&s->text, source);
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
