/* Small floats by rows; f16 by strips, with the host's conversions where the level has them. */
#include "widen.h"

#include "strip.h"

bool op_is_small_float(uint8_t dtype)
{
    return dtype == PTO_F16 || dtype == PTO_BF16 || dtype == PTO_F8E4M3 || dtype == PTO_F8E5M2;
}

static void widen_row_f16(float *to, const mem_u16 *from, size_t count)
{
    size_t i = 0;

    for (; i + OP_STRIP <= count; i += OP_STRIP)
        op_get_f16(to + i, from, i);
    for (; i < count; i++)
        to[i] = op_widen_f16(from[i]);
}

static void narrow_row_f16(mem_u16 *to, const float *from, size_t count)
{
    size_t i = 0;

    for (; i + OP_STRIP <= count; i += OP_STRIP)
        op_put_f16(to, i, from + i);
    for (; i < count; i++)
        to[i] = op_narrow_f16(from[i]);
}

static void widen_row_bf16(float *to, const mem_u16 *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = op_widen_bf16(from[i]);
}

static void narrow_row_bf16(mem_u16 *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = op_narrow_bf16(from[i]);
}

#define FP8_ROWS(type)                                                                             \
    static void widen_row_##type(float *to, const mem_u8 *from, size_t count)                      \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = op_widen_##type(from[i]);                                                      \
    }                                                                                              \
    static void narrow_row_##type(mem_u8 *to, const float *from, size_t count)                     \
    {                                                                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = op_narrow_##type(from[i]);                                                     \
    }
FP8_ROWS(f8e4m3)
FP8_ROWS(f8e5m2)

void op_widen(uint8_t dtype, float *to, const void *from, size_t count)
{
    switch (dtype) {
    case PTO_F16: widen_row_f16(to, from, count); break;
    case PTO_BF16: widen_row_bf16(to, from, count); break;
    case PTO_F8E4M3: widen_row_f8e4m3(to, from, count); break;
    default: widen_row_f8e5m2(to, from, count);
    }
}

void op_narrow(uint8_t dtype, void *to, const float *from, size_t count)
{
    switch (dtype) {
    case PTO_F16: narrow_row_f16(to, from, count); break;
    case PTO_BF16: narrow_row_bf16(to, from, count); break;
    case PTO_F8E4M3: narrow_row_f8e4m3(to, from, count); break;
    default: narrow_row_f8e5m2(to, from, count);
    }
}
