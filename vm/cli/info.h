/* What a kernel declares and needs, without running it; what the profiles offer. */
#ifndef PTO_CLI_INFO_H
#define PTO_CLI_INFO_H

#include "arena.h"
#include "diag.h"
#include "module.h"
#include "profile.h"
#include "status.h"
#include "vm.h"

/* Append a description of every kernel: parameters, objects, cores, tiles with addresses, memory.
 * Sizes are shown as the expressions that the set-up code computes. */
void cli_info_text(const struct pto_module *module, const struct pto_profile *profile,
                   struct pto_buf *out);
/* The same as JSON, schema "pto-info/1"; with the memory of a run unless it is NULL. */
void cli_info_json(const struct pto_module *module, const struct pto_profile *profile,
                   const struct pto_memory *memory, struct pto_buf *out);
/* Append what a run of `ranks` ranks takes. */
void cli_memory_text(const struct pto_memory *memory, int ranks, struct pto_buf *out);
/* A scalar as an expression over parameters, with the value that it has before instruction `before`
 * of the set-up code; its number of instructions: at the end, as the objects see it. */
void cli_expression_text(const struct pto_kernel *kernel, const struct pto_scalar *scalar,
                         uint32_t before, struct pto_buf *out);
/* Append a table of the built-in profiles. */
enum pto_status cli_profiles_text(struct pto_buf *out, struct pto_diags *diags);

#endif
