/* What ptoas writes, and where to. */
#ifndef PTOAS_OUTPUT_H
#define PTOAS_OUTPUT_H

#include "options.h"

/* Write a file ("-": standard output); false after an error. */
bool ptoas_write(const char *path, const struct pto_buf *bytes, struct pto_diags *diags);
/* Where the object goes: -o, or NAME.pto -> NAME.ptob in the current folder, made in `text`. */
const char *ptoas_object_name(const struct ptoas_options *options, struct pto_buf *text);
/* Does every output have a file of its own?  `read`: files that were included, one path a line. */
bool ptoas_outputs_are_safe(const struct ptoas_options *options, const struct pto_buf *read,
                            struct pto_diags *diags);
/* Append a make rule: the object depends on the files that were read. */
void ptoas_make_rule(const struct ptoas_options *options, const struct pto_buf *read,
                     struct pto_buf *rule);

#endif
