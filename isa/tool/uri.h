/* Paths as URIs, RFC 3986. */
#ifndef PTO_TOOL_URI_H
#define PTO_TOOL_URI_H

#include "arena.h"

/* Append a path: an absolute one as a file: URI, another one as a relative reference. */
void tool_put_uri(struct pto_buf *text, const char *path);

#endif
