/* Messages that land on a rank: what they change there, and whom that wakes. */
#ifndef PTO_UNITS_ARRIVE_H
#define PTO_UNITS_ARRIVE_H

#include "machine/machine.h"

/* Handle the earliest message in the inbox; rank->now is its arrival. */
void arrive_next(struct rank *rank);

#endif
