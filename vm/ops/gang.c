/* Operands from a row of the table to lanes, and the lanes block by block. */
#include "gang.h"

#include "widen.h"

enum { BLOCK = 1024 }; /* elements of a block; a multiple of 8, so that masks split at bytes */

struct buffer {
    _Alignas(64) uint8_t raw[BLOCK * 8];
    _Alignas(64) float wide[BLOCK];
};

/* ---- lanes from operands --------------------------------------------------------------------- */
static uint32_t lane_cols(const struct op_lane *lane, uint32_t cols)
{
    return lane->mask ? (cols + 7) / 8 : cols;
}

static bool is_scalar(const struct pto_operand_spec *spec)
{
    return spec->kind == PTO_K_NUM || spec->kind == PTO_K_INT || spec->kind == PTO_K_FLOAT;
}

static const char *scalar_lane(const struct op_args *args, unsigned index, uint8_t dtype, bool raw,
                               uint64_t *element, struct op_lane *lane)
{
    struct op_operand constant = op_constant(element, dtype);

    *lane = (struct op_lane){.place = constant.place, .dtype = dtype, .read = true,
                             .widen = !raw && op_is_small_float(dtype)};
    return op_convert_scalar(args, (int)index, dtype, element);
}

static const char *tile_lane(const struct op_args *args, const struct pto_operand_spec *spec,
                             unsigned index, const struct op_gang *gang, struct op_lane *lane)
{
    const struct op_view *view = &args->arg[index].view, *domain = &args->arg[gang->domain].view;
    bool single = gang->single >> index & 1;

    *lane = (struct op_lane){.place = op_place_of(view), .dtype = view->dtype,
                             .mask = gang->masks >> index & 1,
                             .widen = !gang->raw && op_is_small_float(view->dtype),
                             .read = spec->access & PTO_READ, .written = spec->access & PTO_WRITE};
    if (single) {
        lane->place.row = (struct op_axis){0, OP_AXIS_PLAIN, 0, 0};
        lane->place.col = lane->place.row;
        return op_covers(args, (int)index, spec->name, 1, 1);
    }
    return op_covers(args, (int)index, spec->name, domain->rows, lane_cols(lane, domain->cols));
}

const char *op_gang_row(const struct op_args *args, enum pto_op op, const struct op_gang *gang)
{
    const struct pto_op_info *info = pto_op_info(op);
    const struct op_view *domain = &args->arg[gang->domain].view;
    uint8_t key = args->arg[gang->key].view.dtype;
    struct op_lane lane[OP_GANG_ROWS];
    uint64_t element[OP_GANG_ROWS];
    unsigned lanes = 0;

    for (unsigned i = 0; i < info->operands; i++) {
        const struct pto_operand_spec *spec = &info->operand[i];
        const char *fault;

        if (spec->kind == PTO_K_ENUM || (spec->access & PTO_SCRATCH))
            continue;
        if (is_scalar(spec))
            fault = scalar_lane(args, i, spec->kind == PTO_K_FLOAT ? PTO_F32 : key, gang->raw,
                                &element[lanes], &lane[lanes]);
        else
            fault = tile_lane(args, spec, i, gang, &lane[lanes]);
        if (fault)
            return fault;
        lanes++;
    }
    return op_gang_lanes(args, domain->rows, domain->cols, lane, lanes, gang->function[key]);
}

/* ---- one block ------------------------------------------------------------------------------- */
static bool is_constant(const struct op_lane *lane)
{
    return lane->place.row.inner == 0 && lane->place.col.inner == 0;
}

/* The block where it lies, if its elements can be used there; else NULL. */
static void *in_place(const struct op_lane *lane, uint32_t row, uint32_t col, uint32_t height,
                      uint32_t width)
{
    const struct op_place *place = &lane->place;

    if (lane->mask || lane->widen || place->col.inner != (int64_t)place->size ||
        op_axis_run(&place->col, col) < width)
        return NULL;
    if (height > 1 && (place->row.inner != (int64_t)place->size * width ||
                       op_axis_run(&place->row, row) < height))
        return NULL;
    return op_address(place, row, col);
}

/* Eight elements at a time: inner loops of fixed length, which the compiler unrolls. */
static void unpack(const uint8_t *bits, uint8_t *bytes, uint32_t height, uint32_t width)
{
    for (uint32_t r = 0; r < height; r++, bits += (width + 7) / 8, bytes += width) {
        for (uint32_t i = 0; i < width / 8; i++)
            for (uint32_t k = 0; k < 8; k++)
                bytes[8 * i + k] = bits[i] >> k & 1;
        for (uint32_t c = width / 8 * 8; c < width; c++)
            bytes[c] = bits[c / 8] >> c % 8 & 1;
    }
}

