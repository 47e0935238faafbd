/* Lines such as
 *
 *     mesh 0-3, bandwidth = 100 GB/s     # each with each
 *     link 0-3 left, latency = 300 ns    # each of these with that place
 *     link left right, down = 40 us..60 us, slower = 4 @ 80 us
 */
#include "topology_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "profile_value.h"

enum {
    MOST_EDGES = 1 << 20, /* changes, too */
    MOST_STEPS = 1 << 30, /* edges looked at to find all ways */
    MOST_ENTRIES = 1 << 26, /* places times ranks */
    MOST_NAME = 63,
    MOST_NAMES = 4096,
    MOST_CHANGES = 16, /* of a line */
    NOT_REACHED = -1
};
#define MOST_RATE UINT64_C(1000000000)       /* MB/s */
#define MOST_LATENCY UINT64_C(4000000000000) /* ps */

struct reader {
    const char *file;
    unsigned line;
    int ranks;
    const struct pto_profile *profile;
    struct pto_diags *diags;
    struct pto_arena names; /* and lines */
    const char **name;      /* of the places behind the ranks */
    unsigned names_used, name_capacity;
    struct topology_edge *edge;
    uint32_t edges, edge_capacity;
    struct topology_change *change;
    uint32_t changes, change_capacity;
};

/* What a line says of its links. */
struct properties {
    struct topology_edge edge;
    struct topology_change change[MOST_CHANGES];
    unsigned changes, given[2]; /* given: how often; latency, bandwidth */
};

/* The ranks `from` to `to`, or one other place. */
struct ends {
    int from, to;
};

static bool complain(struct reader *reader, const char *what, const char *word, const char *hint)
{
    struct pto_diag *diag = pto_diag_add(reader->diags, PTO_ERROR, reader->file, reader->line, 0,
                                         "%s: '%.63s'", what, word);

    if (hint)
        pto_diag_hint(reader->diags, diag, "%s", hint);
    return false;
}

/* ---- places ---- */

/* The place of that name, a new one if there is none; -1: there are too many. */
static int place_named(struct reader *reader, const char *name)
{
    for (unsigned i = 0; i < reader->names_used; i++)
        if (!strcmp(reader->name[i], name))
            return reader->ranks + (int)i;
    if (reader->names_used == MOST_NAMES)
        return -1;
    PTO_GROW(reader->name, reader->names_used, reader->name_capacity);
    reader->name[reader->names_used] = pto_arena_strdup(&reader->names, name);
    return reader->ranks + (int)reader->names_used++;
}

static const char *name_of(struct reader *reader, int place)
{
    if (place < reader->ranks)
        return pto_arena_printf(&reader->names, "%d", place);
    return reader->name[place - reader->ranks];
}

/* A rank's number in front of `stop`. */
static bool read_rank(const struct reader *reader, const char *text, const char *stop, int *rank)
{
    char *end;
    long value;

    if (!isdigit((unsigned char)*text))
        return false;
    value = strtol(text, &end, 10);
    *rank = (int)value;
    return end == stop && value < reader->ranks;
}

/* "3", "0-3" or a name, which makes a place when it is first used. */
static bool read_ends(struct reader *reader, const char *word, struct ends *ends)
{
    const char *dash = word + strcspn(word, "-");

    if (isalpha((unsigned char)*word) && strlen(word) <= MOST_NAME) {
        ends->from = ends->to = place_named(reader, word);
        return ends->from >= 0 ||
               complain(reader, "more than 4096 places with names", word, NULL);
    }
    if (!read_rank(reader, word, dash, &ends->from))
        return complain(reader, "not a rank of this run, ranks or a name", word,
                        "write for instance 3, 0-3 or left");
    ends->to = ends->from;
    if (!*dash)
        return true;
    if (!read_rank(reader, dash + 1, word + strlen(word), &ends->to) ||
        ends->to < ends->from)
        return complain(reader, "not ranks of this run in their order", word,
                        "write for instance 0-3");
    return true;
}

/* ---- lines ---- */

static char *trimmed(char *text)
{
    size_t length;

    text += strspn(text, " \t\r");
    length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = 0;
    return text;
}

/* "100 GB/s" or "300 ns" */
static bool read_number(struct reader *reader, const char *value, bool is_rate,
                        struct properties *like)
{
    uint64_t number;
    const char *problem = profile_number(value, is_rate ? PROFILE_RATE : PROFILE_TIME, &number);

