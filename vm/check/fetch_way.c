/* What S does with the value of a fetch_add.
 *
 * A wait for 2 that has found 3 knows of 2 only: with other costs it goes on earlier.  So the
 * scalar instructions behind a fetch_add, up to the next that is more than arithmetic, are done
 * with smaller values, too: the least with which S goes the same way is all that its way needs.  A
 * value that is still of use behind them counts as it was read. */
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "check/fetch.h"

enum { MOST_WALKED = 48 };

struct way {
    uint32_t pc[MOST_WALKED], length, end;
    uint64_t *reg; /* all of them, as they are at the end */
};

/* One instruction; false: it is more than arithmetic, or goes wrong. */
static bool step(const struct ready_insn *insn, uint64_t *reg, uint32_t *pc)
{
    uint64_t d;

    if (insn->op == PTO_OP_MOV) {
        reg[insn->d] = reg[insn->a];
    } else if (insn->op == PTO_OP_SELECT) {
        reg[insn->d] = reg[insn->c] ? reg[insn->a] : reg[insn->b];
    } else if (insn->op == PTO_OP_JUMP) {
        *pc = insn->d;
        return true;
    } else if (pto_branch_is(insn->op)) {
        *pc = pto_branch_taken(insn->op, (int64_t)reg[insn->a], (int64_t)reg[insn->b])
                  ? insn->d : *pc + 1;
        return true;
    } else if (!pto_arith_is(insn->op) ||
               pto_arith(insn->op, reg[insn->a], reg[insn->b], &d) != PTO_ARITH_FINE) {
        return false;
    } else {
        reg[insn->d] = d;
    }
    ++*pc;
    return true;
}

static void walk(const struct core *core, int64_t value, struct way *way)
{
    const struct ready_code *ready = core->ready;

    memcpy(way->reg, core->reg, ready->registers * sizeof *way->reg);
    way->reg[ready->op[ready->insn[core->pc].d].operand[0].reg] = (uint64_t)value;
    way->end = core->pc + 1;
    for (way->length = 0; way->length < MOST_WALKED; way->length++) {
        way->pc[way->length] = way->end;
        if (!step(&ready->insn[way->end], way->reg, &way->end))
            break;
    }
}

static bool goes_there(const struct core *core, int64_t value, const struct way *way,
                       struct way *other)
{
    walk(core, value, other);
    return other->length == way->length && other->end == way->end &&
           !memcmp(other->pc, way->pc, way->length * sizeof *way->pc);
}

/* ---- what is of use behind ---- */

static bool is_reg(const struct pto_scalar *scalar, uint32_t reg)
{
    return scalar->kind == PTO_S_REG && scalar->reg == reg;
}

static bool operand_reads(const struct pto_operand *operand, uint32_t reg)
{
    const struct pto_tile_ref *tile = &operand->tile;
    const struct pto_gm_ref *gm = &operand->gm;
    bool any = false;

    switch (operand->kind) {
    case PTO_O_SCALAR:
        return is_reg(&operand->scalar, reg);
    case PTO_O_TILE:
        return is_reg(&tile->slot, reg) || is_reg(&tile->row, reg) || is_reg(&tile->col, reg) ||
               is_reg(&tile->byte, reg) || is_reg(&tile->rows, reg) || is_reg(&tile->cols, reg);
    case PTO_O_GM:
        for (unsigned i = 0; i < gm->indices; i++)
            any = any || is_reg(&gm->index[i], reg);
        return any || is_reg(&gm->rank, reg) || is_reg(&gm->rows, reg) || is_reg(&gm->cols, reg);
    case PTO_O_LOCAL:
        return is_reg(&operand->local.index, reg);
    default:
        return false;
    }
}

/* What becomes of a register in an instruction. */
static void look_at(const struct pto_insn *insn, uint32_t reg, bool *read, bool *written)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_SCALAR && (info->operand[i].access & PTO_WRITE))
            *written = *written || is_reg(&insn->operand[i].scalar, reg);
        else
            *read = *read || operand_reads(&insn->operand[i], reg);
}

/* Does any way from there read the register before it gets another value? */
static bool is_live(const struct pto_code *code, uint32_t from, uint32_t reg)
{
    bool *seen = pto_xcalloc(code->insns + 1, sizeof *seen), read = false;
    uint32_t *todo = pto_xmalloc((code->insns + 1) * sizeof *todo), left = 0;

    todo[left++] = from;
    seen[from] = true;
    while (left > 0 && !read) {
        const uint32_t pc = todo[--left];
        const struct pto_insn *insn = &code->insn[pc];
        uint32_t next = pc + 1, branch = next;
        bool written = false;

        look_at(insn, reg, &read, &written);
        if (written || insn->op == PTO_OP_END)
            continue;
        for (unsigned i = 0; i < insn->operands; i++)
            if (insn->operand[i].kind == PTO_O_LABEL)
                branch = insn->operand[i].value;
        if (insn->op == PTO_OP_JUMP)
            next = branch;
        for (uint32_t to = next;; to = branch) {
            if (to < code->insns && !seen[to]) {
                seen[to] = true;
                todo[left++] = to;
            }
            if (to == branch)
                break;
        }
    }
    free(seen);
    free(todo);
    return read;
}

/* ---- the least value ---- */

void fetch_find_need(const struct core *core, int64_t low, struct fetch *fetch)
{
    const struct ready_code *ready = core->ready;
    const size_t bytes = ready->registers * sizeof(uint64_t);
    struct way way = {.reg = pto_xmalloc(bytes)}, less = {.reg = pto_xmalloc(bytes)};
    int64_t high = fetch->value; /* this one does */

    walk(core, high, &way);
    if (goes_there(core, low, &way, &less)) {
        high = low;
    } else if (goes_there(core, high - 1, &way, &less)) {
        for (high--; low < high;) {
            const int64_t middle = low + (high - low) / 2;

            if (goes_there(core, middle, &way, &less))
                high = middle;
            else
                low = middle + 1;
        }
    }
    fetch->gate = fetch->need = high;
    goes_there(core, high, &way, &less);
    for (uint32_t reg = 0; reg < ready->first_sys; reg++)
        if (way.reg[reg] != less.reg[reg] && is_live(ready->code, way.end, reg))
            fetch->need = fetch->value;
    free(way.reg);
    free(less.reg);
}
