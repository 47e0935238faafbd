#include "dbg/valid.h"

#include "dbg/issue.h"

/* What a scalar had for a value; `none` where it was left out. */
static uint64_t value_of(const struct pto_code *code, const struct dbg_issue *issue,
                         const struct pto_scalar *s, uint64_t none)
{
    switch (s->kind) {
    case PTO_S_INT:
        return (uint64_t)s->i;
    case PTO_S_REG:
        return issue->value[s->reg];
    case PTO_S_SYS:
        return issue->value[code->regs + s->reg];
    default:
        return none;
    }
}

/* Is the operand the slot of the view?  Then with which region? */
static bool takes_slot(const struct dbg_view *view, const struct pto_core_info *info,
                       const struct dbg_record *record, const struct pto_tile_ref *ref,
                       struct dbg_valid *valid)
{
    const struct pto_tile *tile = &info->code->tile[ref->tile];
    const struct pto_code *code = &info->code->code;
    uint64_t slot = value_of(code, record->issue, &ref->slot, 0);

    if (tile != view->tile || ref->byte.kind != PTO_S_NONE ||
        tile->address + slot * tile->slot_stride != view->offset)
        return false;
    *valid = (struct dbg_valid){.row = value_of(code, record->issue, &ref->row, 0),
                                .col = value_of(code, record->issue, &ref->col, 0),
                                .record = record};
    valid->rows = value_of(code, record->issue, &ref->rows, tile->rows - valid->row);
    valid->cols = value_of(code, record->issue, &ref->cols, tile->cols - valid->col);
    return true;
}

/* An event may be of a launch before this one. */
static bool is_in(const struct pto_core_info *info, const struct pto_insn *insn)
{
    const struct pto_code *code = &info->code->code;

    return (uintptr_t)insn >= (uintptr_t)code->insn &&
           (uintptr_t)insn < (uintptr_t)(code->insn + code->insns);
}

bool valid_find(const struct dbg *dbg, const struct dbg_view *view, struct dbg_valid *valid)
{
    uint64_t kept = dbg->events < DBG_HISTORY ? dbg->events : DBG_HISTORY;
    struct pto_core_info info;

    dbg_focused(dbg, &info);
    for (uint64_t i = 0; i < kept && info.module && view->tile; i++) {
        const struct dbg_record *record = &dbg->history[(dbg->events - i) % DBG_HISTORY];
        const struct pto_insn *insn = record->event.insn;

        if (record->event.kind != PTO_EV_COMPLETE || record->event.rank != dbg->rank ||
            record->event.core != dbg->core || !record->issue || !is_in(&info, insn))
            continue;
        for (unsigned k = 0; k < insn->operands; k++)
            if (insn->operand[k].kind == PTO_O_TILE &&
                takes_slot(view, &info, record, &insn->operand[k].tile, valid))
                return true;
    }
    return false;
}
