/* Slots that take turns, and whose tokens say that they are free:
 *
 *   .slots %s : 2 free P -> Q    s = 0; set_flag P, Q, 0; set_flag P, Q, 1
 *   .take %s                     wait_flag P, Q, s
 *   .give %s, end of its block   set_flag P, Q, s; s = 1 - s
 *   .drain %s, end of its block  wait_flag P, Q, 0; wait_flag P, Q, 1
 *
 * A slot that is taken is given back once on every way out of the block that took it: at its end,
 * and before .continue, .break and end.  So whoever takes the next one finds its token, however
 * many turns there were. */
#include "slots.h"

#include <inttypes.h>
#include <string.h>

#include "assembly.h"
#include "check.h"
#include "code.h"
#include "expr.h"
#include "flow.h"
#include "lost.h"
#include "operand.h"
#include "registers.h"
#include "symbols.h"
#include "formula/value.h"

/* ---- generated code ---- */

/* The register of the slot in turn; only of several slots. */
static struct pto_scalar in_turn(const struct asm_slots *slots)
{
    return (struct pto_scalar){.kind = PTO_S_REG, .reg = (uint16_t)slots->symbol->index};
}

static void emit_flag(struct assembly *a, const struct asm_slots *slots, unsigned op,
                      struct pto_scalar event)
{
    struct pto_operand operand[3] = {{.kind = PTO_O_ENUM, .value = slots->from},
                                     {.kind = PTO_O_ENUM, .value = slots->to},
                                     {.kind = PTO_O_SCALAR, .scalar = event}};

    asm_emit(a, a->line_token, op, 3, operand);
}

/* Set or wait for the token of the slot in turn. */
static void emit_in_turn(struct assembly *a, const struct asm_slots *slots, unsigned op)
{
    struct pto_scalar sum[3] = {{0}, {0}, asm_literal(slots->flags)};

    if (slots->count == 1) {
        emit_flag(a, slots, op, asm_literal(slots->flags));
        return;
    }
    sum[1] = in_turn(slots);
    if (!slots->flags) {
        emit_flag(a, slots, op, sum[1]);
        return;
    }
    sum[0] = asm_temporary(a, a->line_token, false);
    asm_emit_scalar(a, a->line_token, PTO_OP_IADD, sum, 3);
    emit_flag(a, slots, op, sum[0]);
    asm_release(a, sum[0]);
}

static void emit_all(struct assembly *a, const struct asm_slots *slots, unsigned op)
{
    for (uint32_t i = 0; i < slots->count; i++)
        emit_flag(a, slots, op, asm_literal(slots->flags + i));
}

static void emit_rotation(struct assembly *a, const struct asm_slots *slots)
{
    struct pto_scalar turn = in_turn(slots);
    struct pto_scalar other[3] = {turn, asm_literal(1), turn};
    struct pto_scalar next[3] = {turn, turn, asm_literal(1)};
    struct pto_scalar wrapped[3] = {turn, turn, asm_literal(slots->count)};

    if (slots->count == 2) {
        asm_emit_scalar(a, a->line_token, PTO_OP_ISUB, other, 3);
        return;
    }
    asm_emit_scalar(a, a->line_token, PTO_OP_IADD, next, 3);
    asm_emit_scalar(a, a->line_token, PTO_OP_IMOD, wrapped, 3);
}

static void emit_give(struct assembly *a, const struct asm_slots *slots)
{
    emit_in_turn(a, slots, PTO_OP_SET_FLAG);
    if (slots->count > 1)
        emit_rotation(a, slots);
}

/* ---- ways out of blocks ---- */

/* What was taken last in this block or one inside of it, before `number`; NULL: nothing. */
static struct asm_slots *taken_before(struct assembly *a, uint32_t scope, uint32_t number)
{
    struct asm_slots *found = NULL;

    for (uint32_t i = 0; i < a->slot_sets; i++) {
        struct asm_slots *slots = &a->slots[i];

        if (slots->taken && slots->taken_scope >= scope && slots->taken_number < number &&
            (!found || slots->taken_number > found->taken_number))
            found = slots;
    }
    return found;
}

