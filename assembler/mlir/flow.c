/* Loops, branches, calls and sections: all of it is structured, so registers take the place of what
 * regions hand on. */
#include <string.h>

#include "mlir/carry.h"

/* ---- loops ---- */

static void bind_carried(struct mlir_lower *l, struct mlir_node *op, const struct mlir_carried *c)
{
    for (unsigned i = 0; i < c->count; i++)
        mlir_bind(l, op, c->name[i], c->value[i]);
}

/* What is carried is what the loop gives: in registers of its own, as loops beside it may carry
 * values by the same names. */
static void close_loop(struct mlir_lower *l, struct mlir_node *op, const char *end,
                       const struct mlir_carried *c, uint32_t scope)
{
    const char *name[MLIR_CARRIED];
    struct mlir_value *value[MLIR_CARRIED];
    unsigned names = mlir_result_names(l, op, name);

    l->code.indent--;
    mlir_line(&l->code, op, "%s", end);
    mlir_scope_end(l, scope);
    if (op->broken)
        return;
    for (unsigned i = 0; i < c->count; i++)
        value[i] = i < names ? mlir_take_over(l, op, c, i, name[i]) : c->value[i];
    mlir_bind_results(l, op, value, c->count);
}

struct loop {
    struct mlir_scalar from, to, step;
    const struct mlir_node *list, *region; /* what it carries, and its body */
};

/* The head and the body of a loop; false: the head is wrong. */
static bool for_body(struct mlir_lower *l, struct mlir_node *op, const struct loop *loop,
                     struct mlir_carried *c)
{
    struct mlir_value *counter = mlir_value_new(l, MLIR_V_SCALAR);

    if (!mlir_carry(l, op, loop->list, c))
        return false;
    counter->scalar = (struct mlir_scalar){.text = mlir_register(l, op->first->text, false),
                                           .bits = loop->from.bits};
    mlir_line(&l->code, op, ".for %s = %s to %s step %s", counter->scalar.text, loop->from.text,
              loop->to.text, loop->step.text);
    l->code.indent++;
    mlir_bind(l, op, op->first, counter);
    bind_carried(l, op, c);
    mlir_body(l, loop->region);
    mlir_hand_on(l, op, c);
    return true;
}

/* `scf.for %i = %a to %b step %c [iter_args(..) -> (..)] [: type] {..}` */
static void for_loop(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *name = op->first, *from;
    const struct mlir_node *to = mlir_clause(op, "to"), *step = mlir_clause(op, "step");
    const struct mlir_node *list = mlir_clause(op, "iter_args"), *region = mlir_region(op, 0);
    struct loop loop = {.region = region, .list = list ? list->first : NULL};
    struct mlir_carried c = {.count = 0};
    struct mlir_mark mark;
    uint32_t scope = l->bindings;

    from = name && mlir_is(name->next, MLIR_SIGN, "=") ? name->next->next : NULL;
    if (!from || !to || !step || !region || name->kind != MLIR_SSA) {
        mlir_refuse(l, op, op, "'scf.for %%I = FROM to END step STEP {..}' was expected");
        return;
    }
    if (!mlir_integer(l, op, from, &loop.from) || !mlir_integer(l, op, to, &loop.to) ||
        !mlir_integer(l, op, step, &loop.step))
        return;
    if (loop.step.is_const && loop.step.i < 1) {
        mlir_refuse(l, op, step, "the step of 'scf.for' is at least 1");
        return;
    }
    mlir_mark(l, &mark);
    do {
        if (!for_body(l, op, &loop, &c))
            return;
    } while (c.grown && mlir_begin_again(l, op, &mark));
    close_loop(l, op, ".endfor", &c, scope);
    if (!op->broken)
        mlir_check_list(l, op, mlir_behind_arrow(op), c.value, c.count);
}

