/* Mutants of correct kernels: every synchronisation instruction is dropped or changed, one at a
 * time, and the checker has to find it - or the instruction was redundant, which is believed only
 * if the mutant gives the same results under other costs, too.  Prints the table and fails if a
 * mutant was missed or a correct kernel has a finding.
 *
 *     mutate [-v] [NAME...]     -v lists what was redundant, NAME picks kernels */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler.h"
#include "check/check.h"
#include "object.h"
#include "vm.h"

enum { MAX_INPUTS = 2, MAX_PARAMS = 3, MAX_DIMS = 2, SEEDS = 4 };

struct kernel_case {
    const char *file;
    const char *define[2][2];
    int ranks, cores, repeat;
    struct { const char *name; int64_t value; } param[MAX_PARAMS];
    struct { const char *name; enum pto_dtype dtype; unsigned dims; uint64_t dim[MAX_DIMS]; }
        input[MAX_INPUTS];
};

/* Small shapes with several pieces, tails and rounds. */
static const struct kernel_case CASE[] = {
    {.file = "kernels/basic/vadd.pto", .define = {{"CHUNK", "64"}}, .ranks = 1, .cores = 1,
     .repeat = 1, .input = {{"a", PTO_F32, 1, {700}}, {"b", PTO_F32, 1, {700}}}},
    {.file = "kernels/basic/softmax.pto", .define = {{"WIDTH", "64"}}, .ranks = 1, .cores = 1,
     .repeat = 1, .input = {{"x", PTO_F32, 2, {75, 50}}}},
    {.file = "kernels/matmul/gemm.pto", .define = {{"BK", "128"}}, .ranks = 1, .cores = 1,
     .repeat = 1, .input = {{"a", PTO_F16, 2, {150, 300}}, {"b", PTO_F16, 2, {300, 270}}}},
    {.file = "kernels/matmul/gemm_f16.pto", .define = {{"BK", "128"}}, .ranks = 1, .cores = 1,
     .repeat = 1, .input = {{"a", PTO_F16, 2, {150, 300}}, {"b", PTO_F16, 2, {300, 270}}}},
    {.file = "kernels/collective/allreduce_ring.pto", .define = {{"CHUNK", "32"}}, .ranks = 4,
     .cores = 1, .repeat = 2, .param = {{"snapshots", 4}},
     .input = {{"x", PTO_F32, 1, {1000}}}},
    {.file = "kernels/collective/allreduce_ring_f16.pto",
     .define = {{"CHUNK", "32"}, {"LANE_PIECES", "1"}}, .ranks = 3, .cores = 2, .repeat = 2,
     .param = {{"snapshots", 3}}, .input = {{"x", PTO_F16, 1, {1000}}}},
    {.file = "tests/check/mutants/barrier_data.pto", .ranks = 3, .cores = 2, .repeat = 2},
};
enum { CASES = sizeof CASE / sizeof *CASE };

/* ---- what is done to an instruction ---- */

enum change { DROP, DROP_PAIR, CHANGE_EVENT, CHANGE_PIPE, TELL_EARLY, CHANGES };
static const char *const CHANGE_NAME[CHANGES] = {
    "drop", "drop the pair", "other event id", "other pipe", "notify before payload"};

struct mutant {
    enum change change;
    unsigned core;
    uint32_t pc, other; /* other: the wait of a pair, the first of a group */
};

enum outcome { RACE, SYNC, DEADLOCK, FAULT, LIMIT, REJECTED, REDUNDANT, MISSED, OUTCOMES };
static const char *const OUTCOME_NAME[OUTCOMES] = {
    "race", "sync", "deadlock", "fault", "limit", "rejected", "redundant", "MISSED"};

static bool is_flag(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_SET_FLAG || insn->op == PTO_OP_WAIT_FLAG;
}

static bool is_sync(const struct pto_insn *insn)
{
    switch (insn->op) {
    case PTO_OP_SET_FLAG:
    case PTO_OP_WAIT_FLAG:
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_SET_FLAG_DEV:
    case PTO_OP_WAIT_FLAG_DEV:
    case PTO_OP_SYNC_ALL:
    case PTO_OP_DSB:
    case PTO_OP_TNOTIFY:
    case PTO_OP_TWAIT:
        return true;
    default:
        return false;
    }
}

static bool same_scalar(const struct pto_scalar *a, const struct pto_scalar *b)
{
    return a->kind == b->kind && (a->kind == PTO_S_REG ? a->reg == b->reg : a->i == b->i);
}

