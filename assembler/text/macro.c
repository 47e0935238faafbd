/* Macros: definitions, and the substitution of arguments, token by token. */
#include "macro.h"

#include <stdlib.h>
#include <string.h>

#include "ops.h"
#include "parse.h"
#include "reader.h"
#include "report.h"

struct argument {
    const struct asm_token *token;
    uint32_t count;
};

/* Split at the commas outside of brackets; returns the number of pieces, at most `limit` stored. */
static uint32_t split(const struct asm_token *token, uint32_t count, struct argument *piece,
                      uint32_t limit)
{
    uint32_t pieces = 0, begin = 0;
    int depth = 0;

    if (!count)
        return 0;
    for (uint32_t i = 0; i <= count; i++) {
        int kind = i < count ? token[i].kind : ',';

        depth += (kind == '(' || kind == '[' || kind == '{') -
                 (kind == ')' || kind == ']' || kind == '}');
        if (i < count && (kind != ',' || depth > 0))
            continue;
        if (pieces < limit)
            piece[pieces] = (struct argument){token + begin, i - begin};
        pieces++;
        begin = i + 1;
    }
    return pieces;
}

static bool define_param(struct asm_text *t, struct asm_macro *macro, const struct argument *piece,
                         const struct asm_token *line)
{
    const struct asm_token *token = piece->token;
    struct asm_macro_param *param = &macro->param[macro->params];

    if (!piece->count || token->kind != TK_IDENT || (piece->count > 1 && token[1].kind != '=')) {
        text_error(t, piece->count ? token : line, "expected a parameter: NAME or NAME = default");
        return false;
    }
    for (uint32_t i = 0; i < macro->params; i++) {
        if (!strcmp(macro->param[i].name, token->text)) {
            text_error(t, token, "this macro already has a parameter '%s'", token->text);
            return false;
        }
    }
    param->name = token->text;
    param->has_preset = piece->count > 1;
    if (param->has_preset) {
        param->preset = token + 2;
        param->preset_count = piece->count - 2;
    }
    macro->params++;
    return true;
}

static bool check_macro_name(struct asm_text *t, const struct asm_token *line, uint32_t count)
{
    if (count < 2 || line[1].kind != TK_IDENT) {
        text_error(t, &line[count > 1], "expected .macro NAME PARAMETER, ...");
        return false;
    }
    if (pto_op_find(line[1].text) < 0 && pto_pseudo_op_find(line[1].text) < 0)
        return true;
    text_error(t, &line[1], "'%s' is an instruction and cannot be a macro", line[1].text);
    return false;
}

static bool is_param(const struct asm_macro *macro, const struct asm_token *token)
{
    for (uint32_t i = 0; i < macro->params && token->kind == TK_IDENT; i++)
        if (!strcmp(macro->param[i].name, token->text))
            return true;
    return false;
}

/* One operand of an .export line; false after an error. */
static bool define_export(struct asm_text *t, struct asm_macro *macro, const struct argument *piece,
                          const struct asm_token *line)
{
    struct asm_token place = *piece->token; /* bodies do not know where they come from */

    place.origin = line->origin;
    if (piece->count != 1 || (place.kind != TK_IDENT && place.kind != TK_REG)) {
        text_error(t, &place, "expected .export NAME, %%REGISTER, ...");
        return false;
    }
    if (is_param(macro, &place)) {
        text_hint(t, text_error(t, &place, "'%s' is a parameter of this macro", place.text),
                  "what an argument names belongs to the user of the macro anyway");
        return false;
    }
    macro->exported[macro->exports++] = piece->token;
    return true;
}

static bool is_export(const struct asm_token *body, uint32_t i)
{
    return (!i || body[i - 1].kind == TK_EOL) && body[i].kind == TK_DIRECTIVE &&
           !strcmp(body[i].text, "export");
}

static uint32_t line_end(const struct asm_token *body, uint32_t count, uint32_t i)
{
    while (i < count && body[i].kind != TK_EOL)
        i++;
    return i;
}

