/* Arguments of requests, and answers of the debugger as their results. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dap/adapter.h"

const char *dap_text(const json_t *args, const char *name, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(args, name));

    return text ? text : otherwise;
}

int64_t dap_int(const json_t *args, const char *name, int64_t otherwise)
{
    const json_t *value = json_object_get(args, name);

    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

bool dap_bool(const json_t *args, const char *name)
{
    return json_is_true(json_object_get(args, name));
}

const char *dap_why(struct dap *dap, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(dap->why, sizeof dap->why, format, args);
    va_end(args);
    return dap->why;
}

bool dap_capture(struct dap *dap, const char *command)
{
    bool good;

    dap->answer.size = 0;
    dap->capturing = true;
    good = dbg_command(dap->dbg, command);
    dap->capturing = false;
    return good;
}

const char *dap_said(struct dap *dap)
{
    dap->answer.size = 0;
    dap->capturing = true;
    dbg_flush(dap->dbg);
    dap->capturing = false;
    return pto_buf_text(&dap->answer);
}

const char *dap_failure(struct dap *dap)
{
    static const char prefix[] = "error: ";
    const char *text;
    size_t length;

    dbg_flush(dap->dbg);
    text = pto_buf_text(&dap->answer);
    text += !strncmp(text, prefix, sizeof prefix - 1) ? sizeof prefix - 1 : 0;
    length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        length--;
    return dap_why(dap, "%.*s", (int)(length < sizeof dap->why ? length : sizeof dap->why - 1),
                   text);
}
