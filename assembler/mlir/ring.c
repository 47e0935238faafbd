/* Frontend pipes: rings between the cube's function and that of the vector sub-cores.
 *
 * A pipe takes tiles of any shape, each split as its push says.  A .fifo has one shape and one
 * split, so a pipe becomes a ring for each that there are: a pop names what its push named, so it
 * finds the same ring.  What is popped lands in a tile with as many slots as the ring has, so that
 * giving a slot back (tfree) is nothing here. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/lower.h"

enum { TO_CUBE, TO_VECTOR, SLOTS = 4, MOST_SLOTS = 15 };

static const struct {
    const char *push, *pop, *name, *word, *buffer;
    unsigned mask; /* of dir_mask */
} WAY[] = {
    [TO_CUBE] = {"pto.tpush_to_aic", "pto.tpop_from_aiv", "to_cube", "v2c", "v2c_consumer_buf",
                 2},
    [TO_VECTOR] = {"pto.tpush_to_aiv", "pto.tpop_from_aic", "to_vector", "c2v", "c2v_consumer_buf",
                   1},
};

static int64_t number_attribute(const struct mlir_node *op, const char *key, int64_t absent)
{
    const struct mlir_node *value = mlir_attribute(op, key);

    return value && value->kind == MLIR_INT ? strtoll(value->text, NULL, 0) : absent;
}

/* ---- what there is, before anything is lowered ---- */

/* The tile type of a push `(%t : T)` or a pop `-> T`. */
static bool tile_type(struct mlir_lower *l, struct mlir_node *op, struct mlir_type *type)
{
    const struct mlir_node *at = NULL;

    for (const struct mlir_node *node = op->first; node; node = node->next) {
        if (node->kind == MLIR_PAREN && !at)
            for (const struct mlir_node *in = node->first; in; in = in->next)
                if (mlir_is(in, MLIR_SIGN, ":"))
                    at = in->next;
        if (mlir_is(node, MLIR_SIGN, "->"))
            at = node->next;
    }
    if (at && mlir_type_read(l->tree, &at, type) && type->kind == MLIR_T_TILE)
        return true;
    mlir_refuse(l, op, op, "'%s' lacks the type of its tile", op->text);
    return false;
}

/* A push or a pop, as it is written; false: it is none, or after an error. */
static bool read_transfer(struct mlir_lower *l, struct mlir_node *op, struct mlir_transfer *t)
{
    *t = (struct mlir_transfer){.op = op};
    while (t->way <= TO_VECTOR && strcmp(op->text, WAY[t->way].push) != 0 &&
           strcmp(op->text, WAY[t->way].pop) != 0)
        t->way++;
    if (t->way > TO_VECTOR)
        return false;
    t->is_push = !strcmp(op->text, WAY[t->way].push);
    t->id = number_attribute(op, "id", 0);
    t->split = number_attribute(op, "split", 0);
    if (t->split >= 0 && t->split <= 2)
        return tile_type(l, op, &t->type);
    mlir_refuse(l, op, op, "split is 0 (none), 1 (rows) or 2 (columns)");
    return false;
}

/* The cube's side has the whole matrix. */
static bool is_of_cube(const struct mlir_transfer *t)
{
    return t->is_push == (t->way == TO_VECTOR);
}

/* Bytes that were reserved for what stands behind the word, in this function; 0: none are known. */
static int64_t room_of(const struct mlir_rings *rings, const struct mlir_node *op, const char *word)
{
    for (const struct mlir_node *group = op->first; group; group = group->next)
        for (const struct mlir_node *node = group->kind == MLIR_PAREN ? group->first : NULL; node;
             node = node->next)
            for (unsigned i = 0; mlir_is(node, MLIR_WORD, word) && i < rings->rooms; i++)
                if (mlir_is(node->next, MLIR_SIGN, "=") &&
                    mlir_is(node->next->next, MLIR_SSA, rings->room[i].name))
                    return rings->room[i].bytes;
    return 0;
}

