/* The checker in several processes: findings, remarks and counts are those of one.
 *
 *     together [--sample N] [--seed S] [--inputs DIR] CASES [NAME...]
 *
 * CASES is as for mutate.  Every kernel, and one mutant of N of it, runs under a checker in one
 * process and in several, which are forked here and meet in shared memory: what the checker says is
 * compared to the last byte.  Writes a line for every difference, and what was compared. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "check/check.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "mutant.h"

enum {
    MOST_PROCESSES = 4,
    MOST_RUNS = 16,      /* that leave doubts */
    MOST_SECONDS = 300,  /* of one run */
    INSNS = 2000000      /* scalar instructions of a mutant */
};
#define ROOM ((size_t)1 << 28) /* for what a process gives in one meeting */

/* ---- processes that meet in shared memory ---- */

struct hall {
    pthread_barrier_t all;
    int processes;
    struct table {
        struct pto_parcel head[MOST_PROCESSES]; /* data: where they begin in `bytes` */
        size_t at[MOST_PROCESSES];
        uint8_t *bytes;
    } table[MOST_PROCESSES];
};

static struct hall *hall;

static void lay_down(int process, const struct pto_parcel *out)
{
    struct table *table = &hall->table[process];
    size_t at = 0;

    for (int p = 0; p < hall->processes; p++) {
        table->head[p] = out[p];
        table->head[p].size = p == process ? 0 : out[p].size;
        table->at[p] = at;
        if (at + table->head[p].size > ROOM)
            abort();
        if (table->head[p].size)
            memcpy(table->bytes + at, out[p].data, out[p].size);
        at += table->head[p].size;
    }
}

static void meet(void *context, const struct pto_parcel *out, struct pto_parcel *in)
{
    const int process = *(int *)context;

    lay_down(process, out);
    pthread_barrier_wait(&hall->all);
    for (int p = 0; p < hall->processes; p++) {
        const struct table *table = &hall->table[p];

        in[p] = table->head[process];
        in[p].data = in[p].size ? pto_xmalloc(in[p].size) : NULL;
        if (in[p].size)
            memcpy(in[p].data, table->bytes + table->at[process], in[p].size);
    }
    pthread_barrier_wait(&hall->all);
}

static void *share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static void open_hall(void)
{
    hall = share(sizeof *hall);
    for (int p = 0; p < MOST_PROCESSES; p++)
        hall->table[p].bytes = share(ROOM);
}

static bool wants(const void *context, const char *object, unsigned kind)
{
    (void)context;
    (void)object;
    (void)kind;
    return false;
}

/* ---- what a checker says ---- */

static void put_access(const struct pto_finding_access *a, struct pto_buf *out)
{
    if (a->present)
        pto_buf_printf(out, "  %s %d %d rank %d %s %s at %llu %d %d\n", a->mnemonic, (int)a->pos,
                       a->kernel != NULL, a->rank, a->core, a->pipe,
                       (unsigned long long)a->time_ps, a->write, a->atomic);
}

static void put_finding(const struct pto_finding *f, int ranks, struct pto_buf *out)
{
    pto_buf_printf(out, "%s: %s\n  %s\n  %s\n  %s %llu %llu, %llu times, %u %u\n",
                   pto_finding_name(f->kind), f->message, f->ordered ? f->ordered : "-",
                   f->advice.text ? f->advice.text : "-", f->where ? f->where : "-",
                   (unsigned long long)f->offset, (unsigned long long)f->bytes,
                   (unsigned long long)f->count, f->ranks, f->cores);
    put_access(&f->access[0], out);
    put_access(&f->access[1], out);
    for (unsigned i = 0; i < f->advice.edits; i++)
        pto_buf_printf(out, "  %u %s\n", f->advice.edit[i].line, f->advice.edit[i].text);
    for (unsigned i = 0; i < f->causes; i++)
        pto_buf_printf(out, "  of %u\n", f->cause[i]);
    for (int r = 0; r < ranks; r++)
        pto_buf_byte(out, f->has_rank[r] ? '+' : '-');
    pto_buf_byte(out, '\n');
}

