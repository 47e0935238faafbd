/* Instructions that the scalar unit carries out as a series of phases on several pipes: TPUT, TGET
 * and the collectives of a root.
 *
 * A transfer is cut into chunks of the staging tile's valid region.  Load number t uses staging
 * slot t % stages:
 *   MTE2: [wait free(slot), from the second use on]  load  set loaded(slot)
 *   MTE3: wait loaded(slot)  store  set free(slot)
 * and at the end MTE2 takes the tokens that are still to come.  TREDUCE combines on V in between:
 *   MTE2: [wait free(slot)]  load from peer  set loaded(slot)
 *   V:    [first peer: wait stored]  wait loaded(slot)  acc = or acc +=  set free(slot)
 *   after the last peer   V: set summed   MTE3: wait summed  store  set stored
 * The event ids are the machine's own, so the program's ids are not touched. */
#include "machine/fault.h"
#include "issue.h"
#include "machine/memory.h"
#include "pipe.h"

static bool same_extent(struct core *core, struct extent dst, struct extent src)
{
    if (dst.rows == NOT_GIVEN || src.rows == NOT_GIVEN || (dst.rows == src.rows && dst.cols == src.cols))
        return true;
    return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL,
                       "extents {%lld, %lld} of the destination and {%lld, %lld} of the source "
                       "differ", (long long)dst.rows, (long long)dst.cols, (long long)src.rows,
                       (long long)src.cols);
}

/* The window that goes to or comes from one peer: named by the side that is not split between the
 * peers, or by either; else the staging tile's region. */
static bool find_extent(struct core *core, const struct ready_op *op, struct extent *extent)
{
    struct extent side[2] = {memory_operand_extent(core, &op->operand[0]),
                             memory_operand_extent(core, &op->operand[1])};
    struct extent ping = memory_operand_extent(core, &op->operand[2]);

    if (op->split_side >= 0 && side[op->split_side].rows != NOT_GIVEN)
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time,
                           "name the extent of one rank's part at the other operand",
                           "%s: the operand that is split between the ranks has an extent",
                           op->info->mnemonic);
    if (!same_extent(core, side[0], side[1]))
        return false;
    *extent = side[0].rows == NOT_GIVEN ? side[1] : side[0];
    if (extent->rows == NOT_GIVEN)
        *extent = ping.rows != NOT_GIVEN
                      ? ping
                      : (struct extent){op->operand[2].tile->rows, op->operand[2].tile->cols};
    return true;
}

/* The window of a side: of all peers together on the side that is split. */
static bool resolve_side(struct core *core, const struct ready_op *op, unsigned side,
                         struct extent extent)
{
    const struct ready_operand *operand = &op->operand[side];
    const struct bound_object *object = memory_object(core, operand->object);
    bool rows = object->dims > 1;

    if (op->peer_side == (int)side && object->kind != PTO_OBJ_SYM &&
        object->kind != PTO_OBJ_SIGNAL)
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, "declare it with .sym",
                           "%s reaches the other ranks' '%s', which is not symmetric",
                           op->info->mnemonic,
                           core->ready->kernel->object[operand->object].name);
    /* What is too large to multiply is too large for any object, too. */
    if (op->split_side == (int)side && rows && extent.rows <= UINT32_MAX)
        extent.rows *= core->rank->vm->ranks;
    else if (op->split_side == (int)side && !rows && extent.cols <= UINT32_MAX)
        extent.cols *= core->rank->vm->ranks;
    if (op->peer_side == (int)side && operand->rank != NO_REGISTER)
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, "leave @rank out",
                           "%s goes through all ranks by itself", op->info->mnemonic);
    return memory_resolve_gm(core, operand, extent, core->macro.gm[side]);
}

static bool resolve_staging(struct core *core, const struct ready_op *op)
{
    struct macro *macro = &core->macro;
    unsigned first = op->combine ? 3 : 2;
    struct extent whole = {NOT_GIVEN, NOT_GIVEN};

    macro->stages = op->operand[first + 1].kind == PTO_O_TILE ? 2 : 1;
    if (op->combine && !memory_resolve_tile(core, &op->operand[2], whole, &macro->acc))
        return false;
    for (unsigned stage = 0; stage < macro->stages; stage++)
        if (!memory_resolve_tile(core, &op->operand[first + stage], whole, &macro->tile[stage]))
            return false;
    macro->step_rows = tile_rows(macro->tile[0]);
    macro->step_cols = tile_cols(macro->tile[0]);
    for (unsigned stage = 1; stage < macro->stages; stage++)
        if (tile_rows(macro->tile[stage]) != macro->step_rows ||
            tile_cols(macro->tile[stage]) != macro->step_cols)
            return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL,
                               "the staging tiles differ in shape");
    if (op->combine && (tile_rows(macro->acc) < macro->step_rows ||
                        tile_cols(macro->acc) < macro->step_cols))
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL,
                           "the tile 'acc' is smaller than the staging tile");
    if (macro->step_rows == 0 || macro->step_cols == 0)
        return fault_raise(core, core->pc, PTO_PIPE_S, core->time, NULL,
                           "the staging tile has an empty valid region");
    return true;
}

