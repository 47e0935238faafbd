/* Loops, branches, calls and sections: all of it is structured, so registers take the place of what
 * regions hand on. */
#include <stdlib.h>
#include <string.h>

#include "mlir/lower.h"

enum { CARRIED = 32 }; /* values that a loop carries or a branch gives */

/* ---- operations ---- */

static bool is_nothing(const struct mlir_node *op)
{
    static const char *const name[] = {"return", "func.return", "scf.yield", "scf.condition",
                                       "pto.tfree_from_aic", "pto.tfree_from_aiv"};

    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(op->text, name[i]))
            return true;
    return false;
}

/* Files in forms that are not taken are told by one of their operations. */
static const char *other_form(const char *name)
{
    static const char *const vector[] = {
        "pto.vecscope", "pto.strict_vecscope", "pto.castptr", "pto.mte_gm_ub", "pto.mte_ub_gm",
        "pto.vlds", "pto.vsts", "pto.plt_b32", "pto.pset_b32", "pto.tile_buf_addr",
    };

    for (unsigned i = 0; i < sizeof vector / sizeof *vector; i++)
        if (!strcmp(name, vector[i]))
            return "files with vector registers or micro-operations (VPTO) are not taken";
    if (!strncmp(name, "memref.", 7) || !strcmp(name, "pto.pointer_cast") ||
        !strcmp(name, "pto.bind_tile"))
        return "this is upstream's internal form after its passes, which is not taken";
    if (strlen(name) > 4 && !strcmp(name + strlen(name) - 4, "_dps"))
        return "this is a legacy form, which is not taken";
    return NULL;
}

static void operation(struct mlir_lower *l, struct mlir_node *op)
{
    const char *other = other_form(op->text);

    if (op->broken) {
        mlir_break(l, op);
        return;
    }
    if (other)
        mlir_refuse(l, op, op, "%s", other);
    else if (!is_nothing(op) && !mlir_flow_op(l, op) && !mlir_scalar_op(l, op) &&
             !mlir_view_op(l, op) && !mlir_access_op(l, op) && !mlir_tile_op(l, op) &&
             !mlir_flag_op(l, op) && !mlir_ring_op(l, op) && !mlir_table_op(l, op))
        mlir_refuse(l, op, op, "the operation '%s' is not taken", op->text);
    if (op->broken)
        mlir_break(l, op);
}

static bool ends_region(const struct mlir_node *op)
{
    return !strcmp(op->text, "scf.yield") || !strcmp(op->text, "return") ||
           !strcmp(op->text, "func.return") || !strcmp(op->text, "scf.condition");
}

/* What a region hands on: the values behind its last operation. */
static void take_results(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *node = op->first;

    l->results = 0;
    if (node && node->kind == MLIR_PAREN)
        node = node->next;
    for (; node && !mlir_is(node, MLIR_SIGN, ":"); node = node->next)
        if (node->kind == MLIR_SSA && l->results < CARRIED) {
            struct mlir_value *value = mlir_find(l, op, node);

            l->result[l->results++] = value ? value : mlir_value_new(l, MLIR_V_BROKEN);
        }
}

void mlir_body(struct mlir_lower *l, const struct mlir_node *region)
{
    l->results = 0;
    for (struct mlir_node *op = region->first; op; op = op->next) {
        if (op->kind == MLIR_OP)
            operation(l, op);
        if (op->kind == MLIR_OP && ends_region(op))
            take_results(l, op);
    }
}

/* ---- values that regions hand on ---- */

/* One value that a loop carries, or a branch gives: the register that it has. */
struct carried {
    const struct mlir_node *name[CARRIED];
    struct mlir_value *value[CARRIED]; /* what the name is bound to */
    const char *reg[CARRIED];
    unsigned count;
};

/* The number that has to be handed on: of a pointer its offset. */
static const char *number_of(const struct mlir_value *value)
{
    return value->kind == MLIR_V_PTR ? value->ptr.offset.text : value->scalar.text;
}

