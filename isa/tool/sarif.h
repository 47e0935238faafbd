/* The parts of SARIF 2.1.0 (OASIS Standard, March 2020) that all programs write alike.  What is
 * open around them - a result, an array - is the caller's. */
#ifndef PTO_TOOL_SARIF_H
#define PTO_TOOL_SARIF_H

#include <limits.h>

#include "diag.h"
#include "lines.h"
#include "tool/json.h"

struct tool_sarif {
    struct cli_json json;
    struct pto_lines lines;
    const char *root; /* paths below this folder are given from there; NULL: paths stay */
    uint64_t *print;  /* fingerprints so far */
    unsigned prints, print_capacity;
};

#define TOOL_SARIF_HASH UINT64_C(0xcbf29ce484222325) /* the hash of nothing */

/* A rule: the page of the manual that tells more, in the row of a table that has its name, or else
 * in `section` (NULL: the page as a whole); and the level of a finding that says nothing else. */
struct tool_sarif_rule {
    const char *name, *meaning, *page, *section, *level;
};

/* The folder above a file that a repository has as its top; false: there is none. */
bool tool_sarif_find_root(const char *path, char root[PATH_MAX]);
/* Open the document and its run; the tool's rules follow, each by tool_sarif_rule. */
void tool_sarif_begin(struct tool_sarif *sarif, const char *program, struct pto_buf *out);
void tool_sarif_rule(struct tool_sarif *sarif, const struct tool_sarif_rule *rule);
/* Behind the last rule. */
void tool_sarif_end_rules(struct tool_sarif *sarif);
/* The only invocation: what follows are its notifications, and behind its end the results. */
void tool_sarif_invocation(struct tool_sarif *sarif, bool successful, int exit_code,
                           const char *status);
void tool_sarif_notification(struct tool_sarif *sarif, const struct pto_diag *diag);
void tool_sarif_end_invocation(struct tool_sarif *sarif);
/* Close what tool_sarif_begin opened, and give back memory. */
void tool_sarif_end(struct tool_sarif *sarif);

void tool_sarif_message(struct tool_sarif *sarif, const char *text);
/* Where a file lies. */
void tool_sarif_uri(struct tool_sarif *sarif, const char *path);
/* `line` and `column` from 1, 0: unknown; `length` of what is wrong, 0: the word that begins there;
 * `text` NULL: none. */
void tool_sarif_location(struct tool_sarif *sarif, const char *file, uint32_t line,
                         uint32_t column, uint32_t length, const char *text);
void tool_sarif_begin_result(struct tool_sarif *sarif, const char *id, unsigned index,
                             const char *level);
/* Replace what lies between two columns of a line. */
void tool_sarif_replacement(struct tool_sarif *sarif, uint32_t line, uint32_t column,
                            uint32_t end_column, const char *text);

/* Hashes go on with a text of `length` bytes, or with the text of a line: so a finding is
 * recognised when lines before it come or go.  `file` NULL: no line. */
uint64_t tool_sarif_hash(uint64_t hash, const char *text, size_t length);
uint64_t tool_sarif_hash_line(struct tool_sarif *sarif, uint64_t hash, const char *file,
                              uint32_t line);
/* What is alike in everything else is told apart by a number. */
void tool_sarif_fingerprint(struct tool_sarif *sarif, uint64_t hash);

#endif
