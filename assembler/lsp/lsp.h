/* The language server: what editors ask about texts of this language, answered in the Language
 * Server Protocol 3.17 over two descriptors. */
#ifndef ASM_LSP_LSP_H
#define ASM_LSP_LSP_H

#include <stdbool.h>

#include "arena.h"

/* What the program gives the server. */
struct lsp_host {
    /* Append the manual's page of an instruction; false: it has none, *nearest may name another. */
    bool (*explain)(const char *mnemonic, struct pto_buf *out, const char **nearest);
    const char *profile;            /* machine to assemble for */
    const char *const *include_dir; /* searched after the folder of the including file */
    unsigned include_dirs;
};

/* Is the server built in?  It needs the library jansson. */
bool lsp_is_there(void);
/* How a conversation ended; the numbers are exit statuses. */
enum lsp_end {
    LSP_END_SHUT_DOWN = 0,
    LSP_END_LEFT = 1, /* the client went without a word, or cannot be reached */
    LSP_END_LOST = 2  /* a frame made no sense: nobody knows where the next one begins */
};

/* Serve until the client says exit or hangs up.  *why: what a status that is not 0 is about, a
 * static text. */
enum lsp_end lsp_serve(const struct lsp_host *host, int in, int out, const char **why);

#endif
