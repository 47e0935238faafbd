/* What those who ask why a wait ends when it does are told of signals. */
#ifndef PTO_UNITS_WHY_H
#define PTO_UNITS_WHY_H

#include "machine/cost.h"
#include "machine/machine.h"

/* The element at `at` of an object, an int32, has been changed. */
void why_element(struct rank *rank, uint32_t object, const uint8_t *at, uint32_t before);
/* core_wait_held(core) holds. */
void why_held(const struct core *core);

#endif