/* Give back what was taken in the block, on the lines that took it. */
static void emit_gives(struct assembly *a, uint32_t scope)
{
    const struct asm_token *line = a->line_token;
    const struct asm_slots *slots = taken_before(a, scope, UINT32_MAX);

    for (; slots; slots = taken_before(a, scope, slots->taken_number)) {
        a->line_token = slots->taken;
        emit_give(a, slots);
    }
    a->line_token = line;
}

static void emit_drain(struct assembly *a, const struct asm_slots *slots)
{
    const struct asm_token *line = a->line_token;

    a->line_token = slots->directive;
    emit_all(a, slots, PTO_OP_WAIT_FLAG);
    a->line_token = line;
}

/* A way out before the slot was handed on: its next token must not come before its last one was
 * taken, so all pipes are waited for. */
static void order_gives(struct assembly *a, uint32_t scope)
{
    struct pto_operand all = {.kind = PTO_O_ENUM, .value = PTO_PIPE_ALL};
    const struct asm_slots *slots = taken_before(a, scope, UINT32_MAX);

    while (slots && asm_order_holds(&slots->order, slots->from))
        slots = taken_before(a, scope, slots->taken_number);
    if (slots)
        asm_emit(a, a->line_token, PTO_OP_PIPE_BARRIER, 1, &all);
}

void asm_slots_branch(struct assembly *a, uint32_t scope)
{
    if (!asm_code_reached(a))
        return;
    order_gives(a, scope);
    emit_gives(a, scope);
    for (uint32_t i = 0; i < a->slot_sets; i++)
        if (!a->slots[i].drained && a->slots[i].scope >= scope)
            emit_drain(a, &a->slots[i]);
}

static void remove_slots(struct assembly *a, struct asm_slots *slots)
{
    struct asm_slots *end = &a->slots[--a->slot_sets];

    memmove(slots, slots + 1, (size_t)(end - slots) * sizeof *slots);
}

/* From here on only the events are of interest, for slots that use them again. */
static void drained(struct asm_slots *slots, uint32_t scope)
{
    slots->drained = true;
    asm_order_begin(&slots->order, slots->to, scope);
}

/* Was the slot handed on, on some way at least? */
static bool check_order(struct assembly *a, const struct asm_token *place,
                        const struct asm_slots *slots)
{
    const char *from = pto_queue_name(slots->from), *to = pto_queue_name(slots->to);

    if (asm_order_may_hold(&slots->order, slots->from))
        return true;
    asm_hint(a, asm_error(a, place, "between .take and .give of slot %%%s nothing orders %s behind "
                          "%s", slots->symbol->name, from, to),
             "its next token could come before its last one is taken: handoff %s -> %s, event "
             "behind the work of %s, or a chain of them", to, from, to);
    return false;
}

void asm_slots_leave(struct assembly *a, uint32_t scope)
{
    bool reached = asm_code_reached(a);

    if (reached)
        emit_gives(a, scope);
    for (uint32_t i = 0; i < a->slot_sets; i++) {
        struct asm_slots *slots = &a->slots[i];

        if (slots->taken && slots->taken_scope >= scope) {
            if (reached)
                check_order(a, slots->taken, slots);
            slots->taken = NULL;
        }
        asm_order_leave(&slots->order, scope);
        if (slots->drained || slots->scope < scope)
            continue;
        if (reached)
            emit_drain(a, slots);
        drained(slots, scope);
    }
}

void asm_slots_close(struct assembly *a)
{
    a->slot_sets = 0;
}

void asm_slots_see(struct assembly *a, const struct pto_insn *insn)
{
    uint32_t scope = a->slot_sets ? asm_flow_scope(a) : 0;

    for (uint32_t i = 0; i < a->slot_sets; i++)
        asm_order_see(&a->slots[i].order, insn, scope);
}

/* ---- .slots ---- */

const struct asm_slots *asm_slots_of_flag(const struct assembly *a, unsigned from, unsigned to,
                                          int64_t event)
{
    for (uint32_t i = 0; i < a->slot_sets; i++) {
        const struct asm_slots *slots = &a->slots[i];

        if (!slots->drained && slots->from == from && slots->to == to && event >= slots->flags &&
            event < slots->flags + slots->count)
            return slots;
    }
    return NULL;
}