/* Collect what the .export lines of a body name, up to the first mistake. */
static void define_exports(struct asm_text *t, struct asm_macro *macro,
                           const struct asm_token *line)
{
    struct argument piece[ASM_MAX_MACRO_PARAMS];

    macro->exported = pto_arena_array(t->arena, macro->body_count, sizeof *macro->exported);
    for (uint32_t i = 0; i < macro->body_count; i++) {
        struct asm_token place = macro->body[i];
        uint32_t end, pieces;

        if (!is_export(macro->body, i))
            continue;
        place.origin = line->origin;
        end = line_end(macro->body, macro->body_count, i);
        pieces = split(&macro->body[i + 1], end - i - 1, piece, ASM_MAX_MACRO_PARAMS);
        if (!pieces || pieces > ASM_MAX_MACRO_PARAMS) {
            text_error(t, &place, "'.export' names 1 to %d names", ASM_MAX_MACRO_PARAMS);
            return;
        }
        for (uint32_t k = 0; k < pieces; k++)
            if (!define_export(t, macro, &piece[k], line))
                return;
    }
}

void text_define_macro(struct asm_text *t, const struct asm_token *line, uint32_t count,
                       const struct asm_token *body, uint32_t body_count)
{
    struct asm_macro *macro = pto_arena_alloc(t->arena, sizeof *macro);
    struct argument piece[ASM_MAX_MACRO_PARAMS];
    uint32_t pieces;

    if (!check_macro_name(t, line, count))
        return;
    pieces = split(line + 2, count - 2, piece, ASM_MAX_MACRO_PARAMS);
    if (pieces > ASM_MAX_MACRO_PARAMS) {
        text_error(t, &line[1], "a macro has at most %d parameters", ASM_MAX_MACRO_PARAMS);
        return;
    }
    macro->param = pto_arena_array(t->arena, pieces + 1, sizeof *macro->param);
    for (uint32_t i = 0; i < pieces; i++)
        if (!define_param(t, macro, &piece[i], line))
            return;
    macro->name = line[1].text;
    macro->source = line->origin->source;
    macro->body = body;
    macro->body_count = body_count;
    define_exports(t, macro, line);
    t->host->define_macro(t->context, &line[1], macro);
}

static bool is_named(const struct argument *piece)
{
    return piece->count > 1 && piece->token[1].kind == '=' &&
           (piece->token->kind == TK_IDENT || piece->token->kind == TK_ARGUMENT);
}

static void unknown_argument(struct asm_text *t, const struct asm_macro *macro,
                             const struct asm_token *name)
{
    const char *candidate[ASM_MAX_MACRO_PARAMS];

    for (uint32_t i = 0; i < macro->params; i++)
        candidate[i] = macro->param[i].name;
    text_hint_nearest(t, text_error(t, name, "macro '%s' has no parameter '%s'", macro->name,
                                    name->text),
                      name->text, candidate, macro->params);
}

/* The parameter that an argument names; -1 after an error. */
static int named_param(struct asm_text *t, const struct asm_macro *macro,
                       const struct asm_token *name, const struct argument *argument)
{
    for (uint32_t i = 0; i < macro->params; i++) {
        if (strcmp(macro->param[i].name, name->text))
            continue;
        if (!argument[i].count)
            return (int)i;
        text_error(t, name, "parameter '%s' gets a second argument here", name->text);
        return -1;
    }
    unknown_argument(t, macro, name);
    return -1;
}

/* Deal the pieces to the parameters: in order, then by name; false after an error. */
static bool deal_arguments(struct asm_text *t, const struct asm_macro *macro,
                           const struct asm_token *line, const struct argument *piece,
                           uint32_t given, struct argument *argument)
{
    uint32_t in_order = 0;

    while (in_order < given && in_order < ASM_MAX_MACRO_PARAMS && !is_named(&piece[in_order]))
        in_order++;
    if (in_order > macro->params || given > ASM_MAX_MACRO_PARAMS) {
        text_error(t, line, "macro '%s' takes %u argument%s, not %u", macro->name, macro->params,
                   macro->params == 1 ? "" : "s", given);
        return false;
    }
    for (uint32_t i = 0; i < macro->params; i++)
        argument[i] = i < in_order ? piece[i] : (struct argument){0};
    for (uint32_t i = in_order; i < given; i++) {
        int param;

        if (!is_named(&piece[i])) {
            text_error(t, piece[i].count ? piece[i].token : line,
                       "an argument without a name stands behind one with a name");
            return false;
        }
        param = named_param(t, macro, piece[i].token, argument);
        if (param < 0)
            return false;
        argument[param] = (struct argument){piece[i].token + 2, piece[i].count - 2};
    }
    return true;
}

/* Fill in what was left out; false after an error. */
static bool complete_arguments(struct asm_text *t, const struct asm_macro *macro,
                               const struct asm_token *line, struct argument *argument)
{
    for (uint32_t i = 0; i < macro->params; i++) {
        const struct asm_macro_param *param = &macro->param[i];

        if (argument[i].count)
            continue;
        if (!param->has_preset) {
            text_error(t, line, "macro '%s' needs an argument for '%s'", macro->name, param->name);
            return false;
        }
        argument[i] = (struct argument){param->preset, param->preset_count};
    }
    return true;
}

