/* What works on rings becomes plain instructions and two registers, position and slot:
 *
 *   start of program  position = 0
 *   take a slot       producer: wait for flag F + 1 if position >= slots; consumer: wait for F
 *                     slot = position mod slots, position = position + 1
 *   hand it over      producer: set F behind its stores; consumer: set F + 1 behind its loads
 *   end of producer   wait for F + 1 once for every slot that was taken, at most `slots` times
 *
 * TALLOC and the plain TPOP take, the plain TPUSH and TFREE hand over; with a tile TPUSH and TPOP
 * do both and move the tile in between. */
#include "ring_code.h"

#include "assembly.h"
#include "check.h"
#include "code.h"
#include "core_name.h"
#include "formula/value.h"
#include "operand.h"
#include "parse.h"
#include "registers.h"
#include "ring.h"
#include "symbols.h"

enum { MODE_BLOCK = 2 /* of cross-core flags: between cube and vector sub-cores of a block */ };

/* ---- generated code ---- */

static struct pto_scalar builtin(enum pto_sys sys)
{
    return (struct pto_scalar){.kind = PTO_S_SYS, .reg = (uint16_t)sys};
}

static struct pto_scalar in_register(int32_t index)
{
    return (struct pto_scalar){.kind = PTO_S_REG, .reg = (uint16_t)index};
}

static void emit3(struct assembly *a, const struct asm_token *token, unsigned op,
                  struct pto_scalar d, struct pto_scalar x, struct pto_scalar y)
{
    struct pto_scalar scalar[3] = {d, x, y};

    asm_emit_scalar(a, token, op, scalar, 3);
}

static void branch(struct assembly *a, const struct asm_token *token, unsigned op,
                   struct pto_scalar x, struct pto_scalar y, uint32_t target)
{
    struct pto_scalar scalar[2] = {x, y};

    asm_emit_branch(a, token, op, scalar, 2, target);
}

static void wait_for(struct assembly *a, const struct asm_token *token, int64_t flag)
{
    struct pto_scalar scalar = asm_literal(flag);

    asm_emit_scalar(a, token, PTO_OP_WAIT_FLAG_DEV, &scalar, 1);
}

/* A register of the ring's in the open program; the text cannot assign to such names. */
static int32_t hidden_register(struct assembly *a, const struct asm_ring *ring, const char *what)
{
    struct asm_token *token = pto_arena_alloc(&a->arena, sizeof *token);
    int32_t index;

    *token = *ring->token;
    token->kind = TK_REG;
    token->expansion = 0;
    token->text = pto_arena_printf(&a->arena, "_%s_%s", ring->token->text, what);
    asm_register_declare(a, token, false);
    index = asm_register_known(a, token);
    if (index != PTO_NONE)
        asm_code(a)->reg[index].hidden = true;
    return index;
}

void asm_rings_open(struct assembly *a)
{
    const struct asm_token *line = a->line_token;

    for (uint32_t i = 0; i < a->rings; i++) {
        struct asm_ring *ring = &a->ring[i];
        struct pto_scalar scalar[2] = {{0}, asm_literal(0)};

        if (ring->wrong)
            continue;
        ring->slot = PTO_NONE;
        ring->position = hidden_register(a, ring, "position");
        ring->wrong = ring->position == PTO_NONE;
        scalar[0] = in_register(ring->position);
        a->line_token = ring->token;
        asm_emit_scalar(a, ring->token, PTO_OP_MOV, scalar, 2);
    }
    a->line_token = line;
}

/* Credits for the slots that were taken last come after the program's own last wait. */
static void drain(struct assembly *a, const struct asm_ring *ring)
{
    struct pto_scalar position = in_register(ring->position);
    uint32_t body = asm_target_new(a), end = asm_target_new(a);

    emit3(a, ring->token, PTO_OP_IMIN, position, position, asm_literal(ring->slots));
    branch(a, ring->token, PTO_OP_BGE, asm_literal(0), position, end);
    asm_target_place(a, body);
    wait_for(a, ring->token, ring->flags + 1);
    emit3(a, ring->token, PTO_OP_ISUB, position, position, asm_literal(1));
    branch(a, ring->token, PTO_OP_BLT, asm_literal(0), position, body);
    asm_target_place(a, end);
}

void asm_rings_drain(struct assembly *a)
{
    const struct asm_token *line = a->line_token;

    for (uint32_t i = 0; i < a->rings; i++) {
        if (a->ring[i].wrong || a->ring[i].producer != a->core_kind)
            continue;
        a->line_token = a->ring[i].token;
        drain(a, &a->ring[i]);
    }
    a->line_token = line;
}

/* ---- pseudo-instructions ---- */

enum { TAKE = 1, MOVE = 2, HAND_OVER = 4 };