/* Arguments of a region that begins with a label: `^bb0(%a: i32, %b: i32):`. */
static void bind_label(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *region,
                       const struct mlir_carried *c)
{
    const struct mlir_node *label = region->first;
    unsigned at = 0;

    if (!label || label->kind != MLIR_LABEL || !label->first)
        label = NULL;
    for (const struct mlir_node *node = label ? label->first->first : NULL; node;
         node = node->next)
        if (node->kind == MLIR_SSA && at++ < c->count)
            mlir_bind(l, op, node, c->value[at - 1]);
    if (at != c->count)
        mlir_refuse(l, op, label ? label : op, "the body of this 'scf.while' takes %u values, not "
                    "%u: '^bb0(%%A: T, ..):'", c->count, at);
}

/* All of a loop but its end; false: the head is wrong. */
static bool while_body(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *end,
                       struct mlir_carried *c)
{
    const struct mlir_node *test = mlir_region(op, 0), *body = mlir_region(op, 1);
    struct mlir_scalar condition;
    uint32_t scope = l->bindings;
    const char *kept;

    if (!mlir_carry(l, op, op->first->kind == MLIR_PAREN ? op->first->first : NULL, c))
        return false;
    mlir_line(&l->code, op, ".while 1");
    l->code.indent++;
    bind_carried(l, op, c);
    mlir_body(l, test);
    if (!mlir_condition(l, op, end->first->first, &condition))
        return true;
    kept = mlir_register(l, pto_arena_printf(l->arena, "goes on%u", end->line), false);
    mlir_line(&l->code, end, "%s = %s", kept, condition.text);
    mlir_hand_on(l, op, c);
    mlir_line(&l->code, end, ".if %s == 0", kept);
    mlir_line(&l->code, end, "    .break");
    mlir_line(&l->code, end, ".endif");
    mlir_scope_end(l, scope); /* names of the test are not seen in the body */
    bind_label(l, op, body, c);
    mlir_body(l, body);
    mlir_hand_on(l, op, c);
    return true;
}

/* `scf.while (%a = %x) : (T) -> (T) { .. scf.condition(%c) %v } do { ^bb0(%b: T): .. }`.  What the
 * first region hands on is, as here, of the types that are carried. */
static void while_loop(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *test = mlir_region(op, 0), *body = mlir_region(op, 1), *end = NULL;
    struct mlir_carried c = {.count = 0};
    struct mlir_mark mark;
    uint32_t scope = l->bindings;

    for (const struct mlir_node *node = test ? test->first : NULL; node; node = node->next)
        if (mlir_is(node, MLIR_OP, "scf.condition"))
            end = node;
    if (!end || !end->first || end->first->kind != MLIR_PAREN || !end->first->first || !body) {
        mlir_refuse(l, op, op, "'scf.while (..) {.. scf.condition(..) ..} do {..}' was expected");
        return;
    }
    mlir_mark(l, &mark);
    do {
        if (!while_body(l, op, end, &c))
            return;
    } while (c.grown && mlir_begin_again(l, op, &mark));
    close_loop(l, op, ".endwhile", &c, scope);
}

/* ---- branches ---- */

/* What both arms give, as one value: numbers in a register, views and tiles as a choice. */
struct arms {
    struct mlir_value *value[2][MLIR_CARRIED];
    unsigned count[2];
};

/* Views and tiles are chosen where they are used; the numbers of one arm go into registers. */
static bool end_arm(struct mlir_lower *l, struct mlir_node *op, struct arms *arms, unsigned arm,
                    const char *const *name)
{
    arms->count[arm] = l->results;
    for (unsigned i = 0; i < l->results; i++) {
        struct mlir_value *value = l->result[i];

        arms->value[arm][i] = mlir_is_tile(value) ? mlir_tiles_own(l, op, name[i], value) : value;
        if (mlir_is_chosen(value) || value->kind == MLIR_V_PTR)
            continue;
        if (!mlir_can_carry(l, op, value))
            return false;
        arms->value[arm][i] = mlir_into_register(l, op, value, name[i]);
    }
    return true;
}