static struct mlir_pipe *pipe_of(struct mlir_rings *rings, unsigned way, int64_t id)
{
    for (unsigned i = 0; i < rings->pipes; i++)
        if (rings->pipe[i].way == way && rings->pipe[i].id == id)
            return &rings->pipe[i];
    return NULL;
}

/* Both sides initialise a pipe; the one that pops has reserved its room. */
static void note_pipe(struct mlir_lower *l, struct mlir_node *op)
{
    int64_t id = number_attribute(op, "id", 0), mask = number_attribute(op, "dir_mask", 0);

    for (unsigned way = 0; way < 2; way++) {
        struct mlir_pipe *pipe = pipe_of(&l->rings, way, id);
        int64_t bytes = room_of(&l->rings, op, WAY[way].buffer);

        if (!((uint64_t)mask & WAY[way].mask))
            continue;
        if (!pipe && l->rings.pipes == MLIR_PIPES) {
            mlir_refuse(l, op, op, "a kernel has at most %d pipes", (int)MLIR_PIPES);
            return;
        }
        if (!pipe)
            pipe = &l->rings.pipe[l->rings.pipes++];
        *pipe = (struct mlir_pipe){.way = way, .id = id, .node = op,
                                   .bytes = bytes ? bytes : pipe->bytes,
                                   .slot_bytes = number_attribute(op, "slot_size", 0),
                                   .slots = number_attribute(op, "slot_num", 0)};
    }
}

static void note(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_rings *rings = &l->rings;
    struct mlir_transfer transfer;

    if (!strcmp(op->text, "pto.reserve_buffer") && op->result && rings->rooms < MLIR_PIPES) {
        rings->room[rings->rooms++] = (struct mlir_room){op->result->text,
                                                         number_attribute(op, "size", 0)};
    } else if (!strcmp(op->text, "pto.aic_initialize_pipe") ||
               !strcmp(op->text, "pto.aiv_initialize_pipe")) {
        note_pipe(l, op);
    } else if (read_transfer(l, op, &transfer)) {
        PTO_GROW(rings->transfer, rings->transfers, rings->transfer_capacity);
        rings->transfer[rings->transfers++] = transfer;
    }
}

/* Errors that are found here stay with their operations. */
static void find(struct mlir_lower *l, struct mlir_node *region, unsigned depth)
{
    for (struct mlir_node *op = region->first; op; op = op->next) {
        if (op->kind == MLIR_OP) {
            struct mlir_node *function = NULL;

            if (depth && !mlir_may_follow(l, op, &l->functions->looked_at))
                return;
            note(l, op);
            if (mlir_is_call(op))
                function = mlir_function(l->functions, op->first->text);
            if (function && depth < MLIR_MAX_CALLS) {
                l->rings.rooms = 0; /* names of the function are its own */
                find(l, function, depth + 1);
                l->rings.rooms = 0;
            }
        }
        if (op->kind == MLIR_OP || op->kind == MLIR_REGION)
            find(l, op, depth);
    }
}

/* ---- from pipes to rings ---- */

static bool is_like(const struct mlir_ring *ring, const struct mlir_transfer *t)
{
    return ring->way == t->way && ring->id == t->id && ring->split == t->split;
}

/* The ring of a transfer; NULL: there is none.  A vector sub-core has its part of the matrix, which
 * matters where a pipe has several rings. */
static struct mlir_ring *ring_of(struct mlir_rings *rings, const struct mlir_transfer *t)
{
    struct mlir_ring *found = NULL;
    unsigned like = 0;
    bool is_part = !is_of_cube(t);
    int64_t rows = t->type.rows << (is_part && t->split == 1);
    int64_t cols = t->type.cols << (is_part && t->split == 2);

    for (unsigned i = 0; i < rings->rings; i++) {
        struct mlir_ring *ring = &rings->ring[i];

        if (!is_like(ring, t))
            continue;
        if (ring->rows == rows && ring->cols == cols)
            return ring;
        like++;
        found = ring;
    }
    return is_part && like == 1 ? found : NULL;
}

