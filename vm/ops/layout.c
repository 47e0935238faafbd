/* Elements to other places: TTRANS, TRESHAPE, TCONCAT, TINTERLEAVE, TDEINTERLEAVE. */
#include <stdio.h>

#include "apart.h"
#include "index.h"
#include "operand.h"
#include "zip.h"

/* dst[r, c] = src[c, r] over the valid region of dst; src has at least its columns as rows and its
 * rows as columns.  Layouts are free, dst and src may overlap, scratch stays as it is. */
OP(TTRANS)
{
    const struct op_view *dst = &args->arg[0].view;
    struct op_place to = op_place_of(dst), from = op_place_flip(op_place_of(&args->arg[1].view));
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = op_covers(args, 1, "src", dst->cols, dst->rows);

    if (fault || !dst->rows || !dst->cols)
        return fault;
    if (!op_same_place(&to, &from))
        fault = op_separate(&scratch, dst, &from, dst->rows, dst->cols);
    if (!fault)
        op_copy(&to, &from, dst->rows, dst->cols);
    return fault;
}

/* ---- TRESHAPE -------------------------------------------------------------------------------- */
/* The bytes of a view's valid region as lines in the order of its layout. */
static struct op_place in_memory_order(const struct op_view *view, uint32_t *lines, size_t *bytes)
{
    struct op_place place = op_place_of(view);
    bool down = pto_layouts[view->layout].columns_first;

    *lines = down ? view->cols : view->rows;
    *bytes = (size_t)(down ? view->rows : view->cols) * place.size;
    return down ? op_place_flip(place) : place;
}

/* Are the lines one piece? */
static bool in_one_piece(const struct op_place *place, uint32_t lines, size_t bytes)
{
    return op_along_rows(place) && place->row.shift == OP_AXIS_PLAIN &&
           (lines == 1 || place->row.inner == (int64_t)bytes);
}

static void pack(uint8_t *packed, const struct op_place *place, uint32_t lines, size_t bytes,
                 bool into_tile)
{
    struct op_place buffer = op_strided(packed, (int64_t)bytes, place->size, place->size);
    uint32_t count = (uint32_t)(bytes / place->size);

    if (into_tile)
        op_copy(place, &buffer, lines, count);
    else
        op_copy(&buffer, place, lines, count);
}

/* The bytes of src's valid region, taken in the order of its layout (nd by rows, dn by columns),
 * become those of dst's in the order of dst's layout; no element is converted.  The two regions
 * have the same number of bytes, else it faults.  dst and src may overlap; where they are the same
 * bytes without gaps nothing changes. */
OP(TRESHAPE)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    uint32_t to_lines, from_lines;
    size_t to_bytes, from_bytes;
    struct op_place to = in_memory_order(dst, &to_lines, &to_bytes);
    struct op_place from = in_memory_order(src, &from_lines, &from_bytes);

    if (to_bytes * to_lines != from_bytes * from_lines) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %zu valid bytes, src has %zu: they must be equal",
                 to_bytes * to_lines, from_bytes * from_lines);
        return args->message;
    }
    if (from_bytes && from_lines && in_one_piece(&from, from_lines, from_bytes) &&
        in_one_piece(&to, to_lines, to_bytes)) {
        memmove(op_address(&to, 0, 0), op_address(&from, 0, 0), from_bytes * from_lines);
        return NULL;
    }
    if (from_bytes * from_lines > OP_SCRATCH_BYTES)
        return "the region is too large for one instruction: split it";
    pack(args->scratch, &from, from_lines, from_bytes, false);
    pack(args->scratch, &to, to_lines, to_bytes, true);
    return NULL;
}

/* ---- TCONCAT --------------------------------------------------------------------------------- */
struct halves {
    struct op_place dst, left, right;
};

static const char *concat_operands(const struct op_args *args, struct halves *h)
{
    const struct op_view *dst = &args->arg[0].view, *left = &args->arg[1].view,
                         *right = &args->arg[2].view;
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = op_covers(args, 1, "src0", dst->rows, 0);

    if (!fault)
        fault = op_covers(args, 2, "src1", dst->rows, 0);
    *h = (struct halves){op_place_of(dst), op_place_of(left), op_place_of(right)};
    if (!fault)
        fault = op_separate(&scratch, dst, &h->left, dst->rows, left->cols);
    return fault ? fault : op_separate(&scratch, dst, &h->right, dst->rows, right->cols);
}

