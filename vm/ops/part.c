/* Partial operations: TPARTADD TPARTMUL TPARTMAX TPARTMIN, TPARTARGMAX TPARTARGMIN.
 *
 * One source has exactly the valid region of dst, the other no more rows and no more columns.
 * Where both are valid the operation applies, elsewhere the larger source is copied bit by bit.
 * Any other pair of regions faults (the documents of the ISA leave it open). */
#include <stdio.h>

#include "arith.h"
#include "gang.h"

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

/* Copy src to dst outside the first rows x cols elements. */
static void copy_rest(const struct op_view *dst, const struct op_place *to,
                      const struct op_place *from, uint32_t rows, uint32_t cols)
{
    struct op_place to_right = op_place_at(*to, 0, cols), from_right = op_place_at(*from, 0, cols);
    struct op_place to_below = op_place_at(*to, rows, 0), from_below = op_place_at(*from, rows, 0);

    op_copy(&to_right, &from_right, rows, dst->cols - cols);
    op_copy(&to_below, &from_below, dst->rows - rows, dst->cols);
}

static bool is_empty(const struct op_view *view)
{
    return !view->rows || !view->cols;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */
static const char *partial(const struct op_args *args, const struct op_kernel *kernels)
{
    const struct op_view *view = &args->arg[0].view;
    const struct op_view *source[2] = {&args->arg[1].view, &args->arg[2].view};
    struct op_operand dst = op_operand_of(view);
    struct op_operand src[2] = {op_operand_of(source[0]), op_operand_of(source[1])};
    struct op_scratch scratch = {args->scratch, 0};
    const struct op_view *smaller;
    int larger;
    const char *fault = choose_larger(args, view, source[0], source[1], &larger);

    if (fault || is_empty(view))
        return fault;
    for (int i = 0; i < 2 && !fault; i++)
        if (!is_empty(source[i]))
            fault = op_detach(&scratch, &dst.place, view->rows, view->cols, &src[i].place,
                              source[i]->rows, source[i]->cols);
    smaller = source[1 - larger];
    if (!fault)
        fault = op_walk(args, smaller->rows, smaller->cols, &dst, &src[0], &src[1],
                        &kernels[view->dtype], true);
    if (!fault)
        copy_rest(view, &dst.place, &src[larger].place, is_empty(smaller) ? 0 : smaller->rows,
                  is_empty(smaller) ? 0 : smaller->cols);
    return fault;
}

/* The number rules of the operation are those of arith.h. */
OP(TPARTADD)
{
    return partial(args, op_kernel_add);
}

OP(TPARTMUL)
{
    return partial(args, op_kernel_mul);
}

OP(TPARTMAX)
{
    return partial(args, op_kernel_max);
}

OP(TPARTMIN)
{
    return partial(args, op_kernel_min);
}

/* ---- extrema with their indices -------------------------------------------------------------- */
/* Does the first of two values win?  Where they are equal the second does; a NaN wins. */
#define GREATER(a, b) ((a) > (b) || ((a) != (a) && (b) == (b)))
#define LESS(a, b) ((a) < (b) || ((a) != (a) && (b) == (b)))

/* Rows: dst, src0, src1 of the values (f16 as f32), then of the indices. */
#define EXTREMUM(name, type, first_wins)                                                           \
    static const char *name##_##type(void *const *row, size_t n)                                   \
    {                                                                                              \
        mem_f32 *value = row[0];                                                                   \
        const mem_f32 *a = row[1], *b = row[2];                                                    \
        mem_##type *index = row[3];                                                                \
        const mem_##type *i = row[4], *j = row[5];                                                 \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t k = 0; k < n; k++) {                                                           \
            float x = a[k], y = b[k];                                                              \
            bool first = first_wins(x, y);                                                         \
                                                                                                   \
            value[k] = op_canonical(first ? x : y);                                                \
            index[k] = first ? i[k] : j[k];                                                        \
        }                                                                                          \
        return NULL;                                                                               \
    }
EXTREMUM(greatest, u16, GREATER)
EXTREMUM(greatest, u32, GREATER)
EXTREMUM(least, u16, LESS)
EXTREMUM(least, u32, LESS)

static struct op_lane lane_of(const struct op_view *view, bool written)
{
    return (struct op_lane){.place = op_place_of(view), .dtype = view->dtype,
                            .widen = view->dtype == PTO_F16, .read = !written,
                            .written = written};
}

/* The three views of values and of indices agree pair by pair, and the results lie apart. */
static const char *check_pairs(const struct op_args *args, const struct op_lane *lane)
{
    static const char *const names[] = {"dst", "src0", "src1"};
    const struct op_view *dst = &args->arg[0].view;

    for (int i = 0; i < 3; i++) {
        const struct op_view *value = &args->arg[i].view, *index = &args->arg[3 + i].view;

        if (same_region(value, index))
            continue;
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "%s has %u x %u valid values, but %u x %u valid indices: they must agree",
                 names[i], value->rows, value->cols, index->rows, index->cols);
        return args->message;
    }
    if (op_overlap(&lane[0].place, dst->rows, dst->cols, &lane[3].place, dst->rows, dst->cols))
        return "the values and the indices of dst overlap: use separate tiles";
    return NULL;
}

/* Copies of the sources that either result would spoil. */
static const char *detach_sources(const struct op_args *args, struct op_lane *lane)
{
    const struct op_view *dst = &args->arg[0].view;
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = NULL;

    for (int i = 0; i < OP_GANG_ROWS && !fault; i++) {
        const struct op_view *src = &args->arg[i].view;

        for (int to = 0; to <= 3 && !lane[i].written && !is_empty(src) && !fault; to += 3)
            fault = op_detach(&scratch, &lane[to].place, dst->rows, dst->cols, &lane[i].place,
                              src->rows, src->cols);
    }
    return fault;
}

static const char *partial_extremum(const struct op_args *args, op_gang_function *narrow,
                                    op_gang_function *wide)
{
    const struct op_view *dst = &args->arg[0].view, *smaller;
    struct op_lane lane[OP_GANG_ROWS];
    uint32_t rows, cols;
    const char *fault;
    int larger;

    for (int i = 0; i < OP_GANG_ROWS; i++)
        lane[i] = lane_of(&args->arg[i].view, i % 3 == 0);
    fault = check_pairs(args, lane);
    if (!fault)
        fault = choose_larger(args, dst, &args->arg[1].view, &args->arg[2].view, &larger);
    if (fault || is_empty(dst))
        return fault;
    smaller = &args->arg[2 - larger].view;
    rows = is_empty(smaller) ? 0 : smaller->rows;
    cols = is_empty(smaller) ? 0 : smaller->cols;
    fault = detach_sources(args, lane);
    if (!fault)
        fault = op_gang_lanes(args, rows, cols, lane, OP_GANG_ROWS,
                              lane[3].place.size == 2 ? narrow : wide);
    for (int i = 0; i < OP_GANG_ROWS && !fault; i += 3)
        copy_rest(dst, &lane[i].place, &lane[i + 1 + larger].place, rows, cols);
    return fault;
}

/* Values and indices of the larger of src0 and src1; of src1 where they are equal as numbers (also
 * -0 and +0).  A NaN counts as larger than every number, and its result is canonical. */
OP(TPARTARGMAX)
{
    return partial_extremum(args, greatest_u16, greatest_u32);
}

/* The same with the smaller one; a NaN counts as smaller than every number. */
OP(TPARTARGMIN)
{
    return partial_extremum(args, least_u16, least_u32);
}
