/* A program under construction: instructions, registers, temporaries, branch targets. */
#include "code.h"

#include <stdlib.h>
#include <string.h>

#include "assembly.h"
#include "lost.h"
#include "slots.h"
#include "symbols.h"
#include "text/position.h"

struct asm_code *asm_code(struct assembly *a)
{
    return a->section == SECTION_CORE ? &a->code : &a->setup;
}

static uint16_t add_register(struct assembly *a, const char *name, bool is_float,
                             const struct asm_token *token)
{
    struct asm_code *code = asm_code(a);

    if (code->regs == PTO_MAX_REGISTERS) {
        if (!code->full)
            asm_error(a, token, "this program needs more than %d registers", PTO_MAX_REGISTERS);
        code->full = true;
        return 0;
    }
    PTO_GROW(code->reg, code->regs, code->reg_capacity);
    code->reg[code->regs] = (struct asm_register){.name = name, .is_float = is_float};
    return (uint16_t)code->regs++;
}

void asm_code_open(struct assembly *a)
{
    struct asm_code *code = asm_code(a);

    *code = (struct asm_code){0};
    for (uint32_t i = 0; i < a->kernel->params; i++)
        add_register(a, a->kernel->param[i].name, a->kernel->param[i].is_float, NULL);
}

void asm_code_close(struct assembly *a, struct asm_code *code, struct pto_code *out)
{
    struct pto_arena *arena = &a->module->arena;

    out->insns = code->insns;
    out->insn = pto_arena_array(arena, code->insns, sizeof *out->insn);
    if (code->insns)
        memcpy(out->insn, code->insn, code->insns * sizeof *out->insn);
    out->regs = code->regs;
    out->reg = pto_arena_array(arena, code->regs, sizeof *out->reg);
    for (uint32_t i = 0; i < code->regs; i++)
        out->reg[i] = (struct pto_register){pto_arena_strdup(arena, code->reg[i].name),
                                            code->reg[i].is_float};
    asm_code_free(code);
}

void asm_code_free(struct asm_code *code)
{
    free(code->insn);
    free(code->reg);
    free(code->target);
    *code = (struct asm_code){0};
}

/* ---- instructions ---- */

/* Instructions lie on the line of their statement: a token that came in through the argument of a
 * macro, or from another line, does not say where the statement stands. */
static const struct asm_token *place_of(const struct assembly *a, const struct asm_token *token)
{
    const struct asm_token *line = a->line_token;

    return token->origin == line->origin && token->line == line->line ? token : line;
}

void asm_emit(struct assembly *a, const struct asm_token *token, unsigned op, unsigned operands,
              const struct pto_operand *operand)
{
    struct asm_code *code = asm_code(a);
    struct pto_insn *insn;

    if (code->insns == ASM_MAX_CODE) {
        if (!code->full)
            asm_error(a, token, "this program has more than %d instructions", ASM_MAX_CODE);
        code->full = true;
        return;
    }
    PTO_GROW(code->insn, code->insns, code->insn_capacity);
    insn = &code->insn[code->insns++];
    *insn = (struct pto_insn){.op = (uint16_t)op, .operands = (uint8_t)operands};
    insn->pos = text_position(&a->text, place_of(a, token));
    insn->operand = pto_arena_array(&a->module->arena, operands, sizeof *insn->operand);
    if (operands)
        memcpy(insn->operand, operand, operands * sizeof *insn->operand);
    asm_slots_see(a, insn);
}

void asm_code_move_last(struct assembly *a, uint32_t place)
{
    struct asm_code *code = asm_code(a);
    struct pto_insn last = code->insn[code->insns - 1];

    memmove(&code->insn[place + 1], &code->insn[place],
            (code->insns - 1 - place) * sizeof *code->insn);
    code->insn[place] = last;
}

bool asm_code_reached(struct assembly *a)
{
    const struct asm_code *code = asm_code(a);
    unsigned last = code->insns ? code->insn[code->insns - 1].op : PTO_OP_COUNT;

    return code->last_target == code->insns || (last != PTO_OP_JUMP && last != PTO_OP_END);
}

