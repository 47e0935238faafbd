#include "index.h"

#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "text/reader.h"
#include "text/source.h"

enum {
    MOST_SOURCES = 200,
    MOST_NAMES = 100000,
    MOST_COMPARED = 1000 /* names among which a register is looked for before it becomes one */
};

struct building {
    struct lsp_index *index;
    struct asm_text *text;
    struct asm_source *source[MOST_SOURCES]; /* taken in, or waiting for it */
    unsigned sources;
    struct asm_source *now;
    unsigned file, kernel, core, macro; /* open scopes; 0: none, the file's is always there */
};

/* ---- scopes ---- */

static unsigned open_scope(struct building *b, enum lsp_kind kind, const struct asm_token *name,
                           uint32_t line, unsigned parent)
{
    struct lsp_index *index = b->index;

    PTO_GROW(index->scope, index->scopes, index->scope_capacity);
    index->scope[index->scopes] = (struct lsp_scope){
        .source = b->now, .kind = kind, .name = name, .first = line, .last = b->now->lines,
        .parent = parent};
    return index->scopes++;
}

static void close_scope(struct building *b, unsigned *scope, uint32_t last)
{
    if (*scope)
        b->index->scope[*scope].last = last;
    *scope = 0;
}

static unsigned scope_now(const struct building *b)
{
    return b->macro ? b->macro : b->core ? b->core : b->kernel ? b->kernel : b->file;
}

/* ---- names ---- */

static void add_name(struct building *b, const struct asm_token *token,
                     const struct asm_token *statement, const char *what, enum lsp_kind kind,
                     unsigned scope)
{
    struct lsp_index *index = b->index;

    if (index->names == MOST_NAMES || !token->text)
        return;
    PTO_GROW(index->name, index->names, index->name_capacity);
    index->name[index->names++] = (struct lsp_name){
        .name = token->text, .what = what, .kind = kind, .is_register = token->kind == TK_REG,
        .source = b->now, .token = token, .statement = statement, .scope = scope};
}

/* A register is defined where its scope names it first. */
static void add_register(struct building *b, const struct asm_token *token,
                         const struct asm_token *statement)
{
    unsigned names = b->index->names;

    for (unsigned i = names; i > 0 && i + MOST_COMPARED > names; i--) {
        const struct lsp_name *name = &b->index->name[i - 1];

        if (name->scope == scope_now(b) && name->is_register && !strcmp(name->name, token->text))
            return;
    }
    add_name(b, token, statement, "register", LSP_VARIABLE, scope_now(b));
}

/* ---- statements ---- */

static const struct {
    int kind;
    const char *what;
    enum lsp_kind symbol;
} DECLARES[] = {
    {TK_D_PARAM, "parameter", LSP_PARAMETER}, {TK_D_IN, "input", LSP_OBJECT},
    {TK_D_OUT, "output", LSP_OBJECT},         {TK_D_INOUT, "input and output", LSP_OBJECT},
    {TK_D_GM, "global object", LSP_OBJECT},   {TK_D_SYM, "symmetric object", LSP_OBJECT},
    {TK_D_SIGNAL, "signals", LSP_OBJECT},     {TK_D_VIEW, "view", LSP_OBJECT},
    {TK_D_FIFO, "ring", LSP_OBJECT},          {TK_D_TILE, "tile", LSP_ARRAY},
    {TK_D_LOCAL, "local array", LSP_ARRAY},   {TK_D_EQU, "constant", LSP_CONSTANT},
    {TK_D_DEFINE, "constant", LSP_CONSTANT},
};

static void define_macro(struct building *b, const struct asm_token *line, uint32_t count)
{
    int depth = 0;

    close_scope(b, &b->macro, line->line);
    if (count < 2 || line[1].kind != TK_IDENT)
        return;
    add_name(b, &line[1], line, "macro", LSP_FUNCTION, b->file);
    b->macro = open_scope(b, LSP_FUNCTION, &line[1], line->line, b->file);
    for (uint32_t i = 2; i < count; i++) {
        int kind = line[i].kind, before = line[i - 1].kind;

        depth += (kind == '(' || kind == '[' || kind == '{') -
                 (kind == ')' || kind == ']' || kind == '}');
        if (kind == TK_IDENT && depth == 0 && (i == 2 || before == ','))
            add_name(b, &line[i], line, "parameter of the macro", LSP_PARAMETER, b->macro);
    }
}

static void include(struct building *b, const struct asm_token *name)
{
    struct asm_origin origin = {.source = b->now};
    struct asm_token token = *name;
    struct asm_source *source;

    if (name->kind != TK_STRING || b->sources == MOST_SOURCES)
        return;
    token.origin = &origin;
    source = text_source_include(b->text, &token);
    for (unsigned i = 0; source && i < b->sources; i++)
        if (b->source[i] == source)
            return;
    if (source)
        b->source[b->sources++] = source;
}

static void take_section(struct building *b, const struct asm_token *line, uint32_t count)
{
    const struct asm_token *name = count > 1 ? &line[1] : NULL;
    uint32_t before = line->line > 1 ? line->line - 1 : 1;

    close_scope(b, &b->core, before);
    if (line->kind == TK_D_KERNEL) {
        close_scope(b, &b->kernel, before);
        b->kernel = open_scope(b, LSP_CLASS, name, line->line, b->file);
        if (name && name->kind == TK_IDENT)
            add_name(b, name, line, "kernel", LSP_CLASS, b->file);
    } else {
        b->core = open_scope(b, LSP_MODULE, name, line->line, b->kernel ? b->kernel : b->file);
    }
}

