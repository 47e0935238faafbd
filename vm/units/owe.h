/* Tokens and counts that synchronisation without waits has taken before they came: they vanish when
 * they come. */
#ifndef PTO_UNITS_OWE_H
#define PTO_UNITS_OWE_H

#include "machine/machine.h"

/* Take a token of a flag, or a count of a cross-core flag, that is still to come. */
void owe_flag(struct core *core, unsigned src, unsigned dst, unsigned id);
void owe_cross(struct core *core, unsigned id);
/* One comes: was it taken already? */
bool owe_settle_flag(struct core *core, unsigned src, unsigned dst, unsigned id);
bool owe_settle_cross(struct core *core, unsigned id);
/* A launch begins. */
void owe_reset(struct core *core);

#endif
