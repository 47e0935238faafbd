/* How texts call the kinds of sub-cores. */
#ifndef PTO_CORE_NAME_H
#define PTO_CORE_NAME_H

#include "space.h"

extern const char *const pto_core_names[PTO_CORE_KINDS]; /* "aic", "aiv" */

#endif
