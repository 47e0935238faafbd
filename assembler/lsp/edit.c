/* Changes of texts: names, layout, what messages suggest; and the messages. */
#include <ctype.h>
#include <string.h>

#include "assembler.h"
#include "lines.h"
#include "parse.h"
#include "server.h"
#include "tool/suggestion.h"

/* ---- names ---- */

/* The name at the position of a request, NULL if none is. */
static const struct lsp_name *named(struct lsp_server *server, struct lsp_document *document,
                                    const json_t *params)
{
    const struct lsp_index *index = lsp_index_of(server, document);
    const struct asm_token *token, *statement;
    uint32_t line, column;

    if (!lsp_read_position(server, index->main, json_object_get(params, "position"), &line,
                           &column))
        return NULL;
    token = lsp_token_at(index, line, column, &statement);
    return token ? lsp_resolve(index, index->main, token) : NULL;
}

/* The next place of the text that means a name, from token `i` on; its end: none. */
static uint32_t next_use(const struct lsp_index *index, const struct lsp_name *name, uint32_t i)
{
    const struct asm_source *source = index->main;

    for (; i < source->tokens; i++)
        if (source->token[i].text && !strcmp(source->token[i].text, name->name) &&
            lsp_resolve(index, source, &source->token[i]) == name)
            break;
    return i;
}

json_t *lsp_references(struct lsp_server *server, struct lsp_document *document,
                       const json_t *params)
{
    const struct lsp_name *name = named(server, document, params);
    const struct lsp_index *index = &document->index;
    json_t *all = json_array();

    for (uint32_t i = 0; name && (i = next_use(index, name, i)) < index->main->tokens; i++)
        json_array_append_new(all, json_pack(
            "{s:s, s:o}", "uri", document->uri, "range",
            lsp_token_range(server, index->main, &index->main->token[i])));
    return all;
}

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return !*text;
}

/* Who has a word already, wherever it is known: anybody may be meant.  NULL: nobody. */
static const struct lsp_name *find_name(const struct lsp_index *index, const char *word)
{
    for (unsigned i = 0; i < index->names; i++)
        if (!strcmp(index->name[i].name, word))
            return &index->name[i];
    return NULL;
}

/* The text of the document with some places, in order, of other words. */
static void replace_words(const struct lsp_server *server, struct lsp_document *document,
                          const json_t *edits, struct pto_buf *text)
{
    const char *old = pto_buf_text(&document->text);
    size_t done = 0, i;
    json_t *edit;

    json_array_foreach(edits, i, edit) {
        const json_t *range = json_object_get(edit, "range");
        const char *word = json_string_value(json_object_get(edit, "newText"));
        size_t begin = lsp_byte_at(server, &document->text, json_object_get(range, "start"));

        pto_buf_append(text, old + done, begin - done);
        pto_buf_append(text, word, strlen(word));
        done = lsp_byte_at(server, &document->text, json_object_get(range, "end"));
    }
    pto_buf_append(text, old + done, document->text.size - done);
}

/* A name may be used where the index does not see that it is meant: by a macro of another text, or
 * as a keyword.  Then the text would have an error that it does not have; NULL: it has none. */
static json_t *only_if_right(struct lsp_server *server, struct lsp_document *document,
                             json_t *edits)
{
    struct pto_buf text = {0};
    struct pto_diags before = {0}, after = {0};
    bool right;

    replace_words(server, document, edits, &text);
    lsp_errors(server, document, &document->text, &before);
    lsp_errors(server, document, &text, &after);
    right = after.errors <= before.errors;
    if (!right)
        lsp_refuse(server, "the text would not be right any more: line %u, %s", after.first->line,
                   after.first->message);
    pto_diags_free(&before);
    pto_diags_free(&after);
    pto_buf_free(&text);
    if (right)
        return edits;
    json_decref(edits);
    return NULL;
}

json_t *lsp_rename(struct lsp_server *server, struct lsp_document *document, const json_t *params)
{
    const struct lsp_name *name = named(server, document, params);
    const struct lsp_index *index = &document->index;
    const json_t *given = json_object_get(params, "newName");
    const char *word = json_string_value(given);
    const struct lsp_name *taken;
    json_t *edits;

    if (word && strlen(word) < json_string_length(given))
        word = NULL; /* a NUL is in it */
    if (word && *word == '%')
        word++;
    if (!name)
        return lsp_refuse(server, "there is no name of this text here");
    if (name->source != index->main)
        return lsp_refuse(server, "'%s' is declared in %s: rename it there", name->name,
                          name->source->name);
    if (!word || !is_name(word))
        return lsp_refuse(server, "'%s' is no name: letters, digits and _, no digit first",
                          word ? word : "");
    taken = find_name(index, word);
    if (taken)
        return lsp_refuse(server, "'%s' is taken, at %s:%u", word, taken->source->name,
                          taken->token->line);
    edits = json_array();
    for (uint32_t i = 0; (i = next_use(index, name, i)) < index->main->tokens; i++) {
        const struct asm_token *token = &index->main->token[i];
        uint32_t sign = token->kind == TK_REG;

        json_array_append_new(edits, json_pack(
            "{s:o, s:s}", "range",
            lsp_range(server, index->main, token->line, token->column + sign, token->line,
                      token->column + token->length), "newText", word));
    }
    edits = only_if_right(server, document, edits);
    return !edits ? NULL : json_pack("{s:{s:o}}", "changes", document->uri, edits);
}

