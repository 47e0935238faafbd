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
    if (window)
        json_object_set(result, "indexedVariables", json_object_get(window, "indexedVariables"));
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