static void put_check(const struct pto_check *check, int ranks, struct pto_buf *out)
{
    const struct pto_finding *finding;
    const struct pto_check_note *note;
    const struct pto_coverage *row;
    unsigned findings = pto_check_findings(check, &finding), notes = pto_check_notes(check, &note);
    unsigned rows = pto_check_coverage(check, &row);

    for (unsigned i = 0; i < findings; i++)
        put_finding(&finding[i], ranks, out);
    for (unsigned i = 0; i < notes; i++)
        pto_buf_printf(out, "%s: %s %d %llu %llu\n", pto_note_name(note[i].kind), note[i].message,
                       (int)note[i].pos, (unsigned long long)note[i].count,
                       (unsigned long long)note[i].waited_ps);
    for (unsigned i = 0; i < rows; i++)
        pto_buf_printf(out, "%s %d %llu %d\n", row[i].mnemonic, (int)row[i].pos,
                       (unsigned long long)row[i].times, row[i].ordered);
}

/* ---- runs ---- */

struct bench {
    const char *inputs;
    unsigned sample, seed;
    struct cli_options options;
    struct cli_launch launch;
    struct pto_diags diags;
    uint32_t number; /* of the next mutant, over all cases */
    unsigned compared, findings, different;
};

/* One machine under a checker, and again as long as there are doubts; false: it cannot be built. */
static bool run(struct bench *bench, const struct pto_carrier *carrier, struct pto_buf *out)
{
    const struct cli_machine_options machine = {.carrier = carrier};
    struct pto_check *check = NULL;
    bool doubtful = true;

    for (int runs = 0; doubtful && runs < MOST_RUNS; runs++) {
        struct pto_check *before = check;
        struct pto_vm *vm = bench->launch.vm;
        enum pto_status status;

        bench->launch.vm = NULL;
        if (cli_launch(&bench->options, &machine, &bench->launch, &bench->diags) != PTO_OK)
            return false;
        if ((before ? pto_check_attach_again(bench->launch.vm, before, &check)
                    : pto_check_attach(bench->launch.vm, &check)) != PTO_OK)
            return false;
        pto_check_watch_coverage(check);
        pto_check_free(before);
        pto_vm_free(vm);
        status = pto_vm_run(bench->launch.vm);
        pto_check_finish(check);
        doubtful = pto_check_doubtful(check);
        pto_buf_printf(out, "status %d, %llu ps\n", (int)status,
                       (unsigned long long)pto_vm_time(bench->launch.vm));
    }
    if (!carrier || carrier->process == 0)
        put_check(check, bench->options.ranks, out);
    pto_check_free(check);
    pto_vm_free(bench->launch.vm);
    bench->launch.vm = NULL;
    return true;
}

/* Process 0 is this one. */
static bool run_together(struct bench *bench, int processes, const int *owner,
                         struct pto_buf *out)
{
    pthread_barrierattr_t shared;
    int process = 0, status;
    struct pto_carrier carrier = {.processes = processes, .owner = owner, .context = &process,
                                  .meet = meet, .wants = wants};
    bool good;

    hall->processes = processes;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&hall->all, &shared, (unsigned)processes);
    pthread_barrierattr_destroy(&shared);
    fflush(stdout);
    for (int p = 1; p < processes && process == 0; p++)
        if (fork() == 0)
            process = p;
    alarm(MOST_SECONDS);
    carrier.process = process;
    good = run(bench, &carrier, out);
    if (process > 0)
        _exit(good ? 0 : 1);
    alarm(0);
    while (wait(&status) > 0)
        good = good && status == 0;
    pthread_barrier_destroy(&hall->all);
    return good;
}

/* ---- comparing ---- */

static void complain(struct bench *bench, const char *what, int processes,
                     const struct pto_buf *alone, const struct pto_buf *shared)
{
    bench->different++;
    printf("%s: %s with %d processes\n--- one process\n%.*s--- several\n%.*s",
           bench->options.operand[0], what, processes, (int)alone->size,
           alone->size ? (const char *)alone->data : "", (int)shared->size,
           shared->size ? (const char *)shared->data : "");
}

static void compare(struct bench *bench, const char *what)
{
    int *cyclic = pto_xcalloc((size_t)bench->options.ranks, sizeof *cyclic);
    int processes = 2 + (int)(bench->compared % (MOST_PROCESSES - 1));
    struct pto_buf alone = {0}, shared = {0};

    if (processes > bench->options.ranks)
        processes = bench->options.ranks;
    for (int r = 0; r < bench->options.ranks; r++)
        cyclic[r] = r % processes;
    if (run(bench, NULL, &alone)) {
        const bool blocks = bench->compared++ % 2 == 0;

        if (!run_together(bench, processes, blocks ? NULL : cyclic, &shared) ||
            alone.size != shared.size || memcmp(alone.data, shared.data, alone.size) != 0)
            complain(bench, what, processes, &alone, &shared);
        bench->findings += strstr(pto_buf_text(&alone), " times, ") != NULL;
    }
    pto_buf_free(&alone);
    pto_buf_free(&shared);
    free(cyclic);
}

