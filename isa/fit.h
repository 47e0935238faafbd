/* What is legal for an instruction, as far as it is known without running.  The assembler and the
 * verifier ask here; the assembler adds where it stands in the text.
 *
 * The rules are those of the table (ops.def, shapes.def, enum pto_limit) and of the profile.  A
 * number counts as known if it is a literal or comes from a declaration.  What is refused here
 * would fault whenever it runs; what is not known is left to the machine. */
#ifndef PTO_FIT_H
#define PTO_FIT_H

#include "misfit.h"

/* Is an operand legal by itself, whose kind and whose names, registers and types of scalars are
 * good?  The memory of a tile, literals in slots, offsets, indices and extents, what may be done to
 * a global object.  If not, *misfit says what is wrong; so do the functions below. */
bool pto_operand_fits(const struct pto_site *site, unsigned operand, struct pto_misfit *misfit);
/* Do element types, pipes and the ids of flags exist on this core and profile?  Its operands are
 * legal by themselves. */
bool pto_insn_fits(const struct pto_site *site, struct pto_misfit *misfit);
/* Do the operands fit each other: valid regions, windows, scalars in the range of an element type,
 * scratch that must be there?  The tiles that are named are declared well. */
bool pto_operands_fit(const struct pto_site *site, struct pto_misfit *misfit);

/* Is a literal, if the scalar is one, 0 to `most`?  `what` it is "of" what, for the message. */
bool pto_literal_fits(const struct pto_scalar *scalar, uint64_t most, const char *what,
                      const char *of, struct pto_misfit *misfit);
/* Append the message: the instruction, as the text calls it, and what is wrong with it. */
void pto_misfit_print(const struct pto_misfit *misfit, const char *mnemonic, struct pto_buf *out);

#endif
