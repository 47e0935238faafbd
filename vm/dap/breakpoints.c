/* Breakpoints of the client: a request replaces those that an earlier one of its kind has made. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"
#include "dbg/breakpoint.h"
#include "dbg/place.h"
#include "dbg/source.h"
#include "dbg/watch.h"

enum { LONGEST_COMMAND = 4096 };

/* ---- who asked for what ---- */

static void drop_owned(struct dap *dap, const char *owner)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < dap->owneds; i++) {
        struct dap_owned *o = &dap->owned[i];

        if (strcmp(o->owner, owner) != 0) {
            dap->owned[kept++] = *o;
            continue;
        }
        breakpoint_delete(dap->dbg, o->number);
        free(o->owner);
    }
    dap->owneds = kept;
    watch_refresh(dap->dbg);
}

static void own(struct dap *dap, const char *owner, unsigned number)
{
    PTO_GROW(dap->owned, dap->owneds, dap->owned_capacity);
    dap->owned[dap->owneds++] = (struct dap_owned){pto_xstrdup(owner), number};
}

/* ---- answers ---- */

static json_t *refused(const char *why)
{
    json_t *row = json_pack("{s:b}", "verified", 0);

    json_object_set_new(row, "message", dap_string(why));
    return row;
}

/* One that the debugger has just made. */
static json_t *verified(struct dap *dap, const struct dbg_break *b)
{
    json_t *row = json_pack("{s:b, s:i}", "verified", 1, "id", (int)b->number);
    const struct dbg_place *place = b->places.count > 0 ? &b->places.item[0] : NULL;
    const struct pto_pos *pos =
        place ? source_level(place->module, place->code->code.insn[place->pc].pos, place->depth)
              : NULL;

    if (pos && pos->file < place->module->files) {
        json_object_set_new(row, "line", json_integer(dap_line(dap, pos->line)));
        json_object_set_new(row, "source", dap_source(place->module->file[pos->file]));
    }
    return row;
}

/* ---- conditions ---- */

/* " if ..." of a breakpoint of the client; NULL: it does not fit. */
static const char *rest_of(const json_t *wanted, char text[LONGEST_COMMAND])
{
    const char *condition = dap_text(wanted, "condition", "");
    int length = *condition ? snprintf(text, LONGEST_COMMAND, " if %s", condition) : 0;

    if (length == 0)
        text[0] = '\0';
    return length < LONGEST_COMMAND ? text : NULL;
}

/* The number of the hit that stops first; 0: the condition is no number. */
static uint64_t hit_of(const json_t *wanted)
{
    const char *text = dap_text(wanted, "hitCondition", "1");
    char *end;
    unsigned long long hit = strtoull(text, &end, 10);

    return *text >= '0' && *text <= '9' && *end == '\0' ? hit : 0;
}

/* ---- commands that make one ---- */

/* What `command` makes, with the condition that is wanted. */
static json_t *make(struct dap *dap, const char *owner, const char *command, const json_t *wanted)
{
    char rest[LONGEST_COMMAND], line[2 * LONGEST_COMMAND];
    uint64_t hit = hit_of(wanted);
    unsigned number = dap->dbg->next_number;
    struct dbg_break *b;

    if (hit == 0)
        return refused("the hit condition is not a number of at least 1");
    if (!rest_of(wanted, rest) ||
        snprintf(line, sizeof line, "%s%s", command, rest) >= (int)sizeof line)
        return refused("the condition is too long");
    if (!dap_capture(dap, line))
        return refused(dap_failure(dap));
    b = breakpoint_find(dap->dbg, number);
    if (!b)
        return refused("the debugger made none");
    b->ignore = hit - 1;
    own(dap, owner, number);
    return verified(dap, b);
}

/* ---- lines ---- */

const char *dap_program_file(const struct dbg *dbg, const char *path)
{
    char *real = realpath(path, NULL);
    const char *found = NULL;

    for (unsigned i = 0; i < dbg->launch.files && !found; i++) {
        const struct pto_module *module = &dbg->launch.file[i].program.module;

        for (uint32_t f = 0; f < module->files && !found; f++) {
            char *other = realpath(module->file[f], NULL);

            if (!strcmp(path, module->file[f]) || (real && other && !strcmp(real, other)))
                found = module->file[f];
            free(other);
        }
    }
    free(real);
    return found;
}