/* Are the pipes real, and the events free? */
static bool check_flags(struct assembly *a, const struct asm_stmt *stmt, struct asm_slots *slots)
{
    const struct asm_expr *expr[3] = {stmt->list->first, stmt->list->last,
                                     stmt->flags ? stmt->flags : stmt->slots};
    struct pto_operand operand[3] = {{0}};
    struct pto_insn insn = {.op = PTO_OP_SET_FLAG, .operands = 3, .operand = operand};

    for (unsigned i = 0; i < 2; i++)
        if (!asm_operand_lower(a, &pto_op_info(PTO_OP_SET_FLAG)->operand[i], expr[i], &operand[i]))
            return false;
    slots->from = operand[0].value;
    slots->to = operand[1].value;
    operand[2] = (struct pto_operand){.kind = PTO_O_SCALAR};
    for (uint32_t i = 0; i < slots->count; i++) {
        operand[2].scalar = asm_literal(slots->flags + i);
        if (!asm_check(a, stmt, &insn, expr))
            return false;
    }
    return true;
}

static bool numbers(struct assembly *a, const struct asm_stmt *stmt, struct asm_slots *slots)
{
    const int64_t events = a->profile->events;
    int64_t count, flags = 0;

    if (!asm_constant_int(a, stmt->slots, "the number of slots", 1, events, &count))
        return false;
    if (stmt->flags && !asm_constant_int(a, stmt->flags, "the first flag of slots", 0,
                                         events - count, &flags))
        return false;
    slots->count = (uint32_t)count;
    slots->flags = flags;
    return true;
}

static struct asm_slots *open_slots(struct assembly *a, const struct asm_token *name)
{
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_REG, name);

    for (uint32_t i = 0; symbol && i < a->slot_sets; i++)
        if (a->slots[i].symbol == symbol && !a->slots[i].drained)
            return &a->slots[i];
    return NULL;
}

/* Tokens of earlier slots with the same events have to be gone before the first ones are set. */
static bool check_reuse(struct assembly *a, const struct asm_stmt *stmt,
                        const struct asm_slots *slots)
{
    const char *from = pto_queue_name(slots->from), *to = pto_queue_name(slots->to);

    for (uint32_t i = a->slot_sets; i-- > 0;) {
        struct asm_slots *other = &a->slots[i];

        if (!other->drained || other->from != slots->from || other->to != slots->to ||
            other->flags >= slots->flags + slots->count ||
            slots->flags >= other->flags + other->count)
            continue;
        if (asm_order_holds(&other->order, slots->from)) {
            remove_slots(a, other);
            continue;
        }
        asm_hint(a, asm_error(a, stmt->token, "slots with the same events were drained before, and "
                              "nothing orders %s behind that", from),
                 "%s could set a token before %s has taken the last one: flags N chooses other "
                 "events, pipe_barrier ALL orders everything", from, to);
        asm_note(a, other->directive, "those slots are declared here");
        return false;
    }
    return true;
}

void asm_slots_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_slots slots = {.directive = stmt->token, .scope = asm_flow_scope(a),
                              .number = ++a->slot_numbers};
    const struct asm_slots *open = open_slots(a, stmt->name);
    struct pto_scalar start[2] = {{0}, asm_literal(0)};

    if (open) {
        asm_error(a, stmt->name, "the slots of %%%s are still in use", stmt->name->text);
        asm_note(a, open->directive, "they begin here; .drain %%%s ends them", stmt->name->text);
        return;
    }
    if (asm_flow_repeats(a)) {
        asm_hint(a, asm_error(a, stmt->token, "'.slots' cannot stand in a loop"),
                 "declare them before it: what a turn takes, its end gives back");
        return;
    }
    if (!numbers(a, stmt, &slots) || !check_flags(a, stmt, &slots) ||
        !check_reuse(a, stmt, &slots))
        return;
    slots.symbol = asm_register_of_slots(a, stmt->name, slots.count);
    if (!slots.symbol)
        return;
    if (slots.count > 1) {
        start[0] = in_turn(&slots);
        asm_emit_scalar(a, stmt->token, PTO_OP_MOV, start, 2);
    }
    emit_all(a, &slots, PTO_OP_SET_FLAG);
    PTO_GROW(a->slots, a->slot_sets, a->slot_capacity);
    a->slots[a->slot_sets++] = slots;
}

