/* What may stand at a place. */
#include <ctype.h>
#include <string.h>

#include "ops.h"
#include "server.h"
#include "text/reader.h"

/* Numbers of the protocol's CompletionItemKind. */
enum { ITEM_FUNCTION = 3, ITEM_VARIABLE = 6, ITEM_KEYWORD = 14 };

/* The word before the position: '%' or '.' belong to it. */
struct prefix {
    uint32_t line, begin, end; /* columns from 1 */
    char sign;                 /* '%', '.' or 0 */
};

/* The byte at a column, which may be right behind the line; false: in a comment or string. */
static bool code_before(const char *line, uint32_t column, uint32_t *at)
{
    bool quoted = false;

    *at = 0;
    for (uint32_t i = 1; i < column && line[*at]; i++) {
        if (line[*at] == ';' && !quoted)
            return false;
        if (quoted && line[*at] == '\\' && line[*at + 1]) {
            ++*at;
            i++;
        } else if (line[*at] == '"') {
            quoted = !quoted;
        }
        do
            ++*at;
        while ((line[*at] & 0xc0) == 0x80);
    }
    return !quoted;
}

static bool read_prefix(const struct lsp_server *server, const struct asm_source *source,
                        const json_t *params, struct prefix *prefix)
{
    const char *line;
    uint32_t at, end;

    if (!lsp_read_position(server, source, json_object_get(params, "position"), &prefix->line,
                           &prefix->end))
        return false;
    line = source->line[prefix->line - 1];
    if (!code_before(line, prefix->end, &at))
        return false;
    end = at;
    while (at > 0 && (isalnum((unsigned char)line[at - 1]) || line[at - 1] == '_'))
        at--;
    prefix->sign = at > 0 && strchr("%.", line[at - 1]) ? line[at - 1] : 0;
    at -= prefix->sign != 0;
    prefix->begin = prefix->end - (end - at);
    return true;
}

struct completing {
    const struct lsp_server *server;
    const struct asm_source *source;
    const struct prefix *prefix;
    json_t *items;
};

/* `sign`: what is written before the name. */
static void offer(const struct completing *c, const char *sign, const char *name, int kind,
                  const char *detail)
{
    const struct prefix *p = c->prefix;
    json_t *text = json_sprintf("%s%s", sign, name);

    json_array_append_new(c->items, json_pack(
        "{s:O, s:i, s:s, s:{s:o, s:o}}", "label", text, "kind", kind, "detail", detail, "textEdit",
        "range", lsp_range(c->server, c->source, p->line, p->begin, p->line, p->end), "newText",
        text));
}

/* Is the name known in this line of the main text? */
static bool is_known(const struct lsp_index *index, const struct lsp_name *name, uint32_t line)
{
    const struct lsp_scope *scope = &index->scope[name->scope];

    return scope->kind == 0 || (scope->source == index->main && scope->first <= line &&
                                line <= scope->last);
}

static void offer_names(const struct completing *c, const struct lsp_index *index)
{
    for (unsigned i = 0; i < index->names; i++) {
        const struct lsp_name *name = &index->name[i];
        bool is_register = name->is_register ||
                           (c->prefix->sign == '%' && name->kind == LSP_PARAMETER);

        if ((c->prefix->sign == '%') != is_register || !is_known(index, name, c->prefix->line))
            continue;
        offer(c, is_register ? "%" : "", name->name,
              name->kind == LSP_FUNCTION ? ITEM_FUNCTION : ITEM_VARIABLE, name->what);
    }
}

static void offer_instructions(const struct completing *c)
{
    const char *before = "";

    for (unsigned op = 0; op < PTO_ROW_COUNT; op++) {
        const char *mnemonic = pto_op_info(op)->mnemonic;

        if (strcmp(mnemonic, before))
            offer(c, "", mnemonic, ITEM_FUNCTION, "instruction");
        before = mnemonic;
    }
}

json_t *lsp_completion(struct lsp_server *server, struct lsp_document *document,
                       const json_t *params)
{
    const struct lsp_index *index = lsp_index_of(server, document);
    struct prefix prefix;
    struct completing c = {server, index->main, &prefix, NULL};
    const char *directive;

    if (!read_prefix(server, index->main, params, &prefix))
        return NULL;
    c.items = json_array();
    for (unsigned i = 0; prefix.sign == '.' && (directive = text_directive(i)); i++)
        offer(&c, ".", directive, ITEM_KEYWORD, "directive");
    if (prefix.sign != '.')
        offer_names(&c, index);
    if (!prefix.sign)
        offer_instructions(&c);
    return c.items;
}
