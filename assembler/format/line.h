/* The lines of a text as they are laid out: words and signs, comments, and what stands where. */
#ifndef ASM_FORMAT_LINE_H
#define ASM_FORMAT_LINE_H

#include "text/text.h"

/* What lines have in common that may stand in columns. */
enum format_class {
    FORMAT_PLAIN,
    FORMAT_TILE_OP, /* instructions in capitals */
    FORMAT_OP,      /* the others */
    FORMAT_OBJECT,  /* parameters and objects */
    FORMAT_TILE,    /* .tile, .local */
    FORMAT_CONSTANT /* .equ, .define */
};

/* Where the code of a line is divided: behind its first word, before the ':' of a declaration or
 * the '=' of a constant, behind the memory of a tile.  Between the parts is one blank, or more of
 * them up to a column. */
enum { FORMAT_PARTS = 4, FORMAT_COLUMNS = FORMAT_PARTS - 1 };

struct format_part {
    const char *text; /* NULL: the code has no such part */
    uint32_t length;
    uint32_t was; /* column of its first character in the source, from 0 */
};

/* One line of the source.  Columns count characters from 0. */
struct format_line {
    struct asm_token *token; /* of this line, not those of the lines that it continues */
    uint32_t count;
    const struct asm_token *statement; /* first word of the statement behind a label; NULL: none */
    uint32_t words; /* tokens of the statement */
    bool labelled;  /* the line begins with a label */
    bool continued; /* the statement goes on in the next line */
    bool continues; /* it began in an earlier one */
    const char *comment; /* from ';' on; NULL: none */
    uint32_t comment_was;
    uint32_t was; /* column of the code, or of the comment of a line without code */
    enum format_class class;
    bool flat;         /* it begins a block at the margin that holds declarations */
    bool parts_blocks; /* begins or ends a block, or the like: columns end here */
    struct format_part part[FORMAT_PARTS];
    /* How it is laid out. */
    uint32_t indent;
    uint32_t at[FORMAT_PARTS]; /* columns of the parts behind the indentation */
};

struct format_text {
    struct pto_arena *arena;
    const struct asm_source *source;
    struct format_line *line;
    uint32_t lines;
    /* Where the last spelling began: the next one begins behind it, as a rule. */
    struct {
        uint32_t line, column;
        size_t byte;
    } last;
};

/* Divide a source into its lines; they have no layout yet. */
void format_read(struct format_text *f);
/* The text of a token as it was written: `*length` bytes, of so many characters as it has. */
const char *format_spelling(struct format_text *f, const struct asm_token *token, size_t *length);

#endif
