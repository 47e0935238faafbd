/* Reductions of rows to one element: TROWMAX, TROWMIN, TROWSUM, TROWPROD. */
#include <stdio.h>

#include "line.h"
#include "operand.h"

enum { LANES = 16 }; /* partial sums (products) of a row of floats */

typedef float vec_f32 __attribute__((vector_size(4 * LANES)));

/* What is known of a row after some of its columns: what the reduction needs of this. */
struct partial {
    vec_f32 lane;     /* lane j: columns j, j + 16, ... */
    int32_t greatest; /* float extreme, as an ordering key */
    bool nan;
    uint64_t integer; /* sum or product modulo 2^64, or the bits of the extreme */
};

/* Take up the first columns or the next; write the result as an element (small floats: as f32).  Or
 * all of it for rows of n numbers, `stride` bytes apart, whose results lie next to each other:
 * calls cost as much as a short row. */
struct reduction {
    void (*take)(struct partial *p, const void *row, size_t n, bool first);
    void (*finish)(const struct partial *p, void *element);
    void (*all)(void *elements, const uint8_t *row, int64_t stride, uint32_t rows, size_t n);
};

#define ALL(name, type, last)                                                                      \
    static void name##_##type##_all(void *elements, const uint8_t *row, int64_t stride,            \
                                    uint32_t rows, size_t n)                                       \
    {                                                                                              \
        mem_##type *element = elements;                                                            \
                                                                                                   \
        for (uint32_t r = 0; r < rows; r++, row += stride) {                                       \
            struct partial partial;                                                                \
                                                                                                   \
            name##_##type(&partial, row, n, true);                                                 \
            last##_##type(&partial, element + r);                                                  \
        }                                                                                          \
    }

/* ---- floats ---------------------------------------------------------------------------------- */
/* `neutral` changes no value that it is combined with: lanes without a column leave no trace, and a
 * single element keeps its sign. */
