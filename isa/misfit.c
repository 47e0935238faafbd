#include "misfit.h"

#include <stdarg.h>
#include <stdio.h>

void misfit_begin(struct check *c, const struct pto_site *site, struct pto_misfit *misfit)
{
    c->site = site;
    c->info = pto_op_info(site->insn->op);
    c->misfit = misfit;
}

/* Without a remedy. */
static void say(struct pto_misfit *misfit, unsigned operand, unsigned part, const char *format,
                va_list arguments)
{
    misfit->operand = operand;
    misfit->part = part;
    *misfit->hint = 0;
    vsnprintf(misfit->text, PTO_MISFIT_TEXT, format, arguments);
}

bool misfit_in(struct pto_misfit *misfit, unsigned operand, unsigned part, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(misfit, operand, part, format, arguments);
    va_end(arguments);
    return false;
}

bool misfit_about(const struct check *c, unsigned operand, const char *hint, const char *format,
                  ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(c->misfit, operand, PTO_PART_ALL, format, arguments);
    va_end(arguments);
    return hint && misfit_hint(c->misfit, "%s", hint);
}

bool misfit_hint(struct pto_misfit *misfit, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(misfit->hint, PTO_MISFIT_TEXT, format, arguments);
    va_end(arguments);
    return false;
}

const char *misfit_name(const struct check *c, unsigned operand)
{
    return c->info->operand[operand].name;
}

const struct pto_object *misfit_base(const struct pto_kernel *kernel,
                                     const struct pto_object *object)
{
    bool named = object->kind == PTO_OBJ_VIEW && object->base >= 0 &&
                 object->base < object - kernel->object;

    return named ? &kernel->object[object->base] : NULL;
}
