/* ptoas --sarif: errors of the text and findings of the lint (docs/schema). */
#ifndef PTOAS_SARIF_H
#define PTOAS_SARIF_H

#include "lint/lint.h"
#include "options.h"

/* What a lint found, and in which module; both NULL where none was made. */
struct ptoas_linted {
    const struct pto_lint *lint;
    const struct pto_module *module;
};

/* Write the file of --sarif, if one was asked for: what stands in `diags`, and what was found.
 * `exit_code`: that of the program.  False, with a diagnostic, if it cannot be written. */
bool ptoas_sarif(const struct ptoas_options *options, struct ptoas_linted linted, int exit_code,
                 struct pto_diags *diags);

#endif
