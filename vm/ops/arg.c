/* Where the extremes are: TROWARGMAX, TROWARGMIN, TCOLARGMAX, TCOLARGMIN, with or without the
 * values.
 *
 * Elements are compared by keys: 32-bit integers in the order of the values, -0 below +0, all NaNs
 * above the rest.  For the least value the keys are turned around, NaNs again above the rest. */
#include <stdio.h>

#include "line.h"
#include "operand.h"

/* Which element won, and its key. */
struct best {
    int32_t key;
    uint32_t at;
};

/* ---- keys ------------------------------------------------------------------------------------ */
static void keys_of_f32(int32_t *keys, const void *row, size_t n, int32_t flip)
{
    const mem_i32 *bits = row;

    for (size_t i = 0; i < n; i++) {
        int32_t key = bits[i] ^ (int32_t)((uint32_t)(bits[i] >> 31) >> 1) ^ flip;

        keys[i] = (bits[i] & INT32_MAX) > 0x7f800000 ? INT32_MAX : key;
    }
}

#define KEYS(type, bias)                                                                           \
    static void keys_of_##type(int32_t *keys, const void *row, size_t n, int32_t flip)             \
    {                                                                                              \
        const mem_##type *x = row;                                                                 \
                                                                                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            keys[i] = (int32_t)((uint32_t)x[i] ^ bias) ^ flip;                                     \
    }
KEYS(i8, 0)
KEYS(u8, 0)
KEYS(i16, 0)
KEYS(u16, 0)
KEYS(i32, 0)
KEYS(u32, 0x80000000u)

typedef void key_function(int32_t *keys, const void *row, size_t n, int32_t flip);

static key_function *const key_functions[PTO_DTYPE_COUNT] = {
    [PTO_F32] = keys_of_f32, [PTO_F16] = keys_of_f32, [PTO_BF16] = keys_of_f32,
    [PTO_I8] = keys_of_i8,   [PTO_U8] = keys_of_u8,   [PTO_I16] = keys_of_i16,
    [PTO_U16] = keys_of_u16, [PTO_I32] = keys_of_i32, [PTO_U32] = keys_of_u32};

struct search {
    struct op_place src;
    uint8_t dtype;
    int32_t flip; /* -1: the least instead of the greatest */
    struct op_line line;
    int32_t keys[OP_LINE];
};

static void read_keys(struct search *s, uint32_t row, uint32_t col, uint32_t count)
{
    const void *elements = op_line_read(&s->line, &s->src, s->dtype, true, row, col, count);

    key_functions[s->dtype](s->keys, elements, count, s->flip);
}

/* ---- along rows, down columns ---------------------------------------------------------------- */
/* The first of several equal ones wins. */
static struct best search_row(struct search *s, uint32_t row, uint32_t cols)
{
    struct best best = {INT32_MIN, 0};

    for (uint32_t col = 0; col < cols; col += OP_LINE) {
        uint32_t count = op_line_length(col, cols), i = 0;
        int32_t greatest = INT32_MIN;

        read_keys(s, row, col, count);
        for (uint32_t k = 0; k < count; k++)
            greatest = s->keys[k] > greatest ? s->keys[k] : greatest;
        if (greatest <= best.key)
            continue;
        while (s->keys[i] != greatest)
            i++;
        best = (struct best){greatest, col + i};
    }
    return best;
}

static void search_columns(struct search *s, uint32_t col, uint32_t count, uint32_t rows,
                           uint32_t *at)
{
    int32_t best[OP_LINE];

    for (uint32_t i = 0; i < count; i++) {
        best[i] = INT32_MIN;
        at[i] = 0;
    }
    for (uint32_t row = 0; row < rows; row++) {
        read_keys(s, row, col, count);
        for (uint32_t i = 0; i < count; i++) {
            bool better = s->keys[i] > best[i];

            best[i] = better ? s->keys[i] : best[i];
            at[i] = better ? row : at[i];
        }
    }
}

/* ---- instructions ---------------------------------------------------------------------------- */
/* One element as it is, a NaN as the canonical one. */
static void copy_value(uint8_t dtype, void *to, const void *from)
{
    float wide;

    memcpy(to, from, pto_dtype_size((enum pto_dtype)dtype));
    if (dtype == PTO_F32) {
        *(mem_f32 *)to = op_canonical(*(const mem_f32 *)from);
    } else if (op_is_small_float(dtype)) {
        op_widen(dtype, &wide, from, 1);
        op_narrow(dtype, to, &wide, 1);
    }
}

