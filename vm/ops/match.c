/* Where elements compare with a threshold: TGATHER with a comparison. */
#include "apart.h"
#include "index.h"
#include "operand.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

struct matcher {
    struct op_place src;
    uint8_t dtype;
    bool greater; /* than the threshold, else equal to it */
    struct op_line line;
    int64_t number[OP_LINE];
    uint32_t found[OP_LINE]; /* columns of the piece that matched */
};

/* Writes every column and moves on only after a match. */
#define MATCH(name, type)                                                                          \
    static uint32_t name(uint32_t *restrict columns, const type *values, type threshold,           \
                         bool greater, uint32_t count)                                             \
    {                                                                                              \
        uint32_t found = 0;                                                                        \
                                                                                                   \
        for (uint32_t i = 0; i < count; i++) {                                                     \
            columns[found] = i;                                                                    \
            found += greater ? values[i] > threshold : values[i] == threshold;                     \
        }                                                                                          \
        return found;                                                                              \
    }
MATCH(match_rest, mem_f32)
MATCH(match_integers, int64_t)

#if defined(__AVX2__) && defined(__BMI2__) && defined(__x86_64__)
/* The numbers of the set bits among 8, one behind the other, as 8 integers; behind them zeros. */
static inline __m256i set_bits(unsigned bits)
{
    uint64_t bytes = _pdep_u64(bits, 0x0101010101010101) * 0xff;

    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(
        (int64_t)_pext_u64(0x0706050403020100, bytes)));
}

/* Eight columns at a time; what is written behind the matches is written over later.  `count` is a
 * multiple of 8. */
static uint32_t match_eights(uint32_t *columns, const mem_f32 *values, float threshold,
                             bool greater, uint32_t count)
{
    __m256 limit = _mm256_set1_ps(threshold);
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i += 8) {
        __m256 value = _mm256_loadu_ps((const float *)(values + i));
        __m256 match = greater ? _mm256_cmp_ps(value, limit, _CMP_GT_OQ)
                               : _mm256_cmp_ps(value, limit, _CMP_EQ_OQ);
        unsigned bits = (unsigned)_mm256_movemask_ps(match);
        __m256i column = _mm256_add_epi32(set_bits(bits), _mm256_set1_epi32((int)i));

        _mm256_storeu_si256((__m256i *)(columns + found), column);
        found += (uint32_t)__builtin_popcount(bits);
    }
    return found;
}

static uint32_t match_floats(uint32_t *columns, const mem_f32 *values, float threshold,
                             bool greater, uint32_t count)
{
    uint32_t whole = count - count % 8, rest;
    uint32_t found = match_eights(columns, values, threshold, greater, whole);

    rest = match_rest(columns + found, values + whole, threshold, greater, count - whole);
    for (uint32_t i = 0; i < rest; i++)
        columns[found + i] += whole;
    return found + rest;
}
#else
#define match_floats match_rest
#endif

/* How many of the columns [col, col + count) match. */
static uint32_t match_piece(struct matcher *m, const void *threshold, uint32_t row, uint32_t col,
                            uint32_t count)
{
    const void *elements = op_line_read(&m->line, &m->src, m->dtype, true, row, col, count);

    if (pto_dtype_is_float((enum pto_dtype)m->dtype))
        return match_floats(m->found, elements,
                            (float)pto_load_f64(threshold, (enum pto_dtype)m->dtype), m->greater,
                            count);
    op_to_i64(m->dtype, m->number, elements, count);
    return match_integers(m->found, m->number,
                          pto_load_int(threshold, (enum pto_dtype)m->dtype), m->greater, count);
}

/* dst[r, 0], dst[r, 1], ... = offset + c for the columns c of src0 where src0[r, c] is greater than
 * (gt) or equal to (eq) k[r, 0], ascending, modulo 2^32; cdst[r, 0] = how many there are.  All
 * valid columns of src0 are looked at, in the rows of dst; where dst has fewer columns than there
 * are matches it gets the first ones, elements of dst behind the matches stay as they are.  A NaN
 * matches nothing, -0 equals +0.  dst and cdst must not overlap each other, they may overlap src0
 * and k. */
OP(TGATHER_MATCH)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view,
                         *counts = &args->arg[3].view;
    struct op_place to = op_place_of(dst), limits = op_place_of(&args->arg[2].view);
    struct op_place totals = op_place_of(counts);
    struct matcher m = {.src = op_place_of(src), .dtype = src->dtype,
                        .greater = args->arg[6].i == PTO_MATCH_GT};
    struct op_place columns = op_strided(m.found, 0, 4, 4);
    struct op_scratch scratch = {args->scratch, 0};
    const char *fault = op_covers(args, 1, "src0", dst->rows, 0);

    if (!fault)
        fault = op_covers(args, 2, "k", dst->rows, 1);
    if (!fault)
        fault = op_covers(args, 3, "cdst", dst->rows, 1);
    if (fault || !dst->rows)
        return fault;
    if (op_overlap(&to, dst->rows, dst->cols, &totals, dst->rows, 1))
        return "dst and cdst overlap: use separate tiles";
    for (int i = 0; !fault && i < 2; i++) {
        fault = op_separate(&scratch, i ? counts : dst, &m.src, dst->rows, src->cols);
        if (!fault)
            fault = op_separate(&scratch, i ? counts : dst, &limits, dst->rows, 1);
    }
    for (uint32_t row = 0; !fault && row < dst->rows; row++) {
        uint32_t total = 0;

        for (uint32_t col = 0; col < src->cols; col += OP_LINE) {
            uint32_t found = match_piece(&m, op_address(&limits, row, 0), row, col,
                                         op_line_length(col, src->cols));

            uint32_t room = total < dst->cols ? dst->cols - total : 0;
            struct op_place target = op_place_at(to, row, total);

            for (uint32_t i = 0; i < found; i++)
                m.found[i] += (uint32_t)args->arg[5].i + col;
            op_copy(&target, &columns, 1, found < room ? found : room);
            total += found;
        }
        *(mem_u32 *)op_address(&totals, row, 0) = total;
    }
    return fault;
}
