#include "topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "topology_file.h"

struct topology_kind {
    const char *name, *form;
    bool transit;
    uint32_t (*wires)(const struct topology *);
    struct hop (*hop)(const struct topology *, int at, int to);
};

/* ---- mesh ---- */

/* They are kept with the links that use them. */
static uint32_t mesh_wires(const struct topology *t)
{
    (void)t;
    return 0;
}

static struct hop mesh_hop(const struct topology *t, int at, int to)
{
    return (struct hop){to, (uint32_t)(at * t->ranks + to), WIRE_LINK};
}

/* ---- ring and torus ---- */

/* The neighbour on the shorter way round a circle of `size`; half way round it is the next one.
 * `side` is 0 for the next, 1 for the last. */
static int along(int size, int at, int to, unsigned *side)
{
    int ahead = (to - at + size) % size;

    *side = ahead > size - ahead;
    return *side ? (at + size - 1) % size : (at + 1) % size;
}

static uint32_t ring_wires(const struct topology *t)
{
    return 2 * (uint32_t)t->ranks;
}

static struct hop ring_hop(const struct topology *t, int at, int to)
{
    unsigned side;
    int next = along(t->ranks, at, to, &side);

    return (struct hop){next, 2 * (uint32_t)at + side, WIRE_LINK};
}

static uint32_t torus_wires(const struct topology *t)
{
    return 4 * (uint32_t)t->ranks;
}

static struct hop torus_hop(const struct topology *t, int at, int to)
{
    int x = at % t->width, y = at / t->width;
    unsigned side;

    if (x != to % t->width) {
        x = along(t->width, x, to % t->width, &side);
    } else {
        y = along(t->height, y, to / t->width, &side);
        side += 2;
    }
    return (struct hop){y * t->width + x, 4 * (uint32_t)at + side, WIRE_LINK};
}

/* ---- switch: the place behind the ranks ---- */

static uint32_t switch_wires(const struct topology *t)
{
    return 2 * (uint32_t)t->ranks;
}

static struct hop switch_hop(const struct topology *t, int at, int to)
{
    if (at < t->ranks)
        return (struct hop){t->ranks, (uint32_t)at, WIRE_LINK};
    return (struct hop){to, (uint32_t)(t->ranks + to), WIRE_PORT};
}

/* ---- nodes: behind the ranks a way out of every node, then a way in ---- */

static int nodes_of(const struct topology *t)
{
    return (t->ranks + t->width - 1) / t->width;
}

static uint32_t nodes_wires(const struct topology *t)
{
    return (uint32_t)t->ranks * (uint32_t)(t->width + 1) + 2 * (uint32_t)nodes_of(t);
}

static struct hop nodes_hop(const struct topology *t, int at, int to)
{
    const uint32_t own = (uint32_t)t->width + 1, trunk = (uint32_t)t->ranks * own;
    const int node = to / t->width, out = t->ranks, in = t->ranks + nodes_of(t);

    if (at >= in)
        return (struct hop){to, trunk + (uint32_t)(at - out), WIRE_TRUNK};
    if (at >= out)
        return (struct hop){in + node, trunk + (uint32_t)(at - out), WIRE_TRUNK};
    if (at / t->width == node)
        return (struct hop){to, (uint32_t)at * own + (uint32_t)(to % t->width), WIRE_LINK};
    return (struct hop){out + at / t->width, (uint32_t)at * own + own - 1, WIRE_NIC};
}

/* ---- file ---- */

static uint32_t file_wires(const struct topology *t)
{
    return t->graph->edges;
}

static struct hop file_hop(const struct topology *t, int at, int to)
{
    uint32_t edge = t->graph->next[(size_t)at * (size_t)t->ranks + (size_t)to];

    return (struct hop){t->graph->edge[edge].to, edge, WIRE_OWN};
}

/* ---- the table ---- */

static const struct topology_kind kinds[] = {
#define TOPOLOGY(name, form, transit, what)                                                        \
    {#name, form, transit, name##_wires, name##_hop},
#include "topology.def"
#undef TOPOLOGY
};

enum { KINDS = sizeof kinds / sizeof *kinds, MOST_NUMBER = 1 << 15 };

static const struct topology_kind *find(const char *name, size_t length)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (strlen(kinds[i].name) == length && !memcmp(kinds[i].name, name, length))
            return &kinds[i];
    return NULL;
}

static void list_kinds(struct pto_buf *out)
{
    for (unsigned i = 0; i < KINDS; i++)
        pto_buf_printf(out, "%s%s%s%s", i ? ", " : "", kinds[i].name, *kinds[i].form ? ":" : "",
                       kinds[i].form);
}

/* A number from 1 on; NULL if there is none, else what stands behind it. */
static const char *read_number(const char *text, int *number)
{
    char *end;
    long value;

    if (*text < '0' || *text > '9')
        return NULL;
    value = strtol(text, &end, 10);
    *number = (int)value;
    return value >= 1 && value <= MOST_NUMBER ? end : NULL;
}

/* What stands behind the name, as the form has it. */
static bool read_form(struct topology *t, const char *text)
{
    const char *form = t->kind->form;

    if (!*form)
        return !*text;
    if (*text++ != ':')
        return false;
    if (topology_is_file(t))
        return *text;
    text = read_number(text, &t->width);
    if (text && strchr(form, 'x'))
        text = *text == 'x' ? read_number(text + 1, &t->height) : NULL;
    return text && !*text;
}

/* Can so many ranks be wired with the numbers of the form: X * Y, or nodes of N? */
static bool fits(const struct topology *t)
{
    if (strchr(t->kind->form, 'x'))
        return t->width * t->height == t->ranks;
    return t->width <= t->ranks;
}

