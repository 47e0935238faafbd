/* c = a + b on two ranks: a kernel from memory, arrays that are lent, results without a copy. */
#include <stdio.h>
#include <string.h>

#include <pto.h>

enum { COUNT = 1000 };

static const char KERNEL[] =
    ".kernel vadd\n"
    ".param n : i64\n"
    ".in  a : f32[n]\n"
    ".in  b : f32[n]\n"
    ".out c : f32[n]\n"
    ".core aiv\n"
    ".tile ta : ub f32[1, 8192]\n"
    ".tile tb : ub f32[1, 8192]\n"
    "    .for %off = vec_id() * 8192 to %n step vec_count() * 8192\n"
    "        %len = min(8192, %n - %off)\n"
    "        TLOAD  ta{1, %len}, a[%off]\n"
    "        TLOAD  tb{1, %len}, b[%off]\n"
    "        handoff MTE2 -> V, 0\n"
    "        TADD   ta{1, %len}, ta{1, %len}, tb{1, %len}\n"
    "        handoff V -> MTE3, 0\n"
    "        TSTORE c[%off], ta{1, %len}\n"
    "        pipe_barrier ALL\n"
    "    .endfor\n";

/* Exit status for the shell; 0: all sums are right. */
static int compare(const struct pto_job *job, const float *a, const float *b)
{
    for (int rank = 0; rank < pto_job_ranks(job); rank++) {
        struct pto_job_array c;
        const float *sum;

        if (!pto_job_find(job, rank, "c", &c) || c.dims != 1 || c.dim[0] != COUNT)
            return 1;
        sum = c.data;
        for (int i = 0; i < COUNT; i++)
            if (sum[i] != a[i] + b[i])
                return 1;
    }
    return 0;
}

int main(void)
{
    float a[COUNT], b[COUNT];
    const uint64_t dim[] = {COUNT};
    struct pto_job *job = pto_job_new();
    struct pto_job_statistics statistics;
    int status;

    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)i;
        b[i] = 0.5f;
    }
    pto_job_option(job, "ranks", "2");
    pto_job_text(job, "vadd.pto", KERNEL, strlen(KERNEL));
    pto_job_bind(job, PTO_EVERY_RANK, "a", "f32", 1, dim, a); /* n follows from the shape */
    pto_job_bind(job, PTO_EVERY_RANK, "b", "f32", 1, dim, b);
    if (pto_job_run(job) != PTO_RESULT_OK) {
        fputs(pto_job_explain(job), stderr);
        pto_job_free(job);
        return 1;
    }
    status = compare(job, a, b);
    pto_job_statistics(job, PTO_EVERY_RANK, &statistics);
    printf("%d sums on each of %d ranks, %.3f us simulated\n", COUNT, pto_job_ranks(job),
           (double)statistics.time_ps * 1e-6);
    pto_job_free(job);
    return status;
}
