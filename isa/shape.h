/* What the operands of an instruction need of each other, as far as it is known without running:
 * valid regions, windows, scalars in the range of an element type, scratch that must be there.
 *
 * The rules are those of the table (shapes.def, enum pto_limit).  A number counts as known if it is
 * a literal or comes from a declaration.  What is refused here would fault whenever it runs; what
 * is not known is left to the machine. */
#ifndef PTO_SHAPE_H
#define PTO_SHAPE_H

#include "module.h"
#include "profile.h"

enum { PTO_MISFIT_TEXT = 160 };

struct pto_misfit {
    unsigned operand;           /* which one is at fault */
    char text[PTO_MISFIT_TEXT]; /* "src1 has 31 valid columns, dst needs 32" */
    char hint[PTO_MISFIT_TEXT]; /* may be empty */
};

/* Do the operands of an instruction fit, whose kinds and references are good?  If not, *misfit says
 * the first thing that is wrong. */
bool pto_operands_fit(const struct pto_profile *profile, const struct pto_kernel *kernel,
                      const struct pto_core_code *core, const struct pto_insn *insn,
                      struct pto_misfit *misfit);

/* The valid region of an operand as it is in a run. */
struct pto_region {
    uint32_t rows, cols;
    uint8_t dtype; /* enum pto_dtype */
};
/* How much of operand `operand`'s region the instruction reads: where its shape asks for at least
 * something, just that; else all of it.  `region` has one for every operand of the row. */
void pto_shape_taken(const struct pto_op_info *info, const struct pto_region *region,
                     unsigned operand, uint32_t *rows, uint32_t *cols);

#endif
