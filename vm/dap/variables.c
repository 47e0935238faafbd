/* Scopes of a sub-core and what is in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"
#include "dbg/issue.h"
#include "dbg/source.h"
#include "dbg/value.h"
#include "dbg/why.h"

enum { MOST_VARIABLES = 10000 /* in one answer */ };

static const struct {
    const char *name;
    bool expensive;
} SCOPE[DAP_SCOPES] = {
    [DAP_REGISTERS] = {"Registers", false}, [DAP_ARRAYS] = {"Local arrays", false},
    [DAP_QUEUES] = {"Pipes", false},        [DAP_FLAGS] = {"Flags", false},
    [DAP_TILES] = {"Tiles", true},          [DAP_OBJECTS] = {"Global memory", true},
};

/* ---- references ---- */

void dap_drop_handles(struct dap *dap)
{
    for (unsigned i = 0; i < dap->handles; i++)
        free(dap->handle[i].name);
    dap->handles = 0;
}

int64_t dap_handle(struct dap *dap, enum dap_scope kind, uint64_t index, const char *name)
{
    PTO_GROW(dap->handle, dap->handles, dap->handle_capacity);
    dap->handle[dap->handles++] = (struct dap_handle){.kind = kind,
                                                      .rank = dap->dbg->rank,
                                                      .core = dap->dbg->core,
                                                      .index = index,
                                                      .name = name ? pto_xstrdup(name) : NULL};
    return dap->handles;
}

json_t *dap_variable(const char *name, const char *value, const char *type, int64_t reference)
{
    json_t *row = json_object();

    json_object_set_new(row, "name", dap_string(name));
    json_object_set_new(row, "value", dap_string(value));
    if (type)
        json_object_set_new(row, "type", json_string(type));
    json_object_set_new(row, "variablesReference", json_integer(reference));
    return row;
}

/* ---- what S has ---- */

static const char *say_value(struct dap *dap, bool is_float, uint64_t bits)
{
    struct asm_value value = value_of_bits(is_float, bits);

    value_say(dap->dbg, &value);
    return dap_said(dap);
}

static json_t *registers(struct dap *dap, const struct pto_core_info *info)
{
    const struct dbg *dbg = dap->dbg;
    json_t *list = json_array();

    for (uint32_t i = 0; i < info->code->code.regs; i++) {
        const struct pto_register *reg = &info->code->code.reg[i];
        uint64_t bits = pto_vm_register(dbg->launch.vm, dbg->rank, dbg->core, i);
        char name[256];
        json_t *row;

        if (reg->name[0] == '_') /* the assembler's own */
            continue;
        snprintf(name, sizeof name, "%%%s", reg->name);
        row = dap_variable(name, say_value(dap, reg->is_float, bits),
                           reg->is_float ? "f64" : "i64", 0);
        json_object_set_new(row, "evaluateName", dap_string(name));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *arrays(struct dap *dap, const struct pto_core_info *info)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < info->code->locals; i++) {
        const struct pto_local *local = &info->code->local[i];
        char value[80];
        json_t *row;

        snprintf(value, sizeof value, "%s[%llu]", local->is_float ? "f64" : "i64",
                 (unsigned long long)local->count);
        row = dap_variable(local->name, value, NULL, dap_handle(dap, DAP_ARRAY, i, NULL));
        json_object_set_new(row, "indexedVariables", json_integer((json_int_t)local->count));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *array(struct dap *dap, const struct pto_core_info *info, uint32_t number,
                     uint64_t first, uint64_t count)
{
    const struct pto_local *local = &info->code->local[number];
    json_t *list = json_array();

    for (uint64_t i = first; i < local->count && i - first < count; i++) {
        char name[32];
        uint64_t bits = 0;

        pto_vm_local(dap->dbg->launch.vm, dap->dbg->rank, dap->dbg->core, number, i, &bits);
        snprintf(name, sizeof name, "[%llu]", (unsigned long long)i);
        json_array_append_new(list,
                              dap_variable(name, say_value(dap, local->is_float, bits), NULL, 0));
    }
    return list;
}

/* ---- what pipes have ---- */

static unsigned queue_length(const struct dbg *dbg, unsigned pipe)
{
    struct pto_queue_entry entry;
    unsigned count = 0;

    while (pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, pipe, count, &entry))
        count++;
    return count;
}

static json_t *queues(struct dap *dap)
{
    json_t *list = json_array();

    for (unsigned pipe = PTO_PIPE_S + 1; pipe < PTO_QUEUE_COUNT; pipe++) {
        unsigned count = queue_length(dap->dbg, pipe);
        char value[40];

        snprintf(value, sizeof value, "%u %s", count, count == 1 ? "entry" : "entries");
        json_array_append_new(list,
                              dap_variable(pto_queue_name(pipe), count ? value : "empty", NULL,
                                           count ? dap_handle(dap, DAP_QUEUE, pipe, NULL) : 0));
    }
    return list;
}

static json_t *queue(struct dap *dap, const struct pto_core_info *info, unsigned pipe)
{
    struct dbg *dbg = dap->dbg;
    struct pto_queue_entry entry;
    json_t *list = json_array();

    for (unsigned i = 0; pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, pipe, i, &entry);
         i++) {
        const struct dbg_place place = {info->module, info->kernel, info->code,
                                        (uint32_t)(entry.insn - info->code->code.insn), 0,
                                        false};
        char name[32];

        source_say_issued(dbg, &place,
                          issue_of_entry(dbg, dbg->rank, dbg->core, pipe, entry.number));
        dbg_say(dbg, "  [%s", entry.state);
        if (entry.complete_ps > 0)
            dbg_say(dbg, ", completes at %s", dbg_time(entry.complete_ps).text);
        dbg_say(dbg, "]");
        snprintf(name, sizeof name, "[%u]", i);
        json_array_append_new(list, dap_variable(name, dap_said(dap), NULL, 0));
    }
    return list;
}

