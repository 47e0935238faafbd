/* What follows from what: one missing wait lets a pipe run ahead, and much is out of step behind
 * it.
 *
 * The relation goes by kinds and instructions and can run in circles, so whoever hides what follows
 * asks pto_check_lead, which leaves something to show of every circle. */
#include <stdlib.h>

#include "check/internal.h"

/* ---- the relation ---- */

static bool is_race(const struct found *found)
{
    return found->finding.kind <= PTO_FIND_WAW;
}

static bool across_pipes(const struct found *found)
{
    return found->party[0].lane != found->party[1].lane;
}

static bool inside_core(const struct found *found)
{
    return found->party[0].core == found->party[1].core;
}

/* Does the program reach `a` before `b`, in one pass through straight code? */
static bool comes_before(const struct party *a, const struct party *b)
{
    return a->code->code == b->code->code && a->pc < b->pc;
}

/* The set is not behind its wait because something between the two did not wait: a race between
 * pipes of the sub-core that begins on the pipe of the wait or ends on that of the set. */
static bool breaks_flag_chain(const struct found *root, const struct found *pending)
{
    const struct party *wait = &pending->party[0], *set = &pending->party[1];

    return inside_core(root) && across_pipes(root) &&
           root->party[1].code->code == set->code->code &&
           (root->party[0].lane == wait->lane || root->party[1].lane == set->lane);
}

/* Does the remedy of race `root` probably heal race `found`, too?
 *  - An instruction that reads what it did not wait for is out of step with everything it comes
 *    back to: with the reads of others, and with its own pipe.  A write that did not wait for the
 *    reader in between has not waited for the write before it either.
 *  - What comes behind an instruction that did not wait has not waited either.  On another pipe it
 *    probably waits for that instruction, in a chain through buffers, if both found fault with the
 *    same kind of memory; a barrier on the one's own pipe would not help it. */
static bool race_follows(const struct found *found, const struct found *root)
{
    const struct party *second = &found->party[1];

    if (finding_same_place(&root->party[1], second)) {
        if (finding_same_place(&root->party[0], &found->party[0]))
            return root->finding.kind < found->finding.kind;
        if (!across_pipes(root))
            return false;
        if (root->finding.kind == PTO_FIND_RAW)
            return found->finding.kind != PTO_FIND_RAW || !across_pipes(found);
        return found->finding.kind == PTO_FIND_WAW && !across_pipes(found);
    }
    return finding_same_place(&root->party[0], &found->party[0]) &&
           comes_before(&root->party[1], second) &&
           (root->party[1].lane == second->lane ||
            (across_pipes(root) && root->global == found->global));
}

/* Tokens run ahead, and bytes are read unwritten, where a race lets a pipe run ahead. */
static bool follows_from(const struct pto_check *check, const struct found *found,
                         const struct found *root)
{
    if (found == root)
        return false;
    if (!is_race(root))
        return vague_is_cause(check, found, root);
    if (is_race(found))
        return race_follows(found, root);
    if (found->finding.kind == PTO_FIND_UNINIT)
        return root->finding.kind == PTO_FIND_RAW &&
               finding_same_place(&root->party[1], &found->party[1]);
    return found->finding.kind == PTO_FIND_SET_PENDING && breaks_flag_chain(root, found);
}

void follow_link(struct pto_check *check)
{
    unsigned *cause = pto_xmalloc((check->founds + 1) * sizeof *cause);

    for (uint32_t i = 0; i < check->founds; i++) {
        struct pto_finding *result = &check->result[i];
        unsigned *kept;

        result->causes = 0;
        for (uint32_t r = 0; r < check->founds; r++)
            if (follows_from(check, &check->found[i], &check->found[r]))
                cause[result->causes++] = r;
        kept = pto_arena_array(&check->arena, result->causes, sizeof *kept);
        for (unsigned c = 0; c < result->causes; c++)
            kept[c] = cause[c];
        result->cause = kept;
    }
    free(cause);
}

