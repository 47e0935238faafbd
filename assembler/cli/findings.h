/* What `ptoas --lint` prints: findings as diagnostics, a summary, JSON (docs/schema). */
#ifndef PTOAS_FINDINGS_H
#define PTOAS_FINDINGS_H

#include "lint/lint.h"

/* Add the findings to the diagnostics; notes only if `verbose`. */
void ptoas_lint_diags(const struct pto_lint *lint, const struct pto_module *module, bool verbose,
                      struct pto_diags *diags);
/* One line a program: memories and flags. */
void ptoas_lint_summary(const struct pto_lint *lint, const struct pto_module *module,
                        struct pto_buf *out);
void ptoas_lint_json(const struct pto_lint *lint, const struct pto_program *program,
                     const char *file, struct pto_buf *out);

#endif