static const struct action {
    unsigned op;
    bool produces;
    unsigned steps;
    unsigned move; /* enum pto_op */
} actions[] = {
    {PTO_OP_TPUSH, true, TAKE | MOVE | HAND_OVER, PTO_OP_TSTORE},
    {PTO_OP_TPUSH_SCALED, true, TAKE | MOVE | HAND_OVER, PTO_OP_TSTORE_SCALED},
    {PTO_OP_TPUSH_SLOT, true, HAND_OVER, 0},
    {PTO_OP_TPOP, false, TAKE | MOVE | HAND_OVER, PTO_OP_TLOAD},
    {PTO_OP_TPOP_SLOT, false, TAKE, 0},
    {PTO_OP_TALLOC, true, TAKE, 0},
    {PTO_OP_TFREE, false, HAND_OVER, 0},
};

static const struct action *action_of(unsigned op)
{
    unsigned i = 0;

    while (actions[i].op != op)
        i++;
    return &actions[i];
}

static bool check_side(struct assembly *a, const struct asm_stmt *stmt, const struct asm_ring *ring,
                       const struct action *action)
{
    if (action->produces == (a->core_kind == ring->producer))
        return true;
    asm_hint(a, asm_error(a, stmt->token, "%s is for the program that %s '%s': %s, this is %s",
                          stmt->token->text, action->produces ? "fills" : "empties",
                          ring->token->text, pto_core_names[!a->core_kind],
                          pto_core_names[a->core_kind]),
             "'%s' is declared %s", ring->token->text,
             ring->producer == PTO_AIC ? "c2v, cube to vector" : "v2c, vector to cube");
    return false;
}

/* Do the rows or columns that are moved fit, as far as they are known here? */
static bool side_fits(const struct pto_scalar *extent, uint32_t declared, uint32_t limit)
{
    if (extent->kind == PTO_S_NONE)
        return declared <= limit;
    return extent->kind != PTO_S_INT || extent->i <= limit;
}

static bool check_tile(struct assembly *a, const struct asm_ring *ring,
                       const struct pto_operand *operand, const struct asm_expr *expr)
{
    const struct pto_tile_ref *ref = &operand->tile;
    const struct pto_tile *tile = &a->core->tile[ref->tile];
    uint32_t rows = ring->rows[a->core_kind], cols = ring->cols[a->core_kind];

    if (side_fits(&ref->rows, tile->rows, rows) && side_fits(&ref->cols, tile->cols, cols))
        return true;
    asm_hint(a, asm_error_expr(a, expr, "'%s' is larger than a slot of '%s', which has %u x %u%s",
                               tile->name, ring->token->text, rows, cols,
                               ring->split && a->core_kind == PTO_AIV
                                   ? " for each vector sub-core" : ""),
             "name the region to move: %s{%u, %u}", tile->name,
             tile->rows < rows ? tile->rows : rows, tile->cols < cols ? tile->cols : cols);
    return false;
}

static void take(struct assembly *a, const struct asm_stmt *stmt, const struct asm_ring *ring,
                 bool produces)
{
    struct pto_scalar position = in_register(ring->position), slots = asm_literal(ring->slots);
    uint32_t go_on;

    if (produces) {
        go_on = asm_target_new(a);
        branch(a, stmt->token, PTO_OP_BLT, position, slots, go_on);
        wait_for(a, stmt->token, ring->flags + 1);
        asm_target_place(a, go_on);
    } else {
        wait_for(a, stmt->token, ring->flags);
    }
    emit3(a, stmt->token, PTO_OP_IMOD, in_register(ring->slot), position, slots);
    emit3(a, stmt->token, PTO_OP_IADD, position, position, asm_literal(1));
}

/* The transfer.  Where two vector sub-cores fill a slot that is not split, the first one does. */
static void move(struct assembly *a, const struct asm_stmt *stmt, const struct asm_ring *ring,
                 const struct action *action, struct pto_operand *operand, unsigned operands)
{
    bool one_of_two = action->produces && a->core_kind == PTO_AIV && !ring->split &&
                      a->kernel->vectors_per_block > 1;
    uint32_t skip = asm_target_new(a);

    if (one_of_two)
        branch(a, stmt->token, PTO_OP_BNE, builtin(PTO_SYS_SUB_ID), asm_literal(0), skip);
    if (action->produces) { /* stores have an operand more: the atomic operation before the ReLU */
        operand[operands] = operand[operands - 1];
        operand[operands - 1] = (struct pto_operand){0};
        operands++;
    }
    asm_emit(a, stmt->token, action->move, operands, operand);
    asm_target_place(a, skip);
}

static void hand_over(struct assembly *a, const struct asm_stmt *stmt, const struct asm_ring *ring,
                      bool produces, unsigned pipe)
{
    struct pto_operand operand[3] = {
        {.kind = PTO_O_ENUM, .value = pipe},
        {.kind = PTO_O_SCALAR, .scalar = asm_literal(MODE_BLOCK)},
        {.kind = PTO_O_SCALAR, .scalar = asm_literal(ring->flags + !produces)}};

    asm_emit(a, stmt->token, PTO_OP_SET_FLAG_DEV, 3, operand);
}

