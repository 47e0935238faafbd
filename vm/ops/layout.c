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

enum { BATCH = 128 }; /* rows whose counts are looked at together */

/* What TCONCAT with counts works on; vectors are columns. */
struct counted {
    struct halves h;
    struct op_place src0_idx, src1_idx, dst_idx;
    uint32_t left[BATCH], right[BATCH];
};

/* The first row of a batch that its sources or dst have no room for, or `rows`.  Negative counts
 * are greater than any number of columns. */
static uint32_t first_bad(const struct op_args *args, const struct counted *c, uint32_t rows)
{
    uint64_t left = args->arg[1].view.cols, right = args->arg[2].view.cols;
    uint64_t both = args->arg[0].view.cols;

    for (uint32_t i = 0; i < rows; i++)
        if (c->left[i] > left || c->right[i] > right || (uint64_t)c->left[i] + c->right[i] > both)
            return i;
    return rows;
}

static const char *bad_counts(const struct op_args *args, int first, uint32_t row, uint32_t left,
                              uint32_t right)
{
    for (int i = 0; i < 2; i++) {
        bool is_signed = args->arg[first + i].view.dtype == PTO_I32;
        uint32_t count = i ? right : left, most = args->arg[1 + i].view.cols;

        if (count <= most)
            continue;
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "count %lld of row %u: src%d has %u valid columns",
                 is_signed ? (long long)(int32_t)count : (long long)count, row, i, most);
        return args->message;
    }
    snprintf(args->message, OP_MESSAGE_BYTES,
             "row %u gets %u + %u elements, dst has %u valid columns", row, left, right,
             args->arg[0].view.cols);
    return args->message;
}

/* The first count[i] elements of rows of src to column at[i] of rows of dst (NULL: 0). */
static void copy_counted(const struct op_place *dst, const uint32_t *at,
                         const struct op_place *src, uint32_t row, const uint32_t *count,
                         uint32_t rows)
{
    bool plain = op_along_rows(dst) && op_along_rows(src) && dst->row.shift == OP_AXIS_PLAIN &&
                 src->row.shift == OP_AXIS_PLAIN;
    uint8_t *to = op_address(dst, row, 0);
    const uint8_t *from = op_address(src, row, 0);

    for (uint32_t i = 0; !plain && i < rows; i++)
        op_copy_row(dst, row + i, at ? at[i] : 0, src, row + i, count[i]);
    for (uint32_t i = 0; plain && i < rows; i++, to += dst->row.inner, from += src->row.inner)
        memcpy(to + (size_t)(at ? at[i] : 0) * src->size, from, (size_t)count[i] * src->size);
}

/* Elements `row` and on of a vector of counts, from or to a batch. */
static void copy_counts(const struct op_place *vector, uint32_t row, uint32_t *batch,
                        uint32_t rows, bool into_vector)
{
    struct op_place place = op_place_at(*vector, row, 0);
    struct op_place buffer = op_strided(batch, sizeof *batch, sizeof *batch, sizeof *batch);

    if (into_vector)
        op_copy(&place, &buffer, rows, 1);
    else
        op_copy(&buffer, &place, rows, 1);
}

/* An operand with an element for each row of dst, as a column. */
static const char *find_vector(const struct op_args *args, int index, const char *name,
                               struct op_place *vector)
{
    const struct op_view *view = &args->arg[index].view;

    *vector = op_place_of(view);
    if (view->cols != 1)
        *vector = op_place_flip(*vector);
    return op_check_vector(args, index, name, args->arg[0].view.rows);
}

static const char *concat_batch(const struct op_args *args, int first, struct counted *c,
                                uint32_t row, uint32_t rows, bool totals)
{
    uint32_t bad;

    copy_counts(&c->src0_idx, row, c->left, rows, false);
    copy_counts(&c->src1_idx, row, c->right, rows, false);
    bad = first_bad(args, c, rows);
    if (bad < rows)
        return bad_counts(args, first, row + bad, c->left[bad], c->right[bad]);
    copy_counted(&c->h.dst, NULL, &c->h.left, row, c->left, rows);
    copy_counted(&c->h.dst, c->left, &c->h.right, row, c->right, rows);
    for (uint32_t i = 0; totals && i < rows; i++)
        c->left[i] += c->right[i];
    if (totals)
        copy_counts(&c->dst_idx, row, c->left, rows, true);
    return NULL;
}

static const char *concat_counted(const struct op_args *args, int first, bool totals)
{
    const struct op_view *dst = &args->arg[0].view;
    struct counted c;
    const char *fault = find_vector(args, first, "src0Idx", &c.src0_idx);

    if (!fault)
        fault = find_vector(args, first + 1, "src1Idx", &c.src1_idx);
    if (!fault && totals)
        fault = find_vector(args, 3, "dstIdx", &c.dst_idx);
    if (!fault)
        fault = concat_operands(args, &c.h);
    for (uint32_t row = 0; !fault && row < dst->rows; row += BATCH)
        fault = concat_batch(args, first, &c, row,
                             dst->rows - row < BATCH ? dst->rows - row : BATCH, totals);
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

/* dst[i](r, at * count + k) = src[at](r, 2 k + i) for k < count and `sources` values of at. */
static void unzip_columns(const struct op_place *dst, const struct op_place *src, uint32_t sources,
                          uint32_t rows, uint32_t count)
{
    uint32_t calls = op_along_rows(&dst[0]) && op_along_rows(&dst[1]) ? rows * sources : 0;

    for (uint32_t at = 0; at < sources; at++)
        calls = op_along_rows(&src[at]) ? calls : 0;
    for (uint32_t i = 0; i < calls; i++) {
        uint32_t row = i / sources, at = i % sources;

        op_unzip(dst->size, op_address(&dst[0], row, at * count),
                 op_address(&dst[1], row, at * count), op_address(&src[at], row, 0), count);
    }
    for (uint32_t i = 0; !calls && i < 2 * sources; i++) {
        struct op_place to = op_place_at(dst[i % 2], 0, i / 2 * count);
        struct op_place from = op_every_column(src[i / 2], i % 2, 2);

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

    if (!fault)
        unzip_columns(dst, src, 2, view->rows, view->cols / 2);
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
        unzip_columns(dst, src, 1, view->rows, view->cols);
    return fault;
}
