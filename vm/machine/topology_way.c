/* Ways over the wires of a machine. */
#include "cost.h"
#include "links.h"
#include "machine.h"
#include "topology.h"
#include "topology_file.h"

/* Does one wire join the two, in both directions? */
static bool are_neighbours(const struct pto_vm *vm, int a, int b)
{
    return topology_hop(&vm->topology, a, b).next == b &&
           topology_hop(&vm->topology, b, a).next == a;
}

static void cut(struct pto_vm *vm, int from, int to)
{
    if (topology_is_shared(&vm->topology))
        vm->wire[topology_hop(&vm->topology, from, to).wire].down = true;
    else
        links_make(&vm->rank[from], to)->down = 1;
}

bool topology_cut(struct pto_vm *vm, int a, int b)
{
    if (!are_neighbours(vm, a, b))
        return false;
    cut(vm, a, b);
    cut(vm, b, a);
    return true;
}

static void slow(struct pto_vm *vm, int from, int to, uint32_t milli)
{
    if (topology_is_shared(&vm->topology))
        vm->wire[topology_hop(&vm->topology, from, to).wire].slower = milli - 1000;
    else
        links_make(&vm->rank[from], to)->slower = milli - 1000;
}

bool topology_slow(struct pto_vm *vm, int a, int b, uint32_t milli)
{
    if (!are_neighbours(vm, a, b))
        return false;
    slow(vm, a, b, milli);
    slow(vm, b, a, milli);
    return true;
}

bool topology_slow_places(struct pto_vm *vm, const char *places, uint32_t milli)
{
    uint32_t edge[2];

    if (!vm->topology.graph ||
        !topology_file_between(vm->topology.graph, vm->ranks, places, edge))
        return false;
    vm->wire[edge[0]].slower = vm->wire[edge[1]].slower = milli - 1000;
    return true;
}

bool topology_is_cut(const struct pto_vm *vm, int from, int to)
{
    if (!topology_is_shared(&vm->topology))
        return links_down(&vm->rank[from], to);
    for (int at = from; at != to;) {
        struct hop hop = topology_hop(&vm->topology, at, to);

        if (vm->wire[hop.wire].down)
            return true;
        at = hop.next;
    }
    return false;
}

uint64_t topology_latency(const struct pto_vm *vm, int from, int to)
{
    uint64_t sum = 0;

    if (from == to)
        return vm->profile.link_latency_ps;
    for (int at = from; at != to;) {
        struct hop hop = topology_hop(&vm->topology, at, to);

        sum += cost_latency(vm, &hop);
        at = hop.next;
    }
    return sum;
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
    return cost_latency(vm, &last) < least ? cost_latency(vm, &last) : least;
}

/* A message that is between two places: when its last byte is there, and how far its first one is
 * ahead. */
struct flight {
    uint64_t tail, length;
};

/* The head goes on as soon as the wire is free, the tail behind it.  A wire is taken for as long as
 * the bytes need on it alone: messages that come by slower wires share a fast one.  Wires are first
 * in, first out, so messages of a pair of ranks stay in order. */
static void take_wire(struct pto_vm *vm, const struct hop *hop, const struct message *message,
                      struct flight *flight)
{
    struct wire *wire = &vm->wire[hop->wire];
    uint64_t head = flight->tail > flight->length ? flight->tail - flight->length : 0, end;
    int32_t sender = message->source + 1;

    if (wire->prompt != sender) /* else what they left by has kept the two apart */
        head = max_u64(head, wire->free_at);
    end = head + cost_wire(vm, hop, message->bytes);
    wire->free_at = max_u64(wire->free_at, end);
    wire->prompt = end <= flight->tail ? sender : 0;
    flight->tail = max_u64(flight->tail, end);
    flight->length = flight->tail - head;
}

uint64_t topology_travel(struct pto_vm *vm, const struct message *message)
{
    int to = message->target;
    struct flight flight;
    struct hop hop;

    if (message->source == to)
        return message->arrival;
    hop = topology_hop(&vm->topology, message->source, to);
    flight = (struct flight){message->departure, cost_wire(vm, &hop, message->bytes)};
    if (topology_has_transit(&vm->topology))
        take_wire(vm, &hop, message, &flight);
    flight.tail += cost_latency(vm, &hop);
    while (hop.next != to) {
        hop = topology_hop(&vm->topology, hop.next, to);
        take_wire(vm, &hop, message, &flight);
        flight.tail += cost_latency(vm, &hop);
    }
    return flight.tail;
}
