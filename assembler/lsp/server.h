/* The server's state, and what its parts give one another. */
#ifndef ASM_LSP_SERVER_H
#define ASM_LSP_SERVER_H

#include <jansson.h>

#include "diag.h"
#include "frame.h"
#include "index.h"
#include "lint/lint.h"
#include "lsp.h"

/* A text that the client has open.  What is found out about it is found out when it is asked for,
 * and forgotten when any text changes. */
struct lsp_document {
    char *uri, *path;
    struct pto_buf text;
    bool published;      /* the client has the diagnostics of this text */
    bool indexed, checked;
    struct pto_arena arena;
    struct pto_diags lexed;      /* of the index; nobody is told */
    struct asm_text reader;      /* keeps the words that the index names */
    struct lsp_index index;
    struct pto_diags diags;
    struct pto_module module;    /* of the check, if it has one */
    bool has_module;
    struct lsp_document *next;
};

struct lsp_server {
    const struct lsp_host *host;
    struct pto_frames frames;
    int out;
    bool initialized, shut_down;
    bool gone; /* the conversation is over: */
    enum lsp_end end;
    const char *why;
    bool utf32; /* positions count characters, not UTF-16 units */
    struct pto_arena arena; /* settings of the client */
    const char *profile;
    const char **include_dir;
    unsigned include_dirs, include_capacity;
    struct pto_asm_define *define;
    unsigned defines, define_capacity;
    struct lsp_document *document;
    char refusal[400]; /* why the request under way cannot be done; "": it can */
};

/* ---- documents (document.c) ---- */

struct lsp_document *lsp_find(struct lsp_server *server, const char *uri);
/* Take in a text; an open document of this name is replaced. */
void lsp_open(struct lsp_server *server, const char *uri, const json_t *text);
void lsp_close(struct lsp_server *server, struct lsp_document *document);
/* A change of the client: a whole text, or what takes the place of a range.  false: it makes no
 * sense, and nothing has changed. */
bool lsp_change(struct lsp_server *server, struct lsp_document *document, const json_t *change);
/* Its names, found now if they are not known. */
const struct lsp_index *lsp_index_of(struct lsp_server *server, struct lsp_document *document);
/* Assemble, verify and lint it, if that was not done. */
void lsp_check(struct lsp_server *server, struct lsp_document *document);
/* The errors that a text would have in the place of the document's. */
void lsp_errors(struct lsp_server *server, const struct lsp_document *document,
                struct pto_buf *text, struct pto_diags *diags);
/* The path of a file: URI, else the URI itself; the caller frees it.  And back. */
char *lsp_path(const char *uri);
json_t *lsp_uri(const char *path);

/* ---- places and texts (place.c) ---- */

/* Zero-based places of the protocol from lines and columns from 1, and back.  `source` NULL:
 * the line is not known, columns stay. */
json_t *lsp_position(const struct lsp_server *server, const struct asm_source *source,
                     uint32_t line, uint32_t column);
json_t *lsp_range(const struct lsp_server *server, const struct asm_source *source, uint32_t line,
                  uint32_t column, uint32_t end_line, uint32_t end_column);
json_t *lsp_token_range(const struct lsp_server *server, const struct asm_source *source,
                        const struct asm_token *token);
/* A position behind the end of a line is its end, one behind the last line the end of the text.
 * false: it is none. */
bool lsp_read_position(const struct lsp_server *server, const struct asm_source *source,
                       const json_t *position, uint32_t *line, uint32_t *column);
/* The byte of a text that a position means, likewise; SIZE_MAX: it is none. */
size_t lsp_byte_at(const struct lsp_server *server, struct pto_buf *text, const json_t *position);
/* A string, whatever its bytes are. */
json_t *lsp_text(const char *text);

/* ---- answers (each takes the parameters of its request; NULL: nothing is known) ---- */

/* Answer a request by saying why it cannot be done: returns NULL. */
json_t *lsp_refuse(struct lsp_server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
json_t *lsp_hover(struct lsp_server *server, struct lsp_document *document, const json_t *params);
json_t *lsp_definition(struct lsp_server *server, struct lsp_document *document,
                       const json_t *params);
json_t *lsp_completion(struct lsp_server *server, struct lsp_document *document,
                       const json_t *params);
json_t *lsp_symbols(struct lsp_server *server, struct lsp_document *document,
                    const json_t *params);
json_t *lsp_references(struct lsp_server *server, struct lsp_document *document,
                       const json_t *params);
json_t *lsp_rename(struct lsp_server *server, struct lsp_document *document,
                   const json_t *params);
json_t *lsp_hints(struct lsp_server *server, struct lsp_document *document, const json_t *params);
json_t *lsp_folds(struct lsp_server *server, struct lsp_document *document, const json_t *params);
json_t *lsp_format(struct lsp_server *server, struct lsp_document *document,
                   const json_t *params);
json_t *lsp_actions(struct lsp_server *server, struct lsp_document *document,
                    const json_t *params);
/* Diagnostics of a document, as textDocument/publishDiagnostics has them. */
json_t *lsp_diagnostics(struct lsp_server *server, struct lsp_document *document);

#endif
