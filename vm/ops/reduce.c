/* Reductions of rows to one element: TROWMAX, TROWMIN, TROWSUM, TROWPROD. */
#include <stdio.h>

#include "line.h"
#include "operand.h"

enum { LANES = 16 }; /* partial sums (products) of a row of floats */

typedef float vec_f32 __attribute__((vector_size(4 * LANES)));

/* What is known of a row after some of its columns. */
struct partial {
    vec_f32 lane;     /* lane j: columns j, j + 16, ... */
    int32_t greatest; /* float extreme, as an ordering key */
    bool nan;
    bool begun;       /* `integer` holds an extreme */
    uint64_t integer; /* sum or product modulo 2^64, or the bits of the extreme */
};

/* Take up the next columns; write the result as an element (small floats: as f32). */
struct reduction {
    void (*take)(struct partial *p, const void *row, size_t n);
    void (*finish)(const struct partial *p, void *element);
};

/* `neutral` changes no value that it is combined with: lanes without a column leave no trace, and a
 * single element keeps its sign. */
static void start(struct partial *p, float neutral, uint64_t integer)
{
    *p = (struct partial){.greatest = INT32_MIN, .integer = integer};
    for (int i = 0; i < LANES; i++)
        p->lane[i] = neutral;
}

/* ---- floats ---------------------------------------------------------------------------------- */
#define FOLD_F32(name, operation)                                                                  \
    static void name##_f32(struct partial *p, const void *row, size_t n)                           \
    {                                                                                              \
        const mem_f32 *x = row;                                                                    \
        vec_f32 lanes = p->lane;                                                                   \
        size_t i = 0;                                                                              \
                                                                                                   \
        for (; i + LANES <= n; i += LANES) {                                                       \
            vec_f32 next;                                                                          \
                                                                                                   \
            memcpy(&next, x + i, sizeof next);                                                     \
            lanes = lanes operation next;                                                          \
        }                                                                                          \
        p->lane = lanes;                                                                           \
        for (size_t lane = 0; i + lane < n; lane++)                                                \
            p->lane[lane] = p->lane[lane] operation x[i + lane];                                   \
    }                                                                                              \
    static void finish_##name##_f32(const struct partial *p, void *element)                        \
    {                                                                                              \
        float lane[LANES];                                                                         \
                                                                                                   \
        memcpy(lane, &p->lane, sizeof lane);                                                       \
        for (int width = LANES / 2; width; width /= 2)                                             \
            for (int j = 0; j < width; j++)                                                        \
                lane[j] = lane[j] operation lane[j + width];                                       \
        *(mem_f32 *)element = op_canonical(lane[0]);                                               \
    }
FOLD_F32(sum, +)
FOLD_F32(product, *)

