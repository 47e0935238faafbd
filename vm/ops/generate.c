/* Tiles from nothing: TCI, TTRI, TRANDOM. */
#include <stdio.h>

#include "line.h"
#include "operand.h"

/* ---- TCI ------------------------------------------------------------------------------------- */
#define COUNT(type)                                                                                \
    static void count_##type(void *row, uint32_t value, uint32_t step, uint32_t n)                 \
    {                                                                                              \
        mem_##type *d = row;                                                                       \
                                                                                                   \
        for (uint32_t i = 0; i < n; i++)                                                           \
            d[i] = (mem_##type)(value + i * step);                                                 \
    }
COUNT(u16)
COUNT(u32)

/* Floats: start as an element, plus or minus the whole number c, rounded once. */
static void count_floats(const struct op_view *dst, const void *start, bool down)
{
    struct op_place place = op_place_of(dst);
    double first = pto_load_f64(start, (enum pto_dtype)dst->dtype);

    for (uint32_t col = 0; dst->rows && col < dst->cols; col++)
        pto_store_f64(op_address(&place, 0, col), (enum pto_dtype)dst->dtype,
                      down ? first - col : first + col);
}

static void count_integers(const struct op_view *dst, uint32_t first, uint32_t step)
{
    struct op_place place = op_place_of(dst);
    uint32_t row[OP_LINE];
    struct op_place buffer = op_strided(row, 0, place.size, place.size);

    for (uint32_t col = 0; dst->rows && col < dst->cols; col += OP_LINE) {
        uint32_t count = op_line_length(col, dst->cols);
        struct op_place to = op_place_at(place, 0, col);
        bool direct = place.col.inner == (int64_t)place.size && op_axis_run(&to.col, 0) >= count;
        void *numbers = direct ? (void *)op_address(&to, 0, 0) : row;

        if (place.size == 2)
            count_u16(numbers, first + col * step, step, count);
        else
            count_u32(numbers, first + col * step, step, count);
        if (!direct)
            op_copy(&to, &buffer, 1, count);
    }
}

/* dst[0, c] = start + c, or start - c if `descending`; integers wrap around in the type of dst.
 * start lies in its range, else it faults.  dst has one valid row. */
OP(TCI)
{
    const struct op_view *dst = &args->arg[0].view;
    bool down = args->arg[3].i == PTO_DIRECTION_DESCENDING;
    _Alignas(8) uint8_t start[8];
    const char *fault = op_convert_scalar(args, 1, dst->dtype, start);

    if (fault)
        return fault;
    if (dst->rows > 1) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %u valid rows: TCI writes one, give {1, %u}", dst->rows, dst->cols);
        return args->message;
    }
    if (pto_dtype_is_float((enum pto_dtype)dst->dtype))
        count_floats(dst, start, down);
    else
        count_integers(dst, (uint32_t)pto_load_int(start, (enum pto_dtype)dst->dtype),
                       down ? UINT32_MAX : 1);
    return NULL;
}

/* ---- TTRI ------------------------------------------------------------------------------------ */
/* lower: dst[r, c] = 1 where c <= r + diagonal, else 0; upper: 1 where c >= r + diagonal, else 0.
 * diagonal is any integer. */
OP(TTRI)
{
    const struct op_view *dst = &args->arg[0].view;
    struct op_place place = op_place_of(dst);
    bool upper = args->arg[2].i == PTO_TRIANGLE_UPPER;
    int64_t diagonal = args->arg[1].i, limit = UINT32_MAX;
    _Alignas(8) uint8_t element[2][8];
    struct op_place fill[2];

    for (int i = 0; i < 2; i++) {
        pto_store_f64(element[i], (enum pto_dtype)dst->dtype, i);
        fill[i] = op_strided(element[i], 0, 0, place.size);
    }
    diagonal = diagonal > limit ? limit : diagonal < -limit ? -limit : diagonal;
    for (uint32_t row = 0; row < dst->rows; row++) {
        int64_t edge = row + diagonal + (upper ? 0 : 1); /* columns before it are alike */
        uint32_t left = edge < 0 ? 0 : edge > dst->cols ? dst->cols : (uint32_t)edge;
        struct op_place to = op_place_at(place, row, 0), rest = op_place_at(place, row, left);

        op_copy(&to, &fill[!upper], 1, left);
        op_copy(&rest, &fill[upper], 1, dst->cols - left);
    }
    return NULL;
}

