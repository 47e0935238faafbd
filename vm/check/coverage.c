/* Coverage: how often every synchronisation instruction of the launched kernels was executed, and
 * whether it ordered anything, at least once.
 *
 * A wait, barrier or fence orders if it tells its party something new; a set or a notify, if a wait
 * that takes it does; a dcci, if there was something to write back, or to drop.  For cross-core
 * flags, whose sets are matched, that is asked of all sets of a flag's number together. */
#include <stdlib.h>

#include "check/internal.h"

void pto_check_watch_coverage(struct pto_check *check)
{
    check->covers = true;
}

/* ---- during the run ---- */

void cover_executed(struct pto_check *check, const struct ready_code *code, uint32_t pc,
                    bool ordered)
{
    struct sync_use *use = redundant_use(check, code, pc);

    use->executed++;
    use->ordered = use->ordered || ordered;
}

void cover_mark(struct pto_check *check, const struct ready_code *code, uint32_t pc)
{
    if (check->covers)
        redundant_use(check, code, pc)->ordered = true;
}

void cover_cross_set(struct pto_check *check, const struct core *core, uint32_t pc, unsigned id)
{
    cover_note(check, core->ready, pc, false);
    if (check->covers)
        redundant_use(check, core->ready, pc)->cross_ids |= 1ull << id;
}

/* Does the clock tell something of any sub-core that is not known yet? */
static bool adds(const struct pto_check *check, const struct check_core *core,
                 const struct frame *frame, const struct far *far)
{
    for (uint32_t c = 0; c < check->cores; c++) {
        const struct row *more = far_row(far, c);
        const struct row *known = c == core->id ? &frame->row : far_row(frame->far, c);

        for (int lane = 0; more && lane < LANE_TOLD_MTE3; lane++)
            if (more->lane[lane] > (known ? known->lane[lane] : 0))
                return true;
    }
    return false;
}

bool cover_meeting(struct pto_check *check, const struct check_core *core, const struct far *far)
{
    bool ordered = check->covers && adds(check, core, &core->s, far);

    cover_note(check, core->core->ready, core->core->pc, ordered);
    return ordered;
}

void cover_cross_take(struct pto_check *check, const struct check_core *core,
                      const struct frame *known, uint32_t pc, const struct far *far, unsigned id)
{
    bool ordered = check->covers && adds(check, core, known, far);

    cover_note(check, core->core->ready, pc, ordered);
    if (ordered)
        check->cross_ordered |= 1ull << id;
}

/* ---- the end ---- */

static bool is_covered(unsigned op)
{
    return pto_op_info(op)->class == PTO_SYNC;
}

static bool same_place(const struct pto_coverage *one, const struct pto_pos *pos, unsigned op)
{
    const struct pto_pos *other = &one->module->pos[one->pos];

    return other->file == pos->file && other->line == pos->line && other->column == pos->column &&
           one->mnemonic == pto_op_info(op)->mnemonic;
}

/* The row of an instruction: macros and both kinds of sub-core share places of the text. */
static struct pto_coverage *get_row(struct pto_check *check, const struct pto_module *module,
                                    const struct pto_insn *insn)
{
    PTO_GROW(check->coverage, check->coverages, check->coverage_capacity);
    for (unsigned i = 0; i < check->coverages; i++)
        if (check->coverage[i].module == module &&
            same_place(&check->coverage[i], &module->pos[insn->pos], insn->op))
            return &check->coverage[i];
    check->coverage[check->coverages] = (struct pto_coverage){
        .module = module,
        .pos = (int32_t)insn->pos,
        .mnemonic = pto_op_info(insn->op)->mnemonic,
    };
    return &check->coverage[check->coverages++];
}

static void add_code(struct pto_check *check, const struct ready_code *ready)
{
    for (uint32_t pc = 0; ready->code && pc < ready->code->insns; pc++) {
        const struct pto_insn *insn = &ready->code->insn[pc];
        const struct sync_use *use;
        struct pto_coverage *row;

        if (!is_covered(insn->op) || insn->pos >= ready->module->positions)
            continue;
        row = get_row(check, ready->module, insn);
        use = redundant_find(check, ready, pc);
        row->times += use ? use->executed : 0;
        row->ordered = row->ordered ||
                       (use && (use->ordered || (use->cross_ids & check->cross_ordered)));
    }
}

static int compare(const void *one, const void *two)
{
    const struct pto_coverage *a = one, *b = two;
    const struct pto_pos *x = &a->module->pos[a->pos], *y = &b->module->pos[b->pos];

    if (a->module != b->module || x->file != y->file)
        return a->module != b->module ? (a->module < b->module ? -1 : 1)
                                      : (x->file < y->file ? -1 : 1);
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

void cover_finish(struct pto_check *check)
{
    const struct pto_vm *vm = check->vm;

    for (unsigned l = 0; check->covers && l < vm->launches; l++)
        for (int kind = 0; vm->launch[l].earlier < 0 && kind < PTO_CORE_KINDS; kind++)
            add_code(check, &vm->launch[l].ready->core[kind]);
    if (check->coverages)
        qsort(check->coverage, check->coverages, sizeof *check->coverage, compare);
}

unsigned pto_check_coverage(const struct pto_check *check, const struct pto_coverage **coverage)
{
    *coverage = check->coverage;
    return check->coverages;
}
