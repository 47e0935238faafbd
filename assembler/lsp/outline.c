/* What a text consists of: symbols in each other, and what can be folded. */
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "server.h"

/* ---- symbols ---- */

static json_t *symbol(const struct lsp_server *server, const struct asm_source *source,
                      const char *name, const char *what, enum lsp_kind kind, json_t *range,
                      const struct asm_token *token)
{
    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:[]}", "name", name, "detail", what, "kind",
                     (int)kind, "range", range, "selectionRange",
                     lsp_token_range(server, source, token), "children");
}

static json_t *line_range(const struct lsp_server *server, const struct asm_source *source,
                          uint32_t first, uint32_t last)
{
    return lsp_range(server, source, first, 1, last, UINT32_MAX);
}

/* Kernels and cores, each in what it is a part of.  Macros and names hang below them. */
static json_t *scope_symbol(const struct lsp_server *server, const struct lsp_scope *scope)
{
    const char *what = scope->kind == LSP_CLASS ? "kernel"
                       : scope->kind == LSP_MODULE ? "core" : "macro";

    if (!scope->name || !scope->name->text || !*scope->name->text)
        return NULL;
    return symbol(server, scope->source, scope->name->text, what, scope->kind,
                  line_range(server, scope->source, scope->first, scope->last), scope->name);
}

static bool is_listed(const struct lsp_index *index, const struct lsp_name *name)
{
    const struct lsp_scope *scope = &index->scope[name->scope];

    return name->source == index->main && !name->is_register && name->kind != LSP_CLASS &&
           name->kind != LSP_FUNCTION && *name->name &&
           (name->kind != LSP_PARAMETER || scope->kind == LSP_CLASS);
}

json_t *lsp_symbols(struct lsp_server *server, struct lsp_document *document,
                    const json_t *params)
{
    const struct lsp_index *index = lsp_index_of(server, document);
    json_t *top = json_array();
    json_t **inside = pto_xcalloc(index->scopes, sizeof *inside);

    (void)params;
    for (unsigned i = 0; i < index->scopes; i++) {
        const struct lsp_scope *scope = &index->scope[i];
        json_t *made = NULL, *parent = inside[scope->parent] ? inside[scope->parent] : top;

        if (scope->source == index->main && scope->kind != 0)
            made = scope_symbol(server, scope);
        if (made)
            json_array_append_new(parent, made);
        inside[i] = made ? json_object_get(made, "children") : parent;
    }
    for (unsigned i = 0; i < index->names; i++) {
        const struct lsp_name *name = &index->name[i];

        if (is_listed(index, name))
            json_array_append_new(
                inside[name->scope] ? inside[name->scope] : top,
                symbol(server, index->main, name->name, name->what, name->kind,
                       line_range(server, index->main, name->token->line, name->token->line),
                       name->token));
    }
    free(inside);
    return top;
}

/* ---- folding ---- */

static void fold(json_t *folds, uint32_t first, uint32_t last, const char *kind)
{
    json_t *one;

    if (last <= first)
        return;
    one = json_pack("{s:i, s:i}", "startLine", (int)first - 1, "endLine", (int)last - 1);
    if (kind)
        json_object_set_new(one, "kind", json_string(kind));
    json_array_append_new(folds, one);
}

/* Lines of comment that stand together. */
static void fold_comments(json_t *folds, const struct asm_source *source)
{
    uint32_t first = 0;

    for (uint32_t line = 1; line <= source->lines + 1; line++) {
        const char *text = line <= source->lines ? source->line[line - 1] : "";
        bool comment = text[strspn(text, " \t")] == ';';

        if (comment && !first)
            first = line;
        if (!comment && first) {
            fold(folds, first, line - 1, "comment");
            first = 0;
        }
    }
}

/* The lines from each beginning of a block to the line before its end. */
static void fold_blocks(json_t *folds, const struct asm_source *source)
{
    enum { DEEPEST = 200 };
    uint32_t open[DEEPEST], depth = 0;

    for (uint32_t i = 0; i < source->tokens; i++) {
        const struct asm_token *token = &source->token[i];

        if (i > 0 && token[-1].kind != TK_EOL && token[-1].kind != ':')
            continue;
        switch (token->kind) {
        case TK_D_FOR:
        case TK_D_WHILE:
        case TK_D_IF:
        case TK_D_ORDERED:
        case TK_D_SETUP:
            if (depth < DEEPEST)
                open[depth] = token->line;
            depth++;
            break;
        case TK_D_ENDFOR:
        case TK_D_ENDWHILE:
        case TK_D_ENDIF:
        case TK_D_ENDORDERED:
        case TK_D_ENDSETUP:
            if (depth > 0 && --depth < DEEPEST)
                fold(folds, open[depth], token->line - 1, NULL);
            break;
        default:
            break;
        }
    }
}

json_t *lsp_folds(struct lsp_server *server, struct lsp_document *document, const json_t *params)
{
    const struct lsp_index *index = lsp_index_of(server, document);
    json_t *folds = json_array();

    (void)params;
    for (unsigned i = 0; i < index->scopes; i++)
        if (index->scope[i].source == index->main && index->scope[i].kind != 0)
            fold(folds, index->scope[i].first, index->scope[i].last, "region");
    fold_blocks(folds, index->main);
    fold_comments(folds, index->main);
    return folds;
}
