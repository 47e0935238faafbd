/* Flags between the pipes of a sub-core: is every token taken, does every wait get one? */
#include "core_name.h"
#include "sites.h"

#include <stdlib.h>
#include <string.h>

/* The rule that an end breaks; the message names the tokens in between. */
static const struct {
    enum lint_end end;
    enum pto_lint_rule rule;
    const char *before, *after;
} mistakes[] = {
    {LINT_PENDING, PTO_LINT_SET_ON_PENDING, "S sets", "whose last token is still there"},
    {LINT_STUCK, PTO_LINT_TOKEN_MISSING, "S waits for", "which is not set"},
    {LINT_STARVED, PTO_LINT_TOKEN_MISSING, "a wait for", "which gets no token"},
    {LINT_LEFT, PTO_LINT_TOKEN_LEFT, "a set of", "whose token is left"},
    {LINT_LATE, PTO_LINT_TOKEN_MISSING, "a wait for", "which is set only behind it"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

/* What was found at one flag instruction: ids by mistake. */
struct blame {
    uint32_t certain[MISTAKES], possible[MISTAKES];
    const char *path[MISTAKES]; /* to what is possible */
    uint32_t pending; /* always set on a token whose wait was not issued yet */
};

struct pair {
    struct lint *lint;
    struct lint_sites sites;
    struct blame *blame; /* by instruction; of the sites only */
    uint32_t judged, wrong, unsure; /* ids */
    uint32_t doomed; /* ids for which every execution goes wrong, wherever it comes */
};

/* ---- where to put the blame ---- */

/* Is a state at a flag instruction the place of this mistake, seen from that state? */
static bool is_place(const struct lint_graph *graph, const struct lint_node *node, bool set,
                     enum lint_end end)
{
    if (!(node->ahead & end) || lint_names_event(graph, node) < 0)
        return false;
    switch (end) {
    case LINT_LEFT:
        return set;
    case LINT_STARVED:
    case LINT_LATE:
        return !set && node->state.tokens <= 0;
    case LINT_PENDING:
        return set && graph->subject.src == PTO_PIPE_S &&
               node->state.tokens >= graph->subject.depth;
    default:
        return !set && graph->subject.dst == PTO_PIPE_S && node->state.tokens <= 0;
    }
}

/* Is the execution lost in every state in which the instruction names the event? */
static void find_lost(const struct lint_graph *graph, bool *lost)
{
    for (uint32_t i = 0; i < graph->nodes; i++)
        lost[graph->node[i].at] = true;
    for (uint32_t i = 0; i < graph->nodes; i++)
        if (lint_names_event(graph, &graph->node[i]) >= 0 &&
            (graph->node[i].ahead & LINT_CLEAN || !(graph->node[i].ahead & LINT_BAD)))
            lost[graph->node[i].at] = false;
}

/* The instruction to name for a mistake, of those that are listed: the first wait that goes
 * without, but the last set. */
static int64_t place_of(const struct lint_graph *graph, enum lint_end end, const bool *listed)
{
    int64_t place = -1;

    for (uint32_t i = 0; i < graph->nodes; i++) {
        const struct lint_node *node = &graph->node[i];
        bool set = graph->lint->code->insn[node->at].op == PTO_OP_SET_FLAG;

        if (!is_place(graph, node, set, end) || !listed[node->at])
            continue;
        if (place < 0 || (end == LINT_LEFT ? node->at > place : node->at < place))
            place = node->at;
    }
    return place;
}

/* Sets that always come while the wait for the token before has not even been issued: the times
 * of a run decide whether it is taken by then. */
static void find_pending(struct pair *pair, const struct lint_graph *graph, uint32_t bit)
{
    for (uint32_t i = 0; i < pair->sites.sites; i++)
        if (pair->sites.site[i].set && (pair->sites.site[i].ids & bit))
            pair->blame[pair->sites.site[i].at].pending |= bit;
    for (uint32_t i = 0; i < graph->nodes; i++)
        if (lint_names_event(graph, &graph->node[i]) >= 0 &&
            graph->node[i].state.tokens < graph->subject.depth)
            pair->blame[graph->node[i].at].pending &= ~bit;
}

/* ---- one event ---- */

/* Where every execution is lost that comes with the event, best at an instruction that has no
 * other one; -1: nowhere. */
static int64_t certain_place(const struct pair *pair, const struct lint_graph *graph,
                             enum lint_end end, uint32_t bit)
{
    bool *lost = pto_xcalloc(pair->lint->code->insns, sizeof *lost);
    bool *alone = pto_xcalloc(pair->lint->code->insns, sizeof *alone);
    int64_t place;

    find_lost(graph, lost);
    for (uint32_t i = 0; i < pair->sites.sites; i++) {
        const struct lint_site *site = &pair->sites.site[i];

        alone[site->at] = lost[site->at] && site->ids == bit;
    }
    place = place_of(graph, end, alone);
    if (place < 0)
        place = place_of(graph, end, lost);
    free(lost);
    free(alone);
    return place;
}

static void judge(struct pair *pair, const struct lint_graph *graph, uint32_t bit)
{
    bool *all = pto_xcalloc(pair->lint->code->insns, sizeof *all);
    bool found = false;

    memset(all, true, pair->lint->code->insns * sizeof *all);
    pair->judged |= bit;
    if (graph->nodes && !(graph->node[0].ahead & LINT_CLEAN) &&
        (graph->node[0].ahead & LINT_BAD))
        pair->doomed |= bit;
    for (unsigned i = 0; i < MISTAKES; i++) {
        int64_t certain = certain_place(pair, graph, mistakes[i].end, bit);
        int64_t possible = place_of(graph, mistakes[i].end, all);

        if (mistakes[i].end == LINT_LATE &&
            (found || possible < 0 || !lint_set_waits_for(pair->lint, (uint32_t)possible)))
            continue; /* it is explained already, or comes in the end */
        if (certain >= 0)
            pair->blame[certain].certain[i] |= bit;
        else if (possible >= 0)
            pair->blame[possible].possible[i] |= bit;
        if (possible >= 0)
            pair->blame[certain >= 0 ? certain : possible].path[i] =
                lint_path_text(graph, mistakes[i].end);
        found |= possible >= 0;
    }
    if (!found)
        find_pending(pair, graph, bit);
    free(all);
}

/* What is certain for some ids only, at an instruction that has others as well, is not certain
 * for every execution that comes there: unless all of them are lost anyway. */
static void settle(struct pair *pair, const struct lint_site *site)
{
    struct blame *blame = &pair->blame[site->at];

    for (unsigned i = 0; i < MISTAKES; i++) {
        uint32_t partly = pair->sites.unknown < 0 && site->ids & ~blame->certain[i]
                              ? blame->certain[i] & ~pair->doomed
                              : 0;

        blame->certain[i] &= ~partly;
        blame->possible[i] |= partly;
        pair->wrong |= blame->certain[i];
        pair->unsure |= blame->possible[i];
    }
    pair->unsure |= blame->pending;
}

static void add_verdict(struct pair *pair, int event, enum pto_lint_verdict wrong)
{
    struct pto_lint *result = pair->lint->result;

    PTO_GROW(result->flag, result->flags, result->flag_capacity);
    result->flag[result->flags++] = (struct pto_lint_flag){
        .kernel = pair->lint->kernel, .core = pair->lint->core_kind,
        .src = pair->sites.graph.subject.src, .dst = pair->sites.graph.subject.dst,
        .event = event, .wrong = wrong};
}

/* Explore one event (LINT_ANY: all together, `bit` stands for them). */
static void look_at_event(struct pair *pair, int event, uint32_t bit)
{
    const struct pto_profile *profile = pair->lint->profile;
    struct lint_graph *graph = &pair->sites.graph;
    uint32_t depth = profile->flag_depth * (event == LINT_ANY ? profile->events : 1);

    if (lint_explore(graph, event, (int32_t)depth))
        judge(pair, graph, bit);
    else
        lint_report(pair->lint, PTO_LINT_UNPROVEN, PTO_NOTE, PTO_LINT_UNKNOWN,
                    pair->lint->code->insn[pair->sites.site[0].at].pos,
                    "the tokens %s, %s are not judged: there are too many states",
                    lint_pipe_name(graph->subject.src), lint_pipe_name(graph->subject.dst));
}

/* Of a sum that is right, single ids need not be. */
static enum pto_lint_verdict verdict_of(const struct pair *pair, int event, uint32_t bit)
{
    if (pair->wrong & bit)
        return PTO_LINT_YES;
    return event == LINT_ANY || (pair->unsure & bit) || !(pair->judged & bit) ? PTO_LINT_UNKNOWN
                                                                             : PTO_LINT_NO;
}

/* ---- a pair of pipes ---- */

/* "flag MTE2, V, 0 and 1" */
static const char *flag_text(struct pair *pair, uint32_t ids)
{
    const struct lint_subject *subject = &pair->sites.graph.subject;

    return pto_arena_printf(&pair->lint->result->arena, "flag %s, %s, %s",
                            lint_pipe_name(subject->src), lint_pipe_name(subject->dst),
                            pair->sites.unknown >= 0 ? "id in a register"
                                                     : lint_ids_text(pair->lint, ids));
}

/* Is there no instruction at all that could be the other half? */
static bool is_alone(const struct pair *pair, const struct lint_site *site, uint32_t ids)
{
    for (uint32_t i = 0; i < pair->sites.sites; i++) {
        const struct lint_site *other = &pair->sites.site[i];

        if (other->set != site->set && (other->unknown || other->ids & ids))
            return false;
    }
    return true;
}

static void report_mistake(struct pair *pair, const struct lint_site *site, unsigned mistake,
                           bool certain, uint32_t ids)
{
    const struct lint_subject *subject = &pair->sites.graph.subject;
    const char *path = pair->blame[site->at].path[mistake];
    struct pto_lint_finding *finding =
        lint_report(pair->lint, mistakes[mistake].rule, certain ? PTO_ERROR : PTO_WARNING,
                    certain ? PTO_LINT_YES : PTO_LINT_UNKNOWN,
                    pair->lint->code->insn[site->at].pos, "%s%s %s, %s",
                    certain ? "" : "on some path: ", mistakes[mistake].before,
                    flag_text(pair, ids), mistakes[mistake].after);

    if (is_alone(pair, site, ids))
        lint_hint(pair->lint, finding, "there is no %s_flag %s, %s with this id in .core %s",
                  site->set ? "wait" : "set", lint_pipe_name(subject->src),
                  lint_pipe_name(subject->dst), pto_core_names[pair->lint->core_kind]);
    else if (!certain && *path)
        lint_hint(pair->lint, finding, "for example %s", path);
}

/* With ids that are not known, only what is certain of their sum is said. */
static void report_site(struct pair *pair, const struct lint_site *site)
{
    const struct blame *blame = &pair->blame[site->at];

    for (unsigned i = 0; i < MISTAKES; i++) {
        if (blame->certain[i])
            report_mistake(pair, site, i, true, blame->certain[i]);
        if (blame->possible[i] && pair->sites.unknown < 0)
            report_mistake(pair, site, i, false, blame->possible[i]);
    }
    if (blame->pending && pair->sites.unknown < 0)
        lint_hint(pair->lint,
                  lint_report(pair->lint, PTO_LINT_SET_ON_PENDING, PTO_WARNING, PTO_LINT_UNKNOWN,
                              pair->lint->code->insn[site->at].pos,
                              "a set of %s, whose last token may still be there",
                              flag_text(pair, blame->pending)),
                  "the wait_flag for the token before comes after this set_flag");
}

static void look_at_events(struct pair *pair)
{
    const struct lint_subject *subject = &pair->sites.graph.subject;
    bool sum = pair->sites.unknown >= 0;

    for (int event = 0; !sum && event < PTO_EVENT_LIMIT; event++)
        if (pair->sites.ids >> event & 1)
            look_at_event(pair, event, 1u << event);
    if (sum) {
        look_at_event(pair, LINT_ANY, 1);
        lint_report(pair->lint, PTO_LINT_UNPROVEN, PTO_NOTE, PTO_LINT_UNKNOWN,
                    pair->lint->code->insn[pair->sites.unknown].pos,
                    "the values of this id are not known: of the tokens %s, %s only the sum of "
                    "all ids is judged", lint_pipe_name(subject->src),
                    lint_pipe_name(subject->dst));
    }
    for (uint32_t i = 0; i < pair->sites.sites; i++)
        settle(pair, &pair->sites.site[i]);
    for (int event = 0; !sum && event < PTO_EVENT_LIMIT; event++)
        if (pair->sites.ids >> event & 1)
            add_verdict(pair, event, verdict_of(pair, event, 1u << event));
    if (sum)
        add_verdict(pair, LINT_ANY, verdict_of(pair, LINT_ANY, 1));
}

/* An id that is not known can be any. */
static void note_ids(const struct pair *pair)
{
    for (uint32_t i = 0; i < pair->sites.sites; i++) {
        const struct lint_site *site = &pair->sites.site[i];

        pair->lint->flag_ids[site->at] =
            site->unknown || !site->ids ? UINT8_MAX : (uint8_t)site->ids;
    }
}

static void look_at_pair(struct pair *pair)
{
    pair->blame = pto_xcalloc(pair->lint->code->insns, sizeof *pair->blame);
    look_at_events(pair);
    for (uint32_t i = 0; i < pair->sites.sites; i++)
        report_site(pair, &pair->sites.site[i]);
    free(pair->blame);
}

/* The ids of all flags come first: how one is judged may depend on others. */
void lint_flags(struct lint *lint)
{
    struct pair *pair = pto_xcalloc(PTO_PIPE_COUNT * PTO_PIPE_COUNT, sizeof *pair);
    bool used[PTO_PIPE_COUNT][PTO_PIPE_COUNT] = {{false}};
    unsigned pairs = 0;

    for (uint32_t i = 0; i < lint->code->insns; i++) {
        const struct pto_insn *insn = &lint->code->insn[i];

        if (insn->op == PTO_OP_SET_FLAG || insn->op == PTO_OP_WAIT_FLAG)
            used[insn->operand[0].value][insn->operand[1].value] = true;
    }
    for (uint8_t src = 0; src < PTO_PIPE_COUNT; src++)
        for (uint8_t dst = 0; dst < PTO_PIPE_COUNT; dst++)
            if (used[src][dst]) {
                pair[pairs].lint = lint;
                lint_find_sites(&pair[pairs].sites, lint,
                                (struct lint_subject){.src = src, .dst = dst},
                                lint->profile->events);
                note_ids(&pair[pairs++]);
            }
    for (unsigned i = 0; i < pairs; i++) {
        if (pair[i].sites.sites)
            look_at_pair(&pair[i]);
        lint_sites_free(&pair[i].sites);
    }
    free(pair);
}
