/* Two rows into one, element by element in turn, and back. */
#ifndef PTO_VM_OPS_ZIP_H
#define PTO_VM_OPS_ZIP_H

#include "level.h"

#define op_zip OP_NAME(zip)
#define op_unzip OP_NAME(unzip)

/* to = even[0], odd[0], even[1], odd[1], ...: `count` elements of `size` bytes of each. */
void op_zip(uint32_t size, void *to, const void *even, const void *odd, uint32_t count);
/* The inverse. */
void op_unzip(uint32_t size, void *even, void *odd, const void *from, uint32_t count);

#endif
