/* Copies between any two layouts: runs of bytes where both sides go the same way, transposed blocks
 * of 16 bytes a side where one goes along rows and the other along columns. */
#include "place.h"
#include "transpose.h"

typedef uint8_t half_line __attribute__((vector_size(32)));

enum { LINE_BYTES = 2 * sizeof(half_line), BLOCK_BYTES = 4096 };

/* A line of the host's caches, both halves read before either is written: memcpy of a known size
 * goes by 16 bytes, one after the other. */
OP_INLINE void move_line(uint8_t *dst, const uint8_t *src)
{
    half_line low, high;

    memcpy(&low, src, sizeof low);
    memcpy(&high, src + sizeof low, sizeof high);
    memcpy(dst, &low, sizeof low);
    memcpy(dst + sizeof low, &high, sizeof high);
}

/* A piece; half a line, fractals and a few of them without the start of a memcpy. */
OP_INLINE void move(uint8_t *dst, const uint8_t *src, size_t bytes)
{
    half_line half;

    if (bytes == sizeof half) {
        memcpy(&half, src, sizeof half);
        memcpy(dst, &half, sizeof half);
        return;
    }
    if (bytes % LINE_BYTES || bytes > BLOCK_BYTES) {
        memcpy(dst, src, bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i += LINE_BYTES)
        move_line(dst + i, src + i);
}

/* ---- lines: `count` pieces of `bytes` bytes at fixed distances ----------------------------- */
OP_INLINE void copy_pieces(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,
                           uint64_t count, size_t bytes)
{
    for (uint64_t i = 0; i < count; i++)
        move(dst + (int64_t)i * dst_step, src + (int64_t)i * src_step, bytes);
}

/* Into pieces without gaps, the same piece every time, or every second one. */
#define INTO_GAPLESS(type)                                                                         \
    static void fill_##type(void *dst, const void *src, uint64_t count)                            \
    {                                                                                              \
        mem_##type *d = dst;                                                                       \
        const mem_##type value = *(const mem_##type *)src;                                         \
                                                                                                   \
        for (uint64_t i = 0; i < count; i++)                                                       \
            d[i] = value;                                                                          \
    }                                                                                              \
    static void every_second_##type(void *dst, const void *src, uint64_t count)                    \
    {                                                                                              \
        mem_##type *d = dst;                                                                       \
        const mem_##type *s = src;                                                                 \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (uint64_t i = 0; i < count; i++)                                                       \
            d[i] = s[2 * i];                                                                       \
    }
INTO_GAPLESS(u8)
INTO_GAPLESS(u16)
INTO_GAPLESS(u32)
INTO_GAPLESS(u64)

typedef void into_gapless(void *dst, const void *src, uint64_t count);

/* The loop for pieces of this size at this distance, or NULL. */
static into_gapless *gapless_loop(size_t bytes, int64_t src_step)
{
    bool fills = src_step == 0;

    if (!fills && src_step != 2 * (int64_t)bytes)
        return NULL;
    switch (bytes) {
    case 1: return fills ? fill_u8 : every_second_u8;
    case 2: return fills ? fill_u16 : every_second_u16;
    case 4: return fills ? fill_u32 : every_second_u32;
    case 8: return fills ? fill_u64 : every_second_u64;
    default: return NULL;
    }
}

/* Has the element `bytes` times the same byte, as 0 has? */
static bool is_one_byte(const uint8_t *element, size_t bytes)
{
    return bytes == 1 || !memcmp(element, element + 1, bytes - 1);
}

/* Pieces of the sizes that matter (elements, half a block, one C0 block, a fractal) move in
 * registers. */
static void copy_lines(uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step,
                       uint64_t count, size_t bytes)
{
    into_gapless *loop = dst_step == (int64_t)bytes ? gapless_loop(bytes, src_step) : NULL;

    if (dst_step == (int64_t)bytes && src_step == (int64_t)bytes) {
        move(dst, src, count * bytes);
        return;
    }
    if (loop && src_step == 0 && is_one_byte(src, bytes)) {
        memset(dst, *src, count * bytes); /* which need not fetch the lines that it writes */
        return;
    }
    if (loop) {
        loop(dst, src, count);
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
    case 512: copy_pieces(dst, dst_step, src, src_step, count, 512); break;
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

/* Do blocks of `width` steps follow each other at one distance, from the start of one on? */
static bool is_regular(const struct op_axis *axis, uint32_t width)
{
    return axis->shift == OP_AXIS_PLAIN || UINT64_C(1) << axis->shift == width;
}

static int64_t distance(const struct op_axis *axis, uint32_t from, uint32_t to)
{
    return op_axis_offset(axis, to) - op_axis_offset(axis, from);
}

/* Steps from `step` on in pieces that both sides hold in one block each: as many of one length as
 * follow at fixed distances. */
static struct op_pieces pieces_of(const struct op_axis *dst, const struct op_axis *src,
                                  uint32_t step, uint32_t end)
{
    uint32_t length = run_of(dst, src, step, end);

    if (step + length == end || !is_regular(dst, length) || !is_regular(src, length))
        return (struct op_pieces){length, 1, 0, 0};
    return (struct op_pieces){length, (end - step) / length, distance(dst, step, step + length),
                              distance(src, step, step + length)};
}

/* Blocks of 32 bytes of `at_once` rows, then of the next ones; the rows that are left over. */
OP_INLINE uint32_t copy_few_rows(uint8_t *dst, int64_t dst_block, int64_t dst_row,
                                 const uint8_t *src, int64_t src_block, int64_t src_row,
                                 uint32_t blocks, uint32_t rows, int at_once)
{
    uint32_t few = (uint32_t)at_once;

    for (; rows >= few; rows -= few, dst += at_once * dst_row, src += at_once * src_row)
        for (uint32_t i = 0; i < blocks; i++)
            _Pragma("GCC unroll 8") for (int r = 0; r < at_once; r++)
                move(dst + i * dst_block + r * dst_row, src + i * src_block + r * src_row,
                     OP_C0_BYTES);
    return rows;
}

/* Hosts with AVX-512 have room for more lines in their fastest cache. */
#ifdef __AVX512F__
#define HAS_ROOM true
#else
#define HAS_ROOM false
#endif

/* Blocks of 32 bytes, of which fractals have one below the other and global memory one beside the
 * other: of few rows all blocks before the next rows.  Lines of global memory are often a large
 * power of two apart, and the host's fastest cache has room for few of those. */
static void copy_blocks(uint8_t *dst, int64_t dst_block, int64_t dst_row, const uint8_t *src,
                        int64_t src_block, int64_t src_row, uint32_t blocks, uint32_t rows)
{
    enum { MANY = 16 };
    uint32_t left = HAS_ROOM && blocks > MANY
                        ? copy_few_rows(dst, dst_block, dst_row, src, src_block, src_row, blocks,
                                        rows, 8)
                        : copy_few_rows(dst, dst_block, dst_row, src, src_block, src_row, blocks,
                                        rows, 4);
    int64_t done = rows - left;

    for (uint32_t i = 0; i < blocks; i++)
        copy_pieces(dst + i * dst_block + done * dst_row, dst_row,
                    src + i * src_block + done * src_row, src_row, left, OP_C0_BYTES);
}

/* `height` rows, whose elements both sides hold next to each other, block by block. */
static void copy_band(const struct op_place *dst, const struct op_place *src, uint32_t row,
                      uint32_t height, uint32_t cols)
{
    struct op_pieces blocks;

    for (uint32_t col = 0; col < cols; col += blocks.length * blocks.count) {
        uint8_t *to = op_address(dst, row, col);
        const uint8_t *from = op_address(src, row, col);
        size_t line;

        blocks = pieces_of(&dst->col, &src->col, col, cols);
        line = (size_t)blocks.length * src->size;
        if (dst->row.inner == (int64_t)line && src->row.inner == (int64_t)line) {
            copy_lines(to, blocks.dst, from, blocks.src, blocks.count, height * line);
            continue;
        }
        if (blocks.count > 1 && line == OP_C0_BYTES &&
            dst->row.inner != src->row.inner) {
            copy_blocks(to, blocks.dst, dst->row.inner, from, blocks.src, src->row.inner,
                        blocks.count, height);
            continue;
        }
        for (uint32_t i = 0; i < blocks.count; i++)
            copy_lines(to + i * blocks.dst, dst->row.inner, from + i * blocks.src, src->row.inner,
                       height, line);
    }
}

static bool is_plain(const struct op_place *place)
{
    return place->row.shift == OP_AXIS_PLAIN && place->col.shift == OP_AXIS_PLAIN;
}

enum { BAND = 16 };

/* Both sides hold the elements of a row next to each other.  Blocks side by side share cache lines:
 * few rows of many blocks stay in the cache, many rows of one block would not.  Where rows are
 * equally far apart on both sides, whole lines are copied. */
static void copy_runs(const struct op_place *dst, const struct op_place *src, uint32_t rows,
                      uint32_t cols)
{
    bool in_one_piece = is_plain(dst) && is_plain(src);
    uint32_t most, height;

    if (in_one_piece && rows > 1) {
        copy_lines(op_address(dst, 0, 0), dst->row.inner, op_address(src, 0, 0), src->row.inner,
                   rows, (size_t)cols * src->size);
        return;
    }
    in_one_piece = in_one_piece || run_of(&dst->col, &src->col, 0, cols) == cols;
    if (in_one_piece && rows == 1) {
        memcpy(op_address(dst, 0, 0), op_address(src, 0, 0), (size_t)cols * src->size);
        return;
    }
    most = in_one_piece || dst->row.inner == src->row.inner ? UINT32_MAX : BAND;
    for (uint32_t row = 0; row < rows; row += height) {
        height = run_of(&dst->row, &src->row, row, rows);
        height = height < most ? height : most;
        copy_band(dst, src, row, height, cols);
    }
}

/* ---- transposed ---------------------------------------------------------------------------- */
/* src goes along rows, dst along columns. */
static void copy_transposed(const struct op_place *dst, const struct op_place *src, uint32_t rows,
                            uint32_t cols)
{
    struct op_pieces down, across;

    for (uint32_t row = 0; row < rows; row += down.length * down.count) {
        down = pieces_of(&dst->row, &src->row, row, rows);
        for (uint32_t col = 0; col < cols; col += across.length * across.count) {
            across = pieces_of(&dst->col, &src->col, col, cols);
            op_transpose_grid(op_address(dst, row, col), dst->col.inner, op_address(src, row, col),
                              src->row.inner, &down, &across, src->size);
        }
    }
}

/* ---- any two ------------------------------------------------------------------------------- */
static void copy_elements(const struct op_place *dst, const struct op_place *src, uint32_t rows,
                          uint32_t cols)
{
    if (is_plain(dst) && is_plain(src)) {
        bool in_one = op_rows_continue(dst, cols) && op_rows_continue(src, cols);
        uint64_t count = in_one ? (uint64_t)rows * cols : cols;
        uint8_t *to = op_address(dst, 0, 0), *from = op_address(src, 0, 0);

        for (uint32_t row = 0; row < (in_one ? 1 : rows); row++)
            copy_lines(to + row * dst->row.inner, dst->col.inner, from + row * src->row.inner,
                       src->col.inner, count, src->size);
        return;
    }
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
    bool dst_along = contiguous(&dst->col, cols, size);
    bool dst_down = contiguous(&dst->row, rows, size);
    bool src_along = contiguous(&src->col, cols, size);
    bool src_down = contiguous(&src->row, rows, size);
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
