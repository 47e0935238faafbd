#include "route.h"

#include "fault.h"

static bool is_broken(const struct rank *rank, int peer, uint64_t since, uint64_t until,
                      struct cut *cut, bool *back)
{
    struct cut other;

    if (!rank->vm->changes.downs || peer == rank->number)
        return false;
    *back = false;
    topology_is_cut(rank->vm, rank->number, peer, since, until, cut);
    if (topology_is_cut(rank->vm, peer, rank->number, since, until, &other) &&
        other.time < cut->time) {
        *cut = other;
        *back = true;
    }
    return cut->time != ENGINE_NEVER;
}

uint64_t route_breaks(const struct rank *rank, int peer, uint64_t since, uint64_t until)
{
    struct cut cut;
    bool back;

    return is_broken(rank, peer, since, until, &cut, &back) ? cut.time : ENGINE_NEVER;
}

bool route_check(struct core *core, uint32_t pc, unsigned queue, int peer, uint64_t since,
                 uint64_t until, const char *hint)
{
    struct rank *rank = core->rank;
    struct cut cut;
    const char *link;
    double us;
    bool back;

    if (!is_broken(rank, peer, since, until, &cut, &back))
        return true;
    link = topology_wire_name(&rank->vm->topology, cut.at, &cut.hop, &rank->arena);
    us = route_us(cut.since);
    if (cut.since > since)
        return fault_raise(core, pc, queue, until, ROUTE_MENDED,
                           "link %s went down at %.3f us, while bytes to rank %d were leaving",
                           link, us, peer);
    if (cut.since > 0)
        return fault_raise(core, pc, queue, until, hint,
                           "no link %sfrom rank %d to rank %d: link %s went down at %.3f us",
                           back ? "back " : "", back ? peer : rank->number,
                           back ? rank->number : peer, link, us);
    return fault_raise(core, pc, queue, until, hint, "no link %sfrom rank %d to rank %d",
                       back ? "back " : "", back ? peer : rank->number,
                       back ? rank->number : peer);
}
