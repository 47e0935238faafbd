/* Mutants of correct kernels: every synchronisation instruction is dropped or changed, one at a
 * time, and the checker has to find it - or the instruction was redundant, which is believed only
 * if the mutant gives the same results under other costs, too.
 *
 *     mutate [--part I/N] [--sample N] [--seed S] [--profile P] [--lint yes]
 *            [--inputs DIR] CASES [NAME...]
 *
 * CASES holds a command line of ptovm a line, see mutants/cases.txt.  NAME picks the lines that
 * contain it, --part the I-th of N parts of all mutants, --sample one of N, chosen by --seed;
 * --profile gives lines without -p another machine than a2.
 * Writes a line for every mutant: kernel, place, instruction, change, outcome, and "lint" if that,
 * asked for, says more than about the correct kernel, else "-", separated by tabs.
 * Outcome "not run": the case never comes to the instruction.  BROKEN: the correct
 * kernel has a finding or does not run, or all of its results depend on the costs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check/check.h"
#include "cli/data.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "lint/lint.h"
#include "mutant.h"

enum {
    SEEDS = 4,             /* sets of costs under which a mutant has to be right */
    SLOW_FROM = 2,         /* from this seed on one rank is slow */
    TIME_MARGIN = 20,      /* a mutant may take so many times the time of the correct kernel, */
    INSN_MARGIN = 10,      /* and so many times its scalar instructions */
    MOST_RUNS = 16         /* of a mutant that leaves doubts */
};

enum outcome { RACE, SYNC, DEADLOCK, FAULT, LIMIT, REJECTED, REDUNDANT, IDLE, MISSED, BROKEN };
static const char *const OUTCOME_NAME[] = {"race",     "sync",      "deadlock", "fault",  "limit",
                                           "rejected", "redundant", "not run",  "missed", "BROKEN"};

struct arguments {
    const char *inputs, *cases, *profile;
    unsigned part, parts, sample, seed;
    bool lint;
    char **name;
    int names;
};

struct bench {
    const struct arguments *arguments;
    struct cli_options options;
    struct cli_launch launch;
    struct pto_diags diags;
    struct pto_buf reference; /* results of the correct kernel */
    uint8_t *varies;          /* bytes of them that depend on the costs: clocks, rounding */
    struct pto_slow_rank slow;
    uint64_t most_time_ps, most_insns; /* of the correct kernel */
    unsigned late;            /* its stores that a rank does not know of at its end */
    uint32_t number;          /* of the next mutant, over all cases */
    bool good;
};

/* ---- one run ---- */

static void drop_machine(struct bench *bench)
{
    pto_vm_free(bench->launch.vm);
    bench->launch.vm = NULL;
}

/* The machine of the case with the costs of a seed. */
static bool build(struct bench *bench, uint64_t seed)
{
    struct cli_options options = bench->options;
    struct cli_machine_options machine = {0};

    options.jitter += seed;
    if (seed >= SLOW_FROM && !options.slow_ranks) {
        bench->slow = (struct pto_slow_rank){.rank = (int)(seed % (uint64_t)options.ranks),
                                             .factor = 3.0};
        options.slow_rank = &bench->slow;
        options.slow_ranks = 1;
    }
    if (bench->most_time_ps) {
        options.max_time_ps = TIME_MARGIN * bench->most_time_ps;
        options.max_insns = INSN_MARGIN * bench->most_insns;
    }
    if (cli_launch(&options, &machine, &bench->launch, &bench->diags) == PTO_OK)
        return true;
    pto_diags_print(&bench->diags, stderr, false);
    drop_machine(bench);
    return false;
}

static void collect_kinds(const struct bench *bench, unsigned kinds, struct pto_buf *out)
{
    struct pto_object_info info;

    for (int rank = 0; rank < bench->options.ranks; rank++)
        for (unsigned i = 0; pto_vm_object(bench->launch.vm, rank, i, &info); i++)
            if (kinds >> info.kind & 1)
                pto_buf_append(out, info.data, info.size);
}

