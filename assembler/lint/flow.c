/* The control-flow graph of a program: branches, reachable instructions, and the graph without
 * what a question does not care about. */
#include "core.h"

#include <stdlib.h>

#include "arithmetic.h"

bool lint_branch_at(const struct pto_code *code, uint32_t at, struct lint_branch *branch)
{
    const struct pto_insn *insn = &code->insn[at];
    const struct pto_operand *operand = insn->operand;

    switch (insn->op) {
    case PTO_OP_JUMP:
        *branch = (struct lint_branch){.always = true, .at = at, .target = operand[0].value};
        return true;
    case PTO_OP_BT:
    case PTO_OP_BF: /* a == 0 */
        *branch = (struct lint_branch){
            .negated = insn->op == PTO_OP_BT, .op = PTO_OP_BEQ, .a = operand[0].scalar,
            .b = {.kind = PTO_S_INT, .i = 0}, .target = operand[1].value};
        break;
    case PTO_OP_BLT:
    case PTO_OP_BGE:
        *branch = (struct lint_branch){
            .negated = insn->op == PTO_OP_BGE, .op = PTO_OP_BLT, .a = operand[0].scalar,
            .b = operand[1].scalar, .target = operand[2].value};
        break;
    case PTO_OP_BEQ:
    case PTO_OP_BNE:
        *branch = (struct lint_branch){
            .negated = insn->op == PTO_OP_BNE, .op = PTO_OP_BEQ, .a = operand[0].scalar,
            .b = operand[1].scalar, .target = operand[2].value};
        break;
    default:
        return false;
    }
    branch->at = at;
    if (branch->a.kind == PTO_S_INT && branch->b.kind == PTO_S_INT) {
        branch->always = true;
        if (pto_branch_taken(branch->op, branch->a.i, branch->b.i) == branch->negated)
            branch->target = at + 1;
    }
    return true;
}

/* ---- reachable and unreachable code ---- */

void lint_flood(const struct pto_code *code, uint32_t from, bool *after, uint32_t *todo)
{
    uint32_t count = 0;

    todo[count++] = from;
    while (count) {
        uint32_t at = todo[--count], next[2], ways = 0;
        struct lint_branch branch;
        bool is_branch = lint_branch_at(code, at, &branch);

        if (is_branch)
            next[ways++] = branch.target;
        if (code->insn[at].op != PTO_OP_END && !(is_branch && branch.always))
            next[ways++] = at + 1;
        for (uint32_t i = 0; i < ways; i++) {
            if (after[next[i]])
                continue;
            after[next[i]] = true;
            todo[count++] = next[i];
        }
    }
}

bool *lint_find_reachable(const struct pto_code *code)
{
    bool *reachable = pto_xcalloc(code->insns, sizeof *reachable);
    uint32_t *todo = pto_xcalloc((size_t)code->insns + 1, sizeof *todo);

    reachable[0] = true;
    lint_flood(code, 0, reachable, todo);
    free(todo);
    return reachable;
}

static int compare_places(const void *a, const void *b)
{
    const struct pto_pos *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->parent != y->parent ? (x->parent < y->parent ? -1 : 1) : 0;
}

/* The lines of reachable instructions, sorted; malloc'ed. */
static struct pto_pos *reached_lines(const struct lint *lint, uint32_t *count)
{
    const bool *reachable = lint->reachable[lint->core_kind];
    struct pto_pos *line = pto_xcalloc(lint->code->insns, sizeof *line);

    *count = 0;
    for (uint32_t i = 0; i < lint->code->insns; i++)
        if (reachable[i])
            line[(*count)++] = lint_place(lint, &lint->code->insn[i]);
    qsort(line, *count, sizeof *line, compare_places);
    return line;
}

/* The first instruction of an unreachable run that its author wrote: not a branch or an end, and
 * not in a line of reachable code (what a loop does at its end belongs to its head).  `sync` says
 * whether synchronisation is among them. */
static int64_t worth_saying(const struct lint *lint, uint32_t from, uint32_t to,
                            const struct pto_pos *line, uint32_t lines, bool *sync)
{
    int64_t first = -1;

    *sync = false;
    for (uint32_t i = from; i < to; i++) {
        const struct pto_insn *insn = &lint->code->insn[i];
        unsigned class = pto_op_info(insn->op)->class;
        struct pto_pos place = lint_place(lint, insn);

        if (class == PTO_FLOW ||
            bsearch(&place, line, lines, sizeof *line, compare_places))
            continue;
        *sync |= class == PTO_SYNC;
        if (first < 0)
            first = i;
    }
    return first;
}

