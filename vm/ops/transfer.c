/* Transfers: TLOAD, TSTORE, TMOV, TEXTRACT, and the two halves of remote traffic.  All of them are
 * copies between places of any layout; those that leave an accumulator can convert on the way, those
 * that end in global memory can combine with what is there. */
#include "transfer.h"

#include <stdio.h>

#include "arith.h"
#include "widen.h"

/* ---- landing in global memory -------------------------------------------------------------------- */
static const struct op_kernel *combiner(int atomic, uint8_t dtype)
{
    switch (atomic) {
    case PTO_ATOMIC_ADD: return &op_kernel_add[dtype];
    case PTO_ATOMIC_MAX: return &op_kernel_max[dtype];
    case PTO_ATOMIC_MIN: return &op_kernel_min[dtype];
    default: return NULL;
    }
}

/* dst = src, or dst = dst combined with src.  Sources lie on chip or in buffers, never in the
 * destination: no scratch is needed and nothing can fault. */
static void land_window(const struct op_operand *dst, const struct op_operand *src, uint32_t rows,
                        uint32_t cols, const struct op_kernel *kernel)
{
    const struct op_args none = {.scratch = NULL};

    if (kernel)
        op_walk(&none, rows, cols, dst, dst, src, kernel, true);
    else
        op_copy(&dst->place, &src->place, rows, cols);
}

/* Elements land in ascending order, row by row.  That shows only where elements of the window share
 * bytes; then each lands on its own. */
static void land(const struct op_operand *dst, const struct op_operand *src, uint32_t rows,
                 uint32_t cols, int atomic)
{
    const struct op_kernel *kernel = combiner(atomic, dst->dtype);

    if (!op_self_overlap(&dst->place, rows, cols)) {
        land_window(dst, src, rows, cols, kernel);
        return;
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t col = 0; col < cols; col++) {
            struct op_operand to = {op_place_at(dst->place, row, col), dst->dtype};
            struct op_operand from = {op_place_at(src->place, row, col), src->dtype};

            land_window(&to, &from, 1, 1, kernel);
        }
    }
}

static struct op_place packed_place(void *packed, uint32_t cols, uint32_t size)
{
    return op_strided(packed, (int64_t)cols * size, size, size);
}

/* Packed row-major elements land in the window dst.  Atomic operations follow the rules of TADD, TMAX
 * and TMIN: small floats are rounded to nearest even after every single operation. */
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

/* ---- out of an accumulator -------------------------------------------------------------------------- */
/* Elements that are converted at a time: their buffers stay in the host's nearer caches. */
enum { CAST_CHUNK = 8192 };

static void relu_f32(mem_f32 *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row[i] = op_max_f32(row[i], 0.0f);
}

static void relu_i32(mem_i32 *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        row[i] = row[i] > 0 ? row[i] : 0;
}

/* A piece of the accumulator, packed, through ReLU and cast; returns where the result is. */
static void *cast_piece(const struct op_operand *src, uint8_t to, uint32_t rows, uint32_t cols,
                        bool relu, uint8_t *scratch)
{
    struct op_place buffer = packed_place(scratch, cols, src->place.size);
    size_t count = (size_t)rows * cols;
    uint8_t *narrow = scratch + CAST_CHUNK * sizeof(float);

    op_copy(&buffer, &src->place, rows, cols);
    if (relu && src->dtype == PTO_F32)
        relu_f32((mem_f32 *)scratch, count);
    else if (relu)
        relu_i32((mem_i32 *)scratch, count);
    if (to == src->dtype)
        return scratch;
    op_narrow(to, narrow, (const float *)(const void *)scratch, count);
    return narrow;
}

/* dst = cast(relu(src)) over rows x cols, in pieces. */
static void cast_window(const struct op_args *args, const struct op_operand *dst,
                        const struct op_operand *src, uint32_t rows, uint32_t cols, bool relu,
                        int atomic)
{
    uint32_t width = cols < CAST_CHUNK ? cols : CAST_CHUNK, height = CAST_CHUNK / (width ? width : 1);

    for (uint32_t row = 0; row < rows; row += height) {
        uint32_t piece_rows = rows - row < height ? rows - row : height;

        for (uint32_t col = 0; col < cols; col += width) {
            uint32_t piece_cols = cols - col < width ? cols - col : width;
            struct op_operand to = {op_place_at(dst->place, row, col), dst->dtype};
            struct op_operand from = {op_place_at(src->place, row, col), src->dtype};
            void *piece = cast_piece(&from, dst->dtype, piece_rows, piece_cols, relu,
                                     args->scratch);
            struct op_operand packed = {packed_place(piece, piece_cols, to.place.size), dst->dtype};

            land(&to, &packed, piece_rows, piece_cols, atomic);
        }
    }
}

