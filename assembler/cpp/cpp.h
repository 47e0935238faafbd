/* A verified program as C++ against the public PTO tile intrinsics (docs/cpp.md). */
#ifndef ASM_CPP_CPP_H
#define ASM_CPP_CPP_H

#include "diag.h"
#include "module.h"
#include "profile.h"

/* Append one function for each kernel.  False: something has no counterpart there; `diags` says
 * what, each at its place in the source. */
bool cpp_write(const struct pto_module *module, const struct pto_profile *profile,
               struct pto_buf *out, struct pto_diags *diags);

#endif