static void add_flag(struct dap *dap, json_t *list, unsigned src, unsigned dst, unsigned id)
{
    struct dbg *dbg = dap->dbg;
    unsigned tokens = pto_vm_flag(dbg->launch.vm, dbg->rank, dbg->core, src, dst, id);
    char name[64];

    if (tokens == 0)
        return;
    snprintf(name, sizeof name, "%s->%s %u", pto_enum_keyword(PTO_ENUM_PIPE, (int)src),
             pto_enum_keyword(PTO_ENUM_PIPE, (int)dst), id);
    dbg_say(dbg, "%u token%s", tokens, tokens == 1 ? "" : "s");
    why_say_setter(dbg, src, dst, id);
    json_array_append_new(list, dap_variable(name, dap_said(dap), NULL, 0));
}

static json_t *flags(struct dap *dap)
{
    const struct dbg *dbg = dap->dbg;
    json_t *list = json_array();

    for (unsigned src = 0; src < PTO_PIPE_COUNT; src++)
        for (unsigned dst = 0; dst < PTO_PIPE_COUNT; dst++)
            for (unsigned id = 0; id < dbg->launch.profile.events; id++)
                add_flag(dap, list, src, dst, id);
    for (unsigned place = 0; place < pto_vm_cross_places(); place++) {
        unsigned count = pto_vm_cross_flag(dbg->launch.vm, dbg->rank, dbg->core, place);
        char name[PTO_CROSS_NAME], value[32];

        pto_vm_cross_name(dbg->launch.vm, dbg->rank, dbg->core, place, name);
        snprintf(value, sizeof value, "count %u", count);
        if (count > 0)
            json_array_append_new(list, dap_variable(name, value, NULL, 0));
    }
    return list;
}

/* ---- windows ---- */

static void add_window(struct dap *dap, json_t *list, const char *name)
{
    json_t *row = dap_window(dap, name);

    if (row)
        json_array_append_new(list, row);
}

static json_t *tiles(struct dap *dap, const struct pto_core_info *info)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < info->code->tiles; i++)
        for (unsigned slot = 0; slot < info->code->tile[i].slots; slot++) {
            char name[512];

            snprintf(name, sizeof name, "%s[%u]", info->code->tile[i].name, slot);
            add_window(dap, list, name);
        }
    return list;
}

static json_t *objects(struct dap *dap)
{
    const struct dbg *dbg = dap->dbg;
    struct pto_object_info object;
    json_t *list = json_array();

    for (unsigned i = 0; pto_vm_object(dbg->launch.vm, dbg->rank, i, &object); i++) {
        char name[512];

        snprintf(name, sizeof name, "%s@%d", object.name, dbg->rank);
        add_window(dap, list, name);
    }
    return list;
}

/* ---- requests ---- */

const char *dap_scopes(struct dap *dap, const json_t *args, json_t **body)
{
    const char *why = dap_focus_frame(dap, args);
    json_t *list = json_array();
    struct pto_core_info info;

    dbg_focused(dap->dbg, &info);
    for (int i = 0; i < DAP_SCOPES && info.module && !why; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:b}", "name", SCOPE[i].name, "variablesReference",
                            (json_int_t)dap_handle(dap, (enum dap_scope)i, 0, NULL), "expensive",
                            SCOPE[i].expensive));
    *body = json_pack("{s:o}", "scopes", list);
    return why;
}

json_t *dap_contents(struct dap *dap, const struct dap_handle *handle, uint64_t first,
                     uint64_t count)
{
    struct pto_core_info info;

    dbg_focused(dap->dbg, &info);
    if (!info.module)
        return json_array();
    switch (handle->kind) {
    case DAP_REGISTERS:
        return registers(dap, &info);
    case DAP_ARRAYS:
        return arrays(dap, &info);
    case DAP_QUEUES:
        return queues(dap);
    case DAP_FLAGS:
        return flags(dap);
    case DAP_TILES:
        return tiles(dap, &info);
    case DAP_OBJECTS:
        return objects(dap);
    case DAP_QUEUE:
        return queue(dap, &info, (unsigned)handle->index);
    case DAP_ARRAY:
        return array(dap, &info, (uint32_t)handle->index, first, count);
    default:
        return dap_window_contents(dap, handle, first, count);
    }
}

const char *dap_variables(struct dap *dap, const json_t *args, json_t **body)
{
    int64_t reference = dap_int(args, "variablesReference", 0);
    int64_t first = dap_int(args, "start", 0), count = dap_int(args, "count", 0);
    struct dap_handle handle;
    json_t *list;

    if (reference < 1 || reference > dap->handles)
        return "there is no such reference any more";
    if (first < 0 || count < 0)
        return "\"start\" and \"count\" cannot be negative";
    handle = dap->handle[reference - 1]; /* the table grows */
    dbg_focus_on(dap->dbg, handle.rank, handle.core);
    if (count == 0 || count > MOST_VARIABLES)
        count = MOST_VARIABLES;
    list = dap_contents(dap, &handle, (uint64_t)first, (uint64_t)count);
    if (!list)
        return dap_failure(dap);
    *body = json_pack("{s:o}", "variables", list);
    return NULL;
}