/* ---- .take, .give, .drain ---- */

/* The open slots that a statement names. */
static struct asm_slots *find_slots(struct assembly *a, const struct asm_stmt *stmt)
{
    const char *name = stmt->name->text;
    struct asm_slots *slots = open_slots(a, stmt->name);
    struct pto_diag *diag;

    if (slots)
        return slots;
    if (asm_register_is_of_slots(a, stmt->name))
        diag = asm_error(a, stmt->name, "the slots of %%%s were drained before this", name);
    else if (asm_lost_before(a, NS_REG, stmt->name))
        return NULL;
    else
        diag = asm_error(a, stmt->name, "no slots are called %%%s here", name);
    asm_hint(a, diag, ".slots %%%s : N free PIPE -> PIPE declares them, up to the end of the block "
             "around it", name);
    return NULL;
}

void asm_take_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_slots *slots = find_slots(a, stmt);

    if (!slots)
        return;
    if (slots->taken) {
        asm_error(a, stmt->name, "the slot %%%s is taken already", stmt->name->text);
        asm_note(a, slots->taken, "it is taken here, up to the end of the block or .give %%%s",
                 stmt->name->text);
        return;
    }
    slots->taken = stmt->token;
    slots->taken_scope = asm_flow_scope(a);
    slots->taken_number = ++a->slot_numbers;
    emit_in_turn(a, slots, PTO_OP_WAIT_FLAG);
    asm_order_begin(&slots->order, slots->to, slots->taken_scope);
}

/* Only the block that began something may end it: on the way around an inner one nothing would. */
static bool same_block(struct assembly *a, const struct asm_stmt *stmt, uint32_t scope,
                       const struct asm_token *begin)
{
    if (scope == asm_flow_scope(a))
        return true;
    asm_hint(a, asm_error(a, stmt->token, ".%s stands in another block than the .%s that it ends",
                          stmt->token->text, begin->text),
             "it has to stand in the same block, whose end, .continue and .break do it by "
             "themselves");
    asm_note(a, begin, "it begins here");
    return false;
}

void asm_give_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_slots *slots = find_slots(a, stmt);

    if (!slots)
        return;
    if (!slots->taken) {
        asm_hint(a, asm_error(a, stmt->name, "the slot %%%s is not taken here", stmt->name->text),
                 ".take %%%s takes it, up to the end of the block around it", stmt->name->text);
        return;
    }
    if (!same_block(a, stmt, slots->taken_scope, slots->taken))
        return;
    if (check_order(a, stmt->token, slots))
        emit_give(a, slots);
    slots->taken = NULL;
}

void asm_drain_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_slots *slots = find_slots(a, stmt);

    if (!slots || !same_block(a, stmt, slots->scope, slots->directive))
        return;
    if (slots->taken) {
        asm_hint(a, asm_error(a, stmt->name, "the slot %%%s is still taken", stmt->name->text),
                 ".give %%%s gives it back", stmt->name->text);
        asm_note(a, slots->taken, "it is taken here");
        return;
    }
    emit_all(a, slots, PTO_OP_WAIT_FLAG);
    drained(slots, slots->scope);
}

/* ---- plain branches ---- */

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA 2014): every bit of
 * the number depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Declarations and takes have numbers of their own, so the sum tells sets of them apart. */
uint64_t asm_slots_state(const struct assembly *a)
{
    uint64_t state = 0;

    for (uint32_t i = 0; i < a->slot_sets; i++)
        if (!a->slots[i].drained)
            state += mix(a->slots[i].number) +
                     (a->slots[i].taken ? mix(a->slots[i].taken_number) : 0);
    return state;
}
