/* Kernels, their set-up blocks and their cores: opening and completing them. */
#include "section.h"

#include <stdlib.h>
#include <string.h>

#include "assembly.h"
#include "code.h"
#include "core_name.h"
#include "declare.h"
#include "flow.h"
#include "inherit.h"
#include "layout.h"
#include "parse.h"
#include "ring.h"
#include "ring_code.h"
#include "slots.h"
#include "symbols.h"
#include "text/position.h"

/* A growable array of the heap becomes one of the module's arena. */
static void *settle(struct assembly *a, void *array, size_t count, size_t size)
{
    void *settled = pto_arena_array(&a->module->arena, count, size);

    if (count)
        memcpy(settled, array, count * size);
    free(array);
    return settled;
}

/* Programs end with `end`; the text may leave it out. */
static void append_end(struct assembly *a)
{
    const struct asm_code *code = &a->code;

    if (code->insns && code->insn[code->insns - 1].op == PTO_OP_END &&
        code->last_target != code->insns)
        return;
    asm_slots_leave(a, 0);
    a->line_token = a->section_token;
    asm_rings_drain(a);
    asm_emit(a, a->section_token, PTO_OP_END, 0, NULL);
}

static void close_core(struct assembly *a)
{
    struct pto_core_code *core = a->core;

    asm_flow_close(a);
    append_end(a);
    asm_slots_close(a);
    asm_targets_resolve(a);
    asm_inherit_close(a);
    asm_layout(a);
    asm_code_close(a, &a->code, &core->code);
    core->tile = settle(a, core->tile, core->tiles, sizeof *core->tile);
    core->local = settle(a, core->local, core->locals, sizeof *core->local);
    core->label = settle(a, core->label, core->labels, sizeof *core->label);
    a->tile_capacity = a->local_capacity = a->label_capacity = 0;
    a->core = NULL;
    a->core_section = 0;
    a->section = SECTION_KERNEL;
}

static void close_section(struct assembly *a)
{
    if (a->section == SECTION_CORE)
        close_core(a);
    if (a->section == SECTION_SETUP)
        asm_error(a, a->section_token, "this .setup has no .endsetup");
    if (a->section != SECTION_MODULE)
        a->section = SECTION_KERNEL;
}

static void close_kernel(struct assembly *a)
{
    struct pto_kernel *kernel = a->kernel;

    close_section(a);
    if (!kernel)
        return;
    asm_params_close(a);
    asm_code_close(a, &a->setup, &kernel->setup);
    kernel->param = settle(a, kernel->param, kernel->params, sizeof *kernel->param);
    kernel->object = settle(a, kernel->object, kernel->objects, sizeof *kernel->object);
    a->param_capacity = a->object_capacity = 0;
    if (!kernel->core[PTO_AIC].present && !kernel->core[PTO_AIV].present && !a->lost_core)
        asm_error(a, a->kernel_token, "kernel '%s' has no program: neither .core aic nor .core aiv",
                  kernel->name);
    asm_rings_close(a);
    a->kernel = NULL;
    a->kernel_section = 0;
    a->section = SECTION_MODULE;
}

void asm_kernel_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct pto_module *module = a->module;

    close_kernel(a);
    if (a->text.explicit_pos && !module->positions)
        asm_error(a, stmt->token, "there are .file lines, but no .pos before this kernel");
    if (module->kernels == ASM_MAX_KERNELS) {
        asm_error(a, stmt->token, "a text has at most %d kernels", ASM_MAX_KERNELS);
        a->section = SECTION_LOST;
        return;
    }
    asm_symbol_define(a, NS_KERNEL, SYM_KERNEL, stmt->name, 0, module->kernels);
    PTO_GROW(module->kernel, module->kernels, a->kernel_capacity);
    a->kernel = &module->kernel[module->kernels++];
    *a->kernel = (struct pto_kernel){.name = pto_arena_strdup(&module->arena, stmt->name->text),
                                     .vectors_per_block = 2};
    a->kernel->pos = text_position(&a->text, stmt->token);
    a->kernel_token = stmt->name;
    a->kernel_section = ++a->sections;
    a->section = SECTION_KERNEL;
    a->params_closed = a->lost_core = false;
    a->presets = 0;
}

void asm_setup_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    asm_params_close(a);
    a->section = stmt->kind == TK_D_SETUP ? SECTION_SETUP : SECTION_KERNEL;
    a->section_token = stmt->token;
}

static int find_core(const char *name)
{
    for (int kind = 0; kind < PTO_CORE_KINDS; kind++)
        if (!strcmp(name, pto_core_names[kind]))
            return kind;
    return PTO_NONE;
}

void asm_core_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    int kind = find_core(stmt->name->text);

    if (!a->kernel) /* lost: one kernel too many */
        return;
    close_section(a);
    asm_params_close(a);
    a->section_token = stmt->token;
    if (kind == PTO_NONE) {
        asm_hint(a, asm_error(a, stmt->name, "there is no kind of core '%s'", stmt->name->text),
                 "expected aic (cube) or aiv (vector)");
        a->section = SECTION_LOST;
        a->lost_core = true;
        return;
    }
    a->core_kind = (enum pto_core_kind)kind;
    a->core = &a->kernel->core[a->core_kind];
    if (a->core->present)
        asm_error(a, stmt->name, "kernel '%s' already has a program for %s", a->kernel->name,
                  stmt->name->text);
    *a->core = (struct pto_core_code){.present = true};
    a->core_section = ++a->sections;
    a->section = SECTION_CORE;
    asm_code_open(a);
    asm_rings_open(a);
}

void asm_finish(struct assembly *a)
{
    struct pto_module *module = a->module;

    close_kernel(a);
    asm_flow_close(a);
    module->kernel = settle(a, module->kernel, module->kernels, sizeof *module->kernel);
    module->file = settle(a, module->file, module->files, sizeof *module->file);
    module->pos = settle(a, module->pos, module->positions, sizeof *module->pos);
    if (!module->kernels && !a->diags->errors)
        pto_diag_add(a->diags, PTO_ERROR, a->main->name, 0, 0, "there is no .kernel in this text");
}