void lint_unreachable(struct lint *lint)
{
    const struct pto_code *code = lint->code;
    const bool *reachable = lint->reachable[lint->core_kind];
    uint32_t lines;
    struct pto_pos *line = reached_lines(lint, &lines);

    for (uint32_t from = 0, to; from < code->insns; from = to) {
        int64_t at;
        bool sync;

        for (to = from + 1; to < code->insns && reachable[to] == reachable[from];)
            to++;
        if (reachable[from])
            continue;
        at = worth_saying(lint, from, to, line, lines, &sync);
        if (at >= 0)
            lint_report(lint, PTO_LINT_UNREACHABLE, PTO_WARNING, PTO_LINT_YES, code->insn[at].pos,
                        "no path leads to this %s%s", pto_op_info(code->insn[at].op)->mnemonic,
                        sync ? "; synchronisation is among what never runs" : "");
    }
    free(line);
}

/* ---- the reduced graph ---- */

enum { MOST_TESTS = 1 << 24 /* of branches, whether they are seen through */ };

struct skipping {
    const struct pto_code *code;
    bool *stop;    /* kept, or a branch that matters */
    uint32_t *way; /* where a branch that does not matter goes on */
    uint32_t *skip;
    uint32_t *chain; /* scratch */
};

static void settle_skips(struct skipping *s)
{
    enum { OPEN = UINT32_MAX - 1 };
    uint32_t insns = s->code->insns;

    for (uint32_t i = 0; i < insns; i++)
        s->skip[i] = s->stop[i] ? i : OPEN;
    for (uint32_t start = 0; start < insns; start++) {
        uint32_t length = 0, at = start, end;

        while (at < insns && s->skip[at] == OPEN) {
            s->skip[at] = LINT_NOWHERE; /* coming back here is a loop without a stop */
            s->chain[length++] = at;
            at = s->way[at];
        }
        end = at < insns ? s->skip[at] : LINT_NOWHERE;
        while (length)
            s->skip[s->chain[--length]] = end;
    }
}

/* The next stop from `at` on; what has been seen through is passed. */
static uint32_t next_stop(struct skipping *s, uint32_t at)
{
    while (at != LINT_NOWHERE && !s->stop[at]) {
        if (s->skip[at] != LINT_NOWHERE)
            s->skip[at] = s->skip[s->skip[at]];
        at = s->skip[at];
    }
    return at;
}

/* Both ways of this branch lead to the same instruction (or one leads nowhere else than back):
 * see through it. */
static bool see_through(struct skipping *s, uint32_t at, const struct lint_branch *branch)
{
    uint32_t on = next_stop(s, at + 1), taken = next_stop(s, branch->target);

    on = on == at ? LINT_NOWHERE : on;
    taken = taken == at ? LINT_NOWHERE : taken;
    if (on != taken && on != LINT_NOWHERE && taken != LINT_NOWHERE)
        return false;
    s->stop[at] = false;
    s->way[at] = on == LINT_NOWHERE ? branch->target : at + 1;
    s->skip[at] = on == LINT_NOWHERE ? taken : on;
    return true;
}

void lint_find_skips(const struct pto_code *code, const bool *keep, uint32_t *skip)
{
    struct skipping s = {
        .code = code, .skip = skip, .stop = pto_xcalloc(code->insns, sizeof(bool)),
        .way = pto_xcalloc(code->insns, sizeof(uint32_t)),
        .chain = pto_xcalloc(code->insns, sizeof(uint32_t))};
    struct lint_branch branch;
    uint32_t tests = 0;
    bool changed = true;

    for (uint32_t i = 0; i < code->insns; i++) {
        bool is_branch = lint_branch_at(code, i, &branch);

        s.stop[i] = keep[i] || (is_branch && !branch.always);
        s.way[i] = is_branch && branch.always ? branch.target : i + 1;
    }
    settle_skips(&s);
    while (changed && tests < MOST_TESTS) {
        changed = false;
        for (uint32_t i = code->insns; i-- > 0;) /* inner branches come behind outer ones */
            if (s.stop[i] && !keep[i] && lint_branch_at(code, i, &branch)) {
                changed |= see_through(&s, i, &branch);
                tests++;
            }
    }
    settle_skips(&s);
    free(s.stop);
    free(s.way);
    free(s.chain);
}