/* dst[r, c] = src0[r, c] for c < C0, src1[r, c - C0] from there on, where C0 is the number of valid
 * columns of src0.  dst has exactly the columns of both, the sources at least the rows of dst; dst
 * may overlap them. */
OP(TCONCAT)
{
    const struct op_view *dst = &args->arg[0].view;
    uint32_t left = args->arg[1].view.cols, right = args->arg[2].view.cols;
    struct halves h;
    const char *fault = concat_operands(args, &h);
    struct op_place rest = op_place_at(h.dst, 0, left);

    if (fault)
        return fault;
    if ((uint64_t)left + right != dst->cols) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %u valid columns, src0 and src1 have %u and %u: give {%u, %u}", dst->cols,
                 left, right, dst->rows, left + right);
        return args->message;
    }
    op_copy(&h.dst, &h.left, dst->rows, left);
    op_copy(&rest, &h.right, dst->rows, right);
    return NULL;
}

/* How many elements of row `row` a source gives. */
static const char *row_count(const struct op_args *args, int source, int index, uint32_t row,
                             uint32_t *count)
{
    const struct op_view *view = &args->arg[index].view;
    uint32_t most = args->arg[source].view.cols;
    int64_t value = pto_load_int(op_vector_at(view, row), (enum pto_dtype)view->dtype);

    *count = (uint32_t)value;
    if (value >= 0 && value <= most)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES, "count %lld of row %u: src%d has %u valid columns",
             (long long)value, row, source - 1, most);
    return args->message;
}

static const char *concat_counted(const struct op_args *args, int first, bool totals)
{
    const struct op_view *dst = &args->arg[0].view;
    const char *fault = NULL;
    struct halves h;

    for (int i = 0; !fault && i < (totals ? 3 : 2); i++) {
        static const char *const names[] = {"src0Idx", "src1Idx", "dstIdx"};

        fault = op_check_vector(args, i == 2 ? 3 : first + i, names[i], dst->rows);
    }
    if (!fault)
        fault = concat_operands(args, &h);
    for (uint32_t row = 0; !fault && row < dst->rows; row++) {
        uint32_t left = 0, right = 0;

        fault = row_count(args, 1, first, row, &left);
        if (!fault)
            fault = row_count(args, 2, first + 1, row, &right);
        if (fault)
            return fault;
        if ((uint64_t)left + right > dst->cols) {
            snprintf(args->message, OP_MESSAGE_BYTES,
                     "row %u gets %u + %u elements, dst has %u valid columns", row, left, right,
                     dst->cols);
            return args->message;
        }
        op_copy_row(&h.dst, row, 0, &h.left, row, left);
        op_copy_row(&h.dst, row, left, &h.right, row, right);
        if (totals)
            pto_store_int(op_vector_at(&args->arg[3].view, row),
                          (enum pto_dtype)args->arg[3].view.dtype, (int64_t)left + right);
    }
    return fault;
}

/* Of row r, the first src0Idx[r] elements of src0 and then the first src1Idx[r] of src1; elements
 * of dst behind them stay as they are.  A count that its source or dst has no room for faults. */
OP(TCONCAT_COUNTED)
{
    return concat_counted(args, 3, false);
}

/* The same; dstIdx[r] = src0Idx[r] + src1Idx[r], in its type. */
OP(TCONCAT_TOTALS)
{
    return concat_counted(args, 4, true);
}

/* ---- TINTERLEAVE, TDEINTERLEAVE -------------------------------------------------------------- */
/* dst1, dst0 and `sources` source tiles behind them: same shapes, disjoint destinations; sources
 * that a destination meets are copied. */
static const char *shuffle_operands(const struct op_args *args, int sources, uint32_t src_cols,
                                    struct op_place *dst, struct op_place *src)
{
    static const char *const names[] = {"src1", "src0"};
    const struct op_view *d1 = &args->arg[0].view, *d0 = &args->arg[1].view;
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = NULL;

