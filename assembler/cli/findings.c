#include "findings.h"

#include "core_name.h"
#include "json_quote.h"
#include "place.h"
#include "version.h"

/* ---- text ---- */

void ptoas_lint_diags(const struct pto_lint *lint, const struct pto_module *module, bool verbose,
                      struct pto_diags *diags)
{
    for (uint32_t i = 0; i < lint->findings; i++) {
        const struct pto_lint_finding *finding = &lint->finding[i];
        struct pto_diag *diag;
        char *text;

        if (finding->severity == PTO_NOTE && !verbose)
            continue;
        text = pto_arena_printf(&diags->arena, "%s [%s]", finding->message,
                                pto_lint_rule_name(finding->rule));
        diag = pto_diag_at(diags, finding->severity, module, finding->pos, text);
        if (finding->hint)
            pto_diag_hint(diags, diag, "%s", finding->hint);
    }
}

static void summarize(const struct pto_lint *lint, const struct pto_kernel *kernel, unsigned core,
                      struct pto_buf *out)
{
    unsigned count[] = {[PTO_LINT_NO] = 0, [PTO_LINT_YES] = 0, [PTO_LINT_UNKNOWN] = 0};

    pto_buf_printf(out, "%s, .core %s:", kernel->name, pto_core_names[core]);
    for (uint32_t i = 0; i < lint->memories; i++) {
        const struct pto_lint_memory *memory = &lint->memory[i];

        if (memory->kernel == kernel && memory->core == core)
            pto_buf_printf(out, " %s %llu of %llu bytes;", pto_space_name(memory->space),
                           (unsigned long long)memory->used, (unsigned long long)memory->capacity);
    }
    for (uint32_t i = 0; i < lint->flags; i++)
        if (lint->flag[i].kernel == kernel && lint->flag[i].core == core)
            count[lint->flag[i].wrong]++;
    pto_buf_printf(out, " flags: %u right on every path, %u wrong, %u unknown\n",
                   count[PTO_LINT_NO], count[PTO_LINT_YES], count[PTO_LINT_UNKNOWN]);
}

void ptoas_lint_summary(const struct pto_lint *lint, const struct pto_module *module,
                        struct pto_buf *out)
{
    for (uint32_t i = 0; i < module->kernels; i++)
        for (unsigned core = 0; core < PTO_CORE_KINDS; core++)
            if (module->kernel[i].core[core].present)
                summarize(lint, &module->kernel[i], core, out);
}

/* ---- JSON ---- */

/* A member, and what separates it from the one before. */
static void text_member(struct pto_buf *out, const char *separator, const char *key,
                        const char *text)
{
    pto_buf_printf(out, "%s\"%s\": ", separator, key);
    if (!text) {
        pto_buf_printf(out, "null");
        return;
    }
    pto_json_quote(out, text);
}

/* `pos` is NULL where the module does not say. */
static void place_members(struct pto_buf *out, const struct pto_module *module,
                          const struct pto_pos *pos)
{
    text_member(out, "", "file", pos ? module->file[pos->file] : NULL);
    pto_buf_printf(out, ", \"line\": %u, \"column\": %u", pos ? pos->line : 0,
                   pos ? pos->column : 0);
}

static void append_finding(struct pto_buf *out, const struct pto_module *module,
                           const struct pto_lint_finding *finding)
{
    static const char *const severities[] = {"note", "warning", "error"};
    const struct pto_pos *pos = pto_place(module, finding->pos);
    const char *separator = "";

    pto_buf_printf(out, "\n    {");
    place_members(out, module, pos);
    text_member(out, ", ", "severity", severities[finding->severity]);
    text_member(out, ", ", "rule", pto_lint_rule_name(finding->rule));
    text_member(out, ", ", "verdict", pto_lint_verdict_name(finding->verdict));
    text_member(out, ", ", "kernel", finding->kernel->name);
    text_member(out, ", ", "core", finding->core < 0 ? NULL : pto_core_names[finding->core]);
    text_member(out, ",\n     ", "message", finding->message);
    text_member(out, ",\n     ", "hint", finding->hint);
    pto_buf_printf(out, ", \"used_from\": [");
    for (unsigned depth = 0; depth < PTO_TRAIL_DEPTH && pos && pos->parent >= 0; depth++) {
        pos = pto_place(module, pos->parent);
        pto_buf_printf(out, "%s{", separator);
        place_members(out, module, pos);
        pto_buf_byte(out, '}');
        separator = ", ";
    }
    pto_buf_printf(out, "]}");
}

static void append_flag(struct pto_buf *out, const struct pto_lint_flag *flag)
{
    pto_buf_printf(out, "\n    {");
    text_member(out, "", "kernel", flag->kernel->name);
    text_member(out, ", ", "core", pto_core_names[flag->core]);
    text_member(out, ", ", "src", pto_enum_keyword(PTO_ENUM_PIPE, flag->src));
    text_member(out, ", ", "dst", pto_enum_keyword(PTO_ENUM_PIPE, flag->dst));
    if (flag->event < 0)
        pto_buf_printf(out, ", \"event\": null");
    else
        pto_buf_printf(out, ", \"event\": %d", flag->event);
    text_member(out, ", ", "wrong", pto_lint_verdict_name(flag->wrong));
    pto_buf_byte(out, '}');
}

static void append_memory(struct pto_buf *out, const struct pto_lint_memory *memory)
{
    pto_buf_printf(out, "\n    {");
    text_member(out, "", "kernel", memory->kernel->name);
    text_member(out, ", ", "core", pto_core_names[memory->core]);
    text_member(out, ", ", "memory", pto_space_name(memory->space));
    pto_buf_printf(out, ", \"used\": %llu, \"capacity\": %llu}", (unsigned long long)memory->used,
                   (unsigned long long)memory->capacity);
}

void ptoas_lint_json(const struct pto_lint *lint, const struct pto_program *program,
                     const char *file, struct pto_buf *out)
{
    text_member(out, "{", "schema", "pto-lint/1");
    text_member(out, ",\n ", "tool", "ptoas");
    text_member(out, ",\n ", "version", pto_version());
    text_member(out, ",\n ", "file", file);
    text_member(out, ",\n ", "profile", program->profile.name);
    pto_buf_printf(out, ",\n \"errors\": %u,\n \"warnings\": %u,\n \"findings\": [", lint->errors,
                   lint->warnings);
    for (uint32_t i = 0; i < lint->findings; i++) {
        pto_buf_printf(out, "%s", i ? "," : "");
        append_finding(out, &program->module, &lint->finding[i]);
    }
    pto_buf_printf(out, "],\n \"flags\": [");
    for (uint32_t i = 0; i < lint->flags; i++) {
        pto_buf_printf(out, "%s", i ? "," : "");
        append_flag(out, &lint->flag[i]);
    }
    pto_buf_printf(out, "],\n \"memories\": [");
    for (uint32_t i = 0; i < lint->memories; i++) {
        pto_buf_printf(out, "%s", i ? "," : "");
        append_memory(out, &lint->memory[i]);
    }
    pto_buf_printf(out, "]}\n");
}
