/* A source text as lines into which others can be inserted: what becomes of advice. */
#ifndef PTO_CLI_SHEET_H
#define PTO_CLI_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

struct cli_line {
    const char *text; /* without its end */
    bool added;       /* not in the file */
    uint32_t opener;  /* line of the block that it stands in; 0: none */
    uint32_t closer;  /* of a line that opens a block: the one that closes it */
};

struct cli_sheet {
    const char *path;
    struct cli_line *line; /* [0] is no line: they count from 1 */
    uint32_t lines;
    bool ends;             /* the last line has its end */
};

void cli_sheet_init(struct cli_sheet *sheet, const char *path, const char *text, size_t size,
                    struct pto_arena *arena);
/* The first line of the statement that `line` belongs to, and the first one behind it: a line may
 * be continued. */
uint32_t cli_sheet_first(const struct cli_sheet *sheet, uint32_t line);
uint32_t cli_sheet_behind(const struct cli_sheet *sheet, uint32_t line);
/* Does the line hold a statement, not only a comment? */
bool cli_sheet_says(const struct cli_sheet *sheet, uint32_t line);
/* Does it begin with a label? */
bool cli_sheet_is_label(const struct cli_sheet *sheet, uint32_t line);
/* Insert the lines of `text` before `line` (the last + 1: at the end), indented to fit there. */
void cli_sheet_insert(struct cli_sheet *sheet, uint32_t line, const char *text,
                      struct pto_arena *arena);
/* Append all lines, as they are now and as they were. */
void cli_sheet_text(const struct cli_sheet *sheet, struct pto_buf *out);
void cli_sheet_original(const struct cli_sheet *sheet, struct pto_buf *out);
bool cli_sheet_changed(const struct cli_sheet *sheet);
/* A unified diff from the file to the sheet, with three lines around every change. */
void cli_sheet_diff(const struct cli_sheet *sheet, struct pto_buf *out);

#endif
