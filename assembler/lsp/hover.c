/* What a word means, and where it comes from. */
#include <string.h>

#include "core_name.h"
#include "dtype.h"
#include "parse.h"
#include "place.h"
#include "server.h"
#include "space.h"

/* The word at the position that a request names, and its statement; NULL: none. */
static const struct asm_token *asked(struct lsp_server *server, struct lsp_document *document,
                                     const json_t *params, const struct asm_token **statement)
{
    const struct lsp_index *index = lsp_index_of(server, document);
    uint32_t line, column;

    if (!lsp_read_position(server, index->main, json_object_get(params, "position"), &line,
                           &column))
        return NULL;
    return lsp_token_at(index, line, column, statement);
}

/* ---- hover ---- */

static json_t *markdown(const struct lsp_server *server, const struct lsp_document *document,
                        const struct asm_token *token, struct pto_buf *text)
{
    json_t *result = json_pack("{s:{s:s, s:o}, s:o}", "contents", "kind", "markdown", "value",
                               lsp_text(pto_buf_text(text)), "range",
                               lsp_token_range(server, document->index.main, token));

    pto_buf_free(text);
    return result;
}

/* The lines of comment right above a line. */
static void put_comment(const struct asm_source *source, uint32_t line, struct pto_buf *text)
{
    uint32_t first = line;

    while (first > 1 && source->line[first - 2][0] == ';')
        first--;
    for (; first < line; first++) {
        const char *c = source->line[first - 1] + 1;

        pto_buf_printf(text, "%s\n", *c == ' ' ? c + 1 : c);
    }
}

static const char *trimmed(const char *line)
{
    return line + strspn(line, " \t");
}

/* The tile of a kernel's core by its name. */
static const struct pto_tile *find_tile(const struct lsp_document *document,
                                        const struct lsp_name *name)
{
    const struct lsp_scope *core = &document->index.scope[name->scope];
    const struct lsp_scope *kernel = &document->index.scope[core->parent];

    if (!document->has_module || core->kind != LSP_MODULE || !core->name || !kernel->name)
        return NULL;
    for (uint32_t k = 0; k < document->module.kernels; k++) {
        const struct pto_kernel *found = &document->module.kernel[k];

        for (unsigned c = 0; c < PTO_CORE_KINDS; c++)
            for (uint32_t i = 0; i < found->core[c].tiles; i++)
                if (!strcmp(found->name, kernel->name->text) &&
                    !strcmp(pto_core_names[c], core->name->text) &&
                    !strcmp(found->core[c].tile[i].name, name->name))
                    return &found->core[c].tile[i];
    }
    return NULL;
}

static void put_placement(const struct pto_tile *tile, struct pto_buf *text)
{
    pto_buf_printf(text, "%s 0x%x, ", pto_space_name(tile->space), tile->address);
    if (tile->slots > 1)
        pto_buf_printf(text, "%u x ", tile->slots);
    pto_buf_printf(text, "%llu bytes", (unsigned long long)pto_tile_bytes(tile));
}

static void describe(struct lsp_document *document, const struct lsp_name *name,
                     struct pto_buf *text)
{
    const struct pto_tile *tile = name->kind == LSP_ARRAY ? find_tile(document, name) : NULL;

    pto_buf_printf(text, "%s\n\n```pto\n%s\n```\n", name->what,
                   trimmed(name->source->line[name->token->line - 1]));
    if (tile) {
        pto_buf_printf(text, "\n");
        put_placement(tile, text);
        pto_buf_printf(text, "\n");
    }
    if (name->source != document->index.main)
        pto_buf_printf(text, "\n%s\n", name->source->name);
    pto_buf_printf(text, "\n");
    put_comment(name->source, name->token->line, text);
}

json_t *lsp_hover(struct lsp_server *server, struct lsp_document *document, const json_t *params)
{
    const struct asm_token *statement, *token = asked(server, document, params, &statement);
    const struct lsp_name *name;
    const char *nearest;
    struct pto_buf text = {0};

    if (!token)
        return NULL;
    name = lsp_resolve(&document->index, document->index.main, token);
    if (name) {
        lsp_check(server, document);
        describe(document, name, &text);
    } else if (token->kind != TK_IDENT || !server->host->explain(token->text, &text, &nearest)) {
        pto_buf_free(&text);
        return NULL;
    }
    return markdown(server, document, token, &text);
}

/* ---- definition ---- */

static json_t *location(struct lsp_server *server, const struct asm_source *source,
                        const struct asm_token *token)
{
    return json_pack("{s:o, s:o}", "uri", lsp_uri(source->real ? source->real : source->name),
                     "range", token ? lsp_token_range(server, source, token)
                                    : lsp_range(server, source, 1, 1, 1, 1));
}

/* The file that an .include names, one of those that were read for the index. */
static const struct asm_source *included(const struct lsp_index *index, const char *name)
{
    size_t length = strlen(name);

    while (!strncmp(name, "../", 3)) {
        name += 3;
        length -= 3;
    }
    for (unsigned i = 0; i < index->scopes; i++) {
        const struct asm_source *source = index->scope[i].source;
        size_t size = strlen(source->name);

        if (index->scope[i].kind == 0 && source != index->main && size >= length &&
            !strcmp(source->name + size - length, name))
            return source;
    }
    return NULL;
}

json_t *lsp_definition(struct lsp_server *server, struct lsp_document *document,
                       const json_t *params)
{
    const struct asm_token *statement, *token = asked(server, document, params, &statement);
    const struct lsp_name *name;
    const struct asm_source *file;

    if (!token)
        return NULL;
    if (token->kind == TK_STRING && statement->kind == TK_D_INCLUDE) {
        file = included(&document->index, token->text);
        return file ? location(server, file, NULL) : NULL;
    }
    name = lsp_resolve(&document->index, document->index.main, token);
    return name ? location(server, name->source, name->token) : NULL;
}

/* ---- placement behind tiles ---- */

json_t *lsp_hints(struct lsp_server *server, struct lsp_document *document, const json_t *params)
{
    const struct lsp_index *index = lsp_index_of(server, document);
    const json_t *range = json_object_get(params, "range");
    json_t *hints = json_array();
    uint32_t first, last, column;

    if (!lsp_read_position(server, index->main, json_object_get(range, "start"), &first, &column))
        first = 1;
    if (!lsp_read_position(server, index->main, json_object_get(range, "end"), &last, &column))
        last = index->main->lines;
    lsp_check(server, document);
    for (unsigned i = 0; i < index->names; i++) {
        const struct lsp_name *name = &index->name[i];
        const struct asm_token *token = name->token;
        const struct pto_tile *tile = NULL;
        struct pto_buf text = {0};

        if (name->source == index->main && first <= token->line && token->line <= last)
            tile = name->kind == LSP_ARRAY ? find_tile(document, name) : NULL;
        if (!tile)
            continue;
        while (token->kind != TK_EOL)
            token++;
        put_placement(tile, &text);
        json_array_append_new(hints, json_pack(
            "{s:o, s:s, s:b}", "position",
            lsp_position(server, index->main, token[-1].line, token[-1].column + token[-1].length),
            "label", pto_buf_text(&text), "paddingLeft", 1));
        pto_buf_free(&text);
    }
    return hints;
}