/* Casts and ReLU are work of the FIX pipe: from f32 (or i32 without a cast) in L0C. */
static const char *check_cast(const struct op_view *dst, const struct op_view *src, bool relu)
{
    if (dst->dtype != src->dtype && (src->space != PTO_L0C || src->dtype != PTO_F32))
        return "a transfer changes the element type only from f32 in l0c: convert with TCVT";
    if (relu && src->space != PTO_L0C)
        return "relu applies only to what leaves l0c: use TMAXS with 0";
    return NULL;
}

/* ---- instructions ------------------------------------------------------------------------------------- */
/* dst = the window of global memory, from any strides to any layout.  Bytes outside the valid region
 * of dst stay as they are; nothing is padded. */
OP(TLOAD)
{
    const struct op_view *view = &args->arg[0].view;
    struct op_place dst = op_place_of(view), src = op_place_of(&args->arg[1].view);
    const char *fault = op_covers(args, 1, "src", view->rows, view->cols);

    if (!fault)
        op_copy(&dst, &src, view->rows, view->cols);
    return fault;
}

/* The window of global memory = src, over the extent of the window.
 *
 * From L0C: first ReLU if asked (the larger of the value and +0, NaN stays NaN), then a cast of f32 to
 * f16 or bf16, to nearest even, beyond the range infinity.  Atomic: combined with what is there,
 * element by element in ascending order, as TADD, TMAX and TMIN would in the type of the window. */
OP(TSTORE)
{
    const struct op_view *view = &args->arg[0].view, *from = &args->arg[1].view;
    struct op_operand dst = op_operand_of(view), src = op_operand_of(from);
    int atomic = args->arg[2].present ? (int)args->arg[2].i : PTO_ATOMIC_NONE;
    bool relu = args->arg[3].present && args->arg[3].i == PTO_RELU_RELU;
    const char *fault = op_covers(args, 1, "src", view->rows, view->cols);

    if (!fault)
        fault = check_cast(view, from, relu);
    if (fault)
        return fault;
    if (relu || dst.dtype != src.dtype)
        cast_window(args, &dst, &src, view->rows, view->cols, relu, atomic);
    else
        land(&dst, &src, view->rows, view->cols, atomic);
    return NULL;
}

/* dst = src from its offset on, over the valid region of dst.  Any layout to any other; a source that
 * overlaps the destination is read before anything is written. */
static const char *move(const struct op_args *args)
{
    const struct op_view *view = &args->arg[0].view, *from = &args->arg[1].view;
    struct op_operand dst = op_operand_of(view), src = op_operand_of(from);
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = check_cast(view, from, false);

    if (fault || !view->rows || !view->cols)
        return fault;
    if (dst.dtype != src.dtype) {
        cast_window(args, &dst, &src, view->rows, view->cols, false, PTO_ATOMIC_NONE);
        return NULL;
    }
    fault = op_detach(&scratch, &dst.place, view->rows, view->cols, &src.place, view->rows,
                      view->cols);
    if (!fault)
        op_copy(&dst.place, &src.place, view->rows, view->cols);
    return fault;
}

/* dst = src between spaces and layouts; from L0C also with a cast of f32 to f16 or bf16. */
OP(TMOV)
{
    const struct op_view *view = &args->arg[0].view;
    const char *fault = op_covers(args, 1, "src", view->rows, view->cols);

    return fault ? fault : move(args);
}

/* dst[r, c] = src[row + r, col + c]: the window at the offset of src, of the size of dst's valid
 * region, which must lie inside the shape of src. */
OP(TEXTRACT)
{
    const struct op_view *view = &args->arg[0].view, *src = &args->arg[1].view;

    if ((uint64_t)src->row + view->rows > src->tile_rows ||
        (uint64_t)src->col + view->cols > src->tile_cols) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "a window of %u x %u at (%u, %u) ends outside src, which is %u x %u", view->rows,
                 view->cols, src->row, src->col, src->tile_rows, src->tile_cols);
        return args->message;
    }
    return move(args);
}
