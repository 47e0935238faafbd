/* Check the kernel that the command line names, and count what its pipes completed. */
#include <stdio.h>
#include <string.h>

#include <pto.h>

static void count(void *context, const struct pto_job_event *event)
{
    unsigned *completed = context;

    *completed += !strcmp(event->kind, "complete");
}

static void tell(const struct pto_job *job)
{
    struct pto_job_finding finding;

    for (unsigned i = 0; pto_job_finding(job, i, &finding); i++) {
        printf("%s: %s\n", finding.kind, finding.text);
        if (finding.earlier.mnemonic)
            printf("  %s:%u %s on pipe %s\n", finding.earlier.file, finding.earlier.line,
                   finding.earlier.mnemonic, finding.earlier.pipe);
        printf("  %s:%u %s on pipe %s\n", finding.later.file, finding.later.line,
               finding.later.mnemonic, finding.later.pipe);
        if (finding.advice)
            printf("  %s\n", finding.advice);
    }
}

int main(int argc, char **argv)
{
    struct pto_job *job = pto_job_new();
    unsigned completed = 0;
    enum pto_result result;

    if (argc > 1)
        pto_job_file(job, argv[1]);
    for (int i = 2; i + 1 < argc; i += 2) /* option value, option value ... */
        pto_job_option(job, argv[i], argv[i + 1]);
    pto_job_option(job, "check", NULL);
    pto_job_observe(job, count, &completed);
    result = pto_job_run(job);
    printf("%u phases completed\n", completed);
    if (result == PTO_RESULT_FINDINGS)
        tell(job);
    else
        fputs(pto_job_explain(job), stderr);
    pto_job_free(job);
    return (int)result;
}
