/* Copies between any two layouts: runs of bytes where both sides go the same way, transposed blocks
 * of 16 bytes a side where one goes along rows and the other along columns. */
#include "place.h"

/* ---- lines: `count` pieces of `bytes` bytes at fixed distances ----------------------------- */
static inline void copy_pieces(uint8_t *dst, int64_t dst_step, const uint8_t *src,
                               int64_t src_step, uint64_t count, size_t bytes)
{
    for (uint64_t i = 0; i < count; i++)
        memcpy(dst + (int64_t)i * dst_step, src + (int64_t)i * src_step, bytes);
}

/* Pieces of the sizes that matter (elements, half a block, one C0 block) move in registers. */
static void copy_lines(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,
                       uint64_t count, size_t bytes)
{
    if (dst_step == (int64_t)bytes && src_step == (int64_t)bytes) {
        memcpy(dst, src, count * bytes);
        return;
    }
    switch (bytes) {
    case 1: copy_pieces(dst, dst_step, src, src_step, count, 1); break;
    case 2: copy_pieces(dst, dst_step, src, src_step, count, 2); break;
    case 4: copy_pieces(dst, dst_step, src, src_step, count, 4); break;
    case 8: copy_pieces(dst, dst_step, src, src_step, count, 8); break;
    case 16: copy_pieces(dst, dst_step, src, src_step, count, 16); break;
    case 32: copy_pieces(dst, dst_step, src, src_step, count, 32); break;
    case 64: copy_pieces(dst, dst_step, src, src_step, count, 64); break;
    default: copy_pieces(dst, dst_step, src, src_step, count, bytes); break;
    }
}

static uint32_t run_of(const struct op_axis *a, const struct op_axis *b, uint32_t step,
                       uint32_t end)
{
    uint64_t run = op_axis_run(a, step), other = op_axis_run(b, step);

    run = run < other ? run : other;
    return run < end - step ? (uint32_t)run : end - step;
}

/* Both sides hold the elements of a row next to each other. */
static void copy_runs(const struct op_place *dst, const struct op_place *src, uint32_t rows,
                      uint32_t cols)
{
    uint32_t width, height;

    for (uint32_t col = 0; col < cols; col += width) {
        width = run_of(&dst->col, &src->col, col, cols);
        for (uint32_t row = 0; row < rows; row += height) {
            height = run_of(&dst->row, &src->row, row, rows);
            copy_lines(op_address(dst, row, col), dst->row.inner, op_address(src, row, col),
                       src->row.inner, height, (size_t)width * src->size);
        }
    }
}

/* ---- transposed blocks ----------------------------------------------------------------------- */
typedef uint8_t vec_u8 __attribute__((vector_size(16)));
typedef uint16_t vec_u16 __attribute__((vector_size(16)));
typedef uint32_t vec_u32 __attribute__((vector_size(16)));
typedef uint64_t vec_u64 __attribute__((vector_size(16)));

#define LOW_u8(a, b)                                                                               \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_u8(a, b)                                                                              \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_u16(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_u16(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_u32(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_u32(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW_u64(a, b) __builtin_shufflevector(a, b, 0, 2)
#define HIGH_u64(a, b) __builtin_shufflevector(a, b, 1, 3)

/* A square of N x N elements with rows of 16 bytes: log2(N) times, merge line i with line i + N/2. */
#define TRANSPOSE(type, N, LOG2_N)                                                                 \
    static inline void transpose_##type(uint8_t *dst, int64_t dst_step, const uint8_t *src,        \
                                        int64_t src_step)                                          \
    {                                                                                              \
        vec_##type line[N], next[N];                                                               \
                                                                                                   \
        _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                       \
            memcpy(&line[i], src + i * src_step, 16);                                              \
        _Pragma("GCC unroll 4") for (int stage = 0; stage < LOG2_N; stage++) {                     \
            _Pragma("GCC unroll 8") for (int i = 0; i < N / 2; i++) {                              \
                next[2 * i] = LOW_##type(line[i], line[i + N / 2]);                                \
                next[2 * i + 1] = HIGH_##type(line[i], line[i + N / 2]);                           \
            }                                                                                      \
            _Pragma("GCC unroll 16") for (int i = 0; i < N; i++) line[i] = next[i];                \
        }                                                                                          \
        _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                       \
            memcpy(dst + i * dst_step, &line[i], 16);                                              \
    }
