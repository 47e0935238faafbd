/* Partial operations: TPARTADD TPARTMUL TPARTMAX TPARTMIN, TPARTARGMAX TPARTARGMIN.
 *
 * One source has exactly the valid region of dst, the other no more rows and no more columns.
 * Where both are valid the operation applies, elsewhere the larger source is copied bit by bit.
 * Any other pair of regions faults (the documents of the ISA leave it open). */
#include <stdio.h>

#include "apart.h"
#include "arith.h"

/* ---- regions --------------------------------------------------------------------------------- */
static bool same_region(const struct op_view *a, const struct op_view *b)
{
    return a->rows == b->rows && a->cols == b->cols;
}

/* Which of two sources covers dst?  *larger is 0 or 1. */
static const char *choose_larger(const struct op_args *args, const struct op_view *dst,
                                 const struct op_view *src0, const struct op_view *src1,
                                 int *larger)
{
    const struct op_view *other;

    *larger = same_region(src0, dst) ? 0 : 1;
    other = *larger ? src0 : src1;
    if (same_region(*larger ? src1 : src0, dst) && other->rows <= dst->rows &&
        other->cols <= dst->cols)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES,
             "valid regions %u x %u (src0) and %u x %u (src1): one must be that of dst, %u x %u, "
             "the other lie within it",
             src0->rows, src0->cols, src1->rows, src1->cols, dst->rows, dst->cols);
    return args->message;
}

static bool is_empty(const struct op_view *view)
{
    return !view->rows || !view->cols;
}

/* Copies of the sources that any result would spoil. */
static const char *detach_sources(const struct op_args *args, struct op_scratch *scratch,
                                  struct op_lane *lane, unsigned lanes)
{
    const struct op_view *dst = &args->arg[0].view;
    const char *fault = NULL;

    for (unsigned i = 0; i < lanes && !fault; i++) {
        const struct op_view *src = &args->arg[i].view;

        for (unsigned to = 0; to < lanes && !lane[i].written && !is_empty(src) && !fault; to += 3)
            fault = op_detach(scratch, &lane[to].place, dst->rows, dst->cols, &lane[i].place,
                              src->rows, src->cols);
    }
    return fault;
}

/* Copy src to dst outside the first rows x cols elements. */
static void copy_rest(const struct op_view *dst, const struct op_place *to,
                      const struct op_place *from, uint32_t rows, uint32_t cols)
{
    struct op_place to_right = op_place_at(*to, 0, cols), from_right = op_place_at(*from, 0, cols);
    struct op_place to_below = op_place_at(*to, rows, 0), from_below = op_place_at(*from, rows, 0);

    op_copy(&to_right, &from_right, rows, dst->cols - cols);
    op_copy(&to_below, &from_below, dst->rows - rows, dst->cols);
}

/* Lanes dst, src0, src1 of the values, then perhaps of their indices: the function where both
 * sources are valid, the larger one elsewhere. */