/* Slots that a pipe has room for. */
static int64_t slots_of(const struct mlir_pipe *pipe)
{
    int64_t slots = pipe->slots ? pipe->slots
                    : pipe->bytes && pipe->slot_bytes ? pipe->bytes / pipe->slot_bytes : SLOTS;

    return slots < 1 ? 1 : slots > MOST_SLOTS ? MOST_SLOTS : slots;
}

/* The cube's side makes a ring, unless its pipe is initialised by none. */
static void add_ring(struct mlir_lower *l, const struct mlir_transfer *t)
{
    struct mlir_rings *rings = &l->rings;
    const struct mlir_pipe *pipe = pipe_of(rings, t->way, t->id);

    if (!pipe || ring_of(rings, t))
        return;
    if (rings->rings == MLIR_RINGS) {
        mlir_refuse(l, t->op, t->op, "the pipes of this kernel have more than %d shapes and splits",
                    (int)MLIR_RINGS);
        return;
    }
    rings->ring[rings->rings++] = (struct mlir_ring){
        .way = t->way, .id = t->id, .split = t->split, .rows = t->type.rows, .cols = t->type.cols,
        .dtype = t->type.dtype, .slots = slots_of(pipe), .node = pipe->node};
}

void mlir_rings_find(struct mlir_lower *l, struct mlir_node *function)
{
    struct mlir_rings *rings = &l->rings;

    find(l, function, 0);
    for (uint32_t i = 0; i < rings->transfers; i++)
        if (is_of_cube(&rings->transfer[i]))
            add_ring(l, &rings->transfer[i]);
    for (uint32_t i = 0; i < rings->transfers; i++) {
        const struct mlir_transfer *t = &rings->transfer[i];
        struct mlir_ring *ring = t->is_push ? NULL : ring_of(rings, t);

        if (ring)
            ring->dtype = t->type.dtype; /* the side that pops says it */
    }
    free(rings->transfer);
    rings->transfer = NULL;
}

void mlir_rings_declare(struct mlir_lower *l, struct mlir_out *out)
{
    static const char *const split[] = {"none", "rows", "cols"};

    for (unsigned i = 0; i < l->rings.rings; i++) {
        struct mlir_ring *ring = &l->rings.ring[i];

        ring->name = mlir_fresh(l, WAY[ring->way].name);
        mlir_line(out, ring->node, ".fifo %s : %s[%" PRId64 ", %" PRId64 "] slots %" PRId64
                  " %s split %s flags %u", ring->name,
                  pto_dtype_name((enum pto_dtype)ring->dtype), ring->rows, ring->cols,
                  ring->slots, WAY[ring->way].word, split[ring->split], 2 * i);
    }
}

/* The slot that comes next; it is one, wherever its tiles are popped. */
static const char *turn_of(struct mlir_lower *l, struct mlir_ring *ring)
{
    if (!ring->turn)
        ring->turn = mlir_register(l, pto_arena_printf(l->arena, "%s turn", ring->name), false);
    return ring->turn;
}

/* Where the tiles that this core pops lie: a number for each ring. */
void mlir_rings_begin(struct mlir_lower *l)
{
    for (unsigned i = 0; i < l->rings.rings; i++) {
        struct mlir_ring *ring = &l->rings.ring[i];

        if ((ring->way == TO_CUBE) != (l->core == PTO_AIC))
            continue;
        ring->landing = NULL;
        mlir_line(&l->code, ring->node, "%s = 0", turn_of(l, ring));
    }
}

/* ---- operations ---- */

/* Is there anything that the cube's side does with the pipe? */
static bool has_ring(const struct mlir_rings *rings, const struct mlir_transfer *t)
{
    for (unsigned i = 0; i < rings->rings; i++)
        if (rings->ring[i].way == t->way && rings->ring[i].id == t->id)
            return true;
    return false;
}

/* The ring of a push or a pop of the core that is lowered; NULL after an error. */
static struct mlir_ring *ring_here(struct mlir_lower *l, const struct mlir_transfer *t)
{
    struct mlir_ring *ring = ring_of(&l->rings, t);
    struct pto_diag *diag;