static void take_directive(struct building *b, struct asm_token *line, uint32_t count)
{
    text_mark_words(line, count);
    if (line->kind == TK_D_MACRO)
        define_macro(b, line, count);
    else if (line->kind == TK_D_ENDM)
        close_scope(b, &b->macro, line->line);
    else if (!b->macro && (line->kind == TK_D_KERNEL || line->kind == TK_D_CORE))
        take_section(b, line, count);
    else if (line->kind == TK_D_INCLUDE && count > 1)
        include(b, &line[1]);
    else if (count > 1 && line[1].kind == TK_REG &&
             (line->kind == TK_D_FOR || line->kind == TK_D_SLOTS || line->kind == TK_D_REG))
        add_register(b, &line[1], line);
    for (unsigned i = 0; count > 1 && i < sizeof DECLARES / sizeof *DECLARES; i++)
        if (line->kind == DECLARES[i].kind && line[1].kind == TK_IDENT)
            add_name(b, &line[1], line, DECLARES[i].what, DECLARES[i].symbol, scope_now(b));
}

static void take_line(struct building *b, struct asm_token *line, uint32_t count)
{
    if (count > 1 && line->kind == TK_IDENT && line[1].kind == ':') {
        add_name(b, line, line, "label", LSP_KEY, scope_now(b));
        line += 2;
        count -= 2;
    }
    if (count == 0)
        return;
    if (line->kind == TK_DIRECTIVE)
        take_directive(b, line, count);
    else if (count > 1 && line->kind == TK_REG && line[1].kind == '=')
        add_register(b, line, line);
}

static void take_source(struct building *b, struct asm_source *source)
{
    b->now = source;
    b->kernel = b->core = b->macro = 0;
    b->file = open_scope(b, 0, NULL, 1, 0);
    for (uint32_t i = 0; i < source->tokens;) {
        uint32_t end = i;

        while (source->token[end].kind != TK_EOL)
            end++;
        if (end > i)
            take_line(b, &source->token[i], end - i);
        i = end + 1;
    }
}

void lsp_index_build(struct lsp_index *index, struct asm_text *t, struct asm_source *main)
{
    struct building b = {.index = index, .text = t, .source = {main}, .sources = 1};

    index->main = main;
    for (unsigned i = 0; i < b.sources; i++)
        take_source(&b, b.source[i]);
}

void lsp_index_free(struct lsp_index *index)
{
    free(index->scope);
    free(index->name);
    *index = (struct lsp_index){0};
}

/* ---- looking up ---- */

static bool is_word(const struct asm_token *token)
{
    return token->kind == TK_IDENT || token->kind == TK_REG || token->kind == TK_ARGUMENT ||
           token->kind == TK_STRING;
}

/* A place lies between two characters, and editors mean the word on either side of it: the one
 * that begins there, else the one that has just been typed. */
const struct asm_token *lsp_token_at(const struct lsp_index *index, uint32_t line,
                                     uint32_t column, const struct asm_token **statement)
{
    const struct asm_source *source = index->main;
    const struct asm_token *first = source->token, *found = NULL;

    for (uint32_t i = 0; i < source->tokens && source->token[i].line <= line; i++) {
        const struct asm_token *token = &source->token[i];

        if (token->kind == TK_EOL) {
            first = token + 1;
            continue;
        }
        if (token->line != line || column < token->column ||
            column > token->column + token->length || (found && !is_word(token)))
            continue;
        found = token;
        *statement = first;
    }
    return found;
}

/* The closer the better; 0: the name cannot be meant. */
static unsigned closeness(const struct lsp_index *index, const struct lsp_name *name,
                          const struct asm_source *source, const struct asm_token *token)
{
    const struct lsp_scope *scope = &index->scope[name->scope];
    bool around = scope->source == source && scope->first <= token->line &&
                  token->line <= scope->last;
    bool is_register = token->kind == TK_REG;

    if (is_register != name->is_register && name->kind != LSP_PARAMETER)
        return 0;
    if (around)
        return scope->kind == 0 ? 3 : scope->kind == LSP_CLASS ? 4 : 5;
    if (scope->kind == 0)
        return 2;
    /* What a macro gives to its user. */
    return scope->kind == LSP_FUNCTION && name->kind != LSP_PARAMETER && name->kind != LSP_KEY;
}

const struct lsp_name *lsp_resolve(const struct lsp_index *index, const struct asm_source *source,
                                   const struct asm_token *token)
{
    const struct lsp_name *best = NULL;
    unsigned closest = 0;

    if ((token->kind != TK_IDENT && token->kind != TK_REG && token->kind != TK_ARGUMENT) ||
        !token->text)
        return NULL;
    for (unsigned i = 0; i < index->names; i++) {
        const struct lsp_name *name = &index->name[i];
        unsigned close = strcmp(name->name, token->text) ? 0
                                                         : closeness(index, name, source, token);

        if (name->token == token)
            return name;
        if (close > closest) {
            closest = close;
            best = name;
        }
    }
    return best;
}
