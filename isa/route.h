/* Which pipe carries an instruction out. */
#ifndef PTO_ROUTE_H
#define PTO_ROUTE_H

#include "module.h"
#include "profile.h"

/* The pipe (enum pto_pipe) of a tile instruction; -1: none alone carries it out, or the profile has
 * no way between its operands. */
int pto_route_pipe(const struct pto_profile *profile, const struct pto_core_code *core,
                   const struct pto_insn *insn);

#endif
