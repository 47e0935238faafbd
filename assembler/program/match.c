/* Instructions: the row of the ISA table that fits the operands, and the operands in its order. */
#include "match.h"

#include <string.h>
#include <strings.h>

#include "assembly.h"
#include "check.h"
#include "code.h"
#include "expr.h"
#include "formula/value.h"
#include "handoff.h"
#include "operand.h"
#include "parse.h"
#include "registers.h"
#include "ring_code.h"
#include "slots.h"
#include "symbols.h"

/* How the text's operands fall on the specs of one row. */
struct match {
    const struct pto_op_info *info;
    unsigned op;
    const struct asm_expr *expr[PTO_MAX_OPERANDS]; /* by operand of the instruction */
    unsigned operands;                             /* of the instruction */
    unsigned fitting;                              /* how many of the text's operands fit */
    bool good;
    const struct asm_expr *bad; /* first that does not fit; NULL: one is missing */
    int bad_spec;               /* what was expected there; -1: nothing */
};

/* ---- choosing a row ---- */

static bool is_optional(const struct pto_operand_spec *spec)
{
    return spec->access & PTO_OPTIONAL;
}

/* An unknown bare name is more likely a keyword than a tile or a constant. */
static bool fits_free(struct assembly *a, const struct pto_operand_spec *spec,
                      const struct asm_expr *x)
{
    bool bare = x->kind == EX_REF && !x->rank && !x->index && !x->paren && !x->brace;

    if (!asm_operand_fits(a, spec, x))
        return false;
    if (spec->kind == PTO_K_ENUM)
        return pto_enum_find(spec->set, x->token->text) >= 0;
    return !bare || asm_symbol_find(a, NS_PLAIN, x->token);
}

/* Operands that may be left out stand in any order after the others. */
static void match_optional(struct assembly *a, struct match *m, const struct asm_expr *x,
                           unsigned first)
{
    unsigned specs = m->info->operands;

    for (; x; x = x->next) {
        unsigned i = first;

        while (i < specs && (m->expr[i] || !fits_free(a, &m->info->operand[i], x)))
            i++;
        if (i == specs) {
            m->bad = x;
            m->bad_spec = -1;
            return;
        }
        m->expr[i] = x;
        m->fitting++;
    }
    m->good = true;
}

/* A list at the end (print) takes all that is left. */
static void match_rest(struct assembly *a, struct match *m, const struct asm_expr *x,
                       unsigned first)
{
    m->operands = first;
    for (; x; x = x->next) {
        if (!asm_operand_fits(a, &m->info->operand[first], x) ||
            m->operands == PTO_MAX_OPERANDS) {
            m->bad = x;
            m->bad_spec = m->operands == PTO_MAX_OPERANDS ? -1 : (int)first;
            return;
        }
        m->expr[m->operands++] = x;
        m->fitting++;
    }
    m->good = true;
}

static struct match match_row(struct assembly *a, unsigned op, const struct asm_list *list)
{
    struct match m = {.info = pto_op_info(op), .op = op};
    const struct asm_expr *x = list->first;
    unsigned i = 0;

    m.operands = m.info->operands;
    for (; i < m.info->operands && !is_optional(&m.info->operand[i]); i++, x = x->next) {
        if (!x || !asm_operand_fits(a, &m.info->operand[i], x)) {
            m.bad = x;
            m.bad_spec = (int)i;
            return m;
        }
        m.expr[i] = x;
        m.fitting++;
    }
    if (i < m.info->operands && m.info->operand[i].kind == PTO_K_REST)
        match_rest(a, &m, x, i);
    else
        match_optional(a, &m, x, i);
    return m;
}

static struct match choose_row(struct assembly *a, unsigned first, const struct asm_list *list)
{
    struct match best = match_row(a, first, list);

    for (int op = pto_op_index_next(&a->ops, first); op >= 0 && !best.good;
         op = pto_op_index_next(&a->ops, (unsigned)op)) {
        struct match other = match_row(a, (unsigned)op, list);

        if (other.good || other.fitting > best.fitting)
            best = other;
    }
    return best;
}

/* ---- explaining ---- */

