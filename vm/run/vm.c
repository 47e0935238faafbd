/* Building and tearing down a machine. */
#include "vm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "expect.h"
#include "machine/backlog.h"
#include "machine/changes_make.h"
#include "machine/cost.h"
#include "machine/crew.h"
#include "machine/mapped.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/parts.h"
#include "machine/stock.h"
#include "machine/topology_file.h"
#include "ops/select.h"
#include "ready.h"
#include "units/carry.h"
#include "units/dma.h"
#include "units/link.h"
#include "units/print.h"
#include "units/queue.h"


#define CONFIG_ERROR(diags, ...)                                                                   \
    (pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, __VA_ARGS__), PTO_ECONFIG)

static enum pto_status check_link(const struct pto_vm_options *options,
                                  const struct pto_link *link, struct pto_diags *diags)
{
    if (link->places)
        return PTO_OK;
    if (link->a < 0 || link->b < 0 || link->a >= options->ranks || link->b >= options->ranks)
        return CONFIG_ERROR(diags, "link %d-%d: ranks are 0 to %d", link->a, link->b,
                            options->ranks - 1);
    if (link->a == link->b)
        return CONFIG_ERROR(diags, "link %d-%d: a rank has no link to itself", link->a, link->b);
    return PTO_OK;
}

static enum pto_status check_slow(const struct pto_vm_options *options, struct pto_diags *diags)
{
    for (int i = 0; i < options->slow_links; i++) {
        struct pto_slow_link slow = options->slow_link[i];

        PTO_TRY(check_link(options, &slow.link, diags));
        if (!(slow.factor >= 1 && slow.factor <= 1000) ||
            (slow.latency && !(slow.latency >= 1 && slow.latency <= 1000)))
            return CONFIG_ERROR(diags, "slow link %d-%d by %g: a factor is from 1 to 1000",
                                slow.link.a, slow.link.b, slow.factor);
    }
    for (int i = 0; i < options->slow_ranks; i++) {
        struct pto_slow_rank slow = options->slow_rank[i];

        if (slow.rank < 0 || slow.rank >= options->ranks)
            return CONFIG_ERROR(diags, "slow rank %d: ranks are 0 to %d", slow.rank,
                                options->ranks - 1);
        if (!(slow.factor >= 0.001 && slow.factor <= 1000))
            return CONFIG_ERROR(diags, "slow rank %d by %g: a factor is from 0.001 to 1000",
                                slow.rank, slow.factor);
    }
    return PTO_OK;
}

static enum pto_status check_options(const struct pto_vm_options *options,
                                     const struct pto_profile *profile, struct pto_diags *diags)
{
    if (options->ranks < 1 || options->ranks > PTO_MAX_RANKS)
        return CONFIG_ERROR(diags, "%d ranks: from 1 to %d are possible", options->ranks,
                            PTO_MAX_RANKS);
    if (options->cores < 0 || options->cores > (int)profile->cores)
        return CONFIG_ERROR(diags, "%d cores: profile %s has 1 to %u", options->cores,
                            profile->name, profile->cores);
    if (options->threads < 0 || options->threads > PTO_MAX_THREADS)
        return CONFIG_ERROR(diags, "%d threads: from 1 to %d are possible", options->threads,
                            PTO_MAX_THREADS);
    if (options->carrier && options->carrier->processes > options->ranks)
        return CONFIG_ERROR(diags, "%d processes for %d rank%s: each needs one at least",
                            options->carrier->processes, options->ranks,
                            options->ranks == 1 ? "" : "s");
    for (int i = 0; i < options->links_down; i++)
        PTO_TRY(check_link(options, &options->link_down[i], diags));
    PTO_TRY(check_slow(options, diags));
    for (int i = 0; i < options->dead_ranks; i++)
        if (options->dead_rank[i].rank < 0 || options->dead_rank[i].rank >= options->ranks)
            return CONFIG_ERROR(diags, "dead rank %d: ranks are 0 to %d",
                                options->dead_rank[i].rank, options->ranks - 1);
    return PTO_OK;
}

static void name_core(struct core *core)
{
    if (core->kind == PTO_AIC)
        snprintf(core->name, sizeof core->name, "aic%u", core->block);
    else
        snprintf(core->name, sizeof core->name, "aiv%u.%u", core->block, core->sub);
}

