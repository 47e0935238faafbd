#include "cost.h"

#include "cost_parts.h"
#include "topology_file.h"

/* 64-bit mix (splitmix64 finaliser): jitter has no state, so that it does not depend on the order
 * in which the host computes costs. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Picoseconds of milli-cycles; the product fits in 64 bits for every phase of a sane length. */
static uint64_t cycles_ps(const struct pto_vm *vm, uint64_t millicycles)
{
    if (millicycles > UINT64_MAX / 1000000)
        return pto_profile_ps(&vm->profile, millicycles);
    return ceil_div(millicycles * 1000000, vm->profile.clock_khz);
}

/* Thousandths of a duration, rounded up; in two parts, since the product may not fit. */
static uint64_t thousandths(uint64_t ps, uint64_t milli)
{
    return ps / 1000 * milli + ceil_div(ps % 1000 * milli, 1000);
}

uint64_t cost_scaled(const struct rank *rank, uint64_t ps)
{
    return rank->slow_milli == 1000 ? ps : thousandths(ps, rank->slow_milli);
}

uint64_t cost_perturbed(const struct core *core, unsigned queue, uint64_t entry, uint64_t ps)
{
    const struct rank *rank = core->rank;
    uint64_t seed = rank->vm->options.jitter, what;

    if (!seed)
        return ps;
    what = (uint64_t)rank->number << 48 | (uint64_t)core->number << 36 | (uint64_t)queue << 32 |
           (uint32_t)entry;
    return ps * (768 + mix(mix(seed) ^ what) % 513) / 1024;
}

uint64_t cost_bytes_ps(uint64_t bytes, uint64_t bytes_per_us)
{
    uint64_t whole = bytes / bytes_per_us, rest = bytes % bytes_per_us;

    return whole * 1000000 + (rest * 1000000 + bytes_per_us - 1) / bytes_per_us;
}

uint64_t cost_path_ps(const struct pto_vm *vm, const struct pto_path *path, uint64_t bytes)
{
    return cycles_ps(vm, ceil_div(bytes * 1000000, path->milli_bytes_per_cycle));
}

/* ---- what depends on the rank alone ---- */

void cost_prepare(struct rank *rank, uint64_t now)
{
    const struct pto_profile *p = &rank->vm->profile;
    const uint64_t ps[COST_DURATIONS] = {
        [COST_SCALAR] = pto_profile_ps(p, p->scalar_millicycles),
        [COST_ISSUE] = pto_profile_ps(p, p->issue_millicycles),
        [COST_FLAG] = pto_profile_ps(p, p->flag_millicycles),
        [COST_LOAD] = p->load_ps,
        [COST_STORE] = p->store_ps,
        [COST_TEST] = p->test_ps,
        [COST_NOTIFY] = p->notify_ps,
        [COST_WAKE] = p->wake_ps,
        [COST_SYNC_ALL] = p->sync_all_ps,
        [COST_CROSS] = p->cross_flag_ps,
        [COST_LAUNCH] = p->launch_ps,
    };

    const struct spell *spell = spell_at(&rank->vm->changes.rank, (uint32_t)rank->number, now);

    rank->slow_milli = spell ? spell->milli[PACE_WORK] : 1000;
    rank->pace_until = spell ? spell_end(&rank->vm->changes.rank, spell) : ENGINE_NEVER;
    rank->line_ps = cost_scaled(rank, cost_bytes_ps(p->l2_line, p->gm_bytes_per_us));
    rank->at_pace = rank->slow_milli == 1000 && !rank->vm->options.jitter;
    for (unsigned i = 0; i < COST_DURATIONS; i++)
        rank->duration[i] = cost_scaled(rank, ps[i]);
}

uint64_t cost_jittered(const struct core *core, enum duration which)
{
    return cost_perturbed(core, PTO_PIPE_S, core->time * COST_DURATIONS + which,
                          core->rank->duration[which]);
}

uint64_t cost_jittered_flag(const struct core *core, unsigned pipe)
{
    return cost_perturbed(core, pipe, core->pipe[pipe]->next, core->rank->duration[COST_FLAG]);
}

/* ---- wires ---- */

