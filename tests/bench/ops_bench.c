/* How fast tile instructions compute, as ratios against the best that the host offers for the same
 * work: TMMAD against OpenBLAS sgemm, vector instructions and transfers against plain loops.
 *
 * Both sides run in turn in one process, in CPU time; printed is the median of the ratios of the
 * pairs (above 1: the instruction is faster).  OpenBLAS is loaded at run time; without it those
 * lines are left out.  OpenBLAS picks slow kernels on processors it does not know, so the ones of
 * the host's instruction set level are named unless OPENBLAS_CORETYPE is already set. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dtype.h"
#include "ops/op.h"
#include "ops/select.h"

enum { PAIRS = 11, TILE_BYTES = 1 << 20 };

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
    size_t count;
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

/* A line of the table: our rate and the baseline's for `work` units per call, median of the pairs'
 * ratios. */
static void compare(struct bench *bench, const char *name, void (*ours)(struct bench *),
                    void (*baseline)(struct bench *), double work, const char *unit)
{
    double ratio[PAIRS], rate[PAIRS], reference[PAIRS], once = measure(bench, ours, 3);
    char here[32], there[32];
    int repeat = once < 1e-3 ? (int)(2e-3 / (once + 1e-9)) + 1 : 1;

    measure(bench, baseline, repeat);
    for (int i = 0; i < PAIRS; i++) {
        double other = measure(bench, baseline, repeat), own = measure(bench, ours, repeat);

        ratio[i] = other / own;
        rate[i] = work / own;
        reference[i] = work / other;
    }
    qsort(ratio, PAIRS, sizeof *ratio, ascending);
    qsort(rate, PAIRS, sizeof *rate, ascending);
    qsort(reference, PAIRS, sizeof *reference, ascending);
    snprintf(here, sizeof here, "%.1f %s", rate[PAIRS / 2], unit);
    snprintf(there, sizeof there, "%.1f %s", reference[PAIRS / 2], unit);
    printf("%-44s %14s %14s %9.2fx\n", name, here, there, ratio[PAIRS / 2]);
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
        setenv("OPENBLAS_CORETYPE", strcmp(set->level, "v4") ? "Haswell" : "SkylakeX", 0);
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

/* ---- vectors and transfers ----------------------------------------------------------------- */
/* Plain loops get what the compiler makes of them for the host's best level. */
#if defined(__x86_64__) && !defined(__clang__)
#define PLAIN __attribute__((optimize("O3"), target_clones("default", "avx2", "avx512f")))
#else
#define PLAIN
#endif

PLAIN static void plain_add(struct bench *bench)
{
    const float *restrict a = (const float *)(const void *)bench->a;
    const float *restrict b = (const float *)(const void *)bench->b;
    float *restrict d = (float *)(void *)bench->d;

    for (size_t i = 0; i < bench->count; i++)
        d[i] = a[i] + b[i];
}

static void plain_exp(struct bench *bench)
{
    const float *a = (const float *)(const void *)bench->a;
    float *d = (float *)(void *)bench->d;

    for (size_t i = 0; i < bench->count; i++)
        d[i] = expf(a[i]);
}

static void plain_copy(struct bench *bench)
{
    memcpy(bench->d, bench->a, bench->count * sizeof(float));
}

static void bench_vector(struct bench *bench, enum pto_op op, uint32_t rows, uint32_t cols,
                         const char *name, void (*baseline)(struct bench *), int operands)
{
    uint8_t *memory[3] = {bench->c, bench->a, bench->b};

    bench->op = op;
    bench->count = (size_t)rows * cols;
    for (int i = 0; i < operands; i++)
        bench->args.arg[i].view = view(memory[i], PTO_F32, PTO_ND, PTO_UB, rows, cols);
    compare(bench, name, run_op, baseline, 4e-9 * operands * rows * cols, "GB/s");
}

static void bench_vectors(struct bench *bench)
{
    bench_vector(bench, PTO_OP_TADD, 32, 64, "TADD f32 8 KiB (plain loop = 1)", plain_add, 3);
    bench_vector(bench, PTO_OP_TADD, 64, 256, "TADD f32 64 KiB (plain loop = 1)", plain_add, 3);
    bench_vector(bench, PTO_OP_TEXP, 64, 256, "TEXP f32 64 KiB (expf = 1)", plain_exp, 2);
    bench_vector(bench, PTO_OP_TLOAD, 64, 256, "TLOAD f32 64 KiB (memcpy = 1)", plain_copy, 2);
    bench->args.arg[0].view.layout = PTO_NZ;
    bench->args.arg[0].view.space = PTO_L1;
    compare(bench, "TLOAD f32 64 KiB nd to nz (memcpy = 1)", run_op, plain_copy, 8e-9 * 64 * 256,
            "GB/s");
}

int main(void)
{
    struct bench bench = {.set = op_select()};
    char message[OP_MESSAGE_BYTES];

    bench.a = aligned_alloc(64, TILE_BYTES);
    bench.b = aligned_alloc(64, TILE_BYTES);
    bench.c = aligned_alloc(64, TILE_BYTES);
    bench.d = aligned_alloc(64, TILE_BYTES);
    bench.args.scratch = aligned_alloc(64, OP_SCRATCH_BYTES);
    bench.args.message = message;
    if (!bench.a || !bench.b || !bench.c || !bench.d || !bench.args.scratch)
        return 1;
    memset(bench.c, 0, TILE_BYTES);
    memset(bench.d, 0, TILE_BYTES);
    fill_operands(&bench);
    printf("(tile instructions on level %s of the host)\n", bench.set->level);
    bench_cubes(&bench);
    bench_vectors(&bench);
    return 0;
}
