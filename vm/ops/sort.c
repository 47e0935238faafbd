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
/* Records are merged by entries: the key of a record and, below it, its number among all records of
 * the instruction, complemented.  So of equal records that of the earlier list has the greater
 * entry, and an entry is never 0, which ends a list.  Neither step of a merge nor a choice is a
 * branch, as hosts guess wrong where data are not known before. */
enum {
    PAIRS = LISTS / 2,
    MOST_RECORDS = OP_SCRATCH_BYTES / 8 / 3 - 2 * LISTS /* in scratch as records and two entries */
};

struct list {
    uint32_t first, count; /* number of its first record, how many it has */
};

/* Records, and the room for entries: of the lists, and of the two pairs of lists merged. */
struct merger {
    uint8_t dtype;
    uint32_t count; /* of the records */
    uint64_t *record, *entry, *half;
};

static struct merger merger_of(const struct op_args *args)
{
    uint64_t *scratch = (uint64_t *)args->scratch;

    return (struct merger){args->arg[0].view.dtype, 0, scratch, scratch + MOST_RECORDS,
                           scratch + 2 * MOST_RECORDS + LISTS};
}

/* Entries of a list and their end; returns what follows them. */
static uint64_t *list_entries(const struct merger *m, const struct list *list, uint64_t *entry)
{
    const uint64_t *record = m->record + list->first;

    for (uint32_t i = 0; m->dtype == PTO_F16 && i < list->count; i++)
        entry[i] = (uint64_t)key_of_f16(record[i] & 0xffffu) << 32 | ~(list->first + i);
    for (uint32_t i = 0; m->dtype != PTO_F16 && i < list->count; i++)
        entry[i] = (uint64_t)key_of_f32((uint32_t)record[i]) << 32 | ~(list->first + i);
    entry[list->count] = 0;
    return entry + list->count + 1;
}

/* Two lists of entries, and where the greater of their heads goes. */
struct pair {
    const uint64_t *a, *b;
    uint64_t *to;
    uint32_t count; /* entries to be written */
};

static inline void merge_step(struct pair *p)
{
    uint64_t a = *p->a, b = *p->b;
    uint32_t second = b > a;

    *p->to++ = a > b ? a : b;
    p->a += 1 - second;
    p->b += second;
}

/* Both at once while both have entries: each step waits for the one before it. */
static void merge_pairs(struct pair *pair)
{
    struct pair p = pair[0], q = pair[1];
    uint32_t both = p.count < q.count ? p.count : q.count;

    for (uint32_t i = 0; i < both; i++) {
        merge_step(&p);
        merge_step(&q);
    }
    for (uint32_t i = both; i < p.count; i++)
        merge_step(&p);
    for (uint32_t i = both; i < q.count; i++)
        merge_step(&q);
    *p.to = *q.to = 0;
}

/* How many of `count` entries there are up to the last of a list. */
static uint32_t until_exhausted(const struct list *list, const uint64_t *entry, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < LISTS; k++)
            if (list[k].count && ~(uint32_t)entry[i] == list[k].first + list[k].count - 1)
                return i + 1;
    return count;
}

/* The greatest of the heads, the first of equal ones, until `most` are written, all lists are used
 * up, or with `exhausted` one of them is: to m->entry.  Returns how many were written. */
static uint32_t merge(const struct merger *m, const struct list *list, uint32_t most,
                      bool exhausted)
{
    uint64_t *from = m->entry, *to = m->half;
    struct pair pair[PAIRS], last = {.to = m->entry};
    uint32_t count;

    for (int i = 0; i < PAIRS; i++) {
        const struct list *two = list + 2 * i;

        pair[i] = (struct pair){.a = from, .to = to, .count = two[0].count + two[1].count};
        pair[i].b = from = list_entries(m, &two[0], from);
        from = list_entries(m, &two[1], from);
        *(i ? &last.b : &last.a) = to;
        to += pair[i].count + 1;
    }
    merge_pairs(pair);
    count = pair[0].count + pair[1].count;
    count = count < most ? count : most;
    for (uint32_t i = 0; i < count; i++)
        merge_step(&last);
    return exhausted ? until_exhausted(list, m->entry, count) : count;
}

/* The records of `count` merged entries. */
static void fetch_records(const struct merger *m, uint64_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = m->record[~(uint32_t)m->entry[i]];
}

/* How many of `count` merged entries are of this list. */
static uint32_t count_used(const struct merger *m, const struct list *list, uint32_t count)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < count; i++)
        used += ~(uint32_t)m->entry[i] - list->first < list->count;
    return used;
}

/* The records of a tile's one row, behind those that were read before. */
static const char *read_records(const struct op_args *args, int index, const char *name,
                                struct merger *m, struct list *list)
{
    const struct op_view *view = &args->arg[index].view;
    struct op_place from = op_place_of(view);
    uint32_t length = record_length(view->dtype);
    struct op_place buffer = op_strided(m->record + m->count, 0, from.size, from.size);

    if (view->rows > 1 || view->cols % length) {
        snprintf(args->message, OP_MESSAGE_BYTES,
                 "%s has %u x %u valid elements: one row of records of %u is needed", name,
                 view->rows, view->cols, length);
        return args->message;
    }
    *list = (struct list){m->count, view->rows ? view->cols / length : 0};
    if (list->count > MOST_RECORDS - m->count)
        return "too many records for one instruction";
    op_copy(&buffer, &from, view->rows, view->cols);
    m->count += list->count;
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
    uint32_t length = record_length(dst->dtype), run;
    struct merger m = merger_of(args);
    struct op_place to = op_place_of(dst), buffer = op_strided(m.half, 0, to.size, to.size);
    struct list all, list[LISTS];
    const char *fault = op_covers(args, 1, "src", dst->rows, dst->cols);

    if (!fault)
        fault = read_records(args, 1, "src", &m, &all);
    if (fault || !dst->rows || !dst->cols)
        return fault;
    fault = check_runs(args, args->arg[2].i);
    if (fault)
        return fault;
    run = (uint32_t)args->arg[2].i / length;
    for (uint32_t first = 0; first < dst->cols / length; first += LISTS * run) {
        struct op_place target = op_place_at(to, 0, first * length);

        for (uint32_t i = 0; i < LISTS; i++)
            list[i] = (struct list){first + i * run, run};
        merge(&m, list, LISTS * run, false);
        fetch_records(&m, m.half, LISTS * run);
        op_copy(&target, &buffer, 1, LISTS * run * length);
    }
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
    struct merger m = merger_of(args);
    struct op_place to = op_place_of(dst), buffer = op_strided(m.half, 0, to.size, to.size);
    struct op_place used = op_place_of(executed);
    struct list list[LISTS] = {{0}};
    const char *fault = op_covers(args, 1, "executed", 1, LISTS);

    for (int i = 0; !fault && i < LISTS; i++)
        if (args->arg[FIRST + i].present)
            fault = read_records(args, FIRST + i, names[i], &m, &list[i]);
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
    if (dst->rows)
        count = merge(&m, list, dst->cols / length, args->arg[7].i == PTO_MERGE_EXHAUSTED);
    fetch_records(&m, m.half, count);
    op_copy(&to, &buffer, 1, count * length);
    for (uint32_t i = 0; i < LISTS; i++)
        *(mem_u16 *)op_address(&used, 0, i) = (uint16_t)count_used(&m, &list[i], count);
    return NULL;
}