static void branch(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *yes = mlir_region(op, 0), *no = mlir_region(op, 1);
    const char *name[MLIR_CARRIED];
    struct mlir_value *value[MLIR_CARRIED];
    struct mlir_scalar condition;
    struct arms arms = {.count = {0, 0}};
    unsigned names = mlir_result_names(l, op, name);
    const struct mlir_node *around = l->arm;
    uint32_t scope = l->bindings;
    bool good;

    if (!op->first || !yes || (names && !no)) {
        mlir_refuse(l, op, op, "'scf.if CONDITION {..} else {..}' was expected");
        return;
    }
    if (!mlir_condition(l, op, op->first, &condition))
        return;
    mlir_line(&l->code, op, ".if %s", condition.text);
    l->code.indent++;
    if (names)
        l->arm = op;
    mlir_body(l, yes);
    good = !names || (l->results == names && end_arm(l, op, &arms, 0, name));
    mlir_scope_end(l, scope);
    if (no) {
        l->code.indent--;
        mlir_line(&l->code, op, ".else");
        l->code.indent++;
        mlir_body(l, no);
        good = good && (!names || (l->results == names && end_arm(l, op, &arms, 1, name)));
        mlir_scope_end(l, scope);
    }
    l->code.indent--;
    mlir_line(&l->code, op, ".endif");
    l->arm = around;
    if (!good) {
        mlir_refuse(l, op, op, "both arms of this 'scf.if' have to give %u values", names);
        return;
    }
    if (!names && l->results && !mlir_behind_arrow(op))
        mlir_refuse(l, op, op, "an arm of this 'scf.if' gives values, but it has no results");
    for (unsigned i = 0; i < names; i++) {
        value[i] = mlir_joined(l, op, condition.text, arms.value[0][i], arms.value[1][i]);
        if (!value[i])
            return;
    }
    mlir_bind_results(l, op, value, names);
    if (!op->broken)
        mlir_check_list(l, op, mlir_behind_arrow(op), value, names);
}

/* ---- sections and calls ---- */

static bool is_here(const struct mlir_lower *l, unsigned cores)
{
    return !cores || (cores & (1u << l->core));
}

static void section(struct mlir_lower *l, struct mlir_node *op, unsigned cores)
{
    const struct mlir_node *region = mlir_region(op, 0);
    uint32_t scope = l->bindings;

    if (!region)
        mlir_refuse(l, op, op, "'%s {..}' was expected", op->text);
    else if (l->in_section)
        mlir_refuse(l, op, op, "'%s' inside of another section", op->text);
    else if (is_here(l, cores)) {
        l->in_section = true;
        mlir_body(l, region);
        l->in_section = false;
    }
    mlir_scope_end(l, scope);
}

/* Arguments become names of the function, which sees no others. */
static bool bind_arguments(struct mlir_lower *l, struct mlir_node *op,
                           const struct mlir_node *function, const struct mlir_args *args)
{
    struct mlir_value *value[sizeof args->value / sizeof *args->value];
    unsigned count = 0;

    for (unsigned i = 0; i < args->values; i++) {
        value[i] = mlir_find(l, op, args->value[i]);
        if (!value[i])
            return false;
    }
    l->floor = l->bindings;
    for (const struct mlir_node *node = mlir_arguments(function); node; node = node->next) {
        const struct mlir_node *type = node->next ? node->next->next : NULL;

        if (node->kind != MLIR_SSA || !mlir_is(node->next, MLIR_SIGN, ":"))
            continue;
        if (count < args->values && type &&
            !mlir_check_type(l, op, args->value[count], &type, value[count]))
            return false;
        if (count < args->values)
            mlir_bind(l, op, node, value[count]);
        count++;
    }
    if (count != args->values && !op->broken)
        mlir_refuse(l, op, op, "the function has %u arguments, not %u", count, args->values);
    return !op->broken;
}

