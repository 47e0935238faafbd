#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "assembler.h"
#include "place.h"
#include "profile_load.h"
#include "server.h"
#include "text/source.h"

/* ---- names of files ---- */

static int hex(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

char *lsp_path(const char *uri)
{
    char *path = pto_xstrdup(uri), *out = path;

    if (strncmp(uri, "file://", 7) != 0)
        return path;
    for (uri += 7; *uri; uri++) {
        if (*uri == '%' && isxdigit((unsigned char)uri[1]) && isxdigit((unsigned char)uri[2]) &&
            (uri[1] != '0' || uri[2] != '0')) {
            *out++ = (char)(16 * hex(uri[1]) + hex(uri[2]));
            uri += 2;
        } else {
            *out++ = *uri;
        }
    }
    *out = '\0';
    return path;
}

json_t *lsp_uri(const char *path)
{
    struct pto_buf uri = {0};
    json_t *result;

    pto_buf_printf(&uri, "%s", *path == '/' ? "file://" : "");
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/-._~:", *path))
            pto_buf_byte(&uri, (uint8_t)*path);
        else
            pto_buf_printf(&uri, "%%%02X", (uint8_t)*path);
    result = json_string(pto_buf_text(&uri));
    pto_buf_free(&uri);
    return result;
}

/* ---- open and close ---- */

struct lsp_document *lsp_find(struct lsp_server *server, const char *uri)
{
    struct lsp_document *document = server->document;

    while (document && strcmp(document->uri, uri))
        document = document->next;
    return document;
}

static void forget(struct lsp_document *document)
{
    if (document->indexed) {
        lsp_index_free(&document->index);
        text_free(&document->reader);
        pto_diags_free(&document->lexed);
        pto_arena_free(&document->arena);
    }
    if (document->checked)
        pto_diags_free(&document->diags);
    if (document->has_module)
        pto_module_free(&document->module);
    document->lexed = document->diags = (struct pto_diags){0};
    document->arena = (struct pto_arena){0};
    document->indexed = document->checked = document->has_module = document->published = false;
}

/* Any text may include any other. */
static void forget_all(struct lsp_server *server)
{
    for (struct lsp_document *d = server->document; d; d = d->next)
        forget(d);
}

/* Put a text in place of the bytes from `begin` to `end` of the document's. */
static void replace(struct lsp_server *server, struct lsp_document *document, size_t begin,
                    size_t end, const json_t *text)
{
    const char *old = pto_buf_text(&document->text);
    struct pto_buf changed = {0};

    forget_all(server);
    pto_buf_append(&changed, old, begin);
    pto_buf_append(&changed, json_string_value(text), json_string_length(text));
    pto_buf_append(&changed, old + end, document->text.size - end);
    pto_buf_free(&document->text);
    document->text = changed;
}

bool lsp_change(struct lsp_server *server, struct lsp_document *document, const json_t *change)
{
    const json_t *range = json_object_get(change, "range");
    const json_t *text = json_object_get(change, "text");
    size_t begin = 0, end = document->text.size;

    if (range) {
        begin = lsp_byte_at(server, &document->text, json_object_get(range, "start"));
        end = lsp_byte_at(server, &document->text, json_object_get(range, "end"));
    }
    if (!json_is_string(text) || begin == SIZE_MAX || end == SIZE_MAX || begin > end)
        return false;
    replace(server, document, begin, end, text);
    return true;
}

void lsp_open(struct lsp_server *server, const char *uri, const json_t *text)
{
    struct lsp_document *document = lsp_find(server, uri);

    if (!document) {
        document = pto_xcalloc(1, sizeof *document);
        document->uri = pto_xstrdup(uri);
        document->path = lsp_path(uri);
        document->next = server->document;
        server->document = document;
    }
    replace(server, document, 0, document->text.size, text);
}

void lsp_close(struct lsp_server *server, struct lsp_document *document)
{
    struct lsp_document **at = &server->document;

    forget_all(server);
    while (*at != document)
        at = &(*at)->next;
    *at = document->next;
    pto_buf_free(&document->text);
    free(document->uri);
    free(document->path);
    free(document);
}

/* ---- what is found out ---- */

/* Open texts are read as the client has them. */
static bool instead(const void *context, const char *path, const char **text, size_t *size)
{
    const struct lsp_server *server = context;
    char real[PATH_MAX], other[PATH_MAX];
    bool known = realpath(path, real) != NULL;

    for (struct lsp_document *d = server->document; d; d = d->next) {
        if (strcmp(d->path, path) != 0 &&
            (!known || !realpath(d->path, other) || strcmp(real, other) != 0))
            continue;
        *text = pto_buf_text(&d->text);
        *size = d->text.size;
        return true;
    }
    return false;
}

const struct lsp_index *lsp_index_of(struct lsp_server *server, struct lsp_document *document)
{
    struct asm_text *reader = &document->reader;

    if (document->indexed)
        return &document->index;
    document->lexed.max_errors = 1;
    *reader = (struct asm_text){
        .arena = &document->arena, .diags = &document->lexed,
        .include_dir = server->include_dir, .include_dirs = server->include_dirs,
        .instead = instead, .instead_context = server};
    lsp_index_build(&document->index, reader,
                    text_source_add(reader, document->path, pto_buf_text(&document->text),
                                    document->text.size, true));
    document->indexed = true;
    return &document->index;
}

/* Verify and look for mistakes; the document keeps the module. */
static void look(struct lsp_document *document, struct pto_module *module,
                 const struct pto_profile *profile)
{
    struct pto_program program;
    struct pto_lint found;

    if (pto_verify(module, profile, &program, &document->diags) != PTO_OK) {
        document->module = *module;
        document->has_module = true;
        return;
    }
    pto_lint(&program, &found);
    for (uint32_t i = 0; i < found.findings; i++) {
        const struct pto_lint_finding *finding = &found.finding[i];
        struct pto_diag *diag;

        if (finding->severity == PTO_NOTE)
            continue;
        diag = pto_diag_at(&document->diags, finding->severity, &program.module, finding->pos,
                           pto_arena_printf(&document->diags.arena, "%s [%s]", finding->message,
                                            pto_lint_rule_name(finding->rule)));
        if (finding->hint)
            pto_diag_hint(&document->diags, diag, "%s", finding->hint);
    }
    pto_lint_free(&found);
    document->module = program.module;
    document->has_module = true;
}

/* Assemble a text as that of the document. */
static enum pto_status assemble(struct lsp_server *server, const struct lsp_document *document,
                                struct pto_buf *buf, struct pto_profile *profile,
                                struct pto_module *module, struct pto_diags *diags)
{
    enum { MOST_ERRORS = 200 };
    /* The settings are those of all texts: none has to use all of them. */
    bool *used = pto_xcalloc(server->defines + 1, sizeof *used);
    const struct pto_asm_options options = {
        .profile = profile,
        .include_dir = server->include_dir, .include_dirs = server->include_dirs,
        .define = server->define, .defines = server->defines, .define_used = used,
        .instead = instead, .instead_context = server};
    const char *text = pto_buf_text(buf);
    enum pto_status status;

    diags->max_errors = MOST_ERRORS;
    status = server->profile ? pto_profile_load(server->profile, profile, diags)
                             : pto_assemble_profile(document->path, text, buf->size,
                                                    "the settings name the file of another one",
                                                    profile, diags);
    if (status == PTO_OK)
        status = pto_assemble_text(document->path, text, buf->size, &options, module, diags);
    free(used);
    return status;
}

void lsp_check(struct lsp_server *server, struct lsp_document *document)
{
    struct pto_profile profile;
    struct pto_module module;

    if (document->checked)
        return;
    document->checked = true;
    if (assemble(server, document, &document->text, &profile, &module, &document->diags) == PTO_OK)
        look(document, &module, &profile);
}

void lsp_errors(struct lsp_server *server, const struct lsp_document *document,
                struct pto_buf *text, struct pto_diags *diags)
{
    struct pto_profile profile;
    struct pto_module module;

    if (assemble(server, document, text, &profile, &module, diags) == PTO_OK)
        pto_module_free(&module);
}
