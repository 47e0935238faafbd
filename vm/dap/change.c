/* Requests that alter the run: setVariable, setExpression, goto. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"
#include "dbg/place.h"
#include "dbg/source.h"

enum { LONGEST_COMMAND = 4096 };

/* ---- values ---- */

static const char *set(struct dap *dap, const char *target, const char *value)
{
    char command[LONGEST_COMMAND];

    if (*value == '\0' || strpbrk(value, "\r\n") || strpbrk(target, "=\r\n"))
        return "a value is an expression, and what it is for a register, an element or a window";
    if (snprintf(command, sizeof command, "set %s = %s", target, value) >= (int)sizeof command)
        return "the expression is too long";
    return dap_capture(dap, command) ? NULL : dap_failure(dap);
}

/* The variable of this name among what a reference stands for; NULL: there is none. */
static json_t *find(struct dap *dap, const struct dap_handle *handle, const char *name)
{
    bool paged = *name == '[';
    uint64_t index = paged ? strtoull(name + 1, NULL, 10) : 0;
    json_t *list = dap_contents(dap, handle, index, paged ? 1 : UINT64_MAX), *found = NULL;
    size_t i;
    json_t *row;

    json_array_foreach(list, i, row)
        if (!strcmp(dap_text(row, "name", ""), name))
            found = json_incref(row);
    json_decref(list);
    return found;
}

/* What commands call it; false: it is nothing that can be set. */
static bool target_of(const struct dap *dap, const struct dap_handle *handle, const char *name,
                      char *text, size_t size)
{
    struct pto_core_info info;

    dbg_focused(dap->dbg, &info);
    if (handle->kind == DAP_REGISTERS)
        return (size_t)snprintf(text, size, "%s", name) < size;
    if (handle->kind == DAP_ARRAY && handle->index < info.code->locals)
        return (size_t)snprintf(text, size, "%s%s", info.code->local[handle->index].name, name) <
               size;
    return dap_element_name(handle, name, text, size);
}

const char *dap_set_variable(struct dap *dap, const json_t *args, json_t **body)
{
    int64_t reference = dap_int(args, "variablesReference", 0);
    const char *name = dap_text(args, "name", ""), *why = NULL;
    char target[LONGEST_COMMAND / 2];
    struct dap_handle handle;
    json_t *row;

    if (reference < 1 || reference > dap->handles)
        return "there is no such reference any more";
    handle = dap->handle[reference - 1]; /* the table grows */
    dbg_focus_on(dap->dbg, handle.rank, handle.core);
    row = find(dap, &handle, name);
    if (!row)
        return "there is no variable of this name";
    if (dap_int(row, "variablesReference", 0) > 0 ||
        !target_of(dap, &handle, name, target, sizeof target))
        why = "registers can be set, and elements of arrays, tiles and objects";
    json_decref(row);
    why = why ? why : set(dap, target, dap_text(args, "value", ""));
    row = why ? NULL : find(dap, &handle, name);
    if (row)
        *body = json_pack("{s:O}", "value", json_object_get(row, "value"));
    json_decref(row);
    return why;
}

const char *dap_set_expression(struct dap *dap, const json_t *args, json_t **body)
{
    const char *expression = dap_text(args, "expression", ""), *value = dap_text(args, "value", "");
    const char *why = dap_focus_frame(dap, args);

    if (!why && *expression == '\0')
        why = "\"expression\" says what to set";
    why = why ? why : set(dap, expression, value);
    if (!why)
        *body = json_pack("{s:o}", "value", dap_string(value));
    return why;
}

/* ---- places ---- */

const char *dap_goto_targets(struct dap *dap, const json_t *args, json_t **body)
{
    const char *path = dap_text(json_object_get(args, "source"), "path", "");
    const char *file = dap_program_file(dap->dbg, path);
    int64_t line = dap_int(args, "line", -1) + !dap->first_lines;
    struct place_request request;
    char place[PATH_MAX + 32];
    json_t *list;
    int length;

    if (!file)
        return "no instruction comes from this file";
    if (line < 1 || line >= UINT32_MAX)
        return "there is no such line";
    length = snprintf(place, sizeof place, "%s:%lld", file, (long long)line);
    if (length >= (int)sizeof place)
        return "the path is too long";
    if (!place_resolve(dap->dbg, place, (size_t)length, &request)) {
        dap_said(dap);
        return dap_failure(dap);
    }
    list = json_array();
    for (unsigned i = 0; i < request.places.count; i++) {
        const struct dbg_place *at = &request.places.item[i];
        const struct pto_pos *pos =
            source_level(at->module, at->code->code.insn[at->pc].pos, at->depth);
        char label[64];

        snprintf(label, sizeof label, "instruction %u", at->pc);
        json_array_append_new(
            list, json_pack("{s:I, s:o, s:I}", "id", (json_int_t)at->pc, "label",
                            dap_string(label), "line",
                            (json_int_t)dap_line(dap, pos ? pos->line : (uint32_t)line)));
    }
    place_free(&request.places);
    *body = json_pack("{s:o}", "targets", list);
    return NULL;
}

const char *dap_goto(struct dap *dap, const json_t *args, json_t **body)
{
    const char *why = dap_focus_thread(dap, args);
    int64_t target = dap_int(args, "targetId", -1);
    char command[64];

    (void)body;
    if (why)
        return why;
    if (target < 0)
        return "there is no such target";
    snprintf(command, sizeof command, "jump *%lld", (long long)target);
    if (!dap_capture(dap, command))
        return dap_failure(dap);
    dap_drop_handles(dap);
    dap_event(dap, "stopped",
              json_pack("{s:s, s:I, s:b}", "reason", "goto", "threadId",
                        (json_int_t)dap_thread(dap->dbg, dap->dbg->rank, dap->dbg->core),
                        "allThreadsStopped", 1));
    return NULL;
}
