/* Transposition in blocks that fit the host's vectors.
 *
 * A square of N x N elements with rows of 16 bytes is transposed by merging line i with line i +
 * N/2, log2(N) times.  Wider vectors do that for several squares below each other at once, one in
 * every 16 bytes; the result is a line of N x LANES elements, at most 16: a fractal has no more. */
#include "transpose.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define MERGE_LOW_u8_1 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define MERGE_HIGH_u8_1 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define MERGE_LOW_u16_1 0, 8, 1, 9, 2, 10, 3, 11
#define MERGE_HIGH_u16_1 4, 12, 5, 13, 6, 14, 7, 15
#define MERGE_LOW_u32_1 0, 4, 1, 5
#define MERGE_HIGH_u32_1 2, 6, 3, 7
#define MERGE_LOW_u64_1 0, 2
#define MERGE_HIGH_u64_1 1, 3
#define MERGE_LOW_u16_2 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27
#define MERGE_HIGH_u16_2 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31
#define MERGE_LOW_u32_2 0, 8, 1, 9, 4, 12, 5, 13
#define MERGE_HIGH_u32_2 2, 10, 3, 11, 6, 14, 7, 15
#define MERGE_LOW_u64_2 0, 4, 2, 6
#define MERGE_HIGH_u64_2 1, 5, 3, 7
#define MERGE_LOW_u32_4 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define MERGE_HIGH_u32_4 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define MERGE_LOW_u64_4 0, 8, 2, 10, 4, 12, 6, 14
#define MERGE_HIGH_u64_4 1, 9, 3, 11, 5, 13, 7, 15

/* 16 bytes from each of LANES rows that are `step` bytes apart. */
typedef uint8_t lanes_1 __attribute__((vector_size(16)));

static inline lanes_1 load_1(const uint8_t *src, int64_t step)
{
    lanes_1 line;

    (void)step;
    memcpy(&line, src, sizeof line);
    return line;
}

#ifdef __AVX2__
typedef uint8_t lanes_2 __attribute__((vector_size(32)));

static inline lanes_2 load_2(const uint8_t *src, int64_t step)
{
    __m256i line = _mm256_castsi128_si256((__m128i)load_1(src, 0));

    return (lanes_2)_mm256_inserti128_si256(line, (__m128i)load_1(src + step, 0), 1);
}
#endif

#ifdef __AVX512F__
typedef uint8_t lanes_4 __attribute__((vector_size(64)));

static inline lanes_4 load_4(const uint8_t *src, int64_t step)
{
    __m512i line = _mm512_castsi256_si512((__m256i)load_2(src, step));

    return (lanes_4)_mm512_inserti64x4(line, (__m256i)load_2(src + 2 * step, step), 1);
}
#endif

