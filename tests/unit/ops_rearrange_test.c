/* Reductions, expands, generators, layout, index, sort and quantisation instructions: all levels of
 * the host give the same bytes and the same verdict (ops_run demands it), and nothing changes
 * outside the valid regions of the destinations.  What they compute is tested by tests/isa against
 * numpy. */
#include "ops_support.h"

enum { ROWS = 5, COLS = 96, MOST = 8, KIB = 1 << 10 };

/* A tile operand: type, valid region, is it written; rows 0: a scalar or keyword `value`. */
struct operand {
    int dtype;
    uint32_t rows, cols;
    bool written;
    int64_t value;
};

struct subject {
    enum pto_op op;
    struct operand operand[MOST];
};

#define F32 PTO_F32
#define F16 PTO_F16
#define OUT(dtype, rows, cols) {dtype, rows, cols, true, 0}
#define IN(dtype, rows, cols) {dtype, rows, cols, false, 0}
#define NUMBER(value) {0, 0, 0, false, value}
#define ABSENT {-1, 0, 0, false, 0}

#define ROW_FOLD(op, t) {PTO_OP_##op, {OUT(t, ROWS, 1), IN(t, ROWS, COLS)}}
#define COL_FOLD(op, t) {PTO_OP_##op, {OUT(t, 1, COLS), IN(t, ROWS, COLS), ABSENT, NUMBER(0)}}
#define SPREAD(op, t, r, c) {PTO_OP_##op, {OUT(t, ROWS, COLS), IN(t, ROWS, COLS), IN(t, r, c)}}
#define BOTH(F, op) F(op, F32), F(op, F16)
#define ROW_SPREAD(op) SPREAD(op, F32, ROWS, 1), SPREAD(op, F16, ROWS, 1)
#define COL_SPREAD(op) SPREAD(op, F32, 1, COLS), SPREAD(op, F16, 1, COLS)

static const struct subject subjects[] = {
    BOTH(ROW_FOLD, TROWSUM), BOTH(ROW_FOLD, TROWPROD), BOTH(ROW_FOLD, TROWMAX),
    BOTH(ROW_FOLD, TROWMIN), BOTH(COL_FOLD, TCOLSUM), BOTH(COL_FOLD, TCOLPROD),
    BOTH(COL_FOLD, TCOLMAX), BOTH(COL_FOLD, TCOLMIN), ROW_SPREAD(TROWEXPANDMAX),
    ROW_SPREAD(TROWEXPANDMIN), ROW_SPREAD(TROWEXPANDEXPDIF), COL_SPREAD(TCOLEXPANDADD),
    COL_SPREAD(TCOLEXPANDSUB), COL_SPREAD(TCOLEXPANDMUL), COL_SPREAD(TCOLEXPANDDIV),
    COL_SPREAD(TCOLEXPANDMAX), COL_SPREAD(TCOLEXPANDMIN), COL_SPREAD(TCOLEXPANDEXPDIF),
    {PTO_OP_TCOLSUM, {OUT(F32, 1, COLS), IN(F32, ROWS, COLS), ABSENT, NUMBER(1)}},
    {PTO_OP_TCOLEXPAND, {OUT(F16, ROWS, COLS), IN(F16, 1, COLS)}},
    {PTO_OP_TROWARGMAX, {OUT(PTO_U32, ROWS, 1), IN(F16, ROWS, COLS)}},
    {PTO_OP_TROWARGMIN_VALUE, {OUT(F32, ROWS, 1), OUT(PTO_I32, ROWS, 1), IN(F32, ROWS, COLS)}},
    {PTO_OP_TCOLARGMAX_VALUE, {OUT(F32, 1, COLS), OUT(PTO_I32, 1, COLS), IN(F32, ROWS, COLS)}},
    {PTO_OP_TCOLARGMIN, {OUT(PTO_I32, 1, COLS), IN(PTO_U16, ROWS, COLS)}},
    {PTO_OP_TCI, {OUT(PTO_I16, 1, COLS), NUMBER(-5), ABSENT, NUMBER(1)}},
    {PTO_OP_TTRI, {OUT(F16, ROWS, COLS), NUMBER(2), NUMBER(0)}},
    {PTO_OP_TRANDOM, {OUT(PTO_U32, ROWS, COLS), IN(PTO_U32, 1, 2), IN(PTO_U32, 1, 4), ABSENT}},
    {PTO_OP_TTRANS, {OUT(F16, ROWS, COLS), IN(F16, COLS, ROWS)}},
    {PTO_OP_TRESHAPE, {OUT(F32, ROWS, COLS), IN(PTO_I8, 4 * ROWS, COLS)}},
    {PTO_OP_TFILLPAD_EXPAND, {OUT(F32, ROWS, COLS), IN(F32, ROWS - 2, COLS - 9), NUMBER(1)}},
    {PTO_OP_TCONCAT, {OUT(F16, ROWS, COLS), IN(F16, ROWS, 33), IN(F16, ROWS, COLS - 33)}},
    {PTO_OP_TINTERLEAVE,
     {OUT(F32, ROWS, COLS), OUT(F32, ROWS, COLS), IN(F32, ROWS, COLS), IN(F32, ROWS, COLS)}},
    {PTO_OP_TDEINTERLEAVE_ONE, {OUT(F16, ROWS, 40), OUT(F16, ROWS, 40), IN(F16, ROWS, 80)}},
    {PTO_OP_TGATHER_MASK, {OUT(F32, ROWS, 20), IN(F32, ROWS, 80), NUMBER(PTO_MASK_P0100)}},
    {PTO_OP_TSCATTER_MASK, {OUT(F32, ROWS, 80), IN(F32, ROWS, 20), NUMBER(PTO_MASK_P0100)}},
    {PTO_OP_TGATHER_MATCH,
     {OUT(PTO_I32, ROWS, COLS), IN(F32, ROWS, COLS), IN(F32, ROWS, 1), OUT(PTO_I32, ROWS, 1),
      ABSENT, NUMBER(7), NUMBER(PTO_MATCH_GT)}},
    {PTO_OP_TSORT32, {OUT(F32, ROWS, 2 * COLS), IN(F32, ROWS, COLS), IN(PTO_U32, ROWS, COLS)}},
    {PTO_OP_TSORT32, {OUT(F16, ROWS, 4 * COLS), IN(F16, ROWS, COLS), IN(PTO_U32, 1, COLS)}},
    {PTO_OP_TMRGSORT, {OUT(F16, 1, 512), IN(F16, 1, 512), NUMBER(64)}},
    {PTO_OP_TMRGSORT_LISTS,
     {OUT(F32, 1, COLS), OUT(PTO_U16, 1, 4), ABSENT, IN(F32, 1, 40), IN(F32, 1, 60),
      IN(F32, 1, 8)}},
    {PTO_OP_THISTOGRAM,
     {OUT(PTO_U32, ROWS, 256), IN(PTO_U16, ROWS, COLS), IN(PTO_U8, ROWS, 1), NUMBER(1)}},
    {PTO_OP_TQUANT, {OUT(PTO_I8, ROWS, COLS), IN(F32, ROWS, COLS), IN(F32, ROWS, 1), ABSENT}},
    {PTO_OP_TQUANT,
     {OUT(PTO_U8, ROWS, COLS), IN(F16, ROWS, COLS), IN(F32, ROWS, 1), IN(F32, ROWS, 1)}},
    {PTO_OP_TDEQUANT,
     {OUT(F32, ROWS, COLS), IN(PTO_I16, ROWS, COLS), IN(F32, ROWS, 1), IN(F32, ROWS, 1)}},
};

