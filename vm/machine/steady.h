/* Instructions that fault, if at all, for their regions and scalars: neither for the bytes that
 * they read nor for where their tiles lie.  Once one of them has run, it may run again later than
 * its time (backlog.h). */
#ifndef PTO_MACHINE_STEADY_H
#define PTO_MACHINE_STEADY_H

#include "ready_form.h"

bool steady(const struct ready_op *op);

#endif
