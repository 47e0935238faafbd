/* Sorting in descending order: TSORT32 sorts blocks of 32, TMRGSORT merges what is sorted.
 *
 * Both work on records of 8 bytes: a value (f32, or f16 and two bytes of 0) and a 32-bit index,
 * which is 2 or 4 elements of the value's type.  Values are compared by keys, unsigned numbers in
 * their order: -0 below +0, every NaN above the rest and equal to each other. */
#include <stdio.h>

#include "apart.h"
#include "line.h"
#include "operand.h"

enum {
    BLOCK = 32, /* elements that TSORT32 sorts */
    LISTS = 4,  /* that TMRGSORT merges */
    MOST_REPEATS = 255,
    MERGE_UNIT = 64 /* elements of which the length of a run is a multiple */
};

/* Elements of the value's type in a record. */
static uint32_t record_length(uint8_t dtype)
{
    return dtype == PTO_F16 ? 4 : 2;
}

static inline uint32_t key_of_f32(uint32_t bits)
{
    uint32_t key = bits >> 31 ? ~bits : bits | 0x80000000u;

    return (bits & 0x7fffffffu) > 0x7f800000u ? UINT32_MAX : key;
}

/* Widening keeps the order. */
static inline uint32_t key_of_f16(uint32_t bits)
{
    uint32_t key = bits >> 15 ? ~bits & 0xffffu : bits | 0x8000u;

    return (bits & 0x7fffu) > 0x7c00u ? UINT32_MAX : key;
}

static inline uint32_t key_of(uint8_t dtype, uint32_t bits)
{
    return dtype == PTO_F16 ? key_of_f16(bits & 0xffffu) : key_of_f32(bits);
}

/* ---- TSORT32 --------------------------------------------------------------------------------- */
/* Every element's rank is the number of those before it: the greater ones, and equal ones to its
 * left. */
static void sort_block(uint8_t dtype, const void *values, const void *indices, uint32_t count,
                       uint64_t *records)
{
    const mem_u16 *halves = values;
    const mem_u32 *words = values, *index = indices;
    uint64_t order[BLOCK];
    uint32_t value[BLOCK], rank[BLOCK];

    for (uint32_t i = 0; i < count; i++) {
        value[i] = dtype == PTO_F16 ? halves[i] : words[i];
        order[i] = (uint64_t)key_of(dtype, value[i]) << 32 | (BLOCK - i);
        rank[i] = 0;
    }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < count; i++)
            rank[i] += order[k] > order[i];
    for (uint32_t i = 0; i < count; i++)
        records[rank[i]] = (uint64_t)index[i] << 32 | value[i];
}

static const char *check_sort(const struct op_args *args, uint32_t length, bool *repeat_idx)
{
    const struct op_view *dst = &args->arg[0].view;
    uint32_t cols = dst->cols / length;
    const char *fault = op_covers(args, 1, "src", dst->rows, cols);

    *repeat_idx = args->arg[2].view.rows == 1;
    if (!fault)
        fault = op_covers(args, 2, "idx", *repeat_idx && dst->rows ? 1 : dst->rows, cols);
    if (fault)
        return fault;
    if (dst->cols % length) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %u valid columns: a record takes %u, so give a multiple", dst->cols,
                 length);
        return args->message;
    }
    if (cols % BLOCK && !args->arg[3].present) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "%u columns are no multiple of %d: the last block needs the scratch operand tmp",
                 cols, BLOCK);
        return args->message;
    }
    return NULL;
}

/* Each row of src in blocks of 32 columns (the last may be shorter): dst holds the block's records,
 * the greatest value first, of equal ones the left one; idx, one row for all or a row for each,
 * gives the indices.  dst has 2 (f32) or 4 (f16) columns for each of src.  Bits are copied; dst may
 * overlap src and idx. */
