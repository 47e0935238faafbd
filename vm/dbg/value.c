#include "dbg/value.h"

#include "bits.h"
#include "float_text.h"

struct asm_value value_of_bits(bool is_float, uint64_t bits)
{
    return is_float ? asm_float(pto_f64_from_bits(bits)) : asm_int((int64_t)bits);
}

uint64_t value_bits(const struct asm_value *value)
{
    return value->is_float ? pto_f64_bits(value->scalar.f) : (uint64_t)value->scalar.i;
}

void value_say(struct dbg *dbg, const struct asm_value *value)
{
    struct pto_buf text = {0};

    if (value->is_float)
        pto_write_float(&text, value->scalar.f);
    else
        pto_buf_printf(&text, "%lld", (long long)value->scalar.i);
    dbg_say(dbg, "%s", pto_buf_text(&text));
    pto_buf_free(&text);
}
