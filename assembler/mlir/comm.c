/* What passes between ranks, and what makes it visible: `pto.comm.*`, `pto.cmo.cacheinvalid`,
 * `pto.fence.barrier_all`. */
#include <string.h>

#include "mlir/lower.h"

/* The operands of `name(a, b, .. : T, T, ..) {..}`; false after an error. */
static bool read_operands(struct mlir_lower *l, struct mlir_node *op, const char *what,
                          struct mlir_args *args)
{
    const struct mlir_node *group = op->first;

    if (group && group->kind == MLIR_PAREN) {
        if (!mlir_read_args(l, op, group->first, args))
            return false;
        if (args->values >= 2)
            return mlir_check_types(l, op, args);
    }
    mlir_refuse(l, op, group ? group : op, "'%s(%s)' was expected", op->text, what);
    return false;
}

/* A window that is no choice between several. */
static bool read_part(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *name,
                      struct mlir_part *part)
{
    const struct mlir_value *value = mlir_find(l, op, name);

    if (!value)
        return false;
    if (value->kind != MLIR_V_PART && value->kind != MLIR_V_VIEW) {
        mlir_refuse(l, op, name, "'%s' wants a partition_tensor_view here", op->text);
        return false;
    }
    *part = mlir_part_of(l, value);
    return true;
}

/* ---- signals ---- */

/* What an operation says of a signal: words of i32 of which every rank has a copy, a number, and a
 * word of its dictionary. */
struct signal {
    const struct mlir_node *name;
    struct mlir_window window;
    struct mlir_scalar value;
    const char *word;
};

static bool read_words(struct mlir_lower *l, struct mlir_node *op, struct signal *signal)
{
    struct mlir_part part;
    unsigned row, col;

    if (!read_part(l, op, signal->name, &part))
        return false;
    if (part.view->dtype != PTO_I32) {
        mlir_refuse(l, op, signal->name, "signals are words of i32, these are %s",
                    mlir_element_name(part.view->dtype));
        return false;
    }
    if (!mlir_sides_of(&part, &row, &col)) {
        mlir_refuse(l, op, signal->name, "a window of signals has rows and columns, no more");
        return false;
    }
    return mlir_use_object(l, op, part.view->base.object, MLIR_SHARED) &&
           mlir_window_of(l, op, &part, row, col, &signal->window);
}

static bool read_value(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                       struct mlir_scalar *value)
{
    if (!mlir_integer(l, op, node, value))
        return false;
    if (node->kind == MLIR_SSA && value->bits != 32)
        mlir_refuse(l, op, node, "the value of a signal is an i32, this is an integer of %u bits",
                    value->bits);
    return !op->broken;
}

/* `name(%words, %x : T, i32) {key = ..}`, where the key is one of `words`; false after an error. */
static bool read_signal(struct mlir_lower *l, struct mlir_node *op, const char *key,
                        const char *words, struct signal *signal)
{
    const struct mlir_node *said = mlir_attribute(op, key);
    struct mlir_args args;

    if (!read_operands(l, op, "SIGNAL, VALUE : TYPE, i32", &args))
        return false;
    if (args.values > 2) {
        mlir_refuse(l, op, args.value[2], "'%s' has two operands", op->text);
        return false;
    }
    signal->word = said ? mlir_enum_word(said) : "";
    if (!said || !mlir_is_among(words, signal->word)) {
        mlir_refuse(l, op, said ? said : op, "'%s' of '%s' is one of: %s", key, op->text, words);
        return false;
    }
    signal->name = args.value[0];
    return read_words(l, op, signal) && read_value(l, op, args.value[1], &signal->value);
}

/* `pto.comm.tnotify(%word, %x : T, i32) {notifyOp = #pto<notify_op atomic_add>}` */
static void notify(struct mlir_lower *l, struct mlir_node *op)
{
    struct signal s;

    if (!read_signal(l, op, "notifyOp", "atomic_add set", &s))
        return;
    if (!mlir_is_one(&s.window.rows) || !mlir_is_one(&s.window.cols))
        mlir_refuse(l, op, s.name, "'%s' changes one word, this window has %s x %s", op->text,
                    s.window.rows.text, s.window.cols.text);
    else
        mlir_line(&l->code, op, "TNOTIFY %s, %s, %s", s.window.text, s.value.text,
                  strcmp(s.word, "set") ? "add" : s.word);
}

