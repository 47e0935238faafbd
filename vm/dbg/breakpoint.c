#include "dbg/breakpoint.h"

#include <stdlib.h>
#include <string.h>

#include "core_name.h"
#include "tool/number.h"
#include "dbg/event.h"
#include "dbg/expr.h"
#include "dbg/findings.h"
#include "dbg/hit.h"
#include "dbg/issue.h"
#include "dbg/place.h"
#include "dbg/region.h"
#include "dbg/source.h"
#include "dbg/value.h"
#include "look/result.h"

/* ---- does it hold? ---- */

/* A loop in a macro may come back to its first instruction: that is no other use. */
static bool is_entered(struct dbg *dbg, const struct dbg_place *place,
                       const struct pto_event *event)
{
    const struct pto_insn *before = dbg_core_of(dbg, event->rank, event->core)->before;
    const struct pto_pos *at = source_level(place->module, event->insn->pos, place->depth);

    return !before || !source_is_inside(place->module, before->pos, at->parent);
}

const struct dbg_place *breakpoint_arrival(struct dbg *dbg, const struct dbg_places *places,
                                           const struct pto_event *event)
{
    for (unsigned i = 0; i < places->count; i++) {
        const struct dbg_place *place = &places->item[i];

        if (&place->code->code.insn[place->pc] == event->insn &&
            (!place->entry || is_entered(dbg, place, event)))
            return place;
    }
    return NULL;
}

static bool is_op(int first_row, const struct pto_insn *insn)
{
    for (int op = first_row; op >= 0; op = pto_op_next((unsigned)op))
        if (insn->op == op)
            return true;
    return false;
}

/* A wait belongs to the pipe that waits, everything else to the pipe that does it. */
static unsigned pipe_of(const struct pto_event *event)
{
    bool waits = event->kind == PTO_EV_WAIT_BEGIN || event->kind == PTO_EV_WAIT_END;

    return waits ? event->flag_dst : event->pipe;
}

static bool has_details(const struct dbg_break *b, const struct pto_event *event)
{
    if (b->event == DBG_EV_FINDING)
        return b->finding < 0 || b->finding == event->flag_id;
    if (b->pipe != DBG_ANY_PIPE && (unsigned)b->pipe != pipe_of(event))
        return false;
    if (b->id >= 0 && b->id != event->flag_id)
        return false;
    return b->longer_ps == 0 || event->time_ps - event->start_ps > b->longer_ps;
}

/* Is a token of the flag set or taken? */
static bool is_of_flag(const struct dbg_break *b, const struct pto_event *event)
{
    switch (event->kind) {
    case PTO_EV_CROSS_SET:
    case PTO_EV_CROSS_TAKE:
        return b->flag_src < 0 && event->flag_id == b->id;
    case PTO_EV_SET:
    case PTO_EV_WAIT_END:
        return event->flag_src == b->flag_src && event->flag_dst == b->flag_dst &&
               event->flag_id == b->id;
    default:
        return false;
    }
}

static bool at_its_event(struct dbg *dbg, const struct dbg_break *b,
                         const struct pto_event *event, bool arrival)
{
    switch (b->kind) {
    case DBG_AT_PLACE:
        return arrival && breakpoint_arrival(dbg, &b->places, event);
    case DBG_AT_OP:
        return arrival && is_op(b->op, event->insn);
    case DBG_AT_FLAG:
        return is_of_flag(b, event);
    case DBG_AT_TOUCH:
    case DBG_AT_VALUE:
        return b->changed;
    default:
        return event->kind == b->event && has_details(b, event) &&
               (b->op < 0 || (event->insn && is_op(b->op, event->insn)));
    }
}