    if (!has_ring(&l->rings, t)) {
        mlir_refuse(l, t->op, t->op, "no pipe is initialised for '%s'", t->op->text);
        return NULL;
    }
    if (is_of_cube(t) != (l->core == PTO_AIC)) {
        mlir_refuse(l, t->op, t->op, "'%s' belongs to the other sub-core's function", t->op->text);
        return NULL;
    }
    if (ring)
        return ring;
    diag = mlir_refuse(l, t->op, t->op, "the cube's side of this pipe has no tile of this shape "
                       "and split");
    if (diag)
        pto_diag_hint(l->tree->diags, diag, "a vector sub-core has the whole tile with split 0, "
                      "half of its rows with 1, of its columns with 2");
    return NULL;
}

static void push(struct mlir_lower *l, const struct mlir_transfer *t)
{
    const struct mlir_ring *ring = ring_here(l, t);
    const struct mlir_node *group = t->op->first;
    struct mlir_value *tile;

    if (!ring)
        return;
    if (!group || group->kind != MLIR_PAREN || !group->first) {
        mlir_refuse(l, t->op, t->op, "'%s(TILE : TYPE)' was expected", t->op->text);
        return;
    }
    tile = mlir_want(l, t->op, group->first, MLIR_V_TILE);
    if (tile)
        mlir_line(&l->code, t->op, "TPUSH %s, %s", ring->name, mlir_tile_text(l, tile, ""));
}

static void pop(struct mlir_lower *l, const struct mlir_transfer *t)
{
    struct mlir_ring *ring = ring_here(l, t);
    struct mlir_node *op = t->op;
    struct mlir_value *value = mlir_value_new(l, MLIR_V_TILE);
    const char *slot;

    if (!ring)
        return;
    if (!op->result) {
        mlir_refuse(l, op, op, "'%%TILE = %s -> TYPE' was expected", op->text);
        return;
    }
    value->type = t->type;
    if (!ring->landing || !mlir_type_same(&ring->landing->type, &value->type)) {
        ring->landing = mlir_tile_new(l, op->result->text, &value->type, op);
        ring->landing->slots = (unsigned)ring->slots;
    }
    value->tile.tile = ring->landing;
    value->tile.rows = mlir_int(l, value->type.valid_rows < 0 ? value->type.rows
                                                              : value->type.valid_rows);
    value->tile.cols = mlir_int(l, value->type.valid_cols < 0 ? value->type.cols
                                                              : value->type.valid_cols);
    mlir_bind(l, op, op->result, value);
    if (ring->slots > 1) {
        const char *turn = turn_of(l, ring);

        slot = mlir_register(l, pto_arena_printf(l->arena, "%s slot", op->result->text), false);
        mlir_line(&l->code, op, "%s = %s", slot, turn);
        mlir_line(&l->code, op, "%s = mod(%s + 1, %" PRId64 ")", turn, turn, ring->slots);
        value->tile.slot = slot;
    }
    mlir_line(&l->code, op, "TPOP %s, %s", mlir_tile_text(l, value, ""), ring->name);
}

/* Room for a ring: the ring's own declaration says all of it. */
static void buffer(struct mlir_lower *l, struct mlir_node *op)
{
    if (op->result)
        mlir_bind(l, op, op->result, mlir_value_new(l, MLIR_V_BUFFER));
}

bool mlir_ring_op(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_transfer transfer;

    if (read_transfer(l, op, &transfer)) {
        if (transfer.is_push)
            push(l, &transfer);
        else
            pop(l, &transfer);
        return true;
    }
    if (op->broken)
        return true;
    if (!strcmp(op->text, "pto.reserve_buffer") ||
        !strcmp(op->text, "pto.import_reserved_buffer")) {
        buffer(l, op);
        return true;
    }
    return !strcmp(op->text, "pto.aic_initialize_pipe") ||
           !strcmp(op->text, "pto.aiv_initialize_pipe");
}