/* `pto.comm.twait(%words, %x : T, i32) {cmp = #pto<wait_cmp ge>}`, and `%hit = pto.comm.ttest` */
static void wait_or_test(struct mlir_lower *l, struct mlir_node *op, bool is_test)
{
    struct mlir_scalar hit = {.bits = 1};
    struct signal s;

    if (!read_signal(l, op, "cmp", "eq ne lt le gt ge", &s))
        return;
    hit.text = pto_arena_printf(l->arena, "%s %s{%s, %s}, %s, %s", is_test ? "TTEST" : "TWAIT",
                                s.window.text, s.window.rows.text, s.window.cols.text, s.word,
                                s.value.text);
    if (is_test)
        mlir_assign(l, op, &hit);
    else
        mlir_line(&l->code, op, "%s", hit.text);
}

/* ---- transfers ---- */

struct transfer {
    const char *instruction, *tiles, *atomic;
};

/* A transfer of rows and columns, or one for each of the matrices of the last two dimensions. */
static void transfer(struct mlir_lower *l, struct mlir_node *op, const struct transfer *t,
                     struct mlir_part to, struct mlir_part from, unsigned first)
{
    unsigned to_row, to_col, from_row, from_col;
    struct mlir_window a, b;

    if (!mlir_sides_of(&to, &to_row, &to_col) || !mlir_sides_of(&from, &from_row, &from_col)) {
        struct mlir_scalar counter = {.bits = 64};

        while (mlir_is_one(&to.size[first]))
            first++;
        counter.text = mlir_register(l, pto_arena_printf(l->arena, "block %u", first), false);
        mlir_line(&l->code, op, ".for %s = 0 to %s", counter.text, to.size[first].text);
        l->code.indent++;
        to.at[first] = mlir_sum(l, &to.at[first], &counter);
        from.at[first] = mlir_sum(l, &from.at[first], &counter);
        to.size[first] = from.size[first] = mlir_int(l, 1);
        transfer(l, op, t, to, from, first + 1);
        l->code.indent--;
        mlir_line(&l->code, op, ".endfor");
        return;
    }
    if (mlir_window_of(l, op, &to, to_row, to_col, &a) &&
        mlir_window_of(l, op, &from, from_row, from_col, &b))
        mlir_line(&l->code, op, "%s %s{%s, %s}, %s{%s, %s}, %s%s", t->instruction, a.text,
                  a.rows.text, a.cols.text, b.text, b.rows.text, b.cols.text, t->tiles, t->atomic);
}

static bool same_shape(struct mlir_lower *l, struct mlir_node *op, const struct mlir_part *to,
                       const struct mlir_part *from)
{
    bool same = to->view->rank == from->view->rank;

    for (unsigned i = 0; same && i < to->view->rank; i++)
        same = to->size[i].is_const && from->size[i].is_const
                   ? to->size[i].i == from->size[i].i
                   : !strcmp(to->size[i].text, from->size[i].text);
    if (!same)
        mlir_refuse(l, op, op, "the two windows of '%s' differ in shape", op->text);
    return same;
}

/* `pto.comm.tput(%to, %from, buf(%ping, %pong) : T, T, S, S) {atomicType = ..}` */
static void transfer_op(struct mlir_lower *l, struct mlir_node *op, const char *instruction)
{
    struct transfer t = {.instruction = instruction};
    struct mlir_value *ping, *pong = NULL;
    struct mlir_part to, from;
    struct mlir_args args;

    if (!read_operands(l, op, "TO, FROM, buf(TILE [, TILE]) : TYPE, TYPE, TYPE [, TYPE]", &args) ||
        !read_part(l, op, args.value[0], &to) || !read_part(l, op, args.value[1], &from) ||
        !same_shape(l, op, &to, &from) || !mlir_atomic_keyword(l, op, &t.atomic))
        return;
    if (args.staging != 2 || args.values < 3 || args.values > 4) {
        mlir_refuse(l, op, op, "'%s' moves its data through one or two tiles: buf(TILE [, TILE])",
                    op->text);
        return;
    }
    ping = mlir_want(l, op, args.value[2], MLIR_V_TILE);
    if (ping && args.values == 4)
        pong = mlir_want(l, op, args.value[3], MLIR_V_TILE);
    if (op->broken)
        return;
    t.tiles = mlir_tile_text(l, ping, "");
    if (pong)
        t.tiles = pto_arena_printf(l->arena, "%s, %s", t.tiles, mlir_tile_text(l, pong, ""));
    transfer(l, op, &t, to, from, 0);
}

