#include "cli/faults.h"

#include <stdio.h>
#include <string.h>

#include "characters.h"
#include "cli/details.h"
#include "cli/waits.h"
#include "place.h"

enum { WARNINGS_SHOWN = 5 };

const char *cli_time_text(uint64_t ps, char *text)
{
    static const struct {
        uint64_t ps;
        const char *name;
    } unit[] = {{UINT64_C(1000000000000), "s"}, {1000000000, "ms"}, {1000000, "us"}, {1000, "ns"}};

    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        if (ps >= unit[i].ps) {
            snprintf(text, CLI_TIME_BYTES, "%llu.%03llu %s", (unsigned long long)(ps / unit[i].ps),
                     (unsigned long long)(ps % unit[i].ps / (unit[i].ps / 1000)), unit[i].name);
            return text;
        }
    snprintf(text, CLI_TIME_BYTES, "%llu ps", (unsigned long long)ps);
    return text;
}

const char *cli_fault_kind(const struct pto_fault *fault)
{
    switch (fault->status) {
    case PTO_EDEADLOCK:
        return "deadlock";
    case PTO_ELIMIT:
        return "limit";
    case PTO_EPROGRAM:
        return "fault";
    default:
        return "error";
    }
}

/* The line and a caret under its column. */
static void source_line(const char *path, const struct pto_pos *pos, struct pto_lines *lines,
                        struct pto_buf *out)
{
    size_t length;
    const char *line = pto_lines_get(lines, path, pos->line, &length);

    if (line && length > 0 && length <= PTO_MOST_SHOWN) {
        struct pto_buf copy = {0};

        pto_buf_append(&copy, line, length);
        pto_put_source(out, pto_buf_text(&copy), pos->column, 1);
        pto_buf_free(&copy);
    }
}

/* A text that may quote the program. */
static void clean(const char *text, struct pto_buf *out)
{
    pto_put_clean(out, text, strlen(text));
}

static void place(const struct pto_module *module, const struct pto_pos *pos, struct pto_buf *out)
{
    clean(module->file[pos->file], out);
    pto_buf_printf(out, ":%u:%u", pos->line, pos->column);
}

/* The places between the one named first and a position of a library, in the order of the run. */
static void way_in(const struct pto_module *module, const struct pto_pos *first,
                   const struct pto_pos *pos, struct pto_buf *out)
{
    const struct pto_pos *step[PTO_TRAIL_DEPTH];
    unsigned steps = 0;

    for (; pos != first && steps < PTO_TRAIL_DEPTH; pos = pto_place(module, pos->parent))
        step[steps++] = pos;
    while (steps-- > 0) {
        pto_buf_printf(out, "  in ");
        place(module, step[steps], out);
        pto_buf_printf(out, "\n");
    }
}

static void way_here(const struct pto_module *module, const struct pto_pos *pos,
                     struct pto_buf *out)
{
    for (int depth = 0; depth < PTO_TRAIL_DEPTH; depth++) {
        pos = pto_place(module, pos->parent);
        if (!pos)
            return;
        pto_buf_printf(out, "  from ");
        place(module, pos, out);
        pto_buf_printf(out, "\n");
    }
}

void cli_place_head(const struct pto_module *module, int32_t index, struct pto_buf *out)
{
    const struct pto_pos *first = pto_place_first(module, index);

    if (!first)
        return;
    place(module, first, out);
    pto_buf_printf(out, ": ");
}

void cli_place_text(const struct pto_module *module, int32_t index, struct pto_lines *lines,
                    struct pto_buf *out)
{
    const struct pto_pos *pos = pto_place(module, index), *first = pto_place_first(module, index);

    if (!pos)
        return;
    source_line(module->file[first->file], first, lines, out);
    way_here(module, first, out);
    way_in(module, first, pos, out);
    if (pos != first)
        source_line(module->file[pos->file], pos, lines, out);
}