/* "TADD dst, src0, src1 [, tmp]" */
static const char *usage(struct assembly *a, const struct pto_op_info *info)
{
    struct pto_buf text = {0};
    const char *copy;

    pto_buf_printf(&text, "%s", info->mnemonic);
    for (unsigned i = 0; i < info->operands; i++) {
        const struct pto_operand_spec *spec = &info->operand[i];

        pto_buf_printf(&text, is_optional(spec) ? " [%s%s]" : "%s %s",
                       !i ? "" : spec->access & PTO_ARROW ? " ->" : ",",
                       spec->kind == PTO_K_ENUM ? pto_enum_name(spec->set) : spec->name);
    }
    copy = pto_arena_strdup(&a->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    return copy;
}

/* An operand that no optional spec wanted: perhaps a keyword spelled wrong. */
static void explain_extra(struct assembly *a, const struct match *m)
{
    const struct asm_expr *x = m->bad;
    bool bare = x->kind == EX_REF && !x->index && !x->paren && !x->brace && !x->rank;

    if (m->operands == PTO_MAX_OPERANDS) {
        asm_error_expr(a, x, "an instruction has at most %d operands", PTO_MAX_OPERANDS);
        return;
    }
    for (unsigned i = 0; bare && i < m->info->operands; i++) {
        const struct pto_operand_spec *spec = &m->info->operand[i];

        if (spec->kind == PTO_K_ENUM && !m->expr[i]) {
            asm_operand_expected(a, spec, x);
            return;
        }
    }
    asm_hint(a, asm_error_expr(a, x, "%s has no use for this operand", m->info->mnemonic),
             "usage: %s", usage(a, m->info));
}

/* An arrow where a comma is due, or the other way round. */
static bool explain_arrow(struct assembly *a, const struct match *m)
{
    bool due = m->bad_spec >= 0 && m->info->operand[m->bad_spec].access & PTO_ARROW;
    struct pto_diag *diag;

    if (!m->bad || !m->bad->arrow == !due)
        return false;
    diag = due ? asm_error_expr(a, m->bad, "'->' has to stand before this operand of %s",
                                m->info->mnemonic)
               : asm_error(a, m->bad->arrow, "%s has no '->' here", m->info->mnemonic);
    asm_hint(a, diag, "usage: %s", usage(a, m->info));
    return true;
}

/* The twin of a tile instruction that takes a number, TADDS of TADD, if the operands fit it. */
static const struct pto_op_info *twin(struct assembly *a, const struct asm_stmt *stmt,
                                      const struct match *m)
{
    int op = pto_op_find(pto_arena_printf(&a->arena, "%sS", m->info->mnemonic));
    struct match other;

    if (op < 0 || m->info->operand[m->bad_spec].kind != PTO_K_TILE)
        return NULL;
    other = choose_row(a, (unsigned)op, stmt->list);
    return other.good ? other.info : NULL;
}

/* An operand of another kind than the row has there. */
static void explain_kind(struct assembly *a, const struct asm_stmt *stmt, const struct match *m)
{
    struct pto_diag *diag = asm_operand_expected(a, &m->info->operand[m->bad_spec], m->bad);
    const struct pto_op_info *better = twin(a, stmt, m);

    if (better)
        asm_hint(a, diag, "%s takes a number: %s", better->mnemonic, usage(a, better));
    else if (!diag->hint)
        asm_hint(a, diag, "usage: %s", usage(a, m->info));
}

static void explain(struct assembly *a, const struct asm_stmt *stmt, const struct match *m)
{
    if (explain_arrow(a, m))
        return;
    if (m->bad && m->bad_spec < 0) {
        explain_extra(a, m);
        return;
    }
    if (!m->bad) {
        asm_hint(a, asm_error(a, stmt->token, "%s lacks its operand '%s'", m->info->mnemonic,
                              m->info->operand[m->bad_spec].name),
                 "usage: %s", usage(a, m->info));
        return;
    }
    explain_kind(a, stmt, m);
}

static void unknown_mnemonic(struct assembly *a, const struct asm_token *token)
{
    struct pto_diag *diag = asm_error(a, token, "there is no instruction '%s'", token->text);
    const char *macro = asm_symbol_nearest(a, NS_MACRO, 1 << SYM_MACRO, token->text);
    const char *names[PTO_ROW_COUNT + 1];
    unsigned count = 0;

    if (macro)
        names[count++] = macro;
    for (unsigned op = 0; op < PTO_ROW_COUNT; op++) {
        names[count++] = pto_op_info(op)->mnemonic;
        if (!strcasecmp(names[count - 1], token->text)) {
            asm_hint(a, diag, "did you mean '%s'?", names[count - 1]);
            return;
        }
    }
    asm_hint_nearest(a, diag, token->text, names, count);
}

/* ---- operands ---- */

static bool is_destination(const struct pto_operand_spec *spec)
{
    return spec->kind == PTO_K_INT_REG || spec->kind == PTO_K_FLOAT_REG ||
           spec->kind == PTO_K_ANY_REG;
}

static const struct pto_operand_spec *spec_of(const struct match *m, unsigned i)
{
    return &m->info->operand[i < m->info->operands ? i : m->info->operands - 1u];
}

static bool lower_sources(struct assembly *a, const struct match *m, struct pto_operand *operand)
{
    bool good = true;

    for (unsigned i = 0; i < m->operands; i++)
        if (m->expr[i] && !is_destination(spec_of(m, i)))
            good &= asm_operand_lower(a, spec_of(m, i), m->expr[i], &operand[i]);
    return good;
}

static bool scalar_is_float(struct assembly *a, const struct pto_scalar *scalar)
{
    return scalar->kind == PTO_S_FLOAT ||
           (scalar->kind == PTO_S_REG && asm_code(a)->reg[scalar->reg].is_float);
}

static bool memory_is_float(const struct assembly *a, const struct pto_operand *operand)
{
    if (operand->kind == PTO_O_LOCAL)
        return a->core->local[operand->local.local].is_float;
    return pto_dtype_is_float(operand->kind == PTO_O_TILE
                                  ? a->core->tile[operand->tile.tile].dtype
                                  : a->kernel->object[operand->gm.object].dtype);
}

/* First operand of a kind, or -1. */
static int find_spec(const struct match *m, enum pto_kind kind)
{
    for (unsigned i = 0; i < m->info->operands; i++)
        if (m->info->operand[i].kind == kind)
            return (int)i;
    return -1;
}

/* Is one of the numbers from which the result is taken a float? */
static bool numbers_are_float(struct assembly *a, const struct match *m,
                              const struct pto_operand *operand)
{
    for (unsigned i = 0; i < m->info->operands; i++)
        if (m->info->operand[i].kind == PTO_K_NUM && scalar_is_float(a, &operand[i].scalar))
            return true;
    return false;
}

/* A number that is stored takes the type of what it is stored to. */
static bool convert_number(struct assembly *a, const struct match *m, struct pto_operand *operand,
                           int number, bool to_float, const char *target)
{
    struct asm_value value = {operand[number].scalar,
                              scalar_is_float(a, &operand[number].scalar)};

    if (value.is_float && !to_float) {
        asm_hint(a, asm_error_expr(a, m->expr[number], "%s holds integers, this is a float",
                                   target),
                 "int() makes an integer of a float, toward zero");
        return false;
    }
    if (to_float && !formula_to_float(&a->formula, m->expr[number], &value))
        return false;
    operand[number].scalar = value.scalar;
    return true;
}

static bool convert_numbers(struct assembly *a, const struct match *m, struct pto_operand *operand,
                            bool to_float, const char *target)
{
    bool good = true;

    for (unsigned i = 0; i < m->info->operands; i++)
        if (m->info->operand[i].kind == PTO_K_NUM)
            good &= convert_number(a, m, operand, (int)i, to_float, target);
    return good;
}

/* The parameter that `default` computes: the one instruction that writes a parameter. */
static int32_t default_target(struct assembly *a, const struct asm_expr *x)
{
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_PLAIN, x->token);

    if (!symbol || symbol->kind != SYM_PARAM) {
        asm_error(a, x->token, "default computes a parameter, '%%%s' is none", x->token->text);
        return PTO_NONE;
    }
    a->kernel->param[symbol->index].has_default = true;
    return (int32_t)symbol->index;
}

