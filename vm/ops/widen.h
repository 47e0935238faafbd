/* Rows of small floats to f32 and back: every f16, bf16 and fp8 computation happens in f32. */
#ifndef PTO_VM_OPS_WIDEN_H
#define PTO_VM_OPS_WIDEN_H

#include "level.h"

#define op_widen OP_NAME(widen)
#define op_narrow OP_NAME(narrow)
#define op_is_small_float OP_NAME(is_small_float)

/* A float of less than 32 bits? */
bool op_is_small_float(uint8_t dtype);
/* Exact.  A NaN becomes some NaN.  `dtype` is a small float. */
void op_widen(uint8_t dtype, float *to, const void *from, size_t count);
/* To nearest even, beyond the range infinity (e4m3: NaN); a NaN becomes the canonical one. */
void op_narrow(uint8_t dtype, void *to, const float *from, size_t count);

#endif
