/* Registers of the set-up code in cores.
 *
 * Set-up code has no branches and depends on nothing but parameters and what is the same on all
 * sub-cores of a rank.  So a core that reads some of its registers begins with a copy of the
 * instructions that compute the values which they have at its end. */
#include "inherit.h"

#include <stdlib.h>
#include <string.h>

#include "assembly.h"
#include "code.h"

const struct asm_symbol *asm_inherit(struct assembly *a, const struct asm_token *token)
{
    const struct asm_symbol *outer =
        a->section == SECTION_CORE ? asm_symbol_find_setup(a, token) : NULL;
    const struct asm_register *model;
    struct asm_register *reg;
    uint16_t index;

    if (!outer)
        return NULL;
    model = &a->setup.reg[outer->index];
    index = asm_register_add(a, outer->token, model->is_float);
    reg = &a->code.reg[index];
    reg->unknown = model->unknown;
    reg->hidden = reg->of_setup = true;
    reg->setup = (uint16_t)outer->index;
    return asm_symbol_define(a, NS_REG, SYM_REG, outer->token, asm_section_now(a), index);
}

/* What is copied, and where its registers are in the core. */
struct copy {
    struct assembly *a;
    bool *copied; /* by instruction of the set-up */
    uint32_t count;
    bool used[PTO_MAX_REGISTERS];
    uint16_t here[PTO_MAX_REGISTERS];
};

static bool is_register(const struct copy *c, const struct pto_operand *operand)
{
    return operand->kind == PTO_O_SCALAR && operand->scalar.kind == PTO_S_REG &&
           operand->scalar.reg >= c->a->kernel->params;
}

/* From the end back: what writes a register that is alive is copied, and what it reads is alive
 * before it.  Parameters are there already. */
static void find_copied(struct copy *c, bool *alive)
{
    const struct asm_code *setup = &c->a->setup;

    for (uint32_t i = setup->insns; i-- > 0;) {
        const struct pto_insn *insn = &setup->insn[i];
        uint16_t reg = insn->operand[0].scalar.reg;

        if (insn->op == PTO_OP_ASSERT || !is_register(c, &insn->operand[0]) || !alive[reg])
            continue;
        c->copied[i] = true;
        c->count++;
        c->used[reg] = true;
        alive[reg] = false;
        for (unsigned k = 1; k < insn->operands; k++)
            if (is_register(c, &insn->operand[k]))
                alive[insn->operand[k].scalar.reg] = true;
    }
}

/* Registers of the set-up that the core does not name become temporaries: nothing else is alive. */
static void find_places(struct copy *c)
{
    struct assembly *a = c->a;

    asm_statement_end(a);
    for (uint16_t i = 0; i < a->setup.regs; i++) {
        bool named = false;

        c->here[i] = i; /* parameters */
        for (uint16_t k = 0; c->used[i] && k < a->code.regs && !named; k++) {
            named = a->code.reg[k].of_setup && a->code.reg[k].setup == i;
            c->here[i] = k;
        }
        if (c->used[i] && !named)
            c->here[i] = asm_temporary(a, a->section_token, a->setup.reg[i].is_float).reg;
    }
    asm_statement_end(a);
}

static struct pto_insn copied(const struct copy *c, const struct pto_insn *insn)
{
    struct pto_insn copy = *insn;

    copy.operand = pto_arena_array(&c->a->module->arena, insn->operands, sizeof *copy.operand);
    for (unsigned i = 0; i < insn->operands; i++) {
        copy.operand[i] = insn->operand[i];
        if (copy.operand[i].kind == PTO_O_SCALAR && copy.operand[i].scalar.kind == PTO_S_REG)
            copy.operand[i].scalar.reg = c->here[copy.operand[i].scalar.reg];
    }
    return copy;
}

/* The core's program lies `by` instructions further back now. */
static void shift(struct assembly *a, const struct pto_insn *insn, uint32_t insns, uint32_t by)
{
    for (uint32_t i = 0; i < insns; i++)
        for (unsigned k = 0; k < insn[i].operands; k++)
            if (insn[i].operand[k].kind == PTO_O_LABEL)
                insn[i].operand[k].value += by;
    for (uint32_t i = 0; i < a->core->labels; i++)
        a->core->label[i].insn += by;
}

static void put_in_front(struct copy *c)
{
    struct asm_code *code = &c->a->code;
    const struct asm_code *setup = &c->a->setup;
    uint32_t old = code->insns;
    struct pto_insn *insn;

    if (c->count + old > ASM_MAX_CODE) {
        asm_error(c->a, c->a->section_token, "this program has more than %d instructions",
                  ASM_MAX_CODE);
        return;
    }
    insn = pto_xmalloc((c->count + old) * sizeof *insn);
    code->insns = 0;
    for (uint32_t i = 0; i < setup->insns; i++)
        if (c->copied[i])
            insn[code->insns++] = copied(c, &setup->insn[i]);
    shift(c->a, code->insn, old, c->count);
    memcpy(insn + c->count, code->insn, old * sizeof *insn);
    free(code->insn);
    code->insn = insn;
    code->insns = code->insn_capacity = c->count + old;
}

void asm_inherit_close(struct assembly *a)
{
    bool alive[PTO_MAX_REGISTERS] = {false}, any = false;
    struct copy c = {.a = a};

    for (uint32_t i = 0; i < a->code.regs; i++)
        if (a->code.reg[i].of_setup)
            alive[a->code.reg[i].setup] = any = true;
    if (!any)
        return;
    c.copied = pto_xcalloc(a->setup.insns + 1ul, sizeof *c.copied);
    find_copied(&c, alive);
    find_places(&c);
    put_in_front(&c);
    free(c.copied);
}
