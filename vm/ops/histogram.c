/* THISTOGRAM: counts of byte values, the step of a radix sort. */
#include <stdio.h>

#include "apart.h"
#include "line.h"
#include "operand.h"

enum { BINS = 256 };

/* What the bytes above the counted one must be. */
struct filter {
    uint32_t mask, value;
};

/* Without a filter (`all`) every element counts. */
#define COUNT(type)                                                                                \
    OP_INLINE void count_each_##type(const mem_##type *x, uint32_t n, unsigned shift,              \
                                     struct filter filter, uint32_t *bins, bool all)               \
    {                                                                                              \
        for (uint32_t i = 0; i < n; i++)                                                           \
            bins[x[i] >> shift & 0xff] += all || (x[i] & filter.mask) == filter.value;             \
    }                                                                                              \
    static void count_##type(const mem_##type *x, uint32_t n, unsigned shift,                      \
                             struct filter filter, uint32_t *bins)                                 \
    {                                                                                              \
        if (filter.mask)                                                                           \
            count_each_##type(x, n, shift, filter, bins, false);                                   \
        else                                                                                       \
            count_each_##type(x, n, shift, filter, bins, true);                                    \
    }
COUNT(u16)
COUNT(u32)

/* idx[r, 0] is the most significant byte, idx[r, 1] the next one, ... */
static struct filter filter_of(const struct op_place *idx, uint32_t row, unsigned bits,
                               unsigned shift)
{
    struct filter filter = {0, 0};

    for (unsigned at = bits - 8, i = 0; at > shift; at -= 8, i++) {
        filter.mask |= 0xffu << at;
        filter.value |= (uint32_t)*op_address(idx, row, i) << at;
    }
    return filter;
}

/* dst[r, b] = how many elements of row r of src have b as byte number k (BYTE_0 is the least) and,
 * as the bytes above it, idx[r, 0] (the most significant), idx[r, 1], ...  For the most significant
 * byte idx is not looked at.  dst has 256 valid columns; u16 has BYTE_1 and BYTE_0.  dst may
 * overlap src and idx. */
OP(THISTOGRAM)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    unsigned bits = 8 * pto_dtype_size((enum pto_dtype)src->dtype);
    unsigned shift = 8 * (unsigned)args->arg[3].i, upper = bits / 8 - 1 - shift / 8;
    struct op_place to = op_place_of(dst), from = op_place_of(src);
    struct op_place idx = op_place_of(&args->arg[2].view);
    struct op_scratch scratch = {args->scratch, 0};
    struct op_line line;
    const char *fault = op_covers(args, 1, "src", dst->rows, 0);

    if (fault || !dst->rows || !dst->cols)
        return fault;
    if (shift >= bits)
        return "elements of u16 have BYTE_1 and BYTE_0 only";
    if (dst->cols != BINS) {
        snprintf(args->message, OP_MESSAGE_BYTES, "dst has %u valid columns: give {%u, %d}",
                 dst->cols, dst->rows, BINS);
        return args->message;
    }
    fault = upper ? op_covers(args, 2, "idx", dst->rows, upper) : NULL;
    if (!fault)
        fault = op_separate(&scratch, dst, &from, dst->rows, src->cols);
    if (!fault && upper)
        fault = op_separate(&scratch, dst, &idx, dst->rows, upper);
    for (uint32_t row = 0; !fault && row < dst->rows; row++) {
        struct filter filter = filter_of(&idx, row, bits, shift);
        uint32_t bins[BINS] = {0};
        struct op_place counts = op_strided(bins, 0, 4, 4), target = op_place_at(to, row, 0);

        for (uint32_t col = 0; col < src->cols; col += OP_LINE) {
            uint32_t count = op_line_length(col, src->cols);
            const void *piece = op_line_read(&line, &from, src->dtype, false, row, col, count);

            if (src->dtype == PTO_U16)
                count_u16(piece, count, shift, filter, bins);
            else
                count_u32(piece, count, shift, filter, bins);
        }
        op_copy(&target, &counts, 1, BINS);
    }
    return fault;
}
