/* Global memory by index: MGATHER, MSCATTER. */
#include <stdio.h>

#include "apart.h"
#include "index.h"
#include "operand.h"
#include "transfer.h"

/* What happens to an index outside the table. */
enum outside { FAULT, CLAMP, WRAP, ZERO, SKIP };

/* A window of global memory as a sequence of rows or of elements, and the tile with the indices. */
struct lookup {
    const struct op_view *table, *idx;
    struct op_place rows;  /* of the table */
    struct op_place index; /* of the tile, apart from what is written */
    bool by_row;
    enum outside outside;
    uint64_t size; /* rows, or elements, of the table */
};

static struct lookup lookup_of(const struct op_args *args, int table, enum outside outside)
{
    const struct op_view *view = &args->arg[table].view, *idx = &args->arg[2].view;
    bool by_row = args->arg[3].i == PTO_COALESCE_ROW;

    return (struct lookup){.table = view,
                           .idx = idx,
                           .rows = op_place_of(view),
                           .index = op_place_of(idx),
                           .by_row = by_row,
                           .outside = outside,
                           .size = (uint64_t)view->rows * (by_row ? 1 : view->cols)};
}

/* Index (row, col) of the tile, which is outside the table, brought into it; *none: it stands for
 * nothing. */
static const char *bring_inside(const struct op_args *args, const struct lookup *l, uint32_t row,
                                uint32_t col, int64_t index, uint64_t *at, bool *none)
{
    int64_t size = (int64_t)l->size;

    *none = l->outside == ZERO || l->outside == SKIP;
    if (*none)
        return NULL;
    if (l->outside == FAULT || size == 0) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "idx(%u, %u) = %lld: the table {%u, %u} has %lld %s", row, col, (long long)index,
                 l->table->rows, l->table->cols, (long long)size, l->by_row ? "rows" : "elements");
        return args->message;
    }
    if (l->outside == CLAMP)
        *at = index < 0 ? 0 : (uint64_t)size - 1;
    else
        *at = (uint64_t)((index % size + size) % size);
    return NULL;
}

/* Which element of the table an index stands for. */
static inline const char *find(const struct op_args *args, const struct lookup *l, uint32_t row,
                               uint32_t col, int64_t index, uint64_t *at, bool *none)
{
    *none = false;
    *at = (uint64_t)index;
    return *at < l->size ? NULL : bring_inside(args, l, row, col, index, at, none);
}

static const char *find_one(const struct op_args *args, const struct lookup *l, uint32_t row,
                            uint32_t col, uint64_t *at, bool *none)
{
    const void *element = op_address(&l->index, row, col);

    return find(args, l, row, col, pto_load_int(element, (enum pto_dtype)l->idx->dtype), at, none);
}

/* The indices of rows: a column or a row, read a line at a time. */
struct row_indices {
    struct op_line line;
    int64_t number[OP_LINE];
};

/* Index number r of a vector of so many; called for each r in turn. */
static inline const char *find_row(const struct op_args *args, const struct lookup *l,
                                   struct row_indices *indices, uint32_t r, uint32_t rows,
                                   uint64_t *at, bool *none)
{
    bool down = l->idx->cols == 1;
    uint32_t place = r % OP_LINE;

    if (place == 0) {
        struct op_place along = down ? op_place_flip(l->index) : l->index;
        uint32_t count = op_line_length(r, rows);

        op_to_i64(l->idx->dtype, indices->number,
                  op_line_read(&indices->line, &along, l->idx->dtype, false, 0, r, count), count);
    }
    return find(args, l, down ? r : 0, down ? 0 : r, indices->number[place], at, none);
}

static uint8_t *element_at(const struct lookup *l, uint64_t at)
{
    return op_address(&l->rows, (uint32_t)(at / l->table->cols), (uint32_t)(at % l->table->cols));
}

static const char *check_width(const struct op_args *args, const struct lookup *l,
                               const struct op_view *tile)
{
    if (!l->by_row || tile->cols <= l->table->cols)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES, "the tile has %u valid columns, the table {%u, %u}",
             tile->cols, l->table->rows, l->table->cols);
    return args->message;
}