    if (problem || !number || number > (is_rate ? MOST_RATE : MOST_LATENCY))
        return complain(reader, is_rate ? "not a bandwidth from 1 MB/s to 1000 TB/s"
                                        : "not a latency from 1 ps to 4000 ms",
                        value,
                        is_rate ? "write for instance 19.5 GiB/s" : "write for instance 250 ns");
    if (like->given[is_rate]++)
        return complain(reader, "given twice", is_rate ? "bandwidth" : "latency", NULL);
    *(is_rate ? &like->edge.bytes_per_us : &like->edge.latency_ps) = number;
    return true;
}

/* "40 us", "40 us..60 us" or "..60 us" */
static bool read_span(char *text, struct pto_span *span)
{
    char *dots = strstr(text, "..");

    *span = (struct pto_span){0, 0};
    if (dots)
        *dots = 0;
    if (*trimmed(text) ? profile_number(trimmed(text), PROFILE_TIME, &span->from_ps) != NULL
                       : !dots)
        return false;
    return !dots || (!profile_number(trimmed(dots + 2), PROFILE_TIME, &span->to_ps) &&
                     span->to_ps > span->from_ps);
}

/* "2.5" from 1 to 1000, as thousandths: three places behind the point are read. */
static bool read_factor(const char *text, uint32_t *milli)
{
    uint32_t scale = 1000;

    *milli = 0;
    if (!isdigit((unsigned char)*text))
        return false;
    for (; isdigit((unsigned char)*text) && *milli <= 1000; text++)
        *milli = 10 * *milli + (uint32_t)(*text - '0');
    *milli *= 1000;
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text); text++)
            *milli += (uint32_t)(*text - '0') * (scale /= 10);
    return !*text && *milli >= 1000 && *milli <= 1000000;
}

/* "4", or "4/1" where the latency has another one. */
static bool read_factors(char *text, uint32_t milli[2])
{
    char *latency = strchr(text, '/');

    if (latency)
        *latency++ = 0;
    return read_factor(trimmed(text), &milli[0]) &&
           read_factor(latency ? trimmed(latency) : trimmed(text), &milli[1]);
}

/* "40 us..60 us" of down, "4" or "4 @ 40 us..60 us" of slower. */
static bool read_change(struct reader *reader, char *value, bool down, struct properties *like)
{
    struct topology_change *change = &like->change[like->changes];
    char *whole = pto_arena_strdup(&reader->names, value), *at = down ? NULL : strchr(value, '@');
    bool fine;

    if (like->changes == MOST_CHANGES)
        return complain(reader, "more than 16 changes in a line", whole, NULL);
    like->changes++;
    *change = (struct topology_change){.down = down, .milli = {1000, 1000}};
    if (at)
        *at = 0;
    if (down)
        fine = read_span(value, &change->when);
    else
        fine = read_factors(value, change->milli) && (!at || read_span(at + 1, &change->when));
    return fine || complain(reader, down ? "not a time at which a link is down"
                                         : "not a factor from 1 to 1000, or its time",
                            whole, down ? "write for instance 40 us, or 40 us..60 us"
                                        : "write for instance 4, 4/1 @ 40 us, or 4 @ 40 us..60 us");
}

/* "bandwidth = 100 GB/s", "latency = 300 ns", "down = 40 us", "slower = 4 @ 40 us". */
static bool read_property(struct reader *reader, char *text, struct properties *like)
{
    char *equals = strchr(text, '='), *key, *value;

    if (!equals)
        return complain(reader, "not a property", text, "write for instance latency = 300 ns");
    *equals = 0;
    key = trimmed(text);
    value = trimmed(equals + 1);
    if (!strcmp(key, "bandwidth") || !strcmp(key, "latency"))
        return read_number(reader, value, *key == 'b', like);
    if (!strcmp(key, "down") || !strcmp(key, "slower"))
        return read_change(reader, value, *key == 'd', like);
    return complain(reader, "links have no such property", key,
                    "they have bandwidth, latency, down and slower");
}

static bool add_link(struct reader *reader, const struct properties *like, int from, int to)
{
    struct topology_edge edge = like->edge;

    edge.from = from;
    edge.to = to;
    if (edge.from == edge.to)
        return complain(reader, "a place has no link to itself", name_of(reader, edge.from), NULL);
    if (reader->edges + 2 > MOST_EDGES || reader->changes > MOST_EDGES)
        return complain(reader, "more than 524288 links, or 1048576 changes", "link", NULL);
    for (int side = 0; side < 2; side++) {
        PTO_GROW(reader->edge, reader->edges, reader->edge_capacity);
        reader->edge[reader->edges++] = edge;
        edge = (struct topology_edge){edge.to, edge.from, edge.bytes_per_us, edge.latency_ps};
    }
    for (unsigned i = 0; i < like->changes; i++) {
        PTO_GROW(reader->change, reader->changes, reader->change_capacity);
        reader->change[reader->changes] = like->change[i];
        reader->change[reader->changes].from = from;
        reader->change[reader->changes++].to = to;
    }
    return true;
}