    dst[1] = op_place_of(d1);
    dst[0] = op_place_of(d0);
    if (d1->rows != d0->rows || d1->cols != d0->cols) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst1 has %u x %u valid elements, dst0 has %u x %u: they must be equal", d1->rows,
                 d1->cols, d0->rows, d0->cols);
        return args->message;
    }
    if (op_overlap(&dst[1], d1->rows, d1->cols, &dst[0], d0->rows, d0->cols))
        return "dst1 and dst0 overlap: use separate tiles";
    for (int i = 0; !fault && i < sources; i++) {
        struct op_place *place = &src[sources - 1 - i];

        *place = op_place_of(&args->arg[2 + i].view);
        fault = op_covers(args, 2 + i, sources == 1 ? "src" : names[i], d0->rows, src_cols);
        if (!fault)
            fault = op_separate(&scratch, d1, place, d0->rows, src_cols);
        if (!fault)
            fault = op_separate(&scratch, d0, place, d0->rows, src_cols);
    }
    if (!fault && sources == 2 && d0->cols % 2) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "%u valid columns: an even number is needed", d0->cols);
        return args->message;
    }
    return fault;
}

/* The stream src0[r, 0], src1[r, 0], src0[r, 1], src1[r, 1], ... of 2 C elements: dst0[r, :] is its
 * first half, dst1[r, :] the second.  C, the valid columns of dst0, is even.  The destinations must
 * not overlap each other; they may overlap the sources. */
OP(TINTERLEAVE)
{
    const struct op_view *view = &args->arg[1].view;
    struct op_place dst[2], src[2];
    uint32_t half = view->cols / 2;
    const char *fault = shuffle_operands(args, 2, view->cols, dst, src);

    if (!fault && op_along_rows(&dst[0]) && op_along_rows(&dst[1]) && op_along_rows(&src[0]) &&
        op_along_rows(&src[1])) {
        for (uint32_t i = 0; i < 2 * view->rows; i++)
            op_zip(dst[0].size, op_address(&dst[i % 2], i / 2, 0),
                op_address(&src[0], i / 2, i % 2 * half), op_address(&src[1], i / 2, i % 2 * half),
                half);
        return NULL;
    }
    for (uint32_t i = 0; !fault && i < 4; i++) {
        struct op_place to = op_every_column(dst[i / 2], i % 2, 2);
        struct op_place from = op_place_at(src[i % 2], 0, i / 2 * half);

        op_copy(&to, &from, view->rows, half);
    }
    return fault;
}

/* dst[i](r, col + k) = src(r, 2 k + i) for k < count. */
static void unzip_columns(const struct op_place *dst, uint32_t col, const struct op_place *src,
                          uint32_t rows, uint32_t count)
{
    if (op_along_rows(&dst[0]) && op_along_rows(&dst[1]) && op_along_rows(src)) {
        for (uint32_t row = 0; row < rows; row++)
            op_unzip(src->size, op_address(&dst[0], row, col), op_address(&dst[1], row, col),
                     op_address(src, row, 0), count);
        return;
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct op_place to = op_place_at(dst[i], 0, col), from = op_every_column(*src, i, 2);

        op_copy(&to, &from, rows, count);
    }
}

/* The inverse: of the stream src0[r, :], src1[r, :] dst0[r, :] gets elements 0, 2, 4, ... and
 * dst1[r, :] elements 1, 3, 5, ...; the same conditions. */
OP(TDEINTERLEAVE)
{
    const struct op_view *view = &args->arg[1].view;
    struct op_place dst[2], src[2];
    const char *fault = shuffle_operands(args, 2, view->cols, dst, src);

    for (uint32_t i = 0; !fault && i < 2; i++)
        unzip_columns(dst, i * (view->cols / 2), &src[i], view->rows, view->cols / 2);
    return fault;
}

/* dst0[r, k] = src[r, 2 k], dst1[r, k] = src[r, 2 k + 1]; src has at least twice as many columns.
 */
OP(TDEINTERLEAVE_ONE)
{
    const struct op_view *view = &args->arg[1].view;
    struct op_place dst[2], src[1];
    const char *fault = shuffle_operands(args, 1, 2 * view->cols, dst, src);

    if (!fault)
        unzip_columns(dst, 0, &src[0], view->rows, view->cols);
    return fault;
}