/* Enough indices, and whole rows not wider than the table's. */
static const char *check_lookup(const struct op_args *args, const struct lookup *l,
                                const struct op_view *tile)
{
    const char *fault = check_width(args, l, tile);

    if (fault)
        return fault;
    return l->by_row ? op_check_vector(args, 2, "idx", tile->rows)
                     : op_covers(args, 2, "idx", tile->rows, tile->cols);
}

static const char *gather_rows(const struct op_args *args, const struct lookup *l,
                               const struct op_place *to, const struct op_place *nothing)
{
    const struct op_view *dst = &args->arg[0].view;
    struct row_indices indices;

    for (uint32_t row = 0; row < dst->rows; row++) {
        uint64_t at;
        bool none;
        const char *fault = find_row(args, l, &indices, row, dst->rows, &at, &none);

        if (fault)
            return fault;
        if (none)
            op_copy_row(to, row, 0, nothing, 0, dst->cols);
        else
            op_copy_row(to, row, 0, &l->rows, (uint32_t)at, dst->cols);
    }
    return NULL;
}

/* A line of indices and what it names, if all of them are inside the table. */
struct inside {
    struct op_table table;
    struct op_line line;
    struct op_named named;
};

static bool all_inside(const struct lookup *l, struct inside *inside, uint32_t row, uint32_t col,
                       uint32_t count)
{
    uint8_t dtype = l->idx->dtype;

    if (!l->size)
        return false;
    inside->table = (struct op_table){l->rows, l->table->rows, l->table->cols, l->table->cols};
    return op_locate(&inside->table, &inside->named, dtype,
                     op_line_read(&inside->line, &l->index, dtype, false, row, col, count),
                     count) == count;
}

static const char *gather_one(const struct op_args *args, const struct lookup *l,
                              const struct op_place *to, const struct op_place *nothing,
                              uint32_t row, uint32_t col)
{
    uint64_t at;
    bool none;
    const char *fault = find_one(args, l, row, col, &at, &none);

    if (!fault)
        memcpy(op_address(to, row, col), none ? nothing->data : element_at(l, at), to->size);
    return fault;
}

static const char *gather_elements(const struct op_args *args, const struct lookup *l,
                                   const struct op_place *to, const struct op_place *nothing)
{
    const struct op_view *dst = &args->arg[0].view;
    struct inside inside;
    uint8_t packed[OP_LINE * 8];
    struct op_place buffer = op_strided(packed, 0, to->size, to->size);
    const char *fault = NULL;
    uint32_t count;

    for (uint32_t row = 0; row < dst->rows && !fault; row++)
        for (uint32_t col = 0; col < dst->cols && !fault; col += count) {
            struct op_place target = op_place_at(*to, row, col);

            count = op_line_length(col, dst->cols);
            if (all_inside(l, &inside, row, col, count)) {
                if (op_along_rows(to)) {
                    op_fetch(&inside.table, &inside.named, op_address(&target, 0, 0), count);
                    continue;
                }
                op_fetch(&inside.table, &inside.named, packed, count);
                op_copy(&target, &buffer, 1, count);
                continue;
            }
            for (uint32_t i = col; i < col + count && !fault; i++)
                fault = gather_one(args, l, to, nothing, row, i);
        }
    return fault;
}

/* Whole rows (`row`): dst[r, c] = table[idx[r], c], idx a column or a row.  Elements (`elem`, the
 * default): dst[r, c] = element number idx[r, c] of the table's window, row i / C, column i mod C
 * of its C columns.  An index outside the window faults, or with `clamp` is the nearest inside,
 * with `wrap` is taken modulo their number, with `zero` gives 0.  Bits are copied; dst may overlap
 * idx. */
OP(MGATHER)
{
    static const enum outside outside[] = {[PTO_GATHER_OOB_FAULT] = FAULT,
                                           [PTO_GATHER_OOB_CLAMP] = CLAMP,
                                           [PTO_GATHER_OOB_WRAP] = WRAP,
                                           [PTO_GATHER_OOB_ZERO] = ZERO};
    const struct op_view *dst = &args->arg[0].view;
    struct lookup l = lookup_of(args, 1, outside[args->arg[4].i]);
    struct op_place to = op_place_of(dst), nothing;
    struct op_scratch scratch = {args->scratch, 0};
    _Alignas(8) uint8_t zero[8] = {0};
    const char *fault;

    if (!dst->rows || !dst->cols)
        return NULL;
    fault = check_lookup(args, &l, dst);
    if (!fault)
        fault = op_separate(&scratch, dst, &l.index, l.idx->rows, l.idx->cols);
    if (fault)
        return fault;
    nothing = op_strided(zero, 0, 0, to.size);
    return l.by_row ? gather_rows(args, &l, &to, &nothing)
                    : gather_elements(args, &l, &to, &nothing);
}

