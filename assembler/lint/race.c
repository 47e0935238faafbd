/* Order of accesses, as far as the text alone shows it: an instruction touches the bytes that one
 * on another pipe has written, or writes those that it reads, and on the way between the two
 * nothing makes its pipe wait; and a TNOTIFY that does not wait for a store to symmetric memory
 * before it.
 *
 * One access is followed at a time, along all ways from it: which pipes know that it is done, and
 * which pairs of pipes have a token that says so.  Ids are not told apart, so a flag counts that
 * may be another one; what a wait on S, pipe_barrier ALL, sync_all or a cross-core flag tells, all
 * know.  Where the register of its slot changes, an access is lost sight of. */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "route.h"

enum {
    PIPES = PTO_PIPE_COUNT,
    MOST_STEPS = 1 << 24, /* of one program */
    ALL_KNOW = (1 << PIPES) - 1
};

/* What is known of the access at a place; more is better. */
struct known {
    bool reached;
    bool fenced;              /* a dsb since S knows */
    uint8_t pipes;            /* who is given work only behind it */
    uint8_t token[PIPES];     /* by source: to whom a flag that says so is set */
};

struct race {
    struct lint *lint;
    struct known *at;         /* by instruction, before it */
    uint32_t *todo, todos;
    bool *queued;
    bool *blamed;             /* by instruction: reported already */
    bool moved[PTO_SPACE_COUNT];
    uint64_t steps;
    /* The access that is followed. */
    uint32_t from;
    unsigned pipe;
    const struct pto_tile_ref *tile; /* NULL: a store to symmetric memory */
    bool writes;
};

/* ---- accesses ---- */

/* The pipe of an instruction that touches tiles, or -1: none, or several. */
static int pipe_of(const struct lint *lint, const struct pto_insn *insn)
{
    if (insn->op == PTO_OP_TPREFETCH) /* a hint touches nothing */
        return -1;
    return pto_route_pipe(lint->profile, lint->core, insn);
}

static bool is_window(const struct pto_tile_ref *ref)
{
    return ref->row.kind != PTO_S_NONE || ref->col.kind != PTO_S_NONE ||
           ref->byte.kind != PTO_S_NONE;
}

/* The same tile from its first byte on; of two windows nobody knows whether they meet. */
static bool shares_bytes(const struct pto_tile_ref *a, const struct pto_tile_ref *b)
{
    return a->tile == b->tile && lint_same_slot(&a->slot, &b->slot) &&
           !(is_window(a) && is_window(b));
}

/* How an instruction touches the bytes that are followed: PTO_READ and PTO_WRITE. */
static unsigned touches(const struct race *r, const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    unsigned access = 0;

    for (unsigned i = 0; r->tile && i < insn->operands && i < info->operands; i++)
        if (insn->operand[i].kind == PTO_O_TILE && shares_bytes(r->tile, &insn->operand[i].tile))
            access |= info->operand[i].access & (PTO_READ | PTO_WRITE);
    return access;
}

/* ---- what an instruction tells ---- */

static void take_flag(struct known *known, unsigned src, unsigned dst)
{
    if (known->token[src] >> dst & 1)
        known->pipes |= (uint8_t)(dst == PTO_PIPE_S ? ALL_KNOW : 1u << dst);
}

/* Is what stands behind this instruction out of sight? */
static bool loses(const struct race *r, const struct pto_insn *insn)
{
    const struct pto_scalar *slot = r->tile ? &r->tile->slot : NULL;

    return insn->op == PTO_OP_END ||
           (slot && slot->kind == PTO_S_REG && lint_written(insn) == slot->reg);
}

static struct known after(const struct race *r, struct known known, const struct pto_insn *insn)
{
    unsigned src = insn->operands > 0 ? insn->operand[0].value : 0;

    switch (insn->op) {
    case PTO_OP_SET_FLAG:
        if (src == r->pipe || (known.pipes >> src & 1))
            known.token[src] |= (uint8_t)(1u << insn->operand[1].value);
        break;
    case PTO_OP_WAIT_FLAG:
        take_flag(&known, src, insn->operand[1].value);
        break;
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
        if (src == PTO_PIPE_ALL)
            known.pipes = ALL_KNOW;
        else if (src == r->pipe)
            known.pipes |= (uint8_t)(1u << src);
        break;
    case PTO_OP_SYNC_ALL:
    case PTO_OP_WAIT_FLAG_DEV:
        known.pipes = ALL_KNOW;
        break;
    case PTO_OP_DSB:
        known.fenced = known.fenced || (known.pipes >> PTO_PIPE_S & 1);
        break;
    default:
        break;
    }
    return known;
}

