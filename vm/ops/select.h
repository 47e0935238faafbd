/* The levels that this build has and this host can run. */
#ifndef PTO_VM_OPS_SELECT_H
#define PTO_VM_OPS_SELECT_H

#include "op.h"

/* Level by name: "base", "v3", "v4"; for int8 in the cube "v3vnni" has AVX-VNNI beside v3,
 * "v4vnni" AVX512-VNNI and "amx" AMX beside v4.  NULL if this build lacks it or the host cannot run
 * it.  What tests compare the levels by. */
const struct op_set *op_select_level(const char *name);

#endif