static void create_cores(struct rank *rank)
{
    struct pto_vm *vm = rank->vm;
    unsigned per_block = pto_profile_sub_cores(&vm->profile);

    rank->cores = vm->blocks * per_block;
    rank->core = pto_arena_lines(&vm->arena, rank->cores, sizeof *rank->core);
    if (vm->options.stepwise)
        rank->parts = pto_arena_array(&vm->arena, rank->cores, sizeof *rank->parts);
    for (unsigned i = 0; i < rank->cores; i++) {
        struct core *core = &rank->core[i];
        unsigned within = i % per_block;

        core->rank = rank;
        core->number = (uint16_t)i;
        core->block = (uint16_t)(i / per_block);
        core->kind = within == 0 ? PTO_AIC : PTO_AIV;
        core->sub = (uint16_t)(within == 0 ? 0 : within - 1);
        name_core(core);
        parts_begin(core, rank->parts ? &rank->parts[i] : NULL);
    }
}

static void create_rank(struct pto_vm *vm, int number)
{
    struct rank *rank = &vm->rank[number];

    rank->between_launches = true;
    rank->dies_at = ENGINE_NEVER;
    for (int i = 0; i < vm->options.dead_ranks; i++)
        if (vm->options.dead_rank[i].rank == number &&
            vm->options.dead_rank[i].time_ps < rank->dies_at)
            rank->dies_at = vm->options.dead_rank[i].time_ps;
    cost_prepare(rank, 0);
    create_cores(rank);
}

static enum pto_status read_topology(struct pto_vm *vm, struct pto_diags *diags)
{
    const struct pto_vm_options *options = &vm->options;
    struct pto_buf why = {0};
    enum pto_status status = PTO_OK;

    if (!topology_read(&vm->topology, options->topology, vm->ranks, &why))
        status = CONFIG_ERROR(diags, "%s", pto_buf_text(&why));
    pto_buf_free(&why);
    PTO_TRY(status);
    if (!topology_is_file(&vm->topology))
        return PTO_OK;
    vm->topology.graph = topology_file_read(
        strchr(options->topology, ':') + 1, options->topology_text ? options->topology_text : "",
        vm->ranks, &vm->profile, &vm->arena, diags);
    return vm->topology.graph ? PTO_OK : PTO_ECONFIG;
}

static enum pto_status create_wires(struct pto_vm *vm, struct pto_diags *diags)
{
    PTO_TRY(read_topology(vm, diags));
    vm->wire = pto_arena_array(&vm->arena, topology_wires(&vm->topology), sizeof *vm->wire);
    vm->window = vm->lead = topology_window(vm);
    vm->reach = vm->options.stepwise ? 0 : topology_reach(vm);
    return changes_create(vm, diags);
}

/* Ranks are shared among threads; of a rank that is alone, its AI cores. */
static unsigned used_threads(const struct pto_vm *vm)
{
    unsigned most = vm->ranks > 1 ? (unsigned)vm->owns : vm->blocks;
    unsigned threads = (unsigned)vm->options.threads;

    threads = threads < most ? threads : most;
    return threads ? threads : 1;
}

enum pto_status pto_vm_create(const struct pto_vm_options *options,
                              const struct pto_profile *profile, struct pto_diags *diags,
                              struct pto_vm **out)
{
    const struct op_set *ops =
        options->cpu_level ? op_select_level(options->cpu_level) : op_select();
    struct pto_vm *vm;

