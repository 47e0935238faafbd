#include "changes_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "topology_file.h"

/* ---- what is asked for ---- */

static void add(struct pto_vm *vm, struct change change)
{
    struct changes *all = &vm->changes;

    if (!change.when.to_ps)
        change.when.to_ps = ENGINE_NEVER;
    all->downs |= change.kind == PTO_CHANGE_DOWN;
    PTO_GROW(all->change, all->count, all->capacity);
    all->change[all->count++] = change;
}

static enum pto_status no_neighbours(const struct pto_vm *vm, const struct pto_link *link,
                                     struct pto_diags *diags)
{
    const char *topology = vm->options.topology ? vm->options.topology : "mesh";
    bool named = topology_has_names(&vm->topology);

    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                               "link %d-%d: in topology %s the two are no neighbours", link->a,
                               link->b, topology),
                  "name two ranks that one wire joins%s%s", named ? ", or places as " : "",
                  named ? topology_names(&vm->topology) : "");
    return PTO_ECONFIG;
}

static enum pto_status no_places(const struct pto_vm *vm, const char *places,
                                 struct pto_diags *diags)
{
    bool named = topology_has_names(&vm->topology);

    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                               named ? "link %s: the topology has no such link"
                                     : "link %s: only a topology from a file, a switch and nodes "
                                       "have names",
                               places),
                  named ? "name two places as %s"
                        : "name two ranks, or give a topology that has names%s",
                  named ? topology_names(&vm->topology) : "");
    return PTO_ECONFIG;
}

/* The wires of a link, there and back. */
static enum pto_status find_wires(const struct pto_vm *vm, const struct pto_link *link,
                                  struct change *change, struct pto_diags *diags)
{
    struct hop there, back;

    if (link->places) {
        change->uses = (uint8_t)topology_named(&vm->topology, link->places, change->of);
        return change->uses ? PTO_OK : no_places(vm, link->places, diags);
    }
    there = topology_hop(&vm->topology, link->a, link->b);
    back = topology_hop(&vm->topology, link->b, link->a);
    if (there.next != link->b || back.next != link->a)
        return no_neighbours(vm, link, diags);
    change->uses = 2;
    change->of[0] = there.wire;
    change->of[1] = back.wire;
    return PTO_OK;
}

static uint32_t milli_of(double factor)
{
    return (uint32_t)lrint(factor * 1000);
}

static enum pto_status add_link(struct pto_vm *vm, enum pto_change_kind kind,
                                const struct pto_slow_link *slow, struct pto_diags *diags)
{
    const struct pto_link *link = &slow->link;
    struct change change = {
        .kind = (uint8_t)kind,
        .milli = {milli_of(slow->factor), milli_of(slow->latency ? slow->latency : slow->factor)},
        .when = link->when};

    PTO_TRY(find_wires(vm, link, &change, diags));
    change.name = link->places ? pto_arena_strdup(&vm->arena, link->places)
                               : pto_arena_printf(&vm->arena, "%d-%d", link->a, link->b);
    add(vm, change);
    return PTO_OK;
}

static void add_slow_rank(struct pto_vm *vm, const struct pto_slow_rank *slow)
{
    add(vm, (struct change){.kind = PTO_CHANGE_SLOW_RANK,
                            .uses = 1,
                            .of = {(uint32_t)slow->rank},
                            .milli = {milli_of(slow->factor)},
                            .when = slow->when,
                            .name = pto_arena_printf(&vm->arena, "%d", slow->rank)});
}

static void add_dead_rank(struct pto_vm *vm, const struct pto_dead_rank *dead)
{
    add(vm, (struct change){.kind = PTO_CHANGE_DEAD_RANK,
                            .when = {dead->time_ps, 0},
                            .name = pto_arena_printf(&vm->arena, "%d", dead->rank)});
}

static void add_from_file(struct pto_vm *vm)
{
    const struct topology_graph *graph = vm->topology.graph;

    for (uint32_t i = 0; graph && i < graph->changes; i++) {
        const struct topology_change *given = &graph->change[i];
        struct change change = {
            .kind = given->down ? PTO_CHANGE_DOWN : PTO_CHANGE_SLOW_LINK,
            .milli = {given->milli[0], given->milli[1]},
            .uses = 2,
            .when = given->when,
            .name = pto_arena_printf(&vm->arena, "%s-%s",
                                     topology_place(&vm->topology, given->from, &vm->arena),
                                     topology_place(&vm->topology, given->to, &vm->arena))};

        if (topology_file_edge(graph, given->from, given->to, &change.of[0]) &&
            topology_file_edge(graph, given->to, given->from, &change.of[1]))
            add(vm, change);
    }
}

/* ---- spells ---- */