struct expansion {
    struct asm_token *token;
    uint32_t tokens, capacity;
    uint32_t line_tokens;
    struct text_amount amount;
};

static void append(struct expansion *e, struct asm_token token)
{
    PTO_GROW(e->token, e->tokens, e->capacity);
    e->token[e->tokens++] = token;
    e->line_tokens = token.kind == TK_EOL ? 0 : e->line_tokens + 1;
    e->amount.tokens++;
    e->amount.lines += token.kind == TK_EOL;
    e->amount.characters += token.length;
}

static bool exports(const struct asm_macro *macro, const struct asm_token *token)
{
    for (uint32_t i = 0; i < macro->exports; i++)
        if (macro->exported[i]->kind == token->kind &&
            !strcmp(macro->exported[i]->text, token->text))
            return true;
    return false;
}

/* The use whose own name this is: exported names are handed on outwards. */
static uint32_t owner(const struct asm_text *t, const struct asm_token *token, uint32_t number)
{
    while (number && exports(t->expansion[number].macro, token))
        number = t->expansion[number].parent;
    return number;
}

/* Append one token of the body, or the argument that it names.  Tokens of the macro's own text get
 * the origin and number of this use; those of arguments keep theirs. */
static void substitute(struct expansion *e, const struct asm_text *t,
                       const struct argument *argument, struct asm_token token,
                       struct asm_origin *origin, uint32_t number)
{
    const struct asm_macro *macro = t->expansion[number].macro;

    token.origin = origin;
    token.expansion = owner(t, &token, number);
    for (uint32_t i = 0; i < macro->params && token.kind == TK_IDENT; i++) {
        if (strcmp(macro->param[i].name, token.text))
            continue;
        for (uint32_t k = 0; k < argument[i].count; k++)
            append(e, argument[i].token[k]);
        return;
    }
    append(e, token);
}

static uint32_t new_expansion(struct asm_text *t, uint32_t parent, const struct asm_macro *macro)
{
    if (!t->expansions)
        t->expansions = 1; /* 0 is the text outside of macros */
    while (t->expansions >= t->expansion_capacity) {
        t->expansion_capacity = t->expansion_capacity ? 2 * t->expansion_capacity : 64;
        t->expansion = pto_xrealloc(t->expansion, t->expansion_capacity * sizeof *t->expansion);
    }
    t->expansion[t->expansions] = (struct text_expansion){parent, macro};
    return t->expansions++;
}

void text_use_macro(struct asm_text *t, const struct asm_macro *macro,
                    const struct asm_token *line, uint32_t count)
{
    struct argument piece[ASM_MAX_MACRO_PARAMS], argument[ASM_MAX_MACRO_PARAMS];
    uint32_t given = split(line + 1, count - 1, piece, ASM_MAX_MACRO_PARAMS);
    struct expansion e = {0};
    struct asm_origin *origin;
    struct asm_token *token;
    uint32_t number;

    if (!deal_arguments(t, macro, line, piece, given, argument) ||
        !complete_arguments(t, macro, line, argument))
        return;
    origin = text_origin(t, macro->source, line, macro->name);
    if (!origin)
        return;
    number = new_expansion(t, line->expansion, macro);
    for (uint32_t i = 0; i < macro->body_count && e.line_tokens <= ASM_MAX_LINE_TOKENS &&
                         e.amount.tokens <= ASM_MAX_EXPANDED_TOKENS;
         i++) {
        if (is_export(macro->body, i))
            i = line_end(macro->body, macro->body_count, i);
        else
            substitute(&e, t, argument, macro->body[i], origin, number);
    }
    if (e.line_tokens > ASM_MAX_LINE_TOKENS)
        text_error(t, line, "macro '%s' produces a line of more than %d words and signs",
                   macro->name, ASM_MAX_LINE_TOKENS);
    else if (e.tokens && text_account(t, line, e.amount)) {
        token = pto_arena_array(t->arena, e.tokens, sizeof *token);
        memcpy(token, e.token, e.tokens * sizeof *token);
        text_push(t, (struct text_frame){.token = token, .tokens = e.tokens});
    }
    free(e.token);
}

uint32_t text_outer_expansion(const struct asm_text *t, uint32_t expansion)
{
    return t->expansion[expansion].parent;
}
