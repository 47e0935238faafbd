/* Transfers: TLOAD, TPREFETCH, TSTORE, TMOV, TEXTRACT, TINSERT, their forms with a scale, and the
 * two halves of remote traffic.  All of them are copies between places of any layout; those that
 * leave an accumulator can convert on the way, those that end in global memory can combine with
 * what is there. */
#include "transfer.h"

#include <stdio.h>

#include "apart.h"
#include "arith.h"
#include "fixpipe.h"

/* ---- landing in global memory -------------------------------------------------------------- */
static op_rows_function *combiner(int atomic, uint8_t dtype)
{
    switch (atomic) {
    case PTO_ATOMIC_ADD: return op_each_add.function[dtype];
    case PTO_ATOMIC_MAX: return op_each_max.function[dtype];
    case PTO_ATOMIC_MIN: return op_each_min.function[dtype];
    default: return NULL;
    }
}

/* dst = dst combined with src.  Sources lie on chip or in buffers, never in the destination: no
 * scratch is needed and nothing can fault. */
static void combine_window(const struct op_operand *dst, const struct op_operand *src,
                           uint32_t rows, uint32_t cols, op_rows_function *combine)
{
    const struct op_args none = {.scratch = NULL};
    struct op_lane lane[] = {{.place = dst->place, .written = true},
                             {.place = dst->place, .read = true},
                             {.place = src->place, .read = true}};

    op_run_lanes(&none, rows, cols, lane, 3, combine);
}

/* dst = src, or combined with it. */
static void land_window(const struct op_operand *dst, const struct op_operand *src, uint32_t rows,
                        uint32_t cols, op_rows_function *combine)
{
    if (combine)
        combine_window(dst, src, rows, cols, combine);
    else
        op_copy(&dst->place, &src->place, rows, cols);
}

/* Elements land in ascending order, row by row.  That shows only where elements of the window share
 * bytes; then each lands on its own. */
static void land(const struct op_operand *dst, const struct op_operand *src, uint32_t rows,
                 uint32_t cols, int atomic)
{
    op_rows_function *combine = combiner(atomic, dst->dtype);

    if (!op_self_overlap(&dst->place, rows, cols)) {
        land_window(dst, src, rows, cols, combine);
        return;
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t col = 0; col < cols; col++) {
            struct op_operand to = {op_place_at(dst->place, row, col), dst->dtype};
            struct op_operand from = {op_place_at(src->place, row, col), src->dtype};

            land_window(&to, &from, 1, 1, combine);
        }
    }
}

static struct op_place packed_place(void *packed, uint32_t cols, uint32_t size)
{
    return op_strided(packed, (int64_t)cols * size, size, size);
}

/* Packed row-major elements land in the window dst.  Atomic operations follow the rules of TADD,
 * TMAX and TMIN: small floats are rounded to nearest even after every single operation. */
void op_land(const struct op_view *dst, const void *packed, int atomic)
{
    struct op_operand to = op_operand_of(dst);
    struct op_operand from = {packed_place((void *)(uintptr_t)packed, dst->cols, to.place.size),
                              dst->dtype};

    land(&to, &from, dst->rows, dst->cols, atomic);
}

void op_collect(const struct op_view *src, void *packed)
{
    struct op_place from = op_place_of(src);
    struct op_place to = packed_place(packed, src->cols, from.size);

    op_copy(&to, &from, src->rows, src->cols);
}

