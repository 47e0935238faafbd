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

/* Random numbers are products of 64 bits, which few hosts can make several of at once. */
#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __clang__ /* makes vectors anyway */
#define WIDE __attribute__((target("avx512dq,avx512vl,avx512bw")))
#else
#define WIDE __attribute__((target("avx512dq,avx512vl,avx512bw"), optimize("O3")))
#endif
static inline bool has_wide(void)
{
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw");
}
#else
#define WIDE
static inline bool has_wide(void)
{
    return false;
}
#endif

/* splitmix64's finaliser (Steele, Lea, Flood: Fast splittable pseudorandom number generators). */
static inline __attribute__((always_inline)) uint64_t mix(uint64_t x)
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

/* A float type narrower than f32, as bits of f32. */
struct target {
    unsigned drop, sign; /* bits of the mantissa that it lacks; place of its sign */
    uint32_t least;      /* its smallest normal number; what is below ... */
    float unit;          /* ... is rounded by adding this one, which has the unit of denormals */
};

static struct target target_of(enum pto_dtype dtype)
{
    unsigned mantissa = mantissa_bits(dtype);
    uint32_t one = 0; /* has an exponent of 0, and no mantissa */
    int least;

    pto_store_f64(&one, dtype, 1);
    least = 1 - (int)(one >> mantissa);
    return (struct target){23 - mantissa, 8 * pto_dtype_size(dtype) - 1,
                           pto_f32_bits(ldexpf(1, least)), ldexpf(1, least + 23 - (int)mantissa)};
}

/* Bits of a number in the type, which has room for it, to nearest, ties to even. */
static inline uint32_t float_bits(float number, const struct target *t)
{
    uint32_t bits = pto_f32_bits(number), magnitude = bits & 0x7fffffffu;
    uint32_t half = (1u << (t->drop - 1)) - 1 + (magnitude >> t->drop & 1);
    uint32_t normal = ((magnitude + half) >> t->drop) - (t->least >> t->drop);
    float raised = pto_f32_from_bits(magnitude) + t->unit;
    uint32_t denormal = pto_f32_bits(raised) - pto_f32_bits(t->unit);

    /* The least normal number has an exponent field of 1. */
    normal += 1u << (23 - t->drop);
    return (magnitude < t->least ? denormal : normal) | bits >> 31 << t->sign;
}

#define STORE_FLOATS(type)                                                                         \
    for (unsigned i = 0; i < number; i++)                                                          \
        ((type *)elements)[i] = (type)float_bits(values[i], &target)

static void store_floats(const float *values, unsigned number, enum pto_dtype dtype,
                         void *elements)
{
    struct target target;

    if (dtype == PTO_F32) {
        memcpy(elements, values, number * sizeof *values);
        return;
    }
    target = target_of(dtype);
    if (pto_dtype_size(dtype) == 2)
        STORE_FLOATS(uint16_t);
    else
        STORE_FLOATS(uint8_t);
}

/* ---- elements ------------------------------------------------------------------------------ */

enum { BLOCK = 512, RANDOM_BITS = 24 };

struct block {
    const struct cli_generator *generator;
    enum pto_dtype dtype;
    int rank;
    uint64_t count, first; /* elements of the object; the first of the block */
    unsigned number;       /* of the block */
    void *elements;        /* its place */
};

#define STORE(type)                                                                                \
    for (unsigned i = 0; i < number; i++)                                                          \
        ((type *)elements)[i] = (type)bits[i]

static void store_integers(const uint64_t *bits, unsigned number, enum pto_dtype dtype,
                           void *elements)
{
    switch (pto_dtype_size(dtype)) {
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

/* Integers below two to the number of significant bits are exact in a float type. */
static void make_iota(const struct block *b)
{
    uint64_t start = (uint64_t)b->rank * b->count + b->first, bits[BLOCK], mask;
    float values[BLOCK];

    if (!pto_dtype_is_float(b->dtype)) {
        for (unsigned i = 0; i < b->number; i++)
            bits[i] = start + i;
        store_integers(bits, b->number, b->dtype, b->elements);
        return;
    }
    mask = (UINT64_C(2) << mantissa_bits(b->dtype)) - 1;
    for (unsigned i = 0; i < b->number; i++)
        values[i] = (float)(int32_t)((start + i) & mask);
    store_floats(values, b->number, b->dtype, b->elements);
}

/* Floats from -1 to 1, integers of 4 bits. */
static inline __attribute__((always_inline)) void random_block(const struct block *b)
{
    const float unit = 2.0f / (1 << RANDOM_BITS);
    uint64_t key = mix(mix(b->generator->seed) ^ (uint64_t)b->rank), bits[BLOCK];
    uint64_t middle = pto_dtype_is_signed(b->dtype) ? 8 : 0;
    float values[BLOCK];

    for (unsigned i = 0; i < b->number; i++)
        bits[i] = mix(key ^ (b->first + i));
    if (!pto_dtype_is_float(b->dtype)) {
        for (unsigned i = 0; i < b->number; i++)
            bits[i] = (bits[i] >> 60) - middle;
        store_integers(bits, b->number, b->dtype, b->elements);
        return;
    }
    for (unsigned i = 0; i < b->number; i++)
        values[i] = (float)((int32_t)(bits[i] >> (64 - RANDOM_BITS)) - (1 << (RANDOM_BITS - 1))) *
                    unit;
    store_floats(values, b->number, b->dtype, b->elements);
}

static WIDE void random_block_wide(const struct block *b)
{
    random_block(b);
}

static void make_random(const struct block *b)
{
    if (has_wide())
        random_block_wide(b);
    else
        random_block(b);
}

static void make_const(const struct block *b)
{
    uint64_t element = 0, bits[BLOCK];

    if (pto_dtype_is_float(b->dtype))
        pto_store_f64(&element, b->dtype, b->generator->value);
    else
        element = (uint64_t)(int64_t)b->generator->value;
    for (unsigned i = 0; i < b->number; i++)
        bits[i] = element;
    store_integers(bits, b->number, b->dtype, b->elements);
}

void cli_generate(const struct cli_generator *generator, enum pto_dtype dtype, int rank,
                  uint64_t count, uint64_t first, uint64_t number, void *elements)
{
    static void (*const make[])(const struct block *) = {
        [CLI_IOTA] = make_iota, [CLI_CONST] = make_const, [CLI_RANDOM] = make_random};
    struct block b = {.generator = generator, .dtype = dtype, .rank = rank, .count = count};

    for (uint64_t done = 0; done < number; done += BLOCK) {
        b.first = first + done;
        b.number = number - done < BLOCK ? (unsigned)(number - done) : BLOCK;
        b.elements = (uint8_t *)elements + done * pto_dtype_size(dtype);
        make[generator->kind](&b);
    }
}
