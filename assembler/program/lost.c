#include "lost.h"

#include "assembly.h"
#include "parse.h"
#include "section.h"

static enum asm_namespace lost_space(enum asm_namespace space)
{
    return space == NS_REG ? NS_LOST_REG : space == NS_LABEL ? NS_LOST_LABEL : NS_LOST;
}

bool asm_lost_before(struct assembly *a, enum asm_namespace space, const struct asm_token *token)
{
    enum asm_namespace lost = lost_space(space);

    if (asm_symbol_find(a, lost, token))
        return true;
    asm_symbol_define(a, lost, SYM_REG, token, asm_section_now(a), 0);
    return false;
}

void asm_lose_line(struct assembly *a, const struct asm_token *line, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (line[i].kind == TK_REG)
            asm_lost_before(a, NS_REG, &line[i]);
        else if (line[i].kind == TK_IDENT)
            asm_lost_before(a, NS_PLAIN, &line[i]);
    /* What follows belongs to a kernel of which nothing is known. */
    if (a->section == SECTION_MODULE && (line->kind == TK_IDENT || line->kind == TK_D_KERNEL))
        a->section = SECTION_LOST;
}
