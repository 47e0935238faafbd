/* The conversation: requests and notifications, one after the other. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler.h"
#include "server.h"
#include "version.h"

/* Error codes of JSON-RPC and of the protocol. */
enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602,
    NOT_INITIALIZED = -32002,
    REQUEST_FAILED = -32803
};

enum { INCREMENTAL = 2 }; /* TextDocumentSyncKind */

/* ---- the end ---- */

/* The conversation is over; what came first is the reason. */
static void leave(struct lsp_server *server, enum lsp_end end, const char *why)
{
    if (server->gone)
        return;
    server->gone = true;
    server->end = end;
    server->why = why;
}

/* The client says exit, or nothing any more. */
static void part(struct lsp_server *server, const char *how)
{
    leave(server, server->shut_down ? LSP_END_SHUT_DOWN : LSP_END_LEFT, how);
}

/* ---- sending ---- */

/* Takes the message over. */
static void send_message(struct lsp_server *server, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);

    if (!text || !pto_frame_write(server->out, text, strlen(text)))
        part(server, "the client does not take what it is sent");
    free(text);
    json_decref(message);
}

static void answer(struct lsp_server *server, json_t *id, json_t *result)
{
    send_message(server, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result",
                                   result ? result : json_null()));
}

static void refuse(struct lsp_server *server, json_t *id, int code, const char *why)
{
    json_t *none = json_null();

    send_message(server, json_pack("{s:s, s:O, s:{s:i, s:o}}", "jsonrpc", "2.0", "id",
                                   id ? id : none, "error", "code", code, "message",
                                   lsp_text(why)));
}

static void publish(struct lsp_server *server, struct lsp_document *document)
{
    if (document->published)
        return;
    document->published = true;
    send_message(server, json_pack("{s:s, s:s, s:{s:s, s:o}}", "jsonrpc", "2.0", "method",
                                   "textDocument/publishDiagnostics", "params", "uri",
                                   document->uri, "diagnostics",
                                   lsp_diagnostics(server, document)));
}

/* ---- the beginning ---- */

static const struct method {
    const char *name, *capability;
    json_t *(*answer)(struct lsp_server *server, struct lsp_document *document,
                      const json_t *params);
} METHODS[] = {
#define METHOD(name, capability, function) {name, capability, function},
#include "lsp.def"
#undef METHOD
};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static void take_folder(struct lsp_server *server, const char *folder)
{
    PTO_GROW(server->include_dir, server->include_dirs, server->include_capacity);
    server->include_dir[server->include_dirs++] = pto_arena_strdup(&server->arena, folder);
}

/* initializationOptions: profile, includePaths, defines. */
static void take_settings(struct lsp_server *server, const json_t *settings)
{
    const char *profile = json_string_value(json_object_get(settings, "profile")), *name;
    json_t *folders = json_object_get(settings, "includePaths"), *value;
    size_t i;

    server->profile = profile ? pto_arena_strdup(&server->arena, profile) : server->host->profile;
    json_array_foreach(folders, i, value)
        if (json_is_string(value))
            take_folder(server, json_string_value(value));
    for (unsigned k = 0; k < server->host->include_dirs; k++)
        take_folder(server, server->host->include_dir[k]);
    json_object_foreach(json_object_get(settings, "defines"), name, value) {
        char *number = json_dumps(value, JSON_ENCODE_ANY); /* what is none, the assembler refuses */

        PTO_GROW(server->define, server->defines, server->define_capacity);
        server->define[server->defines++] = (struct pto_asm_define){
            pto_arena_strdup(&server->arena, name),
            pto_arena_strdup(&server->arena,
                             json_is_string(value) ? json_string_value(value) : number)};
        free(number);
    }
}

static json_t *capabilities(const struct lsp_server *server)
{
    json_t *all = json_pack("{s:s, s:{s:b, s:i}, s:{s:[s, s]}}", "positionEncoding",
                            server->utf32 ? "utf-32" : "utf-16", "textDocumentSync", "openClose",
                            1, "change", INCREMENTAL, "completionProvider", "triggerCharacters",
                            ".", "%");

    for (unsigned i = 0; i < METHOD_COUNT; i++)
        if (METHODS[i].capability)
            json_object_set_new(all, METHODS[i].capability, json_true());
    return all;
}

static json_t *initialize(struct lsp_server *server, const json_t *params)
{
    json_t *general = json_object_get(json_object_get(params, "capabilities"), "general"), *value;
    size_t i;

    server->initialized = true;
    json_array_foreach(json_object_get(general, "positionEncodings"), i, value)
        if (json_is_string(value) && !strcmp(json_string_value(value), "utf-32"))
            server->utf32 = true;
    take_settings(server, json_object_get(params, "initializationOptions"));
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities(server), "serverInfo",
                     "name", "ptoas", "version", pto_version());
}

/* ---- documents ---- */

static struct lsp_document *document_of(struct lsp_server *server, const json_t *params)
{
    const json_t *document = json_object_get(params, "textDocument");
    const char *uri = json_string_value(json_object_get(document, "uri"));

    return uri ? lsp_find(server, uri) : NULL;
}

static void did_open(struct lsp_server *server, const json_t *params)
{
    const json_t *document = json_object_get(params, "textDocument");
    const char *uri = json_string_value(json_object_get(document, "uri"));
    const json_t *text = json_object_get(document, "text");

    if (uri && json_is_string(text))
        lsp_open(server, uri, text);
}