/* What the kernels deliver: .out and .inout, or if they have none, symmetric memory. */
static void collect_results(const struct bench *bench, struct pto_buf *out)
{
    collect_kinds(bench, 1u << PTO_OBJ_OUT | 1u << PTO_OBJ_INOUT, out);
    if (!out->size)
        collect_kinds(bench, 1u << PTO_OBJ_SYM, out);
}

static void note_effort(struct bench *bench)
{
    uint64_t time = pto_vm_time(bench->launch.vm), insns = 0;

    for (int rank = 0; rank < bench->options.ranks; rank++) {
        struct pto_rank_stats stats;

        pto_vm_rank_stats(bench->launch.vm, rank, &stats);
        insns += stats.scalar_instructions;
    }
    bench->most_time_ps = time > bench->most_time_ps ? time : bench->most_time_ps;
    bench->most_insns = insns > bench->most_insns ? insns : bench->most_insns;
}

/* Learn from the correct kernel what the results are, and how long a run may take. */
static bool learn_results(struct bench *bench, uint64_t seed)
{
    struct pto_buf out = {0};
    bool ran, settled = false;

    if (!build(bench, seed))
        return false;
    ran = pto_vm_run(bench->launch.vm) == PTO_OK;
    note_effort(bench);
    collect_results(bench, &out);
    if (seed == 0) {
        pto_buf_append(&bench->reference, out.data, out.size);
        bench->varies = pto_xcalloc(out.size + 1, 1);
    }
    for (size_t i = 0; i < out.size; i++) {
        bench->varies[i] |= out.data[i] != bench->reference.data[i];
        settled = settled || !bench->varies[i];
    }
    pto_buf_free(&out);
    drop_machine(bench);
    return ran && settled;
}

/* Run without a checker: the right results? */
static bool gives_results(struct bench *bench, uint64_t seed)
{
    struct pto_buf out = {0};
    bool same;

    if (!build(bench, seed))
        return false;
    same = pto_vm_run(bench->launch.vm) == PTO_OK;
    collect_results(bench, &out);
    same = same && out.size == bench->reference.size;
    for (size_t i = 0; same && i < out.size; i++)
        same = bench->varies[i] || out.data[i] == bench->reference.data[i];
    pto_buf_free(&out);
    drop_machine(bench);
    return same;
}

static unsigned count_late(const struct pto_check *check)
{
    const struct pto_check_note *note;
    unsigned count = pto_check_notes(check, &note), late = 0;

    for (unsigned i = 0; i < count; i++)
        late += note[i].kind == PTO_NOTE_LATE_STORE;
    return late;
}

/* `late`: what a rank may not know of at its end; more would be results that come too late. */
static enum outcome judge(const struct pto_check *check, enum pto_status status, unsigned late)
{
    const struct pto_finding *finding;
    unsigned count = pto_check_findings(check, &finding);

    for (unsigned i = 0; i < count; i++)
        if (finding[i].kind <= PTO_FIND_UNINIT)
            return RACE;
    switch (status) {
    case PTO_EDEADLOCK:
        return DEADLOCK;
    case PTO_ELIMIT:
        return LIMIT;
    case PTO_EPROGRAM:
        return count ? SYNC : FAULT;
    default:
        return count || count_late(check) > late ? SYNC : REDUNDANT;
    }
}

/* Run under a checker, once more as long as it has doubts; NULL: cannot be built. */
static struct pto_check *check_settled(struct bench *bench, enum pto_status *status)
{
    struct pto_check *check = NULL;
    bool doubtful = false;

    for (int runs = 0; runs == 0 || (doubtful && runs < MOST_RUNS); runs++) {
        struct pto_check *before = check;
        struct pto_vm *vm = bench->launch.vm;

        bench->launch.vm = NULL;
        if (!build(bench, 0) || (before ? pto_check_attach_again(bench->launch.vm, before, &check)
                                        : pto_check_attach(bench->launch.vm, &check)) != PTO_OK)
            return NULL;
        pto_check_free(before);
        pto_vm_free(vm);
        pto_check_stop_at_first(check);
        *status = pto_vm_run(bench->launch.vm);
        pto_check_finish(check);
        doubtful = pto_check_doubtful(check);
    }
    return check;
}

