#include "dbg/assign.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "dbg/change.h"
#include "dbg/expr.h"
#include "dbg/findings.h"
#include "dbg/history.h"
#include "dbg/place.h"
#include "dbg/region.h"
#include "dbg/source.h"
#include "dbg/value.h"
#include "dbg/variable.h"
#include "dbg/view.h"

/* ---- the text ---- */

const char *assign_value(const char *text)
{
    for (const char *at = text; (at = strchr(at, '=')); at++)
        if (at[1] == '=')
            at++;
        else if (at > text && !strchr("<>!", at[-1]))
            return at + 1;
    return NULL;
}

static char *target_of(const char *text, const char *value)
{
    size_t length = (size_t)(value - 1 - text);

    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    return pto_xstrndup(text, length);
}

static bool evaluate(struct dbg *dbg, const char *text, struct asm_value *value)
{
    struct expr_scope scope = {dbg, dbg->rank, dbg->core, NULL};
    struct formula_standalone *s = expr_read(dbg, text, NULL);
    bool good = s && expr_value_or_answer(&scope, s, s->expr, value);

    formula_free(s);
    return good;
}

/* ---- targets ---- */

/* From here on it is another run. */
static void forget_ahead(struct dbg *dbg)
{
    history_cut(dbg, dbg->events);
    findings_cut(dbg, dbg->events);
}

static void alter(struct dbg *dbg)
{
    forget_ahead(dbg);
    dbg_say(dbg, "From event %llu on the run is altered.\n", (unsigned long long)dbg->events);
}

static bool set_variable(struct dbg *dbg, const char *target, const struct asm_value *value)
{
    const char *name = target + 1;

    for (const char *at = name; at == name || *at; at++)
        if (!isalpha((unsigned char)*at) && *at != '_' &&
            (at == name || !isdigit((unsigned char)*at)))
            return dbg_error(dbg, "a variable is $ and a name: set $x = 5", "'%s' cannot be set",
                             target);
    return variable_set(dbg, target, value);
}

/* The machine can be changed where it stands, which it does in the middle of a run. */
static bool is_running(struct dbg *dbg)
{
    struct pto_core_info info;

    if (dbg->started && (pto_vm_finished(dbg->launch.vm) || pto_vm_fault(dbg->launch.vm)))
        return dbg_error(dbg, "go back first: 'reverse-step', 'goto', 'start'",
                         "the program is over");
    return dbg_need_program(dbg, &info);
}

/* What a place of this type gets from a value; false: answered. */
static bool convert(struct dbg *dbg, const char *target, bool to_float, struct asm_value *value)
{
    if (value->is_float && !to_float)
        return dbg_error(dbg, "int() drops the fraction", "'%s' takes an integer", target);
    if (to_float && !value->is_float)
        *value = asm_float((double)value->scalar.i);
    return true;
}

static bool element_bits(struct dbg *dbg, const char *target, enum pto_dtype dtype,
                         struct asm_value *value, uint64_t *bits)
{
    bool is_float = pto_dtype_is_float(dtype);
    uint8_t element[sizeof *bits] = {0};

    if (!convert(dbg, target, is_float, value))
        return false;
    if (is_float)
        pto_store_f64(element, dtype, value->scalar.f);
    else
        pto_store_int(element, dtype, value->scalar.i);
    if (!is_float && dtype != PTO_U64 && pto_load_int(element, dtype) != value->scalar.i)
        return dbg_error(dbg, NULL, "%lld does not fit into %s", (long long)value->scalar.i,
                         pto_dtype_name(dtype));
    memcpy(bits, element, sizeof element);
    return true;
}

static bool is_signal(const struct dbg *dbg, const struct pto_place *place)
{
    struct pto_object_info info;

    return place->core < 0 && pto_vm_object(dbg->launch.vm, place->rank, place->number, &info) &&
           info.kind == PTO_OBJ_SIGNAL;
}

static bool is_free(struct dbg *dbg, const struct pto_place *place)
{
    return !is_signal(dbg, place) ||
           dbg_error(dbg, NULL, "a signal is changed by those who notify: who waits for it would "
                                "not be told");
}

static bool set_bytes(struct dbg *dbg, const char *target, const char *text,
                      struct asm_value *value)
{
    struct dbg_change c = {.kind = DBG_CHANGE_BYTES, .rank = dbg->rank, .core = dbg->core};
    struct dbg_region region;

