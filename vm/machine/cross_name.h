/* How a flag between sub-cores is called where it is set or waited for. */
#ifndef PTO_MACHINE_CROSS_NAME_H
#define PTO_MACHINE_CROSS_NAME_H

#include "core.h"

/* "cross-core flag 3", "intra-block flag 17": the second vector sub-core says 1 to that. */
const char *cross_name(const struct core *core, unsigned place, char text[PTO_CROSS_NAME]);
#define CROSS_NAME(core, place) cross_name(core, place, (char[PTO_CROSS_NAME]){0})

/* The number alone. */
unsigned cross_number(const struct core *core, unsigned place);

/* The place of the intra-block flag that the sub-core calls `id`. */
unsigned cross_place(const struct core *core, unsigned id);

#endif
