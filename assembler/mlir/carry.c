#include "mlir/carry.h"

#include <stdlib.h>
#include <string.h>

/* The number that has to be handed on: of a pointer its offset. */
static const char *number_of(struct mlir_lower *l, const struct mlir_value *value)
{
    if (value->kind == MLIR_V_SCALAR && value->scalar.distance)
        return value->scalar.distance->ranks.text;
    return value->kind == MLIR_V_PTR ? value->ptr.offset.text : mlir_exact(l, value->scalar).text;
}

bool mlir_can_carry(struct mlir_lower *l, struct mlir_node *op, const struct mlir_value *value)
{
    struct pto_diag *diag;

    if (value->kind == MLIR_V_PTR && value->ptr.rank) {
        diag = mlir_refuse(l, op, op, "'%s' hands on no pointers to other ranks", op->text);
        if (diag)
            pto_diag_hint(l->tree->diags, diag, "add the distance where the pointer is used");
        return false;
    }
    if (value->kind == MLIR_V_SCALAR || value->kind == MLIR_V_PTR)
        return true;
    if (value->kind == MLIR_V_BROKEN) {
        op->broken = true;
        return false;
    }
    diag = mlir_refuse(l, op, op, "'%s' hands on numbers, pointers and tiles, no views", op->text);
    if (diag)
        pto_diag_hint(l->tree->diags, diag,
                      "make the view where it is used, of a pointer that is handed on");
    return false;
}

/* A value like `like` in a register of its own. */
static struct mlir_value *in_register(struct mlir_lower *l, const struct mlir_value *like,
                                      const char *reg)
{
    struct mlir_value *value = mlir_value_new(l, (enum mlir_value_kind)like->kind);

    *value = *like;
    if (like->kind == MLIR_V_PTR) {
        value->ptr.offset = (struct mlir_scalar){.text = reg, .bits = 64};
    } else if (like->scalar.distance) {
        struct mlir_distance *distance = pto_arena_alloc(l->arena, sizeof *distance);

        *distance = *like->scalar.distance;
        distance->ranks = (struct mlir_scalar){.text = reg, .bits = 64};
        value->scalar.distance = distance;
    } else {
        value->scalar = (struct mlir_scalar){.text = reg, .is_float = like->scalar.is_float,
                                             .bits = like->scalar.bits,
                                             .dtype = like->scalar.dtype};
    }
    return value;
}

struct mlir_value *mlir_into_register(struct mlir_lower *l, struct mlir_node *op,
                                      const struct mlir_value *value, const char *name)
{
    const char *reg = mlir_register(l, name, value->kind == MLIR_V_SCALAR &&
                                                 value->scalar.is_float);

    mlir_line(&l->code, op, "%s = %s", reg, number_of(l, value));
    return in_register(l, value, reg);
}

struct mlir_value *mlir_into_registers(struct mlir_lower *l, struct mlir_node *op,
                                       struct mlir_value *value, struct mlir_tiles *tiles,
                                       const char *name)
{
    struct mlir_move move[MLIR_MOVES];
    unsigned moves;

    if (!mlir_tiles_add(l, op, tiles, value))
        return NULL;
    moves = mlir_tiles_move(l, tiles, name, value, move);
    for (unsigned i = 0; i < moves; i++)
        mlir_line(&l->code, op, "%s = %s", move[i].reg, move[i].text);
    return mlir_tiles_value(l, tiles, name);
}

/* The carried value of a name, from what it is at first. */
static bool carry_one(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *name,
                      struct mlir_value *first, struct mlir_carried *c)
{
    struct mlir_value **value = &c->value[c->count];

    c->name[c->count] = name;
    if (mlir_is_tile(first)) {
        *value = mlir_into_registers(l, op, first, &c->tiles[c->count], name->text);
        if (!*value)
            return false;
    } else {
        if (!mlir_can_carry(l, op, first))
            return false;
        *value = mlir_into_register(l, op, first, name->text);
        c->reg[c->count] = number_of(l, *value);
    }
    c->count++;
    return true;
}

bool mlir_carry(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *list,
                struct mlir_carried *c)
{
    c->count = 0;
    c->grown = false;
    for (const struct mlir_node *node = list; node; node = node->next) {
        struct mlir_value *first;

        if (node->kind != MLIR_SSA || !mlir_is(node->next, MLIR_SIGN, "=") || !node->next->next)
            continue;
        if (c->count == MLIR_CARRIED) {
            mlir_refuse(l, op, node, "a loop carries at most %d values", (int)MLIR_CARRIED);
            return false;
        }
        first = mlir_find(l, op, node->next->next);
        if (!first || !carry_one(l, op, node, first, c))
            return false;
        node = node->next->next;
    }
    return true;
}

struct mlir_value *mlir_take_over(struct mlir_lower *l, struct mlir_node *op,
                                  const struct mlir_carried *c, unsigned number, const char *name)
{
    const struct mlir_tiles *tiles = &c->tiles[number];
    struct mlir_move from[MLIR_MOVES], to[MLIR_MOVES];
    unsigned moves;

    if (!tiles->count)
        return mlir_into_register(l, op, c->value[number], name);
    mlir_tiles_move(l, tiles, c->name[number]->text, c->value[number], from);
    moves = mlir_tiles_move(l, tiles, name, c->value[number], to);
    for (unsigned i = 0; i < moves; i++)
        mlir_line(&l->code, op, "%s = %s", to[i].reg, from[i].reg);
    return mlir_tiles_value(l, tiles, name);
}