#define FOLD_F32(name, operation, neutral)                                                         \
    OP_INLINE void name##_f32(struct partial *p, const void *row, size_t n, bool first)            \
    {                                                                                              \
        const mem_f32 *x = row;                                                                    \
        vec_f32 lanes;                                                                             \
        size_t i = 0;                                                                              \
                                                                                                   \
        for (int j = 0; j < LANES; j++)                                                            \
            lanes[j] = first ? (neutral) : p->lane[j];                                             \
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
    }                                                                                              \
    ALL(name, f32, finish_##name)
FOLD_F32(sum, +, -0.0f)
FOLD_F32(product, *, 1.0f)

/* Keys order floats as integers, -0 below +0; the mapping is its own inverse. */
static inline int32_t key_of(int32_t bits)
{
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

/* The greatest key; with `flip` -1 the keys are turned around, so that it is the least value's. */
static inline void extreme_f32(struct partial *p, const void *row, size_t n, bool first,
                               int32_t flip)
{
    const mem_f32 *x = row;
    const mem_i32 *bits = row;
    int32_t greatest = first ? INT32_MIN : p->greatest, nan = 0;

    for (size_t i = 0; i < n; i++) {
        int32_t key = key_of(bits[i]) ^ flip;

        greatest = key > greatest ? key : greatest;
        nan |= x[i] != x[i];
    }
    p->greatest = greatest;
    p->nan = nan || (!first && p->nan);
}

static void finish_extreme_f32(const struct partial *p, void *element, int32_t flip)
{
    *(mem_f32 *)element =
        p->nan ? __builtin_nanf("") : pto_f32_from_bits((uint32_t)key_of(p->greatest ^ flip));
}

OP_INLINE void max_f32(struct partial *p, const void *row, size_t n, bool first)
{
    extreme_f32(p, row, n, first, 0);
}

static void finish_max_f32(const struct partial *p, void *element)
{
    finish_extreme_f32(p, element, 0);
}
ALL(max, f32, finish_max)

OP_INLINE void min_f32(struct partial *p, const void *row, size_t n, bool first)
{
    extreme_f32(p, row, n, first, -1);
}

static void finish_min_f32(const struct partial *p, void *element)
{
    finish_extreme_f32(p, element, -1);
}
ALL(min, f32, finish_min)

/* ---- integers -------------------------------------------------------------------------------- */
#define FOLD_INTEGER(type, name, operation, neutral)                                               \
    OP_INLINE void name##_##type(struct partial *p, const void *row, size_t n, bool first)         \
    {                                                                                              \
        const mem_##type *x = row;                                                                 \
        uint64_t result = first ? (neutral) : p->integer;                                          \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            result = result operation (uint64_t)x[i];                                              \
        p->integer = result;                                                                       \
    }
#define EXTREME_INTEGER(type, name, better)                                                        \
    OP_INLINE void name##_##type(struct partial *p, const void *row, size_t n, bool first)         \
    {                                                                                              \
        const mem_##type *x = row;                                                                 \
        mem_##type best = first ? x[0] : (mem_##type)p->integer;                                   \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            best = x[i] better best ? x[i] : best;                                                 \
        p->integer = (uint64_t)best;                                                               \
    }
#define INTEGER(type)                                                                              \
    FOLD_INTEGER(type, sum, +, 0)                                                                  \
    FOLD_INTEGER(type, product, *, 1)                                                              \
    EXTREME_INTEGER(type, max, >)                                                                  \
    EXTREME_INTEGER(type, min, <)                                                                  \
    static void finish_##type(const struct partial *p, void *element)                              \
    {                                                                                              \
        *(mem_##type *)element = (mem_##type)p->integer;                                           \
    }                                                                                              \
    ALL(sum, type, finish)                                                                         \
    ALL(product, type, finish)                                                                     \
    ALL(max, type, finish)                                                                         \
    ALL(min, type, finish)
INTEGER(i8)
INTEGER(u8)
INTEGER(i16)
INTEGER(u16)
INTEGER(i32)
INTEGER(u32)
INTEGER(i64)
INTEGER(u64)

#define SAME(name, type) {name##_##type, finish_##type, name##_##type##_all}
#define REDUCTIONS(name)                                                                           \
    static const struct reduction reductions_##name[PTO_DTYPE_COUNT] = {                           \
        [PTO_F32] = {name##_f32, finish_##name##_f32, name##_f32_all},                             \
        [PTO_F16] = {name##_f32, finish_##name##_f32, NULL},                                       \
        [PTO_BF16] = {name##_f32, finish_##name##_f32, NULL},                                      \
        [PTO_I8] = SAME(name, i8), [PTO_U8] = SAME(name, u8), [PTO_I16] = SAME(name, i16),         \
        [PTO_U16] = SAME(name, u16), [PTO_I32] = SAME(name, i32), [PTO_U32] = SAME(name, u32),     \
        [PTO_I64] = SAME(name, i64), [PTO_U64] = SAME(name, u64)}
REDUCTIONS(sum);
REDUCTIONS(product);
REDUCTIONS(max);
REDUCTIONS(min);

/* ---- rows ------------------------------------------------------------------------------------ */
static void reduce_row(const struct reduction *reduction, const struct op_place *src,
                       uint8_t dtype, uint32_t row, uint32_t cols, void *element)
{
    struct partial partial;
    struct op_line line;
    float result;

    for (uint32_t col = 0; col < cols; col += OP_LINE) {
        uint32_t count = op_line_length(col, cols);

        reduction->take(&partial, op_line_read(&line, src, dtype, true, row, col, count), count,
                        col == 0);
    }
    if (!op_is_small_float(dtype)) {
        reduction->finish(&partial, element);
        return;
    }
    reduction->finish(&partial, &result);
    op_narrow(dtype, element, &result, 1);
}

/* All results are known before the first is written, so that dst may lie over src. */
static const char *reduce(const struct op_args *args, const struct reduction *reductions)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    struct op_place to = op_place_of(dst), from = op_place_of(src);
    struct op_place results = op_strided(args->scratch, to.size, to.size, to.size);
    const struct reduction *reduction = &reductions[dst->dtype];
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
    if (!reduction->take)
        return OP_NO_FUNCTION;
    if (dst->rows > OP_SCRATCH_BYTES / to.size)
        return "dst has too many rows for one reduction: split it";
    if (reduction->all && op_along_rows(&from))
        reduction->all(args->scratch, op_address(&from, 0, 0), from.row.inner, dst->rows,
                       src->cols);
    else
        for (uint32_t row = 0; row < dst->rows; row++)
            reduce_row(reduction, &from, dst->dtype, row, src->cols,
                       args->scratch + (size_t)row * to.size);
    op_copy(&to, &results, dst->rows, 1);
    return NULL;
}

/* dst[r, 0] = the largest of src[r, c] over the valid columns of src: NaN if any is NaN, -0 below
 * +0.  No columns: dst stays as it is. */
OP(TROWMAX)
{
    return reduce(args, reductions_max);
}

/* dst[r, 0] = the smallest of src[r, c], by the same rules. */
OP(TROWMIN)
{
    return reduce(args, reductions_min);
}

/* dst[r, 0] = sum of src[r, c] over the valid columns of src.
 *
 * Floats, in this order: 16 partial sums in f32, of which number j adds columns j, j + 16, j + 32,
 * ... ascending, starting from its first; then j with j + 8 for j < 8, with j + 4, + 2, + 1. (A sum
 * without columns counts as -0.) f16 is widened first and the result rounded to nearest even once.
 * Integers wrap around in their type.  No columns: dst stays as it is. */
OP(TROWSUM)
{
    return reduce(args, reductions_sum);
}

/* dst[r, 0] = product of src[r, c], in the order and with the rounding of TROWSUM. */
OP(TROWPROD)
{
    return reduce(args, reductions_product);
}