static enum outcome run_checked(struct bench *bench, bool correct)
{
    enum pto_status status;
    struct pto_check *check = check_settled(bench, &status);
    enum outcome outcome;

    if (!check)
        return BROKEN;
    if (correct)
        bench->late = count_late(check);
    outcome = judge(check, status, bench->late);
    pto_check_free(check);
    drop_machine(bench);
    return outcome;
}

/* ---- mutants ---- */

static bool is_chosen(const struct arguments *a, uint32_t number)
{
    uint32_t hash = (number + 1) * 0x9e3779b1u ^ (a->seed + 1) * 0x85ebca6bu;

    hash = (hash ^ hash >> 15) * 0xc2b2ae35u;
    return number % a->parts == a->part && (hash >> 13) % a->sample == 0;
}

static unsigned count_lint(const struct arguments *a, const struct cli_file *file)
{
    struct pto_lint lint;
    unsigned count;

    if (!a->lint)
        return 0;
    pto_lint(&file->program, &lint);
    count = lint.errors + lint.warnings;
    pto_lint_free(&lint);
    return count;
}

static void print_outcome(const struct cli_file *file, const struct mutant *m,
                          enum outcome outcome, bool linted)
{
    const struct pto_module *module = &file->program.module;
    const struct pto_insn *insn = &module->kernel[m->kernel].core[m->core].code.insn[m->pc];
    const struct pto_pos *pos = &module->pos[insn->pos];

    printf("%s\t%s:%u\t%s\t%s\t%s\t%s\n", file->path, module->file[pos->file],
           pos->line, pto_op_info(insn->op)->mnemonic, mutant_change_name(m->change),
           OUTCOME_NAME[outcome], linted ? "lint" : "-");
}

/* *lint: what the lint says about it, if it can be verified. */
static enum outcome outcome_of(struct bench *bench, struct cli_file *file, const struct mutant *m,
                               unsigned *lint)
{
    struct mutant_saved saved;
    enum outcome outcome = REJECTED;

    mutant_apply(&file->program.module, &bench->launch.profile, m, &saved);
    if (mutant_is_valid(&file->program, &bench->launch.profile)) {
        *lint = count_lint(bench->arguments, file);
        outcome = run_checked(bench, false);
        for (uint64_t seed = 0; seed < SEEDS && outcome == REDUNDANT; seed++)
            if (!gives_results(bench, seed))
                outcome = MISSED;
    }
    mutant_undo(&file->program.module, m, &saved);
    return outcome;
}

static void try_mutant(struct bench *bench, struct cli_file *file, const struct mutant *m)
{
    struct mutant probe = *m;
    unsigned before = count_lint(bench->arguments, file), lint = before, ignored;
    enum outcome outcome = outcome_of(bench, file, m, &lint);

    probe.change = CHANGE_TRAP;
    if (outcome == REDUNDANT && outcome_of(bench, file, &probe, &ignored) == REDUNDANT)
        outcome = IDLE;
    print_outcome(file, m, outcome, lint > before);
}

static void try_core(struct bench *bench, struct cli_file *file, uint32_t kernel, unsigned core)
{
    const struct pto_core_code *code = &file->program.module.kernel[kernel].core[core];

    for (uint32_t pc = 0; code->present && pc < code->code.insns; pc++)
        for (int change = 0; change < CHANGES; change++) {
            struct mutant m;

            if (!mutant_plan(&file->program.module, (enum change)change, kernel, core, pc, &m))
                continue;
            if (is_chosen(bench->arguments, bench->number++))
                try_mutant(bench, file, &m);
        }
}

/* Is this kernel launched a second time? */
static bool came_before(const struct cli_launch *launch, unsigned index)
{
    for (unsigned i = 0; i < index; i++)
        if (launch->kernel[i].file == launch->kernel[index].file &&
            launch->kernel[i].kernel == launch->kernel[index].kernel)
            return true;
    return false;
}