static bool can_carry(struct mlir_lower *l, struct mlir_node *op, const struct mlir_value *value)
{
    if (value->kind == MLIR_V_SCALAR || value->kind == MLIR_V_PTR)
        return true;
    if (value->kind == MLIR_V_BROKEN)
        op->broken = true;
    else
        mlir_refuse(l, op, op, "'%s' hands on numbers and pointers, not tiles or views", op->text);
    return false;
}

/* A value like `like` in a register of its own. */
static struct mlir_value *in_register(struct mlir_lower *l, const struct mlir_value *like,
                                      const char *reg)
{
    struct mlir_value *value = mlir_value_new(l, (enum mlir_value_kind)like->kind);

    *value = *like;
    if (like->kind == MLIR_V_PTR)
        value->ptr.offset = (struct mlir_scalar){.text = reg, .bits = 64};
    else
        value->scalar = (struct mlir_scalar){.text = reg, .is_float = like->scalar.is_float,
                                             .bits = like->scalar.bits};
    return value;
}

/* Read the carried values `(%a = %x, %b = %y)`, and assign the first turn's. */
static bool carry(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *list,
                  struct carried *c)
{
    c->count = 0;
    for (const struct mlir_node *node = list; node; node = node->next) {
        struct mlir_value *first;

        if (node->kind != MLIR_SSA || !mlir_is(node->next, MLIR_SIGN, "=") || !node->next->next)
            continue;
        if (c->count == CARRIED) {
            mlir_refuse(l, op, node, "a loop carries at most %d values", (int)CARRIED);
            return false;
        }
        first = mlir_find(l, op, node->next->next);
        if (!first || !can_carry(l, op, first))
            return false;
        c->name[c->count] = node;
        c->reg[c->count] = mlir_register(l, node->text, first->kind == MLIR_V_SCALAR &&
                                                            first->scalar.is_float);
        c->value[c->count] = in_register(l, first, c->reg[c->count]);
        mlir_line(&l->code, op, "%s = %s", c->reg[c->count], number_of(first));
        c->count++;
        node = node->next->next;
    }
    return true;
}

/* The same kind of thing, and of pointers the same object. */
static bool alike(const struct mlir_value *a, const struct mlir_value *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == MLIR_V_PTR ? a->ptr.object == b->ptr.object
                                 : a->scalar.is_float == b->scalar.is_float;
}

/* Does handing on value number `at` read a register that an earlier one has overwritten? */
static bool is_overwritten(const struct mlir_lower *l, const char *const *reg, unsigned at)
{
    const char *text = number_of(l->result[at]);

    for (unsigned i = 0; i < at; i++)
        if (strstr(text, reg[i]))
            return true;
    return false;
}

/* Assign what a region handed on to registers, all at once. */
static bool hand_on(struct mlir_lower *l, struct mlir_node *op, const char *const *reg,
                    struct mlir_value *const *like, unsigned count)
{
    const char *text[CARRIED];

    if (l->results != count) {
        mlir_refuse(l, op, op, "%u values were expected from a region of '%s', not %u", count,
                    op->text, l->results);
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!can_carry(l, op, l->result[i]))
            return false;
        if (!alike(l->result[i], like[i])) {
            mlir_refuse(l, op, op, "value %u from a region of '%s' is of another type, or a "
                        "pointer to another argument", i, op->text);
            return false;
        }
        text[i] = number_of(l->result[i]);
    }
    for (unsigned i = 0; i < count; i++)
        if (is_overwritten(l, reg, i)) {
            const char *kept = pto_arena_printf(l->arena, "%%kept%u%s", i,
                                                like[i]->kind == MLIR_V_SCALAR &&
                                                        like[i]->scalar.is_float ? "_f" : "");

            mlir_line(&l->code, op, "%s = %s", kept, text[i]);
            text[i] = kept;
        }
    for (unsigned i = 0; i < count; i++)
        if (strcmp(reg[i], text[i]) != 0)
            mlir_line(&l->code, op, "%s = %s", reg[i], text[i]);
    return true;
}