/* ---- layout ---- */

json_t *lsp_format(struct lsp_server *server, struct lsp_document *document, const json_t *params)
{
    const struct lsp_index *index = lsp_index_of(server, document);
    struct pto_buf text = {0};
    struct pto_diags diags = {0};
    json_t *edits = NULL;

    (void)params;
    if (pto_format_text(document->path, pto_buf_text(&document->text), document->text.size, &text,
                        &diags) == PTO_OK)
        edits = json_pack("[{s:o, s:o}]", "range",
                          lsp_range(server, index->main, 1, 1, index->main->lines, UINT32_MAX),
                          "newText", lsp_text(pto_buf_text(&text)));
    pto_buf_free(&text);
    pto_diags_free(&diags);
    return edits;
}

/* ---- messages ---- */

/* A text for others to include needs no kernel, and is told nothing about itself as a whole. */
static bool is_kernel(const struct lsp_document *document)
{
    size_t length = strlen(document->path);

    return length >= 4 && !strcmp(document->path + length - 4, ".pto");
}

static bool is_within(const struct lsp_document *document, const struct pto_diag *diag)
{
    return diag->file && !strcmp(diag->file, document->path);
}

/* Where a message is shown in a document: at its place, or where what it is about was included or
 * used; an error of the settings, of a profile for instance, at the beginning.  NULL: nowhere. */
static const struct pto_diag *shown_at(const struct lsp_document *document,
                                       const struct pto_diag *diag)
{
    const struct pto_diag *at = diag;

    while (at && !is_within(document, at))
        at = at->trail;
    if (!at && diag->severity == PTO_ERROR)
        at = diag;
    return at && ((at->line > 0 && is_within(document, at)) || is_kernel(document)) ? at : NULL;
}

static json_t *diag_range(struct lsp_server *server, const struct lsp_document *document,
                          const struct pto_diag *at)
{
    bool has_place = is_within(document, at) && at->line > 0;
    uint32_t line = has_place ? at->line : 1, column = has_place ? at->column : 1;

    return lsp_range(server, document->index.main, line, column, line,
                     column + (has_place && at->length ? at->length : 1));
}

static json_t *diagnostic(struct lsp_server *server, const struct lsp_document *document,
                          const struct pto_diag *diag, const struct pto_diag *at)
{
    static const int severity[] = {[PTO_ERROR] = 1, [PTO_WARNING] = 2, [PTO_NOTE] = 3};
    struct pto_buf text = {0};
    json_t *result;

    pto_buf_printf(&text, "%s", diag->message);
    if (diag->hint)
        pto_buf_printf(&text, "\n%s", diag->hint);
    result = json_pack("{s:o, s:i, s:s, s:o}", "range", diag_range(server, document, at),
                       "severity", severity[diag->severity], "source", "ptoas", "message",
                       lsp_text(pto_buf_text(&text)));
    if (at != diag && diag->file)
        json_object_set_new(result, "relatedInformation", json_pack(
            "[{s:{s:o, s:o}, s:o}]", "location", "uri", lsp_uri(diag->file), "range",
            lsp_range(server, NULL, diag->line, diag->column, diag->line,
                      diag->column + diag->length), "message", lsp_text(diag->message)));
    pto_buf_free(&text);
    return result;
}

json_t *lsp_diagnostics(struct lsp_server *server, struct lsp_document *document)
{
    json_t *all = json_array();

    lsp_index_of(server, document);
    lsp_check(server, document);
    for (const struct pto_diag *diag = document->diags.first; diag; diag = diag->next) {
        const struct pto_diag *at = shown_at(document, diag);

        if (at)
            json_array_append_new(all, diagnostic(server, document, diag, at));
    }
    return all;
}

/* Suggestions at lines of the range that is asked about. */
json_t *lsp_actions(struct lsp_server *server, struct lsp_document *document,
                    const json_t *params)
{
    const struct lsp_index *index = lsp_index_of(server, document);
    const json_t *range = json_object_get(params, "range");
    json_t *actions = json_array();
    uint32_t first, last, column;

    if (!lsp_read_position(server, index->main, json_object_get(range, "start"), &first,
                           &column) ||
        !lsp_read_position(server, index->main, json_object_get(range, "end"), &last, &column))
        return actions;
    lsp_check(server, document);
    for (const struct pto_diag *diag = document->diags.first; diag; diag = diag->next) {
        const char *word = tool_suggestion(diag, &document->diags.arena);
        json_t *edit, *title;

        if (!word || shown_at(document, diag) != diag || diag->line < first || diag->line > last)
            continue;
        edit = json_pack("{s:{s:[{s:o, s:s}]}}", "changes", document->uri, "range",
                         diag_range(server, document, diag), "newText", word);
        title = json_sprintf("write '%s'", word);
        json_array_append_new(actions, json_pack(
            "{s:o, s:s, s:[o], s:o}", "title", title, "kind", "quickfix", "diagnostics",
            diagnostic(server, document, diag, diag), "edit", edit));
    }
    return actions;
}