/* ---- out of an accumulator ----------------------------------------------------------------- */
/* dst = the elements of src as FIX gives them: columns by strips, the others in pieces. */
static void fix_window(const struct op_args *args, const struct op_operand *dst,
                       const struct op_operand *src, uint32_t rows, uint32_t cols,
                       const struct op_fix *fix, int atomic)
{
    bool apart = atomic == PTO_ATOMIC_NONE && !op_self_overlap(&dst->place, rows, cols) &&
                 !op_overlap(&dst->place, rows, cols, &src->place, rows, cols);
    uint32_t done = apart ? op_fix_strips(fix, dst, src, rows, cols, args->scratch) : 0;
    uint32_t width = cols - done < OP_FIX_PIECE ? cols - done : OP_FIX_PIECE;
    uint32_t height = width ? OP_FIX_PIECE / width : rows;

    for (uint32_t row = 0; row < rows; row += height) {
        uint32_t piece_rows = rows - row < height ? rows - row : height;

        for (uint32_t col = done; col < cols; col += width) {
            uint32_t piece_cols = cols - col < width ? cols - col : width;
            struct op_operand to = {op_place_at(dst->place, row, col), dst->dtype};
            void *piece = op_fix_piece(fix, src, dst->dtype, row, col, piece_rows, piece_cols,
                                       args->scratch);
            struct op_operand packed = {packed_place(piece, piece_cols, to.place.size), dst->dtype};

            land(&to, &packed, piece_rows, piece_cols, atomic);
        }
    }
}

/* Casts, scales and ReLU are work of the FIX pipe: without a scale, casts are from f32 only. */
static const char *check_fix(const struct op_view *dst, const struct op_view *src,
                             const struct op_fix *fix)
{
    if (!fix->scaled && dst->dtype != src->dtype &&
        (src->space != PTO_L0C || src->dtype != PTO_F32))
        return "a transfer changes the element type only from f32 in l0c: convert with TCVT";
    if (fix->relu && src->space != PTO_L0C)
        return "relu applies only to what leaves l0c: use TMAXS with 0";
    return NULL;
}

/* ---- operands ------------------------------------------------------------------------------ */
/* Which operand is a window: of global memory, or with an offset into its tile. */
enum window { WINDOW_NONE, WINDOW_GLOBAL, WINDOW_OF_SRC, WINDOW_OF_DST };
/* Where the scale comes from: operand 2 is a number, or a row of numbers. */
enum scaling { SCALE_NONE, SCALE_NUMBER, SCALE_ROW };

static const char *check_window(const struct op_args *args, const char *name,
                                const struct op_view *view, uint32_t rows, uint32_t cols)
{
    if ((uint64_t)view->row + rows <= view->tile_rows &&
        (uint64_t)view->col + cols <= view->tile_cols)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES,
             "a window of %u x %u at (%u, %u) ends outside %s, which is %u x %u", rows, cols,
             view->row, view->col, name, view->tile_rows, view->tile_cols);
    return args->message;
}

/* Does src have what the valid region of dst takes, and do both windows lie inside their tiles? */
static const char *check_regions(const struct op_args *args, enum window window)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    const char *fault;

    if (window == WINDOW_OF_SRC)
        return check_window(args, "src", src, dst->rows, dst->cols);
    fault = op_covers(args, 1, "src", dst->rows, dst->cols);
    if (!fault && window == WINDOW_OF_DST)
        fault = check_window(args, "dst", dst, dst->rows, dst->cols);
    return fault;
}

static const char *read_scaling(const struct op_args *args, enum scaling scaling, float *number,
                                struct op_fix *fix)
{
    uint32_t cols = args->arg[0].view.cols;

    fix->scaled = scaling != SCALE_NONE;
    if (scaling == SCALE_NUMBER) {
        op_set_strided(&fix->scale, number, 0, 0, 0, 0, 4);
        return op_convert_scalar(args, 2, PTO_F32, number);
    }
    if (scaling == SCALE_ROW) {
        op_set_place(&fix->scale, &args->arg[2].view);
        return op_covers(args, 2, "fp", cols ? 1 : 0, cols);
    }
    return NULL;
}

/* dst = src over the valid region of dst, from any layout to any other; a source that overlaps the
 * destination is read before anything is written.  Operands dst, src, [scale or fp], for stores
 * [atomic], [relu]. */