static uint64_t slower(const struct spell *spell, enum pace pace, uint64_t ps)
{
    return ps + thousandths(ps, spell->milli[pace] - 1000);
}

/* How much of what takes its like `ps` is done in a time. */
static uint64_t done_in(const struct spell *spell, enum pace pace, uint64_t time)
{
    const uint64_t milli = spell->milli[pace];

    return time / milli * 1000 + time % milli * 1000 / milli;
}

/* Time that bytes take on a wire that is as fast as its like. */
static inline uint64_t plain_wire(const struct pto_vm *vm, const struct hop *hop, uint64_t bytes)
{
    const struct pto_profile *p = &vm->profile;
    uint64_t rate = p->link_bytes_per_us;

    if (hop->tier == WIRE_OWN)
        rate = vm->topology.graph->edge[hop->wire].bytes_per_us;
    if (hop->tier == WIRE_NIC || hop->tier == WIRE_TRUNK)
        rate = p->network_bytes_per_us;
    if (hop->tier == WIRE_TRUNK)
        bytes = ceil_div(bytes * p->network_oversubscription, (uint64_t)vm->topology.width);
    return cost_bytes_ps(bytes, rate);
}

/* What takes a wire's like `ps` begins on it at a time: a wire that changes meanwhile does a part
 * of it at each pace.  What begins later never ends earlier: all divisions round the same way. */
static uint64_t on_changing(const struct pto_vm *vm, const struct hop *hop, enum pace pace,
                            uint64_t ps, uint64_t from)
{
    const struct spells *spells = &vm->changes.wire;
    const struct spell *spell = spell_at(spells, hop->wire, from);
    uint64_t at = from, end;

    if (!spell)
        return ps;
    for (end = spell_end(spells, spell); slower(spell, pace, ps) > end - at;
         end = spell_end(spells, ++spell)) {
        ps -= done_in(spell, pace, end - at);
        at = end;
    }
    return at + slower(spell, pace, ps) - from;
}

static inline uint64_t on_wire(const struct pto_vm *vm, const struct hop *hop, enum pace pace,
                               uint64_t ps, uint64_t from)
{
    return vm->changes.wire.count ? on_changing(vm, hop, pace, ps, from) : ps;
}

uint64_t cost_wire(const struct pto_vm *vm, const struct hop *hop, uint64_t bytes, uint64_t from)
{
    return on_wire(vm, hop, PACE_WORK, plain_wire(vm, hop, bytes), from);
}

uint64_t cost_wire_until(const struct pto_vm *vm, const struct hop *hop, uint64_t bytes,
                         uint64_t until)
{
    const struct spells *spells = &vm->changes.wire;
    const struct spell *spell = spell_at(spells, hop->wire, until ? until - 1 : 0);
    uint64_t ps = plain_wire(vm, hop, bytes), at = until;

    if (!spell)
        return ps;
    for (; spell->from && slower(spell, PACE_WORK, ps) > at - spell->from; spell--) {
        ps -= done_in(spell, PACE_WORK, at - spell->from);
        at = spell->from;
    }
    return until - at + slower(spell, PACE_WORK, ps);
}

uint64_t cost_least_latency(const struct pto_vm *vm, const struct hop *hop)
{
    switch (hop->tier) {
    case WIRE_LINK:
        return vm->profile.link_latency_ps;
    case WIRE_NIC:
        return vm->profile.network_latency_ps;
    case WIRE_OWN:
        return vm->topology.graph->edge[hop->wire].latency_ps;
    default:
        return 0;
    }
}

/* What is on its way is as slow as all that is on it, so nothing overtakes. */
uint64_t cost_latency(const struct pto_vm *vm, const struct hop *hop, uint64_t when)
{
    return on_wire(vm, hop, PACE_LATENCY, cost_least_latency(vm, hop), when);
}

uint64_t cost_egress(const struct rank *rank, uint64_t bytes)
{
    uint64_t rate = rank->vm->profile.egress_bytes_per_us;

    return rate ? cost_scaled(rank, cost_bytes_ps(bytes, rate)) : 0;
}

uint64_t cost_send_work(const struct rank *rank, const struct hop *hop, uint64_t bytes)
{
    return cost_scaled(rank, plain_wire(rank->vm, hop, bytes));
}

