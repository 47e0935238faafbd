/* What a kernel declares to be the same on all ranks, before the run. */
#ifndef PTO_RUN_UNIFORM_H
#define PTO_RUN_UNIFORM_H

#include "preparation.h"

/* Behind the set-up of a rank: its uniform parameters have the values of rank 0. */
enum pto_status uniform_parameters(const struct preparation *c);

#endif
