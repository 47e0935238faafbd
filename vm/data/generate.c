#include "data/generate.h"

#include <math.h>
#include <string.h>

#include "bits.h"
#include "diag.h"
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

const char *cli_generator_nearest(const char *text)
{
    static const char *const names[] = {"iota", "zeros", "ones", "random"};

    return pto_nearest(text, names, sizeof names / sizeof *names);
}

bool cli_generator_fits(const struct cli_generator *generator, enum pto_dtype dtype)
{
    int64_t value;

    if (generator->kind != CLI_CONST)
        return true;
    if (pto_dtype_is_float(dtype)) {
        uint8_t element[8];

        pto_store_f64(element, dtype, generator->value);
        return isfinite(pto_load_f64(element, dtype));
    }
    return pto_number_fits(dtype, true, generator->value, 0, &value);
}

/* splitmix64's finaliser (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static inline uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* ---- numbers as floats --------------------------------------------------------------------- */

/* Bits of the mantissa of a float type that are stored. */
static unsigned mantissa_bits(enum pto_dtype dtype)
{
    switch (dtype) {
    case PTO_F32:
        return 23;
    case PTO_F16:
        return 10;
    case PTO_BF16:
        return 7;
    case PTO_F8E4M3:
        return 3;
    default:
        return 2; /* f8e5m2 */
    }
}

/* A float type, and the numbers that are to be stored: integers times 2 to the power of -scale. */
struct target {
    unsigned mantissa_bits, sign;
    int bias, scale;
};

/* number / 2^drop, rounded to nearest, ties to even; a negative `drop` multiplies. */
static inline uint32_t shift_round(uint32_t number, int drop)
{
    if (drop <= 0)
        return number << -drop;
    return (number + (1u << (drop - 1)) - 1 + (number >> drop & 1)) >> drop;
}

/* Bits of an integer of at most 24 bits in the type, which has room for it. */
static inline uint32_t float_bits(int32_t integer, const struct target *t)
{
    uint32_t magnitude = (uint32_t)(integer < 0 ? -integer : integer);
    uint32_t sign = integer < 0 ? 1u << t->sign : 0;
    int exponent, least = 1 - t->bias;

    if (!magnitude)
        return 0;
    exponent = 31 - __builtin_clz(magnitude) - t->scale;
    exponent = exponent < least ? least : exponent;
    /* The leading bit of the mantissa adds one to the exponent, unless the number is denormal. */
    return sign | (((uint32_t)(exponent - least) << t->mantissa_bits) +
                   shift_round(magnitude, exponent + t->scale - (int)t->mantissa_bits));
}

/* The same for f32, in which such numbers are exact. */
static void store_f32(uint64_t *bits, unsigned number, int scale)
{
    const float unit = ldexpf(1, -scale);

    for (unsigned i = 0; i < number; i++)
        bits[i] = pto_f32_bits((float)(int32_t)bits[i] * unit);
}

static void store_floats(uint64_t *bits, unsigned number, enum pto_dtype dtype, int scale)
{
    struct target target = {mantissa_bits(dtype), 8 * pto_dtype_size(dtype) - 1, 0, scale};
    uint32_t one = 0; /* has an exponent of 0, and no mantissa */

    if (dtype == PTO_F32) {
        store_f32(bits, number, scale);
        return;
    }
    pto_store_f64(&one, dtype, 1);
    target.bias = (int)(one >> target.mantissa_bits);
    for (unsigned i = 0; i < number; i++)
        bits[i] = float_bits((int32_t)bits[i], &target);
}

/* ---- elements ------------------------------------------------------------------------------ */

enum { BLOCK = 512, RANDOM_BITS = 24 };

struct block {
    const struct cli_generator *generator;
    enum pto_dtype dtype;
    int rank;
    uint64_t count, first; /* elements of the object; the first of the block */
    unsigned number;       /* of the block */
    uint64_t bits[BLOCK];
};

/* Integers below two to the number of significant bits are exact in a float type. */
static void make_iota(struct block *b)
{
    bool is_float = pto_dtype_is_float(b->dtype);
    uint64_t start = (uint64_t)b->rank * b->count + b->first;
    uint64_t mask = is_float ? (UINT64_C(2) << mantissa_bits(b->dtype)) - 1 : UINT64_MAX;

    for (unsigned i = 0; i < b->number; i++)
        b->bits[i] = (start + i) & mask;
    if (is_float)
        store_floats(b->bits, b->number, b->dtype, 0);
}

/* Floats from -1 to 1, integers of 4 bits. */
static void make_random(struct block *b)
{
    uint64_t key = mix(mix(b->generator->seed) ^ (uint64_t)b->rank);
    bool is_float = pto_dtype_is_float(b->dtype);
    unsigned shift = is_float ? 64 - RANDOM_BITS : 60;
    uint64_t middle = is_float                         ? 1u << (RANDOM_BITS - 1)
                      : pto_dtype_is_signed(b->dtype) ? 8
                                                       : 0;

    for (unsigned i = 0; i < b->number; i++)
        b->bits[i] = (mix(key ^ (b->first + i)) >> shift) - middle;
    if (is_float)
        store_floats(b->bits, b->number, b->dtype, RANDOM_BITS - 1);
}

static void make_const(struct block *b)
{
    uint64_t bits = 0;

    if (pto_dtype_is_float(b->dtype))
        pto_store_f64(&bits, b->dtype, b->generator->value);
    else
        bits = (uint64_t)(int64_t)b->generator->value;
    for (unsigned i = 0; i < b->number; i++)
        b->bits[i] = bits;
}

#define STORE(type)                                                                                \
    for (unsigned i = 0; i < b->number; i++)                                                       \
        ((type *)elements)[i] = (type)b->bits[i]

static void store_block(const struct block *b, void *elements)
{
    switch (pto_dtype_size(b->dtype)) {
    case 1:
        STORE(uint8_t);
        break;
    case 2:
        STORE(uint16_t);
        break;
    case 4:
        STORE(uint32_t);
        break;
    default:
        STORE(uint64_t);
    }
}

void cli_generate(const struct cli_generator *generator, enum pto_dtype dtype, int rank,
                  uint64_t count, uint64_t first, uint64_t number, void *elements)
{
    static void (*const make[])(struct block *) = {
        [CLI_IOTA] = make_iota, [CLI_CONST] = make_const, [CLI_RANDOM] = make_random};
    struct block b = {.generator = generator, .dtype = dtype, .rank = rank, .count = count};

    for (uint64_t done = 0; done < number; done += BLOCK) {
        b.first = first + done;
        b.number = number - done < BLOCK ? (unsigned)(number - done) : BLOCK;
        make[generator->kind](&b);
        store_block(&b, (uint8_t *)elements + done * pto_dtype_size(dtype));
    }
}
