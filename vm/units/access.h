/* Scalar access to memory, to the clock and to the outside: ld, st, fetch_add, print, regions. */
#ifndef PTO_UNITS_ACCESS_H
#define PTO_UNITS_ACCESS_H

#include "issue.h"

enum issue_result access_execute(struct core *core, const struct ready_op *op);
/* Set-ups: a parameter that was not given takes its default. */
void access_default(struct core *core, uint32_t parameter, uint64_t bits);
/* Was the optional input given? */
bool access_present(const struct core *core, uint32_t object);

#endif
