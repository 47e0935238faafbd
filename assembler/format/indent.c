#include "indent.h"

#include <stdlib.h>

#include "parse.h"

/* A block around the line: its indentation, and that of the code in it.  A flat one, an .if around
 * declarations, leaves them where they are. */
struct block {
    uint32_t indent, inside;
    bool flat;
};

struct indenting {
    struct format_text *text;
    struct block *block;
    unsigned blocks, capacity, flat; /* of them flat: the outermost ones */
    uint32_t pending; /* first of the comments before a statement */
};

/* Where a statement stands outside of blocks. */
enum place {
    OUTER, /* at the margin */
    INNER, /* code: indented */
    FREE   /* as the author has it: the margin or code */
};

static enum place place_of_directive(int kind)
{
    switch (kind) {
    case TK_D_TILE:
    case TK_D_LOCAL:
    case TK_D_SLOTS:
    case TK_D_ASSERT:
    case TK_D_EQU:
    case TK_D_DEFINE:
    case TK_D_EXPORT:
    case TK_D_REG:
    case TK_D_AT:
    case TK_DIRECTIVE: /* nobody knows it */
        return FREE;
    case TK_D_FOR:
    case TK_D_ENDFOR:
    case TK_D_WHILE:
    case TK_D_ENDWHILE:
    case TK_D_IF:
    case TK_D_ELIF:
    case TK_D_ELSE:
    case TK_D_ENDIF:
    case TK_D_BREAK:
    case TK_D_CONTINUE:
    case TK_D_ORDERED:
    case TK_D_ENDORDERED:
    case TK_D_TAKE:
    case TK_D_GIVE:
    case TK_D_DRAIN:
        return INNER;
    default:
        return OUTER;
    }
}

static enum place place_of(const struct format_line *line)
{
    const struct asm_token *first = line->statement;

    if (!first)
        return OUTER; /* a label */
    if (first->kind != TK_IDENT)
        return first->kind == TK_REG ? INNER : place_of_directive(first->kind);
    if (line->class == FORMAT_PLAIN && (line->words < 2 || first[1].kind != '='))
        return FREE; /* the use of a macro */
    return INNER;
}

static bool begins_block(int kind)
{
    return kind == TK_D_FOR || kind == TK_D_WHILE || kind == TK_D_IF || kind == TK_D_ORDERED;
}

static bool ends_block(int kind)
{
    return kind == TK_D_ENDFOR || kind == TK_D_ENDWHILE || kind == TK_D_ENDIF ||
           kind == TK_D_ENDORDERED;
}

static bool divides_block(int kind)
{
    return kind == TK_D_ELIF || kind == TK_D_ELSE;
}

/* What no block of code holds. */
static bool is_section(int kind)
{
    return kind == TK_D_KERNEL || kind == TK_D_CORE || kind == TK_D_MACRO || kind == TK_D_ENDM ||
           kind == TK_D_SETUP || kind == TK_D_ENDSETUP;
}

static int kind_of(const struct format_line *line)
{
    return line->statement ? line->statement->kind : 0;
}

/* Which blocks that begin at the margin hold declarations there?  A block knows when it ends: then
 * it holds what came last, if that came after its beginning. */
static void find_flat(struct format_text *f)
{
    uint32_t *begin = NULL, begins = 0, capacity = 0, last = 0;

    for (uint32_t i = 0; i < f->lines; i++) {
        const struct format_line *line = &f->line[i];
        int kind = kind_of(line);

        if (begins_block(kind)) {
            PTO_GROW(begin, begins, capacity);
            begin[begins++] = i;
        } else if (ends_block(kind) && begins > 0) {
            uint32_t first = begin[--begins];

            f->line[first].flat = f->line[first].was == 0 && last > first;
        } else if (line->statement && line->was == 0 && place_of(line) != INNER) {
            last = i;
        }
    }
    while (begins > 0) { /* nobody ends these */
        uint32_t first = begin[--begins];

        f->line[first].flat = f->line[first].was == 0 && last > first;
    }
    free(begin);
}