/* Elements [0, cols) of a row of src to the place `at` of the table. */
static void store(const struct lookup *l, uint8_t *at, const struct op_place *from, uint32_t row,
                  uint32_t col, uint32_t cols, int atomic)
{
    struct op_view window = *l->table;
    uint8_t packed[OP_LINE * 8];
    struct op_place buffer = op_strided(packed, 0, from->size, from->size);

    window.rows = 1;
    for (uint32_t done = 0; done < cols; done += OP_LINE) {
        struct op_place source = op_place_at(*from, row, col + done);

        window.cols = op_line_length(done, cols);
        window.data = at + (int64_t)done * l->table->col_stride;
        op_copy(&buffer, &source, 1, window.cols);
        op_land(&window, packed, atomic);
    }
}

static const char *scatter_rows(const struct op_args *args, const struct lookup *l,
                                const struct op_place *from, int atomic)
{
    const struct op_view *src = &args->arg[1].view;
    struct row_indices indices;

    for (uint32_t row = 0; row < src->rows; row++) {
        uint64_t at;
        bool none;
        const char *fault = find_row(args, l, &indices, row, src->rows, &at, &none);

        if (fault)
            return fault;
        if (none)
            continue;
        if (atomic == PTO_ATOMIC_NONE && op_along_rows(&l->rows))
            op_copy_row(&l->rows, (uint32_t)at, 0, from, row, src->cols);
        else
            store(l, op_address(&l->rows, (uint32_t)at, 0), from, row, 0, src->cols, atomic);
    }
    return NULL;
}

static const char *scatter_one(const struct op_args *args, const struct lookup *l,
                               const struct op_place *from, uint32_t row, uint32_t col, int atomic)
{
    uint64_t at;
    bool none;
    const char *fault = find_one(args, l, row, col, &at, &none);

    if (!fault && !none)
        store(l, element_at(l, at), from, row, col, 1, atomic);
    return fault;
}

static const char *scatter_elements(const struct op_args *args, const struct lookup *l,
                                    const struct op_place *from, int atomic)
{
    const struct op_view *src = &args->arg[1].view;
    struct inside inside;
    struct op_line line;
    const char *fault = NULL;
    uint32_t count;

    for (uint32_t row = 0; row < src->rows && !fault; row++)
        for (uint32_t col = 0; col < src->cols && !fault; col += count) {
            count = op_line_length(col, src->cols);
            if (atomic == PTO_ATOMIC_NONE && all_inside(l, &inside, row, col, count)) {
                op_deposit(&inside.table, &inside.named,
                           op_line_read(&line, from, src->dtype, false, row, col, count), count);
                continue;
            }
            for (uint32_t i = col; i < col + count && !fault; i++)
                fault = scatter_one(args, l, from, row, i, atomic);
        }
    return fault;
}

/* Whole rows: table[idx[r], c] = src[r, c]; elements: element number idx[r, c] of the window =
 * src[r, c]; over the valid region of src, in ascending order: of several for one place the last
 * one stays.  Atomic operations combine as in TSTORE, in that order.  An index outside the window
 * faults, or with `skip` is left out, `clamp` and `wrap` as in MGATHER. */
OP(MSCATTER)
{
    static const enum outside outside[] = {[PTO_SCATTER_OOB_FAULT] = FAULT,
                                           [PTO_SCATTER_OOB_SKIP] = SKIP,
                                           [PTO_SCATTER_OOB_CLAMP] = CLAMP,
                                           [PTO_SCATTER_OOB_WRAP] = WRAP};
    const struct op_view *src = &args->arg[1].view;
    struct lookup l = lookup_of(args, 0, outside[args->arg[5].i]);
    struct op_place from = op_place_of(src);
    const char *fault;

    if (!src->rows || !src->cols)
        return NULL;
    fault = check_lookup(args, &l, src);
    if (fault)
        return fault;
    return l.by_row ? scatter_rows(args, &l, &from, (int)args->arg[4].i)
                    : scatter_elements(args, &l, &from, (int)args->arg[4].i);
}
