/* Delays that the caller imposes on single acts of scalar units (struct pto_delay): a schedule that
 * decides who comes first where several could. */
#ifndef PTO_MACHINE_DELAY_H
#define PTO_MACHINE_DELAY_H

#include "machine.h"

/* S is to begin its program at its present time, or later: the first act of a launch. */
void delay_begin(struct core *core);
/* S stands at an act.  Is it to come later?  Then S comes back as an event. */
bool delay_act(struct core *core);

#endif
