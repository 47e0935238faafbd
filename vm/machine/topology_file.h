/* Topologies from files: links by name, each with what it carries and how long it is. */
#ifndef PTO_MACHINE_TOPOLOGY_FILE_H
#define PTO_MACHINE_TOPOLOGY_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"
#include "profile.h"
#include "vm.h"

/* One direction of a link between two places: ranks first, then what the file names. */
struct topology_edge {
    int from, to;
    uint64_t bytes_per_us, latency_ps;
};

/* Both directions of a link between two places are down, or slower, for a while. */
struct topology_change {
    int from, to;
    bool down;
    uint32_t milli[2]; /* thousandths of the time of bytes, and of the latency */
    struct pto_span when;
};

struct topology_graph {
    int places;
    uint32_t edges;
    struct topology_edge *edge; /* by (from, to) */
    uint32_t *first;            /* of every place, its first edge; behind the last: `edges` */
    uint32_t *next;             /* [place][rank]: the edge to take */
    const char **name;          /* of the places behind the ranks */
    struct topology_change *change; /* in the order of the file */
    uint32_t changes;
};

/* Read a file's text for so many ranks; links that do not say what they are like are the profile's.
 * Ways take the fewest links, and of several the one to the lowest place.  In the arena; NULL:
 * `diags` tells what is wrong. */
struct topology_graph *topology_file_read(const char *file, const char *text, int ranks,
                                          const struct pto_profile *profile,
                                          struct pto_arena *arena, struct pto_diags *diags);

/* The edge from one place to another; false: there is none. */
bool topology_file_edge(const struct topology_graph *graph, int from, int to, uint32_t *edge);
/* Both edges between two places: "left-right", "left-3"; false: no link joins two of such names. */
bool topology_file_between(const struct topology_graph *graph, int ranks, const char *places,
                           uint32_t edge[2]);

#endif
