/* ptoas --fix: what messages suggest, as changes of the texts. */
#ifndef PTOAS_FIX_H
#define PTOAS_FIX_H

#include "options.h"

/* Print a unified diff of what the messages suggest, or write the files (options->fix_in_place);
 * false with a diagnostic if that cannot be done.  Nothing is suggested: nothing happens. */
bool ptoas_fix(const struct ptoas_options *options, struct pto_diags *diags);

#endif
