/* How ranks are wired, and what a message meets on its way.
 *
 * A place is a rank (numbers below `ranks`) or something between ranks, such as a switch.  A hop
 * takes one wire from a place to the next.  The sender reserves its port, which is its alone, when
 * bytes are about to leave: the first wire itself, or what stands before it where that wire carries
 * the messages of others, too.  Wires that are shared are reserved between windows of the
 * scheduler, where nobody runs (docs/decisions/0018-topologies.md). */
#ifndef PTO_MACHINE_TOPOLOGY_H
#define PTO_MACHINE_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "message.h"

struct pto_arena;
struct pto_buf;
struct pto_vm;
struct topology_graph;

/* What a wire carries in a time, and how long a message is on it (cost.c). */
enum wire_tier {
    WIRE_LINK,  /* link_bandwidth, link_latency */
    WIRE_PORT,  /* out of a switch: link_bandwidth, no time more */
    WIRE_NIC,   /* of a rank into the network: network_bandwidth, network_latency */
    WIRE_TRUNK, /* into or out of a node: what its NICs carry, less the oversubscription */
    WIRE_OWN,   /* as the file says */
};

struct wire {
    uint64_t free_at; /* when its bandwidth is free again */
    int32_t prompt;   /* the last message was not late here: its rank, counted from 1; else 0 */
};

struct hop {
    int next; /* place */
    uint32_t wire;
    enum wire_tier tier;
};

struct topology {
    const struct topology_kind *kind;
    int ranks;
    int width, height; /* numbers of the form: X and Y, or N and 1 */
    const struct topology_graph *graph; /* of a file */
};

/* The topology that a text such as "torus:4x2" names; NULL: a mesh.  False: `why` tells.  That of a
 * file lacks its graph (topology_file.h). */
bool topology_read(struct topology *topology, const char *text, int ranks, struct pto_buf *why);
/* Does a file say how ranks are wired? */
bool topology_is_file(const struct topology *topology);
/* Wires and ports that are the machine's; those of a mesh are in the links of ranks. */
uint32_t topology_wires(const struct topology *topology);
/* The port before the first wire of a way. */
uint32_t topology_port(const struct topology *topology, const struct hop *hop);
/* Do the wires that leave a rank carry what others send? */
bool topology_has_transit(const struct topology *topology);
/* Ranks that lie together: N of "nodes:N" (the last node may have fewer), a row of a torus; where
 * neither is, all. */
int topology_node(const struct topology *topology);
/* The next hop from a place on the way to another rank. */
struct hop topology_hop(const struct topology *topology, int at, int to);
/* Do messages meet those of other senders on the way? */
bool topology_is_shared(const struct topology *topology);
/* Do those of this pair meet none, whatever others send? */
bool topology_is_direct(const struct topology *topology, int from, int to);

/* Do places between ranks have names, and how they are written: "name two places as ...". */
bool topology_has_names(const struct topology *topology);
const char *topology_names(const struct topology *topology);
/* The wires between two places by their names, "left-right", "3-switch": how many; 0: none. */
unsigned topology_named(const struct topology *topology, const char *places, uint32_t wire[2]);
/* What a place is called, and the wire that a hop takes from there, whichever direction. */
const char *topology_place(const struct topology *topology, int place, struct pto_arena *arena);
const char *topology_wire_name(const struct topology *topology, int at, const struct hop *hop,
                               struct pto_arena *arena);

/* Where a way is cut, and the first instant at which somebody met that. */
struct cut {
    uint64_t time, since; /* down since then */
    int at;
    struct hop hop;
};
/* Is a wire on the way from one rank to another down at some time from `since` to `until`? */
bool topology_is_cut(const struct pto_vm *vm, int from, int to, uint64_t since, uint64_t until,
                     struct cut *cut);
/* How long a message that leaves at a time, and meets no others, is on its way beside the time of
 * its bytes; and the least of all times, or `most` if it is not less. */
uint64_t topology_latency(const struct pto_vm *vm, int from, int to, uint64_t when);
uint64_t topology_least_latency(const struct pto_vm *vm, int from, int to, uint64_t most);
/* The least latency of a first hop: within it no rank hears of another. */
uint64_t topology_window(const struct pto_vm *vm);
/* The least latency of messages that meet those of others on the way, if it is more. */
uint64_t topology_reach(const struct pto_vm *vm);
/* A message has left its port: reserve what it shares; returns when its last byte lands.  `lost`:
 * when it met a wire that was down, else never. */
uint64_t topology_travel(struct pto_vm *vm, const struct message *message, uint64_t *lost);

#endif
