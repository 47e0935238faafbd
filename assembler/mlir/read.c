/* From bytes to a tree: the tokens, the marks where operations begin, the parser. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/lex.h"
#include "mlir/tree.h"
#include "mlir_parse.h"

/* ---- recognition ---- */

static size_t skip_blanks(const char *text, size_t size)
{
    size_t at = 0;

    while (at < size) {
        if (isspace((unsigned char)text[at]))
            at++;
        else if (text[at] == '/' && at + 1 < size && text[at + 1] == '/')
            while (at < size && text[at] != '\n')
                at++;
        else
            break;
    }
    return at;
}

/* "#alias =" or "!alias =", and not a comment of some other language. */
static bool begins_alias(const char *text, const char *end)
{
    const char *at = text + 1;

    while (at < end && (isalnum((unsigned char)*at) || strchr("._$", *at)))
        at++;
    if (at == text + 1)
        return false;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at < end && *at == '=';
}

bool mlir_is_text(const char *text, size_t size)
{
    static const char *const first[] = {"module", "func.func", "builtin.module"};
    size_t at = skip_blanks(text, size), end;

    if (!size)
        return false;
    /* A comment of some other language is told in this one's words if this one follows it. */
    while (at < size && text[at] == '#' && !begins_alias(text + at, text + size)) {
        const char *newline = memchr(text + at, '\n', size - at);

        at = newline ? (size_t)(newline - text) + 1 : size;
        at += skip_blanks(text + at, size - at);
    }
    if (at < size && (text[at] == '#' || text[at] == '!'))
        return begins_alias(text + at, text + size);
    end = at;
    while (end < size && (isalnum((unsigned char)text[end]) || strchr("._$", text[end])))
        end++;
    for (unsigned i = 0; i < sizeof first / sizeof *first; i++)
        if (end - at == strlen(first[i]) && !strncmp(text + at, first[i], end - at))
            return true;
    return false;
}

/* ---- diagnostics ---- */

static void find_lines(struct mlir_text *t)
{
    const char *end = t->text + t->size;
    uint32_t count = 1;

    for (const char *c = t->text; c < end; c++)
        count += *c == '\n';
    t->line = pto_arena_array(&t->arena, (size_t)count + 1, sizeof *t->line);
    t->line[t->lines++] = t->text;
    for (const char *c = t->text; c < end; c++)
        if (*c == '\n')
            t->line[t->lines++] = c + 1;
    t->line[t->lines] = end;
}

const struct mlir_node *mlir_resolve(const struct mlir_text *t, const struct mlir_node *name)
{
    for (const struct mlir_node *alias = t->alias; alias; alias = alias->next)
        if (name->kind == alias->kind && !strcmp(name->text, alias->text))
            name = alias->first;
    return name;
}