/* ---- verdicts ---- */

/* Every execution of `from` comes to `to`, straight on. */
static bool is_straight(const struct lint *lint, uint32_t from, uint32_t to)
{
    struct lint_branch branch;

    if (from >= to)
        return false;
    for (uint32_t i = from; i < to; i++)
        if (lint_branch_at(lint->code, i, &branch))
            return false;
    return true;
}

static bool is_whole(const struct pto_tile_ref *ref)
{
    return ref->rows.kind == PTO_S_NONE && ref->cols.kind == PTO_S_NONE && !is_window(ref);
}

/* All operands of the tile are whole tiles, which are never empty. */
static bool is_certain(const struct race *r, const struct pto_insn *insn)
{
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_TILE &&
            insn->operand[i].tile.tile == r->tile->tile && !is_whole(&insn->operand[i].tile))
            return false;
    return is_whole(r->tile);
}

static void report_race(struct race *r, uint32_t at, int pipe, unsigned access)
{
    struct lint *lint = r->lint;
    const struct pto_insn *first = &lint->code->insn[r->from], *insn = &lint->code->insn[at];
    bool certain = is_straight(lint, r->from, at) && is_certain(r, insn);
    struct pto_lint_finding *finding;

    if (r->blamed[at])
        return;
    r->blamed[at] = true;
    finding = lint_report(lint, PTO_LINT_RACE, certain ? PTO_ERROR : PTO_WARNING,
                          certain ? PTO_LINT_YES : PTO_LINT_UNKNOWN, insn->pos,
                          "%s %s tile '%s' without waiting for %s in line %u, which %s it",
                          pto_op_info(insn->op)->mnemonic,
                          r->writes && (access & PTO_READ) ? "reads" : "writes",
                          lint->core->tile[r->tile->tile].name, pto_op_info(first->op)->mnemonic,
                          lint_place(lint, first).line, r->writes ? "writes" : "reads");
    if ((unsigned)pipe == r->pipe)
        lint_hint(lint, finding, "pipe_barrier %s between the two", lint_pipe_name(r->pipe));
    else
        lint_hint(lint, finding, "handoff %s -> %s, with a free event, between the two",
                  lint_pipe_name(r->pipe), lint_pipe_name((unsigned)pipe));
}

static void report_unpublished(struct race *r, uint32_t at, bool told)
{
    struct lint *lint = r->lint;
    const struct pto_insn *store = &lint->code->insn[r->from];
    struct pto_lint_finding *finding;

    if (r->blamed[at])
        return;
    r->blamed[at] = true;
    finding = lint_report(lint, PTO_LINT_UNPUBLISHED, PTO_WARNING, PTO_LINT_UNKNOWN,
                          lint->code->insn[at].pos,
                          "TNOTIFY does not wait for %s in line %u, which stores to symmetric "
                          "memory", pto_op_info(store->op)->mnemonic,
                          lint_place(lint, store).line);
    lint_hint(lint, finding, told ? "dsb before it" : "pipe_barrier ALL and dsb before it");
}

static void judge(struct race *r, uint32_t at, const struct known *known)
{
    const struct pto_insn *insn = &r->lint->code->insn[at];
    int pipe = pipe_of(r->lint, insn);
    unsigned access;

    if (!r->tile && insn->op == PTO_OP_TNOTIFY && !known->fenced)
        report_unpublished(r, at, known->pipes >> PTO_PIPE_S & 1);
    if (!r->tile || pipe < 0 || (known->pipes >> pipe & 1))
        return;
    if (pipe == PTO_PIPE_M && r->pipe == PTO_PIPE_M)
        return; /* products into one accumulator are a chain */
    access = touches(r, insn);
    if (access && (r->writes || (access & PTO_WRITE)))
        report_race(r, at, pipe, access);
}