    PTO_TRY(check_options(options, profile, diags));
    if (!ops)
        return CONFIG_ERROR(diags, "CPU level '%s': not on this host, or not in this build",
                            options->cpu_level);
    vm = pto_xcalloc(1, sizeof *vm);
    poison_begin(&vm->poison);
    vm->options = *options;
    vm->profile = *profile;
    if (!vm->options.max_time_ps)
        vm->options.max_time_ps = PTO_DEFAULT_MAX_TIME_PS;
    if (!vm->options.max_insns)
        vm->options.max_insns = PTO_DEFAULT_MAX_INSNS;
    vm->ops = ops;
    vm->ranks = options->ranks;
    vm->most_insns = max_u64(vm->options.max_insns / (uint64_t)vm->ranks, 1);
    vm->blocks = options->cores ? (unsigned)options->cores : profile->cores;
    while (vm->ring_mask + 1 < profile->queue_depth)
        vm->ring_mask = 2 * vm->ring_mask + 1;
    carry_create(vm);
    vm->threads = used_threads(vm);
    vm->args = pto_arena_array(&vm->arena, vm->threads, sizeof *vm->args);
    memory_give_room(&vm->args[0], vm);
    stock_create(vm);
    vm->rank = pto_arena_lines(&vm->arena, (size_t)vm->ranks, sizeof *vm->rank);
    for (int r = 0; r < vm->ranks; r++) {
        vm->rank[r].vm = vm;
        vm->rank[r].number = r;
    }
    if (create_wires(vm, diags) != PTO_OK) {
        pto_vm_free(vm);
        return PTO_ECONFIG;
    }
    for (int r = 0; r < vm->ranks; r++) {
        if (vm->owns >= MANY_RANKS)
            map_heap_large();
        create_rank(vm, r);
    }
    *out = vm;
    return PTO_OK;
}

void pto_vm_free(struct pto_vm *vm)
{
    if (!vm)
        return;
    crew_free(vm->crew);
    carry_free(vm);
    changes_free(vm);
    for (int r = 0; r < vm->ranks; r++) {
        struct rank *rank = &vm->rank[r];

        backlog_free(rank);
        memory_free(rank);
        for (unsigned c = 0; c < rank->cores; c++) {
            queue_free(&rank->core[c]);
            dma_free(&rank->core[c]);
            parts_free(&rank->core[c]);
            free(rank->core[c].flags);
            free(rank->core[c].cross);
        }
        link_free(rank);
        print_free(rank);
        observe_free(rank);
        eventq_free(&rank->events);
        free(rank->warning);
        pto_arena_free(&rank->arena);
    }
    for (unsigned i = 0; i < vm->bindings; i++)
        if (!vm->binding[i].lent)
            free((void *)(uintptr_t)vm->binding[i].data);
    for (unsigned i = 0; i < vm->openeds; i++)
        free(vm->opened[i].data);
    free(vm->opened);
    free(vm->sent);
    free(vm->binding);
    free(vm->parameter);
    free(vm->launch);
    free(vm->warning);
    for (unsigned i = 0; i < vm->threads; i++)
        free(vm->args[i].scratch);
    stock_free(vm);
    poison_end(&vm->poison);
    pto_arena_free(&vm->arena);
    free(vm);
}

enum pto_status pto_vm_launch(struct pto_vm *vm, const struct pto_program *program,
                              uint32_t kernel, struct pto_diags *diags)
{
    const struct pto_kernel *launched;
    struct ready_kernel *ready;

    if (kernel >= program->module.kernels)
        return CONFIG_ERROR(diags, "kernel number %u of a module with %u", kernel,
                            program->module.kernels);
    if (strcmp(program->profile.name, vm->profile.name) != 0)
        return CONFIG_ERROR(diags, "a program verified for profile %s on a machine of profile %s",
                            program->profile.name, vm->profile.name);
    launched = &program->module.kernel[kernel];
    ready = ready_kernel(vm, program, launched);
    PTO_GROW(vm->launch, vm->launches, vm->launch_capacity);
    vm->launch[vm->launches] = (struct launch){
        .program = program, .kernel = launched, .ready = ready, .earlier = ready->last};
    ready->last = (int)vm->launches++;
    return PTO_OK;
}

static enum pto_status set_parameter(struct pto_vm *vm, int rank, const char *name, bool is_float,
                                     uint64_t bits, struct pto_diags *diags)
{
    if (rank != PTO_ALL_RANKS && (rank < 0 || rank >= vm->ranks))
        return CONFIG_ERROR(diags, "parameter '%s' of rank %d: ranks are 0 to %d", name, rank,
                            vm->ranks - 1);
    PTO_GROW(vm->parameter, vm->parameters, vm->parameter_capacity);
    vm->parameter[vm->parameters++] = (struct parameter_value){
        .name = pto_arena_strdup(&vm->arena, name),
        .rank = rank,
        .is_float = is_float,
        .bits = bits,
    };
    return PTO_OK;
}