OP(TSORT32)
{
    const struct op_view *dst = &args->arg[0].view, *src = &args->arg[1].view;
    uint32_t length = record_length(dst->dtype), cols = dst->cols / length;
    struct op_place to = op_place_of(dst), from = op_place_of(src);
    struct op_place index = op_place_of(&args->arg[2].view);
    struct op_scratch scratch = {args->scratch, 0};
    struct op_line values, indices;
    uint64_t records[BLOCK];
    struct op_place buffer = op_strided(records, 0, to.size, to.size);
    bool repeat_idx;
    const char *fault = check_sort(args, length, &repeat_idx);

    if (!fault)
        fault = op_separate(&scratch, dst, &from, dst->rows, cols);
    if (!fault)
        fault = op_separate(&scratch, dst, &index, repeat_idx ? 1 : dst->rows, cols);
    for (uint32_t row = 0; !fault && row < dst->rows; row++)
        for (uint32_t col = 0; col < cols; col += BLOCK) {
            uint32_t count = cols - col < BLOCK ? cols - col : BLOCK;
            struct op_place target = op_place_at(to, row, col * length);

            sort_block(dst->dtype,
                       op_line_read(&values, &from, src->dtype, false, row, col, count),
                       op_line_read(&indices, &index, PTO_U32, false, repeat_idx ? 0 : row, col,
                                    count),
                       count, records);
            op_copy(&target, &buffer, 1, count * length);
        }
    return fault;
}

/* ---- TMRGSORT -------------------------------------------------------------------------------- */
struct list {
    const uint64_t *record;
    uint32_t count, used;
};

enum { USED_UP = -1 }; /* less than any key */

static inline int64_t head_of(uint8_t dtype, const struct list *list)
{
    if (list->used == list->count)
        return USED_UP;
    return key_of(dtype, (uint32_t)list->record[list->used]);
}

/* The greatest of the heads, the first of equal ones, until `most` are written, all lists are used
 * up, or with `exhausted` one of them is.  Returns how many were written. */
static uint32_t merge(uint8_t dtype, struct list *list, uint64_t *to, uint32_t most,
                      bool exhausted)
{
    int64_t head[LISTS];

    for (int i = 0; i < LISTS; i++)
        head[i] = head_of(dtype, &list[i]);
    for (uint32_t done = 0; done < most; done++) {
        int best = 0;

        for (int i = 1; i < LISTS; i++)
            if (head[i] > head[best])
                best = i;
        if (head[best] == USED_UP)
            return done;
        to[done] = list[best].record[list[best].used++];
        head[best] = head_of(dtype, &list[best]);
        if (exhausted && head[best] == USED_UP)
            return done + 1;
    }
    return most;
}

/* The records of a tile's one row, packed. */
static const char *read_records(const struct op_args *args, int index, const char *name,
                                struct op_scratch *scratch, struct list *list)
{
    const struct op_view *view = &args->arg[index].view;
    struct op_place from = op_place_of(view);
    uint32_t length = record_length(view->dtype);
    struct op_place buffer = op_strided(scratch->base + scratch->used, 0, from.size, from.size);

    if (view->rows > 1 || view->cols % length) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "%s has %u x %u valid elements: one row of records of %u is needed", name,
                 view->rows, view->cols, length);
        return args->message;
    }
    *list = (struct list){(const uint64_t *)(scratch->base + scratch->used),
                          view->rows ? view->cols / length : 0, 0};
    if ((size_t)list->count * 8 > OP_SCRATCH_BYTES / 2 - scratch->used)
        return "too many records for one instruction";
    op_copy(&buffer, &from, view->rows, view->cols);
    scratch->used += (size_t)list->count * 8;
    return NULL;
}

static const char *check_runs(const struct op_args *args, int64_t run)
{
    uint32_t cols = args->arg[0].view.cols;

    if (run < MERGE_UNIT || run % MERGE_UNIT || run > UINT32_MAX / LISTS || cols % (LISTS * run) ||
        cols / (LISTS * run) > MOST_REPEATS) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "runs of %lld in %u columns: a run is a multiple of %d, and the columns are 1 to "
                 "%d times %d runs", (long long)run, cols, MERGE_UNIT, MOST_REPEATS, LISTS);
        return args->message;
    }
    return NULL;
}