static void scalar_operands(struct pto_operand *operand, const struct pto_scalar *scalar,
                            unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        operand[i] = (struct pto_operand){.kind = PTO_O_SCALAR, .scalar = scalar[i]};
}

void asm_emit_scalar(struct assembly *a, const struct asm_token *token, unsigned op,
                     const struct pto_scalar *scalar, unsigned count)
{
    struct pto_operand operand[PTO_MAX_OPERANDS];

    scalar_operands(operand, scalar, count);
    asm_emit(a, token, op, count, operand);
}

void asm_emit_branch(struct assembly *a, const struct asm_token *token, unsigned op,
                     const struct pto_scalar *scalar, unsigned count, uint32_t target)
{
    struct pto_operand operand[PTO_MAX_OPERANDS];

    asm_code(a)->target[target].used = true;
    scalar_operands(operand, scalar, count);
    operand[count] = (struct pto_operand){.kind = PTO_O_LABEL, .value = target};
    asm_emit(a, token, op, count + 1, operand);
}

/* ---- temporaries ---- */

/* "_0", "_1", ...: the first that the text itself has not declared. */
static const char *temporary_name(struct assembly *a)
{
    struct asm_code *code = asm_code(a);

    for (;;) {
        struct asm_token token = {
            .text = pto_arena_printf(&a->arena, "_%u", code->temporaries++)};

        if (!asm_symbol_find(a, NS_REG, &token))
            return token.text;
    }
}

struct pto_scalar asm_temporary(struct assembly *a, const struct asm_token *token, bool is_float)
{
    struct asm_code *code = asm_code(a);
    struct asm_register *reg;
    uint16_t index = 0;

    while (index < code->regs && (!code->reg[index].temporary || code->reg[index].busy ||
                                  code->reg[index].is_float != is_float))
        index++;
    if (index == code->regs)
        index = add_register(a, temporary_name(a), is_float, token);
    reg = &code->reg[index];
    if (!code->full) {
        reg->temporary = true;
        reg->busy = code->lent = true;
        reg->uses++;
    }
    return (struct pto_scalar){.kind = PTO_S_REG, .reg = index};
}

static struct asm_register *as_temporary(struct assembly *a, struct pto_scalar scalar)
{
    struct asm_code *code = asm_code(a);

    if (scalar.kind != PTO_S_REG || scalar.reg >= code->regs || !code->reg[scalar.reg].temporary)
        return NULL;
    return &code->reg[scalar.reg];
}

void asm_release(struct assembly *a, struct pto_scalar scalar)
{
    struct asm_register *reg = as_temporary(a, scalar);

    if (reg && !reg->held)
        reg->busy = false;
}

void asm_hold(struct assembly *a, struct pto_scalar scalar, bool held)
{
    struct asm_register *reg = as_temporary(a, scalar);

    if (reg)
        reg->busy = reg->held = held;
}

void asm_statement_end(struct assembly *a)
{
    struct asm_code *code = asm_code(a);

    for (uint32_t i = 0; code->lent && i < code->regs; i++)
        code->reg[i].busy = code->reg[i].held;
    code->lent = false;
}

/* The temporary that the last instruction computed, if `value` is one. */
static struct pto_insn *last_computes(struct assembly *a, struct pto_scalar value)
{
    struct asm_code *code = asm_code(a);
    struct pto_insn *insn = code->insns ? &code->insn[code->insns - 1] : NULL;

    if (!as_temporary(a, value) || !insn || code->last_target == code->insns ||
        !insn->operands || insn->operand[0].kind != PTO_O_SCALAR ||
        !(pto_op_info(insn->op)->operand[0].access & PTO_WRITE) ||
        insn->operand[0].scalar.reg != value.reg)
        return NULL;
    return insn;
}

bool asm_retarget(struct assembly *a, struct pto_scalar from, uint16_t reg)
{
    struct pto_insn *insn = last_computes(a, from);
    struct asm_code *code = asm_code(a);

    if (!insn)
        return false;
    insn->operand[0].scalar.reg = reg;
    code->reg[from.reg].busy = false;
    if (!--code->reg[from.reg].uses && from.reg + 1u == code->regs) {
        code->regs--;
        code->temporaries--;
    }
    return true;
}

