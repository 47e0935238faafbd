/* Set-up code read backwards: the value of a register as an expression, see info.h. */
#include "cli/info.h"

#include "float_text.h"
#include "operators.h"

enum { EXPRESSION_DEPTH = 8 };

/* The instruction before `before` that gives `reg` its value, or insns if there is none or if
 * branches make the question open. */
static uint32_t definition(const struct pto_code *code, unsigned reg, uint32_t before)
{
    for (uint32_t i = 0; i < code->insns; i++) {
        unsigned op = code->insn[i].op;

        if (pto_op_info(op)->class == PTO_FLOW && op != PTO_OP_END && op != PTO_OP_ASSERT)
            return code->insns;
    }
    for (uint32_t i = before; i-- > 0;) {
        const struct pto_insn *insn = &code->insn[i];
        const struct pto_op_info *info = pto_op_info(insn->op);

        if (insn->operands > 0 && info->operands > 0 && (info->operand[0].access & PTO_WRITE) &&
            insn->operand[0].kind == PTO_O_SCALAR && insn->operand[0].scalar.kind == PTO_S_REG &&
            insn->operand[0].scalar.reg == reg)
            return i;
    }
    return code->insns;
}

/* Where a value stands: what came before it, how deep it is nested, the loosest level of operators
 * that needs no parentheses there. */
struct place {
    uint32_t before;
    int depth, level;
};

static void write_scalar(const struct pto_kernel *kernel, const struct pto_scalar *scalar,
                         struct place place, struct pto_buf *out);

static void write_infix(const struct pto_kernel *kernel, uint32_t at,
                        const struct pto_operator *row, struct place place, struct pto_buf *out)
{
    const struct pto_operand *operand = kernel->setup.insn[at].operand;
    bool inner = row->level < place.level, groups = row->level != PTO_LEVEL_COMPARISON;
    struct place left = {at, place.depth + 1, groups ? row->level : row->level + 1};
    struct place right = {at, place.depth + 1, row->level + 1};

    pto_buf_printf(out, "%s", inner ? "(" : "");
    write_scalar(kernel, &operand[1].scalar, left, out);
    pto_buf_printf(out, " %s ", row->text);
    write_scalar(kernel, &operand[2].scalar, right, out);
    pto_buf_printf(out, "%s", inner ? ")" : "");
}

/* A function, or an instruction without a spelling of its own as if it were one. */
static void write_call(const struct pto_kernel *kernel, uint32_t at,
                       const struct pto_operator *row, struct place place, struct pto_buf *out)
{
    const struct pto_insn *insn = &kernel->setup.insn[at];
    struct place inside = {at, place.depth + 1, PTO_LEVEL_CHOICE};

    pto_buf_printf(out, "%s(", row ? row->text : pto_op_info(insn->op)->mnemonic);
    for (unsigned i = 1; i < insn->operands; i++) {
        pto_buf_printf(out, "%s", i > 1 ? ", " : "");
        if (insn->operand[i].kind == PTO_O_SCALAR)
            write_scalar(kernel, &insn->operand[i].scalar, inside, out);
        else if (insn->operand[i].kind == PTO_O_GM)
            pto_buf_printf(out, "%s", kernel->object[insn->operand[i].gm.object].name);
    }
    pto_buf_printf(out, ")");
}

static void write_choice(const struct pto_kernel *kernel, uint32_t at, struct place place,
                         struct pto_buf *out)
{
    const struct pto_operand *operand = kernel->setup.insn[at].operand;
    bool inner = place.level > PTO_LEVEL_CHOICE;
    struct place condition = {at, place.depth + 1, PTO_LEVEL_CHOICE + 1};
    struct place arm = {at, place.depth + 1, PTO_LEVEL_CHOICE};

    pto_buf_printf(out, "%s", inner ? "(" : "");
    write_scalar(kernel, &operand[1].scalar, condition, out);
    pto_buf_printf(out, " ? ");
    write_scalar(kernel, &operand[2].scalar, arm, out);
    pto_buf_printf(out, " : ");
    write_scalar(kernel, &operand[3].scalar, arm, out);
    pto_buf_printf(out, "%s", inner ? ")" : "");
}

static void write_insn(const struct pto_kernel *kernel, uint32_t at, struct place place,
                       struct pto_buf *out)
{
    const struct pto_insn *insn = &kernel->setup.insn[at];
    int id = pto_operator_of(insn->op);
    const struct pto_operator *row = id < 0 ? NULL : pto_operator((enum pto_operator_id)id);

    if (insn->op == PTO_OP_MOV)
        write_scalar(kernel, &insn->operand[1].scalar,
                     (struct place){at, place.depth + 1, place.level}, out);
    else if (insn->op == PTO_OP_SELECT)
        write_choice(kernel, at, place, out);
    else if (row && row->fixity == PTO_INFIX)
        write_infix(kernel, at, row, place, out);
    else
        write_call(kernel, at, row, place, out);
}

static void write_register(const struct pto_kernel *kernel, unsigned reg, struct place place,
                           struct pto_buf *out)
{
    uint32_t at = reg < kernel->params || place.depth > EXPRESSION_DEPTH
                      ? kernel->setup.insns
                      : definition(&kernel->setup, reg, place.before);

    if (reg < kernel->params)
        pto_buf_printf(out, "%s", kernel->param[reg].name);
    else if (at < kernel->setup.insns)
        write_insn(kernel, at, place, out);
    else
        pto_buf_printf(out, "%%%s", kernel->setup.reg[reg].name);
}

static void write_scalar(const struct pto_kernel *kernel, const struct pto_scalar *scalar,
                         struct place place, struct pto_buf *out)
{
    switch (scalar->kind) {
    case PTO_S_REG:
        write_register(kernel, scalar->reg, place, out);
        break;
    case PTO_S_INT:
        pto_buf_printf(out, "%lld", (long long)scalar->i);
        break;
    case PTO_S_FLOAT:
        pto_write_float(out, scalar->f);
        break;
    case PTO_S_SYS:
        pto_buf_printf(out, "%s()", pto_sys_name((enum pto_sys)scalar->reg));
        break;
    default:
        break;
    }
}

void cli_expression_text(const struct pto_kernel *kernel, const struct pto_scalar *scalar,
                         uint32_t before, struct pto_buf *out)
{
    write_scalar(kernel, scalar, (struct place){before, 0, PTO_LEVEL_CHOICE}, out);
}
