/* What the functions of one instruction set level share: names that carry the level, elements in
 * memory, exact helpers on f32.  Included by every source of this folder that is compiled once per
 * level; nothing declared here is visible to the rest of the machine. */
#ifndef PTO_VM_OPS_LEVEL_H
#define PTO_VM_OPS_LEVEL_H

#include <stdint.h>
#include <string.h>

#include "bits.h"
#include "op.h"

/* Prototypes of this level's tile instructions: every row of class PTO_TILE has a function. */
#define PTO_OP(id, number, mnemonic, class, ...) OP_DECLARE_##class(id)
#define OP_DECLARE_PTO_SCALAR(id)
#define OP_DECLARE_PTO_FLOW(id)
#define OP_DECLARE_PTO_ACCESS(id)
#define OP_DECLARE_PTO_SYNC(id)
#define OP_DECLARE_PTO_MACRO(id)
#define OP_DECLARE_PTO_ASYNC(id)
#define OP_DECLARE_PTO_TILE(id) op_function OP_NAME(id);
#include "ops.def"
#undef PTO_OP

/* Elements in memory.  Windows of different types may lie over the same bytes, and nothing here
 * relies on their alignment. */
#define OP_MEMORY __attribute__((may_alias, aligned(1)))
typedef float OP_MEMORY mem_f32;
typedef int8_t OP_MEMORY mem_i8;
typedef uint8_t OP_MEMORY mem_u8;
typedef int16_t OP_MEMORY mem_i16;
typedef uint16_t OP_MEMORY mem_u16;
typedef int32_t OP_MEMORY mem_i32;
typedef uint32_t OP_MEMORY mem_u32;
typedef int64_t OP_MEMORY mem_i64;
typedef uint64_t OP_MEMORY mem_u64;

/* Compiled anew for each use, by the constants that it is given. */
#define OP_INLINE static inline __attribute__((always_inline))

/* The iterations of the loop that follows are independent: operands are disjoint or identical
 * (op_run_lanes sees to that), which the compiler could only find out by testing. */
#if defined(__clang__)
#define OP_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define OP_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Every NaN result is the canonical quiet NaN. */
#define OP_NAN_BITS 0x7fc00000u

static inline float op_canonical(float value)
{
    return value != value ? __builtin_nanf("") : value;
}

/* f64 to e4m3: an overflow of either sign is the one canonical NaN. */
static inline uint8_t op_to_e4m3(double value, int mode, bool saturate)
{
    uint8_t bits = pto_f64_to_e4m3(value, mode, saturate);

    return (bits & 0x7f) == 0x7f ? 0x7f : bits;
}

/* which ? a : b by masks: among several conditions compilers no longer find a straight loop. */
static inline float op_choose(bool which, float a, float b)
{
    uint32_t mask = 0u - which;

    return pto_f32_from_bits((pto_f32_bits(a) & mask) | (pto_f32_bits(b) & ~mask));
}

/* The larger and the smaller of two as bits: the canonical NaN if either is NaN, and -0 below +0.
 * Zeros are all that is equal with other bits; either order of the comparison gives another one of
 * the two. */
static inline uint32_t op_max_bits(float a, float b)
{
    float second = a > b ? a : b, first = b > a ? b : a;
    uint32_t larger = pto_f32_bits(first) & pto_f32_bits(second);

    return __builtin_isunordered(a, b) ? OP_NAN_BITS : larger;
}

static inline uint32_t op_min_bits(float a, float b)
{
    float second = a < b ? a : b, first = b < a ? b : a;
    uint32_t smaller = pto_f32_bits(first) | pto_f32_bits(second);

    return __builtin_isunordered(a, b) ? OP_NAN_BITS : smaller;
}

static inline float op_max_f32(float a, float b)
{
    return pto_f32_from_bits(op_max_bits(a, b));
}

/* The larger of x and +0; some NaN for NaN. */
static inline float op_relu_f32(float x)
{
    return x <= 0.0f ? 0.0f : x;
}

#endif