static bool condition_holds(struct dbg *dbg, const struct dbg_break *b,
                            const struct pto_event *event)
{
    struct expr_scope scope = {dbg, event->rank, event->core, NULL};
    struct asm_value value;
    struct pto_diags diags = {0};
    struct dbg_issue *issue;
    bool holds;

    if (!b->condition)
        return true;
    if (!event->module)
        return false;
    /* A register that this sub-core does not have: the condition is about others. */
    issue = issue_of_event(dbg, event);
    scope.reg = issue ? issue->value : NULL;
    holds = expr_value(&scope, b->formula, b->formula->expr, &value, &diags) &&
            asm_is_true(&value);
    issue_drop(issue);
    pto_diags_free(&diags);
    return holds;
}

static bool matches(struct dbg *dbg, const struct dbg_break *b, const struct pto_event *event,
                    bool arrival)
{
    struct pto_core_info info;

    if (!b->enabled || !at_its_event(dbg, b, event, arrival))
        return false;
    if (b->rank >= 0 && b->rank != event->rank)
        return false;
    if (b->core) {
        if (!event->module)
            return false;
        pto_vm_core(dbg->launch.vm, event->rank, event->core, &info);
        if (!dbg_core_matches(info.name, b->core))
            return false;
    }
    if (b->nan && !pto_vm_result_has_nan(dbg->launch.vm, event))
        return false;
    return condition_holds(dbg, b, event);
}

static void look(struct dbg *dbg, struct dbg_break *b)
{
    struct expr_scope scope = {dbg, b->at_rank, b->at_core, NULL};
    struct pto_diags diags = {0};
    struct asm_value value;

    if (expr_value(&scope, b->value, b->value->expr, &value, &diags)) {
        b->changed = b->known && value.scalar.i != b->now;
        b->before = b->now;
        b->now = value.scalar.i;
        b->is_float = value.is_float;
        b->known = true;
    }
    pto_diags_free(&diags);
}

void breakpoint_look(struct dbg *dbg, const struct pto_event *event, bool arrival)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++) {
        struct dbg_break *b = &dbg->breaks[i];

        if (b->kind != DBG_AT_VALUE)
            continue;
        b->changed = false;
        if (arrival && event->rank == b->at_rank && event->core == b->at_core)
            look(dbg, b);
    }
}

/* It holds: count that.  Is it passed all the same? */
static bool is_ignored(struct dbg_break *b)
{
    b->hits++;
    if (b->ignore == 0)
        return false;
    b->ignore--;
    return true;
}

const struct dbg_break *breakpoint_hit(struct dbg *dbg, const struct pto_event *event,
                                       bool arrival)
{
    struct dbg_break *first = NULL;

    for (unsigned i = 0; i < dbg->breaks_count; i++) {
        struct dbg_break *b = &dbg->breaks[i];

        if (!matches(dbg, b, event, arrival) || is_ignored(b))
            continue;
        hit_note(dbg, b, event);
        first = first ? first : b;
    }
    return first;
}

bool breakpoint_holds(struct dbg *dbg, const struct dbg_break *b, const struct pto_event *event)
{
    return matches(dbg, b, event, false);
}

bool breakpoint_stops(struct dbg *dbg, struct dbg_break *b, const struct pto_event *event)
{
    if (!matches(dbg, b, event, false) || is_ignored(b))
        return false;
    hit_note(dbg, b, event);
    return true;
}

bool breakpoint_matches_any(struct dbg *dbg, const struct pto_event *event, bool arrival)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        if (matches(dbg, &dbg->breaks[i], event, arrival))
            return true;
    return false;
}

/* ---- the list ---- */

struct dbg_break *breakpoint_find(struct dbg *dbg, unsigned number)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        if (dbg->breaks[i].number == number)
            return &dbg->breaks[i];
    return NULL;
}

void breakpoint_free(struct dbg_break *b)
{
    free(b->where);
    free(b->core);
    free(b->condition);
    free(b->commands);
    formula_free(b->formula);
    formula_free(b->value);
    if (b->region)
        region_free(b->region);
    free(b->region);
    place_free(&b->places);
}

void breakpoint_delete(struct dbg *dbg, unsigned number)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        if (dbg->breaks[i].number == number) {
            breakpoint_free(&dbg->breaks[i]);
            memmove(&dbg->breaks[i], &dbg->breaks[i + 1],
                    (dbg->breaks_count - i - 1) * sizeof *dbg->breaks);
            dbg->breaks_count--;
            return;
        }
}

