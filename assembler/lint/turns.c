#include "turns.h"

static bool is_number(const struct pto_scalar *scalar, int64_t number)
{
    return scalar->kind == PTO_S_INT && scalar->i == number;
}

static bool is_register(const struct pto_scalar *scalar, int32_t reg)
{
    return scalar->kind == PTO_S_REG && scalar->reg == reg;
}

/* (x + 1) mod n in two instructions, the second of them at `at`: n, if it is one of slots. */
static uint32_t wraps(const struct pto_code *code, uint32_t at, int32_t reg)
{
    const struct pto_insn *sum = at > 0 ? &code->insn[at - 1] : NULL, *rest = &code->insn[at];
    int64_t slots;

    if (!sum || sum->op != PTO_OP_IADD || rest->op != PTO_OP_IMOD ||
        !is_register(&sum->operand[1].scalar, reg) || !is_number(&sum->operand[2].scalar, 1) ||
        !is_register(&rest->operand[1].scalar, lint_written(sum)) ||
        rest->operand[2].scalar.kind != PTO_S_INT)
        return 0;
    slots = rest->operand[2].scalar.i;
    return slots > 1 && slots <= LINT_MOST_TURNS ? (uint32_t)slots : 0;
}

uint32_t lint_turns_of(const struct pto_code *code, uint32_t at, int32_t reg)
{
    const struct pto_insn *insn = &code->insn[at];

    if (insn->op == PTO_OP_ISUB)
        return is_number(&insn->operand[1].scalar, 1) && is_register(&insn->operand[2].scalar, reg)
                   ? 2
                   : 0;
    if (insn->op == PTO_OP_IADD)
        return wraps(code, at + 1, reg) > 0;
    return wraps(code, at, reg);
}