/* ---- TRANDOM --------------------------------------------------------------------------------- */
struct philox {
    uint32_t counter[4], key[2];
};

static void philox_add(struct philox *state, uint64_t blocks)
{
    unsigned __int128 counter = 0;

    for (int i = 3; i >= 0; i--)
        counter = counter << 32 | state->counter[i];
    counter += blocks;
    for (int i = 0; i < 4; i++)
        state->counter[i] = (uint32_t)(counter >> 32 * i);
}

enum { BATCH = 32, BATCH_WORDS = 4 * BATCH };

static inline uint32_t high_half(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

/* Philox 4x32: four words from a counter and a key, for the next BATCH counters beside each other,
 * as hosts compute them best. */
static void philox(struct philox *state, unsigned rounds, uint32_t *words)
{
    uint32_t key[2] = {state->key[0], state->key[1]}, x[4][BATCH];

    for (int i = 0; i < BATCH; i++, philox_add(state, 1))
        for (int k = 0; k < 4; k++)
            x[k][i] = state->counter[k];
    for (unsigned round = 0; round < rounds; round++) {
        for (int i = 0; i < BATCH; i++) {
            uint32_t even = x[0][i], odd = x[2][i];

            x[0][i] = high_half(0xcd9e8d57u, odd) ^ x[1][i] ^ key[0];
            x[1][i] = 0xcd9e8d57u * odd;
            x[2][i] = high_half(0xd2511f53u, even) ^ x[3][i] ^ key[1];
            x[3][i] = 0xd2511f53u * even;
        }
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    for (int i = 0; i < BATCH; i++)
        for (int k = 0; k < 4; k++)
            words[4 * i + k] = x[k][i];
}

static const char *read_words(const struct op_args *args, int index, const char *name,
                              uint32_t count, uint32_t *words)
{
    struct op_place place = op_place_of(&args->arg[index].view);
    struct op_place to = op_strided(words, 0, 4, 4);
    const char *fault = op_covers(args, index, name, 1, count);

    if (!fault)
        op_copy(&to, &place, 1, count);
    return fault;
}

/* dst = the words of Philox 4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
 * 2011) with the key key[0, 0..1] and the 128-bit counter counter[0, 0..3], least word first.
 * Element number e of dst's valid region, counted row by row, is word e mod 4 of block counter + e
 * / 4. rounds is 10 or 7.  key and counter stay as they are: for the next tile, add what was used.
 *
 * Upstream's implementations place the words differently from each other (pto-isa,
 * include/pto/cpu/TRandom.hpp and include/pto/npu/a5/TRandom.hpp); this order is that of the
 * blocks, as in other libraries. */
OP(TRANDOM)
{
    const struct op_view *dst = &args->arg[0].view;
    struct op_place place = op_place_of(dst);
    int64_t rounds = args->arg[3].present ? args->arg[3].i : 10;
    struct philox state;
    uint32_t words[BATCH_WORDS], next = BATCH_WORDS, count;
    const char *fault = NULL;

    for (int i = 0; i < 3; i++)
        if (pto_dtype_size(args->arg[i].view.dtype) != sizeof *words)
            return OP_NO_FUNCTION;
    fault = read_words(args, 1, "key", 2, state.key);
    if (!fault)
        fault = read_words(args, 2, "counter", 4, state.counter);
    if (!fault && rounds != 7 && rounds != 10) {
        snprintf(args->message, OP_MESSAGE_BYTES, "%lld rounds: 10 or 7 are possible",
                 (long long)rounds);
        return args->message;
    }
    for (uint32_t row = 0; !fault && row < dst->rows; row++)
        for (uint32_t col = 0; col < dst->cols; col += count, next += count) {
            struct op_place target = op_place_at(place, row, col), source;

            if (next == BATCH_WORDS) {
                philox(&state, (unsigned)rounds, words);
                next = 0;
            }
            source = op_strided(words + next, 0, sizeof *words, sizeof *words);
            count = dst->cols - col < BATCH_WORDS - next ? dst->cols - col : BATCH_WORDS - next;
            op_copy(&target, &source, 1, count);
        }
    return fault;
}
