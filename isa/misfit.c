#include "misfit.h"

#include <stdarg.h>
#include <stdio.h>

bool misfit_about(const struct check *c, unsigned operand, const char *hint, const char *format,
                  ...)
{
    va_list arguments;

    c->misfit->operand = operand;
    snprintf(c->misfit->hint, PTO_MISFIT_TEXT, "%s", hint ? hint : "");
    va_start(arguments, format);
    vsnprintf(c->misfit->text, PTO_MISFIT_TEXT, format, arguments);
    va_end(arguments);
    return false;
}

const char *misfit_name(const struct check *c, unsigned operand)
{
    return c->info->operand[operand].name;
}

const struct pto_tile *misfit_tile(const struct check *c, unsigned operand)
{
    const struct pto_operand *o = &c->insn->operand[operand];

    return operand < c->info->operands && o->kind == PTO_O_TILE ? &c->core->tile[o->tile.tile]
                                                                : NULL;
}