static bool check_links(struct core *core, const struct ready_op *op)
{
    const struct rank *rank = core->rank;

    for (int peer = 0; op->peer_side >= 0 && peer < rank->vm->ranks; peer++)
        if (rank->link[peer].down && peer != rank->number)
            return fault_raise(core, core->pc, PTO_PIPE_S, core->time,
                               "a collective needs a link from its root to every rank",
                               "no link from rank %d to rank %d", rank->number, peer);
    return true;
}

static bool begin(struct core *core, const struct ready_op *op)
{
    struct macro *macro = &core->macro;
    struct extent extent;

    *macro = (struct macro){.op = op};
    macro->peers = op->peer_side < 0 ? 1 : (uint32_t)core->rank->vm->ranks;
    if (!find_extent(core, op, &extent) || !resolve_side(core, op, 0, extent) ||
        !resolve_side(core, op, 1, extent) || !resolve_staging(core, op) ||
        !check_links(core, op))
        return false;
    macro->rows = (uint32_t)extent.rows;
    macro->cols = (uint32_t)extent.cols;
    return true;
}

/* ---- one chunk ---- */

/* Window of the chunk in hand on one side of the transfer. */
static void window_words(const struct core *core, unsigned side, uint64_t *word)
{
    const struct macro *macro = &core->macro;
    const struct bound_object *object = memory_object(core, gm_object(macro->gm[side]));
    unsigned last = object->dims - 1u;
    int64_t row_stride = last ? object->stride[last - 1] : 0;
    uint32_t rows = macro->rows - macro->row, cols = macro->cols - macro->col;
    uint64_t at = macro->row * (uint64_t)row_stride + macro->col * (uint64_t)object->stride[last];

    if (macro->op->split_side == (int)side)
        at += (uint64_t)macro->peer * (last ? macro->rows * (uint64_t)row_stride
                                            : macro->cols * (uint64_t)object->stride[last]);
    rows = rows < macro->step_rows ? rows : macro->step_rows;
    cols = cols < macro->step_cols ? cols : macro->step_cols;
    word[GM_OFFSET] = macro->gm[side][GM_OFFSET] + at;
    word[GM_EXTENT] = gm_extent(rows, cols);
    word[GM_WHERE] = macro->gm[side][GM_WHERE];
    if (macro->op->peer_side == (int)side)
        word[GM_WHERE] = gm_object(macro->gm[side]) | (uint64_t)macro->peer << 32;
}

/* The part of a tile that the chunk in hand takes. */
static uint64_t chunk_tile(const struct core *core, uint64_t tile)
{
    const struct macro *macro = &core->macro;
    uint32_t rows = macro->rows - macro->row, cols = macro->cols - macro->col;

    return tile_word(tile_address(tile), rows < macro->step_rows ? rows : macro->step_rows,
                     cols < macro->step_cols ? cols : macro->step_cols);
}

static bool put_flag(struct core *core, unsigned pipe, enum entry_kind kind, unsigned src,
                     unsigned dst, uint32_t slot)
{
    struct entry *entry = issue_entry(core, pipe, kind);

    if (!entry)
        return false;
    entry->flag_src = (uint8_t)src;
    entry->flag_dst = (uint8_t)dst;
    entry->flag_id = (uint8_t)(USER_EVENTS + slot);
    pipe_issue(core, pipe);
    return true;
}

static bool put_set(struct core *core, unsigned src, unsigned dst, uint32_t slot)
{
    return put_flag(core, src, ENTRY_SET, src, dst, slot);
}

static bool put_wait(struct core *core, unsigned src, unsigned dst, uint32_t slot)
{
    return put_flag(core, dst, ENTRY_WAIT, src, dst, slot);
}

/* A phase between global memory and a tile. */
static bool put_transfer(struct core *core, const struct ready_op *phase, unsigned side,
                         uint64_t tile)
{
    struct entry *entry = issue_entry(core, phase->pipe, ENTRY_TILE);

    if (!entry)
        return false;
    entry->op = phase;
    window_words(core, side, &entry->word[phase->operand[phase->extent_gm].word]);
    entry->word[phase->operand[phase->extent_tile].word] = chunk_tile(core, tile);
    pipe_issue(core, phase->pipe);
    return true;
}

