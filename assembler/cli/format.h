/* ptoas --format */
#ifndef PTOAS_FORMAT_H
#define PTOAS_FORMAT_H

#include "options.h"

/* Lay out the operands; false with diagnostics if one could not be laid out or written, or with
 * --check is laid out differently. */
bool ptoas_format(const struct ptoas_options *options, struct pto_diags *diags);

#endif
