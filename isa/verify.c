#include "verify.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

enum { MESSAGE_BYTES = 512 };

/* ---- messages -------------------------------------------------------------------------------- */

static struct pto_diag *error_text(struct verify *v, uint32_t index, const char *text)
{
    v->errors++;
    return pto_diag_at(v->diags, PTO_ERROR, v->module, index, text);
}

struct pto_diag *verify_error(struct verify *v, uint32_t pos, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_text(v, pos, text);
}

struct pto_diag *verify_insn_error(struct verify *v, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    int length = snprintf(text, sizeof text, "%s: ", pto_op_info(v->insn->op)->mnemonic);
    va_list args;

    va_start(args, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, args);
    va_end(args);
    return error_text(v, v->insn->pos, text);
}

const char *verify_where(const struct verify *v)
{
    return !v->core ? ".setup" : v->core_kind == PTO_AIC ? ".core aic" : ".core aiv";
}

/* ---- names ----------------------------------------------------------------------------------- */

struct named {
    const char *name;
    uint32_t index;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->index > y->index) - (x->index < y->index);
}

void verify_unique(struct verify *v, const char *const *names, uint32_t count, uint32_t settled,
                   const char *what)
{
    struct named *sorted = pto_xcalloc(count, sizeof *sorted);

    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct named){names[i], i};
    qsort(sorted, count, sizeof *sorted, compare_named);
    for (uint32_t i = 1; i < count && v->errors < VERIFY_MOST_ERRORS; i++)
        if (!strcmp(sorted[i - 1].name, sorted[i].name) && sorted[i].index >= settled)
            verify_error(v, v->kernel ? v->kernel->pos : UINT32_MAX, "two %s have the name '%s'",
                         what, sorted[i].name);
    free(sorted);
}

/* An identifier, perhaps with a number after a point: a name made for one use of a macro. */
static bool is_name(const char *text)
{
    if (!text || !(isalpha((unsigned char)*text) || *text == '_'))
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    if (*text == '.' && isdigit((unsigned char)text[1]))
        for (text++; isdigit((unsigned char)*text);)
            text++;
    return !*text;
}

void verify_name(struct verify *v, uint32_t pos, const char *name, const char *what)
{
    if (!is_name(name))
        pto_diag_hint(v->diags,
                      verify_error(v, pos, "'%s' is no name for a %s", name ? name : "", what),
                      "a name has letters, digits and '_' and does not begin with a digit");
}

/* ---- the module ------------------------------------------------------------------------------ */

bool verify_is_position(const struct verify *v, uint32_t pos)
{
    return pos < v->module->positions || (!pos && !v->module->positions);
}

void verify_position(struct verify *v, uint32_t pos, const char *name)
{
    if (!verify_is_position(v, pos))
        verify_error(v, v->kernel->pos, "'%s' has no valid position", name ? name : "");
}

static void check_positions(struct verify *v)
{
    const struct pto_module *module = v->module;

    for (uint32_t i = 0; i < module->positions && v->errors < VERIFY_MOST_ERRORS; i++) {
        const struct pto_pos *pos = &module->pos[i];

        if (pos->file >= module->files)
            verify_error(v, UINT32_MAX, "position %u is in source file %u of %u", i, pos->file,
                         module->files);
        if (pos->parent != PTO_NONE && (pos->parent < 0 || (uint32_t)pos->parent >= i))
            verify_error(v, UINT32_MAX,
                         "position %u has the parent %d, which is not an earlier one", i,
                         pos->parent);
    }
}

/* The parameters come first among the registers of every code, with name and type. */
static void check_registers(struct verify *v)
{
    const struct pto_kernel *kernel = v->kernel;
    const struct pto_code *code = v->code;
    const char **names = pto_xcalloc(code->regs, sizeof *names);

    if (code->regs > PTO_MAX_REGISTERS)
        verify_error(v, kernel->pos, "%s has %u registers, at most %d are allowed", verify_where(v),
                     code->regs, PTO_MAX_REGISTERS);
    for (uint32_t i = 0; i < code->regs && v->errors < VERIFY_MOST_ERRORS; i++) {
        names[i] = code->reg[i].name ? code->reg[i].name : "";
        if (i >= kernel->params)
            verify_name(v, kernel->pos, code->reg[i].name, "register");
    }
    for (uint32_t i = 0; i < kernel->params && v->errors < VERIFY_MOST_ERRORS; i++) {
        const struct pto_param *param = &kernel->param[i];

        if (i >= code->regs || !param->name || strcmp(names[i], param->name) != 0 ||
            code->reg[i].is_float != param->is_float)
            verify_error(v, kernel->pos, "register %u of %s is not the parameter '%s'", i,
                         verify_where(v), param->name);
    }
    if (v->errors < VERIFY_MOST_ERRORS)
        verify_unique(v, names, code->regs, 0, "registers");
    free(names);
}

