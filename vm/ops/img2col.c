/* TIMG2COL: a part of the matrix of all windows of a feature map. */
#include "img2col.h"

#include "operand.h"

enum { DST, SRC, PADDING = IMG2COL_FIRST_OPERAND + IMG2COL_NUMBERS };

/* From one row to the next if they touch. */
static int64_t line_bytes(const struct op_view *view)
{
    return (int64_t)view->tile_cols * pto_dtype_size((enum pto_dtype)view->dtype);
}

static void set_plan(struct img2col *g, const struct op_args *args)
{
    const struct op_view *dst = &args->arg[DST].view, *src = &args->arg[SRC].view;

    *g = (struct img2col){.dtype = src->dtype, .layout = src->layout, .rows = src->rows,
                          .cols = src->cols, .tile_rows = src->tile_rows,
                          .window = src->pitch || (src->layout == PTO_ND &&
                                                   src->row_stride != line_bytes(src)),
                          .dst_rows = dst->rows, .dst_cols = dst->cols};
    for (int i = 0; i < IMG2COL_NUMBERS; i++) {
        const struct op_arg *arg = &args->arg[IMG2COL_FIRST_OPERAND + i];

        g->number[i] = arg->present ? arg->i : 1;
    }
}

/* dst[r, c] = element posK + c of window posM + r of the feature map src, or padding.
 *
 * Windows go along the rows of the map; k counts blocks of channels of 32 bytes outermost, then the
 * rows of the filter, its columns, and the channels of a block.  That is the order of the chip
 * (hw-native-sys/PTOAS, docs/PTO_IR_manual.md, pto.timg2col); pto-isa's simulator has the channels
 * outermost.  A window begins `stride` behind its neighbour and takes every `dilation`th position.
 * The map lies in nz, a row for each position, or in nd, 32 bytes for each position of a block. */
OP(TIMG2COL)
{
    struct op_place to = op_place_of(&args->arg[DST].view);
    struct op_place from = op_place_of(&args->arg[SRC].view);
    uint64_t padding = 0;
    struct img2col g;
    const char *fault = NULL;

    set_plan(&g, args);
    if (!img2col_plan(&g, args->message, OP_MESSAGE_BYTES))
        return args->message;
    if (args->arg[PADDING].present)
        fault = op_convert_scalar(args, PADDING, g.dtype, &padding);
    for (uint32_t row = 0; !fault && row < g.dst_rows; row++)
        for (uint32_t col = 0; col < g.dst_cols; col += g.block) {
            uint32_t count = g.dst_cols - col < g.block ? g.dst_cols - col : g.block;
            struct op_place target = op_place_at(to, row, col);
            struct op_place source = op_strided(&padding, 0, 0, from.size);
            int64_t position, block, k = (g.number[IMG2COL_POS_K] + col) / g.block;

            if (img2col_source(&g, g.number[IMG2COL_POS_M] + row, k, &position, &block))
                source = g.layout == PTO_NZ
                             ? op_place_at(from, (uint32_t)position, (uint32_t)block * g.block)
                             : op_place_at(from, (uint32_t)(block * g.height * g.width + position),
                                           0);
            op_copy(&target, &source, 1, count);
        }
    return fault;
}