/* Keys order floats as integers, -0 below +0; the mapping is its own inverse. */
static inline int32_t key_of(int32_t bits)
{
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

/* The greatest key; with `flip` -1 the keys are turned around, so that it is the least value's. */
static inline void extreme_f32(struct partial *p, const void *row, size_t n, int32_t flip)
{
    const mem_f32 *x = row;
    const mem_i32 *bits = row;
    int32_t greatest = p->greatest, nan = 0;

    for (size_t i = 0; i < n; i++) {
        int32_t key = key_of(bits[i]) ^ flip;

        greatest = key > greatest ? key : greatest;
        nan |= x[i] != x[i];
    }
    p->greatest = greatest;
    p->nan = p->nan || nan;
}

static void finish_extreme_f32(const struct partial *p, void *element, int32_t flip)
{
    *(mem_f32 *)element =
        p->nan ? __builtin_nanf("") : pto_f32_from_bits((uint32_t)key_of(p->greatest ^ flip));
}

static void max_f32(struct partial *p, const void *row, size_t n)
{
    extreme_f32(p, row, n, 0);
}

static void finish_max_f32(const struct partial *p, void *element)
{
    finish_extreme_f32(p, element, 0);
}

static void min_f32(struct partial *p, const void *row, size_t n)
{
    extreme_f32(p, row, n, -1);
}

static void finish_min_f32(const struct partial *p, void *element)
{
    finish_extreme_f32(p, element, -1);
}

/* ---- integers -------------------------------------------------------------------------------- */
#define FOLD_INTEGER(type, name, operation)                                                        \
    static void name##_##type(struct partial *p, const void *row, size_t n)                        \
    {                                                                                              \
        const mem_##type *x = row;                                                                 \
        uint64_t result = p->integer;                                                              \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            result = result operation (uint64_t)x[i];                                              \
        p->integer = result;                                                                       \
    }
#define EXTREME_INTEGER(type, name, better)                                                        \
    static void name##_##type(struct partial *p, const void *row, size_t n)                        \
    {                                                                                              \
        const mem_##type *x = row;                                                                 \
        mem_##type best = p->begun ? (mem_##type)p->integer : x[0];                                \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            best = x[i] better best ? x[i] : best;                                                 \
        p->integer = (uint64_t)best;                                                               \
        p->begun = true;                                                                           \
    }
#define INTEGER(type)                                                                              \
    FOLD_INTEGER(type, sum, +)                                                                     \
    FOLD_INTEGER(type, product, *)                                                                 \
    EXTREME_INTEGER(type, max, >)                                                                  \
    EXTREME_INTEGER(type, min, <)                                                                  \
    static void finish_##type(const struct partial *p, void *element)                              \
    {                                                                                              \
        *(mem_##type *)element = (mem_##type)p->integer;                                           \
    }
INTEGER(i8)
INTEGER(u8)
INTEGER(i16)
INTEGER(u16)
INTEGER(i32)
INTEGER(u32)
INTEGER(i64)
INTEGER(u64)

#define REDUCTIONS(name)                                                                           \
    static const struct reduction reductions_##name[PTO_DTYPE_COUNT] = {                           \
        [PTO_F32] = {name##_f32, finish_##name##_f32},                                             \
        [PTO_F16] = {name##_f32, finish_##name##_f32},                                             \
        [PTO_BF16] = {name##_f32, finish_##name##_f32},                                            \
        [PTO_I8] = {name##_i8, finish_i8}, [PTO_U8] = {name##_u8, finish_u8},                      \
        [PTO_I16] = {name##_i16, finish_i16}, [PTO_U16] = {name##_u16, finish_u16},                \
        [PTO_I32] = {name##_i32, finish_i32}, [PTO_U32] = {name##_u32, finish_u32},                \
        [PTO_I64] = {name##_i64, finish_i64}, [PTO_U64] = {name##_u64, finish_u64}}
REDUCTIONS(sum);
REDUCTIONS(product);
REDUCTIONS(max);
REDUCTIONS(min);

/* ---- rows ------------------------------------------------------------------------------------ */
static void reduce_row(const struct reduction *reduction, struct partial *partial,
                       const struct op_place *src, uint8_t dtype, uint32_t row, uint32_t cols,
                       void *element)
{
    struct op_line line;
    float result;

    for (uint32_t col = 0; col < cols; col += OP_LINE) {
        uint32_t count = op_line_length(col, cols);

        reduction->take(partial, op_line_read(&line, src, dtype, true, row, col, count), count);
    }
    if (!op_is_small_float(dtype)) {
        reduction->finish(partial, element);
        return;
    }
    reduction->finish(partial, &result);
    op_narrow(dtype, element, &result, 1);
}

/* All results are known before the first is written, so that dst may lie over src. */
static const char *reduce(const struct op_args *args, const struct reduction *reductions,
                          float neutral, uint64_t integer)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    struct op_place to = op_place_of(dst), from = op_place_of(src);
    struct op_place results = op_strided(args->scratch, to.size, to.size, to.size);
    const char *fault = op_covers(args, 1, "src", dst->rows, 0);

    if (fault)
        return fault;
    if (dst->cols > 1) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %u valid columns: a row reduction writes column 0 only, give {%u, 1}",
                 dst->cols, dst->rows);
        return args->message;
    }
    if (!dst->rows || !dst->cols || !src->cols)
        return NULL;
    if (!reductions[dst->dtype].take)
        return OP_NO_FUNCTION;
    if (dst->rows > OP_SCRATCH_BYTES / to.size)
        return "dst has too many rows for one reduction: split it";
    for (uint32_t row = 0; row < dst->rows; row++) {
        struct partial partial;

        start(&partial, neutral, integer);
        reduce_row(&reductions[dst->dtype], &partial, &from, dst->dtype, row, src->cols,
                   args->scratch + (size_t)row * to.size);
    }
    op_copy(&to, &results, dst->rows, 1);
    return NULL;
}

/* dst[r, 0] = the largest of src[r, c] over the valid columns of src: NaN if any is NaN, -0 below
 * +0.  No columns: dst stays as it is. */
OP(TROWMAX)
{
    return reduce(args, reductions_max, 0, 0);
}

/* dst[r, 0] = the smallest of src[r, c], by the same rules. */
OP(TROWMIN)
{
    return reduce(args, reductions_min, 0, 0);
}

/* dst[r, 0] = sum of src[r, c] over the valid columns of src.
 *
 * Floats, in this order: 16 partial sums in f32, of which number j adds columns j, j + 16, j + 32,
 * ... ascending, starting from its first; then j with j + 8 for j < 8, with j + 4, + 2, + 1. (A sum
 * without columns counts as -0.) f16 is widened first and the result rounded to nearest even once.
 * Integers wrap around in their type.  No columns: dst stays as it is. */
OP(TROWSUM)
{
    return reduce(args, reductions_sum, -0.0f, 0);
}

/* dst[r, 0] = product of src[r, c], in the order and with the rounding of TROWSUM. */
OP(TROWPROD)
{
    return reduce(args, reductions_product, 1.0f, 1);
}
