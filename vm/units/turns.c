#include "turns.h"

#include <string.h>

#include "machine/cost.h"
#include "machine/topology.h"
#include "put_off.h"

/* All flows on a link come forward by the same, so its transfers stand in the order in which they
 * will be through.  Between two transfers that begin nothing has to be looked at: when each is
 * through is known until the next one comes. */

static struct hop hop_of(const struct rank *rank, const struct turn *turn)
{
    return topology_hop(&rank->vm->topology, rank->number, turn->to);
}

/* The wires of a mesh have the numbers of the ranks at their ends. */
static uint32_t port_to(const struct rank *rank, int to)
{
    const struct topology *topology = &rank->vm->topology;
    struct hop hop = topology_hop(topology, rank->number, to);

    return topology_is_shared(topology) ? topology_port(topology, &hop) : (uint32_t)to;
}

/* Those that still have something to send; and the first transfer, NULL: there is none. */
static uint64_t count_flows(const struct rank *rank, uint32_t port, const struct turn **first)
{
    uint64_t flows = 0;

    *first = NULL;
    for (uint32_t i = 0; i < rank->turns; i++) {
        if (rank->turn[i].port != port)
            continue;
        flows += !rank->turn[i].more;
        *first = *first ? *first : &rank->turn[i];
    }
    return flows;
}

/* Work that the link has done, and how far all flows on it have come. */
struct progress {
    uint64_t work, each, flows;
};

/* A transfer is through. */
static void pass(struct progress *progress, const struct turn *turn)
{
    progress->work -= min_u64((turn->left - progress->each) * progress->flows, progress->work);
    progress->each = turn->left;
    progress->flows -= !turn->more;
}

/* What is left of the work goes to all alike, if it does not bring the next one to its end. */
static void deal(struct progress *progress, const struct turn *next)
{
    uint64_t share = min_u64(progress->work / progress->flows, next->left - progress->each);

    progress->each += share;
    progress->work = min_u64(progress->work - share * progress->flows, progress->flows - 1);
}

/* Bring the transfers of a port forward to now; those that are through go. */
static void come_forward(struct rank *rank, uint32_t port)
{
    const uint64_t now = rank->now;
    const struct turn *first;
    struct progress progress = {.flows = count_flows(rank, port, &first)};
    uint32_t kept = 0;
    bool dealt = false;

    if (!first)
        return;
    if (first->at < now) {
        struct hop hop = hop_of(rank, first);

        progress.work = cost_done(rank->vm, &hop, first->at + first->way, now + first->way);
    }
    progress.work += first->carry;
    for (uint32_t i = 0; i < rank->turns; i++) {
        struct turn *turn = &rank->turn[i];

        if (turn->port == port) {
            if (turn->through <= now) {
                pass(&progress, turn);
                continue;
            }
            if (!dealt)
                deal(&progress, turn);
            dealt = true;
            turn->left -= progress.each;
            turn->at = now;
            turn->carry = progress.work;
        }
        rank->turn[kept++] = *turn;
    }
    rank->turns = kept;
}

/* Put a transfer in its place among those of its port, behind all of its flow. */
static void insert(struct rank *rank, struct turn *turn)
{
    uint32_t place = rank->turns;

    for (uint32_t i = 0; i < rank->turns; i++) {
        struct turn *other = &rank->turn[i];

        if (other->port != turn->port)
            continue;
        turn->carry = other->carry;
        if (other->flow == turn->flow && !other->more) {
            turn->left += other->left;
            other->more = true;
        }
    }
    for (uint32_t i = rank->turns; i > 0; i--)
        if (rank->turn[i - 1].port == turn->port && rank->turn[i - 1].left > turn->left)
            place = i - 1;
    PTO_GROW(rank->turn, rank->turns, rank->turn_capacity);
    memmove(&rank->turn[place + 1], &rank->turn[place],
            (rank->turns - place) * sizeof *rank->turn);
    rank->turn[place] = *turn;
    rank->turns++;
}

/* It is through later than was known; a reply asks itself. */
static void put_off(struct rank *rank, const struct turn *turn, uint64_t was)
{
    struct core *core = &rank->core[turn->core];

    if (turn->queue == PTO_DMA)
        put_off_submission(core, turn->number, turn->end);
    else if (turn->queue != TURN_REPLY)
        put_off_entry(core, turn->queue, (uint32_t)turn->number, turn->end - was, turn->after);
}

/* When all transfers of a port are through if nobody else comes; returns when that is which has
 * come last. */
static uint64_t foresee(struct rank *rank, uint32_t port)
{
    const struct turn *first;
    struct progress progress = {.flows = count_flows(rank, port, &first)};
    struct hop hop = hop_of(rank, first);
    uint64_t work = 0, through = 0, found = 0;

    for (uint32_t i = 0; i < rank->turns; i++) {
        struct turn *turn = &rank->turn[i];
        uint64_t was = turn->end, own;

        if (turn->port != port)
            continue;
        work += (turn->left - progress.each) * progress.flows;
        progress.each = turn->left;
        progress.flows -= !turn->more;
        own = cost_take(rank->vm, &hop, work - min_u64(turn->carry, work), turn->at + turn->way);
        through = max_u64(max_u64(through, turn->through), turn->at + own);
        turn->through = through;
        turn->end = max_u64(turn->floor, through);
        if (!was)
            found = turn->end;
        else if (turn->end > was)
            put_off(rank, turn, was);
    }
    return found;
}

uint64_t turns_begin(struct rank *rank, int to, uint64_t bytes, const struct turn *owner)
{
    struct turn turn = *owner;
    struct hop hop;

    turn.to = to;
    turn.port = port_to(rank, to);
    turn.at = rank->now;
    hop = hop_of(rank, &turn);
    turn.left = cost_send_work(rank, &hop, bytes);
    come_forward(rank, turn.port);
    insert(rank, &turn);
    return foresee(rank, turn.port);
}

uint64_t turns_end(const struct rank *rank, uint64_t number)
{
    for (uint32_t i = 0; i < rank->turns; i++)
        if (rank->turn[i].queue == TURN_REPLY && rank->turn[i].number == number)
            return rank->turn[i].end;
    return 0;
}
