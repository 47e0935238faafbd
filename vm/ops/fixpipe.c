/* Out of an accumulator: ReLU, scale and cast, by pieces that are packed or by strips of sixteen
 * columns from where they lie to where they belong. */
#include "fixpipe.h"

#include <math.h>

#include "strip.h"
#include "widen.h"

/* Scales keep sign, exponent and the upper 10 bits of the mantissa; the quantiser of the chips
 * ignores the others (CANN, parameters of fixpipe). */
enum { SCALE_IGNORED = 0x1fff };

struct buffers {
    mem_f32 value[OP_FIX_PIECE]; /* or i32 */
    float scale[OP_FIX_PIECE];
    uint8_t narrow[OP_FIX_PIECE * 2];
};
_Static_assert(sizeof(struct buffers) <= OP_SCRATCH_BYTES, "buffers fit into scratch");

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

static void i32_to_f32(void *row, size_t n)
{
    const mem_i32 *from = row;
    mem_f32 *to = row;

    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

static void read_scale(float *scale, const struct op_place *place, uint32_t col, uint32_t cols)
{
    struct op_place from = op_place_at(*place, 0, col), buffer = op_strided(scale, 0, 4, 4);

    op_copy(&buffer, &from, 1, cols);
    for (uint32_t c = 0; c < cols; c++)
        scale[c] = pto_f32_from_bits(pto_f32_bits(scale[c]) & ~(uint32_t)SCALE_IGNORED);
}

static void multiply_columns(mem_f32 *value, const float *scale, uint32_t rows, uint32_t cols)
{
    for (uint32_t r = 0; r < rows; r++, value += cols)
        for (uint32_t c = 0; c < cols; c++)
            value[c] *= scale[c];
}

static inline uint8_t to_byte(float value, float low)
{
    float high = low + 255.0f, y = rintf(value);

    y = y < low ? low : y;
    y = y > high ? high : y;
    return (uint8_t)(int16_t)(y != y ? 0.0f : y);
}

static void to_bytes(uint8_t *to, const mem_f32 *value, size_t n, float low)
{
    for (size_t i = 0; i < n; i++)
        to[i] = to_byte(value[i], low);
}

void *op_fix_piece(const struct op_fix *fix, const struct op_operand *src, uint8_t to, uint32_t row,
                   uint32_t col, uint32_t rows, uint32_t cols, uint8_t *scratch)
{
    struct buffers *b = (struct buffers *)(void *)scratch;
    struct op_place buffer = op_strided(b->value, 4 * (int64_t)cols, 4, 4);
    struct op_place from = op_place_at(src->place, row, col);
    size_t count = (size_t)rows * cols;

    op_copy(&buffer, &from, rows, cols);
    if (fix->relu && src->dtype == PTO_F32)
        relu_f32(b->value, count);
    else if (fix->relu)
        relu_i32((mem_i32 *)(void *)b->value, count);
    if (fix->scaled) {
        if (src->dtype == PTO_I32)
            i32_to_f32(b->value, count);
        read_scale(b->scale, &fix->scale, col, cols);
        multiply_columns(b->value, b->scale, rows, cols);
    } else if (to == src->dtype) {
        return b->value;
    }
    if (to == PTO_I8 || to == PTO_U8)
        to_bytes(b->narrow, b->value, count, to == PTO_I8 ? -128.0f : 0.0f);
    else
        op_narrow(to, b->narrow, (const float *)(const void *)b->value, count);
    return b->narrow;
}

/* ---- strips ---------------------------------------------------------------------------------- */
/* Sixteen columns of some rows. */
struct column_strip {
    uint8_t *to;
    const uint8_t *from;
    int64_t to_step, from_step; /* from row to row */
    uint32_t rows;
    const float *scale;
};

#define AS_IT_IS(x) (x)
#define SIGNED_BYTE(x) ((int8_t)to_byte(x, -128.0f))
#define UNSIGNED_BYTE(x) to_byte(x, 0.0f)
#define RELU_f32(x) op_relu_f32(x)
#define RELU_i32(x) ((x) > 0 ? (x) : 0)

#define STRIP(to_type, from_type, cast)                                                            \
    static inline __attribute__((always_inline)) void to_type##_from_##from_type##_rows(           \
        const struct column_strip *strip, bool relu)                                               \
    {                                                                                              \
        const struct column_strip s = *strip; /* of its own: what is written is none of it */      \
        uint8_t *to = s.to;                                                                        \
        const uint8_t *from = s.from;                                                              \
        float scale[OP_STRIP];                                                                     \
                                                                                                   \
        memcpy(scale, s.scale, sizeof scale);                                                      \
        for (uint32_t r = 0; r < s.rows; r++, to += s.to_step, from += s.from_step) {              \
            op_wide_##from_type x[OP_STRIP];                                                       \
            op_wide_##to_type d[OP_STRIP];                                                         \
                                                                                                   \
            op_get_##from_type(x, from, 0);                                                        \
            for (int k = 0; k < OP_STRIP; k++)                                                     \
                d[k] = cast((float)(relu ? RELU_##from_type(x[k]) : x[k]) * scale[k]);             \
            op_put_##to_type(to, 0, d);                                                            \
        }                                                                                          \
    }                                                                                              \
    static void to_type##_from_##from_type(const struct column_strip *s, bool relu)                \
    {                                                                                              \
        if (relu)                                                                                  \
            to_type##_from_##from_type##_rows(s, true);                                            \
        else                                                                                       \
            to_type##_from_##from_type##_rows(s, false);                                           \
    }
#define STRIPS(to_type, cast)                                                                      \
    STRIP(to_type, f32, cast)                                                                      \
    STRIP(to_type, i32, cast)
STRIPS(f16, AS_IT_IS)
STRIPS(bf16, AS_IT_IS)
STRIPS(i8, SIGNED_BYTE)
STRIPS(u8, UNSIGNED_BYTE)

typedef void strip_function(const struct column_strip *s, bool relu);

/* [type][1: from i32]. */
static strip_function *const strip_functions[PTO_DTYPE_COUNT][2] = {
    [PTO_F16] = {f16_from_f32, f16_from_i32}, [PTO_BF16] = {bf16_from_f32, bf16_from_i32},
    [PTO_I8] = {i8_from_f32, i8_from_i32}, [PTO_U8] = {u8_from_f32, u8_from_i32}};

/* Do sixteen columns always lie next to each other? */
static bool has_strips(const struct op_place *place)
{
    const struct op_axis *col = &place->col;

    return col->inner == (int64_t)place->size &&
           (col->shift == OP_AXIS_PLAIN ||
            ((1u << col->shift) % OP_STRIP == 0 && col->first % OP_STRIP == 0));
}

static uint32_t rows_together(const struct op_place *to, const struct op_place *from, uint32_t row,
                              uint32_t rows)
{
    uint64_t to_run = op_axis_run(&to->row, row), from_run = op_axis_run(&from->row, row);
    uint64_t run = to_run < from_run ? to_run : from_run;

    return run < rows - row ? (uint32_t)run : rows - row;
}

uint32_t op_fix_strips(const struct op_fix *fix, const struct op_operand *dst,
                       const struct op_operand *src, uint32_t rows, uint32_t cols,
                       uint8_t *scratch)
{
    strip_function *function = strip_functions[dst->dtype][src->dtype == PTO_I32];
    const struct op_place *to = &dst->place, *from = &src->place;
    float *scale = (float *)(void *)scratch;
    struct column_strip s = {.to_step = to->row.inner, .from_step = from->row.inner};

    cols -= cols % OP_STRIP;
    if (!function || !cols || cols > OP_FIX_PIECE || !has_strips(to) || !has_strips(from))
        return 0;
    if (fix->scaled)
        read_scale(scale, &fix->scale, 0, cols);
    for (uint32_t col = 0; col < cols && !fix->scaled; col++)
        scale[col] = 1.0f;
    for (uint32_t row = 0; row < rows; row += s.rows) {
        uint8_t *to_row = to->data + op_axis_offset(&to->row, row);
        const uint8_t *from_row = from->data + op_axis_offset(&from->row, row);

        s.rows = rows_together(to, from, row, rows);
        for (uint32_t col = 0; col < cols; col += OP_STRIP) {
            s.to = to_row + op_axis_offset(&to->col, col);
            s.from = from_row + op_axis_offset(&from->col, col);
            s.scale = scale + col;
            function(&s, fix->relu);
        }
    }
    return cols;
}