/* "rank 3, aiv7.1, pipe MTE3, at 12.345 us" */
static void where(const struct pto_fault *fault, struct pto_buf *out)
{
    char time[CLI_TIME_BYTES];

    pto_buf_printf(out, "  ");
    if (fault->rank >= 0)
        pto_buf_printf(out, "rank %d, ", fault->rank);
    if (fault->core)
        pto_buf_printf(out, "%s, ", fault->core);
    if (fault->pipe)
        pto_buf_printf(out, "pipe %s, ", fault->pipe);
    pto_buf_printf(out, "at %s\n", cli_time_text(fault->time_ps, time));
}

void cli_fault_text(const struct pto_fault *fault, const char *label, bool colour,
                    struct pto_buf *out)
{
    struct pto_lines lines = {0};
    bool warning = label;

    cli_place_head(fault->module, fault->pos, out);
    pto_buf_printf(out, "%s%s:%s ", !colour ? "" : warning ? "\033[1;35m" : "\033[1;31m",
                   warning ? label : cli_fault_kind(fault), colour ? "\033[0m" : "");
    clean(fault->message, out);
    pto_buf_printf(out, "\n");
    cli_place_text(fault->module, fault->pos, &lines, out);
    pto_lines_free(&lines);
    if (fault->status != PTO_ECONFIG || fault->rank >= 0)
        where(fault, out);
    if (fault->hint) {
        pto_buf_printf(out, "  hint: ");
        pto_put_wrapped(out, fault->hint, strlen(fault->hint), 8, 8);
    }
    if (fault->details)
        cli_details_text(fault->details, out);
}

/* Details as an array of lines. */
static void details_json(const char *text, struct cli_json *json)
{
    struct pto_arena arena = {0};

    cli_json_open(json, "details", '[');
    while (text && *text) {
        size_t length = strcspn(text, "\n");

        cli_json_text(json, NULL, pto_arena_strndup(&arena, text, length));
        text += length + (text[length] == '\n' ? 1 : 0);
    }
    cli_json_close(json, ']');
    pto_arena_free(&arena);
}

void cli_fault_json(const struct pto_fault *fault, const char *key, struct cli_json *json)
{
    const struct pto_pos *pos = pto_place(fault->module, fault->pos);

    cli_json_open(json, key, '{');
    cli_json_text(json, "kind", cli_fault_kind(fault));
    cli_json_text(json, "message", fault->message);
    cli_json_text(json, "hint", fault->hint);
    cli_json_text(json, "file", pos ? fault->module->file[pos->file] : NULL);
    cli_json_uint(json, "line", pos ? pos->line : 0);
    cli_json_uint(json, "column", pos ? pos->column : 0);
    cli_json_int(json, "rank", fault->rank);
    cli_json_text(json, "core", fault->core);
    cli_json_text(json, "pipe", fault->pipe);
    cli_json_uint(json, "time_ps", fault->time_ps);
    details_json(fault->details, json);
    cli_json_close(json, '}');
}

static bool same_fault(const struct pto_fault *a, const struct pto_fault *b)
{
    return a->rank == b->rank && a->pos == b->pos && a->time_ps == b->time_ps &&
           !strcmp(a->message, b->message);
}

void cli_end_text(struct pto_vm *vm, bool verbose, bool colour, struct pto_buf *out)
{
    const struct pto_fault *warning, *fault = pto_vm_fault(vm);
    unsigned warnings = pto_vm_warnings(vm, &warning);
    unsigned shown = verbose || warnings < WARNINGS_SHOWN ? warnings : WARNINGS_SHOWN;

    for (unsigned i = 0; i < shown; i++)
        if (!fault || !same_fault(&warning[i], fault))
            cli_fault_text(&warning[i], "warning", colour, out);
    if (shown < warnings)
        pto_buf_printf(out, "note: %u more warnings; -v shows all\n", warnings - shown);
    if (fault)
        cli_fault_text(fault, NULL, colour, out);
    if (fault && fault->status == PTO_EDEADLOCK)
        cli_waits_text(vm, out);
}