/* Bits past the last column are 0. */
static void pack(const uint8_t *bytes, uint8_t *bits, uint32_t height, uint32_t width)
{
    for (uint32_t r = 0; r < height; r++, bits += (width + 7) / 8, bytes += width) {
        for (uint32_t i = 0; i < width / 8; i++) {
            uint32_t all = 0;

            for (uint32_t k = 0; k < 8; k++)
                all |= (uint32_t)bytes[8 * i + k] << k;
            bits[i] = (uint8_t)all;
        }
        if (width % 8)
            bits[width / 8] = 0;
        for (uint32_t c = width / 8 * 8; c < width; c++)
            bits[c / 8] = (uint8_t)(bits[c / 8] | bytes[c] << c % 8);
    }
}

/* The block of a lane as it is in memory, and the same in the buffer row by row. */
static void block_places(const struct op_lane *lane, uint32_t row, uint32_t col, uint32_t width,
                         void *raw, struct op_place *memory, struct op_place *buffer)
{
    uint32_t size = lane->place.size, step = lane->mask ? 8 : 1;

    *memory = op_place_at(lane->place, row, col / step);
    *buffer = op_strided(raw, (int64_t)lane_cols(lane, width) * size, size, size);
}

/* The row that the function gets for a lane, filled if it is read. */
static void *fetch(const struct op_lane *lane, struct buffer *buffer, uint32_t row, uint32_t col,
                   uint32_t height, uint32_t width)
{
    void *target = lane->widen || lane->mask ? (void *)buffer->wide : buffer->raw;
    void *direct = in_place(lane, row, col, height, width);
    struct op_place memory, raw;

    if (direct)
        return direct;
    if (!lane->read || (is_constant(lane) && (row || col)))
        return target;
    block_places(lane, row, col, width, buffer->raw, &memory, &raw);
    op_copy(&raw, &memory, height, lane_cols(lane, width));
    if (lane->widen)
        op_widen(lane->dtype, buffer->wide, buffer->raw, (size_t)height * width);
    if (lane->mask)
        unpack(buffer->raw, target, height, width);
    return target;
}

static void store(const struct op_lane *lane, struct buffer *buffer, uint32_t row, uint32_t col,
                  uint32_t height, uint32_t width)
{
    struct op_place memory, raw;

    if (!lane->written || in_place(lane, row, col, height, width))
        return;
    if (lane->widen)
        op_narrow(lane->dtype, buffer->raw, buffer->wide, (size_t)height * width);
    if (lane->mask)
        pack((const uint8_t *)buffer->wide, buffer->raw, height, width);
    block_places(lane, row, col, width, buffer->raw, &memory, &raw);
    op_copy(&memory, &raw, height, lane_cols(lane, width));
}

/* ---- all blocks ------------------------------------------------------------------------------ */
/* Copies of the sources that a result would spoil.  Bits and elements of the same column lie at
 * different addresses even where their tiles agree, so those are never "the same place": a flipped
 * place covers the same bytes and equals no other. */
static const char *detach(const struct op_args *args, struct op_lane *lane, unsigned lanes,
                          uint32_t rows, uint32_t cols)
{
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = NULL;

    for (unsigned to = 0; to < lanes; to++) {
        for (unsigned from = 0; from < lanes && lane[to].written && !fault; from++) {
            uint32_t to_cols = lane_cols(&lane[to], cols);
            uint32_t from_cols = lane_cols(&lane[from], cols);
            struct op_place flipped = op_place_flip(lane[to].place);

            if (lane[from].written)
                continue;
            if (lane[to].mask == lane[from].mask)
                fault = op_detach(&scratch, &lane[to].place, rows, to_cols, &lane[from].place,
                                  rows, from_cols);
            else
                fault = op_detach(&scratch, &flipped, to_cols, rows, &lane[from].place, rows,
                                  from_cols);
        }
    }
    return fault;
}

const char *op_gang_lanes(const struct op_args *args, uint32_t rows, uint32_t cols,
                          struct op_lane *lane, unsigned lanes, op_gang_function *function)
{
    uint32_t width = cols < BLOCK ? cols : BLOCK, height = width ? BLOCK / width : 0;
    struct buffer buffer[OP_GANG_ROWS];
    const char *fault;

    if (!rows || !cols)
        return NULL;
    if (!function)
        return OP_NO_FUNCTION;
    fault = detach(args, lane, lanes, rows, cols);
    for (uint32_t row = 0, h; row < rows && !fault; row += h) {
        h = rows - row < height ? rows - row : height;
        for (uint32_t col = 0, w; col < cols && !fault; col += w) {
            void *at[OP_GANG_ROWS];

            w = cols - col < width ? cols - col : width;
            for (unsigned i = 0; i < lanes; i++)
                at[i] = fetch(&lane[i], &buffer[i], row, col, h, w);
            fault = function(at, (size_t)h * w);
            for (unsigned i = 0; i < lanes && !fault; i++)
                store(&lane[i], &buffer[i], row, col, h, w);
        }
    }
    return fault;
}
