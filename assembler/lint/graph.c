#include "graph.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_NODES = 1 << 17,
    MOST_ATTEMPTS = 32, /* each remembers less of some register */
    MARGIN = 3          /* tokens beyond the depth that are told apart */
};

/* How much is followed: less, if that gives too many states. */
enum { ONLY_PLACES, IDS, IDS_AND_BRANCHES };

const struct pto_scalar *lint_subject_id(const struct lint_subject *subject,
                                         const struct pto_insn *insn)
{
    const struct pto_operand *operand = insn->operand;

    if (subject->flags == LINT_CROSS)
        return insn->op == PTO_OP_SET_FLAG_DEV    ? &operand[2].scalar
               : insn->op == PTO_OP_WAIT_FLAG_DEV ? &operand[0].scalar
                                                  : NULL;
    if (subject->flags == LINT_INTRA)
        return insn->op == PTO_OP_SET_INTRA_BLOCK || insn->op == PTO_OP_WAIT_INTRA_BLOCK
                   ? &operand[1].scalar
                   : NULL;
    if ((insn->op != PTO_OP_SET_FLAG && insn->op != PTO_OP_WAIT_FLAG) ||
        operand[0].value != subject->src || operand[1].value != subject->dst)
        return NULL;
    return &operand[2].scalar;
}

/* Does S go on only when all pipes of the sub-core are empty? */
static bool drains(const struct pto_insn *insn)
{
    return insn->op == PTO_OP_SYNC_ALL ||
           ((insn->op == PTO_OP_PIPE_BARRIER || insn->op == PTO_OP_TSYNC) &&
            insn->operand[0].value == PTO_PIPE_ALL);
}

/* ---- nodes ---- */

