#include "cross_name.h"

#include <stdio.h>

static unsigned first_place(const struct core *core)
{
    return CROSS_FLAGS + (core->kind == PTO_AIV ? core->sub * PTO_INTRA_BLOCK_FLAGS : 0u);
}

unsigned cross_place(const struct core *core, unsigned id)
{
    return first_place(core) + id;
}

unsigned cross_number(const struct core *core, unsigned place)
{
    return place < CROSS_FLAGS ? place : place - first_place(core);
}

const char *cross_name(const struct core *core, unsigned place, char text[PTO_CROSS_NAME])
{
    snprintf(text, PTO_CROSS_NAME, "%s flag %u",
             place < CROSS_FLAGS ? "cross-core" : "intra-block", cross_number(core, place));
    return text;
}
