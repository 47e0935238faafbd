/* The loop that a busy scalar unit is in: a run that does not end is most often one that asks for
 * something again and again. */
#include "look.h"
#include "machine/fault.h"

/* Where a branch goes, PTO_NONE if the instruction is none. */
static int64_t target_of(const struct pto_insn *insn)
{
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_LABEL)
            return insn->operand[i].value;
    return PTO_NONE;
}

/* The shortest way back that `pc` lies on: instructions *first to *last. */
static bool find_loop(const struct pto_code *code, uint32_t pc, uint32_t *first, uint32_t *last)
{
    bool found = false;

    for (uint32_t i = pc; i < code->insns; i++) {
        int64_t target = target_of(&code->insn[i]);

        if (target < 0 || target > pc || (found && i - (uint64_t)target >= *last - *first))
            continue;
        *first = (uint32_t)target;
        *last = i;
        found = true;
    }
    return found;
}

static bool is_register(const struct pto_operand_spec *spec)
{
    return spec->kind == PTO_K_INT_REG || spec->kind == PTO_K_FLOAT_REG ||
           spec->kind == PTO_K_ANY_REG;
}

/* Does the scalar unit look at something that others change? */
static bool asks(const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    return (info->class == PTO_ACCESS || info->class == PTO_SYNC) && info->operands > 1 &&
           is_register(&info->operand[0]);
}

/* What it looks at, NULL if that is no object of the kernel. */
static const char *asked(const struct core *core, const struct pto_insn *insn)
{
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_GM)
            return core->ready->kernel->object[insn->operand[i].gm.object].name;
    return NULL;
}

void look_tell_loop(const struct core *core, uint32_t pc, struct pto_buf *out)
{
    const struct pto_code *code = core->ready->code;
    uint32_t first = 0, last = 0;

    if (!find_loop(code, pc, &first, &last))
        return;
    pto_buf_printf(out, ", in the loop at %s", fault_place(core, first));
    for (uint32_t i = first; i <= last; i++) {
        const char *name;

        if (!asks(&code->insn[i]))
            continue;
        name = asked(core, &code->insn[i]);
        pto_buf_printf(out, ", which polls ");
        if (name)
            pto_buf_printf(out, "'%s' ", name);
        pto_buf_printf(out, "by %s at %s", pto_op_info(code->insn[i].op)->mnemonic,
                       fault_place(core, i));
        return;
    }
}