/* ---- along all ways ---- */

/* What is known there on every way so far; true if that has become less. */
static bool meet(struct known *there, const struct known *come)
{
    struct known before = *there;

    if (!there->reached) {
        *there = *come;
        there->reached = true;
        return true;
    }
    there->fenced = there->fenced && come->fenced;
    there->pipes &= come->pipes;
    for (unsigned i = 0; i < PIPES; i++)
        there->token[i] &= come->token[i];
    return memcmp(&before, there, sizeof before) != 0;
}

static void go_to(struct race *r, uint32_t at, const struct known *known)
{
    if (!meet(&r->at[at], known) || r->queued[at])
        return;
    r->queued[at] = true;
    r->todo[r->todos++] = at;
}

static void go_on(struct race *r, uint32_t at, const struct known *known)
{
    struct lint_branch branch;
    bool is_branch = lint_branch_at(r->lint->code, at, &branch);

    if (is_branch)
        go_to(r, branch.target, known);
    if (!(is_branch && branch.always))
        go_to(r, at + 1, known);
}

/* Follow one access; the verdicts come when nothing changes any more. */
static void follow(struct race *r)
{
    const struct pto_code *code = r->lint->code;
    struct known begin = {0};

    memset(r->at, 0, code->insns * sizeof *r->at);
    if (!(r->lint->profile->barrier_needed >> r->pipe & 1))
        begin.pipes = (uint8_t)(1u << r->pipe);
    go_on(r, r->from, &begin);
    while (r->todos) {
        uint32_t at = r->todo[--r->todos];
        struct known known = r->at[at];

        r->queued[at] = false;
        r->steps++;
        if (loses(r, &code->insn[at]) || at == r->from)
            continue;
        known = after(r, known, &code->insn[at]);
        if (r->tile ? known.pipes != ALL_KNOW : !known.fenced)
            go_on(r, at, &known);
    }
    for (uint32_t i = 0; i < code->insns; i++)
        if (r->at[i].reached)
            judge(r, i, &r->at[i]);
}

static bool stores_symmetric(const struct lint *lint, const struct pto_insn *insn)
{
    return insn->operands > 0 && insn->operand[0].kind == PTO_O_GM &&
           lint->kernel->object[insn->operand[0].gm.object].kind == PTO_OBJ_SYM &&
           (pto_op_info(insn->op)->operand[0].access & PTO_WRITE);
}

static void follow_accesses(struct race *r, uint32_t at)
{
    const struct pto_insn *insn = &r->lint->code->insn[at];
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++) {
        const struct pto_tile_ref *tile = &insn->operand[i].tile;

        if (insn->operand[i].kind != PTO_O_TILE || r->steps > MOST_STEPS ||
            r->moved[r->lint->core->tile[tile->tile].space])
            continue;
        r->tile = tile;
        r->writes = info->operand[i].access & PTO_WRITE;
        follow(r);
    }
    r->tile = NULL;
    r->writes = true;
    if (stores_symmetric(r->lint, insn) && r->steps <= MOST_STEPS)
        follow(r);
}

void lint_races(struct lint *lint)
{
    const struct pto_code *code = lint->code;
    struct race r = {.lint = lint};

    r.at = pto_xcalloc((size_t)code->insns + 1, sizeof *r.at);
    r.todo = pto_xcalloc((size_t)code->insns + 1, sizeof *r.todo);
    r.queued = pto_xcalloc((size_t)code->insns + 1, sizeof *r.queued);
    r.blamed = pto_xcalloc((size_t)code->insns + 1, sizeof *r.blamed);
    for (uint32_t i = 0; i < code->insns; i++)
        if (code->insn[i].op == PTO_OP_TASSIGN)
            r.moved[lint->core->tile[code->insn[i].operand[0].tile.tile].space] = true;
    for (uint32_t i = 0; i < code->insns; i++) {
        int pipe = lint->reachable[lint->core_kind][i] ? pipe_of(lint, &code->insn[i]) : -1;

        if (pipe < 0)
            continue;
        r.from = i;
        r.pipe = (unsigned)pipe;
        follow_accesses(&r, i);
    }
    free(r.at);
    free(r.todo);
    free(r.queued);
    free(r.blamed);
}