static bool is_pair(const struct pto_insn *set, const struct pto_insn *wait)
{
    return set->op == PTO_OP_SET_FLAG && wait->op == PTO_OP_WAIT_FLAG &&
           set->operand[0].value == wait->operand[0].value &&
           set->operand[1].value == wait->operand[1].value &&
           same_scalar(&set->operand[2].scalar, &wait->operand[2].scalar);
}

/* The nearest wait for a set, forwards first and then backwards: round a loop. */
static bool find_wait(const struct pto_code *code, uint32_t pc, uint32_t *wait)
{
    for (uint32_t i = 1; i < code->insns; i++) {
        *wait = (pc + i) % code->insns;
        if (is_pair(&code->insn[pc], &code->insn[*wait]))
            return true;
    }
    return false;
}

/* First of the barrier and the fence right before a TNOTIFY. */
static uint32_t group_of(const struct pto_code *code, uint32_t pc)
{
    while (pc > 0 && (code->insn[pc - 1].op == PTO_OP_DSB ||
                      code->insn[pc - 1].op == PTO_OP_PIPE_BARRIER))
        pc--;
    return pc;
}

static unsigned other_pipe(const struct pto_profile *profile, unsigned core, unsigned a,
                           unsigned b)
{
    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
        if ((profile->pipes[core] >> p & 1) && p != a && p != b)
            return p;
    return PTO_PIPE_S;
}

/* An instruction that does nothing. */
static void disable(struct pto_module *module, struct pto_insn *insn, uint32_t pc)
{
    insn->op = PTO_OP_JUMP;
    insn->operands = 1;
    insn->operand = pto_arena_array(&module->arena, 1, sizeof *insn->operand);
    insn->operand[0].kind = PTO_O_LABEL;
    insn->operand[0].value = pc + 1;
}

static void change_pipe(const struct pto_profile *profile, unsigned core, struct pto_insn *insn)
{
    struct pto_operand *operand = insn->operand;

    if (insn->op == PTO_OP_PIPE_BARRIER)
        operand[0].value = operand[0].value == PTO_PIPE_ALL
                               ? PTO_PIPE_MTE2
                               : other_pipe(profile, core, operand[0].value, PTO_PIPE_ALL);
    else if (insn->op == PTO_OP_SET_FLAG)
        operand[1].value =
            other_pipe(profile, core, operand[0].value, operand[1].value);
    else
        operand[0].value =
            other_pipe(profile, core, operand[0].value, operand[1].value);
}

static void apply(struct pto_module *module, const struct pto_profile *profile,
                  const struct mutant *m)
{
    struct pto_insn *insn = module->kernel[0].core[m->core].code.insn, moved;
    struct pto_scalar *event;

    switch (m->change) {
    case DROP_PAIR:
        disable(module, &insn[m->other], m->other);
        disable(module, &insn[m->pc], m->pc);
        return;
    case DROP:
        disable(module, &insn[m->pc], m->pc);
        return;
    case CHANGE_EVENT:
        event = &insn[m->pc].operand[2].scalar;
        event->i = event->kind == PTO_S_INT ? (event->i + 1) % profile->events
                                            : profile->events - 1;
        event->kind = PTO_S_INT;
        return;
    case CHANGE_PIPE:
        change_pipe(profile, m->core, &insn[m->pc]);
        return;
    default:
        moved = insn[m->pc];
        memmove(&insn[m->other + 1], &insn[m->other], (m->pc - m->other) * sizeof *insn);
        insn[m->other] = moved;
    }
}

/* Is there such a mutant? */
static bool plan(const struct pto_code *code, enum change change, unsigned core, uint32_t pc,
                 struct mutant *m)
{
    const struct pto_insn *insn = &code->insn[pc];

    *m = (struct mutant){change, core, pc, pc};
    switch (change) {
    case DROP:
        return is_sync(insn);
    case DROP_PAIR:
        return insn->op == PTO_OP_SET_FLAG && find_wait(code, pc, &m->other);
    case CHANGE_EVENT:
        return is_flag(insn);
    case CHANGE_PIPE:
        return is_flag(insn) || insn->op == PTO_OP_PIPE_BARRIER;
    default:
        m->other = group_of(code, pc);
        return insn->op == PTO_OP_TNOTIFY && m->other < pc;
    }
}

/* ---- running ---- */

struct bench {
    const struct kernel_case *test;
    struct pto_profile profile;
    struct pto_diags diags;
    struct pto_module module;
    struct pto_buf reference; /* outputs of the correct kernel */
};

static void give_up(const struct bench *bench, const char *what)
{
    fprintf(stderr, "%s: %s\n", bench->test->file, what);
    pto_diags_print(&bench->diags, stderr, false);
    exit(2);
}

