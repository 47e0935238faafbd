/* Elements of factors times the power of two of their group of 32 steps of k, in the images that
 * cube.c multiplies.  A scaled element is an f32: exact, or infinite from 2^128 on. */
#include "cube_mx.h"

#include "pairs.h"
#include "widen.h"

enum { E8M0_NAN = 255 };

static void set_factor(struct cube_factor *factor, const struct op_view *view,
                       const struct op_view *scale)
{
    uint8_t byte[256];

    factor->place = op_place_of(view);
    factor->scale = op_place_of(scale);
    factor->packed = pto_dtype_numbers((enum pto_dtype)view->dtype);
    for (unsigned i = 0; i < 256; i++)
        byte[i] = (uint8_t)i;
    if (factor->packed == 1)
        op_widen(view->dtype, factor->value, byte, 256);
    for (unsigned i = 0; factor->packed == 2 && i < 16; i++)
        factor->value[i] = op_fp4_value(view->dtype, i);
}

void cube_mx_set(struct cube_mx *mx, const struct op_arg *arg)
{
    set_factor(&mx->a, &arg[0].view, &arg[1].view);
    set_factor(&mx->b, &arg[2].view, &arg[3].view);
}

/* 2^(exponent - 127) */
static float power(uint8_t exponent)
{
    if (exponent == E8M0_NAN)
        return __builtin_nanf("");
    return exponent ? pto_f32_from_bits((uint32_t)exponent << 23) : 0x1p-127f;
}

/* The even step of k in the low four bits. */
static float element(const struct cube_factor *factor, uint8_t byte, uint32_t k)
{
    return factor->value[factor->packed == 1 ? byte : op_half(byte, k)];
}

void cube_mx_left(const struct cube_mx *mx, float *to, uint32_t m, uint32_t rows, uint32_t k,
                  uint32_t steps)
{
    const struct cube_factor *a = &mx->a;
    uint32_t blocks = (steps + CUBE_ROWS - 1) / CUBE_ROWS;

    for (uint32_t row = 0; row < rows; row++) {
        float *line = to + (size_t)(row / CUBE_ROWS) * blocks * CUBE_ROWS * CUBE_ROWS +
                      (size_t)(row % CUBE_ROWS) * CUBE_ROWS;

        for (uint32_t i = 0; i < steps; i++) {
            uint32_t at = k + i;

            line[(size_t)(i / CUBE_ROWS) * CUBE_ROWS * CUBE_ROWS + i % CUBE_ROWS] =
                element(a, *op_address(&a->place, m + row, at / a->packed), at) *
                power(*op_address(&a->scale, m + row, at / CUBE_GROUP));
        }
    }
}

void cube_mx_right(const struct cube_mx *mx, float *to, uint32_t k, uint32_t steps, uint32_t n,
                   uint32_t cols)
{
    const struct cube_factor *b = &mx->b;
    uint32_t panels = (cols + CUBE_PANEL - 1) / CUBE_PANEL;

    for (uint32_t panel = 0; panel < panels; panel++)
        for (uint32_t i = 0; i < steps; i++, to += CUBE_PANEL) {
            uint32_t at = k + i;

            for (uint32_t c = 0; c < CUBE_PANEL; c++) {
                uint32_t col = panel * CUBE_PANEL + c;

                to[c] = col >= cols
                            ? 0.0f
                            : element(b, *op_address(&b->place, at / b->packed, n + col), at) *
                                  power(*op_address(&b->scale, at / CUBE_GROUP, n + col));
            }
        }
}
