#include "issue.h"

#include "fault.h"
#include "memory.h"
#include "pipe.h"

struct entry *issue_entry(struct core *core, unsigned pipe, enum entry_kind kind)
{
    if (pipe_full(core, pipe)) {
        core->stall = STALL_QUEUE;
        core->stall_pipe = (uint8_t)pipe;
        return NULL;
    }
    return pipe_entry_new(core, pipe, kind);
}

/* The extent of a transfer: named by the tile, by the global operand, or by both alike; else the
 * whole tile. */
static bool transfer_extent(struct core *core, const struct ready_op *op, struct extent *extent)
{
    struct extent tile = memory_operand_extent(core, &op->operand[op->extent_tile]);
    struct extent gm = memory_operand_extent(core, &op->operand[op->extent_gm]);
    const struct pto_tile *shape = op->operand[op->extent_tile].tile;

    *extent = tile.rows == -1 ? gm : tile;
    if (tile.rows == -1 && gm.rows == -1)
        *extent = (struct extent){shape->rows, shape->cols};
    else if (tile.rows != -1 && gm.rows != -1 && (tile.rows != gm.rows || tile.cols != gm.cols))
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time,
                           "name the extent once, at the tile or at the global object",
                           "extents {%lld, %lld} of the tile and {%lld, %lld} of the object differ",
                           (long long)tile.rows, (long long)tile.cols, (long long)gm.rows,
                           (long long)gm.cols);
    return true;
}

static bool resolve_operand(struct core *core, const struct ready_operand *operand,
                            struct extent extent, uint64_t *word)
{
    switch (operand->kind) {
    case PTO_O_TILE:
        return memory_resolve_tile(core, operand, extent, word);
    case PTO_O_GM:
        return memory_resolve_gm(core, operand, extent, word);
    case PTO_O_SCALAR:
        *word = core->reg[operand->reg];
        return true;
    default:
        return true;
    }
}

enum issue_result issue_tile(struct core *core, const struct ready_op *op)
{
    struct extent extent = {-1, -1};
    struct entry *entry = issue_entry(core, op->pipe, ENTRY_TILE);

    if (!entry)
        return ISSUE_STALL;
    if (op->extent_gm >= 0 && !transfer_extent(core, op, &extent))
        return ISSUE_FAULT;
    for (unsigned i = 0; i < op->operands; i++)
        if (!resolve_operand(core, &op->operand[i], extent, &entry->word[op->operand[i].word]))
            return ISSUE_FAULT;
    entry->op = op;
    pipe_issue(core, op->pipe);
    core->time += core->rank->vm->issue_ps;
    return ISSUE_DONE;
}

/* ---- TPUT and TGET ------------------------------------------------------------------------
 *
 * Chunk c uses staging slot c % stages:
 *   MTE2: [wait free(slot), from the second use on]  load  set loaded(slot)
 *   MTE3: wait loaded(slot)  store  set free(slot)
 * and at the end MTE2 waits for every slot that is still to become free.  The event ids are the
 * machine's own, so the program's ids are not touched. */

enum { STEP_FREE, STEP_LOAD, STEP_LOADED, STEP_WAIT, STEP_STORE, STEP_SET, STEPS };

static bool macro_extent(struct core *core, const struct ready_op *op, struct extent *extent)
{
    struct extent dst = memory_operand_extent(core, &op->operand[0]);
    struct extent src = memory_operand_extent(core, &op->operand[1]);
    struct extent ping = memory_operand_extent(core, &op->operand[2]);

    *extent = dst.rows == -1 ? src : dst;
    if (dst.rows != -1 && src.rows != -1 && (dst.rows != src.rows || dst.cols != src.cols))
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL,
                           "extents {%lld, %lld} of the destination and {%lld, %lld} of the "
                           "source differ", (long long)dst.rows, (long long)dst.cols,
                           (long long)src.rows, (long long)src.cols);
    if (extent->rows == -1)
        *extent = ping.rows != -1
                      ? ping
                      : (struct extent){op->operand[2].tile->rows, op->operand[2].tile->cols};
    return true;
}

static bool macro_begin(struct core *core, const struct ready_op *op)
{
    struct macro *macro = &core->macro;
    struct extent extent, whole = {-1, -1};

    *macro = (struct macro){.op = op, .stages = op->operand[3].kind == PTO_O_TILE ? 2 : 1};
    if (!macro_extent(core, op, &extent) ||
        !memory_resolve_gm(core, &op->operand[0], extent, macro->gm[0]) ||
        !memory_resolve_gm(core, &op->operand[1], extent, macro->gm[1]))
        return false;
    for (unsigned stage = 0; stage < macro->stages; stage++)
        if (!memory_resolve_tile(core, &op->operand[2 + stage], whole, &macro->tile[stage]))
            return false;
    macro->rows = (uint32_t)extent.rows;
    macro->cols = (uint32_t)extent.cols;
    macro->step_rows = tile_rows(macro->tile[0]);
    macro->step_cols = tile_cols(macro->tile[0]);
    for (unsigned stage = 1; stage < macro->stages; stage++)
        if (tile_rows(macro->tile[stage]) != macro->step_rows ||
            tile_cols(macro->tile[stage]) != macro->step_cols)
            return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL,
                               "the staging tiles 'ping' and 'pong' differ in shape");
    if (macro->step_rows == 0 || macro->step_cols == 0)
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL,
                           "the staging tile has an empty valid region");
    return true;
}