/* acc = received (first peer), or acc = acc op received. */
static bool put_combine(struct core *core, uint64_t received)
{
    const struct macro *macro = &core->macro;
    const struct ready_op *phase = macro->peer == 0 ? macro->op->copy : macro->op->combine;
    struct entry *entry = issue_entry(core, phase->pipe, ENTRY_TILE);

    if (!entry)
        return false;
    entry->op = phase;
    for (unsigned i = 0; i < 3; i++)
        if (phase->operand[i].kind == PTO_O_TILE)
            entry->word[phase->operand[i].word] = chunk_tile(core, macro->acc);
    entry->word[phase->operand[macro->peer == 0 ? 1 : 2].word] = chunk_tile(core, received);
    pipe_issue(core, phase->pipe);
    return true;
}

/* ---- the series ---- */

enum { TRANSFER_STEPS = 6, REDUCE_STEPS = 11 };

static bool transfer_step(struct core *core)
{
    const struct macro *macro = &core->macro;
    const unsigned in = PTO_PIPE_MTE2, out = PTO_PIPE_MTE3;
    uint32_t slot = macro->turn % macro->stages;

    switch (macro->step) {
    case 0:
        return macro->turn < macro->stages || put_wait(core, out, in, slot);
    case 1:
        return put_transfer(core, macro->op->load, 1, macro->tile[slot]);
    case 2:
        return put_set(core, in, out, slot);
    case 3:
        return put_wait(core, in, out, slot);
    case 4:
        return put_transfer(core, macro->op->store, 0, macro->tile[slot]);
    default:
        return put_set(core, out, in, slot);
    }
}

static bool reduce_step(struct core *core)
{
    const struct macro *macro = &core->macro;
    const unsigned in = PTO_PIPE_MTE2, v = PTO_PIPE_V, out = PTO_PIPE_MTE3;
    uint32_t slot = macro->turn % macro->stages;
    bool first = macro->peer == 0, last = macro->peer + 1 == macro->peers;

    switch (macro->step) {
    case 0:
        return macro->turn < macro->stages || put_wait(core, v, in, slot);
    case 1:
        return put_transfer(core, macro->op->load, 1, macro->tile[slot]);
    case 2:
        return put_set(core, in, v, slot);
    case 3:
        return !first || macro->chunks == 0 || put_wait(core, out, v, 0);
    case 4:
        return put_wait(core, in, v, slot);
    case 5:
        return put_combine(core, macro->tile[slot]);
    case 6:
        return put_set(core, v, in, slot);
    case 7:
        return !last || put_set(core, v, out, 0);
    case 8:
        return !last || put_wait(core, v, out, 0);
    case 9:
        return !last || put_transfer(core, macro->op->store, 0, macro->acc);
    default:
        return !last || put_set(core, out, v, 0);
    }
}

static void next_window(struct macro *macro)
{
    if (macro->cols - macro->col > macro->step_cols) {
        macro->col += macro->step_cols;
        return;
    }
    macro->col = 0;
    macro->row = macro->rows - macro->row > macro->step_rows ? macro->row + macro->step_rows
                                                             : macro->rows;
}

/* The next chunk of this peer, then the next peer. */
static void next_transfer(struct macro *macro)
{
    macro->turn++;
    next_window(macro);
    if (macro->row < macro->rows)
        return;
    macro->row = 0;
    macro->peer++;
}

/* The next peer of this chunk, then the next chunk. */
static void next_reduction(struct macro *macro)
{
    macro->turn++;
    if (++macro->peer < macro->peers)
        return;
    macro->peer = 0;
    macro->chunks++;
    next_window(macro);
}

/* Take the tokens that are still to come: of the staging slots in use, oldest first, and of the last
 * store.  `step` counts them. */
static bool drain(struct core *core)
{
    struct macro *macro = &core->macro;
    bool reduces = macro->op->combine != NULL;
    uint32_t left = macro->turn < macro->stages ? macro->turn : macro->stages;

    while (macro->step < left) {
        uint32_t turn = macro->turn - left + macro->step;

        if (!put_wait(core, reduces ? PTO_PIPE_V : PTO_PIPE_MTE3, PTO_PIPE_MTE2,
                      turn % macro->stages))
            return false;
        macro->step++;
    }
    return !reduces || macro->chunks == 0 || put_wait(core, PTO_PIPE_MTE3, PTO_PIPE_V, 0);
}

enum issue_result issue_macro(struct core *core, const struct ready_op *op)
{
    struct macro *macro = &core->macro;
    unsigned steps = op->combine ? REDUCE_STEPS : TRANSFER_STEPS;

    if (!macro->op && !begin(core, op)) {
        macro->op = NULL;
        return ISSUE_FAULT;
    }
    while (macro->peer < macro->peers && macro->row < macro->rows && macro->cols > 0) {
        if (!(op->combine ? reduce_step(core) : transfer_step(core)))
            return ISSUE_STALL;
        core->time += core->rank->vm->issue_ps;
        if (++macro->step < steps)
            continue;
        macro->step = 0;
        if (op->combine)
            next_reduction(macro);
        else
            next_transfer(macro);
    }
    if (!drain(core))
        return ISSUE_STALL;
    macro->op = NULL;
    return ISSUE_DONE;
}