/* Operands in slots of 32 KiB, each in a tile a little larger than its valid region. */
static struct ops_case build(const struct subject *subject, int layout, uint8_t *memory)
{
    struct ops_case run = {.op = subject->op, .operands = MOST};

    for (int i = 0; i < MOST; i++) {
        const struct operand *o = &subject->operand[i];

        run.scalar[i] = ops_int(o->value);
        run.scalar[i].present = o->dtype >= 0;
        if (!o->rows)
            continue;
        run.tile[i] = ops_tile(o->dtype, layout, o->rows + 1, o->cols + 3,
                               (size_t)(i + 1) * 32 * KIB);
        run.tile[i].rows = o->rows;
        run.tile[i].cols = o->cols;
        if (!o->written)
            ops_fill(memory, &run.tile[i]);
    }
    return run;
}

/* What the instruction may change takes the values that it got; everything else must be as before.
 */
static void accept_written(const struct subject *subject, const struct ops_case *run,
                           struct ops_memory *memory)
{
    for (int i = 0; i < MOST; i++)
        for (uint32_t r = 0; subject->operand[i].written && r < run->tile[i].rows; r++)
            for (uint32_t c = 0; c < run->tile[i].cols; c++)
                ops_set(memory->want, &run->tile[i], r, c,
                        ops_get(memory->got, &run->tile[i], r, c));
}

static void levels_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        for (int layout = PTO_ND; layout <= PTO_DN; layout++) {
            struct ops_memory memory = ops_memory();
            struct ops_case run = build(&subjects[i], layout, memory.got);
            const char *fault;

            memcpy(memory.want, memory.got, OPS_MEMORY);
            fault = ops_run(&run, &memory);
            if (fault)
                fail_msg("%s: %s", pto_op_info(run.op)->mnemonic, fault);
            accept_written(&subjects[i], &run, &memory);
            if (memcmp(memory.got, memory.want, OPS_MEMORY))
                fail_msg("%s: bytes outside the destinations changed",
                         pto_op_info(run.op)->mnemonic);
            ops_memory_free(&memory);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_agree)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
