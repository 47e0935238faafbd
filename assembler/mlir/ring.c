/* Frontend pipes: rings between the cube's function and that of the vector sub-cores.
 *
 * A ring is declared as a .fifo; what is popped lands in a tile with as many slots as the ring has,
 * so that giving a slot back (tfree) is nothing here. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/lower.h"

enum { TO_CUBE, TO_VECTOR, MOST_SLOTS = 15 };

static const struct {
    const char *push, *pop, *name, *word, *place;
    unsigned mask; /* of dir_mask */
} WAY[] = {
    [TO_CUBE] = {"pto.tpush_to_aic", "pto.tpop_from_aiv", "to_cube", "v2c", "mat", 2},
    [TO_VECTOR] = {"pto.tpush_to_aiv", "pto.tpop_from_aic", "to_vector", "c2v", "vec", 1},
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

static void note_split(struct mlir_lower *l, struct mlir_node *op, struct mlir_ring *ring)
{
    int64_t split = number_attribute(op, "split", 0);

    if (ring->split < 0)
        ring->split = split;
    if (split < 0 || split > 2)
        mlir_refuse(l, op, op, "split is 0 (none), 1 (rows) or 2 (columns)");
    else if (ring->split != split)
        mlir_refuse(l, op, op, "one pipe with different splits is not taken");
}

/* The cube's side has the whole matrix; the side that pops says the element type. */
static void note_transfer(struct mlir_lower *l, struct mlir_node *op, unsigned way, bool is_push)
{
    struct mlir_ring *ring = &l->ring[way];
    struct mlir_type type;

    note_split(l, op, ring);
    if (op->broken || !tile_type(l, op, &type))
        return;
    if (!is_push)
        ring->dtype = type.dtype;
    if (is_push != (way == TO_VECTOR))
        return;
    if (ring->matrix.rows && (ring->matrix.rows != type.rows || ring->matrix.cols != type.cols))
        mlir_refuse(l, op, op, "one pipe with tiles of different shapes is not taken");
    ring->matrix = type;
}

static void note(struct mlir_lower *l, struct mlir_node *op)
{
    for (unsigned way = 0; way < 2; way++) {
        struct mlir_ring *ring = &l->ring[way];
        const struct mlir_node *place = mlir_attribute(op, "location");

        if (!strcmp(op->text, WAY[way].push) || !strcmp(op->text, WAY[way].pop))
            note_transfer(l, op, way, !strcmp(op->text, WAY[way].push));
        if (!strcmp(op->text, "pto.reserve_buffer") && place &&
            !strcmp(mlir_enum_word(place), WAY[way].place))
            ring->bytes = number_attribute(op, "size", 0);
        if ((!strcmp(op->text, "pto.aic_initialize_pipe") ||
             !strcmp(op->text, "pto.aiv_initialize_pipe")) &&
            ((uint64_t)number_attribute(op, "dir_mask", 0) & WAY[way].mask)) {
            ring->present = true;
            ring->node = op;
            ring->slot_bytes = number_attribute(op, "slot_size", 0);
        }
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
            if (function && depth < MLIR_MAX_CALLS)
                find(l, function, depth + 1);
        }
        if (op->kind == MLIR_OP || op->kind == MLIR_REGION)
            find(l, op, depth);
    }
}

void mlir_rings_find(struct mlir_lower *l, struct mlir_node *function)
{
    for (unsigned way = 0; way < 2; way++)
        l->ring[way] = (struct mlir_ring){.split = -1};
    find(l, function, 0);
}

void mlir_rings_declare(struct mlir_lower *l, struct mlir_out *out)
{
    static const char *const split[] = {"none", "rows", "cols"};

    for (unsigned way = 0; way < 2; way++) {
        struct mlir_ring *ring = &l->ring[way];
        int64_t slots;

        if (!ring->present || !ring->matrix.rows)
            continue;
        slots = ring->bytes && ring->slot_bytes ? ring->bytes / ring->slot_bytes : 4;
        ring->slots = slots < 1 ? 1 : slots > MOST_SLOTS ? MOST_SLOTS : slots;
        ring->name = mlir_fresh(l, WAY[way].name);
        mlir_line(out, ring->node, ".fifo %s : %s[%" PRId64 ", %" PRId64 "] slots %" PRId64
                  " %s split %s flags %u", ring->name,
                  pto_dtype_name((enum pto_dtype)ring->dtype), ring->matrix.rows,
                  ring->matrix.cols, ring->slots, WAY[way].word,
                  split[ring->split < 0 || ring->split > 2 ? 0 : ring->split], 2 * way);
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
    for (unsigned way = 0; way < 2; way++)
        if (l->ring[way].name && (way == TO_CUBE) == (l->core == PTO_AIC)) {
            l->ring[way].landing = NULL;
            mlir_line(&l->code, l->ring[way].node, "%s = 0", turn_of(l, &l->ring[way]));
        }
}

/* ---- operations ---- */

static bool is_ready(struct mlir_lower *l, struct mlir_node *op, unsigned way)
{
    if (l->ring[way].name && (l->core == PTO_AIC) ==
                                 ((way == TO_VECTOR) == !strcmp(op->text, WAY[way].push)))
        return true;
    mlir_refuse(l, op, op, l->ring[way].name ? "'%s' belongs to the other sub-core's function"
                                             : "no pipe is initialised for '%s'", op->text);
    return false;
}

static void push(struct mlir_lower *l, struct mlir_node *op, unsigned way)
{
    const struct mlir_node *group = op->first;
    struct mlir_value *tile;

    if (!is_ready(l, op, way))
        return;
    if (!group || group->kind != MLIR_PAREN || !group->first) {
        mlir_refuse(l, op, op, "'%s(TILE : TYPE)' was expected", op->text);
        return;
    }
    tile = mlir_want(l, op, group->first, MLIR_V_TILE);
    if (tile)
        mlir_line(&l->code, op, "TPUSH %s, %s", l->ring[way].name, mlir_tile_text(l, tile, ""));
}

static void pop(struct mlir_lower *l, struct mlir_node *op, unsigned way)
{
    struct mlir_ring *ring = &l->ring[way];
    struct mlir_value *value = mlir_value_new(l, MLIR_V_TILE);
    const char *slot;

    if (!is_ready(l, op, way) || !tile_type(l, op, &value->type))
        return;
    if (!op->result) {
        mlir_refuse(l, op, op, "'%%TILE = %s -> TYPE' was expected", op->text);
        return;
    }
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
    for (unsigned way = 0; way < 2; way++) {
        if (!strcmp(op->text, WAY[way].push)) {
            push(l, op, way);
            return true;
        }
        if (!strcmp(op->text, WAY[way].pop)) {
            pop(l, op, way);
            return true;
        }
    }
    if (!strcmp(op->text, "pto.reserve_buffer") ||
        !strcmp(op->text, "pto.import_reserved_buffer")) {
        buffer(l, op);
        return true;
    }
    return !strcmp(op->text, "pto.aic_initialize_pipe") ||
           !strcmp(op->text, "pto.aiv_initialize_pipe");
}