static const char *check_shape(const struct op_args *args, int index, const char *name,
                               uint32_t count, bool rows)
{
    const struct op_view *view = &args->arg[index].view;

    if (view->rows == (rows ? count : 1) && view->cols == (rows ? 1 : count))
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES,
             "%s has %u x %u valid elements, the result has %u x %u: give {%u, %u}", name,
             view->rows, view->cols, rows ? count : 1, rows ? 1 : count, rows ? count : 1,
             rows ? 1 : count);
    return args->message;
}

/* Operands [val,] idx, src.  All results are known before the first is written, so that they may
 * lie over src; val and idx must not overlap each other. */
static const char *search(const struct op_args *args, int idx, int32_t flip, bool rows)
{
    const struct op_view *at = &args->arg[idx].view, *src = &args->arg[idx + 1].view;
    uint32_t count = rows ? at->rows : at->cols, depth = rows ? src->cols : src->rows;
    struct search s = {.src = op_place_of(src), .dtype = src->dtype, .flip = flip};
    struct op_place to = op_place_of(at), val = op_place_of(&args->arg[0].view);
    uint32_t *found = (uint32_t *)args->scratch;
    uint8_t *values = args->scratch + OP_SCRATCH_BYTES / 2;
    struct op_place packed = op_strided(found, rows ? 4 : 0, rows ? 0 : 4, 4);
    const char *fault = NULL;

    if (!at->rows || !at->cols || !depth)
        return NULL;
    if (!key_functions[src->dtype])
        return OP_NO_FUNCTION;
    if (count > OP_SCRATCH_BYTES / 2 / 8)
        return "too many results for one instruction: split it";
    fault = op_covers(args, idx + 1, "src", rows ? count : 1, rows ? 1 : count);
    if (!fault)
        fault = check_shape(args, idx, "idx", count, rows);
    if (!fault && idx)
        fault = check_shape(args, 0, "val", count, rows);
    if (fault)
        return fault;
    if (idx && op_overlap(&to, at->rows, at->cols, &val, at->rows, at->cols))
        return "val and idx overlap: use separate tiles";
    for (uint32_t i = 0; rows && i < count; i++)
        found[i] = search_row(&s, i, depth).at;
    for (uint32_t i = 0; !rows && i < count; i += OP_LINE)
        search_columns(&s, i, op_line_length(i, count), depth, found + i);
    for (uint32_t i = 0; idx && i < count; i++)
        copy_value(s.dtype, values + (size_t)i * s.src.size,
                   op_address(&s.src, rows ? i : found[i], rows ? found[i] : i));
    op_copy(&to, &packed, at->rows, at->cols);
    if (idx) {
        packed = op_strided(values, rows ? s.src.size : 0, rows ? 0 : s.src.size, s.src.size);
        op_copy(&val, &packed, at->rows, at->cols);
    }
    return NULL;
}

/* idx[r, 0] = column of the largest (smallest) of src[r, c], the first of equal ones; val[r, 0] =
 * that element.  The order is that of TROWMAX: -0 below +0, and a NaN wins over everything, for the
 * smallest too.  No columns: nothing is written. */
#define ARG_ROWS(id, index, flip)                                                                  \
    OP(id)                                                                                         \
    {                                                                                              \
        return search(args, index, flip, true);                                                    \
    }
ARG_ROWS(TROWARGMAX, 0, 0)
ARG_ROWS(TROWARGMAX_VALUE, 1, 0)
ARG_ROWS(TROWARGMIN, 0, -1)
ARG_ROWS(TROWARGMIN_VALUE, 1, -1)

/* idx[0, c] = row of the largest (smallest) of src[r, c], and val[0, c], by the same rules. */
#define ARG_COLUMNS(id, index, flip)                                                               \
    OP(id)                                                                                         \
    {                                                                                              \
        return search(args, index, flip, false);                                                   \
    }
ARG_COLUMNS(TCOLARGMAX, 0, 0)
ARG_COLUMNS(TCOLARGMAX_VALUE, 1, 0)
ARG_COLUMNS(TCOLARGMIN, 0, -1)
ARG_COLUMNS(TCOLARGMIN_VALUE, 1, -1)