bool topology_read(struct topology *topology, const char *text, int ranks, struct pto_buf *why)
{
    const char *name = text ? text : kinds[0].name;

    *topology = (struct topology){find(name, strcspn(name, ":")), ranks, 1, 1, NULL};
    if (!topology->kind || !read_form(topology, name + strcspn(name, ":"))) {
        pto_buf_printf(why, "topology '%.40s' is none of ", name);
        list_kinds(why);
        return false;
    }
    if (fits(topology))
        return true;
    pto_buf_printf(why, "topology '%.40s' does not fit %d ranks: %s", name, ranks,
                   strchr(topology->kind->form, 'x') ? "X times Y is their number"
                                                     : "a node has no more than there are");
    return false;
}

bool topology_is_file(const struct topology *topology)
{
    return topology->kind->hop == file_hop;
}

/* Behind the wires that carry transit, as many ports. */
uint32_t topology_wires(const struct topology *topology)
{
    return topology->kind->wires(topology) << topology->kind->transit;
}

uint32_t topology_port(const struct topology *topology, const struct hop *hop)
{
    return topology->kind->transit ? topology->kind->wires(topology) + hop->wire : hop->wire;
}

bool topology_has_transit(const struct topology *topology)
{
    return topology->kind->transit;
}

int topology_node(const struct topology *topology)
{
    const char form = *topology->kind->form;

    return form == 'N' || form == 'X' ? topology->width : topology->ranks;
}

struct hop topology_hop(const struct topology *topology, int at, int to)
{
    return topology->kind->hop(topology, at, to);
}

/* Of a mesh every wire is somebody's first one. */
bool topology_is_shared(const struct topology *topology)
{
    return topology->kind->hop != mesh_hop;
}

bool topology_is_direct(const struct topology *topology, int from, int to)
{
    return from == to || (!topology->kind->transit && topology_hop(topology, from, to).next == to);
}

/* ---- names ---- */

/* What all ranks or nodes have a wire to; NULL: there is nothing of the kind. */
static const char *hub_of(const struct topology *topology)
{
    if (topology->kind->hop == switch_hop)
        return "switch";
    return topology->kind->hop == nodes_hop ? "network" : NULL;
}

bool topology_has_names(const struct topology *topology)
{
    return topology->graph || hub_of(topology);
}

const char *topology_names(const struct topology *topology)
{
    if (topology->graph)
        return "a line of the file does that joins them";
    return topology->kind->hop == switch_hop ? "in 3-switch" : "in 3-network or node0-network";
}

/* "3" or, behind a prefix, "node3"; below `limit`. */
static bool read_index(const char *text, size_t length, const char *prefix, int limit, int *index)
{
    size_t skip = strlen(prefix);

    *index = 0;
    if (length <= skip || memcmp(text, prefix, skip) != 0)
        return false;
    for (size_t i = skip; i < length; i++) {
        if (!isdigit((unsigned char)text[i]) || *index >= limit)
            return false;
        *index = 10 * *index + (text[i] - '0');
    }
    return *index < limit;
}

/* The wires between the hub and what so many characters name. */
static unsigned wires_to_hub(const struct topology *t, const char *text, size_t length,
                             uint32_t wire[2])
{
    const uint32_t own = (uint32_t)t->width + 1, trunk = (uint32_t)t->ranks * own;
    int index;

    if (t->kind->hop == switch_hop && read_index(text, length, "", t->ranks, &index)) {
        wire[0] = (uint32_t)index;
        wire[1] = (uint32_t)(t->ranks + index);
        return 2;
    }
    if (t->kind->hop == nodes_hop && read_index(text, length, "", t->ranks, &index)) {
        wire[0] = (uint32_t)index * own + own - 1;
        return 1;
    }
    if (t->kind->hop == nodes_hop && read_index(text, length, "node", nodes_of(t), &index)) {
        wire[0] = trunk + (uint32_t)index;
        wire[1] = trunk + (uint32_t)(nodes_of(t) + index);
        return 2;
    }
    return 0;
}

unsigned topology_named(const struct topology *topology, const char *places, uint32_t wire[2])
{
    const char *hub = hub_of(topology), *dash = strchr(places, '-');

    if (topology->graph)
        return topology_file_between(topology->graph, topology->ranks, places, wire) ? 2 : 0;
    if (!hub || !dash)
        return 0;
    if (!strcmp(dash + 1, hub))
        return wires_to_hub(topology, places, (size_t)(dash - places), wire);
    if (!strncmp(places, hub, (size_t)(dash - places)) && !hub[dash - places])
        return wires_to_hub(topology, dash + 1, strlen(dash + 1), wire);
    return 0;
}

const char *topology_place(const struct topology *topology, int place, struct pto_arena *arena)
{
    if (place < topology->ranks)
        return pto_arena_printf(arena, "%d", place);
    if (topology->graph)
        return topology->graph->name[place - topology->ranks];
    if (topology->kind->hop != nodes_hop)
        return hub_of(topology);
    return pto_arena_printf(arena, "node%d", (place - topology->ranks) % nodes_of(topology));
}

const char *topology_wire_name(const struct topology *topology, int at, const struct hop *hop,
                               struct pto_arena *arena)
{
    const int one = at < hop->next ? at : hop->next, other = at < hop->next ? hop->next : at;

    if (hop->tier == WIRE_TRUNK || hop->tier == WIRE_NIC) /* between nodes: their one end counts */
        return pto_arena_printf(arena, "%s-%s", topology_place(topology, at, arena),
                                hub_of(topology));
    return pto_arena_printf(arena, "%s-%s", topology_place(topology, one, arena),
                            topology_place(topology, other, arena));
}
