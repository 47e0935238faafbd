/* Out of an accumulator: ReLU, scale and cast of a piece. */
#include "fixpipe.h"

#include <math.h>

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

static void to_bytes(uint8_t *to, const mem_f32 *value, size_t n, float low)
{
    float high = low + 255.0f;

    for (size_t i = 0; i < n; i++) {
        float y = rintf(value[i]);

        y = y < low ? low : y;
        y = y > high ? high : y;
        to[i] = (uint8_t)(int16_t)(y != y ? 0.0f : y);
    }
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
