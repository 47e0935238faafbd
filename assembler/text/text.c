#include "text.h"

#include <stdlib.h>

static int compare_lines(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

bool text_is_told(struct asm_text *t, const struct asm_token *token, uint32_t count)
{
    const struct asm_source *source = token->origin->source;
    bool told = t->unread == token;

    t->unread = NULL;
    for (uint32_t line = token->line; line <= token[count].line && !told; line++)
        told = source->bad_lines && bsearch(&line, source->bad_line, source->bad_lines,
                                            sizeof line, compare_lines);
    if (!told && count == 1 && token->kind == '}' && t->braces) {
        t->braces--;
        told = true;
    }
    return told;
}

void text_free(struct asm_text *t)
{
    for (struct asm_source *source = t->source; source; source = source->next) {
        free(source->token);
        free(source->bad_line);
    }
    free(t->frame);
    free(t->expansion);
}
