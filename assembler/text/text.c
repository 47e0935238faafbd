#include "text.h"

#include <stdlib.h>

void text_free(struct asm_text *t)
{
    for (struct asm_source *source = t->source; source; source = source->next)
        free(source->token);
    free(t->frame);
    free(t->expansion);
}
