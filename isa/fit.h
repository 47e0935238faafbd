/* What the operands of an instruction need of each other, as far as it is known without running:
 * valid regions, windows, scalars in the range of an element type, scratch that must be there.
 *
 * The rules are those of the table (shapes.def, enum pto_limit).  A number counts as known if it is
 * a literal or comes from a declaration.  What is refused here would fault whenever it runs; what
 * is not known is left to the machine. */
#ifndef PTO_FIT_H
#define PTO_FIT_H

#include "misfit.h"

/* Do the operands of an instruction fit, whose kinds and references are good?  If not, *misfit says
 * the first thing that is wrong. */
bool pto_operands_fit(const struct pto_profile *profile, const struct pto_kernel *kernel,
                      const struct pto_core_code *core, const struct pto_insn *insn,
                      struct pto_misfit *misfit);

#endif