/* `default` and has_default agree. */
static void check_defaults(struct verify *v)
{
    const struct pto_kernel *kernel = v->kernel;
    uint8_t *count = pto_xcalloc(kernel->params, 1);

    for (uint32_t i = 0; i < kernel->setup.insns; i++) {
        const struct pto_insn *insn = &kernel->setup.insn[i];

        if (insn->op == PTO_OP_DEFAULT && insn->operands &&
            insn->operand[0].scalar.reg < kernel->params && count[insn->operand[0].scalar.reg] < 2)
            count[insn->operand[0].scalar.reg]++;
    }
    for (uint32_t i = 0; i < kernel->params && v->errors < VERIFY_MOST_ERRORS; i++)
        if (count[i] != (kernel->param[i].has_default ? 1 : 0))
            verify_error(v, kernel->param[i].pos,
                         "parameter '%s' says it has %s default, .setup has %s",
                         kernel->param[i].name, kernel->param[i].has_default ? "a" : "no",
                         count[i] == 0   ? "none"
                         : count[i] == 1 ? "one"
                                         : "several");
    free(count);
}

static void check_interface(struct verify *v)
{
    const struct pto_kernel *kernel = v->kernel;
    uint32_t count = kernel->params + kernel->objects;
    const char **names = pto_xcalloc(count, sizeof *names);

    for (uint32_t i = 0; i < count; i++) {
        bool param = i < kernel->params;

        names[i] = param ? kernel->param[i].name : kernel->object[i - kernel->params].name;
        verify_name(v, param ? kernel->param[i].pos : kernel->object[i - kernel->params].pos,
                    names[i], param ? "parameter" : "global object");
        if (param)
            verify_position(v, kernel->param[i].pos, names[i]);
        names[i] = names[i] ? names[i] : "";
    }
    verify_unique(v, names, count, 0, "parameters or global objects");
    free(names);
}

static void check_core(struct verify *v, enum pto_core_kind kind)
{
    unsigned errors;

    v->core = &v->kernel->core[kind];
    v->core_kind = kind;
    v->code = &v->core->code;
    check_registers(v);
    errors = v->errors;
    verify_core_tables(v);
    v->declared = v->errors == errors;
    if (v->code->insns == 0 || v->code->insn[v->code->insns - 1].op != PTO_OP_END)
        verify_error(v, v->kernel->pos, "%s does not end with the instruction end",
                     verify_where(v));
    verify_code(v);
    v->core = NULL;
}

static void check_kernel(struct verify *v)
{
    const struct pto_kernel *kernel = v->kernel;

    v->code = &kernel->setup;
    if (!verify_is_position(v, kernel->pos))
        verify_error(v, UINT32_MAX, "kernel '%s' has no valid position", kernel->name);
    verify_name(v, kernel->pos, kernel->name, "kernel");
    if (kernel->vectors_per_block < 1 || kernel->vectors_per_block > v->profile->vectors_per_core)
        verify_error(v, kernel->pos,
                     "a block has %u vector sub-cores, but profile %s has %u in an AI core",
                     kernel->vectors_per_block, v->profile->name, v->profile->vectors_per_core);
    if (!kernel->core[PTO_AIC].present && !kernel->core[PTO_AIV].present)
        pto_diag_hint(v->diags,
                      verify_error(v, kernel->pos, "kernel '%s' has no program", kernel->name),
                      "write one under .core aic or .core aiv");
    check_interface(v);
    check_registers(v);
    if (v->errors)
        return; /* names and types of registers are needed below */
    verify_objects(v);
    verify_code(v);
    check_defaults(v);
    for (int kind = 0; kind < PTO_CORE_KINDS; kind++)
        if (kernel->core[kind].present && v->errors < VERIFY_MOST_ERRORS)
            check_core(v, (enum pto_core_kind)kind);
}

enum pto_status pto_verify(struct pto_module *module, const struct pto_profile *profile,
                           struct pto_program *program, struct pto_diags *diags)
{
    struct verify v = {.module = module, .profile = profile, .diags = diags};
    const char **names = pto_xcalloc(module->kernels, sizeof *names);

    check_positions(&v);
    if (module->kernels == 0)
        verify_error(&v, UINT32_MAX, "the module has no kernel");
    for (uint32_t i = 0; i < module->kernels; i++)
        names[i] = module->kernel[i].name ? module->kernel[i].name : "";
    verify_unique(&v, names, module->kernels, 0, "kernels");
    free(names);
    for (uint32_t i = 0; i < module->kernels && v.errors < VERIFY_MOST_ERRORS; i++) {
        struct verify one = v;

        one.errors = 0;
        one.kernel = &module->kernel[i];
        check_kernel(&one);
        v.errors += one.errors;
    }
    if (v.errors)
        return PTO_EPROGRAM;
    program->module = *module;
    program->profile = *profile;
    *module = (struct pto_module){0};
    return PTO_OK;
}

void pto_program_free(struct pto_program *program)
{
    pto_module_free(&program->module);
    *program = (struct pto_program){0};
}
