/* Reductions of rows to one element: TROWMAX, TROWSUM. */
#include <stdio.h>

#include "walk.h"
#include "widen.h"

enum {
    LANES = 16,  /* partial sums of a row of floats */
    CHUNK = 512, /* elements of a row that are looked at together; a multiple of LANES */
};

typedef float vec_f32 __attribute__((vector_size(4 * LANES)));

/* What is known of a row after some of its columns. */
struct partial {
    vec_f32 sum;      /* lane j: columns j, j + 16, ... */
    int32_t greatest; /* float maximum, as an ordering key */
    bool nan;
    bool begun;       /* `integer` holds a maximum */
    uint64_t integer; /* sum modulo 2^64, or the bits of the greatest */
};

/* Take up the next columns; write the result as an element (small floats: as f32). */
struct reduction {
    void (*take)(struct partial *p, const void *row, size_t n);
    void (*finish)(const struct partial *p, void *element);
};

/* -0.0 is the one value that changes no other by being added: lanes without a column stay neutral
 * and a single element keeps its sign. */
static void start(struct partial *p)
{
    *p = (struct partial){.greatest = INT32_MIN};
    for (int i = 0; i < LANES; i++)
        p->sum[i] = -0.0f;
}

/* ---- floats --------------------------------------------------------------------------------------- */
static void sum_f32(struct partial *p, const void *row, size_t n)
{
    const mem_f32 *x = row;
    vec_f32 sum = p->sum;
    size_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        vec_f32 next;

        memcpy(&next, x + i, sizeof next);
        sum += next;
    }
    p->sum = sum;
    for (size_t lane = 0; i + lane < n; lane++)
        p->sum[lane] += x[i + lane];
}

static void finish_sum_f32(const struct partial *p, void *element)
{
    float lane[LANES];

    memcpy(lane, &p->sum, sizeof lane);
    for (int width = LANES / 2; width; width /= 2)
        for (int j = 0; j < width; j++)
            lane[j] += lane[j + width];
    *(mem_f32 *)element = op_canonical(lane[0]);
}

/* Keys order floats as integers, -0 below +0; the mapping is its own inverse. */
static inline int32_t key_of(int32_t bits)
{
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

static void max_f32(struct partial *p, const void *row, size_t n)
{
    const mem_f32 *x = row;
    const mem_i32 *bits = row;
    int32_t greatest = p->greatest, nan = 0;

    for (size_t i = 0; i < n; i++) {
        int32_t key = key_of(bits[i]);

        greatest = key > greatest ? key : greatest;
        nan |= x[i] != x[i];
    }
    p->greatest = greatest;
    p->nan = p->nan || nan;
}

static void finish_max_f32(const struct partial *p, void *element)
{
    *(mem_f32 *)element =
        p->nan ? __builtin_nanf("") : op_from_bits((uint32_t)key_of(p->greatest));
}

/* ---- integers -------------------------------------------------------------------------------------- */
#define INTEGER(type)                                                                              \
    static void sum_##type(struct partial *p, const void *row, size_t n)                           \
    {                                                                                              \
        const mem_##type *x = row;                                                                 \
        uint64_t sum = p->integer;                                                                 \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            sum += (uint64_t)x[i];                                                                 \
        p->integer = sum;                                                                          \
    }                                                                                              \
    static void max_##type(struct partial *p, const void *row, size_t n)                           \
    {                                                                                              \
        const mem_##type *x = row;                                                                 \
        mem_##type greatest = p->begun ? (mem_##type)p->integer : x[0];                            \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            greatest = x[i] > greatest ? x[i] : greatest;                                          \
        p->integer = (uint64_t)greatest;                                                           \
        p->begun = true;                                                                           \
    }                                                                                              \
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

#define INTEGER_ENTRIES(operation)                                                                 \
    [PTO_I8] = {operation##_i8, finish_i8}, [PTO_U8] = {operation##_u8, finish_u8},                \
    [PTO_I16] = {operation##_i16, finish_i16}, [PTO_U16] = {operation##_u16, finish_u16},          \
    [PTO_I32] = {operation##_i32, finish_i32}, [PTO_U32] = {operation##_u32, finish_u32},          \
    [PTO_I64] = {operation##_i64, finish_i64}, [PTO_U64] = {operation##_u64, finish_u64}

static const struct reduction sums[PTO_DTYPE_COUNT] = {
    [PTO_F32] = {sum_f32, finish_sum_f32}, [PTO_F16] = {sum_f32, finish_sum_f32},
    [PTO_BF16] = {sum_f32, finish_sum_f32}, INTEGER_ENTRIES(sum)};
static const struct reduction maxima[PTO_DTYPE_COUNT] = {
    [PTO_F32] = {max_f32, finish_max_f32}, [PTO_F16] = {max_f32, finish_max_f32},
    [PTO_BF16] = {max_f32, finish_max_f32}, INTEGER_ENTRIES(max)};

/* ---- rows ------------------------------------------------------------------------------------------- */
static void reduce_row(const struct reduction *reduction, const struct op_place *src,
                       uint8_t dtype, uint32_t row, uint32_t cols, void *element)
{
    _Alignas(64) uint8_t raw[CHUNK * 8];
    float wide[CHUNK], result;
    bool widen = op_is_small_float(dtype);
    bool direct = src->col.inner == (int64_t)src->size && op_axis_run(&src->col, 0) >= cols;
    struct op_place buffer = op_strided(raw, 0, src->size, src->size);
    struct partial partial;

    start(&partial);
    for (uint32_t col = 0; col < cols;) {
        uint32_t count = direct && !widen ? cols : cols - col < CHUNK ? cols - col : CHUNK;
        const void *elements = raw;

        if (direct) {
            elements = op_address(src, row, col);
        } else {
            struct op_place from = op_place_at(*src, row, col);

            op_copy(&buffer, &from, 1, count);
        }
        if (widen)
            op_widen(dtype, wide, elements, count);
        reduction->take(&partial, widen ? wide : elements, count);
        col += count;
    }
    if (!widen) {
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
    if (dst->rows > OP_SCRATCH_BYTES / to.size)
        return "dst has too many rows for one reduction: split it";
    for (uint32_t row = 0; row < dst->rows; row++)
        reduce_row(&reductions[dst->dtype], &from, dst->dtype, row, src->cols,
                   args->scratch + (size_t)row * to.size);
    op_copy(&to, &results, dst->rows, 1);
    return NULL;
}

/* dst[r, 0] = the largest of src[r, c] over the valid columns of src: NaN if any is NaN, -0 below
 * +0.  No columns: dst stays as it is. */
OP(TROWMAX)
{
    return reduce(args, maxima);
}

/* dst[r, 0] = sum of src[r, c] over the valid columns of src.
 *
 * Floats, in this order: 16 partial sums in f32, of which number j adds columns j, j + 16, j + 32,
 * ... ascending, starting from its first; then j with j + 8 for j < 8, with j + 4, + 2, + 1.
 * (A sum without columns counts as -0.)  f16 is widened first and the result rounded to nearest even
 * once.  Integers wrap around in their type.  No columns: dst stays as it is. */
OP(TROWSUM)
{
    return reduce(args, sums);
}