static void assemble(struct bench *bench)
{
    struct pto_asm_define define[2];
    struct pto_asm_options options = {.profile = &bench->profile, .define = define};
    char path[4096];

    for (int i = 0; i < 2 && bench->test->define[i][0]; i++, options.defines++)
        define[i] = (struct pto_asm_define){bench->test->define[i][0], bench->test->define[i][1]};
    snprintf(path, sizeof path, "%s/%s", getenv("PTO_SOURCE_DIR"), bench->test->file);
    if (pto_assemble_file(path, &options, &bench->module, &bench->diags) != PTO_OK)
        give_up(bench, "does not assemble");
}

static void bind_inputs(struct bench *bench, struct pto_vm *vm)
{
    for (int i = 0; i < MAX_INPUTS && bench->test->input[i].name; i++) {
        uint64_t count = 1, size = pto_dtype_size(bench->test->input[i].dtype);
        uint8_t *data;

        for (unsigned d = 0; d < bench->test->input[i].dims; d++)
            count *= bench->test->input[i].dim[d];
        data = malloc(count * size);
        for (int rank = 0; rank < bench->test->ranks; rank++) {
            for (uint64_t k = 0; k < count; k++)
                pto_store_f64(data + k * size, bench->test->input[i].dtype,
                              (double)((k * 2654435761u + (uint64_t)rank * 17) % 97) / 8);
            if (pto_vm_bind(vm, rank, bench->test->input[i].name, bench->test->input[i].dtype,
                            bench->test->input[i].dim, bench->test->input[i].dims, data,
                            &bench->diags) != PTO_OK)
                give_up(bench, "does not take its input");
        }
        free(data);
    }
}

static struct pto_vm *build(struct bench *bench, const struct pto_program *program, uint64_t jitter)
{
    struct pto_slow_rank slow = {(int)(jitter % (uint64_t)bench->test->ranks), 3.0};
    struct pto_vm_options options = {
        .ranks = bench->test->ranks, .cores = bench->test->cores, .jitter = jitter,
        .slow_rank = &slow, .slow_ranks = jitter > 1, .max_time_ps = 20000000000u,
        .max_insns = 20000000,
    };
    struct pto_vm *vm;

    if (pto_vm_create(&options, &bench->profile, &bench->diags, &vm) != PTO_OK)
        give_up(bench, "no machine");
    for (int i = 0; i < bench->test->repeat; i++)
        if (pto_vm_launch(vm, program, 0, &bench->diags) != PTO_OK)
            give_up(bench, "no launch");
    for (int i = 0; i < MAX_PARAMS && bench->test->param[i].name; i++)
        pto_vm_set_int(vm, PTO_ALL_RANKS, bench->test->param[i].name, bench->test->param[i].value,
                       &bench->diags);
    bind_inputs(bench, vm);
    if (pto_vm_prepare(vm, &bench->diags) != PTO_OK)
        give_up(bench, "is not prepared");
    return vm;
}

static void collect_outputs(const struct bench *bench, const struct pto_vm *vm,
                            struct pto_buf *out)
{
    struct pto_object_info info;

    for (int rank = 0; rank < bench->test->ranks; rank++)
        for (unsigned i = 0; pto_vm_object(vm, rank, i, &info); i++)
            if (info.kind == PTO_OBJ_OUT)
                pto_buf_append(out, info.data, info.size);
}

static enum outcome judge(const struct pto_check *check, enum pto_status status)
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
        return count ? SYNC : REDUNDANT;
    }
}

static enum outcome run_checked(struct bench *bench, const struct pto_program *program)
{
    struct pto_vm *vm = build(bench, program, 0);
    struct pto_check *check;
    enum outcome outcome;
    enum pto_status status;

    if (pto_check_attach(vm, &check) != PTO_OK)
        give_up(bench, "cannot be checked");
    status = pto_vm_run(vm);
    pto_check_finish(check);
    outcome = judge(check, status);
    pto_check_free(check);
    pto_vm_free(vm);
    return outcome;
}

/* Does it give the right results, whatever the costs? */
static bool is_right(struct bench *bench, const struct pto_program *program)
{
    bool right = true;

    for (uint64_t seed = 0; seed < SEEDS && right; seed++) {
        struct pto_vm *vm = build(bench, program, seed);
        struct pto_buf out = {0};

        right = pto_vm_run(vm) == PTO_OK;
        collect_outputs(bench, vm, &out);
        if (!bench->reference.size)
            pto_buf_append(&bench->reference, out.data, out.size);
        right = right && out.size == bench->reference.size &&
                memcmp(out.data, bench->reference.data, out.size) == 0;
        pto_buf_free(&out);
        pto_vm_free(vm);
    }
    return right;
}

