/* Elements by number or by byte: TGATHER and TSCATTER with an index tile, TGATHERB. */
#include <stdio.h>

#include "apart.h"
#include "index.h"
#include "operand.h"

static struct op_table table_of(const struct op_view *view)
{
    return (struct op_table){op_place_of(view), view->rows, view->cols, view->tile_cols};
}

static const char *bad_index(const struct op_args *args, const struct op_table *table,
                             const char *name, uint32_t row, uint32_t col, int64_t index)
{
    snprintf(args->message, OP_MESSAGE_BYTES,
             "idx(%u, %u) = %lld names no valid element of %s: {%u, %u} of a tile with %u columns",
             row, col, (long long)index, name, table->rows, table->cols, table->width);
    return args->message;
}

/* One line of indices and what it names. */
struct indices {
    struct op_place place;
    uint8_t dtype;
    struct op_line line;
    struct op_named named;
};

static const char *read_indices(const struct op_args *args, struct indices *idx,
                                const struct op_table *table, const char *name, uint32_t row,
                                uint32_t col, uint32_t count)
{
    const void *elements = op_line_read(&idx->line, &idx->place, idx->dtype, false, row, col,
                                        count);
    uint32_t bad = op_locate(table, &idx->named, idx->dtype, elements, count);

    return bad == count ? NULL
                        : bad_index(args, table, name, row, col + bad, idx->named.offset[bad]);
}

/* dst[r, c] = the element of src0 that idx[r, c] names: number i is row i / W, column i % W of the
 * whole tile, which has W columns.  It must lie in the valid region of src0, else it faults.  idx
 * has at least the valid region of dst; bits are copied; dst may overlap src0 and idx. */
OP(TGATHER)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view,
                         *idx_view = &args->arg[2].view;
    struct op_table table = table_of(src);
    struct indices idx = {.place = op_place_of(idx_view), .dtype = idx_view->dtype};
    struct op_place to = op_place_of(dst);
    struct op_scratch scratch = {args->scratch, 0};
    _Alignas(8) uint8_t raw[OP_LINE * 8];
    struct op_place buffer = op_strided(raw, 0, to.size, to.size);
    const char *fault = op_covers(args, 2, "idx", dst->rows, dst->cols);

    if (!fault)
        fault = op_separate(&scratch, dst, &table.place, src->rows, src->cols);
    if (!fault)
        fault = op_separate(&scratch, dst, &idx.place, dst->rows, dst->cols);
    for (uint32_t row = 0; !fault && row < dst->rows; row++)
        for (uint32_t col = 0; col < dst->cols; col += OP_LINE) {
            uint32_t count = op_line_length(col, dst->cols);
            struct op_place target = op_place_at(to, row, col);

            fault = read_indices(args, &idx, &table, "src0", row, col, count);
            if (fault)
                return fault;
            if (op_along_rows(&to)) {
                op_fetch(&table, &idx.named, op_address(&target, 0, 0), count);
                continue;
            }
            op_fetch(&table, &idx.named, raw, count);
            op_copy(&target, &buffer, 1, count);
        }
    return fault;
}

/* The element of dst that idx[r, c] names, as in TGATHER, = src[r, c], over the valid region of
 * idx, row by row: of several elements for one place the last one stays.  The place must lie in the
 * valid region of dst, else it faults; the rest of dst stays as it is.  src has at least the valid
 * region of idx; dst may overlap src and idx. */
OP(TSCATTER)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view,
                         *idx_view = &args->arg[2].view;
    struct op_table table = table_of(dst);
    struct indices idx = {.place = op_place_of(idx_view), .dtype = idx_view->dtype};
    struct op_place from = op_place_of(src);
    struct op_scratch scratch = {args->scratch, 0};
    struct op_line line;
    const char *fault = op_covers(args, 1, "src", idx_view->rows, idx_view->cols);

    if (!fault)
        fault = op_separate(&scratch, dst, &from, idx_view->rows, idx_view->cols);
    if (!fault)
        fault = op_separate(&scratch, dst, &idx.place, idx_view->rows, idx_view->cols);
    for (uint32_t row = 0; !fault && row < idx_view->rows; row++)
        for (uint32_t col = 0; col < idx_view->cols; col += OP_LINE) {
            uint32_t count = op_line_length(col, idx_view->cols);

            fault = read_indices(args, &idx, &table, "dst", row, col, count);
            if (fault)
                return fault;
            op_deposit(&table, &idx.named,
                       op_line_read(&line, &from, src->dtype, false, row, col, count), count);
        }
    return fault;
}

