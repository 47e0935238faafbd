/* How fast tile instructions compute, as ratios against the best that the host offers for the same
 * work: TMMAD against OpenBLAS sgemm, everything else against plain loops (plain.h, cases.def).
 *
 * Both sides run in turn in one process, in CPU time; printed are the times of one call and the
 * median, least and greatest ratio of the pairs (above 1: the instruction is faster).  OpenBLAS and
 * SLEEF are loaded at run time; without OpenBLAS its lines are left out, SLEEF is replaced by the C
 * library.  OpenBLAS picks slow kernels on processors it does not know, so the ones of the host's
 * instruction set level are named unless OPENBLAS_CORETYPE is already set. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dtype.h"
#include "ops/op.h"
#include "ops/select.h"
#include "plain.h"

enum { PAIRS = 11, TILE_BYTES = 1 << 21, SETS = 8 };

typedef void sgemm_function(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);

/* Everything that a measured function may need. */
struct bench {
    const struct op_set *set;
    struct op_args args;
    enum pto_op op;
    sgemm_function *sgemm;
    int m, n, k;
    struct plain plain;
    plain_function *baseline;
    size_t set_bytes[PTO_MAX_OPERANDS]; /* of sorted operands, which have SETS sets of records */
    unsigned turn;
    uint8_t *a, *b, *c, *d;
};

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double measure(struct bench *bench, void (*run)(struct bench *), int repeat)
{
    double start = seconds();

    for (int i = 0; i < repeat; i++)
        run(bench);
    return (seconds() - start) / repeat;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The time of a call, or its rate. */
static void describe(char *text, size_t size, double time, double work, const char *unit)
{
    if (work > 0)
        snprintf(text, size, "%.1f %s", work / time, unit);
    else
        snprintf(text, size, "%.1f us", 1e6 * time);
}

/* A line of the table: our time and the baseline's for one call, or rates if a call does `work`
 * units; then the median, least and greatest of the pairs' ratios. */
static void compare(struct bench *bench, const char *name, void (*ours)(struct bench *),
                    void (*baseline)(struct bench *), double work, const char *unit)
{
    double ratio[PAIRS], own[PAIRS], other[PAIRS], once = measure(bench, ours, 3);
    double pair = once + measure(bench, baseline, 3);
    int repeat = pair < 2e-3 ? (int)(2e-3 / (pair + 1e-9)) + 1 : 1;
    char here[32], there[32];

    for (int i = 0; i < PAIRS; i++) {
        other[i] = measure(bench, baseline, repeat);
        own[i] = measure(bench, ours, repeat);
        ratio[i] = other[i] / own[i];
    }
    qsort(ratio, PAIRS, sizeof *ratio, ascending);
    qsort(own, PAIRS, sizeof *own, ascending);
    qsort(other, PAIRS, sizeof *other, ascending);
    describe(here, sizeof here, own[PAIRS / 2], work, unit);
    describe(there, sizeof there, other[PAIRS / 2], work, unit);
    printf("%-44s %14s %14s %7.2fx %5.2f %5.2f\n", name, here, there, ratio[PAIRS / 2], ratio[0],
           ratio[PAIRS - 1]);
}

static void run_op(struct bench *bench)
{
    const char *fault = bench->set->function[bench->op](&bench->args);

    if (fault) {
        fprintf(stderr, "ops_bench: %s\n", fault);
        exit(1);
    }
}

static struct op_view view(uint8_t *data, int dtype, int layout, int space, uint32_t rows,
                           uint32_t cols)
{
    int64_t size = pto_dtype_size((enum pto_dtype)dtype);

    return (struct op_view){.data = data, .dtype = (uint8_t)dtype, .layout = (uint8_t)layout,
                            .space = (uint8_t)space, .rows = rows, .cols = cols,
                            .tile_rows = rows, .tile_cols = cols,
                            .line = layout == PTO_ND ? cols : 0,
                            .row_stride = layout == PTO_ND ? cols * size : 0,
                            .col_stride = layout == PTO_ND ? size : 0};
}

/* ---- cube ---------------------------------------------------------------------------------- */
static void run_sgemm(struct bench *bench)
{
    enum { ROW_MAJOR = 101, NO_TRANS = 111 };

    bench->sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, bench->m, bench->n, bench->k, 1,
                 (const float *)(const void *)bench->a, bench->k,
                 (const float *)(const void *)bench->b, bench->n, 0, (float *)(void *)bench->d,
                 bench->n);
}

