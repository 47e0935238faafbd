/* All ways through a program, as far as the tokens of one flag go.
 *
 * A state is a place, what is known of the registers, and how many tokens more have been set than
 * waited for.  From the first instruction on, every state that can follow is visited, so what
 * holds in all of them holds in every execution.  Counts beyond +-(depth + 3) are not told apart.
 * Internal to the lint. */
#ifndef PTO_LINT_GRAPH_H
#define PTO_LINT_GRAPH_H

#include "value.h"

enum { LINT_ANY = -1, LINT_NO_EVENT = -2 };

/* Which tokens are counted: those of an id, of all ids of the pair, or none (only the registers
 * are followed). */
struct lint_subject {
    enum lint_flags {
        LINT_PAIR,
        LINT_CROSS, /* cross-core flags: ids only, nothing is counted */
        LINT_INTRA  /* flags inside a block: the same */
    } flags;
    uint8_t src, dst;
    int event;
    int32_t depth; /* tokens that the flag can hold */
};

/* What becomes of an execution that comes to a state; bits, some may lie ahead. */
enum lint_end {
    LINT_CLEAN = 1,    /* ends, nothing is left */
    LINT_LEFT = 2,     /* ends with a token */
    LINT_STARVED = 4,  /* ends, or drains its pipes, with a wait that got none */
    LINT_STUCK = 8,    /* S waits for a token that is not there */
    LINT_PENDING = 16, /* S sets a token that is there */
    LINT_LATE = 32,    /* goes on, with a pipe that waits for what is set only behind it */
    LINT_BAD = LINT_LEFT | LINT_STARVED | LINT_STUCK | LINT_PENDING
};

struct lint_node {
    struct lint_state state;
    uint32_t at;
    uint8_t end;   /* enum lint_end, if it ends here; it may go on all the same */
    uint8_t ahead; /* ends that can be reached */
};

struct lint_edge {
    uint32_t from, to;
};

struct lint_graph {
    struct lint *lint;
    struct lint_subject subject;
    int detail; /* how much is followed; -1: nothing would do */
    struct lint_track track;
    uint32_t *skip;
    struct lint_node *node;
    uint32_t nodes, node_capacity;
    struct lint_edge *edge;
    uint32_t edges, edge_capacity;
    uint32_t *bucket, buckets; /* hash table of nodes, index + 1 */
};

/* Is this instruction about the subject?  If so, the scalar with its id. */
const struct pto_scalar *lint_subject_id(const struct lint_subject *subject,
                                         const struct pto_insn *insn);
/* Does the flag instruction of this node name the subject's event: LINT_NUMBER yes, LINT_NOTHING
 * perhaps; -1 no. */
int lint_names_event(const struct lint_graph *graph, const struct lint_node *node);

void lint_graph_init(struct lint_graph *graph, struct lint *lint, struct lint_subject subject);
/* Visit everything for an event of the subject and find what lies ahead of every state; false if
 * there are too many states. */
bool lint_explore(struct lint_graph *graph, int event, int32_t depth);
/* A shortest path to an end of this kind, as text: the branches on it that could go either way.
 * "" if there are none. */
const char *lint_path_text(const struct lint_graph *graph, enum lint_end end);
void lint_graph_free(struct lint_graph *graph);

#endif