/* Plain numbers both, or distances of one kind. */
static bool same_distance(const struct mlir_distance *a, const struct mlir_distance *b)
{
    return !a || !b ? a == b : a->is_difference == b->is_difference && a->unit == b->unit;
}

/* The same kind of thing, and of pointers the same object. */
bool mlir_alike(const struct mlir_value *a, const struct mlir_value *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == MLIR_V_PTR ? a->ptr.object == b->ptr.object
                                 : same_distance(a->scalar.distance, b->scalar.distance) &&
                                       a->scalar.is_float == b->scalar.is_float &&
                                       a->scalar.bits == b->scalar.bits &&
                                       (!a->scalar.is_float || a->scalar.dtype == b->scalar.dtype);
}

/* What is to be assigned, all at once. */
struct moves {
    struct mlir_move move[MLIR_MOVES * MLIR_CARRIED];
    unsigned count;
};

/* Does assignment number `at` read a register that an earlier one has overwritten? */
static bool is_overwritten(const struct moves *moves, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (strstr(moves->move[at].text, moves->move[i].reg))
            return true;
    return false;
}

static void assign_all(struct mlir_lower *l, struct mlir_node *op, struct moves *moves)
{
    bool kept[MLIR_MOVES * MLIR_CARRIED];

    for (unsigned i = 0; i < moves->count; i++)
        kept[i] = is_overwritten(moves, i);
    for (unsigned i = 0; i < moves->count; i++)
        if (kept[i]) {
            const char *reg = mlir_register(l, pto_arena_printf(l->arena, "kept by%u", i),
                                            moves->move[i].is_float);

            mlir_line(&l->code, op, "%s = %s", reg, moves->move[i].text);
            moves->move[i].text = reg;
        }
    for (unsigned i = 0; i < moves->count; i++)
        if (strcmp(moves->move[i].reg, moves->move[i].text) != 0)
            mlir_line(&l->code, op, "%s = %s", moves->move[i].reg, moves->move[i].text);
}

/* What a region handed on as carried value `number`. */
static bool hand_on_one(struct mlir_lower *l, struct mlir_node *op, unsigned number,
                        struct mlir_carried *c, struct moves *moves)
{
    struct mlir_tiles *tiles = &c->tiles[number];
    struct mlir_value *value = l->result[number];
    unsigned before = tiles->count;

    if (before && mlir_is_tile(value)) {
        if (!mlir_tiles_add(l, op, tiles, value))
            return false;
        c->grown |= tiles->count > before;
        moves->count += mlir_tiles_move(l, tiles, c->name[number]->text, value,
                                        &moves->move[moves->count]);
        return true;
    }
    if (!mlir_is_tile(value) && !mlir_can_carry(l, op, value))
        return false;
    if (before || !mlir_alike(value, c->value[number])) {
        mlir_refuse(l, op, op, "value %u from a region of '%s' is of another type, or a "
                    "pointer to another argument", number, op->text);
        return false;
    }
    moves->move[moves->count++] = (struct mlir_move){
        c->reg[number], number_of(l, value),
        value->kind == MLIR_V_SCALAR && value->scalar.is_float};
    return true;
}

bool mlir_hand_on(struct mlir_lower *l, struct mlir_node *op, struct mlir_carried *c)
{
    struct moves moves = {.count = 0};

    if (l->results != c->count) {
        mlir_refuse(l, op, op, "%u values were expected from a region of '%s', not %u", c->count,
                    op->text, l->results);
        return false;
    }
    for (unsigned i = 0; i < c->count; i++)
        if (!hand_on_one(l, op, i, c, &moves))
            return false;
    assign_all(l, op, &moves);
    return true;
}

/* The names of an operation's results: `%a, %b` or `%a:2`, which is %a#0 and %a#1. */
unsigned mlir_result_names(struct mlir_lower *l, const struct mlir_node *op, const char **name)
{
    unsigned count = 0;

    for (const struct mlir_node *node = op->result; node; node = node->next) {
        unsigned several = node->first ? (unsigned)strtoul(node->first->text, NULL, 10) : 0;

        if (node->kind != MLIR_SSA)
            continue;
        for (unsigned i = 0; i < several && count < MLIR_CARRIED; i++)
            name[count++] = pto_arena_printf(l->arena, "%s#%u", node->text, i);
        if (!several && count < MLIR_CARRIED)
            name[count++] = node->text;
    }
    return count;
}

void mlir_bind_results(struct mlir_lower *l, struct mlir_node *op,
                         struct mlir_value *const *value, unsigned count)
{
    const char *name[MLIR_CARRIED];
    unsigned names = mlir_result_names(l, op, name);

    if (names && names != count) {
        mlir_refuse(l, op, op, "'%s' gives %u values, not %u", op->text, count, names);
        return;
    }
    for (unsigned i = 0; i < names; i++)
        mlir_bind_text(l, op, op->result, name[i], value[i]);
}
