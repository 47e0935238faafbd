/* Messages: requests in, responses and events out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/adapter.h"
#include "json_quote.h"

enum dap_when { ALWAYS, LAUNCHED, STOPPED };

static const struct request {
    const char *name;
    const char *(*function)(struct dap *dap, const json_t *args, json_t **body);
    enum dap_when when;
} REQUESTS[] = {
#define REQUEST(name, function, when) {name, dap_##function, when},
#include "dap/dap.def"
#undef REQUEST
};
enum { REQUEST_COUNT = sizeof REQUESTS / sizeof *REQUESTS };

/* ---- out ---- */

json_t *dap_string(const char *text)
{
    struct pto_buf quoted = {0};
    json_t *string = json_string(text);

    if (string) /* which takes UTF-8 alone */
        return string;
    pto_json_quote(&quoted, text);
    string = json_loadb((const char *)quoted.data, quoted.size, JSON_DECODE_ANY, NULL);
    pto_buf_free(&quoted);
    return string;
}

/* Takes the message over. */
static void send_message(struct dap *dap, json_t *message)
{
    char *text;

    json_object_set_new(message, "seq", json_integer(++dap->seq));
    text = json_dumps(message, JSON_COMPACT);
    dap->gone = dap->gone || !pto_frame_write(dap->out, text, strlen(text));
    free(text);
    json_decref(message);
}

void dap_event(struct dap *dap, const char *name, json_t *body)
{
    json_t *message = json_pack("{s:s, s:s}", "type", "event", "event", name);

    if (body)
        json_object_set_new(message, "body", body);
    send_message(dap, message);
}

void dap_output(struct dap *dap, const char *category, const char *text)
{
    json_t *body = json_pack("{s:s}", "category", category);

    json_object_set_new(body, "output", dap_string(text));
    dap_event(dap, "output", body);
}

static void respond(struct dap *dap, const json_t *request, const char *why, json_t *body)
{
    json_t *message = json_pack("{s:s, s:b}", "type", "response", "success", why == NULL);

    json_object_set(message, "request_seq", json_object_get(request, "seq"));
    json_object_set(message, "command", json_object_get(request, "command"));
    if (why)
        json_object_set_new(message, "message", dap_string(why));
    if (body)
        json_object_set_new(message, "body", body);
    send_message(dap, message);
}

/* ---- in ---- */

static const char *carry_out(struct dap *dap, const char *name, const json_t *args, json_t **body)
{
    for (int i = 0; i < REQUEST_COUNT; i++) {
        const struct request *row = &REQUESTS[i];

        if (strcmp(row->name, name) != 0)
            continue;
        if (row->when != ALWAYS && !dap->dbg)
            return dap_why(dap, "'%s' needs a program: launch comes first", name);
        if (row->when == STOPPED && dap->running)
            return dap_why(dap, "'%s' has to wait until the program stops", name);
        return row->function(dap, json_is_object(args) ? args : NULL, body);
    }
    return dap_why(dap, "there is no request '%.100s'", name);
}

/* Texts end at the first NUL: what is behind it would be lost. */
static bool has_nul(json_t *value)
{
    const char *key;
    json_t *part;
    size_t i;

    if (json_is_string(value))
        return strlen(json_string_value(value)) != json_string_length(value);
    json_array_foreach (value, i, part)
        if (has_nul(part))
            return true;
    json_object_foreach (value, key, part)
        if (has_nul(part))
            return true;
    return false;
}

/* Takes the message over. */
static void handle(struct dap *dap, json_t *message)
{
    const char *type = dap_text(message, "type", ""), *name = dap_text(message, "command", NULL);
    const char *why;
    json_t *body = NULL;

    if (strcmp(type, "request") != 0 || !name ||
        !json_is_integer(json_object_get(message, "seq"))) {
        if (strcmp(type, "response") != 0) /* nothing was asked, but that is no reason to fuss */
            dap_output(dap, "important", "A message that is no request was left out.\n");
        json_decref(message);
        return;
    }
    why = has_nul(message)
              ? "a text of this request has the character U+0000, which none can have"
              : carry_out(dap, name, json_object_get(message, "arguments"), &body);
    if (why && body) {
        json_decref(body);
        body = NULL;
    }
    respond(dap, message, why, body);
    if (!why && !strcmp(name, "launch")) /* from now on it takes breakpoints */
        dap_event(dap, "initialized", NULL);
    json_decref(message);
}