void breakpoint_drop_temporary(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->hits; i++) {
        const struct dbg_break *b = breakpoint_find(dbg, dbg->hit[i].number);

        if (b && b->temporary)
            breakpoint_delete(dbg, b->number);
    }
}

void breakpoint_free_all(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->breaks_count; i++)
        breakpoint_free(&dbg->breaks[i]);
    free(dbg->breaks);
    hit_forget(dbg);
    free(dbg->hit);
}

/* ---- making one ---- */

static bool parse_rank(struct dbg *dbg, const char **rest, struct dbg_break *b)
{
    size_t length = dbg_word(rest);
    int64_t rank;

    if (!tool_parse_int(*rest, length, &rank) || rank < 0 || rank >= pto_vm_ranks(dbg->launch.vm)) {
        dbg_error(dbg, NULL, "'%.*s' is no rank: they are 0 to %d", (int)length, *rest,
                  pto_vm_ranks(dbg->launch.vm) - 1);
        return false;
    }
    b->rank = (int)rank;
    *rest += length;
    return true;
}

static bool parse_core(struct dbg *dbg, const char **rest, struct dbg_break *b)
{
    size_t length = dbg_word(rest);
    struct pto_core_info info;

    b->core = pto_xstrndup(*rest, length);
    *rest += length;
    for (unsigned i = 0; i < pto_vm_cores(dbg->launch.vm) && length > 0; i++) {
        pto_vm_core(dbg->launch.vm, 0, i, &info);
        if (dbg_core_matches(info.name, b->core))
            return true;
    }
    return dbg_error(dbg, "for instance aiv, aiv3 or aiv3.1", "no sub-core is called '%s'",
                     b->core);
}

/* Take a condition that some program has the names for. */
static bool parse_condition(struct dbg *dbg, const char *text, struct dbg_break *b)
{
    static const char hint[] = "compare registers, parameters and numbers, for instance: "
                               "if %off >= 0x100 && s == 1";

    b->formula = expr_read(dbg, text, hint);
    if (!b->formula || !expr_check(dbg, b->formula, hint))
        return false;
    b->condition = pto_xstrdup(text);
    return true;
}

static bool parse_rest(struct dbg *dbg, const char *rest, struct dbg_break *b)
{
    for (;;) {
        size_t length = dbg_word(&rest);

        if (length == 0)
            return true;
        if (dbg_take(&rest, "rank")) {
            if (!parse_rank(dbg, &rest, b))
                return false;
        } else if (dbg_take(&rest, "core") && !b->core) {
            if (!parse_core(dbg, &rest, b))
                return false;
        } else if (dbg_take(&rest, "if")) {
            dbg_word(&rest);
            return parse_condition(dbg, rest, b);
        } else {
            return dbg_error(dbg, "after the place come: rank N, core NAME, if CONDITION",
                             "'%s' is not understood", rest);
        }
    }
}

struct dbg_break *breakpoint_add(struct dbg *dbg, const struct dbg_break *what, const char *rest)
{
    struct dbg_break b = *what;

    b.rank = -1;
    b.enabled = true;
    if (!parse_rest(dbg, rest, &b)) {
        breakpoint_free(&b);
        return NULL;
    }
    b.number = dbg->next_number++;
    PTO_GROW(dbg->breaks, dbg->breaks_count, dbg->breaks_capacity);
    dbg->breaks[dbg->breaks_count++] = b;
    return &dbg->breaks[dbg->breaks_count - 1];
}

void breakpoint_catch_findings(struct dbg *dbg)
{
    const struct dbg_break what = {.kind = DBG_AT_EVENT,
                                   .event = DBG_EV_FINDING,
                                   .finding = -1,
                                   .op = -1,
                                   .pipe = DBG_ANY_PIPE,
                                   .id = -1,
                                   .where = pto_xstrdup("finding")};

    breakpoint_add(dbg, &what, "");
}

