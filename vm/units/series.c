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
#include "series.h"

#include "machine/cost.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/parts.h"
#include "machine/resolve.h"
#include "machine/route.h"
#include "queue.h"

static bool same_extent(struct core *core, struct extent dst, struct extent src)
{
    if (dst.rows == NOT_GIVEN || src.rows == NOT_GIVEN ||
        (dst.rows == src.rows && dst.cols == src.cols))
        return true;
    return FAULT_HERE(core, NULL,
                      "extents {%lld, %lld} of the destination and {%lld, %lld} of the source "
                      "differ",
                      (long long)dst.rows, (long long)dst.cols, (long long)src.rows,
                      (long long)src.cols);
}

/* The window that goes to or comes from one peer: named by the side that is not split between the
 * peers, or by either; else the staging tile's region. */
static bool find_extent(struct core *core, const struct ready_op *op, struct extent *extent)
{
    struct extent side[2] = {resolve_extent(core, &op->operand[0]),
                             resolve_extent(core, &op->operand[1])};
    struct extent ping = resolve_extent(core, &op->operand[2]);

    if (op->split_side >= 0 && side[op->split_side].rows != NOT_GIVEN)
        return FAULT_HERE(core, "name the extent of one rank's part at the other operand",
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
        return FAULT_HERE(core, "declare it with .sym",
                          "%s reaches the other ranks' '%s', which is not symmetric",
                          op->info->mnemonic, core->ready->kernel->object[operand->object].name);
    /* What is too large to multiply is too large for any object, too. */
    if (op->split_side == (int)side && rows && extent.rows <= UINT32_MAX)
        extent.rows *= core->rank->vm->ranks;
    else if (op->split_side == (int)side && !rows && extent.cols <= UINT32_MAX)
        extent.cols *= core->rank->vm->ranks;
    if (op->peer_side == (int)side && operand->rank != NO_REGISTER)
        return FAULT_HERE(core, "leave @rank out", "%s goes through all ranks by itself",
                          op->info->mnemonic);
    return resolve_gm(core, operand, extent, core->series->gm[side]);
}

static bool resolve_staging(struct core *core, const struct ready_op *op)
{
    struct series *series = core->series;
    unsigned first = op->combine ? 3 : 2;
    struct extent whole = {NOT_GIVEN, NOT_GIVEN};

    series->stages = op->operand[first + 1].kind == PTO_O_TILE ? 2 : 1;
    if (op->combine && !resolve_tile(core, &op->operand[2], whole, &series->acc))
        return false;
    for (unsigned stage = 0; stage < series->stages; stage++)
        if (!resolve_tile(core, &op->operand[first + stage], whole, &series->tile[stage]))
            return false;
    series->step_rows = tile_rows(series->tile[0]);
    series->step_cols = tile_cols(series->tile[0]);
    for (unsigned stage = 1; stage < series->stages; stage++)
        if (tile_rows(series->tile[stage]) != series->step_rows ||
            tile_cols(series->tile[stage]) != series->step_cols)
            return FAULT_HERE(core, NULL, "the staging tiles differ in shape");
    if (op->combine && (tile_rows(series->acc) < series->step_rows ||
                        tile_cols(series->acc) < series->step_cols))
        return FAULT_HERE(core, NULL, "the tile 'acc' is smaller than the staging tile");
    if (series->step_rows == 0 || series->step_cols == 0)
        return FAULT_HERE(core, NULL, "the staging tile has an empty valid region");
    return true;
}

static bool check_links(struct core *core, const struct ready_op *op)
{
    const struct rank *rank = core->rank;

    for (int peer = 0; op->peer_side >= 0 && peer < rank->vm->ranks; peer++)
        if (!route_holds(core, core->pc, PTO_PIPE_S, peer, core->time, core->time,
                         "a collective needs a link from its root to every rank"))
            return false;
    return true;
}

static bool begin(struct core *core, const struct ready_op *op)
{
    struct series *series = core->series;
    struct extent extent;

    *series = (struct series){.op = op};
    series->peers = op->peer_side < 0 ? 1 : (uint32_t)core->rank->vm->ranks;
    if (!find_extent(core, op, &extent) || !resolve_side(core, op, 0, extent) ||
        !resolve_side(core, op, 1, extent) || !resolve_staging(core, op) ||
        !check_links(core, op))
        return false;
    series->rows = (uint32_t)extent.rows;
    series->cols = (uint32_t)extent.cols;
    return true;
}

/* ---- one chunk ---- */

/* Window of the chunk in hand on one side of the transfer. */
static void window_words(const struct core *core, unsigned side, uint64_t *word)
{
    const struct series *series = core->series;
    const struct bound_object *object = memory_object(core, gm_object(series->gm[side]));
    uint64_t row_stride = (uint64_t)object_row_stride(object);
    uint64_t col_stride = (uint64_t)object_col_stride(object);
    uint32_t rows = series->rows - series->row, cols = series->cols - series->col;
    uint64_t at = series->row * row_stride + series->col * col_stride;

    if (series->op->split_side == (int)side)
        at += (uint64_t)series->peer *
              (object->dims > 1 ? series->rows * row_stride : series->cols * col_stride);
    rows = rows < series->step_rows ? rows : series->step_rows;
    cols = cols < series->step_cols ? cols : series->step_cols;
    word[GM_OFFSET] = series->gm[side][GM_OFFSET] + at;
    word[GM_EXTENT] = gm_extent(rows, cols);
    word[GM_WHERE] = series->gm[side][GM_WHERE];
    if (series->op->peer_side == (int)side)
        word[GM_WHERE] = gm_object(series->gm[side]) | (uint64_t)series->peer << 32;
}

/* The part of a tile that the chunk in hand takes. */
static uint64_t chunk_tile(const struct core *core, uint64_t tile)
{
    const struct series *series = core->series;
    uint32_t rows = series->rows - series->row, cols = series->cols - series->col;

    return tile_word(tile_address(tile), rows < series->step_rows ? rows : series->step_rows,
                     cols < series->step_cols ? cols : series->step_cols);
}

/* A phase between global memory and a tile. */
static bool put_transfer(struct core *core, const struct ready_op *phase, unsigned side,
                         uint64_t tile)
{
    struct entry *entry = queue_entry(core, phase->pipe, ENTRY_TILE);

    if (!entry)
        return false;
    entry->op = phase;
    window_words(core, side, &entry->word[phase->operand[phase->extent_gm].word]);
    entry->word[phase->operand[phase->extent_tile].word] = chunk_tile(core, tile);
    queue_push(core, phase->pipe);
    return true;
}

/* acc = received (first peer), or acc = acc op received. */
static bool put_combine(struct core *core, uint64_t received)
{
    const struct series *series = core->series;
    const struct ready_op *phase = series->peer == 0 ? series->op->copy : series->op->combine;
    struct entry *entry = queue_entry(core, phase->pipe, ENTRY_TILE);

    if (!entry)
        return false;
    entry->op = phase;
    for (unsigned i = 0; i < 3; i++)
        if (phase->operand[i].kind == PTO_O_TILE)
            entry->word[phase->operand[i].word] = chunk_tile(core, series->acc);
    entry->word[phase->operand[series->peer == 0 ? 1 : 2].word] = chunk_tile(core, received);
    queue_push(core, phase->pipe);
    return true;
}

/* ---- the steps of a chunk, one row each ---- */

/* When a step is taken. */
enum when {
    ALWAYS,
    SLOT_USED, /* the staging slot was used before */
    SUM_BEGINS_AGAIN, /* TREDUCE: first peer of a chunk, but not of the first */
    SUM_COMPLETE      /* TREDUCE: last peer of a chunk */
};

/* What a step puts into which queue.  Flags go from pipe `src` to pipe `dst`; their id is that of
 * the staging slot in use, or the first one for the sum. */
enum step_kind { STEP_SET, STEP_WAIT, STEP_LOAD, STEP_STORE, STEP_COMBINE, STEP_STORE_SUM };

struct step {
    uint8_t kind, when;
    uint8_t src, dst;
    bool of_sum;
};

static const struct step TRANSFER[] = {
    {STEP_WAIT, SLOT_USED, PTO_PIPE_MTE3, PTO_PIPE_MTE2, false},
    {STEP_LOAD, ALWAYS, 0, 0, false},
    {STEP_SET, ALWAYS, PTO_PIPE_MTE2, PTO_PIPE_MTE3, false},
    {STEP_WAIT, ALWAYS, PTO_PIPE_MTE2, PTO_PIPE_MTE3, false},
    {STEP_STORE, ALWAYS, 0, 0, false},
    {STEP_SET, ALWAYS, PTO_PIPE_MTE3, PTO_PIPE_MTE2, false},
};

static const struct step REDUCTION[] = {
    {STEP_WAIT, SLOT_USED, PTO_PIPE_V, PTO_PIPE_MTE2, false},
    {STEP_LOAD, ALWAYS, 0, 0, false},
    {STEP_SET, ALWAYS, PTO_PIPE_MTE2, PTO_PIPE_V, false},
    {STEP_WAIT, SUM_BEGINS_AGAIN, PTO_PIPE_MTE3, PTO_PIPE_V, true},
    {STEP_WAIT, ALWAYS, PTO_PIPE_MTE2, PTO_PIPE_V, false},
    {STEP_COMBINE, ALWAYS, 0, 0, false},
    {STEP_SET, ALWAYS, PTO_PIPE_V, PTO_PIPE_MTE2, false},
    {STEP_SET, SUM_COMPLETE, PTO_PIPE_V, PTO_PIPE_MTE3, true},
    {STEP_WAIT, SUM_COMPLETE, PTO_PIPE_V, PTO_PIPE_MTE3, true},
    {STEP_STORE_SUM, SUM_COMPLETE, 0, 0, false},
    {STEP_SET, SUM_COMPLETE, PTO_PIPE_MTE3, PTO_PIPE_V, true},
};

static bool applies(const struct series *series, enum when when)
{
    switch (when) {
    case SLOT_USED:
        return series->turn >= series->stages;
    case SUM_BEGINS_AGAIN:
        return series->peer == 0 && series->chunks > 0;
    case SUM_COMPLETE:
        return series->peer + 1 == series->peers;
    default:
        return true;
    }
}

static bool put_flag(struct core *core, const struct step *step, uint32_t slot)
{
    bool sets = step->kind == STEP_SET;
    unsigned pipe = sets ? step->src : step->dst;
    struct entry *entry = queue_entry(core, pipe, sets ? ENTRY_SET : ENTRY_WAIT);

    if (!entry)
        return false;
    entry->flag_src = step->src;
    entry->flag_dst = step->dst;
    entry->flag_id = (uint8_t)(USER_EVENTS + slot);
    queue_push(core, pipe);
    return true;
}

/* false: the queue is full, S stalls. */
static bool take_step(struct core *core, const struct step *step)
{
    const struct series *series = core->series;
    uint32_t slot = series->turn % series->stages;

    if (!applies(series, step->when))
        return true;
    switch (step->kind) {
    case STEP_LOAD:
        return put_transfer(core, series->op->load, 1, series->tile[slot]);
    case STEP_STORE:
        return put_transfer(core, series->op->store, 0, series->tile[slot]);
    case STEP_COMBINE:
        return put_combine(core, series->tile[slot]);
    case STEP_STORE_SUM:
        return put_transfer(core, series->op->store, 0, series->acc);
    default:
        return put_flag(core, step, step->of_sum ? 0 : slot);
    }
}

/* ---- the series ---- */

static void next_window(struct series *series)
{
    if (series->cols - series->col > series->step_cols) {
        series->col += series->step_cols;
        return;
    }
    series->col = 0;
    series->row = series->rows - series->row > series->step_rows ? series->row + series->step_rows
                                                             : series->rows;
}

/* The next chunk of this peer, then the next peer. */
static void next_transfer(struct series *series)
{
    series->turn++;
    next_window(series);
    if (series->row < series->rows)
        return;
    series->row = 0;
    series->peer++;
}

/* The next peer of this chunk, then the next chunk. */
static void next_reduction(struct series *series)
{
    series->turn++;
    if (++series->peer < series->peers)
        return;
    series->peer = 0;
    series->chunks++;
    next_window(series);
}

/* Take the tokens that are still to come: of the staging slots in use, oldest first, and of the
 * last store.  `step` counts them. */
static bool drain(struct core *core)
{
    static const struct step stored = {STEP_WAIT, ALWAYS, PTO_PIPE_MTE3, PTO_PIPE_V, true};
    struct series *series = core->series;
    bool reduces = series->op->combine != NULL;
    const struct step *freed = reduces ? &REDUCTION[0] : &TRANSFER[0];
    uint32_t left = series->turn < series->stages ? series->turn : series->stages;

    while (series->step < left) {
        uint32_t turn = series->turn - left + series->step;

        if (!put_flag(core, freed, turn % series->stages))
            return false;
        series->step++;
    }
    return !reduces || series->chunks == 0 || put_flag(core, &stored, 0);
}

enum issue_result series_issue(struct core *core, const struct ready_op *op)
{
    struct series *series = parts_make_series(core);
    const struct step *steps = op->combine ? REDUCTION : TRANSFER;
    unsigned count = op->combine ? sizeof REDUCTION / sizeof *steps
                                 : sizeof TRANSFER / sizeof *steps;

    if (!series->op && !begin(core, op)) {
        series->op = NULL;
        return ISSUE_FAULT;
    }
    while (series->peer < series->peers && series->row < series->rows && series->cols > 0) {
        if (!take_step(core, &steps[series->step]))
            return ISSUE_STALL;
        core->time += cost_of(core, COST_ISSUE);
        if (++series->step < count)
            continue;
        series->step = 0;
        if (op->combine)
            next_reduction(series);
        else
            next_transfer(series);
    }
    if (!drain(core))
        return ISSUE_STALL;
    series->op = NULL;
    return ISSUE_DONE;
}
