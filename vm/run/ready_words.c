#include "ready_words.h"

#include "machine/cost.h"

/* Windows of other ranks and at offsets in tiles are looked at one by one, and so are transfers of
 * which both sides name an extent. */
static bool is_usual(const struct ready_op *op, const struct ready_operand *operand)
{
    if (operand->kind == PTO_O_TILE)
        return !operand->has_offset && operand->byte == NO_REGISTER;
    if (operand->kind != PTO_O_GM)
        return true;
    if (op->extent_gm < 0 || op->extent_tile < 0)
        return false;
    return operand == &op->operand[op->extent_gm] && operand->rank == NO_REGISTER &&
           (operand->rows == NO_REGISTER || op->operand[op->extent_tile].rows == NO_REGISTER);
}

/* Do registers alone make its words? */
static bool takes_registers(const struct ready_op *op)
{
    if (op->operand[0].access & PTO_WINDOW)
        return false;
    for (unsigned i = 0; i < op->operands; i++)
        if (!is_usual(op, &op->operand[i]))
            return false;
    return true;
}

/* `extent`: the operand that names the valid region, if any does. */
static struct ready_word word_of(const struct ready_code *code,
                                 const struct ready_operand *operand,
                                 const struct ready_operand *extent)
{
    const struct pto_tile *tile = operand->tile;
    bool declared = operand->slot == NO_REGISTER && extent->rows == NO_REGISTER;

    if (operand->kind == PTO_O_SCALAR)
        return (struct ready_word){.kind = WORD_SCALAR, .reg = operand->reg};
    if (operand->kind == PTO_O_GM)
        return (struct ready_word){.kind = WORD_WINDOW};
    return (struct ready_word){
        .kind = declared ? WORD_DECLARED : WORD_REGION,
        .tile = (uint32_t)(tile - code->core->tile),
        .reg = operand->slot,
        .rows = extent->rows,
        .cols = extent->cols,
        .slots = tile->slots,
        .stride = tile->slot_stride,
        .declared = tile_word(0, tile->rows, tile->cols),
    };
}

static void list_words(struct pto_vm *vm, const struct ready_code *code, struct ready_op *op)
{
    struct ready_word *word = pto_arena_array(&vm->arena, op->words, sizeof *word);

    for (unsigned i = 0; i < op->operands; i++) {
        const struct ready_operand *operand = &op->operand[i], *extent = operand;

        if (op->extent_gm >= 0 && (int)i == op->extent_tile && operand->rows == NO_REGISTER)
            extent = &op->operand[op->extent_gm];
        if (operand->kind == PTO_O_SCALAR || operand->kind == PTO_O_TILE)
            word[operand->word] = word_of(code, operand, extent);
        for (unsigned w = 0; operand->kind == PTO_O_GM && w < GM_WORDS; w++)
            word[operand->word + w] = word_of(code, operand, extent);
    }
    op->word = word;
}

static void enter_flag(struct ready_op *op, enum entry_kind kind, unsigned pipe, uint32_t event)
{
    op->way = WAY_FLAG;
    op->entry = (uint8_t)kind;
    op->pipe = (uint8_t)pipe;
    op->src = (uint8_t)op->operand[0].value;
    op->dst = (uint8_t)op->operand[op->operands > 1].value;
    op->event = event;
}

/* Those of the scalar unit, and a barrier of all pipes, enter no queue. */
static void sort_flag(struct ready_op *op)
{
    switch (op->insn->op) {
    case PTO_OP_SET_FLAG:
        if (op->operand[0].value != PTO_PIPE_S)
            enter_flag(op, ENTRY_SET, (unsigned)op->operand[0].value, op->operand[2].reg);
        return;
    case PTO_OP_WAIT_FLAG:
        if (op->operand[1].value != PTO_PIPE_S)
            enter_flag(op, op->unwaited ? ENTRY_UNWAITED_FLAG : ENTRY_WAIT,
                       (unsigned)op->operand[1].value, op->operand[2].reg);
        return;
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
        if (op->operand[0].value != PTO_PIPE_ALL)
            enter_flag(op, op->unwaited ? ENTRY_UNWAITED_BARRIER : ENTRY_BARRIER,
                       (unsigned)op->operand[0].value, NO_REGISTER);
        return;
    default:
        return;
    }
}

void ready_words(struct pto_vm *vm, const struct ready_code *code, struct ready_op *op)
{
    if (op->info->class != PTO_TILE) {
        sort_flag(op);
        return;
    }
    op->way = WAY_TILE;
    if (takes_registers(op))
        list_words(vm, code, op);
    cost_foresee(vm, op);
}
