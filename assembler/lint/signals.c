/* Waiting for signals: does anything in the text write them? */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* What each object of a kernel is, or views; malloc'ed. */
static uint16_t *find_roots(const struct pto_kernel *kernel)
{
    uint16_t *root = pto_xcalloc((size_t)kernel->objects + 1, sizeof *root);

    for (uint32_t i = 0; i < kernel->objects; i++) { /* a view comes after what it views */
        const struct pto_object *object = &kernel->object[i];

        root[i] = object->kind == PTO_OBJ_VIEW ? root[object->base] : (uint16_t)i;
    }
    return root;
}

static void mark_written(const struct pto_code *code, const uint16_t *root, bool *written)
{
    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_insn *insn = &code->insn[i];
        const struct pto_op_info *info = pto_op_info(insn->op);

        for (unsigned k = 0; k < insn->operands && k < info->operands; k++)
            if (insn->operand[k].kind == PTO_O_GM && (info->operand[k].access & PTO_WRITE))
                written[root[insn->operand[k].gm.object]] = true;
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Objects of one name are one object in all launches, so every kernel counts. */
void lint_find_written(struct lint *lint)
{
    for (uint32_t i = 0; i < lint->module->kernels; i++) {
        const struct pto_kernel *kernel = &lint->module->kernel[i];
        uint16_t *root = find_roots(kernel);
        bool *written = pto_xcalloc((size_t)kernel->objects + 1, sizeof *written);

        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            if (kernel->core[kind].present)
                mark_written(&kernel->core[kind].code, root, written);
        for (uint32_t k = 0; k < kernel->objects; k++) {
            if (!written[k])
                continue;
            PTO_GROW(lint->written, lint->writtens, lint->written_capacity);
            lint->written[lint->writtens++] = kernel->object[k].name;
        }
        free(root);
        free(written);
    }
    if (lint->writtens)
        qsort(lint->written, lint->writtens, sizeof *lint->written, compare_names);
}

static bool somebody_writes(const struct lint *lint, const char *name)
{
    return lint->writtens && bsearch(&name, lint->written, lint->writtens, sizeof *lint->written,
                                     compare_names);
}

/* Does a zeroed signal end the wait, as far as is known? */
static bool may_hold_at_zero(const struct pto_scalar *value, uint32_t comparison)
{
    if (value->kind != PTO_S_INT)
        return true;
    switch (comparison) {
    case PTO_CMP_EQ: return value->i == 0;
    case PTO_CMP_NE: return value->i != 0;
    case PTO_CMP_LT: return value->i > 0;
    case PTO_CMP_LE: return value->i >= 0;
    case PTO_CMP_GT: return value->i < 0;
    default: return value->i <= 0;
    }
}

/* Which operand of a wait for signals begins its first condition; -1: it is none. */
static int first_condition(const struct pto_insn *insn)
{
    switch (insn->op) {
    case PTO_OP_TWAIT:
        return 0;
    case PTO_OP_TWAIT_ANY2:
    case PTO_OP_TWAIT_ANY3:
        return 1;
    default:
        return -1;
    }
}

/* Can nothing in the text end the wait? */
static bool is_hopeless(const struct lint *lint, const uint16_t *root,
                        const struct pto_insn *insn, unsigned first)
{
    for (unsigned i = first; i < insn->operands; i += 3)
        if (may_hold_at_zero(&insn->operand[i + 2].scalar, insn->operand[i + 1].value) ||
            somebody_writes(lint, lint->kernel->object[root[insn->operand[i].gm.object]].name))
            return false;
    return true;
}

/* A warning only: another text's kernel, launched in the same run, may write the object. */
void lint_signals(struct lint *lint)
{
    uint16_t *root = find_roots(lint->kernel);

    for (uint32_t i = 0; i < lint->code->insns; i++) {
        const struct pto_insn *insn = &lint->code->insn[i];
        int first = first_condition(insn);
        const char *name;

        if (first < 0 || !lint->reachable[lint->core_kind][i] ||
            !is_hopeless(lint, root, insn, (unsigned)first))
            continue;
        name = lint->kernel->object[root[insn->operand[first].gm.object]].name;
        lint_hint(lint,
                  lint_report(lint, PTO_LINT_SIGNAL, PTO_WARNING, PTO_LINT_UNKNOWN, insn->pos,
                              "nothing in this text writes '%s', and zero does not end the wait",
                              name),
                  "TNOTIFY sets or adds to a signal, here or on another rank");
    }
    free(root);
}