static uint32_t up(int value, int multiple)
{
    return (uint32_t)((value + multiple - 1) / multiple * multiple);
}

static void bench_cube(struct bench *bench, int dtype, int m, int n, int k)
{
    struct op_view a = view(bench->a, dtype, PTO_ZZ, PTO_L0A, up(m, 16), up(k, 32));
    struct op_view b = view(bench->b, dtype, PTO_ZN, PTO_L0B, up(k, 32), up(n, 16));
    struct op_view c = view(bench->c, dtype == PTO_I8 ? PTO_I32 : PTO_F32, PTO_NZ, PTO_L0C,
                            up(m, 16), up(n, 16));
    char name[64];

    a.rows = c.rows = (uint32_t)m;
    b.cols = c.cols = (uint32_t)n;
    a.cols = b.rows = (uint32_t)k;
    bench->op = PTO_OP_TMATMUL;
    bench->args.arg[0].view = c;
    bench->args.arg[1].view = a;
    bench->args.arg[2].view = b;
    bench->m = m;
    bench->n = n;
    bench->k = k;
    snprintf(name, sizeof name, "TMMAD %s %dx%dx%d (OpenBLAS sgemm = 1)",
             pto_dtype_name((enum pto_dtype)dtype), m, n, k);
    compare(bench, name, run_op, run_sgemm, 2e-9 * m * n * k, "GFLOP/s");
}

/* 0 and 1 in every type: the speed of arithmetic does not depend on ordinary values. */
static void fill_operands(struct bench *bench)
{
    for (size_t i = 0; i < TILE_BYTES / 4; i++) {
        float value = (float)(i % 7) * 0.25f;

        memcpy(bench->a + 4 * i, &value, 4);
        memcpy(bench->b + 4 * i, &value, 4);
    }
}

static sgemm_function *find_sgemm(const struct op_set *set)
{
    void *library;

    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    if (strcmp(set->level, "base"))
        setenv("OPENBLAS_CORETYPE", set->level[1] == '3' ? "Haswell" : "SkylakeX", 0);
    library = dlopen("libopenblas.so.0", RTLD_NOW);
    return library ? (sgemm_function *)dlsym(library, "cblas_sgemm") : NULL;
}

static void bench_cubes(struct bench *bench)
{
    static const int shapes[][3] = {
        {128, 256, 64}, {128, 128, 128}, {128, 256, 256}, {127, 253, 61},
        {64, 64, 64},   {16, 16, 16}};
    static const int dtypes[] = {PTO_F32, PTO_F16, PTO_BF16, PTO_I8};

    bench->sgemm = find_sgemm(bench->set);
    if (!bench->sgemm) {
        printf("(TMMAD against OpenBLAS: install libopenblas0)\n");
        return;
    }
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            bench_cube(bench, dtypes[d], shapes[i][0], shapes[i][1], shapes[i][2]);
}

/* ---- everything else ------------------------------------------------------------------------- */
enum fill { ORDINARY, PLACES, SORTED };

/* One operand of a case: a tile if it has rows, else a number or keyword if it is present. */
struct operand {
    int dtype, layout, space;
    uint32_t rows, cols, row, col; /* of the tile; offset of the window, 64 rows high, into it */
    enum fill fill;
    uint32_t limit, step; /* PLACES: how many there are, and how far apart; SORTED: records a run */
    bool present, is_float;
    double number;
};

#define T(type) TS(type, 64, 256)
#define TS(type, r, c) TL(type, ND, UB, r, c)
#define TL(type, in, where, r, c)                                                                  \
    {.dtype = PTO_##type, .layout = PTO_##in, .space = PTO_##where, .rows = r, .cols = c,          \
     .present = true}
#define WINDOW(type, in, where, r, c, down, along)                                                 \
    {.dtype = PTO_##type, .layout = PTO_##in, .space = PTO_##where, .rows = r, .cols = c,          \
     .row = down, .col = along, .present = true}
