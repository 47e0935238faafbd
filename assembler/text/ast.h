/* Tokens, expressions and statements: what passes from the lexer through the reader and the parser
 * to the code that gives them meaning.  Everything lives in the arena of one assembly. */
#ifndef ASM_AST_H
#define ASM_AST_H

#include <stdbool.h>
#include <stdint.h>

/* A text that was read: a file, or a value from the command line. */
struct asm_source {
    const char *name;
    const char **line; /* text of each line, for diagnostics and listings */
    uint32_t lines;
    struct asm_token *token; /* ends with an end-of-line token */
    uint32_t tokens;
    int32_t module_file; /* index in the module's files; PTO_NONE until a position needs it */
    bool is_file;
    const char *real; /* path without links and detours; NULL: there is none */
    bool library;     /* read completely outside of kernels: once is enough */
    struct asm_source *next;
};

/* How tokens came in: directly, by an include, or by one use of a macro. */
struct asm_origin {
    struct asm_source *source;
    const struct asm_token *from; /* the file name after .include, or the name of the macro used */
    const char *macro;            /* NULL: an include */
    uint32_t depth;               /* includes and macro uses around it */
    int32_t pos;                  /* module position of `from`; PTO_NONE until it is needed */
};

struct asm_token {
    int kind; /* enum asm_tokentype of the grammar */
    uint32_t line, column, length;
    struct asm_origin *origin;
    /* The macro use that wrote this token, 0 outside macros.  Names are looked up from the inside
     * out along the uses; tokens of an argument keep the number of the place that wrote them. */
    uint32_t expansion;
    const char *text; /* name without '%' or '.', or the decoded string */
    union {
        uint64_t i;
        double f;
    };
};

enum asm_expr_kind {
    EX_INT,
    EX_FLOAT,
    EX_STRING,
    EX_REG,
    EX_REF, /* name, and whichever of @rank [index] (arguments or offset) {extent} follow it */
    EX_UNARY,
    EX_BINARY
};

struct asm_list {
    struct asm_expr *first, *last;
    unsigned count;
};

struct asm_expr {
    enum asm_expr_kind kind;
    const struct asm_token *token;       /* name, literal or operator */
    const struct asm_token *begin, *end; /* first and last token of the whole */
    struct asm_expr *left, *right;
    struct asm_expr *rank;
    struct asm_list *index, *paren, *brace; /* NULL: not written */
    struct asm_expr *next;                  /* in a list */
};

/* Which fields a statement fills depends on `kind`, see the grammar. */
struct asm_stmt {
    int kind;                      /* token of the directive, or one of those below */
    const struct asm_token *token; /* the directive, mnemonic or register: place of the statement */
    const struct asm_token *name, *type, *word, *text;
    struct asm_expr *expr, *to, *step;
    struct asm_list *list, *strides;
    bool down;
    struct asm_expr *slots; /* .tile, .fifo */
    const struct asm_token *split; /* .fifo only */
    /* .tile only */
    struct asm_expr *address, *stride;
    const struct asm_token *parent;
    const struct asm_token *words[4]; /* space, type and layout, in any order */
    unsigned word_count;
};

enum { ST_LABEL = 1, ST_INSN, ST_ASSIGN };

#endif