/* Words of one chunk's phase: its window of the global operand, its part of the staging tile. */
static void chunk_words(const struct core *core, const struct ready_op *phase, unsigned side,
                        uint64_t *word)
{
    const struct macro *macro = &core->macro;
    const struct bound_object *object = memory_object(core, gm_object(macro->gm[side]));
    unsigned last = object->dims - 1u;
    uint32_t rows = macro->rows - macro->row, cols = macro->cols - macro->col;
    uint64_t *gm = &word[phase->operand[phase->extent_gm].word];
    int64_t row_stride = last ? object->stride[last - 1] : 0;

    rows = rows < macro->step_rows ? rows : macro->step_rows;
    cols = cols < macro->step_cols ? cols : macro->step_cols;
    gm[GM_OFFSET] = macro->gm[side][GM_OFFSET] +
                    (uint64_t)(macro->row * row_stride + macro->col * object->stride[last]);
    gm[GM_EXTENT] = gm_extent(rows, cols);
    gm[GM_WHERE] = macro->gm[side][GM_WHERE];
    word[phase->operand[phase->extent_tile].word] =
        tile_word(tile_address(macro->tile[macro->chunk % macro->stages]), rows, cols);
}

static bool macro_flag(struct core *core, unsigned pipe, enum entry_kind kind, unsigned src,
                       unsigned dst)
{
    struct entry *entry = issue_entry(core, pipe, kind);

    if (!entry)
        return false;
    entry->flag_src = (uint8_t)src;
    entry->flag_dst = (uint8_t)dst;
    entry->flag_id = (uint8_t)(USER_EVENTS + core->macro.chunk % core->macro.stages);
    pipe_issue(core, pipe);
    return true;
}

static bool macro_phase(struct core *core, const struct ready_op *phase, unsigned side)
{
    struct entry *entry = issue_entry(core, phase->pipe, ENTRY_TILE);

    if (!entry)
        return false;
    entry->op = phase;
    chunk_words(core, phase, side, entry->word);
    pipe_issue(core, phase->pipe);
    return true;
}

static bool macro_step(struct core *core)
{
    const struct macro *macro = &core->macro;
    const unsigned load = PTO_PIPE_MTE2, store = PTO_PIPE_MTE3;

    switch (macro->step) {
    case STEP_FREE:
        return macro->chunk < macro->stages || macro_flag(core, load, ENTRY_WAIT, store, load);
    case STEP_LOAD:
        return macro_phase(core, macro->op->load, 1);
    case STEP_LOADED:
        return macro_flag(core, load, ENTRY_SET, load, store);
    case STEP_WAIT:
        return macro_flag(core, store, ENTRY_WAIT, load, store);
    case STEP_STORE:
        return macro_phase(core, macro->op->store, 0);
    default:
        return macro_flag(core, store, ENTRY_SET, store, load);
    }
}

static void next_chunk(struct macro *macro)
{
    macro->step = STEP_FREE;
    macro->chunk++;
    macro->col += macro->step_cols;
    if (macro->col >= macro->cols) {
        macro->col = 0;
        macro->row += macro->step_rows;
    }
}

/* After the last chunk: MTE2 takes the tokens of the slots that were used.  `step` counts them. */
static bool macro_drain(struct core *core)
{
    struct macro *macro = &core->macro;
    uint32_t chunks = macro->chunk;
    uint32_t left = chunks < macro->stages ? chunks : macro->stages;

    while (macro->step < left) {
        bool issued;

        macro->chunk = chunks - left + macro->step; /* oldest slot first */
        issued = macro_flag(core, PTO_PIPE_MTE2, ENTRY_WAIT, PTO_PIPE_MTE3, PTO_PIPE_MTE2);
        macro->chunk = chunks;
        if (!issued)
            return false;
        macro->step++;
    }
    return true;
}

enum issue_result issue_macro(struct core *core, const struct ready_op *op)
{
    struct macro *macro = &core->macro;

    if (!macro->op && !macro_begin(core, op))
        return ISSUE_FAULT;
    while (macro->row < macro->rows && macro->cols > 0) {
        if (!macro_step(core))
            return ISSUE_STALL;
        core->time += core->rank->vm->issue_ps;
        if (++macro->step == STEPS)
            next_chunk(macro);
    }
    if (!macro_drain(core))
        return ISSUE_STALL;
    macro->op = NULL;
    return ISSUE_DONE;
}
