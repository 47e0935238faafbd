#include "spacing.h"

#include <string.h>

#include "parse.h"

/* A line on its way from the left to the right. */
struct spacing {
    int directive; /* of the statement, also in lines that continue it; 0: none */
    const struct asm_token *mnemonic; /* the first word, if no operand can be it */
    bool unary; /* the token before is a sign of the operand that follows */
    int depth;  /* of brackets that are open */
};

static bool is_word(int kind)
{
    return kind == TK_IDENT || kind == TK_REG || kind == TK_INT || kind == TK_FLOAT ||
           kind == TK_STRING || kind == TK_OP || kind == TK_ARGUMENT;
}

/* Words that the grammar knows: directives, and the keywords behind them. */
static bool is_keyword(int kind)
{
    return kind == TK_DIRECTIVE || (kind >= TK_TO && !is_word(kind));
}

static bool opens(int kind)
{
    return kind == '(' || kind == '[' || kind == '{';
}

static bool closes(int kind)
{
    return kind == ')' || kind == ']' || kind == '}';
}

static bool ends_operand(const struct spacing *s, const struct asm_token *token)
{
    return (is_word(token->kind) && token != s->mnemonic) || closes(token->kind);
}

/* Does a '-', '+', '!' or '~' belong to the operand behind it? */
static bool is_unary(const struct spacing *s, const struct asm_token *before,
                     const struct asm_token *token)
{
    if (token->kind == '!' || token->kind == '~')
        return true;
    return (token->kind == '-' || token->kind == '+') && !ends_operand(s, before);
}

/* Did the author write a blank there? */
static bool was_apart(const struct asm_token *before, const struct asm_token *token)
{
    return token->column > before->column + before->length;
}

static bool space_before_bracket(const struct spacing *s, const struct asm_token *before,
                                 const struct asm_token *token)
{
    if (closes(before->kind))
        return false;
    if (!is_word(before->kind) || before == s->mnemonic)
        return true;
    return token->kind == '(' && was_apart(before, token); /* arguments of a macro in parentheses */
}

/* Signs that stand by themselves or not, whatever is around them; -1: they do not say. */
static int space_of_sign(const struct spacing *s, int before, int kind)
{
    if (kind == ',' || closes(kind) || opens(before))
        return false;
    if (before == ',' || kind == '=' || before == '=')
        return true;
    if (kind == '@' || before == '@')
        return s->directive == TK_D_TILE;
    if (kind == ':' || before == ':')
        return s->directive != TK_D_MIX;
    return -1;
}

/* What may follow a sign without a blank: more would make one operator of two. */
static bool belongs_to_sign(int kind)
{
    return is_word(kind) || opens(kind) || closes(kind) || kind == ',' || kind == '-' ||
           kind == '+' || kind == '!' || kind == '~';
}

static bool space_between(const struct spacing *s, const struct asm_token *before,
                          const struct asm_token *token)
{
    int sign = s->unary ? !belongs_to_sign(token->kind)
                        : space_of_sign(s, before->kind, token->kind);

    if (sign >= 0)
        return sign;
    return !opens(token->kind) || space_before_bracket(s, before, token);
}

/* Where a part of the code begins with this token, its number; else 0. */
static unsigned part_before(const struct spacing *s, const struct format_line *line,
                            const struct asm_token *token, unsigned parts)
{
    const struct asm_token *first = line->statement;
    uint32_t at = first && token > first ? (uint32_t)(token - first) : 0;
    bool constant = line->class == FORMAT_CONSTANT;

    if (line->class == FORMAT_PLAIN || at == 0)
        return 0;
    if (at == 1)
        return 1;
    if (parts == 2 && (line->class == FORMAT_OBJECT || line->class == FORMAT_TILE || constant) &&
        token->kind == (constant ? '=' : ':') && s->depth <= 0)
        return 2;
    if (parts == 3 && line->class == FORMAT_TILE && first[at - 1].kind == TK_IDENT &&
        first[at - 2].kind == ':' && token->kind == TK_IDENT)
        return 3;
    return 0;
}

static void end_part(struct format_text *f, struct format_line *line, unsigned part,
                     struct pto_buf *code)
{
    uint32_t characters = 0;

    for (size_t i = 0; i < code->size; i++)
        characters += (code->data[i] & 0xc0) != 0x80;
    line->part[part].text = pto_arena_strndup(f->arena, pto_buf_text(code), code->size);
    line->part[part].length = characters;
    code->size = 0;
}

static void space_line(struct spacing *s, struct format_text *f, struct format_line *line)
{
    const struct asm_token *label = line->labelled ? &line->token[1] : NULL;
    struct pto_buf code = {0};
    unsigned part = 0;

    s->depth = 0;
    line->part[0].was = line->was;
    for (uint32_t i = 0; i < line->count; i++) {
        const struct asm_token *token = &line->token[i], *before = i ? token - 1 : NULL;
        size_t length;
        const char *text = format_spelling(f, token, &length);
        bool space = before && token != label && space_between(s, before, token);

        if (space && part_before(s, line, token, part + 1)) {
            end_part(f, line, part++, &code);
            line->part[part].was = token->column - 1;
            space = false;
        }
        if (space)
            pto_buf_byte(&code, ' ');
        pto_buf_append(&code, text, length);
        s->depth += opens(token->kind) - closes(token->kind);
        s->unary = before ? is_unary(s, before, token) : token->kind == '!' || token->kind == '~';
    }
    end_part(f, line, part, &code);
    pto_buf_free(&code);
}

void format_space(struct format_text *f)
{
    struct spacing s = {0};

    for (uint32_t i = 0; i < f->lines; i++) {
        struct format_line *line = &f->line[i];

        if (!line->continues) {
            const struct asm_token *first = line->statement;

            s.directive = first && is_keyword(first->kind) ? first->kind : 0;
            s.mnemonic = first && first->kind == TK_IDENT ? first : NULL;
        }
        s.unary = false;
        if (line->count)
            space_line(&s, f, line);
    }
}