static void give_up_case(struct bench *bench)
{
    printf("%s\t-\t-\t-\t%s\t-\n",
           bench->options.operands ? bench->options.operand[0] : "a case without a kernel",
           OUTCOME_NAME[BROKEN]);
    bench->good = false;
}

static void try_case(struct bench *bench)
{
    struct cli_launch *launch = &bench->launch;
    bool good = true;

    for (uint64_t seed = 0; seed < SEEDS && good; seed++)
        good = learn_results(bench, seed);
    if (!good || run_checked(bench, true) != REDUNDANT) {
        give_up_case(bench);
        return;
    }
    for (unsigned i = 0; i < launch->kernels; i++) {
        struct cli_file *file = &launch->file[launch->kernel[i].file - launch->file];

        for (unsigned core = 0; core < PTO_CORE_KINDS && !came_before(launch, i); core++)
            try_core(bench, file, launch->kernel[i].kernel, core);
    }
}

/* ---- cases ---- */

static void run_line(struct bench *bench, char *line)
{
    const char *profile = bench->arguments->profile; /* one of the line counts */
    const char *const first[] = {profile ? "-p" : NULL, profile, NULL};
    char *word[CASE_WORDS];
    int words = case_split(line, first, bench->arguments->inputs, &bench->options.arena, word);
    struct pto_arena texts = bench->options.arena; /* parsing starts its own */
    uint32_t number = bench->number;

    if (words) {
        if (cli_options_parse(&bench->options, words, word, CLI_RUN, &bench->diags) != PTO_OK ||
            cli_load(&bench->options, 0, false, &bench->launch, &bench->diags) != PTO_OK) {
            pto_diags_print(&bench->diags, stderr, false);
            give_up_case(bench);
        } else {
            try_case(bench);
        }
        cli_launch_free(&bench->launch);
        cli_options_free(&bench->options);
        number = bench->number;
    }
    pto_arena_free(&texts);
    pto_buf_free(&bench->reference);
    free(bench->varies);
    pto_diags_free(&bench->diags);
    *bench = (struct bench){
        .arguments = bench->arguments, .number = number, .good = bench->good};
}

static bool is_wanted(const struct arguments *a, const char *line)
{
    for (int i = 0; i < a->names; i++)
        if (strstr(line, a->name[i]))
            return true;
    return !a->names;
}

static bool parse_arguments(int argc, char **argv, struct arguments *a)
{
    int i = 1;

    *a = (struct arguments){.inputs = ".", .parts = 1, .sample = 1};
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (!strcmp(argv[i], "--inputs"))
            a->inputs = argv[i + 1];
        else if (!strcmp(argv[i], "--part")) {
            if (sscanf(argv[i + 1], "%u/%u", &a->part, &a->parts) != 2 || a->part >= a->parts)
                return false;
        } else if (!strcmp(argv[i], "--sample"))
            a->sample = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--seed"))
            a->seed = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--profile"))
            a->profile = argv[i + 1];
        else if (!strcmp(argv[i], "--lint"))
            a->lint = !strcmp(argv[i + 1], "yes");
        else
            return false;
    }
    a->cases = argv[i];
    a->name = argv + i + 1;
    a->names = argc - i - 1;
    return i < argc && a->sample > 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    struct bench bench = {.arguments = &arguments, .good = true};
    char line[CASE_BYTES];
    FILE *cases;

    if (!parse_arguments(argc, argv, &arguments)) {
        fprintf(stderr, "usage: mutate [--part I/N] [--sample N] [--seed S] [--profile P] "
                        "[--lint yes] [--inputs DIR] CASES [NAME...]\n");
        return 2;
    }
    cases = fopen(arguments.cases, "r");
    if (!cases) {
        fprintf(stderr, "cannot read '%s': %s\n", arguments.cases, strerror(errno));
        return 2;
    }
    while (fgets(line, sizeof line, cases))
        if (is_wanted(&arguments, line))
            run_line(&bench, line);
    fclose(cases);
    return bench.good ? 0 : 1;
}