/* Wait for the next message; NULL: none comes any more, or it is no JSON. */
static json_t *read_message(struct dap *dap)
{
    const char *text, *why;
    size_t length;
    enum pto_frame_state state = pto_frame_read(&dap->in, &text, &length, &why);
    json_error_t error;
    json_t *message;

    if (state != PTO_FRAME_WHOLE) {
        dap->input_over = true;
        dap->bad = state == PTO_FRAME_BAD ? why : NULL;
        return NULL;
    }
    message = json_loadb(text, length, JSON_ALLOW_NUL, &error);
    if (!message) {
        char report[JSON_ERROR_TEXT_LENGTH + 40];

        snprintf(report, sizeof report, "A message is no JSON: %s\n", error.text);
        dap_output(dap, "important", report);
    }
    return message;
}

static bool asks_to_stop(const json_t *message)
{
    static const char *const names[] = {"pause", "disconnect", "terminate"};
    const char *name = dap_text(message, "command", "");

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

bool dap_is_urgent(void *context, bool only_stop)
{
    struct dap *dap = context;
    const json_t *message;
    size_t i;

    while (!dap->input_over && pto_frame_waits(&dap->in)) {
        json_t *next = read_message(dap);

        if (next)
            json_array_append_new(dap->waiting, next);
    }
    if (dap->input_over || dap->gone)
        return true;
    json_array_foreach (dap->waiting, i, message)
        if ((!only_stop && dap->running) || asks_to_stop(message))
            return true;
    return false;
}

void dap_serve_waiting(struct dap *dap)
{
    while (json_array_size(dap->waiting) > 0 && !dap->over) {
        json_t *message = json_incref(json_array_get(dap->waiting, 0));

        json_array_remove(dap->waiting, 0);
        handle(dap, message);
    }
}

/* ---- the session ---- */

static void free_all(struct dap *dap)
{
    dap_drop_handles(dap);
    free(dap->handle);
    for (unsigned i = 0; i < dap->owneds; i++)
        free(dap->owned[i].owner);
    free(dap->owned);
    dbg_free(dap->dbg);
    cli_options_free(&dap->options);
    pto_buf_free(&dap->answer);
    pto_frames_free(&dap->in);
    pto_arena_free(&dap->arena);
    json_decref(dap->waiting);
}

/* One message, and where it leads. */
static void serve_next(struct dap *dap)
{
    json_t *message = NULL;

    if (json_array_size(dap->waiting) > 0) {
        message = json_incref(json_array_get(dap->waiting, 0));
        json_array_remove(dap->waiting, 0);
    } else {
        message = read_message(dap);
    }
    if (message)
        handle(dap, message);
    if (dap->command && !dap->over)
        dap_go(dap);
    if (dap->gone && !dap->over && !dap->bad)
        dap->bad = "the client does not take what it is sent";
    dap->over = dap->over || dap->input_over || dap->gone;
}

enum dbg_exit dap_serve(int argc, char **argv, int in, int out, const char **why)
{
    struct dap dap = {.in = {.fd = in},
                      .out = out,
                      .argc = argc,
                      .argv = argv,
                      .first_lines = true,
                      .first_columns = true};
    enum dbg_exit code;

    json_set_alloc_funcs(pto_xmalloc, free);
    dap.waiting = json_array();
    while (!dap.over)
        serve_next(&dap);
    *why = dap.bad;
    code = dap.bad ? DBG_EXIT_USAGE : DBG_EXIT_DONE;
    free_all(&dap);
    return code;
}