uint64_t cost_take(const struct pto_vm *vm, const struct hop *hop, uint64_t work, uint64_t from)
{
    return on_wire(vm, hop, PACE_WORK, work, from);
}

uint64_t cost_send(const struct rank *rank, const struct hop *hop, uint64_t bytes, uint64_t from)
{
    return cost_take(rank->vm, hop, cost_send_work(rank, hop, bytes), from);
}

uint64_t cost_done(const struct pto_vm *vm, const struct hop *hop, uint64_t from, uint64_t until)
{
    const struct spells *spells = &vm->changes.wire;
    const struct spell *spell = spells->count ? spell_at(spells, hop->wire, from) : NULL;
    uint64_t work = 0, at = from;

    for (; spell && spell_end(spells, spell) < until; spell++) {
        work += done_in(spell, PACE_WORK, spell_end(spells, spell) - at);
        at = spell_end(spells, spell);
    }
    return work + (spell ? done_in(spell, PACE_WORK, until - at) : until - at);
}

uint64_t cost_common_launch(const struct pto_vm *vm)
{
    return vm->profile.launch_ps;
}

/* ---- phases ---- */

static uint64_t elements(uint64_t word)
{
    return (uint64_t)tile_rows(word) * tile_cols(word);
}

/* Word of the tile operand with most elements; 0 if there is none. */
static uint64_t largest(const struct entry *entry)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < entry->op->operands; i++) {
        const struct ready_operand *operand = &entry->op->operand[i];

        if (operand->kind == PTO_O_TILE) {
            uint64_t word = entry->word[operand->word];

            most = elements(word) > elements(most) ? word : most;
        }
    }
    return most;
}

/* The words of a and b; scales stand between the two. */
static void factors(const struct entry *entry, uint64_t *a, uint64_t *b)
{
    const struct ready_operand *operand = entry->op->operand;

    *a = entry->word[operand[1].word];
    *b = entry->word[operand[operand[2].tile->space == PTO_L0A_MX ? 3 : 2].word];
}

uint64_t cost_macs(const struct entry *entry)
{
    uint64_t a, b;

    factors(entry, &a, &b);
    return (uint64_t)tile_rows(a) * tile_cols(a) * tile_cols(b) *
           pto_dtype_numbers(entry->op->operand[1].tile->dtype);
}

/* Cube steps of 16 x 16 x 32 bytes. */
static uint64_t cube_steps(const struct pto_vm *vm, const struct entry *entry)
{
    const struct ready_op *op = entry->op;
    unsigned bytes = pto_dtype_size(op->operand[1].tile->dtype);
    uint64_t a, b, steps;

    factors(entry, &a, &b);
    steps = ceil_div(tile_rows(a), 16) * ceil_div(tile_cols(b), 16) *
            ceil_div((uint64_t)tile_cols(a) * bytes, 32);
    return op->operand[1].tile->dtype == PTO_F32 ? steps * vm->profile.cube_f32_factor : steps;
}

/* Bytes that an element of a transfer counts as on its path. */
static unsigned counted_bytes(const struct pto_vm *vm, const struct ready_op *op, unsigned bytes)
{
    unsigned fixed = vm->profile.fix_element_bytes;

    return fixed && op->operand[1].kind == PTO_O_TILE && op->operand[1].tile->space == PTO_L0C
               ? fixed
               : bytes;
}

static struct phase_cost cost_transfer(const struct pto_vm *vm, const struct entry *entry)
{
    const struct ready_op *op = entry->op;
    const struct pto_path *path = op->path;
    unsigned bytes = pto_dtype_size(op->operand[0].view.dtype);
    struct phase_cost cost = {0};
    uint64_t moved;

    moved = op->operand[0].kind == PTO_O_TILE /* a window's source may be larger than what moves */
                ? elements(entry->word[op->operand[0].word])
                : elements(largest(entry));
    cost.bytes = moved * bytes;
    if (path) {
        cost.occupancy = cost_path_ps(vm, path, moved * counted_bytes(vm, op, bytes));
        if (path->pipe == PTO_PIPE_MTE1)
            cost.occupancy += cycles_ps(vm, vm->profile.extract_millicycles);
        cost.latency = cycles_ps(vm, path->latency_millicycles);
    }
    return cost;
}

