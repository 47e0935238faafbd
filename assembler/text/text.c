#include "text.h"

#include <stdlib.h>

void text_free(struct asm_text *t)
{
    free(t->frame);
    free(t->expansion);
}