static enum outcome try_program(struct bench *bench)
{
    struct pto_program program;
    enum outcome outcome;

    if (pto_verify(&bench->module, &bench->profile, &program, &bench->diags) != PTO_OK) {
        pto_module_free(&bench->module);
        return REJECTED;
    }
    outcome = run_checked(bench, &program);
    if (outcome == REDUNDANT && !is_right(bench, &program))
        outcome = MISSED;
    pto_program_free(&program);
    return outcome;
}

/* ---- the table ---- */

static uint32_t line_of(const struct pto_module *module, const struct mutant *m)
{
    return module->pos[module->kernel[0].core[m->core].code.insn[m->pc].pos].line;
}

static void try_mutant(struct bench *bench, const struct mutant *m, bool verbose,
                       unsigned counts[CHANGES][OUTCOMES])
{
    const struct pto_insn *insn = &bench->module.kernel[0].core[m->core].code.insn[m->pc];
    const char *mnemonic = pto_op_info(insn->op)->mnemonic;
    uint32_t line = line_of(&bench->module, m);
    const char *file = bench->module.file[bench->module.pos[insn->pos].file];
    char place[512];
    enum outcome outcome;

    snprintf(place, sizeof place, "%s:%u", strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
             line);
    apply(&bench->module, &bench->profile, m);
    outcome = try_program(bench);
    counts[m->change][outcome]++;
    if (outcome == MISSED || (verbose && outcome == REDUNDANT))
        printf("  %s: %s %s at %s (instruction %u)\n", OUTCOME_NAME[outcome],
               CHANGE_NAME[m->change], mnemonic, place, m->pc);
}

static void print_counts(const char *name, unsigned counts[CHANGES][OUTCOMES])
{
    printf("%s\n", name);
    for (int c = 0; c < CHANGES; c++) {
        unsigned sum = 0;

        for (int o = 0; o < OUTCOMES; o++)
            sum += counts[c][o];
        if (!sum)
            continue;
        printf("| %-22s | %5u |", CHANGE_NAME[c], sum);
        for (int o = 0; o < OUTCOMES; o++)
            printf(" %9u |", counts[c][o]);
        printf("\n");
    }
}

static bool run_case(const struct kernel_case *test, const char *profile, bool verbose,
                     unsigned total[CHANGES][OUTCOMES])
{
    struct bench bench = {.test = test};
    unsigned counts[CHANGES][OUTCOMES] = {{0}};
    bool missed = false;

    if (pto_profile_load(profile, &bench.profile, &bench.diags) != PTO_OK)
        give_up(&bench, "no profile");
    assemble(&bench);
    if (try_program(&bench) != REDUNDANT) {
        printf("%s: the correct kernel has a finding or a wrong result\n", test->file);
        return false;
    }
    for (unsigned core = 0; core < PTO_CORE_KINDS; core++)
        for (uint32_t pc = 0;; pc++) {
            struct mutant m;

            assemble(&bench);
            if (!bench.module.kernel[0].core[core].present ||
                pc >= bench.module.kernel[0].core[core].code.insns) {
                pto_module_free(&bench.module);
                break;
            }
            for (int change = 0; change < CHANGES; change++)
                if (plan(&bench.module.kernel[0].core[core].code, (enum change)change, core, pc,
                         &m)) {
                    try_mutant(&bench, &m, verbose, counts);
                    assemble(&bench);
                }
            pto_module_free(&bench.module);
        }
    print_counts(test->file, counts);
    for (int c = 0; c < CHANGES; c++)
        for (int o = 0; o < OUTCOMES; o++)
            total[c][o] += counts[c][o];
    for (int c = 0; c < CHANGES; c++)
        missed = missed || counts[c][MISSED];
    pto_buf_free(&bench.reference);
    pto_diags_free(&bench.diags);
    return !missed;
}

static bool is_wanted(const char *file, int argc, char **argv)
{
    bool any = false;

    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            continue;
        any = true;
        if (strstr(file, argv[i]))
            return true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    unsigned total[CHANGES][OUTCOMES] = {{0}};
    bool verbose = argc > 1 && !strcmp(argv[1], "-v"), good = true;

    printf("| %-22s | %5s |", "change", "all");
    for (int o = 0; o < OUTCOMES; o++)
        printf(" %9s |", OUTCOME_NAME[o]);
    printf("\n");
    for (int i = 0; i < CASES; i++)
        if (is_wanted(CASE[i].file, argc, argv))
            good = run_case(&CASE[i], "a2", verbose, total) && good;
    print_counts("all kernels", total);
    return good ? 0 : 1;
}
