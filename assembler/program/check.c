/* What is legal for an instruction beyond the kinds of its operands: what isa/fit.h says, and the
 * events and flags that declarations have taken.  Here it is pointed at. */
#include "check.h"

#include <inttypes.h>

#include "assembly.h"
#include "fit.h"
#include "ordered.h"
#include "ring.h"
#include "slots.h"
#include "symbols.h"

/* ---- pointing ---- */

static const struct asm_expr *nth(const struct asm_list *list, unsigned n)
{
    const struct asm_expr *x = list ? list->first : NULL;

    for (; x && n > 0; n--)
        x = x->next;
    return x;
}

/* The text of a part of an operand, or all of it. */
static const struct asm_expr *part_of(const struct assembly *a, const struct asm_expr *x,
                                      unsigned part)
{
    const struct asm_list *extent = x->brace ? x->brace : asm_ordered_extent(a);
    const struct asm_expr *found;

    switch (part) {
    case PTO_PART_ALL:
        return x;
    case PTO_PART_SLOT:
        found = nth(x->index, 0);
        break;
    case PTO_PART_ROW:
    case PTO_PART_BYTE:
        found = nth(x->paren, 0);
        break;
    case PTO_PART_COL:
        found = nth(x->paren, 1);
        break;
    case PTO_PART_ROWS:
        found = nth(extent, 0);
        break;
    case PTO_PART_COLS:
        found = nth(extent, 1);
        break;
    case PTO_PART_RANK:
        found = x->rank;
        break;
    default:
        found = nth(x->index, part - PTO_PART_INDEX);
    }
    return found ? found : x;
}

static bool refuse(struct assembly *a, const struct asm_stmt *stmt,
                   const struct pto_misfit *misfit, const struct asm_expr *const *expr)
{
    const struct asm_expr *x = misfit->operand == PTO_WHOLE_INSN ? NULL : expr[misfit->operand];
    struct pto_buf text = {0};
    struct pto_diag *diag;

    pto_misfit_print(misfit, stmt->token->text, &text);
    diag = x ? asm_error_expr(a, part_of(a, x, misfit->part), "%s", pto_buf_text(&text))
             : asm_error(a, stmt->token, "%s", pto_buf_text(&text));
    if (*misfit->hint)
        asm_hint(a, diag, "%s", misfit->hint);
    pto_buf_free(&text);
    return false;
}

/* ---- events and flags that are taken ---- */

/* Is the event free for the program's own use? */
static bool check_slots(struct assembly *a, const struct asm_expr *x,
                        const struct pto_operand *operand)
{
    const struct asm_slots *slots =
        operand[2].scalar.kind == PTO_S_INT
            ? asm_slots_of_flag(a, operand[0].value, operand[1].value, operand[2].scalar.i) : NULL;

    if (!slots)
        return true;
    asm_hint(a, asm_error_expr(a, x, "event %" PRId64 " of these pipes says which slots of %%%s "
                               "are free", operand[2].scalar.i, slots->symbol->name),
             ".take and .give do what is to be done with it; flags N chooses other events for "
             ".slots");
    asm_note(a, slots->directive, "the slots are declared here");
    return false;
}

/* Is the flag free for the program's own use? */
static bool check_ring_flag(struct assembly *a, const struct asm_expr *x,
                            const struct pto_operand *operand)
{
    const struct asm_ring *ring = operand->scalar.kind == PTO_S_INT
                                      ? asm_ring_of_flag(a, operand->scalar.i) : NULL;

    if (!ring)
        return true;
    asm_error_expr(a, x, "cross-core flag %" PRId64 " belongs to ring '%s'", operand->scalar.i,
                   ring->token->text);
    asm_note(a, ring->token, "'%s' takes %" PRId64 " and %" PRId64, ring->token->text, ring->flags,
             ring->flags + 1);
    return false;
}

/* Are its flags free for the program's own use? */
static bool check_taken(struct assembly *a, const struct pto_insn *insn,
                        const struct asm_expr *const *expr)
{
    const struct pto_operand *operand = insn->operand;

    switch (insn->op) {
    case PTO_OP_SET_FLAG:
    case PTO_OP_WAIT_FLAG:
        return check_slots(a, expr[2], operand);
    case PTO_OP_SET_FLAG_DEV:
        return check_ring_flag(a, expr[2], &operand[2]);
    case PTO_OP_WAIT_FLAG_DEV:
        return check_ring_flag(a, expr[0], &operand[0]);
    default:
        return true;
    }
}

bool asm_check(struct assembly *a, const struct asm_stmt *stmt, const struct pto_insn *insn,
               const struct asm_expr *const *expr)
{
    const struct pto_site site = {a->profile, a->kernel, a->core, a->core_kind, insn};
    struct pto_misfit misfit;
    bool good = true;

    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind != PTO_O_NONE && !pto_operand_fits(&site, i, &misfit))
            good = refuse(a, stmt, &misfit, expr);
    if (!good || a->section == SECTION_SETUP)
        return good;
    if (!pto_insn_fits(&site, &misfit) || !pto_operands_fit(&site, &misfit))
        return refuse(a, stmt, &misfit, expr);
    return check_taken(a, insn, expr);
}
