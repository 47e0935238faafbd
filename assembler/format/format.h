/* Laying out a text of this language: the same words and signs in the same lines, comments kept. */
#ifndef ASM_FORMAT_FORMAT_H
#define ASM_FORMAT_FORMAT_H

#include "diag.h"
#include "status.h"

/* Append `size` bytes of text that diagnostics call `name`, laid out as docs/language.md says; what
 * was laid out before comes out as it is.  Only the words and signs have to be right, not the
 * statements: else PTO_EPROGRAM with diagnostics, and nothing is appended. */
enum pto_status format_text(const char *name, const char *text, size_t size, struct pto_buf *out,
                            struct pto_diags *diags);

#endif