TRANSPOSE(u8, 16, 4)
TRANSPOSE(u16, 8, 3)
TRANSPOSE(u32, 4, 2)
TRANSPOSE(u64, 2, 1)

/* dst[c][r] = src[r][c] for rows x cols elements; rows of src and of dst are contiguous. */
#define TRANSPOSE_AREA(type, N)                                                                    \
    static void transpose_area_##type(uint8_t *dst, int64_t dst_step, const uint8_t *src,          \
                                      int64_t src_step, uint32_t rows, uint32_t cols)              \
    {                                                                                              \
        uint32_t whole_rows = rows - rows % (N), whole_cols = cols - cols % (N);                   \
                                                                                                   \
        for (uint32_t c = 0; c < whole_cols; c += (N))                                             \
            for (uint32_t r = 0; r < whole_rows; r += (N))                                         \
                transpose_##type(dst + c * dst_step + (int64_t)(r * sizeof(mem_##type)), dst_step, \
                                 src + r * src_step + (int64_t)(c * sizeof(mem_##type)),           \
                                 src_step);                                                        \
        for (uint32_t r = 0; r < rows; r++)                                                        \
            for (uint32_t c = r < whole_rows ? whole_cols : 0; c < cols; c++)                      \
                ((mem_##type *)(dst + c * dst_step))[r] =                                          \
                    ((const mem_##type *)(src + r * src_step))[c];                                 \
    }
TRANSPOSE_AREA(u8, 16)
TRANSPOSE_AREA(u16, 8)
TRANSPOSE_AREA(u32, 4)
TRANSPOSE_AREA(u64, 2)

/* src goes along rows, dst along columns. */
static void copy_transposed(const struct op_place *dst, const struct op_place *src, uint32_t rows,
                            uint32_t cols)
{
    uint32_t width, height;

    for (uint32_t col = 0; col < cols; col += width) {
        width = run_of(&dst->col, &src->col, col, cols);
        for (uint32_t row = 0; row < rows; row += height) {
            uint8_t *to = op_address(dst, row, col);
            const uint8_t *from = op_address(src, row, col);
            int64_t to_step = dst->col.inner, from_step = src->row.inner;

            height = run_of(&dst->row, &src->row, row, rows);
            switch (src->size) {
            case 1: transpose_area_u8(to, to_step, from, from_step, height, width); break;
            case 2: transpose_area_u16(to, to_step, from, from_step, height, width); break;
            case 4: transpose_area_u32(to, to_step, from, from_step, height, width); break;
            default: transpose_area_u64(to, to_step, from, from_step, height, width); break;
            }
        }
    }
}

/* ---- any two ------------------------------------------------------------------------------------ */
static void copy_elements(const struct op_place *dst, const struct op_place *src, uint32_t rows,
                          uint32_t cols)
{
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t width;

        for (uint32_t col = 0; col < cols; col += width) {
            width = run_of(&dst->col, &src->col, col, cols);
            copy_lines(op_address(dst, row, col), dst->col.inner, op_address(src, row, col),
                       src->col.inner, width, src->size);
        }
    }
}

/* An axis of one step is contiguous, whatever its stride says. */
static bool contiguous(const struct op_axis *axis, uint32_t count, uint32_t size)
{
    return count == 1 || axis->inner == (int64_t)size;
}

void op_copy(const struct op_place *dst, const struct op_place *src, uint32_t rows, uint32_t cols)
{
    uint32_t size = src->size;
    bool dst_along = contiguous(&dst->col, cols, size), dst_down = contiguous(&dst->row, rows, size);
    bool src_along = contiguous(&src->col, cols, size), src_down = contiguous(&src->row, rows, size);
    struct op_place dst_flip, src_flip;

    if (!rows || !cols || op_same_place(dst, src))
        return;
    if (dst_along && src_along) {
        copy_runs(dst, src, rows, cols);
        return;
    }
    dst_flip = op_place_flip(*dst);
    src_flip = op_place_flip(*src);
    if (dst_down && src_down)
        copy_runs(&dst_flip, &src_flip, cols, rows);
    else if (src_along && dst_down)
        copy_transposed(dst, src, rows, cols);
    else if (src_down && dst_along)
        copy_transposed(&dst_flip, &src_flip, cols, rows);
    else
        copy_elements(dst, src, rows, cols);
}