/* The names of an operation's results: `%a, %b` or `%a:2`, which is %a#0 and %a#1. */
static unsigned result_names(struct mlir_lower *l, const struct mlir_node *op, const char **name)
{
    unsigned count = 0;

    for (const struct mlir_node *node = op->result; node; node = node->next) {
        unsigned several = node->first ? (unsigned)strtoul(node->first->text, NULL, 10) : 0;

        if (node->kind != MLIR_SSA)
            continue;
        for (unsigned i = 0; i < several && count < CARRIED; i++)
            name[count++] = pto_arena_printf(l->arena, "%s#%u", node->text, i);
        if (!several && count < CARRIED)
            name[count++] = node->text;
    }
    return count;
}

static void bind_results(struct mlir_lower *l, struct mlir_node *op,
                         struct mlir_value *const *value, unsigned count)
{
    const char *name[CARRIED];
    unsigned names = result_names(l, op, name);

    if (names && names != count) {
        mlir_refuse(l, op, op, "'%s' gives %u values, not %u", op->text, count, names);
        return;
    }
    for (unsigned i = 0; i < names; i++)
        mlir_bind_text(l, name[i], value[i]);
}

/* ---- loops ---- */

/* `scf.for %i = %a to %b step %c [iter_args(..) -> (..)] [: type] {..}` */
static void for_loop(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *name = op->first, *from;
    const struct mlir_node *to = mlir_clause(op, "to"), *step = mlir_clause(op, "step");
    const struct mlir_node *list = mlir_clause(op, "iter_args"), *region = mlir_region(op, 0);
    struct mlir_scalar bound[3];
    struct carried c;
    uint32_t scope = l->bindings;
    struct mlir_value *counter = mlir_value_new(l, MLIR_V_SCALAR);

    from = name && mlir_is(name->next, MLIR_SIGN, "=") ? name->next->next : NULL;
    if (!from || !to || !step || !region || name->kind != MLIR_SSA) {
        mlir_refuse(l, op, op, "'scf.for %%I = FROM to END step STEP {..}' was expected");
        return;
    }
    if (!mlir_number(l, op, from, &bound[0]) || !mlir_number(l, op, to, &bound[1]) ||
        !mlir_number(l, op, step, &bound[2]) || !carry(l, op, list ? list->first : NULL, &c))
        return;
    counter->scalar = (struct mlir_scalar){.text = mlir_register(l, name->text, false),
                                           .bits = bound[0].bits};
    mlir_line(&l->code, op, ".for %s = %s to %s step %s", counter->scalar.text, bound[0].text,
              bound[1].text, bound[2].text);
    l->code.indent++;
    mlir_bind(l, name, counter);
    for (unsigned i = 0; i < c.count; i++)
        mlir_bind(l, c.name[i], c.value[i]);
    mlir_body(l, region);
    hand_on(l, op, c.reg, c.value, c.count);
    l->code.indent--;
    mlir_line(&l->code, op, ".endfor");
    mlir_scope_end(l, scope);
    if (!op->broken)
        bind_results(l, op, c.value, c.count);
}

/* Arguments of a region that begins with a label: `^bb0(%a: i32, %b: i32):`. */
static void bind_label(struct mlir_lower *l, const struct mlir_node *region,
                       const struct carried *c)
{
    const struct mlir_node *label = region->first;
    unsigned at = 0;

    if (!label || label->kind != MLIR_LABEL || !label->first)
        return;
    for (const struct mlir_node *node = label->first->first; node; node = node->next)
        if (node->kind == MLIR_SSA && at < c->count)
            mlir_bind(l, node, c->value[at++]);
}

/* `scf.while (%a = %x) : (T) -> (T) { .. scf.condition(%c) %v } do { ^bb0(%b: T): .. scf.yield %w }`.
 * What the first region hands on is, as here, of the types that are carried. */
