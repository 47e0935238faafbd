#include "value.h"

struct asm_value asm_int(int64_t i)
{
    return (struct asm_value){.scalar = {.kind = PTO_S_INT, .i = i}};
}

struct asm_value asm_float(double f)
{
    return (struct asm_value){.scalar = {.kind = PTO_S_FLOAT, .f = f}, .is_float = true};
}

bool asm_is_constant(const struct asm_value *value)
{
    return value->scalar.kind == PTO_S_INT || value->scalar.kind == PTO_S_FLOAT;
}

bool asm_is_true(const struct asm_value *value)
{
    return value->is_float ? value->scalar.f != 0 : value->scalar.i != 0;
}

struct pto_scalar asm_literal(int64_t i)
{
    return (struct pto_scalar){.kind = PTO_S_INT, .i = i};
}