/* ---- TGATHERB -------------------------------------------------------------------------------- */
enum { BLOCK = 32 }; /* bytes */

/* Address of the block that begins `offset` bytes behind the first element of src, whose tile has
 * lines of `line` bytes with gaps; NULL if it does not lie in its valid region.  A copy of the
 * region (op_separate) has other lines. */
static const uint8_t *block_at(const struct op_view *src, const struct op_place *place,
                               uint64_t line, uint64_t offset)
{
    uint64_t row = offset / line, within = offset % line;

    if (row >= src->rows || within + BLOCK > (uint64_t)src->cols * place->size)
        return NULL;
    return op_address(place, (uint32_t)row, 0) + within;
}

static const char *bad_block(const struct op_args *args, uint32_t row, uint32_t block,
                             uint32_t offset, uint64_t line)
{
    const struct op_view *src = &args->arg[1].view;

    snprintf(args->message, OP_MESSAGE_BYTES,
             "offs(%u, %u) = %u: the 32 bytes there are not in the valid region of src, {%u, %u} "
             "of a tile with rows of %llu bytes", row, block, offset, src->rows, src->cols,
             (unsigned long long)line);
    return args->message;
}

/* Blocks without gaps, whose numbers are known to be good. */
static void gather_known(uint8_t *restrict dst, const uint8_t *restrict first,
                         const mem_u32 *restrict numbers, uint32_t blocks)
{
    for (uint32_t block = 0; block < blocks; block++)
        memcpy(dst + (size_t)block * BLOCK, first + numbers[block], BLOCK);
}

static uint32_t greatest(const mem_u32 *numbers, uint32_t count)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return most;
}

/* Of rows without gaps a block may go on in the next one. */
static const char *gather_row(const struct op_args *args, const struct op_place *to,
                              const struct op_place *from, const struct op_place *offsets,
                              uint32_t row, uint32_t blocks)
{
    const struct op_view *src = &args->arg[1].view;
    uint64_t line = (uint64_t)src->tile_cols * from->size, bytes = src->rows * line;
    bool gaps = src->cols != src->tile_cols, touching = op_along_rows(offsets);
    uint8_t *dst = op_address(to, row, 0);
    const uint8_t *first = op_address(from, 0, 0);
    const mem_u32 *numbers = (const mem_u32 *)op_address(offsets, row, 0);

    if (!gaps && touching && (uint64_t)greatest(numbers, blocks) + BLOCK <= bytes) {
        gather_known(dst, first, numbers, blocks);
        return NULL;
    }
    for (uint32_t block = 0; block < blocks; block++, dst += BLOCK) {
        uint32_t offset = touching ? numbers[block]
                                   : *(const mem_u32 *)op_address(offsets, row, block);
        const uint8_t *source = NULL;

        if (gaps)
            source = block_at(src, from, line, offset);
        else if ((uint64_t)offset + BLOCK <= bytes)
            source = first + offset;
        if (!source)
            return bad_block(args, row, block, offset, line);
        memcpy(dst, source, BLOCK);
    }
    return NULL;
}

/* Block b of 32 bytes of row r of dst = the 32 bytes of src that begin offs[r, b] bytes behind its
 * first element.  They must lie in src's valid region, else it faults.  A row of dst is a whole
 * number of blocks, dst and src are in nd; dst may overlap src and offs. */
OP(TGATHERB)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view,
                         *offs = &args->arg[2].view;
    struct op_place to = op_place_of(dst), from = op_place_of(src), offsets = op_place_of(offs);
    uint32_t blocks = dst->cols * to.size / BLOCK;
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = op_covers(args, 2, "offs", dst->rows, blocks);

    if (fault)
        return fault;
    if (dst->layout != PTO_ND || src->layout != PTO_ND)
        return "dst and src must be in nd: blocks go along rows";
    if (dst->cols * to.size % BLOCK) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "a row of dst has %u valid bytes: a multiple of %d is needed", dst->cols * to.size,
                 BLOCK);
        return args->message;
    }
    fault = op_separate(&scratch, dst, &from, src->rows, src->cols);
    if (!fault)
        fault = op_separate(&scratch, dst, &offsets, dst->rows, blocks);
    for (uint32_t row = 0; !fault && row < dst->rows; row++)
        fault = gather_row(args, &to, &from, &offsets, row, blocks);
    return fault;
}
