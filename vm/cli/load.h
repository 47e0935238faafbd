/* From the files of a command line to verified programs. */
#ifndef PTO_CLI_LOAD_H
#define PTO_CLI_LOAD_H

#include "cli/loaded.h"

/* Load the operands options->operand[first..], each FILE or FILE:KERNEL, text or object; with
 * `all_kernels` an operand without :KERNEL stands for every kernel of its file. */
enum pto_status cli_load(const struct cli_options *options, unsigned first, bool all_kernels,
                         struct cli_launch *launch, struct pto_diags *diags);

#endif
