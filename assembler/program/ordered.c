#include "ordered.h"

#include "assembly.h"
#include "code.h"
#include "fit_tile.h"
#include "tile.h"

void asm_ordered_open(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_ordered *ordered = &a->ordered;

    if (ordered->open)
        asm_error(a, stmt->token, "'.ordered' stands inside of another one");
    if (stmt->list && stmt->list->count != 2) {
        asm_error(a, stmt->token, "the extent of an .ordered block is {rows, columns}, not %u of "
                  "them", stmt->list->count);
        return;
    }
    ordered->open = true;
    ordered->extent = stmt->list;
    ordered->accesses = 0;
    ordered->any = ordered->unknown = false;
}

void asm_ordered_close(struct assembly *a)
{
    a->ordered.open = a->ordered.applies = false;
    a->ordered.extent = NULL;
}

void asm_ordered_before(struct assembly *a, unsigned op)
{
    a->ordered.applies = a->ordered.open && pto_op_info(op)->class == PTO_TILE &&
                         pto_op_info(op)->route == PTO_ON_V;
}

const struct asm_list *asm_ordered_extent(const struct assembly *a)
{
    return a->ordered.applies ? a->ordered.extent : NULL;
}

void asm_ordered_meet(struct assembly *a, bool repeats)
{
    a->ordered.unknown |= a->ordered.open && (repeats || a->ordered.any);
}

/* ---- dependences ---- */

/* The tile whose bytes these are, through views. */
static const struct pto_tile *root(const struct assembly *a, uint16_t index, uint32_t *number)
{
    const struct pto_tile *tile = &a->core->tile[index];

    for (*number = index; tile->parent != PTO_NONE; tile = &a->core->tile[*number])
        *number = (uint32_t)tile->parent;
    return tile;
}

/* Only tiles with addresses of the text's own choice overlap others than their views. */
static bool share_bytes(const struct assembly *a, uint16_t one, uint16_t other)
{
    uint32_t m, n;
    const struct pto_tile *x = root(a, one, &m), *y = root(a, other, &n);

    if (m == n)
        return true;
    return a->tile_note[m].placed && a->tile_note[n].placed && x->space == y->space &&
           x->address < y->address + pto_tile_extent(y) &&
           y->address < x->address + pto_tile_extent(x);
}

static int64_t literal_slot(const struct pto_scalar *slot)
{
    return slot->kind == PTO_S_NONE ? 0 : slot->kind == PTO_S_INT ? slot->i : PTO_NONE;
}

static bool different_slots(const struct assembly *a, const struct asm_vector_access *x,
                            const struct asm_vector_access *y)
{
    int64_t one = literal_slot(&x->slot), other = literal_slot(&y->slot);
    uint32_t m, n;

    root(a, x->tile, &m);
    root(a, y->tile, &n);
    return m == n && one >= 0 && other >= 0 && one != other &&
           a->core->tile[x->tile].slot_stride == a->core->tile[y->tile].slot_stride;
}

static bool depends(const struct assembly *a, const struct asm_vector_access *x)
{
    for (uint32_t i = 0; i < a->ordered.accesses; i++) {
        const struct asm_vector_access *y = &a->ordered.access[i];

        if ((x->writes || y->writes) && share_bytes(a, x->tile, y->tile) &&
            !different_slots(a, x, y))
            return true;
    }
    return false;
}

static bool access_of(const struct pto_insn *insn, unsigned operand, struct asm_vector_access *x)
{
    const struct pto_tile_ref *ref = &insn->operand[operand].tile;

    if (insn->operand[operand].kind != PTO_O_TILE)
        return false;
    *x = (struct asm_vector_access){
        ref->tile, ref->slot, pto_op_info(insn->op)->operand[operand].access & PTO_WRITE};
    return true;
}

static bool needs_barrier(const struct assembly *a, const struct pto_insn *insn)
{
    struct asm_vector_access x;

    if (!(a->profile->barrier_needed >> PTO_PIPE_V & 1))
        return false;
    if (a->ordered.unknown)
        return true;
    for (unsigned i = 0; i < insn->operands; i++)
        if (access_of(insn, i, &x) && depends(a, &x))
            return true;
    return false;
}

static void note_accesses(struct assembly *a, const struct pto_insn *insn)
{
    struct asm_ordered *ordered = &a->ordered;
    struct asm_vector_access x;

    for (unsigned i = 0; i < insn->operands; i++) {
        if (!access_of(insn, i, &x))
            continue;
        PTO_GROW(ordered->access, ordered->accesses, ordered->access_capacity);
        ordered->access[ordered->accesses++] = x;
    }
    ordered->any = true;
}

static void separated(struct asm_ordered *ordered)
{
    ordered->accesses = 0;
    ordered->unknown = false;
}

static bool is_barrier(const struct pto_insn *insn)
{
    unsigned pipe = insn->operands ? insn->operand[0].value : PTO_PIPE_S;

    return (insn->op == PTO_OP_PIPE_BARRIER || insn->op == PTO_OP_TSYNC) &&
           (pipe == PTO_PIPE_V || pipe == PTO_PIPE_ALL);
}

void asm_ordered_after(struct assembly *a, uint32_t first)
{
    struct pto_operand pipe = {.kind = PTO_O_ENUM, .value = PTO_PIPE_V};
    const struct asm_code *code = asm_code(a);
    struct pto_insn insn;

    if (!a->ordered.open || first >= code->insns)
        return;
    insn = code->insn[code->insns - 1];
    if (is_barrier(&insn))
        separated(&a->ordered);
    if (!a->ordered.applies)
        return;
    if (needs_barrier(a, &insn)) {
        asm_emit(a, a->line_token, PTO_OP_PIPE_BARRIER, 1, &pipe);
        asm_code_move_last(a, first);
        separated(&a->ordered);
    }
    note_accesses(a, &insn);
}