static bool lower_destination(struct assembly *a, const struct match *m,
                              struct pto_operand *operand)
{
    const struct pto_operand_spec *spec = &m->info->operand[0];
    int memory = find_spec(m, PTO_K_MEM);
    bool is_float = spec->kind == PTO_K_FLOAT_REG, of_numbers;
    int32_t reg;

    of_numbers = spec->kind == PTO_K_ANY_REG && find_spec(m, PTO_K_NUM) >= 0;
    if (spec->kind == PTO_K_ANY_REG)
        is_float = of_numbers ? numbers_are_float(a, m, operand)
                              : memory_is_float(a, &operand[memory]);
    reg = m->op == PTO_OP_DEFAULT ? default_target(a, m->expr[0])
                                  : asm_register_write(a, m->expr[0]->token, is_float);
    if (reg == PTO_NONE)
        return false;
    operand[0] = (struct pto_operand){.kind = PTO_O_SCALAR,
                                      .scalar = {.kind = PTO_S_REG, .reg = (uint16_t)reg}};
    if (asm_code(a)->reg[reg].unknown)
        return true;
    if (of_numbers)
        return convert_numbers(a, m, operand, asm_code(a)->reg[reg].is_float,
                               pto_arena_printf(&a->arena, "%%%s", m->expr[0]->token->text));
    if (asm_code(a)->reg[reg].is_float == is_float)
        return true;
    asm_hint(a, asm_error_expr(a, m->expr[0], "%%%s is %s by its first assignment, %s gives %s",
                               m->expr[0]->token->text, is_float ? "an integer" : "a float",
                               m->info->mnemonic, is_float ? "a float" : "an integer"),
             "use another register and convert with int() or float()");
    return false;
}