static bool add_links(struct reader *reader, struct ends a, struct ends b,
                      const struct properties *like)
{
    for (int from = a.from; from <= a.to; from++)
        for (int to = b.from; to <= b.to; to++)
            if (!add_link(reader, like, from, to))
                return false;
    return true;
}

static bool add_mesh(struct reader *reader, struct ends all, const struct properties *like)
{
    for (int from = all.from; from < all.to; from++)
        if (!add_links(reader, (struct ends){from, from}, (struct ends){from + 1, all.to}, like))
            return false;
    return true;
}

static bool read_line(struct reader *reader, char *text)
{
    struct properties like = {.edge = {0, 0, reader->profile->link_bytes_per_us,
                                       reader->profile->link_latency_ps}};
    char *rest = strchr(text, ','), *word[3], *at;
    struct ends a, b;
    unsigned words = 0;

    if (rest)
        *rest++ = 0;
    for (char *next = strtok_r(text, " \t\r", &at); next; next = strtok_r(NULL, " \t\r", &at)) {
        if (words == 3)
            return complain(reader, "one word too many", next, "properties stand behind commas");
        word[words++] = next;
    }
    for (char *property = rest; property; property = rest) {
        rest = strchr(property, ',');
        if (rest)
            *rest++ = 0;
        if (!read_property(reader, property, &like))
            return false;
    }
    if (words == 3 && !strcmp(word[0], "link"))
        return read_ends(reader, word[1], &a) && read_ends(reader, word[2], &b) &&
               add_links(reader, a, b, &like);
    if (words == 2 && !strcmp(word[0], "mesh"))
        return read_ends(reader, word[1], &a) && add_mesh(reader, a, &like);
    return complain(reader, "not a line of a topology", words ? word[0] : "",
                    "write link A B or mesh A-B, then properties");
}

static bool read_lines(struct reader *reader, const char *text)
{
    bool said = false;

    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = pto_arena_strndup(&reader->names, text, length);

        reader->line++;
        line[strcspn(line, "#")] = 0;
        said |= *trimmed(line) != '\0';
        if (*trimmed(line) && !read_line(reader, trimmed(line)))
            return false;
        text += length + (text[length] == '\n');
    }
    reader->line = 0;
    if (!said)
        pto_diag_hint(reader->diags, pto_diag_add(reader->diags, PTO_ERROR, reader->file, 0, 0,
                                                  "this topology has no lines"),
                      "write link A B or mesh A-B, then properties");
    return said;
}

/* ---- ways ---- */

