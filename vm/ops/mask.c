/* Every second or fourth element: TGATHER and TSCATTER with a mask pattern. */
#include <stdio.h>

#include "apart.h"
#include "place.h"

/* The columns that a pattern selects: first, first + period, ...; by PTO_MASK_*. */
struct pattern {
    uint32_t period, first;
};

static struct pattern pattern_of(int64_t mask)
{
    static const struct pattern patterns[] = {
        [PTO_MASK_P0101] = {2, 0}, [PTO_MASK_P1010] = {2, 1}, [PTO_MASK_P0001] = {4, 0},
        [PTO_MASK_P0010] = {4, 1}, [PTO_MASK_P0100] = {4, 2}, [PTO_MASK_P1000] = {4, 3},
        [PTO_MASK_P1111] = {1, 0}};

    return patterns[mask];
}

/* How many of `length` columns are selected. */
static uint32_t selected(struct pattern p, uint32_t length)
{
    return length > p.first ? (length - p.first - 1) / p.period + 1 : 0;
}

/* A tile whose columns (`along` row) or rows the pattern goes over, as columns. */
struct sheet {
    struct op_place place;
    uint32_t lines, length;
};

static struct sheet sheet_of(const struct op_view *view, bool along_row)
{
    struct op_place place = op_place_of(view);

    if (along_row)
        return (struct sheet){place, view->rows, view->cols};
    return (struct sheet){op_place_flip(place), view->cols, view->rows};
}

/* dst and src as sheets, src apart from dst. */
static const char *mask_operands(const struct op_args *args, struct sheet *dst, struct sheet *src)
{
    bool along_row = args->arg[3].i == PTO_AXIS_ROW;
    struct op_scratch scratch = {args->scratch, 0};

    *dst = sheet_of(&args->arg[0].view, along_row);
    *src = sheet_of(&args->arg[1].view, along_row);
    return op_separate(&scratch, &args->arg[0].view, &src->place, src->lines, src->length);
}

static const char *check_sheets(const struct op_args *args, const struct sheet *src,
                                uint32_t lines, uint32_t length)
{
    const struct op_view *dst = &args->arg[0].view, *view = &args->arg[1].view;

    if (src->lines >= lines && src->length >= length)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES,
             "src has %u x %u valid elements, too few for dst {%u, %u} with this pattern",
             view->rows, view->cols, dst->rows, dst->cols);
    return args->message;
}

/* dst[r, k] = src[r, j] where j is the k-th column that the pattern selects: P0101 0, 2, 4, ...;
 * P1010 1, 3, ...; P0001, P0010, P0100, P1000 0, 1, 2, 3 and every fourth from there; P1111 all.
 * Over the valid region of dst; src has the columns that this takes.  Axis col: rows instead of
 * columns.  Bits are copied; dst may overlap src. */
OP(TGATHER_MASK)
{
    struct pattern pattern = pattern_of(args->arg[2].i);
    struct sheet dst, src;
    const char *fault = mask_operands(args, &dst, &src);
    struct op_place from = op_every_column(src.place, pattern.first, pattern.period);

    if (!fault && dst.lines && dst.length)
        fault = check_sheets(args, &src, dst.lines,
                             pattern.first + (dst.length - 1) * pattern.period + 1);
    if (!fault)
        op_copy(&dst.place, &from, dst.lines, dst.length);
    return fault;
}

/* Elements with a zero behind or before each: of `even` and `odd` one is all ones, for the
 * elements, the other 0. */
#define SPREAD(type)                                                                               \
    static void spread_##type(void *dst, const void *src, size_t pairs, mem_##type even,           \
                              mem_##type odd)                                                      \
    {                                                                                              \
        mem_##type *d = dst;                                                                       \
        const mem_##type *s = src;                                                                 \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < pairs; i++) {                                                       \
            d[2 * i] = s[i] & even;                                                                \
            d[2 * i + 1] = s[i] & odd;                                                             \
        }                                                                                          \
    }
SPREAD(u8)
SPREAD(u16)
SPREAD(u32)
SPREAD(u64)

static void spread_line(uint8_t *dst, const uint8_t *src, uint32_t size, size_t pairs,
                        bool zero_first)
{
    uint64_t even = zero_first ? 0 : UINT64_MAX, odd = ~even;

    switch (size) {
    case 1: spread_u8(dst, src, pairs, (uint8_t)even, (uint8_t)odd); break;
    case 2: spread_u16(dst, src, pairs, (uint16_t)even, (uint16_t)odd); break;
    case 4: spread_u32(dst, src, pairs, (uint32_t)even, (uint32_t)odd); break;
    default: spread_u64(dst, src, pairs, even, odd); break;
    }
}

/* Every second column of dst from src, zeros between them. */
static void spread(const struct sheet *dst, const struct sheet *src, uint32_t pairs,
                   bool zero_first)
{
    bool in_one = op_rows_continue(&dst->place, dst->length) &&
                  op_rows_continue(&src->place, pairs);

    for (uint32_t line = 0; line < (in_one ? 1 : dst->lines); line++)
        spread_line(op_address(&dst->place, line, 0), op_address(&src->place, line, 0),
                    dst->place.size, in_one ? (size_t)pairs * dst->lines : pairs, zero_first);
}

/* The inverse: column j of dst, the k-th that the pattern selects, = column k of src; all others
 * are 0.  Over the valid region of dst; src has as many columns as are selected. */
OP(TSCATTER_MASK)
{
    struct pattern pattern = pattern_of(args->arg[2].i);
    struct sheet dst, src;
    const char *fault = mask_operands(args, &dst, &src);
    uint32_t count = selected(pattern, dst.length);
    struct op_place to = op_every_column(dst.place, pattern.first, pattern.period);
    _Alignas(8) uint8_t zero[8] = {0};
    struct op_place nothing = op_strided(zero, 0, 0, dst.place.size);

    if (!fault)
        fault = check_sheets(args, &src, dst.lines, count);
    if (fault)
        return fault;
    if (pattern.period == 2 && dst.length % 2 == 0 && op_along_rows(&dst.place) &&
        op_along_rows(&src.place)) {
        spread(&dst, &src, count, pattern.first == 1);
        return NULL;
    }
    if (pattern.period > 1)
        op_copy(&dst.place, &nothing, dst.lines, dst.length);
    op_copy(&to, &src.place, dst.lines, count);
    return NULL;
}
