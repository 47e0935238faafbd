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

/* The head goes on as soon as the next wire is free, the tail behind it.  A wire is taken for as
 * long as the bytes need on it alone: messages that come by slower wires share a fast one.  Wires
 * are first in, first out, so messages of a pair of ranks stay in order. */
uint64_t topology_travel(struct pto_vm *vm, const struct message *message)
{
    int to = message->target;
    struct hop hop;
    uint64_t tail, length;

    if (message->source == to)
        return message->arrival;
    hop = topology_hop(&vm->topology, message->source, to);
    length = cost_wire(vm, hop.tier, message->bytes);
    tail = message->departure + cost_tier_latency(vm, hop.tier);
    while (hop.next != to) {
        struct wire *wire;
        uint64_t head = tail > length ? tail - length : 0;

        hop = topology_hop(&vm->topology, hop.next, to);
        wire = &vm->wire[hop.wire];
        head = max_u64(head, wire->free_at);
        wire->free_at = head + cost_wire(vm, hop.tier, message->bytes);
        tail = max_u64(tail, wire->free_at);
        length = tail - head;
        tail += cost_tier_latency(vm, hop.tier);
    }
    return tail;
}