/* Indentation of code in the blocks that are open. */
static uint32_t code_indent(const struct indenting *in)
{
    return in->blocks > in->flat ? in->block[in->blocks - 1].inside : FORMAT_INDENT;
}

static uint32_t margin_or_code(const struct indenting *in, const struct format_line *line)
{
    return in->blocks > in->flat || line->was > 0 ? code_indent(in) : 0;
}

/* What .ordered holds is indented or not, as the author has it: it may hold a whole program. */
static bool keeps_indent(const struct format_text *f, uint32_t i)
{
    uint32_t next = i + 1;

    if (f->line[i].statement->kind != TK_D_ORDERED)
        return false;
    while (next < f->lines && (!f->line[next].count || f->line[next].continues))
        next++;
    return next < f->lines && f->line[next].was == f->line[i].was;
}

static void open_block(struct indenting *in, uint32_t i)
{
    struct format_line *line = &in->text->line[i];
    struct block block = {.indent = code_indent(in)};

    block.flat = line->statement->kind == TK_D_IF && in->blocks == in->flat && line->flat;
    if (block.flat)
        block.indent = 0;
    block.inside = block.indent + (keeps_indent(in->text, i) ? 0 : FORMAT_INDENT);
    if (block.inside > FORMAT_DEEPEST)
        block.inside = FORMAT_DEEPEST;
    line->indent = block.indent;
    PTO_GROW(in->block, in->blocks, in->capacity);
    in->block[in->blocks++] = block;
    in->flat += block.flat;
}

static void close_block(struct indenting *in)
{
    in->flat -= in->block[--in->blocks].flat;
}

/* Comments go with the statement that follows; before the end of a block those that stand deeper
 * than it belong to what the block holds. */
static void indent_comments(struct indenting *in, uint32_t end, const struct format_line *next,
                            uint32_t inside)
{
    for (; in->pending < end; in->pending++) {
        struct format_line *line = &in->text->line[in->pending];

        if (line->count || !line->comment || line->continues)
            continue;
        if (in->blocks == in->flat)
            line->indent = line->was > 0 ? FORMAT_INDENT : 0;
        else
            line->indent = !next || line->was > next->was ? inside : next->indent;
    }
    in->pending = end + 1;
}

static void indent_statement(struct indenting *in, uint32_t i)
{
    struct format_line *line = &in->text->line[i];
    int kind = kind_of(line);
    uint32_t inside = code_indent(in);

    line->parts_blocks = line->labelled || begins_block(kind) || ends_block(kind) ||
                         divides_block(kind) || is_section(kind);
    if (is_section(kind))
        in->blocks = in->flat; /* what is open there is an error */
    if (begins_block(kind)) {
        open_block(in, i);
        in->blocks--;
        indent_comments(in, i, line, line->indent);
        in->blocks++;
        return;
    }
    if ((ends_block(kind) || divides_block(kind)) && in->blocks > 0) {
        line->indent = in->block[in->blocks - 1].indent;
        indent_comments(in, i, line, inside);
        if (ends_block(kind))
            close_block(in);
        return;
    }
    if (line->labelled || (place_of(line) == OUTER && in->blocks == in->flat))
        line->indent = 0;
    else if (place_of(line) == FREE)
        line->indent = margin_or_code(in, line);
    else
        line->indent = inside;
    indent_comments(in, i, line, line->labelled ? inside : line->indent);
}

void format_indent(struct format_text *f)
{
    struct indenting in = {.text = f};

    find_flat(f);
    for (uint32_t i = 0; i < f->lines; i++)
        if (f->line[i].count && !f->line[i].continues)
            indent_statement(&in, i);
    indent_comments(&in, f->lines, NULL, code_indent(&in));
    free(in.block);
}