static bool is_chosen(const struct bench *bench, uint32_t number)
{
    uint32_t hash = (number + 1) * 0x9e3779b1u ^ (bench->seed + 1) * 0x85ebca6bu;

    return ((hash ^ hash >> 15) * 0xc2b2ae35u >> 13) % bench->sample == 0;
}

static void try_mutant(struct bench *bench, struct cli_file *file, const struct mutant *m)
{
    const struct pto_module *module = &file->program.module;
    uint32_t pos = module->kernel[m->kernel].core[m->core].code.insn[m->pc].pos;
    struct mutant_saved saved;
    char what[128];

    snprintf(what, sizeof what, "line %u, %s", (unsigned)module->pos[pos].line,
             mutant_change_name(m->change));
    mutant_apply(&file->program.module, &bench->launch.profile, m, &saved);
    if (mutant_is_valid(&file->program, &bench->launch.profile))
        compare(bench, what);
    mutant_undo(&file->program.module, m, &saved);
}

static void try_core(struct bench *bench, struct cli_file *file, uint32_t kernel, unsigned core)
{
    const struct pto_core_code *code = &file->program.module.kernel[kernel].core[core];

    for (uint32_t pc = 0; code->present && pc < code->code.insns; pc++)
        for (int change = 0; change < CHANGES; change++) {
            struct mutant m;

            if (mutant_plan(&file->program.module, (enum change)change, kernel, core, pc, &m) &&
                is_chosen(bench, bench->number++))
                try_mutant(bench, file, &m);
        }
}

static void try_case(struct bench *bench)
{
    struct cli_launch *launch = &bench->launch;

    if (bench->options.ranks < 2)
        return;
    compare(bench, "as it is");
    bench->options.max_insns = INSNS;
    for (unsigned i = 0; i < launch->kernels; i++)
        for (unsigned core = 0; core < PTO_CORE_KINDS; core++)
            try_core(bench, &launch->file[launch->kernel[i].file - launch->file],
                     launch->kernel[i].kernel, core);
}

static void run_line(struct bench *bench, char *line)
{
    const char *const first[] = {NULL};
    char *word[CASE_WORDS];
    int words = case_split(line, first, bench->inputs, &bench->options.arena, word);
    struct pto_arena texts = bench->options.arena; /* parsing starts its own */

    if (words) {
        if (cli_options_parse(&bench->options, words, word, CLI_RUN, &bench->diags) == PTO_OK &&
            cli_load(&bench->options, 0, false, &bench->launch, &bench->diags) == PTO_OK) {
            try_case(bench);
        } else {
            pto_diags_print(&bench->diags, stdout, false);
            bench->different++;
        }
        cli_launch_free(&bench->launch);
        cli_options_free(&bench->options);
    }
    pto_arena_free(&texts);
    pto_diags_free(&bench->diags);
    bench->options = (struct cli_options){0};
    bench->launch = (struct cli_launch){0};
    bench->diags = (struct pto_diags){0};
}

int main(int argc, char **argv)
{
    struct bench bench = {.inputs = ".", .sample = 1};
    char line[CASE_BYTES];
    FILE *cases;
    int i = 1;

    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        if (!strcmp(argv[i], "--inputs"))
            bench.inputs = argv[i + 1];
        else if (!strcmp(argv[i], "--sample"))
            bench.sample = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--seed"))
            bench.seed = (unsigned)strtoul(argv[i + 1], NULL, 10);
    cases = i < argc && bench.sample ? fopen(argv[i], "r") : NULL;
    if (!cases) {
        fprintf(stderr, "usage: together [--sample N] [--seed S] [--inputs DIR] CASES [NAME...]\n");
        return 2;
    }
    open_hall();
    while (fgets(line, sizeof line, cases)) {
        bool wanted = i + 1 == argc;

        for (int n = i + 1; n < argc; n++)
            wanted = wanted || strstr(line, argv[n]);
        if (wanted)
            run_line(&bench, line);
    }
    fclose(cases);
    printf("%u runs, %u with findings, %u differ\n", bench.compared, bench.findings,
           bench.different);
    return bench.different > 0;
}