/* A time at which a wire or a rank may become another. */
struct point {
    uint32_t of;
    uint64_t time;
};

static int by_of(const void *a, const void *b)
{
    const struct point *x = a, *y = b;

    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return x->time < y->time ? -1 : x->time > y->time;
}

/* Who uses a change: they stand together for each wire or rank, in the order given. */
struct use {
    uint32_t of;
    unsigned change;
};

static int by_use(const void *a, const void *b)
{
    const struct use *x = a, *y = b;

    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return x->change < y->change ? -1 : x->change > y->change;
}

/* What the changes that one wire or rank uses make of it at a time. */
static struct spell spell_of(const struct changes *all, const struct use *use, unsigned uses,
                             struct point point)
{
    struct spell spell = {point.of, {1000, 1000}, point.time, ENGINE_NEVER};

    for (unsigned i = 0; i < uses; i++) {
        const struct change *change = &all->change[use[i].change];

        if (point.time < change->when.from_ps || point.time >= change->when.to_ps)
            continue;
        if (change->kind == PTO_CHANGE_DOWN)
            spell.since = point.time;
        else
            memcpy(spell.milli, change->milli, sizeof spell.milli);
    }
    return spell;
}

static void add_spell(struct spells *spells, struct spell spell)
{
    struct spell *last = spells->count ? &spells->spell[spells->count - 1] : NULL;

    if (last && last->of == spell.of) {
        if (last->since != ENGINE_NEVER && spell.since != ENGINE_NEVER)
            spell.since = last->since; /* it was down before */
        if (!memcmp(last->milli, spell.milli, sizeof spell.milli) && last->since == spell.since)
            return;
    }
    spells->spell[spells->count++] = spell;
}

/* Those of one wire or rank, whose changes are `use`. */
static void make_spells(struct spells *spells, const struct changes *all, const struct use *use,
                        unsigned uses, struct point *point)
{
    unsigned points = 0;

    point[points++] = (struct point){use->of, 0};
    for (unsigned i = 0; i < uses; i++) {
        const struct pto_span *when = &all->change[use[i].change].when;

        point[points++] = (struct point){use->of, when->from_ps};
        if (when->to_ps != ENGINE_NEVER)
            point[points++] = (struct point){use->of, when->to_ps};
    }
    qsort(point, points, sizeof *point, by_of);
    for (unsigned i = 0; i < points; i++)
        if (i == 0 || point[i].time != point[i - 1].time)
            add_spell(spells, spell_of(all, use, uses, point[i]));
}

static bool is_of_rank(const struct change *change)
{
    return change->kind == PTO_CHANGE_SLOW_RANK;
}

/* Of ranks, or of wires. */
static void make_all(struct pto_vm *vm, bool ranks, struct spells *spells)
{
    const struct changes *all = &vm->changes;
    struct use *use = pto_xcalloc(2 * (size_t)all->count, sizeof *use);
    struct point *point = pto_xcalloc(4 * (size_t)all->count + 1, sizeof *point);
    unsigned uses = 0;

    for (unsigned c = 0; c < all->count; c++)
        for (unsigned i = 0; i < all->change[c].uses && is_of_rank(&all->change[c]) == ranks; i++)
            use[uses++] = (struct use){all->change[c].of[i], c};
    qsort(use, uses, sizeof *use, by_use);
    spells->spell = pto_arena_array(&vm->arena, 3 * (size_t)uses + 1, sizeof *spells->spell);
    for (unsigned i = 0, end; i < uses; i = end) {
        for (end = i + 1; end < uses && use[end].of == use[i].of;)
            end++;
        make_spells(spells, all, &use[i], end - i, point);
    }
    free(use);
    free(point);
}

enum pto_status changes_create(struct pto_vm *vm, struct pto_diags *diags)
{
    const struct pto_vm_options *options = &vm->options;

    add_from_file(vm);
    for (int i = 0; i < options->links_down; i++)
        PTO_TRY(add_link(vm, PTO_CHANGE_DOWN,
                         &(struct pto_slow_link){options->link_down[i], 1, 1}, diags));
    for (int i = 0; i < options->slow_links; i++)
        PTO_TRY(add_link(vm, PTO_CHANGE_SLOW_LINK, &options->slow_link[i], diags));
    for (int i = 0; i < options->slow_ranks; i++)
        add_slow_rank(vm, &options->slow_rank[i]);
    for (int i = 0; i < options->dead_ranks; i++)
        add_dead_rank(vm, &options->dead_rank[i]);
    if (!vm->changes.count)
        return PTO_OK;
    make_all(vm, false, &vm->changes.wire);
    make_all(vm, true, &vm->changes.rank);
    return PTO_OK;
}

void changes_free(struct pto_vm *vm)
{
    free(vm->changes.change);
}
