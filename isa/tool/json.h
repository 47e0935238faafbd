/* Writes JSON text into a buffer, member after member.  Output is ASCII-safe: control characters
 * are escaped, bytes that are not UTF-8 become the replacement character. */
#ifndef PTO_TOOL_JSON_H
#define PTO_TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

struct cli_json {
    struct pto_buf *out;
    unsigned depth;
    bool empty; /* nothing written yet in the innermost object or array */
};

/* `key` is NULL for elements of arrays and for the outermost value. */
void cli_json_open(struct cli_json *json, const char *key, char bracket); /* '{' or '[' */
void cli_json_close(struct cli_json *json, char bracket);                 /* '}' or ']' */
void cli_json_text(struct cli_json *json, const char *key, const char *text); /* NULL: null */
void cli_json_uint(struct cli_json *json, const char *key, uint64_t value);
void cli_json_int(struct cli_json *json, const char *key, int64_t value);
void cli_json_number(struct cli_json *json, const char *key, double value); /* not finite: null */
void cli_json_bool(struct cli_json *json, const char *key, bool value);

#endif
