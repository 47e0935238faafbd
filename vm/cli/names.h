/* Objects and parameters of the loaded kernels by name, for options that name one. */
#ifndef PTO_CLI_NAMES_H
#define PTO_CLI_NAMES_H

#include "cli/loaded.h"

/* The declaration of a global object (not a view), from the first kernel that has it.  If there is
 * none, the error names the option that asked (--in name=...) and what was probably meant. */
const struct pto_object *cli_find_object(const struct cli_launch *launch, const char *option,
                                         const char *name, struct pto_diags *diags);
/* The declaration of a parameter, likewise (--set name=...). */
const struct pto_param *cli_find_param(const struct cli_launch *launch, const char *option,
                                       const char *name, struct pto_diags *diags);

#endif