/* An editor whose idea of a text is not ours any more has to be told: it cannot be mended here. */
static void did_change(struct lsp_server *server, const json_t *params)
{
    struct lsp_document *document = document_of(server, params);
    json_t *change;
    size_t i;

    if (!document)
        return;
    json_array_foreach(json_object_get(params, "contentChanges"), i, change) {
        if (lsp_change(server, document, change))
            continue;
        send_message(server, json_pack("{s:s, s:s, s:{s:i, s:s}}", "jsonrpc", "2.0", "method",
                                       "window/showMessage", "params", "type", 1, "message",
                                       "ptoas: a change of the text has no text or no range; "
                                       "close the file and open it again"));
        return;
    }
}

static void did_close(struct lsp_server *server, const json_t *params)
{
    struct lsp_document *document = document_of(server, params);

    if (!document)
        return;
    send_message(server, json_pack("{s:s, s:s, s:{s:s, s:[]}}", "jsonrpc", "2.0", "method",
                                   "textDocument/publishDiagnostics", "params", "uri",
                                   document->uri, "diagnostics"));
    lsp_close(server, document);
}

static void take_notification(struct lsp_server *server, const char *method, const json_t *params)
{
    if (!strcmp(method, "exit"))
        part(server, "the client said 'exit' without 'shutdown'");
    else if (!server->initialized)
        return;
    else if (!strcmp(method, "textDocument/didOpen"))
        did_open(server, params);
    else if (!strcmp(method, "textDocument/didChange"))
        did_change(server, params);
    else if (!strcmp(method, "textDocument/didClose"))
        did_close(server, params);
}

/* ---- requests ---- */

static void ask(struct lsp_server *server, const struct method *method, json_t *id,
                const json_t *params)
{
    struct lsp_document *document = document_of(server, params);

    json_t *result;

    if (!document) {
        refuse(server, id, INVALID_PARAMS, "this text is not open");
        return;
    }
    *server->refusal = '\0';
    result = method->answer(server, document, params);
    if (*server->refusal)
        refuse(server, id, REQUEST_FAILED, server->refusal);
    else
        answer(server, id, result);
}

json_t *lsp_refuse(struct lsp_server *server, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(server->refusal, sizeof server->refusal, format, args);
    va_end(args);
    return NULL;
}

static void take_request(struct lsp_server *server, const char *name, json_t *id,
                         const json_t *params)
{
    const struct method *method = METHODS;

    while (method < METHODS + METHOD_COUNT && strcmp(method->name, name))
        method++;
    if (!strcmp(name, "initialize") && !server->initialized) {
        answer(server, id, initialize(server, params));
    } else if (!server->initialized) {
        refuse(server, id, NOT_INITIALIZED, "initialize comes first, and once");
    } else if (server->shut_down || !strcmp(name, "initialize")) {
        refuse(server, id, INVALID_REQUEST, "nothing is served any more, or initialize came twice");
    } else if (!strcmp(name, "shutdown")) {
        server->shut_down = true;
        answer(server, id, NULL);
    } else if (method < METHODS + METHOD_COUNT) {
        ask(server, method, id, params);
    } else {
        refuse(server, id, METHOD_NOT_FOUND, "there is no such method");
    }
}

static void take_message(struct lsp_server *server, const char *text, size_t length)
{
    json_error_t error;
    json_t *message = json_loadb(text, length, JSON_ALLOW_NUL, &error);
    json_t *id = json_object_get(message, "id");
    const char *method = json_string_value(json_object_get(message, "method"));

    if (!message)
        refuse(server, NULL, PARSE_ERROR, error.text);
    else if (!method && !json_object_get(message, "result") && !json_object_get(message, "error"))
        refuse(server, json_is_string(id) || json_is_integer(id) ? id : NULL, INVALID_REQUEST,
               "this is no request");
    else if (method && !id)
        take_notification(server, method, json_object_get(message, "params"));
    else if (method && (json_is_string(id) || json_is_integer(id)))
        take_request(server, method, id, json_object_get(message, "params"));
    else if (method)
        refuse(server, NULL, INVALID_REQUEST, "an id is a number or a string");
    json_decref(message);
}

/* ---- the whole ---- */

bool lsp_is_there(void)
{
    return true;
}

static void release(struct lsp_server *server)
{
    while (server->document)
        lsp_close(server, server->document);
    pto_frames_free(&server->frames);
    free(server->include_dir);
    free(server->define);
    pto_arena_free(&server->arena);
}

/* Diagnostics wait until the client has said everything for now: who types fast is not kept
 * waiting by texts that are old already. */
static void publish_all(struct lsp_server *server)
{
    for (struct lsp_document *d = server->document; d && !server->gone; d = d->next)
        publish(server, d);
}

/* Wait for a message, and do what it says. */
static void serve_next(struct lsp_server *server)
{
    const char *text, *why;
    size_t length;

    switch (pto_frame_read(&server->frames, &text, &length, &why)) {
    case PTO_FRAME_END:
        publish_all(server);
        part(server, "the client hung up without 'shutdown'");
        break;
    case PTO_FRAME_BAD:
        leave(server, LSP_END_LOST, why);
        break;
    case PTO_FRAME_WHOLE:
        take_message(server, text, length);
        if (!server->gone && !pto_frame_waits(&server->frames))
            publish_all(server);
        break;
    }
}

enum lsp_end lsp_serve(const struct lsp_host *host, int in, int out, const char **why)
{
    struct lsp_server server = {.host = host, .frames = {.fd = in}, .out = out};

    json_set_alloc_funcs(pto_xmalloc, free);
    while (!server.gone)
        serve_next(&server);
    *why = server.why;
    release(&server);
    return server.end;
}
