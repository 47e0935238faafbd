/* Ways over the wires of a machine. */
#include "cost.h"
#include "machine.h"
#include "topology.h"
#include "topology_file.h"

/* The first time from `since` to `until` at which the wire is down, and since when it is. */
static uint64_t first_down(const struct pto_vm *vm, uint32_t wire, uint64_t since, uint64_t until,
                           uint64_t *down)
{
    const struct spells *spells = &vm->changes.wire;
    const struct spell *spell = spell_at(spells, wire, since);

    while (spell && spell->since == ENGINE_NEVER && spell_end(spells, spell) <= until)
        spell++;
    if (!spell || spell->since == ENGINE_NEVER)
        return ENGINE_NEVER;
    *down = spell->since;
    return max_u64(since, spell->from);
}

bool topology_is_cut(const struct pto_vm *vm, int from, int to, uint64_t since, uint64_t until,
                     struct cut *cut)
{
    cut->time = ENGINE_NEVER;
    for (int at = from; vm->changes.downs && at != to;) {
        struct hop hop = topology_hop(&vm->topology, at, to);
        uint64_t down, time = first_down(vm, hop.wire, since, until, &down);

        if (time < cut->time)
            *cut = (struct cut){time, down, at, hop};
        at = hop.next;
    }
    return cut->time != ENGINE_NEVER;
}

uint64_t topology_latency(const struct pto_vm *vm, int from, int to, uint64_t when)
{
    uint64_t there = when;

    if (from == to)
        return vm->profile.link_latency_ps;
    for (int at = from; at != to;) {
        struct hop hop = topology_hop(&vm->topology, at, to);

        there += cost_latency(vm, &hop, there);
        at = hop.next;
    }
    return there - when;
}

uint64_t topology_least_latency(const struct pto_vm *vm, int from, int to, uint64_t most)
{
    uint64_t sum = 0;

    for (int at = from; at != to && sum < most;) {
        struct hop hop = topology_hop(&vm->topology, at, to);

        sum += cost_least_latency(vm, &hop);
        at = hop.next;
    }
    return sum < most ? sum : most;
}

uint64_t topology_window(const struct pto_vm *vm)
{
    uint64_t least = vm->profile.link_latency_ps;
    const struct topology_graph *graph = vm->topology.graph;
    struct hop last;

    for (uint32_t i = 0; graph && i < graph->edges; i++)
        if (graph->edge[i].latency_ps < least)
            least = graph->edge[i].latency_ps;
    if (vm->ranks == 1 || graph)
        return least;
    last = topology_hop(&vm->topology, 0, vm->ranks - 1);
    return cost_least_latency(vm, &last) < least ? cost_least_latency(vm, &last) : least;
}

uint64_t topology_reach(const struct pto_vm *vm)
{
    const int last = vm->ranks - 1;

    if (topology_has_transit(&vm->topology) || topology_is_direct(&vm->topology, 0, last))
        return topology_window(vm);
    return topology_least_latency(vm, 0, last, ENGINE_NEVER);
}

/* A message that is between two places: when its last byte is there, and how far its first one is
 * ahead; and when it met a wire that was down, else never. */
struct flight {
    uint64_t tail, length, lost;
};

/* To the end of a wire.  The head goes on as soon as it is free, the tail behind it.  A wire is
 * taken for as long as the bytes need on it alone: messages that come by slower wires share a fast
 * one.  Wires are first in, first out, so messages of a pair of ranks stay in order. */
static void take_wire(struct pto_vm *vm, const struct hop *hop, const struct message *message,
                      struct flight *flight)
{
    struct wire *wire = &vm->wire[hop->wire];
    uint64_t head = flight->tail > flight->length ? flight->tail - flight->length : 0, end, unused;
    int32_t sender = message->source + 1;

    if (wire->prompt != sender) /* else what they left by has kept the two apart */
        head = max_u64(head, wire->free_at);
    end = head + cost_wire(vm, hop, message->bytes, head);
    wire->free_at = max_u64(wire->free_at, end);
    wire->prompt = end <= flight->tail ? sender : 0;
    flight->tail = max_u64(flight->tail, end);
    flight->length = flight->tail - head;
    if (vm->changes.downs && flight->lost == ENGINE_NEVER)
        flight->lost = first_down(vm, hop->wire, head, flight->tail, &unused);
    flight->tail += cost_latency(vm, hop, flight->tail);
}

uint64_t topology_travel(struct pto_vm *vm, const struct message *message, uint64_t *lost)
{
    int to = message->target;
    struct flight flight;
    struct hop hop;

    *lost = ENGINE_NEVER;
    if (message->source == to)
        return message->arrival;
    hop = topology_hop(&vm->topology, message->source, to);
    flight = (struct flight){message->departure,
                             cost_wire_until(vm, &hop, message->bytes, message->departure),
                             ENGINE_NEVER};
    if (topology_has_transit(&vm->topology))
        take_wire(vm, &hop, message, &flight);
    else
        flight.tail += cost_latency(vm, &hop, flight.tail);
    while (hop.next != to) {
        hop = topology_hop(&vm->topology, hop.next, to);
        take_wire(vm, &hop, message, &flight);
    }
    *lost = flight.lost;
    return flight.tail;
}
