/* Set-up code read backwards: the value of a register as an expression, see info.h. */
#include "cli/info.h"

#include <math.h>
#include <string.h>

enum { EXPRESSION_DEPTH = 8 };

/* Scalar instructions that have an infix spelling; the others are shown as calls. */
static const struct {
    enum pto_op op;
    const char *infix;
} INFIX[] = {
    {PTO_OP_IADD, "+"}, {PTO_OP_ISUB, "-"}, {PTO_OP_IMUL, "*"}, {PTO_OP_IDIV, "/"},
    {PTO_OP_FADD, "+"}, {PTO_OP_FSUB, "-"}, {PTO_OP_FMUL, "*"}, {PTO_OP_FDIV, "/"},
    {PTO_OP_AND, "&"},  {PTO_OP_OR, "|"},   {PTO_OP_XOR, "^"},  {PTO_OP_SHL, "<<"},
    {PTO_OP_SHR, ">>"}, {PTO_OP_IEQ, "=="}, {PTO_OP_INE, "!="}, {PTO_OP_ILT, "<"},
    {PTO_OP_ILE, "<="},
};

static const struct {
    enum pto_op op;
    const char *name;
} CALL[] = {
    {PTO_OP_IMOD, "mod"},   {PTO_OP_CDIV, "cdiv"}, {PTO_OP_IMIN, "min"},  {PTO_OP_IMAX, "max"},
    {PTO_OP_FMIN, "min"},   {PTO_OP_FMAX, "max"},  {PTO_OP_ITOF, "float"}, {PTO_OP_FTOI, "int"},
    {PTO_OP_FSQRT, "sqrt"},
};

static const char *infix_of(unsigned op)
{
    for (size_t i = 0; i < sizeof INFIX / sizeof *INFIX; i++)
        if (INFIX[i].op == op)
            return INFIX[i].infix;
    return NULL;
}

static const char *call_of(unsigned op)
{
    for (size_t i = 0; i < sizeof CALL / sizeof *CALL; i++)
        if (CALL[i].op == op)
            return CALL[i].name;
    return pto_op_info(op)->mnemonic;
}

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

/* Where a value stands: what came before it, how deep it is nested, whether it is an operand of an
 * infix operator and so may need parentheses. */
struct place {
    uint32_t before;
    int depth;
    bool inner;
};

static void write_scalar(const struct pto_kernel *kernel, const struct pto_scalar *scalar,
                         struct place place, struct pto_buf *out);

static void write_insn(const struct pto_kernel *kernel, uint32_t at, struct place place,
                       struct pto_buf *out)
{
    const struct pto_insn *insn = &kernel->setup.insn[at];
    const char *infix = insn->operands == 3 ? infix_of(insn->op) : NULL;
    struct place inside = {at, place.depth + 1, infix};

    if (insn->op == PTO_OP_MOV && insn->operands == 2) {
        inside.inner = place.inner;
        write_scalar(kernel, &insn->operand[1].scalar, inside, out);
        return;
    }
    if (infix) {
        pto_buf_printf(out, "%s", place.inner ? "(" : "");
        write_scalar(kernel, &insn->operand[1].scalar, inside, out);
        pto_buf_printf(out, " %s ", infix);
        write_scalar(kernel, &insn->operand[2].scalar, inside, out);
        pto_buf_printf(out, "%s", place.inner ? ")" : "");
        return;
    }
    pto_buf_printf(out, "%s(", call_of(insn->op));
    for (unsigned i = 1; i < insn->operands; i++) {
        pto_buf_printf(out, "%s", i > 1 ? ", " : "");
        if (insn->operand[i].kind == PTO_O_SCALAR)
            write_scalar(kernel, &insn->operand[i].scalar, inside, out);
        else if (insn->operand[i].kind == PTO_O_GM)
            pto_buf_printf(out, "%s", kernel->object[insn->operand[i].gm.object].name);
    }
    pto_buf_printf(out, ")");
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
        pto_buf_printf(out, "%.17g", scalar->f);
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
    write_scalar(kernel, scalar, (struct place){before, 0, false}, out);
}