/* The pipe that a slot is filled or emptied by: with a tile, that of the path. */
static unsigned pipe_of(const struct assembly *a, const struct action *action,
                        const struct pto_operand *operand)
{
    if (!action->produces)
        return PTO_PIPE_MTE2;
    if (action->steps & MOVE)
        return a->profile->path[a->core->tile[operand[1].tile.tile].space][PTO_PATH_GM].pipe;
    return a->core_kind == PTO_AIC ? PTO_PIPE_FIX : PTO_PIPE_MTE3;
}

/* Flags of different pipes overtake each other: a slot would be handed over for the one before. */
static bool check_pipe(struct assembly *a, const struct asm_stmt *stmt, struct asm_ring *ring,
                       unsigned pipe)
{
    if (!ring->pipe)
        ring->pipe = pipe;
    if (ring->pipe == pipe)
        return true;
    asm_hint(a, asm_error(a, stmt->token, "%s fills a slot of '%s' through %s, an earlier one is "
                          "filled through %s", stmt->token->text, ring->token->text,
                          pto_queue_name(pipe), pto_queue_name(ring->pipe)),
             "the flags of two pipes can overtake each other: declare a ring for each");
    return false;
}

static struct asm_ring *find_ring(struct assembly *a, const struct asm_expr *x)
{
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_PLAIN, x->token);

    if (symbol)
        return a->ring[symbol->index].wrong ? NULL : &a->ring[symbol->index];
    asm_symbol_hint(a, asm_error(a, x->token, "there is no ring '%s' here", x->token->text),
                    NS_PLAIN, 1 << SYM_RING, x->token->text);
    return NULL;
}

/* The register of the slot: made when the text first takes one. */
static bool slot_register(struct assembly *a, const struct asm_stmt *stmt, struct asm_ring *ring,
                          const struct action *action)
{
    if (ring->slot == PTO_NONE && action->steps & TAKE)
        ring->slot = hidden_register(a, ring, "slot");
    else if (ring->slot == PTO_NONE)
        asm_error(a, stmt->token, "%s hands over a slot of '%s' that %s took: there is none "
                  "before", stmt->token->text, ring->token->text,
                  action->produces ? "TALLOC" : "TPOP");
    return ring->slot != PTO_NONE;
}

void asm_ring_instruction(struct assembly *a, const struct asm_stmt *stmt, unsigned op,
                          const struct asm_expr *const *expr)
{
    const struct pto_op_info *info = pto_op_info(op);
    const struct action *action = action_of(op);
    struct pto_operand operand[PTO_MAX_OPERANDS] = {{0}};
    struct pto_insn insn = {.op = (uint16_t)op, .operands = info->operands, .operand = operand};
    unsigned tile = info->operand[0].kind == PTO_K_TILE ? 0 : 1;
    struct asm_ring *ring = find_ring(a, expr[!tile ? 1 : 0]);
    bool good = true;

    if (!ring || !check_side(a, stmt, ring, action))
        return;
    ring->used[a->core_kind] = true;
    if (!slot_register(a, stmt, ring, action))
        return;
    for (unsigned i = 0; i < info->operands; i++)
        if (expr[i])
            good &= asm_operand_lower(a, &info->operand[i], expr[i], &operand[i]);
    if (!good || !asm_check(a, stmt, &insn, expr))
        return;
    if (action->steps & MOVE && !check_tile(a, ring, &operand[tile], expr[tile]))
        return;
    if (action->produces && action->steps & HAND_OVER &&
        !check_pipe(a, stmt, ring, pipe_of(a, action, operand)))
        return;
    if (action->steps & TAKE)
        take(a, stmt, ring, action->produces);
    if (action->steps & MOVE)
        move(a, stmt, ring, action, operand, info->operands);
    if (action->steps & HAND_OVER)
        hand_over(a, stmt, ring, action->produces, pipe_of(a, action, operand));
}

bool asm_ring_slot(struct assembly *a, const struct asm_expr *x, const struct asm_ring *ring,
                   struct pto_gm_ref *ref)
{
    if (ring->slot == PTO_NONE) {
        asm_hint(a, asm_error_expr(a, x, "no slot of ring '%s' was taken before this",
                                   ring->token->text),
                 "%s takes one", a->core_kind == ring->producer ? "TALLOC" : "TPOP");
        return false;
    }
    ref->object = (uint16_t)ring->object[a->core_kind];
    ref->index[ref->indices++] = builtin(PTO_SYS_BLOCK_ID);
    ref->index[ref->indices++] = in_register(ring->slot);
    if (ring->split && a->core_kind == PTO_AIV)
        ref->index[ref->indices++] = builtin(PTO_SYS_SUB_ID);
    return true;
}
