/* Strings of JSON texts. */
#ifndef PTO_JSON_QUOTE_H
#define PTO_JSON_QUOTE_H

#include "arena.h"

/* A string literal with its quotes: control characters are escaped, bytes that are not UTF-8
 * become the replacement character. */
void pto_json_quote(struct pto_buf *out, const char *text);

#endif
