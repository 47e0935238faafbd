/* Ways over the wires of a machine. */
#include "cost.h"
#include "machine.h"
#include "topology.h"

static bool cut_between(struct pto_vm *vm, int from, int to)
{
    struct hop hop = topology_hop(&vm->topology, from, to);

    if (hop.next != to)
        return false;
    vm->wire[hop.wire].down = true;
    return true;
}

bool topology_cut(struct pto_vm *vm, int a, int b)
{
    return cut_between(vm, a, b) && cut_between(vm, b, a);
}

bool topology_is_cut(const struct pto_vm *vm, int from, int to)
{
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
        return cost_tier_latency(vm, WIRE_LINK);
    for (int at = from; at != to;) {
        struct hop hop = topology_hop(&vm->topology, at, to);

        sum += cost_tier_latency(vm, hop.tier);
        at = hop.next;
    }
    return sum;
}

uint64_t topology_window(const struct pto_vm *vm)
{
    uint64_t least = cost_tier_latency(vm, WIRE_LINK), last;

    if (vm->ranks == 1)
        return least;
    last = cost_tier_latency(vm, topology_hop(&vm->topology, 0, vm->ranks - 1).tier);
    return last < least ? last : least;
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
    end = head + cost_wire(vm, hop->tier, message->bytes);
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
    flight = (struct flight){message->departure, cost_wire(vm, hop.tier, message->bytes)};
    if (topology_has_transit(&vm->topology))
        take_wire(vm, &hop, message, &flight);
    flight.tail += cost_tier_latency(vm, hop.tier);
    while (hop.next != to) {
        hop = topology_hop(&vm->topology, hop.next, to);
        take_wire(vm, &hop, message, &flight);
        flight.tail += cost_tier_latency(vm, hop.tier);
    }
    return flight.tail;
}
