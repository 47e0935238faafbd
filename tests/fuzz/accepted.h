/* For targets that assemble: what the verifier accepts goes through the lint, and survives object,
 * disassembly and assembly unchanged. */
#ifndef FUZZ_ACCEPTED_H
#define FUZZ_ACCEPTED_H

#include "assembler.h"
#include "fuzz.h"

/* Verify a module, which is taken over. */
void fuzz_accepted(struct pto_module *module, const struct pto_profile *profile,
                   struct pto_diags *diags);

#endif