/* ---- who leads ---- */

/* Findings as a graph from causes to what follows, and a walk through it. */
struct walk {
    const struct pto_finding *item;
    const bool *chosen;
    unsigned count;
    unsigned *first, *effect; /* what follows from i: effect[first[i]] up to effect[first[i + 1]] */
    unsigned *at;             /* how many edges of i have been taken */
    unsigned *stack;
    bool *seen;
};

static void turn_edges(struct walk *walk)
{
    unsigned edges = 0;

    walk->first = pto_xcalloc(walk->count + 2u, sizeof *walk->first);
    for (unsigned i = 0; i < walk->count; i++) {
        edges += walk->item[i].causes;
        for (unsigned c = 0; c < walk->item[i].causes; c++)
            walk->first[walk->item[i].cause[c] + 2]++;
    }
    for (unsigned i = 2; i < walk->count + 2; i++)
        walk->first[i] += walk->first[i - 1];
    walk->effect = pto_xmalloc((edges + 1) * sizeof *walk->effect);
    for (unsigned i = 0; i < walk->count; i++)
        for (unsigned c = 0; c < walk->item[i].causes; c++)
            walk->effect[walk->first[walk->item[i].cause[c] + 1]++] = i;
}

/* Visit all that follows from `start` and was not visited before: appends it to `done`, in the
 * order in which the visits end, and returns how many that were. */
static unsigned visit(struct walk *walk, unsigned start, unsigned *done)
{
    unsigned depth = 0, ended = 0;

    if (walk->seen[start] || !walk->chosen[start])
        return 0;
    walk->seen[start] = true;
    walk->stack[depth++] = start;
    while (depth) {
        unsigned i = walk->stack[depth - 1], edge = walk->first[i] + walk->at[i]++, next;

        if (edge == walk->first[i + 1]) {
            walk->at[i] = 0;
            done[ended++] = i;
            depth--;
            continue;
        }
        next = walk->effect[edge];
        if (!walk->seen[next] && walk->chosen[next]) {
            walk->seen[next] = true;
            walk->stack[depth++] = next;
        }
    }
    return ended;
}

/* Of a circle the first that was found leads, but a read that did not wait before all others. */
static unsigned visit_all(struct walk *walk, unsigned *done)
{
    unsigned ended = 0;

    for (unsigned i = 0; i < walk->count; i++)
        if (walk->item[i].kind == PTO_FIND_RAW)
            ended += visit(walk, i, done + ended);
    for (unsigned i = 0; i < walk->count; i++)
        ended += visit(walk, i, done + ended);
    return ended;
}

/* The visit that ended last began at a finding that follows from no other, or from its own circle
 * only: it leads all that it reaches; then the same with the rest. */
void pto_check_lead(const struct pto_check *check, const bool *chosen, unsigned *leader)
{
    unsigned count = check->results, left;
    unsigned *ended = pto_xmalloc((count + 1) * sizeof *ended);
    unsigned *reached = pto_xmalloc((count + 1) * sizeof *reached);
    struct walk walk = {
        .item = check->result,
        .chosen = chosen,
        .count = count,
        .at = pto_xcalloc(count + 1, sizeof *walk.at),
        .stack = pto_xmalloc((count + 1) * sizeof *walk.stack),
        .seen = pto_xcalloc(count + 1, sizeof *walk.seen),
    };

    turn_edges(&walk);
    left = visit_all(&walk, ended);
    for (unsigned i = 0; i < count; i++)
        walk.seen[i] = false;
    while (left) {
        unsigned first = ended[--left], led = visit(&walk, first, reached);

        for (unsigned i = 0; i < led; i++)
            leader[reached[i]] = first;
    }
    free(walk.first);
    free(walk.effect);
    free(walk.at);
    free(walk.stack);
    free(walk.seen);
    free(ended);
    free(reached);
}
