/* Waiting for signals: does anything in the text write them? */
#include "lint_core.h"

#include <stdlib.h>
#include <string.h>

static const struct pto_object *root_of(const struct pto_kernel *kernel, uint16_t index)
{
    const struct pto_object *object = &kernel->object[index];

    while (object->kind == PTO_OBJ_VIEW)
        object = &kernel->object[object->base];
    return object;
}

static bool code_writes(const struct pto_kernel *kernel, const struct pto_code *code,
                        const char *name)
{
    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_insn *insn = &code->insn[i];
        const struct pto_op_info *info = pto_op_info(insn->op);

        for (unsigned k = 0; k < insn->operands && k < info->operands; k++)
            if (insn->operand[k].kind == PTO_O_GM && (info->operand[k].access & PTO_WRITE) &&
                !strcmp(root_of(kernel, insn->operand[k].gm.object)->name, name))
                return true;
    }
    return false;
}

/* Objects of one name are one object in all launches, so every kernel counts. */
static bool somebody_writes(const struct pto_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->kernels; i++)
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            if (module->kernel[i].core[kind].present &&
                code_writes(&module->kernel[i], &module->kernel[i].core[kind].code, name))
                return true;
    return false;
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

/* A warning only: another text's kernel, launched in the same run, may write the object. */
void lint_signals(struct lint *lint)
{
    bool *written = pto_xcalloc((size_t)lint->kernel->objects + 1, sizeof *written);

    for (uint32_t i = 0; i < lint->kernel->objects; i++)
        written[i] = somebody_writes(lint->module, root_of(lint->kernel, (uint16_t)i)->name);
    for (uint32_t i = 0; i < lint->code->insns; i++) {
        const struct pto_insn *insn = &lint->code->insn[i];

        if (insn->op != PTO_OP_TWAIT || !lint->reachable[lint->core_kind][i] ||
            written[insn->operand[0].gm.object] ||
            may_hold_at_zero(&insn->operand[2].scalar, insn->operand[1].value))
            continue;
        lint_hint(lint,
                  lint_report(lint, PTO_LINT_SIGNAL, PTO_WARNING, PTO_LINT_UNKNOWN, insn->pos,
                              "nothing in this text writes '%s', and zero does not end the wait",
                              root_of(lint->kernel, insn->operand[0].gm.object)->name),
                  "TNOTIFY sets or adds to a signal, here or on another rank");
    }
    free(written);
}
