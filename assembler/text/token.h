/* Sources and tokens.  Everything but a source's tokens lives in the arena of one
 * assembly. */
#ifndef ASM_TEXT_TOKEN_H
#define ASM_TEXT_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

/* How much text. */
struct text_amount {
    uint64_t lines, tokens, characters;
};

/* A text that was read: a file, or a value from the command line. */
struct asm_source {
    const char *name;
    const char **line; /* text of each line, for diagnostics and listings */
    uint32_t lines;
    struct asm_token *token; /* ends with an end-of-line token; text_free frees it */
    uint32_t tokens;
    uint32_t *bad_line; /* those with an error in their words, ascending; text_free frees them */
    uint32_t bad_lines, bad_capacity;
    struct text_amount amount;
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
    const char *text; /* name without '%' or '.', operator, or the decoded string */
    union {
        uint64_t i;
        double f;
    };
};

#endif