    if (!region_read(dbg, target, &region))
        return false;
    if (!is_free(dbg, &region.place) || !element_bits(dbg, target, region.dtype, value, &c.bits)) {
        region_free(&region);
        return false;
    }
    c.size = pto_dtype_size(region.dtype);
    c.text = pto_xstrdup(text);
    c.region = pto_xmalloc(sizeof *c.region);
    *c.region = region;
    return change_make(dbg, &c);
}

static bool set_number(struct dbg *dbg, const char *target, const char *text,
                       struct formula_standalone *s, struct asm_value *value)
{
    struct dbg_change c = {.rank = dbg->rank, .core = dbg->core};
    struct expr_target place;

    if (!expr_target(dbg, s, &place) || !convert(dbg, target, place.is_float, value))
        return false;
    c.kind = place.is_local ? DBG_CHANGE_LOCAL : DBG_CHANGE_REGISTER;
    c.number = place.number;
    c.index = place.index;
    c.bits = value_bits(value);
    c.text = pto_xstrdup(text);
    return change_make(dbg, &c);
}

static bool is_raw(const char *target)
{
    size_t length = strcspn(target, "+ ");

    return target[length + strspn(target + length, " ")] == '+' &&
           dbg_find_space(target, length) >= 0;
}

static bool set_machine(struct dbg *dbg, const char *target, const char *text,
                        struct asm_value *value)
{
    struct formula_standalone *s;
    bool good;

    if (!is_running(dbg))
        return false;
    if (is_raw(target)) {
        good = set_bytes(dbg, target, text, value);
    } else {
        s = expr_read(dbg, target, "for instance %off, seen[2], ta[0](0, 3) or $x");
        if (!s)
            return false;
        good = s->expr->kind == EX_REF && view_is_name(dbg, s->expr->token->text)
                   ? set_bytes(dbg, target, text, value)
                   : set_number(dbg, target, text, s, value);
        formula_free(s);
    }
    if (!good)
        return false;
    alter(dbg);
    return true;
}

bool assign_bytes(struct dbg *dbg, const struct pto_stretch *bytes, const uint8_t *data,
                  const char *text)
{
    struct dbg_change c = {.kind = DBG_CHANGE_BYTES, .rank = dbg->rank, .core = dbg->core};

    if (!is_running(dbg) || !is_free(dbg, &bytes->place))
        return false;
    c.text = pto_xstrdup(text);
    c.size = 1;
    c.data = pto_xmalloc(bytes->length);
    memcpy(c.data, data, bytes->length);
    c.region = pto_xmalloc(sizeof *c.region);
    *c.region = region_of_stretch(bytes);
    if (!change_make(dbg, &c))
        return false;
    alter(dbg);
    return true;
}

bool assign(struct dbg *dbg, const char *text, const char *value)
{
    char *target = target_of(text, value);
    struct asm_value result;
    bool good = evaluate(dbg, value, &result) &&
                (*target == '$' ? set_variable(dbg, target, &result)
                                 : set_machine(dbg, target, text, &result));

    free(target);
    return good;
}

/* ---- the next instruction ---- */

static bool jump(struct dbg *dbg, const char *text, const struct dbg_places *places)
{
    struct dbg_change c = {.kind = DBG_CHANGE_PLACE, .rank = dbg->rank, .core = dbg->core};
    struct pto_core_info info;
    struct pto_buf what = {0};
    bool found = false;

    if (!is_running(dbg))
        return false;
    dbg_focused(dbg, &info);
    for (unsigned i = 0; i < places->count && !found; i++)
        if (places->item[i].code == info.code) {
            c.number = places->item[i].pc;
            found = true;
        }
    if (!found)
        return dbg_error(dbg, "focus on a sub-core that runs it", "%s has no instruction there",
                         info.name);
    pto_buf_printf(&what, "jump %s", text);
    c.text = pto_xstrdup(pto_buf_text(&what));
    pto_buf_free(&what);
    if (!change_make(dbg, &c))
        return false;
    forget_ahead(dbg);
    dbg->depth = DBG_DEPTH_INNERMOST;
    source_say_stop(dbg);
    return true;
}

bool cmd_jump(struct dbg *dbg, const char *args)
{
    struct place_request request;
    size_t length = dbg_word(&args);
    bool good;

    if (!dbg_at_end(dbg, args + length) || !place_resolve(dbg, args, length, &request))
        return false;
    good = request.op < 0
               ? jump(dbg, args, &request.places)
               : dbg_error(dbg, NULL, "jump takes a line, a label or an instruction (*25)");
    place_free(&request.places);
    return good;
}
