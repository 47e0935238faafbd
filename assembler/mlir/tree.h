/* Upstream text as a tree: operations, and in them what is written, in order.
 *
 * The tree knows brackets and where operations begin and end, nothing of what they mean.  All of it
 * lies in the arena of struct mlir_text. */
#ifndef ASM_MLIR_TREE_H
#define ASM_MLIR_TREE_H

#include "arena.h"
#include "diag.h"

enum mlir_kind {
    MLIR_SSA,    /* %name; text is the name, with the #n of one result of several */
    MLIR_INT,    /* text as written: -1, 0x40 */
    MLIR_FLOAT,
    MLIR_STRING, /* text is what stands between the quotes */
    MLIR_WORD,   /* name, keyword, builtin type; may have points in it: arith.addi */
    MLIR_TYPE,   /* !pto.tile_buf; text without '!' */
    MLIR_ATTR,   /* #pto.layout or #pto; text without '#' */
    MLIR_SYMBOL, /* @name; text without '@' */
    MLIR_LABEL,  /* ^bb0; text without '^' */
    MLIR_DIMS,   /* 16x64xf32, ?x?xf16, 16x? */
    MLIR_SIGN,   /* , : = -> ? * + - */
    MLIR_PAREN,  /* ( .. ) */
    MLIR_SQUARE, /* [ .. ] */
    MLIR_BRACE,  /* { .. } that holds no operations */
    MLIR_ANGLE,  /* < .. > */
    MLIR_REGION, /* { .. } of operations and labels */
    MLIR_OP      /* text is its name; `result` and `first` are what stands before and behind */
};

struct mlir_node {
    uint8_t kind;   /* enum mlir_kind */
    bool broken;    /* an operation of which an error has been told */
    uint32_t line, column, length; /* from 1; columns and lengths in code points */
    const char *text;
    struct mlir_node *result;      /* operation: SSA nodes left of '=', a sign and number between */
    struct mlir_node *first, *next; /* what is inside, and what stands behind */
};

/* A text on its way from bytes to a tree. */
struct mlir_token {
    int kind; /* of the parser */
    struct mlir_node node;
};

enum {
    MLIR_MAX_TOKENS = 4000000, /* words and signs of a text */
    MLIR_MAX_DEPTH = 200,      /* brackets in brackets */
    MLIR_MAX_NAME = 255        /* characters of a word */
};

struct mlir_text {
    const char *name; /* of the file, as diagnostics call it */
    const char *text;
    size_t size;
    struct pto_arena arena;
    struct pto_diags *diags;
    const char **line; /* where each begins; the last one is the end */
    uint32_t lines;
    struct mlir_token *token;
    uint32_t tokens, token_capacity;
    uint32_t at;  /* next token of the parser */
    bool broken;  /* an error was told: no tree */
    struct mlir_node *alias; /* the last one: what it names is inside, others behind it */
    struct mlir_node *root; /* a region: the file's functions and modules */
};

/* Does a text begin like one of upstream's: its first word is `module`, `func.func` or an alias? */
bool mlir_is_text(const char *text, size_t size);
/* Bytes to tree; false after errors.  The caller has filled in name, text, size and diags, and
 * gives everything back by mlir_text_free. */
bool mlir_parse(struct mlir_text *t);
void mlir_text_free(struct mlir_text *t);

/* What the name of a type or attribute stands for if it is an alias (`#map = ..`, `!t = ..`), else
 * the name itself. */
const struct mlir_node *mlir_resolve(const struct mlir_text *t, const struct mlir_node *name);
/* A line of the text, without its end. */
const char *mlir_source_line(const struct mlir_text *t, uint32_t line, size_t *length);
/* An error at a node, with its line; returned for hints. */
struct pto_diag *mlir_error(struct mlir_text *t, const struct mlir_node *node, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));
/* Tell of a word that is an instruction of this project's language; false: it is none. */
bool mlir_native(struct mlir_text *t, const struct mlir_node *word);

#endif