/* ---- the instruction ---- */

static bool legal_in_setup(const struct pto_op_info *info, unsigned op)
{
    return info->class == PTO_SCALAR || op == PTO_OP_ASSERT;
}

static bool legal_place(struct assembly *a, const struct asm_stmt *stmt, unsigned op)
{
    if (a->section == SECTION_SETUP && !legal_in_setup(pto_op_info(op), op)) {
        asm_hint(a, asm_error(a, stmt->token, "%s cannot stand in set-up code",
                              stmt->token->text),
                 "set-up code computes with scalars only, once per rank, before the cores start");
        return false;
    }
    if (a->section != SECTION_SETUP && op == PTO_OP_DEFAULT) {
        asm_hint(a, asm_error(a, stmt->token, "default belongs into set-up code"),
                 "write .param name : i64 = value");
        return false;
    }
    return true;
}

static void emit_match(struct assembly *a, const struct asm_stmt *stmt, const struct match *m)
{
    struct pto_operand operand[PTO_MAX_OPERANDS] = {{0}};
    struct pto_insn insn = {.op = (uint16_t)m->op, .operands = (uint8_t)m->operands,
                            .operand = operand};
    int number = find_spec(m, PTO_K_NUM), memory = find_spec(m, PTO_K_MEM);
    uint32_t first = asm_code(a)->insns;

    asm_ordered_before(a, m->op);
    if (!lower_sources(a, m, operand)) {
        if (m->operands && is_destination(&m->info->operand[0]) && m->op != PTO_OP_DEFAULT &&
            asm_register_known(a, m->expr[0]->token) == PTO_NONE) {
            int32_t reg = asm_register_write(a, m->expr[0]->token, false);

            if (reg != PTO_NONE)
                asm_code(a)->reg[reg].unknown = true;
        }
        return;
    }
    if (m->operands && is_destination(&m->info->operand[0])) {
        if (!lower_destination(a, m, operand))
            return;
    } else if (memory >= 0 && number >= 0 &&
               !convert_number(a, m, operand, number, memory_is_float(a, &operand[memory]),
                               m->expr[memory]->token->text)) {
        return;
    }
    if (!asm_check(a, stmt, &insn, m->expr))
        return;
    if (m->op == PTO_OP_END) {
        asm_slots_branch(a, 0);
        asm_rings_drain(a);
    }
    asm_emit(a, stmt->token, m->op, m->operands, operand);
    asm_ordered_after(a, first);
}

void asm_instruction(struct assembly *a, const struct asm_stmt *stmt)
{
    int op = pto_op_index_find(&a->ops, stmt->token->text);
    struct match m;

    if (op < 0) {
        unknown_mnemonic(a, stmt->token);
        return;
    }
    if (!legal_place(a, stmt, (unsigned)op))
        return;
    m = choose_row(a, (unsigned)op, stmt->list);
    if (!m.good)
        explain(a, stmt, &m);
    else if (m.op == PTO_OP_HANDOFF)
        asm_handoff(a, stmt, m.expr);
    else if (m.info->class == PTO_PSEUDO)
        asm_ring_instruction(a, stmt, m.op, m.expr);
    else
        emit_match(a, stmt, &m);
}
