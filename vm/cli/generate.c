#include "cli/generate.h"

#include <math.h>
#include <string.h>

#include "tool/number.h"

static int parse_const(const char *text, struct cli_generator *generator, const char **why)
{
    int64_t integer;

    generator->kind = CLI_CONST;
    if (tool_parse_int(text, strlen(text), &integer)) {
        generator->value = (double)integer;
        if (integer > INT64_C(1) << 53 || integer < -(INT64_C(1) << 53)) {
            *why = "const: the number is beyond 2^53; use a file";
            return -1;
        }
        return 1;
    }
    if (tool_parse_float(text, strlen(text), &generator->value))
        return 1;
    *why = "const: wants a finite number, for instance const:1.5";
    return -1;
}

static int parse_random(const char *text, struct cli_generator *generator, const char **why)
{
    int64_t seed = 0;

    generator->kind = CLI_RANDOM;
    if (text && (!tool_parse_int(text, strlen(text), &seed) || seed < 0)) {
        *why = "random: wants an integer seed of at least 0, for instance random:7";
        return -1;
    }
    generator->seed = (uint64_t)seed;
    return 1;
}

int cli_generator_parse(const char *text, struct cli_generator *generator, const char **why)
{
    memset(generator, 0, sizeof *generator);
    generator->kind = CLI_CONST;
    if (!strcmp(text, "zeros"))
        return 1;
    if (!strcmp(text, "ones")) {
        generator->value = 1;
        return 1;
    }
    if (!strcmp(text, "iota")) {
        generator->kind = CLI_IOTA;
        return 1;
    }
    if (!strcmp(text, "random"))
        return parse_random(NULL, generator, why);
    if (!strncmp(text, "random:", 7))
        return parse_random(text + 7, generator, why);
    if (!strncmp(text, "const:", 6))
        return parse_const(text + 6, generator, why);
    return 0;
}

bool cli_generator_fits(const struct cli_generator *generator, enum pto_dtype dtype)
{
    double v = generator->value;

    if (generator->kind != CLI_CONST)
        return true;
    if (pto_dtype_is_float(dtype)) {
        uint8_t element[8];

        pto_store_f64(element, dtype, generator->value);
        return isfinite(pto_load_f64(element, dtype));
    }
    return v == trunc(v) && (double)pto_f64_to_int(v, dtype, PTO_ROUND_TRUNC, true) == v;
}

/* Significant bits of a float type, the leading one included: integers below 2^bits are exact. */
static unsigned precision(enum pto_dtype dtype)
{
    switch (dtype) {
    case PTO_F32:
        return 24;
    case PTO_F16:
        return 11;
    case PTO_BF16:
        return 8;
    case PTO_F8E4M3:
        return 4;
    default:
        return 3; /* f8e5m2 */
    }
}

/* splitmix64's finaliser (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void store_random(const struct cli_generator *generator, enum pto_dtype dtype, int rank,
                         uint64_t index, void *element)
{
    uint64_t bits = mix(mix(mix(generator->seed) ^ (uint64_t)rank) ^ index);

    if (pto_dtype_is_float(dtype))
        pto_store_f64(element, dtype, (double)(bits >> 40) * 0x1p-23 - 1.0);
    else
        pto_store_int(element, dtype,
                      (int64_t)(bits >> 60) - (pto_dtype_is_signed(dtype) ? 8 : 0));
}

void cli_generate(const struct cli_generator *generator, enum pto_dtype dtype, int rank,
                  uint64_t count, uint64_t index, void *element)
{
    uint64_t number = (uint64_t)rank * count + index;

    switch (generator->kind) {
    case CLI_IOTA:
        if (pto_dtype_is_float(dtype))
            pto_store_f64(element, dtype, (double)(number & ((1u << precision(dtype)) - 1)));
        else
            pto_store_int(element, dtype, (int64_t)number);
        break;
    case CLI_CONST:
        if (pto_dtype_is_float(dtype))
            pto_store_f64(element, dtype, generator->value);
        else
            pto_store_int(element, dtype, (int64_t)generator->value);
        break;
    case CLI_RANDOM:
        store_random(generator, dtype, rank, index, element);
        break;
    }
}
