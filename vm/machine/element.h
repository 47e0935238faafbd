/* Single elements, as ld, st and fetch_add reach them. */
#ifndef PTO_MACHINE_ELEMENT_H
#define PTO_MACHINE_ELEMENT_H

#include "machine.h"

/* Address and type of an element in GM, a tile or a .local array; NULL after a fault. */
void *element_address(struct core *core, const struct ready_operand *operand, uint8_t *dtype);

#endif
