/* From operands to bytes: which bytes of a region an instruction reads or writes. */
#include <string.h>

#include "check/internal.h"

/* Spans in ascending order grow together before they are judged. */
struct spans {
    struct pto_check *check;
    struct shadow *shadow;
    uint64_t offset, length;
};

static void flush(struct spans *spans)
{
    if (spans->length)
        race_bytes(spans->check, spans->shadow, spans->offset, spans->length);
    spans->length = 0;
}

static void add(struct spans *spans, uint64_t offset, uint64_t length)
{
    if (spans->length && offset == spans->offset + spans->length) {
        spans->length += length;
        return;
    }
    flush(spans);
    spans->offset = offset;
    spans->length = length;
}

static void add_strided(struct spans *spans, const struct op_view *view, uint64_t base)
{
    uint64_t size = pto_dtype_size(view->dtype);
    bool by_rows = view->col_stride == (int64_t)size || view->cols == 1;
    bool by_cols = !by_rows && (view->row_stride == (int64_t)size || view->rows == 1);
    uint32_t outer = by_cols ? view->cols : view->rows, inner = by_cols ? view->rows : view->cols;
    int64_t step = by_cols ? view->col_stride : view->row_stride;
    int64_t within = by_cols ? view->row_stride : view->col_stride;

    base += (uint64_t)((int64_t)view->row * view->row_stride +
                       (int64_t)view->col * view->col_stride);
    for (uint32_t o = 0; o < outer; o++) {
        uint64_t at = base + (uint64_t)(o * step);

        if (within == (int64_t)size || inner == 1) {
            add(spans, at, inner * size);
            continue;
        }
        for (uint32_t i = 0; i < inner; i++)
            add(spans, at + (uint64_t)(i * within), size);
    }
}

/* The rows [row0, row1) and columns [col0, col1) of a fractal of `rows` x `cols` elements. */
struct part {
    uint32_t rows, cols, row0, row1, col0, col1;
};

static void add_fractal(struct spans *spans, const struct part *p, bool by_cols, uint64_t base,
                        uint64_t size)
{
    uint32_t first = by_cols ? p->col0 : p->row0, last = by_cols ? p->col1 : p->row1;
    uint32_t from = by_cols ? p->row0 : p->col0, to = by_cols ? p->row1 : p->col1;
    uint32_t line = by_cols ? p->rows : p->cols;

    if (from == 0 && to == line) {
        add(spans, base + (uint64_t)first * line * size, (uint64_t)(last - first) * line * size);
        return;
    }
    for (uint32_t i = first; i < last; i++)
        add(spans, base + ((uint64_t)i * line + from) * size, (to - from) * size);
}

static uint32_t low(uint32_t block, uint32_t side, uint32_t first)
{
    return block * side > first ? 0 : first - block * side;
}

static uint32_t high(uint32_t block, uint32_t side, uint32_t end)
{
    return (block + 1) * side < end ? side : end - block * side;
}

static void add_fractals(struct spans *spans, const struct op_view *view, uint64_t base)
{
    uint64_t size = pto_dtype_size(view->dtype);
    uint32_t row1 = view->row + view->rows, col1 = view->col + view->cols;
    unsigned rows, cols;
    uint32_t outer, inner, outer1, inner1, per_outer;
    bool columns_first = view->layout == PTO_NZ;

    pto_fractal(view->layout, view->space, (unsigned)size, &rows, &cols);
    outer = columns_first ? view->col / cols : view->row / rows;
    outer1 = columns_first ? (col1 + cols - 1) / cols : (row1 + rows - 1) / rows;
    inner1 = columns_first ? (row1 + rows - 1) / rows : (col1 + cols - 1) / cols;
    per_outer = columns_first ? view->tile_rows / rows : view->tile_cols / cols;
    for (; outer < outer1; outer++)
        for (inner = columns_first ? view->row / rows : view->col / cols; inner < inner1; inner++) {
            uint32_t r = columns_first ? inner : outer, c = columns_first ? outer : inner;
            struct part part = {rows, cols, low(r, rows, view->row), high(r, rows, row1),
                                low(c, cols, view->col), high(c, cols, col1)};
            uint64_t at = base + ((uint64_t)outer * per_outer + inner) * rows * cols * size;

            add_fractal(spans, &part, view->layout == PTO_ZN, at, size);
        }
}

