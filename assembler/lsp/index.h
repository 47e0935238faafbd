/* The names of a text: what is defined where, and what a word means. */
#ifndef ASM_LSP_INDEX_H
#define ASM_LSP_INDEX_H

#include "text/text.h"

/* Numbers of the protocol's SymbolKind. */
enum lsp_kind {
    LSP_MODULE = 2, /* .core */
    LSP_CLASS = 5,  /* .kernel */
    LSP_FUNCTION = 12, /* macro */
    LSP_VARIABLE = 13, /* register */
    LSP_CONSTANT = 14,
    LSP_ARRAY = 18, /* tile, local array */
    LSP_OBJECT = 19,
    LSP_KEY = 20, /* label */
    LSP_PARAMETER = 26
};

/* Kernels, cores and macros; 0 is the text as a whole.  Lines count from 1, `last` included. */
struct lsp_scope {
    const struct asm_source *source;
    enum lsp_kind kind;
    const struct asm_token *name; /* of .core: the word behind it; NULL: the text, or none */
    uint32_t first, last;
    unsigned parent;
};

struct lsp_name {
    const char *name; /* without '%' */
    const char *what; /* "tile", "parameter", ... */
    enum lsp_kind kind;
    bool is_register;
    const struct asm_source *source;
    const struct asm_token *token, *statement; /* where it is defined, first word of that line */
    unsigned scope;
};

struct lsp_index {
    struct lsp_scope *scope;
    unsigned scopes, scope_capacity;
    struct lsp_name *name;
    unsigned names, name_capacity;
    const struct asm_source *main;
};

/* Take in a source; what it includes is found by `t`. */
void lsp_index_build(struct lsp_index *index, struct asm_text *t, struct asm_source *main);
void lsp_index_free(struct lsp_index *index);
/* The word at a place of the main source, line and column from 1, and the first word of its
 * statement; NULL: none is there. */
const struct asm_token *lsp_token_at(const struct lsp_index *index, uint32_t line,
                                     uint32_t column, const struct asm_token **statement);
/* What a word of a source means; NULL: it is defined nowhere. */
const struct lsp_name *lsp_resolve(const struct lsp_index *index, const struct asm_source *source,
                                   const struct asm_token *token);

#endif