const char *mlir_source_line(const struct mlir_text *t, uint32_t line, size_t *length)
{
    const char *at, *end;

    if (line == 0 || line > t->lines) {
        *length = 0;
        return "";
    }
    at = t->line[line - 1];
    end = t->line[line];
    while (end > at && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    *length = (size_t)(end - at);
    return at;
}

struct pto_diag *mlir_error(struct mlir_text *t, const struct mlir_node *node, const char *format,
                            ...)
{
    struct pto_diag *diag;
    size_t length;
    const char *line = mlir_source_line(t, node->line, &length);
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diag = pto_diag_add(t->diags, PTO_ERROR, t->name, node->line, node->column, "%s", text);
    diag->length = node->length ? node->length : 1;
    if (!pto_diags_full(t->diags))
        diag->source_line = pto_arena_strndup(&t->diags->arena, line, length);
    return diag;
}

/* ---- where operations begin ---- */

static bool has_prefix(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* The name of an operation, where one may stand. */
static bool is_operation(const struct mlir_token *token)
{
    static const char *const dialect[] = {"pto.", "arith.", "scf.", "func.", "memref.", "affine.",
                                          "builtin.", "cf.", "math.", "index.", "vector.", "llvm."};
    static const char *const alone[] = {"return", "call", "module"};
    const char *text = token->node.text;

    if (token->kind != MTK_WORD)
        return false;
    for (unsigned i = 0; i < sizeof alone / sizeof *alone; i++)
        if (!strcmp(text, alone[i]))
            return true;
    for (unsigned i = 0; i < sizeof dialect / sizeof *dialect; i++)
        if (has_prefix(text, dialect[i]))
            return true;
    return false;
}

/* `%a =`, `%a:2 =`, `%a, %b =`: the results of an operation. */
static bool are_results(const struct mlir_token *token)
{
    for (;;) {
        if ((token++)->kind != MTK_SSA)
            return false;
        if (token->kind == ':' && token[1].kind == MTK_INT)
            token += 2;
        if (token->kind == '=')
            return true;
        if ((token++)->kind != ',')
            return false;
    }
}

/* What stands before says that more of the same operation follows. */
static bool continues(int kind)
{
    return kind == ',' || kind == '=' || kind == MTK_ARROW;
}

/* Brackets that are open, outermost first. */
struct brackets {
    uint32_t open[MLIR_MAX_DEPTH];
    bool holds_operations[MLIR_MAX_DEPTH];
    unsigned depth;
};

static char closing_of(int open)
{
    return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
}

/* Is the '{' at `at` that of a region?  Else it opens a dictionary of attributes, whose names may
 * look like operations. */
static bool opens_region(const struct mlir_text *t, uint32_t at)
{
    const struct mlir_token *inside = &t->token[at + 1];

    if (at && t->token[at - 1].kind == MTK_WORD &&
        !strcmp(t->token[at - 1].node.text, "attributes"))
        return false;
    return !((inside->kind == MTK_WORD || inside->kind == MTK_STRING) && inside[1].kind == '=');
}

/* A region whose first word is no operation would be taken for attributes. */
static bool begins_well(struct mlir_text *t, uint32_t open)
{
    const struct mlir_token *word = &t->token[open + 1];

    if (word->kind != MTK_WORD || is_operation(word) || word[1].kind == '=' ||
        word[1].kind == ',' || word[1].kind == '}')
        return true;
    if (!mlir_native(t, &word->node))
        mlir_error(t, &word->node, "'%s' begins no operation", word->node.text);
    return false;
}

/* Keep track of brackets; false after an error, which ends the reading. */
static bool follow_brackets(struct mlir_text *t, struct brackets *b, uint32_t at)
{
    int kind = t->token[at].kind;
    const struct mlir_node *node = &t->token[at].node;

    if (kind == '(' || kind == '[' || kind == '{' || kind == '<') {
        if (b->depth == MLIR_MAX_DEPTH) {
            mlir_error(t, node, "brackets are nested more than %d deep", (int)MLIR_MAX_DEPTH);
            return false;
        }
        b->holds_operations[b->depth] = kind == '{' && opens_region(t, at);
        b->open[b->depth++] = at;
        if (kind == '{' && !begins_well(t, at))
            return false;
    } else if (kind == ')' || kind == ']' || kind == '}' || kind == '>') {
        const struct mlir_token *open = b->depth ? &t->token[b->open[b->depth - 1]] : NULL;

        if (!open) {
            mlir_error(t, node, "'%s' closes nothing", node->text);
            return false;
        }
        if (closing_of(open->kind) != kind) {
            mlir_error(t, node, "'%s' stands where the '%s' of line %u is open", node->text,
                       open->node.text, open->node.line);
            return false;
        }
        b->depth--;
    } else if (kind == MTK_YYEOF && b->depth) {
        const struct mlir_token *open = &t->token[b->open[b->depth - 1]];

        mlir_error(t, &open->node, "this '%s' is never closed", open->node.text);
        return false;
    }
    return true;
}

/* `#map = ..` or `!type = ..` */
static bool names_alias(const struct mlir_token *token)
{
    return (token->kind == MTK_ATTR || token->kind == MTK_TYPE) && token[1].kind == '=';
}

/* Only what stands directly in a region or in the file begins operations; `scf.for %i =` looks like
 * a result and is none. */
static bool begins(const struct mlir_text *t, const struct brackets *b, uint32_t at)
{
    const struct mlir_token *token = &t->token[at];
    const struct mlir_token *before = at ? token - 1 : NULL;

    if (b->depth && !b->holds_operations[b->depth - 1])
        return false;
    if (before && continues(before->kind))
        return false;
    if (is_operation(token) || (!b->depth && names_alias(token)))
        return true;
    return token->kind == MTK_SSA && are_results(token) &&
           !(before && before->kind == MTK_WORD && !strcmp(before->node.text, "scf.for"));
}

/* Put a BEGIN before every operation. */
static bool mark_operations(struct mlir_text *t)
{
    struct mlir_token *marked = NULL;
    uint32_t count = 0, capacity = 0;
    struct brackets brackets = {.depth = 0};
    bool good = true;

    for (uint32_t i = 0; good && i < t->tokens; i++) {
        if (begins(t, &brackets, i)) {
            PTO_GROW(marked, count, capacity);
            marked[count] = t->token[i];
            marked[count++].kind = MTK_BEGIN;
        }
        good = follow_brackets(t, &brackets, i);
        PTO_GROW(marked, count, capacity);
        marked[count++] = t->token[i];
    }
    free(t->token);
    t->token = marked;
    t->tokens = count;
    return good;
}

bool mlir_parse(struct mlir_text *t)
{
    find_lines(t);
    mlir_lex(t);
    if (!t->broken && !mark_operations(t))
        t->broken = true;
    if (!t->broken && mlir_yyparse(t) != 0)
        t->broken = true;
    return !t->broken;
}

void mlir_text_free(struct mlir_text *t)
{
    free(t->token);
    pto_arena_free(&t->arena);
}