#define INDEX(type, r, c, places, apart)                                                           \
    {.dtype = PTO_##type, .layout = PTO_ND, .space = PTO_UB, .rows = r, .cols = c,                 \
     .present = true, .fill = PLACES, .limit = places, .step = apart}
#define RUNS(type, c, records)                                                                     \
    {.dtype = PTO_##type, .layout = PTO_ND, .space = PTO_UB, .rows = 1, .cols = c,                 \
     .present = true, .fill = SORTED, .limit = records}
#define NUMBER(x) {.present = true, .is_float = true, .number = x}
#define WORD(x) {.present = true, .number = x}
#define ABSENT {0}

static const struct bench_case {
    const char *name;
    enum pto_op op;
    plain_function *plain;
    struct operand operand[PTO_MAX_OPERANDS];
} cases[] = {
#define CASE(name, op, plain, ...) {name, PTO_OP_##op, plain_##plain, {__VA_ARGS__}},
#include "cases.def"
#undef CASE
};
enum { CASES = sizeof cases / sizeof *cases };

/* Numbers that all instructions take: floats of 0.25 to 2, integers of 1 to 7. */
static void fill_ordinary(uint8_t *at, enum pto_dtype dtype, size_t count)
{
    unsigned size = pto_dtype_size(dtype);

    for (size_t i = 0; i < count; i++) {
        uint32_t random = (uint32_t)(i * 2654435761u) >> 16;

        if (pto_dtype_is_float(dtype))
            pto_store_f64(at + i * size, dtype, 0.25 + random % 4096 / 2340.0);
        else
            pto_store_int(at + i * size, dtype, 1 + random % 7);
    }
}

/* Records of a value and an index, in descending runs of `length`.  What a run has next is drawn:
 * a host that is shown the same choices again learns them, which no program has from that. */
static void fill_sorted(uint8_t *at, size_t count, uint32_t length, uint32_t seed)
{
    float value = 0;

    for (uint32_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        value = i % length ? value - (float)(seed >> 16) : 0;
        memcpy(at + 8 * i, &value, sizeof value);
        memcpy(at + 8 * i + 4, &i, sizeof i);
    }
}

static void fill(uint8_t *at, const struct operand *o, uint32_t number)
{
    size_t count = (size_t)o->rows * o->cols;
    unsigned size = pto_dtype_size((enum pto_dtype)o->dtype);

    if (o->fill == ORDINARY)
        fill_ordinary(at, (enum pto_dtype)o->dtype, count);
    for (uint32_t set = 0; set < SETS && o->fill == SORTED; set++)
        fill_sorted(at + set * count * size, count / 2, o->limit,
                    set * PTO_MAX_OPERANDS + number);
    for (size_t i = 0; i < count && o->fill == PLACES; i++)
        pto_store_int(at + i * size, (enum pto_dtype)o->dtype,
                      o->limit > 1 ? (int64_t)(i * 7919 % o->limit * o->step) : o->step);
}

/* Operands of a case, one in each slot of the memory; sets of records may take several, of operands
 * that are absent. */
static void set_up(struct bench *bench, const struct bench_case *c)
{
    enum { SLOT = TILE_BYTES / PTO_MAX_OPERANDS / 4096 * 4096, SHIFT = 576 };

    bench->op = c->op;
    bench->turn = 0;
    bench->plain = (struct plain){.n = 0};
    memset(bench->set_bytes, 0, sizeof bench->set_bytes);
    for (unsigned i = 0; i < PTO_MAX_OPERANDS; i++) {
        const struct operand *o = &c->operand[i];
        struct op_arg *arg = &bench->args.arg[i];
        uint8_t *at = bench->a + i * SLOT + i * SHIFT;

        *arg = (struct op_arg){.present = o->present, .is_float = o->is_float,
                               .i = (int64_t)o->number, .f = o->number};
        if (!o->rows) {
            bench->plain.f = o->present && bench->plain.f == 0 ? o->number : bench->plain.f;
            continue;
        }
        fill(at, o, i);
        arg->view = view(at, o->dtype, o->layout, o->space, o->rows, o->cols);
        arg->view.row = o->row;
        arg->view.col = o->col;
        arg->view.rows = o->row ? o->rows - o->row : o->rows;
        bench->plain.at[i] = at;
        if (o->fill == SORTED)
            bench->set_bytes[i] = (size_t)o->cols * pto_dtype_size((enum pto_dtype)o->dtype);
        if ((size_t)arg->view.rows * o->cols > bench->plain.n) {
            bench->plain.n = (size_t)arg->view.rows * o->cols;
            bench->plain.rows = arg->view.rows;
            bench->plain.cols = o->cols;
        }
    }
}

