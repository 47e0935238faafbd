#include "img2col.h"

#include <stdarg.h>
#include <stdio.h>

#include "dtype.h"
#include "space.h"

enum { BLOCK_BYTES = 32, PADS = 4, LEFT = 0, RIGHT = 1, TOP = 2, BOTTOM = 3 };
enum { SRC = 1 };
#define OPERAND_OF(number) (IMG2COL_FIRST_OPERAND + (unsigned)(number))

/* Where img2col_plan says what is wrong. */
struct reason {
    struct img2col *g;
    char *text;
    size_t room;
};

static bool no(const struct reason *why, unsigned operand, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool no(const struct reason *why, unsigned operand, const char *format, ...)
{
    va_list arguments;

    why->g->at_fault = operand;
    va_start(arguments, format);
    vsnprintf(why->text, why->room, format, arguments);
    va_end(arguments);
    return false;
}

/* Numbers of the filter, in the ranges that the chip has. */
static bool check_numbers(const struct img2col *g, const struct reason *why)
{
    static const struct {
        const char *name;
        int64_t most;
    } range[IMG2COL_NUMBERS] = {
        [IMG2COL_FILTER_H] = {"filterH", 511},     [IMG2COL_FILTER_W] = {"filterW", 511},
        [IMG2COL_STRIDE_H] = {"strideH", 63},      [IMG2COL_STRIDE_W] = {"strideW", 63},
        [IMG2COL_DILATION_H] = {"dilationH", 255}, [IMG2COL_DILATION_W] = {"dilationW", 255},
    };

    for (int i = IMG2COL_FILTER_H; i < IMG2COL_NUMBERS; i++)
        if (g->number[i] < 1 || g->number[i] > range[i].most)
            return no(why, OPERAND_OF(i), "%s is %lld: it is 1 to %lld", range[i].name,
                      (long long)g->number[i], (long long)range[i].most);
    return true;
}

/* Is the source a map of height x width positions? */
static bool check_source(struct img2col *g, const struct reason *why)
{
    int64_t map = g->height * g->width;
    long long height = g->height, width = g->width;

    if (g->window)
        return no(why, SRC, "src is a window of a tile: a feature map lies in one piece");
    if (g->layout == PTO_NZ) {
        if (g->rows != g->tile_rows || g->tile_rows != map)
            return no(why, SRC, "fmatrix says %lld x %lld positions, src has %u of %u rows: in nz "
                      "all of its rows are the map", height, width, g->rows, g->tile_rows);
        if (g->cols % g->block)
            return no(why, SRC, "src has %u channels, no multiple of %u", g->cols, g->block);
        g->blocks = g->cols / g->block;
        return true;
    }
    if (g->layout != PTO_ND)
        return no(why, SRC, "src is in %s: a feature map lies in nz or nd",
                  pto_layout_name((enum pto_layout)g->layout));
    if (g->cols != g->block)
        return no(why, SRC, "src has %u columns: a feature map in nd has rows of 32 bytes, here %u",
                  g->cols, g->block);
    if (g->rows % map)
        return no(why, SRC, "src has %u rows, no multiple of the %lld x %lld positions of fmatrix",
                  g->rows, height, width);
    g->blocks = g->rows / map;
    return true;
}

/* How often the filter fits along a side, 0: never. */
static int64_t windows_along(int64_t side, int64_t filter, int64_t stride, int64_t dilation)
{
    int64_t reach = dilation * (filter - 1) + 1;

    return reach > side ? 0 : (side - reach) / stride + 1;
}

/* Does the destination lie inside of the matrix? */
static bool check_part(const struct img2col *g, const struct reason *why)
{
    const int64_t *n = g->number;
    int64_t depth = g->blocks * n[IMG2COL_FILTER_H] * n[IMG2COL_FILTER_W] * g->block;

    if (n[IMG2COL_POS_K] % g->block)
        return no(why, OPERAND_OF(IMG2COL_POS_K),
                  "posK is %lld, no multiple of %u, the elements of 32 bytes",
                  (long long)n[IMG2COL_POS_K], g->block);
    if (n[IMG2COL_POS_M] < 0 || n[IMG2COL_POS_M] > g->windows ||
        g->dst_rows > g->windows - n[IMG2COL_POS_M])
        return no(why, OPERAND_OF(IMG2COL_POS_M),
                  "%u rows from posM = %lld on: the matrix has %lld, one for each window",
                  g->dst_rows, (long long)n[IMG2COL_POS_M], (long long)g->windows);
    if (n[IMG2COL_POS_K] < 0 || n[IMG2COL_POS_K] > depth ||
        g->dst_cols > depth - n[IMG2COL_POS_K])
        return no(why, OPERAND_OF(IMG2COL_POS_K),
                  "%u columns from posK = %lld on: the matrix has %lld", g->dst_cols,
                  (long long)n[IMG2COL_POS_K], (long long)depth);
    return true;
}

bool img2col_plan(struct img2col *g, char *text, size_t room)
{
    const struct reason why = {g, text, room};
    uint64_t fmatrix = (uint64_t)g->number[IMG2COL_FMATRIX];
    const int64_t *n = g->number;
    int64_t pad[PADS], down, across, out_height;

    g->block = BLOCK_BYTES / pto_dtype_size((enum pto_dtype)g->dtype);
    g->width = fmatrix & 0xffff;
    g->height = fmatrix >> IMG2COL_SIDE_BITS & 0xffff;
    for (int i = 0; i < PADS; i++)
        pad[i] = fmatrix >> (2 * IMG2COL_SIDE_BITS + i * IMG2COL_PAD_BITS) & 0xff;
    g->left = pad[LEFT];
    g->top = pad[TOP];
    if (!g->height || !g->width)
        return no(&why, OPERAND_OF(IMG2COL_FMATRIX),
                  "fmatrix says %lld x %lld positions: a feature map has at least one",
                  (long long)g->height, (long long)g->width);
    if (!check_numbers(g, &why) || !check_source(g, &why))
        return false;
    down = g->height + pad[TOP] + pad[BOTTOM];
    across = g->width + pad[LEFT] + pad[RIGHT];
    out_height = windows_along(down, n[IMG2COL_FILTER_H], n[IMG2COL_STRIDE_H],
                               n[IMG2COL_DILATION_H]);
    g->out_width = windows_along(across, n[IMG2COL_FILTER_W], n[IMG2COL_STRIDE_W],
                                 n[IMG2COL_DILATION_W]);
    g->windows = out_height * g->out_width;
    if (!g->windows)
        return no(&why, OPERAND_OF(IMG2COL_FILTER_H),
                  "a filter of %lld x %lld with dilation %lld, %lld is larger than the map "
                  "with its padding, %lld x %lld", (long long)n[IMG2COL_FILTER_H],
                  (long long)n[IMG2COL_FILTER_W], (long long)n[IMG2COL_DILATION_H],
                  (long long)n[IMG2COL_DILATION_W], (long long)down, (long long)across);
    return check_part(g, &why);
}

bool img2col_source(const struct img2col *g, int64_t m, int64_t k, int64_t *position,
                    int64_t *block)
{
    const int64_t *n = g->number;
    int64_t filter = n[IMG2COL_FILTER_H] * n[IMG2COL_FILTER_W], within = k % filter;
    int64_t row = m / g->out_width * n[IMG2COL_STRIDE_H] +
                  within / n[IMG2COL_FILTER_W] * n[IMG2COL_DILATION_H] - g->top;
    int64_t col = m % g->out_width * n[IMG2COL_STRIDE_W] +
                  within % n[IMG2COL_FILTER_W] * n[IMG2COL_DILATION_W] - g->left;

    *block = k / filter;
    *position = row * g->width + col;
    return row >= 0 && row < g->height && col >= 0 && col < g->width;
}