bool asm_adopt(struct assembly *a, struct pto_scalar from, const char *name)
{
    struct asm_code *code = asm_code(a);

    if (!last_computes(a, from) || code->reg[from.reg].uses != 1)
        return false;
    if (from.reg + 1u == code->regs)
        code->temporaries--;
    code->reg[from.reg].temporary = code->reg[from.reg].busy = false;
    code->reg[from.reg].name = name;
    return true;
}

uint16_t asm_register_add(struct assembly *a, const struct asm_token *token, bool is_float)
{
    return add_register(a, asm_module_name(a, token), is_float, token);
}

/* ---- branch targets and labels ---- */

static uint32_t add_target(struct assembly *a, const struct asm_token *name, uint64_t slots)
{
    struct asm_code *code = asm_code(a);

    PTO_GROW(code->target, code->targets, code->target_capacity);
    code->target[code->targets] = (struct asm_target){name, PTO_NONE, slots, false};
    return code->targets++;
}

uint32_t asm_target_new(struct assembly *a)
{
    return add_target(a, NULL, 0);
}

uint32_t asm_target_named(struct assembly *a, const struct asm_token *name)
{
    return add_target(a, name, asm_slots_state(a));
}

void asm_target_place(struct assembly *a, uint32_t target)
{
    struct asm_code *code = asm_code(a);

    code->target[target].insn = code->insns;
    code->last_target = code->insns;
    if (code->target[target].used)
        asm_ordered_meet(a, false);
}

void asm_label(struct assembly *a, const struct asm_token *name)
{
    struct asm_code *code = asm_code(a);
    struct pto_core_code *core = a->core;
    struct asm_symbol *symbol = asm_symbol_define(a, NS_LABEL, SYM_LABEL, name,
                                                  asm_section_now(a), code->insns);

    if (!symbol)
        return;
    symbol->slots = asm_slots_state(a);
    asm_ordered_meet(a, true);
    code->last_target = code->insns;
    if (*name->text == '.') /* .L7: the plain form's name for a place without a name */
        return;
    if (core->labels == ASM_MAX_LABELS) {
        asm_error(a, name, "a program has at most %d labels", ASM_MAX_LABELS);
        return;
    }
    PTO_GROW(core->label, core->labels, a->label_capacity);
    core->label[core->labels++] =
        (struct pto_label){.name = asm_module_name(a, name), .insn = code->insns};
}

/* A plain branch does not give back slots. */
static void check_slots(struct assembly *a, const struct asm_target *target,
                        const struct asm_symbol *label)
{
    if (target->slots == label->slots)
        return;
    asm_hint(a, asm_error(a, target->name, "other slots are declared or taken at '%s' than here",
                          target->name->text),
             ".give and .drain before the branch; .continue and .break do it by themselves");
    asm_note(a, label->token, "'%s' is here", target->name->text);
}

static int64_t target_place(struct assembly *a, const struct asm_target *target)
{
    const struct asm_symbol *symbol;
    struct pto_diag *diag;

    if (!target->name)
        return target->insn;
    symbol = asm_symbol_find(a, NS_LABEL, target->name);
    if (symbol) {
        check_slots(a, target, symbol);
        return symbol->index;
    }
    if (asm_lost_before(a, NS_LABEL, target->name))
        return PTO_NONE;
    diag = asm_error(a, target->name, "there is no label '%s' in this program",
                     target->name->text);
    if (!asm_symbol_hint(a, diag, NS_LABEL, 1 << SYM_LABEL, target->name->text))
        asm_hint(a, diag, "write '%s:' before the instruction to go to", target->name->text);
    return PTO_NONE;
}

void asm_targets_resolve(struct assembly *a)
{
    struct asm_code *code = asm_code(a);

    for (uint32_t i = 0; i < code->targets; i++)
        code->target[i].insn = target_place(a, &code->target[i]);
    for (uint32_t i = 0; i < code->insns; i++) {
        struct pto_insn *insn = &code->insn[i];
        struct pto_operand *last = insn->operands ? &insn->operand[insn->operands - 1] : NULL;

        if (last && last->kind == PTO_O_LABEL)
            last->value = (uint32_t)code->target[last->value].insn;
    }
}
