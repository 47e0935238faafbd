/* Reductions of columns to one element: TCOLSUM, TCOLPROD, TCOLMAX, TCOLMIN.  Whole rows are
 * combined with the row functions of arith.h, OP_LINE columns at a time. */
#include <stdio.h>

#include "arith.h"
#include "line.h"
#include "operand.h"

/* A row of f32, or of elements of an integer type. */
struct wide_row {
    _Alignas(64) uint8_t bytes[OP_LINE * 8];
};

struct folding {
    op_rows_function *function;
    const struct op_place *src;
    uint8_t dtype;
    double neutral;   /* what changes nothing, unless the operation is idempotent */
    bool idempotent;  /* f(x, x) = x */
    struct op_line line;
};

/* result = a combined with b, rows of `count` elements; `single`: b is one element (1 << 2). */
static void combine(const struct folding *f, struct wide_row *result, const void *a, const void *b,
                    uint32_t count, unsigned single)
{
    void *const row[] = {result->bytes, (void *)(uintptr_t)a, (void *)(uintptr_t)b};

    f->function(row, count, single, NULL);
}

/* Row `row` as the start of a fold: NaN becomes canonical, everything else stays. */
static void first_row(struct folding *f, uint32_t row, uint32_t col, uint32_t count,
                      struct wide_row *result)
{
    const void *elements = op_line_read(&f->line, f->src, f->dtype, true, row, col, count);
    uint8_t type = op_is_small_float(f->dtype) ? PTO_F32 : f->dtype;
    _Alignas(8) uint8_t neutral[8];

    if (f->idempotent) {
        combine(f, result, elements, elements, count, 0);
        return;
    }
    pto_store_f64(neutral, (enum pto_dtype)type, f->neutral);
    combine(f, result, elements, neutral, count, 1 << 2);
}

/* Rows one after the other. */
static void fold_in_order(struct folding *f, uint32_t rows, uint32_t col, uint32_t count,
                          struct wide_row *result)
{
    first_row(f, 0, col, count, result);
    for (uint32_t row = 1; row < rows; row++)
        combine(f, result, result->bytes,
                op_line_read(&f->line, f->src, f->dtype, true, row, col, count), count, 0);
}

/* Neighbours in pairs, then neighbours of those, a last one without a neighbour going up as it is:
 * `open` holds the results that wait for their right-hand neighbour, the largest subtree first. */
static void fold_as_tree(struct folding *f, uint32_t rows, uint32_t col, uint32_t count,
                         struct wide_row *open)
{
    unsigned depth = 0;

    for (uint32_t row = 0; row < rows; row++) {
        first_row(f, row, col, count, &open[depth++]);
        for (uint32_t done = row + 1; !(done & 1); done >>= 1, depth--)
            combine(f, &open[depth - 2], open[depth - 2].bytes, open[depth - 1].bytes, count, 0);
    }
    for (; depth > 1; depth--)
        combine(f, &open[depth - 2], open[depth - 2].bytes, open[depth - 1].bytes, count, 0);
}

enum { TREE_DEPTH = 33 }; /* of 2^32 rows */

/* All results are known before the first is written, so that dst may lie over src. */
static const char *fold(const struct op_args *args, const struct op_each *each, struct folding *f,
                        bool tree)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    struct op_place to = op_place_of(dst), from = op_place_of(src);
    struct op_place results = op_strided(args->scratch, to.size, to.size, to.size);
    struct wide_row *work = (struct wide_row *)(args->scratch + OP_SCRATCH_BYTES / 2);
    const char *fault = op_covers(args, 1, "src", 0, dst->cols);

    if (fault)
        return fault;
    if (dst->rows > 1) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %u valid rows: a column reduction writes row 0 only, give {1, %u}",
                 dst->rows, dst->cols);
        return args->message;
    }
    if (!dst->rows || !dst->cols || !src->rows)
        return NULL;
    if (dst->cols > OP_SCRATCH_BYTES / 2 / to.size)
        return "dst has too many columns for one reduction: split it";
    f->src = &from;
    f->dtype = dst->dtype;
    f->function = each->function[op_is_small_float(dst->dtype) ? PTO_F32 : dst->dtype];
    if (!f->function)
        return OP_NO_FUNCTION;
    for (uint32_t col = 0; col < dst->cols; col += OP_LINE) {
        uint32_t count = op_line_length(col, dst->cols);
        uint8_t *end = args->scratch + (size_t)col * to.size;

        if (tree)
            fold_as_tree(f, src->rows, col, count, work);
        else
            fold_in_order(f, src->rows, col, count, work);
        if (op_is_small_float(f->dtype))
            op_narrow(f->dtype, end, (const float *)work->bytes, count);
        else
            memcpy(end, work->bytes, (size_t)count * to.size);
    }
    op_copy(&to, &results, 1, dst->cols);
    return NULL;
}
_Static_assert(TREE_DEPTH * sizeof(struct wide_row) <= OP_SCRATCH_BYTES / 2, "room for the tree");

/* dst[0, c] = sum of src[r, c] over the valid rows of src.
 *
 * Floats: `sequential` adds the rows in ascending order; `binary` adds rows 0 and 1, 2 and 3, ...,
 * then those sums in pairs, and so on, a last one without a partner going up as it is.  f16 and
 * bf16 are widened to f32 first and the result rounded to nearest even once.  Integers wrap around
 * in their type.  No rows: dst stays as it is. */
OP(TCOLSUM)
{
    struct folding f = {.neutral = -0.0};

    return fold(args, &op_each_add, &f, args->arg[3].i == PTO_SUM_ORDER_BINARY);
}

/* dst[0, c] = product of src[r, c] over the valid rows, in ascending order, with the rounding of
 * TCOLSUM. */
OP(TCOLPROD)
{
    struct folding f = {.neutral = 1.0};

    return fold(args, &op_each_mul, &f, false);
}

/* dst[0, c] = largest of src[r, c] over the valid rows: NaN if any is NaN, -0 below +0.  No rows:
 * dst stays as it is. */
OP(TCOLMAX)
{
    struct folding f = {.idempotent = true};

    return fold(args, &op_each_max, &f, false);
}

/* dst[0, c] = smallest of src[r, c], by the same rules. */
OP(TCOLMIN)
{
    struct folding f = {.idempotent = true};

    return fold(args, &op_each_min, &f, false);
}