/* N * LANES rows x N columns. */
#define TRANSPOSE(type, N, LOG2_N, LANES)                                                          \
    OP_INLINE void transpose_##type##_##LANES(uint8_t *dst, int64_t dst_step, const uint8_t *src,  \
                                              int64_t src_step)                                    \
    {                                                                                              \
        typedef type##_element vec __attribute__((vector_size(16 * LANES)));                       \
        vec line[N], next[N];                                                                      \
                                                                                                   \
        _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                       \
            line[i] = (vec)load_##LANES(src + i * src_step, N * src_step);                         \
        _Pragma("GCC unroll 4") for (int stage = 0; stage < LOG2_N; stage++) {                     \
            _Pragma("GCC unroll 8") for (int i = 0; i < N / 2; i++) {                              \
                next[2 * i] = __builtin_shufflevector(line[i], line[i + N / 2],                    \
                                                      MERGE_LOW_##type##_##LANES);                 \
                next[2 * i + 1] = __builtin_shufflevector(line[i], line[i + N / 2],                \
                                                          MERGE_HIGH_##type##_##LANES);            \
            }                                                                                      \
            _Pragma("GCC unroll 16") for (int i = 0; i < N; i++) line[i] = next[i];                \
        }                                                                                          \
        _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                       \
            memcpy(dst + i * dst_step, &line[i], sizeof(vec));                                     \
    }
typedef uint8_t u8_element;
typedef uint16_t u16_element;
typedef uint32_t u32_element;
typedef uint64_t u64_element;

TRANSPOSE(u8, 16, 4, 1)
TRANSPOSE(u16, 8, 3, 1)
TRANSPOSE(u32, 4, 2, 1)
TRANSPOSE(u64, 2, 1, 1)
#if defined(__AVX512F__)
TRANSPOSE(u16, 8, 3, 2)
TRANSPOSE(u32, 4, 2, 4)
TRANSPOSE(u64, 2, 1, 4)
#define WIDE_u16 2
#define WIDE_u32 4
#define WIDE_u64 4
#elif defined(__AVX2__)
TRANSPOSE(u16, 8, 3, 2)
TRANSPOSE(u32, 4, 2, 2)
TRANSPOSE(u64, 2, 1, 2)
#define WIDE_u16 2
#define WIDE_u32 2
#define WIDE_u64 2
#else
#define WIDE_u16 1
#define WIDE_u32 1
#define WIDE_u64 1
#endif
#define WIDE_u8 1

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)

/* Rectangles of `rows` x `cols` elements. */
struct op_grid {
    uint32_t rows, cols;
    struct op_pieces outer, inner;
};

/* Wide blocks, then single squares, then what is left of rows and columns. */
#define AREA(type, N)                                                                              \
    OP_INLINE void area_##type(uint8_t *dst, int64_t dst_step, const uint8_t *src,                 \
                               int64_t src_step, uint32_t rows, uint32_t cols)                     \
    {                                                                                              \
        uint32_t wide = rows - rows % (N * WIDE_##type), whole = rows - rows % N;                  \
        uint32_t whole_cols = cols - cols % N, size = sizeof(type##_element);                      \
                                                                                                   \
        for (uint32_t c = 0; c < whole_cols; c += N) {                                             \
            uint8_t *to = dst + c * dst_step;                                                      \
            const uint8_t *from = src + (size_t)c * size;                                          \
            uint32_t r = 0;                                                                        \
                                                                                                   \
            for (; r < wide; r += N * WIDE_##type)                                                 \
                PASTE(transpose_##type, WIDE_##type)(to + (size_t)r * size, dst_step,              \
                                                     from + r * src_step, src_step);               \
            for (; r < whole; r += N)                                                              \
                transpose_##type##_1(to + (size_t)r * size, dst_step, from + r * src_step,         \
                                     src_step);                                                    \
        }                                                                                          \
        for (uint32_t r = whole_cols < cols ? 0 : whole; r < rows; r++)                            \
            for (uint32_t c = r < whole ? whole_cols : 0; c < cols; c++)                           \
                ((mem_##type *)(dst + c * dst_step))[r] =                                          \
                    ((const mem_##type *)(src + r * src_step))[c];                                 \
    }                                                                                              \
    OP_INLINE void each_##type(uint8_t *dst, int64_t dst_step, const uint8_t *src,                 \
                               int64_t src_step, const struct op_grid *grid, uint32_t rows,        \
                               uint32_t cols)                                                      \
    {                                                                                              \
        for (uint32_t i = 0; i < grid->outer.count; i++)                                           \
            for (uint32_t k = 0; k < grid->inner.count; k++)                                       \
                area_##type(dst + i * grid->outer.dst + k * grid->inner.dst, dst_step,             \
                            src + i * grid->outer.src + k * grid->inner.src, src_step, rows,       \
                            cols);                                                                 \
    }                                                                                              \
    static void grid_##type(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,  \
                            const struct op_grid *grid)                                            \
    {                                                                                              \
        enum { LINE = OP_C0_BYTES, SIDE = LINE / sizeof(type##_element) };                         \
                                                                                                   \
        if (grid->rows == SIDE && grid->cols == SIDE && dst_step == LINE && src_step == LINE)      \
            each_##type(dst, LINE, src, LINE, grid, SIDE, SIDE); /* fractals: straight code */     \
        else                                                                                       \
            each_##type(dst, dst_step, src, src_step, grid, grid->rows, grid->cols);               \
    }
AREA(u8, 16)
AREA(u16, 8)
AREA(u32, 4)
AREA(u64, 2)

void op_transpose_grid(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,
                       const struct op_pieces *rows, const struct op_pieces *cols, uint32_t size)
{
    /* In the order in which the rectangles lie in dst. */
    bool down = cols->count == 1 || (rows->count > 1 && rows->dst < cols->dst);
    const struct op_grid grid = {rows->length, cols->length, down ? *cols : *rows,
                                 down ? *rows : *cols};

    switch (size) {
    case 1: grid_u8(dst, dst_step, src, src_step, &grid); break;
    case 2: grid_u16(dst, dst_step, src, src_step, &grid); break;
    case 4: grid_u32(dst, dst_step, src, src_step, &grid); break;
    default: grid_u64(dst, dst_step, src, src_step, &grid); break;
    }
}