static void while_loop(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *test = mlir_region(op, 0), *body = mlir_region(op, 1), *end = NULL;
    struct mlir_scalar condition;
    struct carried c;
    uint32_t scope = l->bindings;

    for (const struct mlir_node *node = test ? test->first : NULL; node; node = node->next)
        if (mlir_is(node, MLIR_OP, "scf.condition"))
            end = node;
    if (!end || !end->first || end->first->kind != MLIR_PAREN || !end->first->first || !body) {
        mlir_refuse(l, op, op, "'scf.while (..) {.. scf.condition(..) ..} do {..}' was expected");
        return;
    }
    if (!carry(l, op, op->first->kind == MLIR_PAREN ? op->first->first : NULL, &c))
        return;
    mlir_line(&l->code, op, ".while 1");
    l->code.indent++;
    for (unsigned i = 0; i < c.count; i++)
        mlir_bind(l, c.name[i], c.value[i]);
    mlir_body(l, test);
    if (mlir_number(l, op, end->first->first, &condition)) {
        const char *kept = mlir_register(l, pto_arena_printf(l->arena, "goes_on%u", end->line),
                                         false);

        mlir_line(&l->code, end, "%s = %s", kept, condition.text);
        hand_on(l, op, c.reg, c.value, c.count);
        mlir_line(&l->code, end, ".if %s == 0", kept);
        mlir_line(&l->code, end, "    .break");
        mlir_line(&l->code, end, ".endif");
        bind_label(l, body, &c);
        mlir_body(l, body);
        hand_on(l, op, c.reg, c.value, c.count);
    }
    l->code.indent--;
    mlir_line(&l->code, op, ".endwhile");
    mlir_scope_end(l, scope);
    if (!op->broken)
        bind_results(l, op, c.value, c.count);
}

/* ---- branches ---- */

static bool is_view(const struct mlir_value *value)
{
    return value->kind == MLIR_V_VIEW || value->kind == MLIR_V_PART ||
           value->kind == MLIR_V_CHOICE;
}

/* What both arms give, as one value: numbers in a register, views as a choice between them. */
struct arms {
    struct mlir_value *value[2][CARRIED];
    unsigned count[2];
};

/* Views are chosen where they are used; the numbers of one arm are assigned to registers. */
static bool end_arm(struct mlir_lower *l, struct mlir_node *op, struct arms *arms, unsigned arm,
                    const char *const *name)
{
    arms->count[arm] = l->results;
    for (unsigned i = 0; i < l->results; i++) {
        struct mlir_value *value = l->result[i];
        const char *reg;

        arms->value[arm][i] = value;
        if (is_view(value) || value->kind == MLIR_V_PTR)
            continue;
        if (!can_carry(l, op, value))
            return false;
        reg = mlir_register(l, name[i], value->scalar.is_float);
        mlir_line(&l->code, op, "%s = %s", reg, number_of(value));
        arms->value[arm][i] = in_register(l, value, reg);
    }
    return true;
}

static struct mlir_value *joined(struct mlir_lower *l, struct mlir_node *op,
                                 const struct mlir_scalar *condition, struct mlir_value *yes,
                                 struct mlir_value *no)
{
    struct mlir_value *both;

    if (yes->kind == MLIR_V_SCALAR && no->kind == MLIR_V_SCALAR && alike(yes, no))
        return yes;
    if ((yes->kind == MLIR_V_PTR) != (no->kind == MLIR_V_PTR) ||
        (yes->kind != MLIR_V_PTR && (!is_view(yes) || !is_view(no)))) {
        mlir_refuse(l, op, op, "the arms of 'scf.if' give values of different kinds");
        return NULL;
    }
    both = mlir_value_new(l, MLIR_V_CHOICE);
    both->choice.condition = condition->text;
    both->choice.yes = yes;
    both->choice.no = no;
    return both;
}

