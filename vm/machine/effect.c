#include "effect.h"

#include "machine.h"
#include "shape.h"

/* ---- the bytes of a view ---- */

/* Pieces in ascending order grow together before they are judged. */
struct spans {
    effect_sink *sink;
    void *context;
    struct effect_pieces pending; /* count 0: none */
};

static void flush(struct spans *spans)
{
    if (spans->pending.count)
        spans->sink(spans->context, &spans->pending);
    spans->pending.count = 0;
}

static void add(struct spans *spans, uint64_t offset, uint64_t length)
{
    struct effect_pieces *pending = &spans->pending;

    if (pending->count == 1 && offset == pending->offset + pending->length) {
        pending->length += length;
        return;
    }
    flush(spans);
    *pending = (struct effect_pieces){.offset = offset, .length = length, .count = 1};
}

/* `count` pieces, which may go down in memory, or overlap. */
static void add_comb(struct spans *spans, uint64_t offset, uint64_t length, int64_t step,
                     uint32_t count)
{
    struct effect_pieces *pending = &spans->pending;

    if (step == (int64_t)length) {
        add(spans, offset, length * count);
        return;
    }
    if (count == 1 || step < (int64_t)length) {
        for (uint32_t i = 0; i < count; i++)
            add(spans, offset + (uint64_t)(i * step), length);
        return;
    }
    if (pending->count > 1 && pending->length == length && pending->step == (uint64_t)step &&
        offset == pending->offset + pending->count * pending->step) {
        pending->count += count;
        return;
    }
    flush(spans);
    *pending = (struct effect_pieces){offset, length, (uint64_t)step, count};
}

