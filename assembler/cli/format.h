/* ptoas --format */
#ifndef PTOAS_FORMAT_H
#define PTOAS_FORMAT_H

#include "options.h"

/* Lay out the operands; the worst of what became of them, with diagnostics: PTO_EPROGRAM if one is
 * no text to lay out, or with --check is laid out differently, PTO_ESYSTEM if one could not be
 * read or written. */
enum pto_status ptoas_format(const struct ptoas_options *options, struct pto_diags *diags);

#endif