static void branch(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *yes = mlir_region(op, 0), *no = mlir_region(op, 1);
    const char *name[CARRIED];
    struct mlir_value *value[CARRIED];
    struct mlir_scalar condition;
    struct arms arms = {.count = {0, 0}};
    unsigned names = result_names(l, op, name);
    uint32_t scope = l->bindings;
    bool good;

    if (!op->first || !yes || (names && !no)) {
        mlir_refuse(l, op, op, "'scf.if CONDITION {..} else {..}' was expected");
        return;
    }
    if (!mlir_number(l, op, op->first, &condition))
        return;
    mlir_line(&l->code, op, ".if %s", condition.text);
    l->code.indent++;
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
    if (!good) {
        mlir_refuse(l, op, op, "both arms of this 'scf.if' have to give %u values", names);
        return;
    }
    for (unsigned i = 0; i < names; i++) {
        value[i] = joined(l, op, &condition, arms.value[0][i], arms.value[1][i]);
        if (!value[i])
            return;
    }
    bind_results(l, op, value, names);
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
    else if (is_here(l, cores))
        mlir_body(l, region);
    mlir_scope_end(l, scope);
}

/* Arguments become names of the function, which sees no others. */
static bool bind_arguments(struct mlir_lower *l, struct mlir_node *op,
                           const struct mlir_node *function, const struct mlir_args *args)
{
    const struct mlir_node *list = function->first;
    struct mlir_value *value[sizeof args->value / sizeof *args->value];
    unsigned count = 0;

    for (unsigned i = 0; i < args->values; i++) {
        value[i] = mlir_find(l, op, args->value[i]);
        if (!value[i])
            return false;
    }
    while (list && list->kind != MLIR_PAREN)
        list = list->next;
    for (const struct mlir_node *node = list ? list->first : NULL; node; node = node->next) {
        if (node->kind != MLIR_SSA || !mlir_is(node->next, MLIR_SIGN, ":"))
            continue;
        if (count < args->values)
            mlir_bind(l, node, value[count]);
        count++;
    }
    if (count != args->values)
        mlir_refuse(l, op, op, "the function has %u arguments, not %u", count, args->values);
    return !op->broken;
}

/* What the function returns, in registers of the caller: the function's own are used again. */
static void bind_returned(struct mlir_lower *l, struct mlir_node *op)
{
    const char *name[CARRIED];
    unsigned names = result_names(l, op, name);

    if (names > l->results)
        names = l->results;
    for (unsigned i = 0; i < names; i++) {
        struct mlir_value *value = l->result[i];
        const char *reg;

        if (!can_carry(l, op, value))
            return;
        reg = mlir_register(l, name[i], value->kind == MLIR_V_SCALAR && value->scalar.is_float);
        mlir_line(&l->code, op, "%s = %s", reg, number_of(value));
        l->result[i] = in_register(l, value, reg);
    }
    bind_results(l, op, l->result, l->results);
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
    function = mlir_function(l, symbol->text);
    region = function ? mlir_region(function, 0) : NULL;
    if (region)
        return function;
    if (function)
        mlir_refuse(l, op, symbol, "the function '@%s' has no body", symbol->text);
    else
        mlir_refuse(l, op, symbol, "there is no function '@%s'", symbol->text);
    return NULL;
}

static void call(struct mlir_lower *l, struct mlir_node *op)
{
    struct mlir_node *function = callee(l, op);
    struct mlir_args args;
    uint32_t scope = l->bindings, floor = l->floor;

    if (!function || !is_here(l, mlir_function_cores(function)) ||
        !mlir_read_args(l, op, op->first->next->first, &args))
        return;
    if (l->calls == MLIR_MAX_CALLS) {
        mlir_refuse(l, op, op, "functions call each other more than %d deep",
                    (int)MLIR_MAX_CALLS);
        return;
    }
    if (!bind_arguments(l, op, function, &args)) {
        mlir_scope_end(l, scope);
        return;
    }
    l->floor = scope;
    l->calls++;
    mlir_body(l, mlir_region(function, 0));
    l->calls--;
    l->floor = floor;
    mlir_scope_end(l, scope);
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
