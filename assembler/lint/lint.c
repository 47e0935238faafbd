/* The lint as a whole: kernel by kernel, rule by rule. */
#include "core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "place.h"
#include "rounds.h"
#include "trial.h"

enum {
    MOST_STATES = 1 << 21, /* of one program: about a second */
    MESSAGE_BYTES = 512
};

#define LINT(id, name, meaning) [PTO_LINT_##id] = name,
static const char *const rule_names[PTO_LINT_RULES] = {
#include "lint.def"
};
#undef LINT

const char *pto_lint_rule_name(enum pto_lint_rule rule)
{
    return rule_names[rule];
}

const char *pto_lint_verdict_name(enum pto_lint_verdict verdict)
{
    static const char *const names[] = {"no", "yes", "unknown"};

    return names[verdict];
}

const char *lint_pipe_name(unsigned pipe)
{
    return pto_enum_keyword(PTO_ENUM_PIPE, (int)pipe);
}

struct pto_pos lint_place(const struct lint *lint, const struct pto_insn *insn)
{
    const struct pto_pos *pos = pto_place(lint->module, insn->pos);

    return pos ? *pos : (struct pto_pos){.parent = PTO_NONE};
}

bool lint_same_slot(const struct pto_scalar *a, const struct pto_scalar *b)
{
    static const struct pto_scalar first = {.kind = PTO_S_INT};

    return pto_scalar_same(a->kind == PTO_S_NONE ? &first : a,
                           b->kind == PTO_S_NONE ? &first : b);
}

int32_t lint_written(const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++)
        if (insn->operand[i].kind == PTO_O_SCALAR && (info->operand[i].access & PTO_WRITE))
            return insn->operand[i].scalar.reg;
    return PTO_NONE;
}

struct pto_lint_finding *lint_report(struct lint *lint, enum pto_lint_rule rule,
                                     enum pto_severity severity, enum pto_lint_verdict verdict,
                                     uint32_t pos, const char *format, ...)
{
    struct pto_lint *result = lint->result;
    struct pto_lint_finding *finding;
    char text[MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    PTO_GROW(result->finding, result->findings, result->finding_capacity);
    finding = &result->finding[result->findings];
    *finding = (struct pto_lint_finding){
        .rule = rule, .severity = severity, .verdict = verdict, .kernel = lint->kernel,
        .core = lint->core ? (int)lint->core_kind : -1, .pos = pos,
        .message = pto_arena_strdup(&result->arena, text), .number = result->findings};
    result->findings++;
    result->errors += severity == PTO_ERROR;
    result->warnings += severity == PTO_WARNING;
    return finding;
}

void lint_hint(struct lint *lint, struct pto_lint_finding *finding, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    finding->hint = pto_arena_strdup(&lint->result->arena, text);
}

void lint_enter(struct lint *lint, enum pto_core_kind kind)
{
    lint->core = &lint->kernel->core[kind];
    lint->core_kind = kind;
    lint->code = &lint->core->code;
    lint->states_left = MOST_STATES;
}

static void look_at_core(struct lint *lint, enum pto_core_kind kind)
{
    uint32_t first = lint->result->findings;

    lint_enter(lint, kind);
    lint->flag_ids = pto_xcalloc(lint->code->insns, sizeof *lint->flag_ids);
    lint_unreachable(lint);
    lint_flags(lint);
    lint_tiles(lint);
    lint_races(lint);
    lint_trials(lint, first);
    lint_unused(lint);
    free(lint->flag_ids);
}

static void look_at_kernel(struct lint *lint)
{
    struct lint_rounds rounds[PTO_CORE_KINDS] = {0};

    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        const struct pto_core_code *core = &lint->kernel->core[kind];

        lint->reachable[kind] = core->present ? lint_find_reachable(&core->code) : NULL;
        lint->rounds[kind] = &rounds[kind];
        if (core->present)
            lint_rounds_find(&rounds[kind], &core->code);
    }
    lint->core = NULL;
    lint_unused_declarations(lint);
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        if (lint->kernel->core[kind].present)
            look_at_core(lint, kind);
    lint_cross(lint);
    lint_intra(lint);
    lint_signals(lint);
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        free(lint->reachable[kind]);
        lint_rounds_free(&rounds[kind]);
    }
}

/* Positions were given out in the order of the text. */
static int compare_findings(const void *a, const void *b)
{
    const struct pto_lint_finding *x = a, *y = b;

    if (x->pos != y->pos)
        return x->pos < y->pos ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

void pto_lint(const struct pto_program *program, struct pto_lint *result)
{
    struct lint lint = {.result = result, .module = &program->module,
                        .profile = &program->profile};

    *result = (struct pto_lint){0};
    lint_find_touched(&lint);
    for (uint32_t i = 0; i < program->module.kernels; i++) {
        lint.kernel = &program->module.kernel[i];
        look_at_kernel(&lint);
    }
    free(lint.touched);
    if (result->findings)
        qsort(result->finding, result->findings, sizeof *result->finding, compare_findings);
}

void pto_lint_free(struct pto_lint *lint)
{
    free(lint->finding);
    free(lint->flag);
    free(lint->memory);
    pto_arena_free(&lint->arena);
    *lint = (struct pto_lint){0};
}