enum pto_status pto_vm_set_int(struct pto_vm *vm, int rank, const char *name, int64_t value,
                               struct pto_diags *diags)
{
    return set_parameter(vm, rank, name, false, (uint64_t)value, diags);
}

enum pto_status pto_vm_set_float(struct pto_vm *vm, int rank, const char *name, double value,
                                 struct pto_diags *diags)
{
    return set_parameter(vm, rank, name, true, pto_f64_bits(value), diags);
}

/* Append a binding without data. */
static enum pto_status add_binding(struct pto_vm *vm, int rank, const char *name,
                                   enum pto_dtype dtype, const uint64_t *dim, unsigned dims,
                                   const char *origin, struct pto_diags *diags)
{
    uint64_t bytes = pto_dtype_size(dtype);
    struct binding *binding;

    if (rank != PTO_ALL_RANKS && (rank < 0 || rank >= vm->ranks))
        return CONFIG_ERROR(diags, "input '%s' of rank %d: ranks are 0 to %d", name, rank,
                            vm->ranks - 1);
    if (dims > PTO_MAX_DIMS)
        return CONFIG_ERROR(diags, "'%s' with %u dimensions: objects have at most %d", name, dims,
                            PTO_MAX_DIMS);
    for (unsigned i = 0; i < dims; i++)
        if (__builtin_mul_overflow(bytes, dim[i], &bytes))
            return CONFIG_ERROR(diags, "'%s' is too large", name);
    PTO_GROW(vm->binding, vm->bindings, vm->binding_capacity);
    binding = &vm->binding[vm->bindings++];
    *binding = (struct binding){
        .name = pto_arena_strdup(&vm->arena, name),
        .origin = origin ? pto_arena_strdup(&vm->arena, origin) : NULL,
        .rank = rank,
        .dtype = (uint8_t)dtype,
        .dims = dims,
        .bytes = bytes,
    };
    if (dims)
        memcpy(binding->dim, dim, dims * sizeof *dim);
    return PTO_OK;
}

enum pto_status pto_vm_bind(struct pto_vm *vm, int rank, const char *name, enum pto_dtype dtype,
                            const uint64_t *dim, unsigned dims, const void *data,
                            const char *origin, struct pto_diags *diags)
{
    struct binding *binding;
    uint8_t *copy;

    PTO_TRY(add_binding(vm, rank, name, dtype, dim, data ? dims : 0, origin, diags));
    binding = &vm->binding[vm->bindings - 1];
    if (!data) { /* the caller fills it after pto_vm_prepare */
        binding->bytes = 0;
        return PTO_OK;
    }
    copy = pto_xmalloc(binding->bytes);
    memcpy(copy, data, binding->bytes);
    binding->data = copy;
    return PTO_OK;
}

enum pto_status pto_vm_lend(struct pto_vm *vm, int rank, const char *name, enum pto_dtype dtype,
                            const uint64_t *dim, unsigned dims, const void *data,
                            const char *origin, struct pto_diags *diags)
{
    PTO_TRY(add_binding(vm, rank, name, dtype, dim, dims, origin, diags));
    vm->binding[vm->bindings - 1].data = data;
    vm->binding[vm->bindings - 1].lent = true;
    return PTO_OK;
}

/* ---- what is asked of a run (sched.c) ---- */

void pto_vm_pause(struct pto_vm *vm)
{
    vm->pause = PAUSE_NOW;
}

void pto_vm_stop(struct pto_vm *vm)
{
    vm->stopped = true;
    vm->pause = PAUSE_NOW;
}

void pto_vm_rest(struct pto_vm *vm)
{
    int none = PAUSE_NONE;

    atomic_compare_exchange_strong(&vm->pause, &none, PAUSE_BETWEEN);
}

bool pto_vm_rests(const struct pto_vm *vm)
{
    if (vm->carry)
        return vm->resting;
    return vm->pause == PAUSE_BETWEEN && vm->status == PTO_OK && !vm->finished;
}

bool pto_vm_paused(const struct pto_vm *vm)
{
    return vm->pause != 0;
}

bool pto_vm_finished(const struct pto_vm *vm)
{
    return vm->finished;
}