static void add_strided(struct spans *spans, const struct op_view *view)
{
    uint64_t size = pto_dtype_size(view->dtype);
    bool by_rows = view->col_stride == (int64_t)size || view->cols == 1;
    bool by_cols = !by_rows && (view->row_stride == (int64_t)size || view->rows == 1);
    uint32_t outer = by_cols ? view->cols : view->rows, inner = by_cols ? view->rows : view->cols;
    int64_t step = by_cols ? view->col_stride : view->row_stride;
    int64_t within = by_cols ? view->row_stride : view->col_stride;
    uint64_t base = (uint64_t)((int64_t)view->row * view->row_stride +
                               (int64_t)view->col * view->col_stride);

    if (within == (int64_t)size || inner == 1) {
        add_comb(spans, base, inner * size, step, outer);
        return;
    }
    for (uint32_t o = 0; o < outer; o++)
        add_comb(spans, base + (uint64_t)(o * step), size, within, inner);
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

static void add_fractals(struct spans *spans, const struct op_view *view)
{
    uint64_t size = pto_dtype_size(view->dtype);
    uint32_t row1 = view->row + view->rows, col1 = view->col + view->cols;
    unsigned rows, cols;
    uint32_t outer, inner, outer1, inner1, per_outer;
    bool columns_first = pto_layouts[view->layout].columns_first;
    bool tall = pto_layouts[view->layout].box == PTO_BOX_TALL;

    pto_fractal(view->layout, view->space, (unsigned)size, &rows, &cols);
    outer = columns_first ? view->col / cols : view->row / rows;
    outer1 = columns_first ? (col1 + cols - 1) / cols : (row1 + rows - 1) / rows;
    inner1 = columns_first ? (row1 + rows - 1) / rows : (col1 + cols - 1) / cols;
    per_outer = columns_first ? (view->pitch ? view->pitch : view->tile_rows) / rows
                              : (view->pitch ? view->pitch : view->tile_cols) / cols;
    for (; outer < outer1; outer++)
        for (inner = columns_first ? view->row / rows : view->col / cols; inner < inner1; inner++) {
            uint32_t r = columns_first ? inner : outer, c = columns_first ? outer : inner;
            struct part part = {rows, cols, low(r, rows, view->row), high(r, rows, row1),
                                low(c, cols, view->col), high(c, cols, col1)};
            uint64_t at = ((uint64_t)outer * per_outer + inner) * rows * cols * size;

            add_fractal(spans, &part, tall, at, size);
        }
}

static void add_view(struct spans *spans, const struct op_view *view)
{
    if (!view->rows || !view->cols)
        return;
    if (!view->row && !view->col && view->rows == view->tile_rows &&
        view->cols == view->tile_cols && !view->pitch && !pto_layout_is_plain(view->layout))
        add(spans, 0, (uint64_t)view->rows * view->cols * pto_dtype_size(view->dtype));
    else if (view->row_stride || view->col_stride)
        add_strided(spans, view);
    else
        add_fractals(spans, view);
}

void effect_of_view(const struct op_view *view, effect_sink *sink, void *context)
{
    struct spans spans = {.sink = sink, .context = context};

    add_view(&spans, view);
    flush(&spans);
}

/* ---- operands of which an index tile names the parts ---- */

/* Which operand is looked up, by which, and how numbers name its parts. */
static const struct lookup {
    uint16_t op;
    uint8_t table, index;
    int8_t unit, outside; /* keyword operands, -1: none */
    bool whole_tile;      /* a number counts the columns of the whole tile */
} LOOKUP[] = {
    {PTO_OP_MGATHER, 1, 2, 3, 4, false},
    {PTO_OP_MSCATTER, 0, 2, 3, 5, false},
    {PTO_OP_TGATHER, 1, 2, -1, -1, true},
    {PTO_OP_TSCATTER, 0, 2, -1, -1, true},
};
enum { LOOKUPS = sizeof LOOKUP / sizeof *LOOKUP };

static const struct lookup *find_lookup(const struct ready_op *op, unsigned operand)
{
    for (int i = 0; i < LOOKUPS; i++)
        if (LOOKUP[i].op == op->insn->op && LOOKUP[i].table == operand)
            return &LOOKUP[i];
    return NULL;
}

/* A number outside the table as the instruction takes it; false: it names nothing. */
static bool bring_inside(const struct lookup *l, const struct op_args *args, int64_t size,
                         int64_t *number)
{
    int64_t rule = l->outside < 0 ? PTO_GATHER_OOB_FAULT : args->arg[l->outside].i;
    bool scatter = l->op == PTO_OP_MSCATTER;

    if (*number >= 0 && *number < size)
        return true;
    if (size == 0)
        return false;
    if (rule == (scatter ? PTO_SCATTER_OOB_CLAMP : PTO_GATHER_OOB_CLAMP))
        *number = *number < 0 ? 0 : size - 1;
    else if (rule == (scatter ? PTO_SCATTER_OOB_WRAP : PTO_GATHER_OOB_WRAP))
        *number = (*number % size + size) % size;
    else
        return false;
    return true;
}

static void add_looked_up(struct spans *spans, const struct lookup *l, const struct op_args *args)
{
    const struct op_view *table = &args->arg[l->table].view, *index = &args->arg[l->index].view;
    bool rows = l->unit >= 0 && args->arg[l->unit].i == PTO_COALESCE_ROW;
    uint32_t width = l->whole_tile ? table->tile_cols : table->cols;
    /* the other tile says how much of a row is taken */
    uint32_t taken = rows ? args->arg[l->table ? 0 : 1].view.cols : 1;
    int64_t size = rows ? table->rows : (int64_t)table->rows * width;
    struct op_view part = *table;

    if (!width || (!index->row_stride && !index->col_stride)) {
        add_view(spans, table);
        return;
    }
    part.rows = 1;
    part.cols = taken < table->cols ? taken : table->cols;
    for (uint32_t r = 0; r < index->rows; r++)
        for (uint32_t c = 0; c < index->cols; c++) {
            int64_t number = pto_load_int(
                index->data + r * index->row_stride + c * index->col_stride, index->dtype);

            if (!bring_inside(l, args, size, &number))
                continue;
            part.row = (uint32_t)(rows ? number : number / width);
            part.col = (uint32_t)(rows ? 0 : number % width);
            add_view(spans, &part);
        }
}

/* ---- operands ---- */

/* Phases of TPUT and its like share operands, so the row of the phase itself says what it does. */
static unsigned access_of(const struct ready_op *op, unsigned operand)
{
    return op->info->operand[operand].access;
}

static bool has_bytes(const struct ready_op *op, unsigned operand)
{
    return op->operand[operand].kind == PTO_O_TILE || op->operand[operand].kind == PTO_O_GM;
}

/* The operand that has as large a region as it takes of this one, perhaps itself; or ASK_SHAPE. */
static uint8_t like_which(const struct ready_op *op, unsigned operand)
{
    uint8_t other = (uint8_t)operand;

    if (find_lookup(op, operand))
        return ASK_SHAPE;
    if (access_of(op, operand) & PTO_WRITE)
        return other;
    return pto_shape_takes_region(op->info, operand, &other) && other < op->operands &&
                   has_bytes(op, other)
               ? other
               : ASK_SHAPE;
}

void effect_prepare(struct ready_op *op)
{
    op->reads = op->writes = 0;
    for (unsigned i = 0; i < op->operands; i++) {
        op->like[i] = ASK_SHAPE;
        if (!has_bytes(op, i) || op->insn->op == PTO_OP_TPREFETCH) /* a hint: it moves nothing */
            continue;
        op->reads |= (uint16_t)((access_of(op, i) & PTO_READ ? 1u : 0u) << i);
        op->writes |= (uint16_t)((access_of(op, i) & PTO_WRITE ? 1u : 0u) << i);
        op->like[i] = like_which(op, i);
        op->size[i] = (uint8_t)pto_dtype_size(op->operand[i].view.dtype);
    }
}

bool effect_is_atomic(const struct ready_op *op, const struct op_args *args)
{
    return op->atomic >= 0 && args->arg[op->atomic].i != PTO_ATOMIC_NONE;
}

/* What the instruction takes of an operand's view. */
static struct op_view taken(const struct ready_op *op, const struct op_args *args, unsigned operand)
{
    struct op_view view = args->arg[operand].view;
    struct pto_region region[PTO_MAX_OPERANDS];

    if (op->like[operand] == operand)
        return view;
    for (unsigned i = 0; i < op->info->operands; i++) {
        const struct op_view *other = &args->arg[i].view;

        region[i] = i < op->operands && has_bytes(op, i)
                        ? (struct pto_region){other->rows, other->cols, other->dtype}
                        : (struct pto_region){0};
    }
    pto_shape_taken(op->info, region, operand, &view.rows, &view.cols);
    return view;
}

bool effect_taken_is_piece(const struct ready_op *op, const struct op_args *args, unsigned operand,
                           struct effect_pieces *piece)
{
    struct op_view view;

    if (find_lookup(op, operand))
        return false;
    view = taken(op, args, operand);
    return effect_view_is_piece(&view, op->size[operand], piece);
}

void effect_bytes(const struct ready_op *op, const struct op_args *args, unsigned operand,
                  effect_sink *sink, void *context)
{
    const struct lookup *lookup = find_lookup(op, operand);
    struct spans spans = {.sink = sink, .context = context};
    struct op_view view;

    if (lookup) {
        add_looked_up(&spans, lookup, args);
    } else {
        view = taken(op, args, operand);
        add_view(&spans, &view);
    }
    flush(&spans);
}
