/* Numbers of four bits, two in a byte, the first in the low bits: fp4 and int4. */
#ifndef PTO_VM_OPS_PAIRS_H
#define PTO_VM_OPS_PAIRS_H

#include "level.h"

/* Codes of fp4 less their sign, bit 3. */
enum { OP_FP4_CODES = 8 };

/* e2m1: 0, 0.5, 1, 1.5, 2, 3, 4, 6; e1m2: quarters up to 1.75. */
static inline float op_fp4_size(uint8_t dtype, unsigned code)
{
    static const float e2m1[OP_FP4_CODES] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};

    return dtype == PTO_F4E2M1X2 ? e2m1[code] : (float)code * 0.25f;
}

static inline float op_fp4_value(uint8_t dtype, unsigned code)
{
    float size = op_fp4_size(dtype, code & 7);

    return code & 8 ? -size : size;
}

/* Half of a byte, the low one first. */
static inline unsigned op_half(uint8_t byte, unsigned which)
{
    return which & 1 ? byte >> 4 : byte & 15;
}

#endif
