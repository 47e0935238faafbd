/* Topologies from files, over a small kernel: any text ends in one error or in a machine, and what
 * a run gives is the same with threads, and when it is saved in its middle and goes on in another
 * machine. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "../unit/engine_support.h"

enum { RANKS = 5 };

static const char *const words[] = {
    "link ", "mesh ", "0-4", "1-3 ", "left", " right", "1", "4", ", ", " = ", "bandwidth = ",
    "latency = ", "down = ", "slower = ", "19.5 GiB/s", "1 MB/s", "250 ns", "1 ps", "4000 ms",
    "2 us..9 us", "..5 us", "7 us", "4/1 ", "1000", "1.001", " @ ", "1us..1.5us", "#", "/", "-",
    "link 0-4 hub\n", "mesh 0-4\n", "\n", NULL};

static const char *const alike[] = {"0 1 2 3 4 left right", "down slower bandwidth latency",
                                    "1 us 2 us 3 us 5 us 8 us 13 us", NULL};

/* Everybody puts a tile to two others, tells them, waits for two, and looks at a third. */
static const char kernel[] =
    ".kernel talk\n"
    ".sym box : f32[2, 64]\n"
    ".signal here[1]\n"
    ".core aiv\n"
    ".tile t : ub f32[1, 64]\n"
    ".tile u : ub f32[1, 64]\n"
    "    .if vec_id() == 0\n"
    "        TEXPANDS t, 1.0\n"
    "        .for %i = 1 to 3\n"
    "            %to = mod(rank() + %i, nranks())\n"
    "            pipe_barrier ALL\n"
    "            TSTORE box@%to[%i - 1, 0], t\n"
    "            pipe_barrier ALL\n"
    "            TNOTIFY here@%to[0], 1, add\n"
    "        .endfor\n"
    "        TWAIT here[0], ge, 2\n"
    "        %from = mod(rank() + 3, nranks())\n"
    "        TLOAD u, box@%from[0, 0]\n"
    "        pipe_barrier ALL\n"
    "        dsb\n"
    "    .endif\n";

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    if (!fuzz_below(state, 3))
        return fuzz_swap(data, size, most, alike, state);
    return fuzz_change_text(data, size, most, words, state);
}

/* What a run gives: its end, its time, what went over the wires. */
static void tell(struct pto_vm *vm, struct pto_buf *out)
{
    const struct pto_fault *fault = pto_vm_fault(vm);
    uint64_t bytes, messages;

    pto_buf_printf(out, "%llu ps, %llu events\n", (unsigned long long)pto_vm_time(vm),
                   (unsigned long long)pto_vm_events(vm));
    for (int link = 0; link < RANKS * RANKS; link++) {
        pto_vm_link_stats(vm, link / RANKS, link % RANKS, &bytes, &messages);
        pto_buf_printf(out, "%llu %llu\n", (unsigned long long)bytes, (unsigned long long)messages);
    }
    if (fault)
        pto_buf_printf(out, "%s %d %s", fault->message, fault->rank,
                       fault->details ? fault->details : "");
    pto_buf_append(out, "", 1);
}

static struct pto_vm *machine(const struct engine_run *run, const struct pto_vm_options *options,
                              struct pto_diags *diags)
{
    struct pto_vm *vm;
    enum pto_status status = pto_vm_create(options, &run->profile, diags, &vm);

    if (status != PTO_OK) {
        assert(diags->errors == 1);
        return NULL;
    }
    status = pto_vm_launch(vm, &run->program, 0, diags);
    assert(status == PTO_OK);
    status = pto_vm_prepare(vm, diags);
    assert(status == PTO_OK);
    pto_vm_remember_inputs(vm);
    return vm;
}

static void put(void *context, const void *bytes, size_t size)
{
    pto_buf_append(context, bytes, size);
}

struct stop {
    struct pto_vm *vm;
    uint64_t left;
};

static void count(void *context, const struct pto_event *event)
{
    struct stop *stop = context;

    (void)event;
    if (--stop->left == 0)
        pto_vm_rest(stop->vm);
}

/* Run; from the `at`-th event on, in another machine. */
static void run_in_two(const struct engine_run *run, const struct pto_vm_options *options,
                       uint64_t at, struct pto_buf *told)
{
    struct pto_diags diags = {0};
    struct pto_buf saved = {0};
    struct stop stop = {machine(run, options, &diags), at};
    struct pto_vm *other;
    enum pto_status status;

    status = pto_vm_observe(stop.vm, count, &stop);
    assert(status == PTO_OK);
    pto_vm_run(stop.vm);
    if (pto_vm_rests(stop.vm)) {
        pto_vm_save(stop.vm, &(struct pto_sink){put, &saved});
        other = machine(run, options, &diags);
        status = pto_vm_load(other, saved.data, saved.size, &diags);
        assert(status == PTO_OK);
        pto_vm_free(stop.vm);
        stop.vm = other;
        pto_vm_run(other);
    }
    tell(stop.vm, told);
    pto_vm_free(stop.vm);
    pto_buf_free(&saved);
    pto_diags_free(&diags);
}

static void run_all_ways(const struct engine_run *run, struct pto_vm_options options, uint64_t at,
                         struct pto_diags *diags)
{
    struct pto_buf whole = {0}, other = {0};
    struct pto_vm *vm = machine(run, &options, diags);

    if (!vm)
        return;
    pto_vm_run(vm);
    tell(vm, &whole);
    pto_vm_free(vm);
    run_in_two(run, &options, at, &other);
    assert(other.size == whole.size && !memcmp(other.data, whole.data, whole.size));
    other.size = 0;
    options.threads = 2;
    run_in_two(run, &options, at, &other);
    assert(other.size == whole.size && !memcmp(other.data, whole.data, whole.size));
    pto_buf_free(&whole);
    pto_buf_free(&other);
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    static struct engine_run run;
    struct pto_diags diags = {.max_errors = 20};
    struct pto_buf text = {0};
    struct pto_vm_options options = {.ranks = RANKS, .cores = 1, .topology = "file:t",
                                     .max_time_ps = 100000000000, .max_insns = 10000};

    (void)name;
    if (!run.profile.cores)
        engine_load(&run, "talk.pto", kernel);
    pto_buf_append(&text, data, size);
    options.topology_text = pto_buf_text(&text);
    run_all_ways(&run, options, 1 + size % 61, &diags);
    pto_buf_free(&text);
    pto_diags_free(&diags);
}