/* What a phase of the class takes its pipe.  Where rows have a price of their own, each row is cut
 * into repeats by itself. */
static uint64_t units_ps(const struct pto_vm *vm, const struct pto_cost_entry *price,
                         const struct entry *entry)
{
    uint64_t tile = largest(entry), rows = tile_rows(tile), bytes = entry->op->unit_bytes;

    if (!price->row_millicycles)
        return cycles_ps(vm, ceil_div(elements(tile) * bytes, 256) * price->slope_millicycles);
    return cycles_ps(vm, rows * (ceil_div(tile_cols(tile) * bytes, 256) *
                                     (uint64_t)price->slope_millicycles +
                                 price->row_millicycles));
}

/* A whole 32 KiB of f32 in rows of 128 to 1024 is reduced by instructions that take groups of
 * lanes. */
static bool reduces_groups(const struct entry *entry)
{
    uint64_t tile, cols;

    if (entry->op->info->cost != PTO_COST_V_REDUCE || entry->op->unit_bytes != 4)
        return false;
    tile = largest(entry);
    cols = tile_cols(tile);
    return elements(tile) == 8192 && cols >= 128 && cols <= 1024;
}

/* On a rank that is as fast as the profile says. */
static struct phase_cost plain_cost(const struct pto_vm *vm, const struct entry *entry)
{
    const struct pto_op_info *info = entry->op->info;
    const struct pto_cost_entry *price;
    struct phase_cost cost = {0};

    if (info->cost == PTO_COST_MOVE)
        return cost_transfer(vm, entry);
    price = &vm->profile.cost[reduces_groups(entry) ? PTO_COST_V_REDUCE_GROUP : info->cost];
    cost.occupancy =
        info->cost == PTO_COST_CUBE
            ? cycles_ps(vm, cube_steps(vm, entry) * (uint64_t)price->slope_millicycles)
            : units_ps(vm, price, entry);
    cost.latency = cycles_ps(vm, price->latency_millicycles);
    return cost;
}

/* It does if all tiles are taken as they were declared. */
void cost_foresee(const struct pto_vm *vm, struct ready_op *op)
{
    struct entry entry = {.op = op};

    for (unsigned i = 0; i < op->operands; i++) {
        const struct ready_operand *operand = &op->operand[i];

        if ((i == 0 && operand->access & PTO_WINDOW) ||
            (operand->kind == PTO_O_TILE && !operand->whole_tile) ||
            (operand->kind == PTO_O_GM && operand->rows != NO_REGISTER))
            return;
        if (operand->kind == PTO_O_TILE)
            entry.word[operand->word] = tile_word(0, operand->tile->rows, operand->tile->cols);
    }
    op->cost = plain_cost(vm, &entry);
    op->always_costs = true;
}

struct phase_cost cost_of_phase(const struct core *core, unsigned pipe, const struct entry *entry)
{
    const struct rank *rank = core->rank;
    const struct ready_op *op = entry->op;
    struct phase_cost cost = op->always_costs ? op->cost : plain_cost(rank->vm, entry);

    if (rank->at_pace)
        return cost;
    cost.occupancy =
        cost_perturbed(core, pipe, core->pipe[pipe]->next, cost_scaled(rank, cost.occupancy));
    cost.latency =
        cost_perturbed(core, pipe, core->pipe[pipe]->next, cost_scaled(rank, cost.latency));
    return cost;
}

struct phase_cost cost_async(const struct core *core, uint64_t submission, uint64_t bytes)
{
    const struct pto_profile *profile = &core->rank->vm->profile;
    struct phase_cost cost = {.bytes = bytes};

    if (bytes == 0)
        return cost;
    cost.latency = cost_perturbed(core, PTO_DMA, submission,
                                  cost_scaled(core->rank, profile->async_startup_ps));
    cost.occupancy =
        cost_perturbed(core, PTO_DMA, submission,
                       cost_scaled(core->rank, cost_bytes_ps(bytes, profile->async_bytes_per_us)));
    return cost;
}