/* Names of files may have blanks in them, which no command takes. */
static json_t *make_at_line(struct dap *dap, const char *owner, const char *file,
                            const json_t *wanted)
{
    int64_t line = dap_int(wanted, "line", -1);
    struct dbg_break what = {.kind = DBG_AT_PLACE, .op = -1};
    char place[PATH_MAX + 32], rest[LONGEST_COMMAND];
    struct place_request request;
    struct dbg_break *b;
    int length;

    if (line < dap->first_lines || line >= UINT32_MAX)
        return refused("there is no such line");
    line += !dap->first_lines;
    if (hit_of(wanted) == 0)
        return refused("the hit condition is not a number of at least 1");
    length = snprintf(place, sizeof place, "%s:%lld", file, (long long)line);
    if (length >= (int)sizeof place || !rest_of(wanted, rest))
        return refused("the condition is too long");
    if (!place_resolve(dap->dbg, place, (size_t)length, &request))
        return refused(dap_failure(dap));
    what.where = pto_xstrdup(place);
    what.places = request.places;
    b = breakpoint_add(dap->dbg, &what, rest);
    if (!b)
        return refused(dap_failure(dap));
    b->ignore = hit_of(wanted) - 1;
    own(dap, owner, b->number);
    return verified(dap, b);
}

const char *dap_set_breakpoints(struct dap *dap, const json_t *args, json_t **body)
{
    const char *path = dap_text(json_object_get(args, "source"), "path", NULL);
    json_t *list = json_array();
    const char *file;
    const json_t *wanted;
    char owner[PATH_MAX + 16];
    size_t i;

    *body = json_pack("{s:o}", "breakpoints", list);
    if (!path || snprintf(owner, sizeof owner, "source %s", path) >= (int)sizeof owner)
        return "\"source\" has no path";
    drop_owned(dap, owner);
    file = dap_program_file(dap->dbg, path);
    json_array_foreach (json_object_get(args, "breakpoints"), i, wanted) {
        json_t *row;

        dap->answer.size = 0;
        dap->capturing = true;
        row = file ? make_at_line(dap, owner, file, wanted)
                   : refused("no instruction comes from this file");
        dbg_flush(dap->dbg);
        dap->capturing = false;
        json_array_append_new(list, row);
    }
    return NULL;
}

/* ---- names ---- */

/* Kernels, labels, macros, mnemonics and instructions (*25). */
const char *dap_set_function_breakpoints(struct dap *dap, const json_t *args, json_t **body)
{
    json_t *list = json_array();
    const json_t *wanted;
    size_t i;

    *body = json_pack("{s:o}", "breakpoints", list);
    drop_owned(dap, "function");
    json_array_foreach (json_object_get(args, "breakpoints"), i, wanted) {
        const char *name = dap_text(wanted, "name", "");
        char command[LONGEST_COMMAND];

        if (*name == '\0' || strpbrk(name, " \t\r\n") ||
            snprintf(command, sizeof command, "break %s", name) >= (int)sizeof command)
            json_array_append_new(list, refused("that is no name"));
        else
            json_array_append_new(list, make(dap, "function", command, wanted));
    }
    return NULL;
}

/* ---- instructions ---- */

static json_t *make_at_instruction(struct dap *dap, const json_t *wanted)
{
    struct dbg_break what = {.kind = DBG_AT_PLACE, .op = -1};
    char rest[LONGEST_COMMAND], where[32];
    struct dbg_place place;
    struct dbg_break *b;

    if (!dap_instruction_place(dap->dbg, dap_text(wanted, "instructionReference", ""),
                               dap_int(wanted, "offset", 0), &place))
        return refused("there is no such instruction");
    if (hit_of(wanted) == 0)
        return refused("the hit condition is not a number of at least 1");
    if (!rest_of(wanted, rest))
        return refused("the condition is too long");
    snprintf(where, sizeof where, "*%u", place.pc);
    what.where = pto_xstrdup(where);
    PTO_GROW(what.places.item, what.places.count, what.places.capacity);
    what.places.item[what.places.count++] = place;
    b = breakpoint_add(dap->dbg, &what, rest);
    if (!b)
        return refused(dap_failure(dap));
    b->ignore = hit_of(wanted) - 1;
    own(dap, "instruction", b->number);
    return verified(dap, b);
}