static const char *run_partial(const struct op_args *args, unsigned lanes,
                               op_rows_function *function)
{
    const struct op_view *dst = &args->arg[0].view, *smaller;
    struct op_scratch scratch = {args->scratch, 0};
    struct op_lane lane[OP_LANES];
    struct op_place to[OP_LANES], from[OP_LANES];
    uint32_t rows, cols;
    int larger;
    const char *fault = choose_larger(args, dst, &args->arg[1].view, &args->arg[2].view, &larger);

    if (fault || is_empty(dst))
        return fault;
    smaller = &args->arg[2 - larger].view;
    rows = is_empty(smaller) ? 0 : smaller->rows;
    cols = is_empty(smaller) ? 0 : smaller->cols;
    for (unsigned i = 0; i < lanes; i++)
        op_set_lane(&lane[i], &args->arg[i].view, i % 3 > 0, i % 3 == 0);
    fault = detach_sources(args, &scratch, lane, lanes);
    for (unsigned i = 0; i < lanes; i += 3) {
        to[i] = lane[i].place;
        from[i] = lane[i + 1 + (unsigned)larger].place;
    }
    if (!fault)
        fault = op_run_lanes(args, rows, cols, lane, lanes, function);
    for (unsigned i = 0; i < lanes && !fault; i += 3)
        copy_rest(dst, &to[i], &from[i], rows, cols);
    return fault;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */
/* The number rules of the operation are those of arith.h. */
#define PARTIAL(id, each)                                                                          \
    OP(id)                                                                                         \
    {                                                                                              \
        return run_partial(args, 3, (each).function[args->arg[0].view.dtype]);                     \
    }
PARTIAL(TPARTADD, op_each_add)
PARTIAL(TPARTMUL, op_each_mul)
PARTIAL(TPARTMAX, op_each_max)
PARTIAL(TPARTMIN, op_each_min)

/* ---- extrema with their indices -------------------------------------------------------------- */
/* Does the first of two values win?  Where they are equal the second does; a NaN wins. */
#define GREATER(a, b) (!((a) <= (b)) & ((b) == (b)))
#define LESS(a, b) (!((a) >= (b)) & ((b) == (b)))

/* Lanes: dst, src0, src1 of the values, then of the indices. */
#define EXTREMUM(name, value, index, first_wins)                                                   \
    OP_INLINE void name##_strips(void *const *row, size_t n, unsigned single)                      \
    {                                                                                              \
        void *value_row = row[0], *index_row = row[3];                                             \
        OP_SOURCE(value, x, 1);                                                                    \
        OP_SOURCE(value, y, 2);                                                                    \
        OP_SOURCE(index, i_x, 4);                                                                  \
        OP_SOURCE(index, i_y, 5);                                                                  \
                                                                                                   \
        for (size_t i = 0; i + OP_STRIP <= n; i += OP_STRIP) {                                     \
            float x[OP_STRIP], y[OP_STRIP], extreme[OP_STRIP];                                     \
            op_wide_##index i_x[OP_STRIP], i_y[OP_STRIP], at[OP_STRIP];                            \
                                                                                                   \
            OP_GET(value, x, 1);                                                                   \
            OP_GET(value, y, 2);                                                                   \
            OP_GET(index, i_x, 4);                                                                 \
            OP_GET(index, i_y, 5);                                                                 \
            for (int k = 0; k < OP_STRIP; k++) {                                                   \
                bool first = first_wins(OP_AT(x, 1), OP_AT(y, 2));                                 \
                                                                                                   \
                extreme[k] = first ? OP_AT(x, 1) : OP_AT(y, 2);                                    \
                at[k] = first ? OP_AT(i_x, 4) : OP_AT(i_y, 5);                                     \
            }                                                                                      \
            op_put_##value(value_row, i, extreme);                                                 \
            op_put_##index(index_row, i, at);                                                      \
        }                                                                                          \
    }                                                                                              \
    static const char *name##_row(void *const *row, size_t n, unsigned single)                     \
    {                                                                                              \
        static const struct op_rest rest = {{OP_SIZE_##value, OP_SIZE_##value, OP_SIZE_##value,    \
                                             OP_SIZE_##index, OP_SIZE_##index, OP_SIZE_##index},   \
                                            6, 1 << 0 | 1 << 3};                                   \
                                                                                                   \
        OP_RUN_STRIPS(name, OP_DISPATCH_1, rest);                                                  \
    }                                                                                              \
    OP_ROWS(name, 6)
EXTREMUM(greatest_f32_u32, f32, u32, GREATER)
EXTREMUM(greatest_f16_u16, f16, u16, GREATER)
EXTREMUM(greatest_f16_u32, f16, u32, GREATER)
EXTREMUM(least_f32_u32, f32, u32, LESS)
EXTREMUM(least_f16_u16, f16, u16, LESS)
EXTREMUM(least_f16_u32, f16, u32, LESS)

/* The three views of values and of indices agree pair by pair, and the results lie apart. */
static const char *check_pairs(const struct op_args *args)
{
    static const char *const names[] = {"dst", "src0", "src1"};
    const struct op_view *dst = &args->arg[0].view;
    struct op_place values = op_place_of(dst), indices = op_place_of(&args->arg[3].view);

    for (int i = 0; i < 3; i++) {
        const struct op_view *value = &args->arg[i].view, *index = &args->arg[3 + i].view;

        if (same_region(value, index))
            continue;
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "%s has %u x %u valid values, but %u x %u valid indices: they must agree",
                 names[i], value->rows, value->cols, index->rows, index->cols);
        return args->message;
    }
    if (op_overlap(&values, dst->rows, dst->cols, &indices, dst->rows, dst->cols))
        return "the values and the indices of dst overlap: use separate tiles";
    return NULL;
}

/* By the type of the values, and whether an index has 16 bits. */
struct extremum {
    op_rows_function *f32, *f16, *f16_short;
};

static const char *partial_extremum(const struct op_args *args, const struct extremum *of)
{
    const char *fault = check_pairs(args);
    bool is_short = pto_dtype_size((enum pto_dtype)args->arg[3].view.dtype) == 2;
    op_rows_function *of_f16 = is_short ? of->f16_short : of->f16;

    if (fault)
        return fault;
    return run_partial(args, 6, args->arg[0].view.dtype == PTO_F16 ? of_f16 : of->f32);
}

/* Values and indices of the larger of src0 and src1; of src1 where they are equal as numbers (also
 * -0 and +0).  A NaN counts as larger than every number, and its result is canonical. */
OP(TPARTARGMAX)
{
    static const struct extremum greatest = {greatest_f32_u32, greatest_f16_u32, greatest_f16_u16};

    return partial_extremum(args, &greatest);
}

/* The same with the smaller one; a NaN counts as smaller than every number. */
OP(TPARTARGMIN)
{
    static const struct extremum least = {least_f32_u32, least_f16_u32, least_f16_u16};

    return partial_extremum(args, &least);
}
