/* What the engine needs of transfers beyond the instructions: see struct op_set. */
#ifndef PTO_VM_OPS_TRANSFER_H
#define PTO_VM_OPS_TRANSFER_H

#include "place.h"

#define op_land OP_NAME(land)
#define op_collect OP_NAME(collect)

void op_land(const struct op_view *dst, const void *packed, int atomic);
void op_collect(const struct op_view *src, void *packed);

#endif