/* ---- caches and fences ---- */

/* The first element of a pointer or window, of which the line is to be dropped. */
static const char *place_of(struct mlir_lower *l, struct mlir_node *op,
                            const struct mlir_value *value)
{
    struct mlir_scalar first = mlir_int(l, 0);
    struct mlir_window window;
    struct mlir_part part;
    unsigned row, col;

    if (value->kind == MLIR_V_PTR)
        return mlir_place(l, op, &value->ptr, &first);
    part = mlir_part_of(l, value);
    mlir_sides_of(&part, &row, &col);
    return mlir_window_of(l, op, &part, row, col, &window) ? window.text : NULL;
}

static bool is_away(const struct mlir_value *value)
{
    const struct mlir_view *view = value->kind == MLIR_V_PART ? value->part.view : &value->view;

    return (value->kind == MLIR_V_PTR ? &value->ptr : &view->base)->rank != NULL;
}

/* `pto.cmo.cacheinvalid all #pto.address_space<gm>`, `pto.cmo.cacheinvalid %x single_cache_line`.
 * S reaches no memory of other ranks but by signals, so its cache has no line of theirs. */
static void cache(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *node = op->first;
    const struct mlir_value *value;
    const char *place;

    if (mlir_is(node, MLIR_WORD, "all") && node->next && node->next->kind == MLIR_ATTR &&
        !strcmp(mlir_enum_word(node->next), "gm")) {
        mlir_line(&l->code, op, "dcci");
        return;
    }
    if (!node || node->kind != MLIR_SSA || !mlir_is(node->next, MLIR_WORD, "single_cache_line")) {
        mlir_refuse(l, op, node ? node : op, "'%s all #pto.address_space<gm>' or '%s PLACE "
                    "single_cache_line : TYPE' was expected", op->text, op->text);
        return;
    }
    value = mlir_find(l, op, node);
    if (!value)
        return;
    if (value->kind != MLIR_V_PTR && value->kind != MLIR_V_PART && value->kind != MLIR_V_VIEW)
        mlir_refuse(l, op, node, "a pointer or a partition_tensor_view was expected here");
    else if (!is_away(value) && (place = place_of(l, op, value)) != NULL)
        mlir_line(&l->code, op, "dcci %s, line", place);
}

/* `pto.fence.barrier_all #pto.fence_scope<gm>`: what has been issued is in memory. */
static void fence(struct mlir_lower *l, struct mlir_node *op)
{
    if (!op->first || !mlir_is_among("gm ddr", mlir_enum_word(op->first))) {
        mlir_refuse(l, op, op->first ? op->first : op, "'%s #pto.fence_scope<gm>' was expected",
                    op->text);
        return;
    }
    if (l->options->sync == MLIR_SYNC_KEEP)
        mlir_line(&l->code, op, "pipe_barrier ALL");
    mlir_line(&l->code, op, "dsb");
}

bool mlir_comm_op(struct mlir_lower *l, struct mlir_node *op)
{
    if (!strcmp(op->text, "pto.comm.tnotify"))
        notify(l, op);
    else if (!strcmp(op->text, "pto.comm.twait"))
        wait_or_test(l, op, false);
    else if (!strcmp(op->text, "pto.comm.ttest"))
        wait_or_test(l, op, true);
    else if (!strcmp(op->text, "pto.comm.tput"))
        transfer_op(l, op, "TPUT");
    else if (!strcmp(op->text, "pto.comm.tget"))
        transfer_op(l, op, "TGET");
    else if (!strcmp(op->text, "pto.cmo.cacheinvalid"))
        cache(l, op);
    else if (!strcmp(op->text, "pto.fence.barrier_all"))
        fence(l, op);
    else
        return false;
    return true;
}
