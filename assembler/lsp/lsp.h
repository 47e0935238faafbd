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
/* Serve until the client says exit or hangs up.  Exit status: 0 if it said shutdown before. */
int lsp_serve(const struct lsp_host *host, int in, int out);

#endif