void window_touch(struct pto_check *check, struct shadow *shadow, const struct op_view *view,
                  uint64_t base)
{
    struct spans spans = {.check = check, .shadow = shadow};

    if (!view->rows || !view->cols)
        return;
    if (!view->row && !view->col && view->rows == view->tile_rows &&
        view->cols == view->tile_cols && view->layout != PTO_ND && view->layout != PTO_DN)
        add(&spans, base, (uint64_t)view->rows * view->cols * pto_dtype_size(view->dtype));
    else if (view->row_stride || view->col_stride)
        add_strided(&spans, view, base);
    else
        add_fractals(&spans, view, base);
    flush(&spans);
}

/* ---- what an instruction uses of an operand ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Sources that are spread over the destination: only their first column or row is read. */
static void clip_spread(const struct ready_op *op, const struct op_args *args, unsigned index,
                        struct op_view *view)
{
    unsigned last = 0;

    for (unsigned i = 1; i < op->operands; i++)
        if (op->operand[i].kind == PTO_O_TILE && !(op->info->operand[i].access & PTO_SCRATCH))
            last = i;
    view->rows = args->arg[0].view.rows;
    view->cols = args->arg[0].view.cols;
    if (index != last)
        return;
    if (begins(op->info->mnemonic, "TROWEXPAND"))
        view->cols = view->cols ? 1 : 0;
    else
        view->rows = view->rows ? 1 : 0;
}

/* Does every element of the destination come from the same element of each source? */
static bool is_elementwise(const struct ready_op *op)
{
    if (begins(op->info->mnemonic, "TCMP")) /* packs eight results into a byte */
        return false;
    switch (op->info->cost) {
    case PTO_COST_V_ADD:
    case PTO_COST_V_MUL:
    case PTO_COST_V_MAX:
    case PTO_COST_V_DIV:
    case PTO_COST_V_EXP:
    case PTO_COST_V_LOG:
    case PTO_COST_V_SQRT:
    case PTO_COST_MOVE:
        return true;
    default:
        return false;
    }
}

void window_clip(const struct ready_op *op, const struct op_args *args, unsigned index,
                 struct op_view *view)
{
    const char *mnemonic = op->info->mnemonic;
    const struct op_view *dst = &args->arg[0].view;

    *view = args->arg[index].view;
    if (op->operand[0].kind != PTO_O_TILE && op->operand[0].kind != PTO_O_GM)
        return;
    if (index == 0) {
        if (op->info->cost == PTO_COST_V_REDUCE && begins(mnemonic, "TROW"))
            view->cols = view->cols ? 1 : 0;
        else if (op->info->cost == PTO_COST_V_REDUCE && begins(mnemonic, "TCOL"))
            view->rows = view->rows ? 1 : 0;
    } else if (op->info->operand[index].access & PTO_SCRATCH) {
        return;
    } else if (index > 1 && (op->insn->op == PTO_OP_TQUANT || op->insn->op == PTO_OP_TDEQUANT)) {
        view->cols = view->cols ? 1 : 0; /* a scale and an offset for every row */
    } else if (begins(mnemonic, "TROWEXPAND") || begins(mnemonic, "TCOLEXPAND")) {
        clip_spread(op, args, index, view);
    } else if (is_elementwise(op)) {
        view->rows = view->rows < dst->rows ? view->rows : dst->rows;
        view->cols = view->cols < dst->cols ? view->cols : dst->cols;
    }
}
