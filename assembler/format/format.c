#include "format.h"

#include <string.h>

#include "columns.h"
#include "indent.h"
#include "parse.h"
#include "spacing.h"
#include "text/source.h"

enum {
    COMMENT_COLUMN = 40, /* of comments behind code, where it is short enough; else */
    COMMENT_STEP = 4,    /* a multiple of this */
    COMMENT_LEAST = 2,   /* so many blanks behind the code, at least */
    COMMENT_MOST = 9,    /* and at most */
    WIDTH = 100          /* unless the line gets wider than this */
};

/* ---- lines that continue others ---- */

/* They move with what they continue: with its operands where they stand below them. */
static void indent_continuation(struct format_line *line, const struct format_line *first)
{
    uint32_t operands = first->part[1].text ? first->part[1].was : UINT32_MAX;

    if (line->count > 0 && line->was >= operands)
        line->indent = first->indent + first->at[1] + (line->was - operands);
    else if (line->count > 0 && line->was > first->was + FORMAT_INDENT)
        line->indent = first->indent + (line->was - first->was);
    else
        line->indent = first->indent + FORMAT_INDENT;
}

static void indent_continuations(struct format_text *f)
{
    const struct format_line *first = NULL;

    for (uint32_t i = 0; i < f->lines; i++) {
        if (!f->line[i].continues)
            first = &f->line[i];
        else
            indent_continuation(&f->line[i], first);
    }
}

/* ---- comments ---- */

static uint32_t comment_column(const struct format_line *line, uint32_t end)
{
    uint32_t length = (uint32_t)strlen(line->comment), was = line->comment_was;
    uint32_t column = (end + COMMENT_LEAST + COMMENT_STEP - 1) / COMMENT_STEP * COMMENT_STEP;

    if (end < COMMENT_COLUMN)
        return COMMENT_COLUMN;
    if (was % COMMENT_STEP == 0 && was >= end + COMMENT_LEAST && was <= end + COMMENT_MOST &&
        was + length <= WIDTH)
        column = was;
    return column + length <= WIDTH ? column : end + 1;
}

/* ---- output ---- */

struct writer {
    struct pto_buf *out;
    uint32_t column;
    /* Of the comment in the line before: a comment below it, where it was, goes on with it. */
    uint32_t comment, comment_was;
    bool commented;
};

static void write_text(struct writer *w, uint32_t column, const char *text, uint32_t length)
{
    for (; w->column < column; w->column++)
        pto_buf_byte(w->out, ' ');
    pto_buf_printf(w->out, "%s", text);
    w->column += length;
}

static void write_comment(struct writer *w, const struct format_line *line)
{
    bool alone = line->count == 0 && !line->continued;
    uint32_t column = line->indent;

    if (!alone)
        column = comment_column(line, w->column);
    else if (w->commented && line->comment_was == w->comment_was)
        column = w->comment;
    w->commented = !alone || (w->commented && column == w->comment);
    w->comment = column;
    w->comment_was = line->comment_was;
    write_text(w, column, line->comment, 0);
}

static void write_line(struct writer *w, const struct format_line *line)
{
    w->column = 0;
    for (unsigned part = 0; part < FORMAT_PARTS && line->part[part].text; part++)
        write_text(w, line->indent + line->at[part], line->part[part].text,
                   line->part[part].length);
    if (line->continued)
        write_text(w, line->count ? w->column + 1 : line->indent, "\\", 1);
    if (line->comment)
        write_comment(w, line);
    else
        w->commented = false;
    pto_buf_byte(w->out, '\n');
}

/* Of several empty lines one is kept, of those at the beginning and the end none. */
static void write_lines(const struct format_text *f, struct pto_buf *out)
{
    struct writer w = {.out = out};
    bool blank = false, any = false;

    for (uint32_t i = 0; i < f->lines; i++) {
        const struct format_line *line = &f->line[i];

        if (line->count == 0 && !line->comment) {
            blank = any && !line->continues;
            w.commented = false;
            continue;
        }
        if (blank)
            pto_buf_byte(out, '\n');
        blank = false;
        any = true;
        write_line(&w, line);
    }
}

/* ---- the whole ---- */

/* Without the ends of lines at the end of the text. */
static uint32_t tokens_of(const struct asm_source *source)
{
    uint32_t count = source->tokens;

    while (count && source->token[count - 1].kind == TK_EOL)
        count--;
    return count;
}

/* Words, signs and ends of lines, as they are written. */
static bool same_tokens(struct format_text *a, struct format_text *b)
{
    uint32_t count = tokens_of(a->source);

    if (count != tokens_of(b->source))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        size_t length, other;
        const char *text = format_spelling(a, &a->source->token[i], &length);
        const char *written = format_spelling(b, &b->source->token[i], &other);

        if (length != other || memcmp(text, written, length) != 0)
            return false;
    }
    return true;
}

static void lay_out(struct format_text *f, struct pto_buf *out)
{
    format_read(f);
    format_space(f);
    format_indent(f);
    format_align(f);
    indent_continuations(f);
    write_lines(f, out);
}

enum pto_status format_text(const char *name, const char *text, size_t size, struct pto_buf *out,
                            struct pto_diags *diags)
{
    struct pto_arena arena = {0};
    struct asm_text reader = {.diags = diags, .arena = &arena};
    struct format_text before = {.arena = &arena}, after = {.arena = &arena};
    struct pto_buf result = {0};
    unsigned errors = diags->errors;
    enum pto_status status = PTO_EPROGRAM;

    before.source = text_source_add(&reader, name, text, size, false);
    if (diags->errors == errors) {
        lay_out(&before, &result);
        after.source = text_source_add(&reader, name, pto_buf_text(&result), result.size, false);
        status = diags->errors == errors && same_tokens(&before, &after) ? PTO_OK : PTO_EINTERNAL;
    }
    if (status == PTO_OK)
        pto_buf_append(out, result.data, result.size);
    if (status == PTO_EINTERNAL)
        pto_diag_add(diags, PTO_ERROR, name, 0, 0, "laid out, this would be another text");
    pto_buf_free(&result);
    text_free(&reader);
    pto_arena_free(&arena);
    return status;
}