static const char *transfer(const struct op_args *args, enum window window, enum scaling scaling)
{
    const struct op_view *view = &args->arg[0].view, *from = &args->arg[1].view;
    const struct op_arg *word = &args->arg[scaling == SCALE_NONE ? 2 : 3];
    bool stores = window == WINDOW_GLOBAL;
    int atomic = stores && word->present ? (int)word->i : PTO_ATOMIC_NONE;
    struct op_scratch scratch = {args->scratch, 0};
    struct op_operand dst, src;
    struct op_fix fix = {0};
    const char *fault;
    float number;

    word += stores;
    fix.relu = word->present && word->i == PTO_RELU_RELU;
    fault = check_regions(args, window);
    if (!fault)
        fault = read_scaling(args, scaling, &number, &fix);
    if (!fault)
        fault = check_fix(view, from, &fix);
    if (fault || !view->rows || !view->cols)
        return fault;
    op_set_operand(&dst, view);
    op_set_operand(&src, from);
    if (fix.scaled || fix.relu || dst.dtype != src.dtype) {
        fix_window(args, &dst, &src, view->rows, view->cols, &fix, atomic);
        return NULL;
    }
    if (!stores)
        fault = op_detach(&scratch, &dst.place, view->rows, view->cols, &src.place, view->rows,
                          view->cols);
    if (!fault)
        land(&dst, &src, view->rows, view->cols, atomic);
    return fault;
}

/* ---- instructions -------------------------------------------------------------------------- */
/* dst = the window of global memory, from any strides to any layout.  Bytes outside the valid
 * region of dst stay as they are; nothing is padded. */
OP(TLOAD)
{
    const struct op_view *view = &args->arg[0].view;
    struct op_place dst = op_place_of(view), src = op_place_of(&args->arg[1].view);
    const char *fault = op_covers(args, 1, "src", view->rows, view->cols);

    if (!fault)
        op_copy(&dst, &src, view->rows, view->cols);
    return fault;
}

/* A hint: takes the time of a TLOAD and changes nothing that a program could see. */
OP(TPREFETCH)
{
    const struct op_view *view = &args->arg[0].view;

    return op_covers(args, 1, "src", view->rows, view->cols);
}

#define TRANSFER(id, window, scaling)                                                              \
    OP(id)                                                                                         \
    {                                                                                              \
        return transfer(args, window, scaling);                                                    \
    }

/* The window of global memory = src, over the extent of the window.
 *
 * From L0C: first ReLU if asked, then the scale if there is one, then the cast (fixpipe.h).
 * Atomic: combined with what is there, element by element in ascending order, as TADD, TMAX and
 * TMIN would in the type of the window. */
TRANSFER(TSTORE, WINDOW_GLOBAL, SCALE_NONE)

/* dst = src between spaces and layouts; from L0C also with ReLU and a cast. */
TRANSFER(TMOV, WINDOW_NONE, SCALE_NONE)

/* dst[r, c] = src[row + r, col + c]: the window at the offset of src, of the size of dst's valid
 * region, which must lie inside the shape of src. */
TRANSFER(TEXTRACT, WINDOW_OF_SRC, SCALE_NONE)

/* dst[row + r, col + c] = src[r, c]: the window at the offset of dst, of the size of src's valid
 * region unless dst names one, must lie inside the shape of dst. */
TRANSFER(TINSERT, WINDOW_OF_DST, SCALE_NONE)

/* The same out of L0C with a scale: one number, or number c of the row fp for column c. */
TRANSFER(TSTORE_SCALED, WINDOW_GLOBAL, SCALE_NUMBER)
TRANSFER(TMOV_SCALED, WINDOW_NONE, SCALE_NUMBER)
TRANSFER(TEXTRACT_SCALED, WINDOW_OF_SRC, SCALE_NUMBER)
TRANSFER(TINSERT_SCALED, WINDOW_OF_DST, SCALE_NUMBER)
TRANSFER(TSTORE_FP, WINDOW_GLOBAL, SCALE_ROW)
TRANSFER(TMOV_FP, WINDOW_NONE, SCALE_ROW)
TRANSFER(TEXTRACT_FP, WINDOW_OF_SRC, SCALE_ROW)
TRANSFER(TINSERT_FP, WINDOW_OF_DST, SCALE_ROW)