static void say_places(struct dbg *dbg, const struct dbg_break *b)
{
    enum { SHOWN = 8 };

    for (unsigned i = 0; i < b->places.count && i < SHOWN; i++) {
        const struct dbg_place *place = &b->places.item[i];
        const struct pto_pos *pos =
            source_level(place->module, place->code->code.insn[place->pc].pos, place->depth);

        dbg_say(dbg, "%s", i > 0 ? ", " : " at ");
        source_say_position(dbg, place->module, pos);
        dbg_say(dbg, " (%s %s, %u)", place->kernel->name,
                pto_core_names[place->code - place->kernel->core], place->pc);
    }
    if (b->places.count > SHOWN)
        dbg_say(dbg, " and %u more places", b->places.count - SHOWN);
}

static const char *noun(const struct dbg_break *b)
{
    switch (b->kind) {
    case DBG_AT_EVENT:
        return "Catchpoint";
    case DBG_AT_FLAG:
    case DBG_AT_TOUCH:
    case DBG_AT_VALUE:
        return "Watchpoint";
    default:
        return "Breakpoint";
    }
}

static void say_bytes(struct dbg *dbg, const struct dbg_break *b)
{
    static const char *const access[] = {"", "reads", "writes", "reads and writes"};

    dbg_say(dbg, ", %s of ", access[b->access]);
    region_say(dbg, b->region);
}

static void say_hit(struct dbg *dbg, unsigned number)
{
    const struct dbg_break *b = breakpoint_find(dbg, number);
    struct asm_value before, now;

    if (!b)
        return;
    dbg_say(dbg, "%s %u, ", noun(b), number);
    if (b->kind != DBG_AT_VALUE)
        return;
    before = value_of_bits(b->is_float, (uint64_t)b->before);
    now = value_of_bits(b->is_float, (uint64_t)b->now);
    dbg_say(dbg, "%s was ", b->where);
    value_say(dbg, &before);
    dbg_say(dbg, ", is ");
    value_say(dbg, &now);
    dbg_say(dbg, ": ");
}

void breakpoint_say_hits(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->hits; i++) {
        const struct pto_event *event = &dbg->hit[i].event;
        bool shared = i + 1 < dbg->hits && hit_is_same(&dbg->hit[i + 1].event, event);

        say_hit(dbg, dbg->hit[i].number);
        if (shared || event->kind == PTO_EV_SCALAR)
            continue;
        event_say(dbg, event, dbg->hit[i].issue);
        if (event->kind == DBG_EV_FINDING)
            findings_say(dbg, (unsigned)event->value);
        if (dbg->hit[i].more)
            dbg_say(dbg, "and %u more in this step\n", dbg->hit[i].more);
    }
}

void breakpoint_say(struct dbg *dbg, const struct dbg_break *b)
{
    dbg_say(dbg, "%s %u: %s", noun(b), b->number, b->where);
    if (b->kind == DBG_AT_TOUCH)
        say_bytes(dbg, b);
    say_places(dbg, b);
    if (b->rank >= 0)
        dbg_say(dbg, ", rank %d", b->rank);
    if (b->core)
        dbg_say(dbg, ", core %s", b->core);
    if (b->condition)
        dbg_say(dbg, ", if %s", b->condition);
    if (b->temporary)
        dbg_say(dbg, ", once");
    if (!b->enabled)
        dbg_say(dbg, ", disabled");
    if (b->hits > 0)
        dbg_say(dbg, ", hit %llu time%s", (unsigned long long)b->hits, b->hits == 1 ? "" : "s");
    if (b->ignore > 0)
        dbg_say(dbg, ", ignored %llu more times", (unsigned long long)b->ignore);
    dbg_say(dbg, "\n");
    for (const char *line = b->commands; line && *line; line += strcspn(line, "\n") + 1)
        dbg_say(dbg, "    %.*s\n", (int)strcspn(line, "\n"), line);
}
