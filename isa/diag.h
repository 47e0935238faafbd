/* Diagnostics: a list of messages, each with severity, position, text and an optional hint.
 * Libraries add to the list; only the programs print it (pto_diag_print, to a given stream). */
#ifndef PTO_DIAG_H
#define PTO_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "arena.h"

enum pto_severity { PTO_NOTE, PTO_WARNING, PTO_ERROR };

struct pto_diag {
    enum pto_severity severity;
    const char *file;         /* NULL: no position (for instance a command-line value) */
    uint32_t line, column;    /* 1-based, columns in code points; 0: unknown */
    uint32_t length;          /* characters to underline after the caret, at least 1 */
    const char *message;      /* one sentence, no newline, no full stop */
    const char *hint;         /* what is expected or allowed, or "did you mean"; NULL: none */
    const char *source_line;  /* text of the line for the caret; NULL: not shown */
    struct pto_diag *trail;   /* "included from", "in expansion of macro": innermost first,
                                 each the trail of the one before */
    bool included;            /* of a trail: the file before it was included here */
    const char *macro;        /* of a trail: the place before it is in this macro; NULL: unknown */
    struct pto_diag *next;
};

struct pto_diags {
    struct pto_arena arena;
    struct pto_diag *first, *last;
    unsigned errors, warnings;
    unsigned max_errors; /* 0: no limit; later errors are counted, not stored */
    struct pto_diag spare; /* what stands for an error that is not stored */
};

/* Are further errors only counted?  Then nothing is worth adding to them. */
bool pto_diags_full(const struct pto_diags *diags);

/* Append a diagnostic (texts are copied); returns it so that the caller may add line and trail. */
struct pto_diag *pto_diag_add(struct pto_diags *diags, enum pto_severity severity,
                              const char *file, uint32_t line, uint32_t column,
                              const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Set the hint of a diagnostic that pto_diag_add returned. */
void pto_diag_hint(struct pto_diags *diags, struct pto_diag *diag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Where a diagnostic is shown, of its own place and its trail's: of the places that led to it by
 * uses of macros, the innermost in the file of the outermost.  So the program's own line is named,
 * where a library's macro is what goes wrong. */
const struct pto_diag *pto_diag_first(const struct pto_diag *diag);
/* Append a text that quotes input, cleaned (characters.h), broken at blanks into lines of at most
 * PTO_MOST_COLUMNS; `column` stand before it in the first, `indent` blanks in the others.  Ends
 * with a newline. */
enum { PTO_MOST_COLUMNS = 160 };
void pto_put_wrapped(struct pto_buf *out, const char *text, size_t length, unsigned column,
                     unsigned indent);
/* Append a source line, and below it a caret under `column` with tildes up to `length`.  Columns
 * count code points from 1.  Of a very long line the surroundings of the caret are shown. */
void pto_put_source(struct pto_buf *out, const char *line, uint32_t column, uint32_t length);
/* Append all in order, `file:line:column: error: message`, source line, caret, hint, trail. */
void pto_diags_text(const struct pto_diags *diags, bool colour, struct pto_buf *out);
/* Print that text. */
void pto_diags_print(const struct pto_diags *diags, FILE *stream, bool colour);
void pto_diags_free(struct pto_diags *diags);

/* The candidate nearest to `word` (edit distance at most 2 or a third of its length), or NULL. */
const char *pto_nearest(const char *word, const char *const *candidates, unsigned count);

#endif