static int by_ends(const void *a, const void *b)
{
    const struct topology_edge *x = a, *y = b;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static bool sort_edges(struct reader *reader, struct topology_graph *graph)
{
    uint32_t at = 0;

    if (graph->edges)
        qsort(graph->edge, graph->edges, sizeof *graph->edge, by_ends);
    for (uint32_t i = 1; i < graph->edges; i++)
        if (!by_ends(&graph->edge[i - 1], &graph->edge[i]))
            return complain(reader, "there are two links between the same places",
                            pto_arena_printf(&reader->names, "%s %s",
                                             name_of(reader, graph->edge[i].from),
                                             name_of(reader, graph->edge[i].to)),
                            "leave one of them out");
    for (int place = 0; place < graph->places; place++) {
        graph->first[place] = at;
        while (at < graph->edges && graph->edge[at].from == place)
            at++;
    }
    graph->first[graph->places] = at;
    return true;
}

/* From every place the number of links to a rank: breadth first, as links lead both ways. */
static void measure(const struct topology_graph *graph, int to, int *links, int *queue)
{
    int head = 0, tail = 0;

    for (int place = 0; place < graph->places; place++)
        links[place] = NOT_REACHED;
    links[to] = 0;
    queue[tail++] = to;
    while (head < tail) {
        int at = queue[head++];

        for (uint32_t e = graph->first[at]; e < graph->first[at + 1]; e++) {
            int next = graph->edge[e].to;

            if (links[next] != NOT_REACHED)
                continue;
            links[next] = links[at] + 1;
            queue[tail++] = next;
        }
    }
}

static void choose_ways(struct topology_graph *graph, int ranks, int to, const int *links)
{
    for (int place = 0; place < graph->places; place++)
        for (uint32_t e = graph->first[place]; e < graph->first[place + 1]; e++)
            if (links[graph->edge[e].to] == links[place] - 1) {
                graph->next[(size_t)place * (size_t)ranks + (size_t)to] = e;
                break;
            }
}

static bool find_ways(struct reader *reader, struct topology_graph *graph)
{
    int *links = pto_xcalloc((size_t)graph->places * 2, sizeof *links);
    bool whole = true;

    for (int to = 0; whole && to < reader->ranks; to++) {
        measure(graph, to, links, links + graph->places);
        for (int from = 0; whole && from < reader->ranks; from++)
            if (links[from] == NOT_REACHED)
                whole = complain(reader, "no links lead from one rank to the other",
                                 pto_arena_printf(&reader->names, "%d to %d", from, to),
                                 "every rank needs a way to every other");
        choose_ways(graph, reader->ranks, to, links);
    }
    free(links);
    return whole;
}

static struct topology_graph *build(struct reader *reader, struct pto_arena *arena)
{
    struct topology_graph *graph = pto_arena_array(arena, 1, sizeof *graph);

    graph->places = reader->ranks + (int)reader->names_used;
    graph->edges = reader->edges;
    if ((uint64_t)graph->places * (uint64_t)reader->ranks > MOST_ENTRIES ||
        (uint64_t)graph->edges * (uint64_t)reader->ranks > MOST_STEPS) {
        complain(reader, "too many places and links for so many ranks", reader->file, NULL);
        return NULL;
    }
    graph->edge = pto_arena_array(arena, graph->edges + 1, sizeof *graph->edge);
    if (graph->edges)
        memcpy(graph->edge, reader->edge, graph->edges * sizeof *graph->edge);
    graph->changes = reader->changes;
    graph->change = pto_arena_array(arena, graph->changes + 1, sizeof *graph->change);
    if (graph->changes)
        memcpy(graph->change, reader->change, graph->changes * sizeof *graph->change);
    graph->name = pto_arena_array(arena, reader->names_used + 1u, sizeof *graph->name);
    for (unsigned i = 0; i < reader->names_used; i++)
        graph->name[i] = pto_arena_strdup(arena, reader->name[i]);
    graph->first = pto_arena_array(arena, (size_t)graph->places + 1, sizeof *graph->first);
    graph->next = pto_arena_array(arena, (size_t)graph->places * (size_t)reader->ranks,
                                  sizeof *graph->next);
    return sort_edges(reader, graph) && find_ways(reader, graph) ? graph : NULL;
}

struct topology_graph *topology_file_read(const char *file, const char *text, int ranks,
                                          const struct pto_profile *profile,
                                          struct pto_arena *arena, struct pto_diags *diags)
{
    struct reader reader = {.file = file, .ranks = ranks, .profile = profile, .diags = diags};
    struct topology_graph *graph = NULL;

    if (read_lines(&reader, text))
        graph = build(&reader, arena);
    free(reader.name);
    free(reader.edge);
    free(reader.change);
    pto_arena_free(&reader.names);
    return graph;
}

/* The place that so many characters name; -1: none. */
static int find_place(const struct topology_graph *graph, int ranks, const char *text,
                      size_t length)
{
    char number[16];

    for (int place = 0; place < graph->places; place++) {
        const char *name = place < ranks ? number : graph->name[place - ranks];

        if (place < ranks)
            snprintf(number, sizeof number, "%d", place);
        if (strlen(name) == length && !memcmp(name, text, length))
            return place;
    }
    return -1;
}

bool topology_file_edge(const struct topology_graph *graph, int from, int to, uint32_t *edge)
{
    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++)
        if (graph->edge[i].to == to) {
            *edge = i;
            return true;
        }
    return false;
}

/* Names may have dashes of their own. */
bool topology_file_between(const struct topology_graph *graph, int ranks, const char *places,
                           uint32_t edge[2])
{
    for (const char *dash = strchr(places, '-'); dash; dash = strchr(dash + 1, '-')) {
        int a = find_place(graph, ranks, places, (size_t)(dash - places));
        int b = find_place(graph, ranks, dash + 1, strlen(dash + 1));

        if (a >= 0 && b >= 0 && topology_file_edge(graph, a, b, &edge[0]) &&
            topology_file_edge(graph, b, a, &edge[1]))
            return true;
    }
    return false;
}
