/* What the user types: expressions, windows, and in the console every command of the debugger. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"

/* The answer without the newline at its end. */
static json_t *answer(struct dap *dap)
{
    size_t length = dap->answer.size;
    json_t *string;
    char *text;

    while (length > 0 && dap->answer.data[length - 1] == '\n')
        length--;
    text = pto_xstrndup((const char *)pto_buf_text(&dap->answer), length);
    string = dap_string(text);
    free(text);
    return string;
}

/* Commands that move the machine lead to a stop; they cannot be gone on with after a message. */
static const char *console(struct dap *dap, const char *line, json_t **body)
{
    struct dbg *dbg = dap->dbg;
    uint64_t events = dbg->events;

    if (!dap->configured)
        return "the run has not begun: configurationDone comes first";
    dap->reason = "step";
    dap->pausing = true;
    if (!dap_capture(dap, line) && !dbg->quit)
        return dap_failure(dap);
    *body = json_pack("{s:i, s:o}", "variablesReference", 0, "result", answer(dap));
    if (dbg->quit || dbg->events != events)
        dap_tell(dap);
    return NULL;
}

/* `answer` is one of `print`: the text, and for a tile or an object what is in it. */
static json_t *result_of(struct dap *dap, const char *expression)
{
    const char *text = pto_buf_text(&dap->answer);
    size_t length = strlen(expression);
    json_t *result, *window;

    if (!strncmp(text, expression, length) && !strncmp(text + length, " = ", 3)) {
        size_t prefix = length + 3;

        dap->answer.size -= prefix;
        memmove(dap->answer.data, dap->answer.data + prefix, dap->answer.size);
        return json_pack("{s:i, s:o}", "variablesReference", 0, "result", answer(dap));
    }
    result = json_pack("{s:o}", "result", answer(dap));
    window = dap_window(dap, expression);
    json_object_set_new(result, "variablesReference",
                        json_integer(dap_int(window, "variablesReference", 0)));
    if (window) {
        json_object_set(result, "indexedVariables", json_object_get(window, "indexedVariables"));
        json_object_set(result, "memoryReference", json_object_get(window, "memoryReference"));
    }
    json_decref(window);
    return result;
}

static const char *value(struct dap *dap, const char *expression, json_t **body)
{
    char command[4096];

    if (strpbrk(expression, "\r\n") ||
        snprintf(command, sizeof command, "print %s", expression) >= (int)sizeof command)
        return "the expression is too long";
    if (!dap_capture(dap, command))
        return dap_failure(dap);
    *body = result_of(dap, expression);
    return NULL;
}

/* ---- completion ---- */

/* The client counts UTF-16 code units: how many a character has whose first byte this is; 0: it is
 * a further one. */
static int units_of(char byte)
{
    return ((uint8_t)byte & 0xc0) == 0x80 ? 0 : (uint8_t)byte >= 0xf0 ? 2 : 1;
}

static int64_t units(const char *text, size_t bytes)
{
    int64_t count = 0;

    for (size_t i = 0; i < bytes; i++)
        count += units_of(text[i]);
    return count;
}

/* The bytes of the characters that are in the first `count` units. */
static size_t bytes_of(const char *text, int64_t count)
{
    size_t bytes = 0;

    while (text[bytes] != '\0' && (count -= units_of(text[bytes])) >= 0)
        bytes++;
    return bytes;
}

static json_t *completion(const struct dap *dap, const char *line, size_t start, char *item)
{
    json_t *row = json_object();

    json_object_set_new(row, "label", dap_string(item));
    json_object_set_new(row, "start", json_integer(units(line, start) + dap->first_columns));
    json_object_set_new(row, "length", json_integer(units(line + start, strlen(line + start))));
    free(item);
    return row;
}

/* Of what is before the cursor in a line of the console. */
const char *dap_completions(struct dap *dap, const json_t *args, json_t **body)
{
    const char *text = dap_text(args, "text", NULL), *why = dap_focus_frame(dap, args);
    int64_t column = dap_int(args, "column", -1);
    size_t start = 0;
    json_t *list;
    char *line, **item;

    if (why)
        return why;
    if (!text || column < dap->first_columns)
        return "\"text\" or \"column\" is missing, or the column is before the first";
    line = pto_xstrndup(text, bytes_of(text, column - dap->first_columns));
    list = json_array();
    item = dbg_complete(dap->dbg, line, &start);
    for (unsigned i = 0; item && item[i]; i++)
        json_array_append_new(list, completion(dap, line, start, item[i]));
    free(item);
    free(line);
    *body = json_pack("{s:o}", "targets", list);
    return NULL;
}

/* ---- requests ---- */

const char *dap_evaluate(struct dap *dap, const json_t *args, json_t **body)
{
    const char *expression = dap_text(args, "expression", NULL);
    const char *why = dap_focus_frame(dap, args);

    if (why)
        return why;
    if (!expression)
        return "\"expression\" is missing";
    return !strcmp(dap_text(args, "context", ""), "repl") ? console(dap, expression, body)
                                                          : value(dap, expression, body);
}