const char *dap_set_instruction_breakpoints(struct dap *dap, const json_t *args, json_t **body)
{
    json_t *list = json_array();
    const json_t *wanted;
    size_t i;

    *body = json_pack("{s:o}", "breakpoints", list);
    drop_owned(dap, "instruction");
    json_array_foreach (json_object_get(args, "breakpoints"), i, wanted) {
        dap->answer.size = 0;
        dap->capturing = true;
        json_array_append_new(list, make_at_instruction(dap, wanted));
        dbg_flush(dap->dbg);
        dap->capturing = false;
    }
    return NULL;
}

/* ---- exceptions ---- */

const char *dap_set_exception_breakpoints(struct dap *dap, const json_t *args, json_t **body)
{
    json_t *list = json_array();
    const json_t *wanted;
    bool findings = false;
    size_t i;

    *body = json_pack("{s:o}", "breakpoints", list);
    drop_owned(dap, "exception");
    json_array_foreach (json_object_get(args, "filters"), i, wanted) {
        const char *name = json_is_string(wanted) ? json_string_value(wanted) : "";

        if (!strcmp(name, "nan"))
            json_array_append_new(list, make(dap, "exception", "catch nan", NULL));
        else if (!strcmp(name, "finding"))
            json_array_append_new(list, json_pack("{s:b}", "verified", dap->dbg->check != NULL));
        else
            json_array_append_new(list, refused("there is no such filter"));
        findings = findings || !strcmp(name, "finding");
    }
    for (unsigned k = 0; k < dap->dbg->breaks_count; k++)
        if (dap->dbg->breaks[k].event == DBG_EV_FINDING)
            dap->dbg->breaks[k].enabled = findings;
    return NULL;
}

/* ---- data ---- */

/* What a variable of a reference is called in a command; false: it cannot be watched. */
static bool name_of(const struct dap_handle *handle, const char *name, char text[LONGEST_COMMAND])
{
    if (handle && handle->name)
        return dap_element_name(handle, name, text, LONGEST_COMMAND);
    if (handle && handle->kind != DAP_REGISTERS && handle->kind != DAP_TILES &&
        handle->kind != DAP_OBJECTS)
        return false;
    return *name && snprintf(text, LONGEST_COMMAND, "%s", name) < LONGEST_COMMAND;
}

/* The identity of data begins with the thread whose they are: "5 ta[0](0, 3)". */
const char *dap_data_breakpoint_info(struct dap *dap, const json_t *args, json_t **body)
{
    int64_t reference = dap_int(args, "variablesReference", 0);
    const struct dap_handle *handle =
        reference > 0 && reference <= dap->handles ? &dap->handle[reference - 1] : NULL;
    int64_t thread = handle ? dap_thread(dap->dbg, handle->rank, handle->core)
                            : dap_thread(dap->dbg, dap->dbg->rank, dap->dbg->core);
    char text[LONGEST_COMMAND], id[LONGEST_COMMAND + 32];

    if (!name_of(handle, dap_text(args, "name", ""), text)) {
        *body = json_pack("{s:n, s:s}", "dataId", "description", "this cannot be watched");
        return NULL;
    }
    snprintf(id, sizeof id, "%lld %s", (long long)thread, text);
    *body = *text == '%' /* a register has no bytes that could be seen to be read */
                ? json_pack("{s:[s]}", "accessTypes", "write")
                : json_pack("{s:[s, s, s]}", "accessTypes", "read", "write", "readWrite");
    json_object_set_new(*body, "dataId", dap_string(id));
    json_object_set_new(*body, "description", dap_string(text));
    return NULL;
}

static json_t *make_at_data(struct dap *dap, const json_t *wanted)
{
    const char *id = dap_text(wanted, "dataId", "");
    const char *access = dap_text(wanted, "accessType", "write");
    char command[LONGEST_COMMAND], *text;
    int64_t thread = strtoll(id, &text, 10);

    text += strspn(text, " ");
    access = !strcmp(access, "read") ? "rwatch" : !strcmp(access, "write") ? "watch" : "awatch";
    if (*text == '\0' || strpbrk(text, "\r\n") || !dap_focus(dap, thread) ||
        snprintf(command, sizeof command, "%s %s", access, text) >= (int)sizeof command)
        return refused("that is no data");
    return make(dap, "data", command, wanted);
}

const char *dap_set_data_breakpoints(struct dap *dap, const json_t *args, json_t **body)
{
    json_t *list = json_array();
    const json_t *wanted;
    size_t i;

    *body = json_pack("{s:o}", "breakpoints", list);
    drop_owned(dap, "data");
    json_array_foreach (json_object_get(args, "breakpoints"), i, wanted)
        json_array_append_new(list, make_at_data(dap, wanted));
    return NULL;
}