static void run_plain(struct bench *bench)
{
    bench->baseline(&bench->plain);
}

/* The next set of records, for both sides. */
static void next_set(struct bench *bench)
{
    int64_t step = ++bench->turn % SETS ? 1 : 1 - SETS;

    for (int i = 0; i < PTO_MAX_OPERANDS; i++) {
        uint8_t *at = bench->plain.at[i];

        if (bench->set_bytes[i])
            bench->plain.at[i] = bench->args.arg[i].view.data =
                at + step * (int64_t)bench->set_bytes[i];
    }
}

static void run_op_in_turn(struct bench *bench)
{
    next_set(bench);
    run_op(bench);
}

static void run_plain_in_turn(struct bench *bench)
{
    next_set(bench);
    run_plain(bench);
}

static bool has_sets(const struct bench *bench)
{
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        if (bench->set_bytes[i])
            return true;
    return false;
}

static void bench_cases(struct bench *bench, const char *only)
{
    for (int i = 0; i < CASES; i++) {
        if (!strstr(cases[i].name, only))
            continue;
        set_up(bench, &cases[i]);
        bench->baseline = cases[i].plain;
        if (has_sets(bench))
            compare(bench, cases[i].name, run_op_in_turn, run_plain_in_turn, 0, "");
        else
            compare(bench, cases[i].name, run_op, run_plain, 0, "");
    }
}

/* Tile instructions without a case, so that the table is not taken for complete when it is not. */
static void list_missing(void)
{
    printf("(not measured:");
    for (int op = 0; op < PTO_OP_COUNT; op++) {
        const struct pto_op_info *info = pto_op_info((enum pto_op)op);
        bool found = info->class != PTO_TILE;

        for (int i = 0; i < CASES && !found; i++)
            found = !strcmp(pto_op_info(cases[i].op)->mnemonic, info->mnemonic);
        if (!found)
            printf(" %s", info->mnemonic);
    }
    printf(")\n");
}

static const struct op_set *choose_level(const char *name)
{
    const struct op_set *set = name ? op_select_level(name) : op_select();

    if (set)
        return set;
    fprintf(stderr, "ops_bench: no level %s here\n", name);
    exit(2);
}

/* ops_bench [PART OF A NAME [LEVEL]] */
int main(int argc, char **argv)
{
    struct bench bench = {.set = choose_level(argc > 2 ? argv[2] : NULL)};
    const char *only = argc > 1 ? argv[1] : "";
    char message[OP_MESSAGE_BYTES];

    bench.a = aligned_alloc(64, TILE_BYTES);
    bench.b = aligned_alloc(64, TILE_BYTES);
    bench.c = aligned_alloc(64, TILE_BYTES);
    bench.d = aligned_alloc(64, TILE_BYTES);
    bench.args.scratch = aligned_alloc(64, OP_SCRATCH_BYTES);
    bench.args.message = message;
    bench.args.int8 = bench.set->int8;
    if (!bench.a || !bench.b || !bench.c || !bench.d || !bench.args.scratch)
        return 1;
    memset(bench.c, 0, TILE_BYTES);
    memset(bench.d, 0, TILE_BYTES);
    fill_operands(&bench);
    plain_find_sleef();
    printf("(tile instructions on level %s of the host; 64 x 256 elements unless said)\n",
           bench.set->level);
    if (!*only || !strcmp(only, "TMMAD"))
        bench_cubes(&bench);
    bench_cases(&bench, only);
    if (!*only)
        list_missing();
    return 0;
}
