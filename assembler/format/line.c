#include "line.h"

#include <string.h>

#include "ops.h"
#include "parse.h"
#include "text/reader.h"

/* Bytes of the first `characters` characters of a text. */
static size_t bytes_of(const char *text, uint32_t characters)
{
    const char *c = text;

    for (; *c; c++)
        if ((*c & 0xc0) != 0x80 && characters-- == 0)
            break;
    return (size_t)(c - text);
}

static uint32_t characters_of(const char *text, size_t bytes)
{
    uint32_t count = 0;

    for (size_t i = 0; i < bytes; i++)
        count += (text[i] & 0xc0) != 0x80;
    return count;
}

const char *format_spelling(struct format_text *f, const struct asm_token *token, size_t *length)
{
    const char *line = f->source->line[token->line - 1];

    if (f->last.line != token->line || f->last.column > token->column) {
        f->last.line = token->line;
        f->last.column = 1;
        f->last.byte = 0;
    }
    f->last.byte += bytes_of(line + f->last.byte, token->column - f->last.column);
    f->last.column = token->column;
    *length = bytes_of(line + f->last.byte, token->length);
    return line + f->last.byte;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r';
}

/* A comment without what stands invisible at its end. */
static const char *trimmed(struct pto_arena *arena, const char *text)
{
    size_t length = strlen(text);

    while (length && is_space(text[length - 1]))
        length--;
    return pto_arena_strndup(arena, text, length);
}

/* What follows the last token: the '\' of a line that goes on, a comment. */
static void read_end(struct format_text *f, struct format_line *line, const char *text)
{
    const struct asm_token *last = line->count ? &line->token[line->count - 1] : NULL;
    const char *c = text;

    if (last)
        c += bytes_of(text, last->column - 1 + last->length);
    while (is_space(*c))
        c++;
    if (*c == '\\') {
        line->continued = true;
        for (c++; is_space(*c); c++)
            ;
    }
    if (*c == ';') {
        line->comment = trimmed(f->arena, c);
        line->comment_was = characters_of(text, (size_t)(c - text));
    }
    line->was = last ? line->token->column - 1 : line->comment_was;
}

static enum format_class class_of_directive(int kind)
{
    switch (kind) {
    case TK_D_PARAM:
    case TK_D_IN:
    case TK_D_OUT:
    case TK_D_INOUT:
    case TK_D_GM:
    case TK_D_SYM:
    case TK_D_SIGNAL:
    case TK_D_VIEW:
    case TK_D_FIFO:
        return FORMAT_OBJECT;
    case TK_D_TILE:
    case TK_D_LOCAL:
        return FORMAT_TILE;
    case TK_D_EQU:
    case TK_D_DEFINE:
        return FORMAT_CONSTANT;
    default:
        return FORMAT_PLAIN;
    }
}

static enum format_class class_of(const struct format_line *line)
{
    const struct asm_token *first = line->statement;

    if (!first || line->labelled)
        return FORMAT_PLAIN;
    if (first->kind != TK_IDENT)
        return class_of_directive(first->kind);
    if (pto_op_find(first->text) < 0 && pto_pseudo_op_find(first->text) < 0)
        return FORMAT_PLAIN;
    return *first->text >= 'A' && *first->text <= 'Z' ? FORMAT_TILE_OP : FORMAT_OP;
}

/* The statement that begins in a line.  Its directive and keywords get their kinds. */
static void read_statement(struct format_line *line, uint32_t left)
{
    struct asm_token *first = line->token;
    uint32_t words = 0;

    while (words < left && first[words].kind != TK_EOL)
        words++;
    if (words > 1 && first->kind == TK_IDENT && first[1].kind == ':') {
        line->labelled = true;
        first += 2;
        words -= 2;
    }
    if (words == 0)
        return;
    if (first->kind == TK_DIRECTIVE)
        text_mark_words(first, words);
    line->statement = first;
    line->words = words;
    line->class = class_of(line);
}

/* A '\\' counts only between words of one statement; where there are none before or behind it, it
 * is left out. */
static void join_lines(struct format_text *f, uint32_t begin, uint32_t end)
{
    uint32_t first = begin, last = end;

    while (first < end && f->line[first].count == 0)
        first++;
    while (last > first && f->line[last - 1].count == 0)
        last--;
    for (uint32_t i = begin; i < end; i++) {
        f->line[i].continued = i >= first && i + 1 < last;
        f->line[i].continues = i > first && i < last;
    }
}

static void join_all(struct format_text *f)
{
    for (uint32_t begin = 0, end; begin < f->lines; begin = end) {
        for (end = begin + 1; end < f->lines && f->line[end - 1].continued; end++)
            ;
        join_lines(f, begin, end);
    }
}

void format_read(struct format_text *f)
{
    const struct asm_source *source = f->source;
    uint32_t at = 0;

    f->lines = source->lines;
    f->line = pto_arena_array(f->arena, f->lines, sizeof *f->line);
    for (uint32_t i = 0; i < f->lines; i++) {
        struct format_line *line = &f->line[i];

        while (at < source->tokens && source->token[at].kind == TK_EOL)
            at++;
        line->token = &source->token[at];
        while (at < source->tokens && source->token[at].line == i + 1 &&
               source->token[at].kind != TK_EOL)
            at++;
        line->count = (uint32_t)(&source->token[at] - line->token);
        read_end(f, line, source->line[i]);
    }
    join_all(f);
    for (uint32_t i = 0; i < f->lines; i++)
        if (f->line[i].count && !f->line[i].continues)
            read_statement(&f->line[i],
                           source->tokens - (uint32_t)(f->line[i].token - source->token));
}