static uint32_t hash_of(const struct lint_node *node)
{
    const uint8_t *byte = (const uint8_t *)&node->state;
    uint32_t hash = 2166136261u ^ node->at;

    for (size_t i = 0; i < sizeof node->state; i++)
        hash = (hash ^ byte[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static void rehash(struct lint_graph *graph)
{
    graph->buckets = graph->buckets ? 2 * graph->buckets : 256;
    free(graph->bucket);
    graph->bucket = pto_xcalloc(graph->buckets, sizeof *graph->bucket);
    for (uint32_t i = 0; i < graph->nodes; i++) {
        uint32_t at = hash_of(&graph->node[i]) & (graph->buckets - 1);

        while (graph->bucket[at])
            at = (at + 1) & (graph->buckets - 1);
        graph->bucket[at] = i + 1;
    }
}

/* Index of the node at this place in this state, which is made if it is new. */
static uint32_t node_of(struct lint_graph *graph, uint32_t at, const struct lint_state *state)
{
    struct lint_node node;
    uint32_t place;

    memset(&node, 0, sizeof node);
    node.state = *state;
    node.at = at;
    if (2 * graph->nodes >= graph->buckets)
        rehash(graph);
    place = hash_of(&node) & (graph->buckets - 1);
    for (; graph->bucket[place]; place = (place + 1) & (graph->buckets - 1)) {
        uint32_t found = graph->bucket[place] - 1;

        if (graph->node[found].at == at &&
            !memcmp(&graph->node[found].state, &node.state, sizeof node.state))
            return found;
    }
    PTO_GROW(graph->node, graph->nodes, graph->node_capacity);
    graph->node[graph->nodes++] = node;
    graph->bucket[place] = graph->nodes;
    return graph->nodes - 1;
}

static void go_on(struct lint_graph *graph, uint32_t from, uint32_t at,
                  const struct lint_state *state)
{
    uint32_t next = graph->skip[at], to;

    if (next == LINT_NOWHERE)
        return;
    to = node_of(graph, next, state);
    PTO_GROW(graph->edge, graph->edges, graph->edge_capacity);
    graph->edge[graph->edges++] = (struct lint_edge){from, to};
}

/* ---- one step ---- */

int lint_names_event(const struct lint_graph *graph, const struct lint_node *node)
{
    const struct pto_insn *insn = &graph->lint->code->insn[node->at];
    const struct pto_scalar *id = lint_subject_id(&graph->subject, insn);
    struct lint_value value;

    if (!id || graph->subject.event == LINT_NO_EVENT)
        return -1;
    if (graph->subject.event == LINT_ANY)
        return LINT_NUMBER;
    value = lint_read(&graph->track, &node->state, id);
    if (value.known != LINT_NUMBER)
        return LINT_NOTHING;
    return value.value == graph->subject.event ? LINT_NUMBER : -1;
}

/* Beyond the limits a count stands for everything further out as well. */
static void count(struct lint_graph *graph, uint32_t from, struct lint_state state, int change)
{
    int64_t limit = graph->subject.depth + MARGIN;
    bool vague = change < 0 ? state.tokens == limit : state.tokens == -limit;
    uint32_t at = graph->node[from].at + 1;

    if (vague)
        go_on(graph, from, at, &state);
    if (state.tokens + change <= limit && state.tokens + change >= -limit)
        state.tokens += change;
    go_on(graph, from, at, &state);
}

/* set_flag or wait_flag of the subject; returns how it ends there, 0 or LINT_LATE: it goes on. */
static uint8_t step_flag(struct lint_graph *graph, uint32_t from, const struct pto_insn *insn)
{
    struct lint_node node = graph->node[from];
    int names = lint_names_event(graph, &node);
    bool set = insn->op == PTO_OP_SET_FLAG;
    uint8_t end = 0;

    if (names != LINT_NUMBER)
        go_on(graph, from, node.at + 1, &node.state);
    if (names < 0)
        return 0;
    if (set && graph->subject.src == PTO_PIPE_S && node.state.tokens >= graph->subject.depth)
        end = LINT_PENDING;
    if (!set && graph->subject.dst == PTO_PIPE_S && node.state.tokens <= 0)
        end = LINT_STUCK;
    if (!set && names == LINT_NUMBER && !end && node.state.tokens <= 0)
        end = LINT_LATE;
    if (!(end & LINT_BAD))
        count(graph, from, node.state, set ? 1 : -1);
    return end;
}

static void step_branch(struct lint_graph *graph, uint32_t from, const struct lint_branch *branch)
{
    struct lint_node node = graph->node[from];
    int decided = lint_decide(&graph->track, &node.state, branch);

    for (int taken = 0; taken <= 1; taken++) {
        struct lint_state state = node.state;

        if (decided >= 0 && decided != taken)
            continue;
        lint_assume(&graph->track, &state, branch, taken);
        go_on(graph, from, taken ? branch->target : node.at + 1, &state);
    }
}

static void step(struct lint_graph *graph, uint32_t from)
{
    struct lint_node node = graph->node[from];
    const struct pto_insn *insn = &graph->lint->code->insn[node.at];
    struct lint_branch branch;
    uint8_t end = 0;

    if (insn->op == PTO_OP_END)
        end = node.state.tokens > 0 ? LINT_LEFT : node.state.tokens < 0 ? LINT_STARVED : LINT_CLEAN;
    else if (drains(insn) && node.state.tokens < 0)
        end = LINT_STARVED;
    else if (lint_branch_at(graph->lint->code, node.at, &branch))
        step_branch(graph, from, &branch);
    else if (graph->subject.flags == LINT_PAIR && lint_subject_id(&graph->subject, insn))
        end = step_flag(graph, from, insn);
    else {
        lint_execute(&graph->track, &node.state, insn);
        go_on(graph, from, node.at + 1, &node.state);
    }
    graph->node[from].end = graph->node[from].ahead = end;
}

/* ---- the whole ---- */

/* Where the graph stops: at flags, ends and drains, and where what is followed changes. */
static void find_stops(struct lint_graph *graph, bool *keep)
{
    const struct pto_code *code = graph->lint->code;

    for (uint32_t i = 0; i < code->insns; i++)
        keep[i] = code->insn[i].op == PTO_OP_END || drains(&code->insn[i]) ||
                  lint_subject_id(&graph->subject, &code->insn[i]) ||
                  lint_track_touches(&graph->track, &code->insn[i]);
    lint_find_skips(code, keep, graph->skip);
}

static void choose_stops(struct lint_graph *graph)
{
    const struct pto_code *code = graph->lint->code;
    const bool *reachable = graph->lint->reachable[graph->lint->core_kind];
    bool *keep = pto_xcalloc(code->insns, sizeof *keep);

    lint_track_init(&graph->track, graph->lint);
    for (uint32_t i = 0; graph->detail >= IDS && i < code->insns; i++) {
        const struct pto_scalar *id = lint_subject_id(&graph->subject, &code->insn[i]);

        if (id && reachable[i] && id->kind == PTO_S_REG)
            lint_track_register(&graph->track, reachable, id->reg);
    }
    find_stops(graph, keep);
    if (graph->detail == IDS_AND_BRANCHES) {
        lint_track_branches(&graph->track, graph->lint, graph->skip);
        find_stops(graph, keep);
    }
    free(keep);
}

/* Visit all states; false if there are too many. */
static bool visit(struct lint_graph *graph)
{
    struct lint_state start;
    uint64_t limit = graph->lint->states_left < MOST_NODES ? graph->lint->states_left : MOST_NODES;

    memset(&start, 0, sizeof start);
    graph->nodes = graph->edges = graph->buckets = 0;
    graph->track.forgot = false;
    for (unsigned i = 0; i < graph->track.registers; i++)
        graph->track.tracked[i].values = 0;
    rehash(graph);
    if (graph->skip[0] != LINT_NOWHERE)
        node_of(graph, graph->skip[0], &start);
    for (uint32_t i = 0; i < graph->nodes && graph->nodes < limit && !graph->track.forgot; i++)
        step(graph, i);
    graph->lint->states_left -= graph->nodes < graph->lint->states_left ? graph->nodes
                                                                        : graph->lint->states_left;
    return graph->nodes < limit;
}

/* Carry the ends back to all states that lead to them. */
static void look_ahead(struct lint_graph *graph)
{
    uint32_t *first = pto_xcalloc((size_t)graph->nodes + 2, sizeof *first);
    uint32_t *before = pto_xcalloc((size_t)graph->edges + 1, sizeof *before);
    uint32_t *todo = pto_xcalloc((size_t)graph->nodes + 1, sizeof *todo), count_todo = 0;
    bool *waiting = pto_xcalloc((size_t)graph->nodes + 1, sizeof *waiting);

    for (uint32_t i = 0; i < graph->edges; i++)
        first[graph->edge[i].to + 2]++;
    for (uint32_t i = 2; i < graph->nodes + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < graph->edges; i++)
        before[first[graph->edge[i].to + 1]++] = graph->edge[i].from;
    for (uint32_t i = 0; i < graph->nodes; i++) {
        waiting[i] = graph->node[i].ahead != 0;
        if (waiting[i])
            todo[count_todo++] = i;
    }
    while (count_todo) {
        uint32_t to = todo[--count_todo];

        waiting[to] = false;
        for (uint32_t i = first[to]; i < first[to + 1]; i++) {
            struct lint_node *node = &graph->node[before[i]];

            if (!(graph->node[to].ahead & ~node->ahead))
                continue;
            node->ahead |= graph->node[to].ahead;
            if (!waiting[before[i]])
                todo[count_todo++] = before[i];
            waiting[before[i]] = true;
        }
    }
    free(first);
    free(before);
    free(todo);
    free(waiting);
}

void lint_graph_init(struct lint_graph *graph, struct lint *lint, struct lint_subject subject)
{
    *graph = (struct lint_graph){.lint = lint, .subject = subject, .detail = IDS_AND_BRANCHES};
    graph->skip = pto_xcalloc(lint->code->insns, sizeof *graph->skip);
    choose_stops(graph);
}

bool lint_explore(struct lint_graph *graph, int event, int32_t depth)
{
    graph->subject.event = event;
    graph->subject.depth = depth;
    while (graph->detail >= ONLY_PLACES) {
        bool complete = false;

        for (unsigned attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            complete = visit(graph);
            if (!graph->track.forgot)
                break;
        }
        if (complete && !graph->track.forgot) {
            look_ahead(graph);
            return true;
        }
        graph->detail--;
        if (graph->detail >= ONLY_PLACES)
            choose_stops(graph);
    }
    return false;
}

/* ---- paths ---- */

enum { MOST_BRANCHES_SHOWN = 4 };

static uint32_t line_of(const struct lint *lint, uint32_t at)
{
    return lint_place(lint, &lint->code->insn[at]).line;
}

/* Could the branch of this node go either way? */
static bool is_choice(const struct lint_graph *graph, uint32_t node)
{
    struct lint_branch branch;
    uint32_t at = graph->node[node].at;

    return lint_branch_at(graph->lint->code, at, &branch) && !branch.always &&
           lint_decide(&graph->track, &graph->node[node].state, &branch) < 0;
}

const char *lint_path_text(const struct lint_graph *graph, enum lint_end end)
{
    uint32_t *before = pto_xcalloc((size_t)graph->nodes + 1, sizeof *before), last = 0;
    char *text = pto_arena_strdup(&graph->lint->result->arena, "");
    unsigned shown = 0;

    /* Nodes were made in the order of their distance, and so were the edges to them. */
    for (uint32_t i = graph->edges; i-- > 0;)
        before[graph->edge[i].to] = graph->edge[i].from;
    while (last < graph->nodes && graph->node[last].end != end)
        last++;
    for (; last && last < graph->nodes && shown < MOST_BRANCHES_SHOWN; last = before[last]) {
        if (!is_choice(graph, before[last]))
            continue;
        text = pto_arena_printf(&graph->lint->result->arena, "from line %u to line %u%s%s",
                                line_of(graph->lint, graph->node[before[last]].at),
                                line_of(graph->lint, graph->node[last].at), shown ? ", " : "",
                                text);
        shown++;
    }
    free(before);
    return text;
}

void lint_graph_free(struct lint_graph *graph)
{
    free(graph->skip);
    free(graph->node);
    free(graph->edge);
    free(graph->bucket);
}