/* Every 4 runs of blockLen columns of src, each sorted, merged into one run of dst.  blockLen is a
 * multiple of 64; the columns of dst are a multiple of 4 blockLen, at most 255 times that.  One
 * row; of equal values the one of the earlier run comes first.  Runs that are not sorted are merged
 * by their heads all the same.  dst may overlap src. */
OP(TMRGSORT)
{
    const struct op_view *dst = &args->arg[0].view;
    uint32_t length = record_length(dst->dtype), count, run;
    struct op_scratch scratch = {args->scratch, 0};
    uint64_t *merged = (uint64_t *)(args->scratch + OP_SCRATCH_BYTES / 2);
    struct op_place to = op_place_of(dst), buffer = op_strided(merged, 0, to.size, to.size);
    struct list all, list[LISTS];
    const char *fault = op_covers(args, 1, "src", dst->rows, dst->cols);

    if (!fault)
        fault = read_records(args, 1, "src", &scratch, &all);
    if (fault || !dst->rows || !dst->cols)
        return fault;
    fault = check_runs(args, args->arg[2].i);
    if (fault)
        return fault;
    run = (uint32_t)args->arg[2].i / length;
    count = dst->cols / length;
    for (uint32_t first = 0; first < count; first += LISTS * run) {
        for (uint32_t i = 0; i < LISTS; i++)
            list[i] = (struct list){all.record + first + i * run, run, 0};
        merge(dst->dtype, list, merged + first, LISTS * run, false);
    }
    op_copy(&to, &buffer, 1, dst->cols);
    return NULL;
}

/* The records of 2 to 4 sorted lists merged into dst, until dst is full or all are used up; with
 * `exhausted` also as soon as one list is.  executed[0, i] = how many records of list i were used
 * (0 for lists that are not given).  The rest of dst stays as it is.  One row each; of equal values
 * the one of the earlier list comes first; dst may overlap the lists, and executed nothing. */
OP(TMRGSORT_LISTS)
{
    enum { FIRST = 3 }; /* operand */
    static const char *const names[LISTS] = {"src0", "src1", "src2", "src3"};
    const struct op_view *dst = &args->arg[0].view, *executed = &args->arg[1].view;
    uint32_t length = record_length(dst->dtype), count = 0;
    struct op_scratch scratch = {args->scratch, 0};
    uint64_t *merged = (uint64_t *)(args->scratch + OP_SCRATCH_BYTES / 2);
    struct op_place to = op_place_of(dst), buffer = op_strided(merged, 0, to.size, to.size);
    struct op_place used = op_place_of(executed);
    struct list list[LISTS] = {{0}};
    const char *fault = op_covers(args, 1, "executed", 1, LISTS);

    for (int i = 0; !fault && i < LISTS; i++)
        if (args->arg[FIRST + i].present)
            fault = read_records(args, FIRST + i, names[i], &scratch, &list[i]);
    if (fault)
        return fault;
    if (dst->rows > 1 || dst->cols % length) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "dst has %u x %u valid elements: one row of records of %u is needed", dst->rows,
                 dst->cols, length);
        return args->message;
    }
    if (op_overlap(&to, dst->rows, dst->cols, &used, 1, LISTS))
        return "dst and executed overlap: use separate tiles";
    if ((size_t)dst->cols * to.size > OP_SCRATCH_BYTES / 2)
        return "too many records for one instruction";
    if (dst->rows)
        count = merge(dst->dtype, list, merged, dst->cols / length,
                      args->arg[7].i == PTO_MERGE_EXHAUSTED);
    op_copy(&to, &buffer, 1, count * length);
    for (uint32_t i = 0; i < LISTS; i++)
        *(mem_u16 *)op_address(&used, 0, i) = (uint16_t)list[i].used;
    return NULL;
}
