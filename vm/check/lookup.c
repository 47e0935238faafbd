/* Operands of which an index tile names the parts: only those are touched. */
#include "check/internal.h"

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

const struct lookup *lookup_find(const struct ready_op *op, unsigned index)
{
    for (int i = 0; i < LOOKUPS; i++)
        if (LOOKUP[i].op == op->insn->op && LOOKUP[i].table == index)
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

void lookup_touch(struct pto_check *check, struct shadow *shadow, const struct lookup *l,
                  const struct op_args *args, const struct op_view *table, uint64_t base)
{
    const struct op_view *index = &args->arg[l->index].view;
    bool rows = l->unit >= 0 && args->arg[l->unit].i == PTO_COALESCE_ROW;
    uint32_t width = l->whole_tile ? table->tile_cols : table->cols;
    /* the other tile says how much of a row is taken */
    uint32_t taken = rows ? args->arg[l->table ? 0 : 1].view.cols : 1;
    int64_t size = rows ? table->rows : (int64_t)table->rows * width;
    struct op_view part = *table;

    if (!width || (!index->row_stride && !index->col_stride)) {
        window_touch(check, shadow, table, base);
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
            window_touch(check, shadow, &part, base);
        }
}