/* What the function returns, in registers of the caller: the function's own are used again. */
static void bind_returned(struct mlir_lower *l, struct mlir_node *op)
{
    const char *name[MLIR_CARRIED];
    unsigned names = mlir_result_names(l, op, name);

    if (names > l->results)
        names = l->results;
    for (unsigned i = 0; i < names; i++) {
        struct mlir_tiles tiles = {.count = 0};

        if (mlir_is_tile(l->result[i]))
            l->result[i] = mlir_into_registers(l, op, l->result[i], &tiles, name[i]);
        else if (mlir_can_carry(l, op, l->result[i]))
            l->result[i] = mlir_into_register(l, op, l->result[i], name[i]);
        if (op->broken)
            return;
    }
    mlir_bind_results(l, op, l->result, l->results);
}

/* The function that a call names, if its body is here; NULL after an error. */
static struct mlir_node *callee(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *symbol = op->first, *region;
    struct mlir_node *function;

    if (!symbol || symbol->kind != MLIR_SYMBOL || !symbol->next ||
        symbol->next->kind != MLIR_PAREN) {
        mlir_refuse(l, op, op, "'call @FUNCTION(..)' was expected");
        return NULL;
    }
    function = mlir_function(l->functions, symbol->text);
    region = function ? mlir_region(function, 0) : NULL;
    if (region)
        return function;
    if (function)
        mlir_refuse(l, op, symbol, "the function '@%s' has no body", symbol->text);
    else
        mlir_refuse(l, op, symbol, "there is no function '@%s'", symbol->text);
    return NULL;
}

bool mlir_may_follow(struct mlir_lower *l, struct mlir_node *op, uint32_t *count)
{
    if (*count > MLIR_MAX_CALLED)
        return false;
    if (++*count <= MLIR_MAX_CALLED)
        return true;
    mlir_refuse(l, op, op, "the functions that are called bring in more than %d operations",
                (int)MLIR_MAX_CALLED);
    return false;
}

/* `call @F(%a, %b) : (T, T) -> T` */
static bool check_call(struct mlir_lower *l, struct mlir_node *op, const struct mlir_args *args)
{
    const struct mlir_node *types = op->first->next->next;
    struct mlir_value *value[sizeof args->value / sizeof *args->value];

    for (unsigned i = 0; i < args->values; i++) {
        value[i] = mlir_find(l, op, args->value[i]);
        if (!value[i])
            return false;
    }
    return !mlir_is(types, MLIR_SIGN, ":") ||
           mlir_check_list(l, op, types->next, value, args->values);
}

static void call(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_node *function = callee(l, op);
    struct mlir_args args;
    uint32_t scope = l->bindings, floor = l->floor;

    if (!function || !is_here(l, mlir_function_cores(function)) ||
        !mlir_read_args(l, op, op->first->next->first, &args) || !check_call(l, op, &args))
        return;
    if (l->calls == MLIR_MAX_CALLS) {
        mlir_refuse(l, op, op, "functions call each other more than %d deep",
                    (int)MLIR_MAX_CALLS);
        return;
    }
    if (bind_arguments(l, op, function, &args)) {
        l->calls++;
        l->code.quoted = 0;
        mlir_body(l, mlir_region(function, 0));
        l->calls--;
        mlir_check_list(l, op, mlir_behind_arrow(function), l->result, l->results);
    }
    l->floor = floor;
    mlir_scope_end(l, scope);
    if (!op->broken && mlir_check_list(l, op, mlir_behind_arrow(op), l->result, l->results))
        bind_returned(l, op);
}

bool mlir_flow_op(struct mlir_lower *l, struct mlir_node *op)
{
    if (!strcmp(op->text, "scf.for"))
        for_loop(l, op);
    else if (!strcmp(op->text, "scf.while"))
        while_loop(l, op);
    else if (!strcmp(op->text, "scf.if"))
        branch(l, op);
    else if (!strcmp(op->text, "call") || !strcmp(op->text, "func.call"))
        call(l, op);
    else if (!strcmp(op->text, "pto.section.cube"))
        section(l, op, 1u << PTO_AIC);
    else if (!strcmp(op->text, "pto.section.vector"))
        section(l, op, 1u << PTO_AIV);
    else
        return false;
    return true;
}
