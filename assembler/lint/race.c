/* Order of accesses, as far as the text alone shows it: an instruction touches the bytes that one
 * on another pipe has written, or writes those that it reads, and on the way between the two
 * nothing makes its pipe wait; and a TNOTIFY that does not wait for a store to memory that others
 * see, or a load from it, before it.
 *
 * One access is followed at a time, along all ways from it: which pipes know that it is done, and
 * which flags have a token that says so.  Where the id is in a register a flag counts that may be
 * another one; what a wait on S, pipe_barrier ALL, sync_all or a cross-core flag tells, all know.
 * Where slots come in turn, so do their accesses; where the register of its slot changes in another
 * way, an access is lost sight of. */
#include <stdlib.h>
#include <string.h>

#include "early.h"
#include "rounds.h"
#include "route.h"
#include "turns.h"

enum { PIPES = PTO_PIPE_COUNT, ALL_KNOW = (1 << PIPES) - 1 };
enum { MOST_STEPS = 1 << 24 }; /* of one program */

/* What is known of the access at a place; more is better. */
struct known {
    bool reached;
    bool fenced;              /* a dsb since S knows */
    uint8_t pipes;            /* who is given work only behind it */
    uint8_t token[PIPES][PIPES]; /* flags that say so are set: by pipes, the ids it can be */
};

enum followed { TILE, STORE, LOAD, WAIT }; /* STORE, LOAD: of memory that others see */

struct race {
    struct lint *lint;
    struct known *at;         /* by place, before it */
    uint32_t *todo, todos;
    uint32_t *reached, reacheds; /* places, in the order of the first visits */
    bool *queued;
    bool *blamed;             /* by instruction: reported already */
    bool moved[PTO_SPACE_COUNT];
    uint8_t *early;           /* by instruction: enum lint_early of a set; or NULL */
    uint64_t steps;
    /* What is followed: of an instruction. */
    enum followed what;
    uint32_t from;
    unsigned pipe;
    const struct pto_tile_ref *tile; /* TILE */
    uint32_t object;                 /* STORE, LOAD */
    bool writes;
    uint32_t turns;           /* of its slot */
    unsigned loop;            /* around it, whose first and last rounds are told apart; 0: none */
};

/* A place is an instruction, how many turns the slot of the access is away, 0 is its own, and what
 * is known of the round. */
static uint32_t place_at(const struct race *r, uint32_t insn, uint32_t turn, unsigned phase)
{
    return (insn * r->turns + turn) * LINT_PHASES + phase;
}

/* ---- accesses ---- */

int lint_pipe_of(const struct lint *lint, const struct pto_insn *insn)
{
    if (insn->op == PTO_OP_TPREFETCH || insn->op == PTO_OP_FETCH_ADD)
        return -1; /* a hint touches nothing, and an addition is over with the instruction */
    if (pto_op_info(insn->op)->class == PTO_ACCESS)
        return PTO_PIPE_S;
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

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++)
        if (insn->operand[i].kind == PTO_O_TILE && shares_bytes(r->tile, &insn->operand[i].tile))
            access |= info->operand[i].access & (PTO_READ | PTO_WRITE);
    return access;
}

/* ---- what an instruction tells ---- */

/* What S stores is over for itself, but issue does not tell pipes of it. */
static bool is_store_of_s(const struct race *r)
{
    return r->pipe == PTO_PIPE_S && r->what != WAIT;
}

/* What S waits for all know, but for its own stores. */
static void take_flag(const struct race *r, struct known *known, unsigned src, unsigned dst,
                      uint8_t ids)
{
    if (known->token[src][dst] & ids)
        known->pipes |= (uint8_t)(dst == PTO_PIPE_S && !is_store_of_s(r) ? ALL_KNOW : 1u << dst);
}

/* The register of the slot that the access has, or PTO_NONE. */
static int32_t slot_register(const struct race *r)
{
    return r->what == TILE && r->tile->slot.kind == PTO_S_REG ? r->tile->slot.reg : PTO_NONE;
}

/* How many slots the one of the access takes turns with: 1 if its register does something else. */
static uint32_t find_turns(const struct race *r)
{
    const struct pto_code *code = r->lint->code;
    int32_t reg = slot_register(r);

    for (uint32_t i = 0; reg != PTO_NONE && i < code->insns; i++)
        if (lint_written(&code->insn[i]) == reg && lint_turns_of(code, i, reg) > 1)
            return lint_turns_of(code, i, reg);
    return 1;
}

/* Does the register of the slot become something else than the next in turn? */
static bool loses(const struct race *r, uint32_t at)
{
    const struct pto_insn *insn = &r->lint->code->insn[at];
    int32_t reg = slot_register(r);
    uint32_t turns;

    if (insn->op == PTO_OP_END || reg == PTO_NONE || lint_written(insn) != reg)
        return insn->op == PTO_OP_END;
    turns = lint_turns_of(r->lint->code, at, reg);
    return turns != 1 && turns != r->turns;
}

/* The turn behind an instruction. */
static uint32_t next_turn(const struct race *r, uint32_t at, uint32_t turn)
{
    int32_t reg = slot_register(r);

    if (reg == PTO_NONE || lint_written(&r->lint->code->insn[at]) != reg ||
        lint_turns_of(r->lint->code, at, reg) < 2)
        return turn;
    return (turn + 1) % r->turns;
}

static struct known after(const struct race *r, struct known known, uint32_t at)
{
    const struct pto_insn *insn = &r->lint->code->insn[at];
    unsigned src = insn->operands > 0 ? insn->operand[0].value : 0;

    switch (insn->op) {
    case PTO_OP_SET_FLAG:
        if (src != r->pipe && !(known.pipes >> src & 1))
            break;
        known.token[src][insn->operand[1].value] |= r->lint->flag_ids[at];
        if (r->early && r->early[at] == LINT_SURELY_EARLY)
            known.pipes |= (uint8_t)(1u << insn->operand[1].value);
        break;
    case PTO_OP_WAIT_FLAG:
        take_flag(r, &known, src, insn->operand[1].value, r->lint->flag_ids[at]);
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
    case PTO_OP_WAIT_INTRA_BLOCK: /* what the other side knew of this one is not looked at */
        known.pipes = ALL_KNOW;
        break;
    case PTO_OP_DSB:
        known.fenced = known.fenced || (known.pipes >> PTO_PIPE_S & 1);
        if (is_store_of_s(r))
            known.pipes = ALL_KNOW;
        break;
    default:
        break;
    }
    return known;
}

/* ---- verdicts ---- */

/* Every execution comes to `to` straight on, and nothing on the way tells what is not seen. */
static bool is_straight(const struct race *r, uint32_t to)
{
    struct lint_branch branch;

    if (r->from >= to)
        return false;
    for (uint32_t i = r->from; i < to; i++)
        if (lint_branch_at(r->lint->code, i, &branch) || r->early[i] == LINT_PERHAPS_EARLY)
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
    bool certain = is_straight(r, at) && is_certain(r, insn);
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
                          "TNOTIFY does not wait for %s in line %u, which %s '%s'",
                          pto_op_info(store->op)->mnemonic, lint_place(lint, store).line,
                          r->what == LOAD ? "reads" : "writes",
                          lint->kernel->object[r->object].name);
    lint_hint(lint, finding, r->what == LOAD ? "pipe_barrier ALL before it"
                             : told          ? "dsb before it"
                                             : "pipe_barrier ALL and dsb before it");
}

/* Is there nothing more to be learned on this way? */
static bool is_over(const struct race *r, const struct known *known)
{
    if (r->what == STORE)
        return known->fenced;
    return r->what == LOAD ? known->pipes >> PTO_PIPE_S & 1 : known->pipes == ALL_KNOW;
}

static void judge(struct race *r, uint32_t at, const struct known *known)
{
    const struct pto_insn *insn = &r->lint->code->insn[at];
    int pipe = lint_pipe_of(r->lint, insn);
    unsigned access;

    if (r->what != TILE) {
        if (insn->op == PTO_OP_TNOTIFY && !is_over(r, known))
            report_unpublished(r, at, known->pipes >> PTO_PIPE_S & 1);
        return;
    }
    if (pipe < 0 || (known->pipes >> pipe & 1))
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

    there->fenced = there->fenced && come->fenced;
    there->pipes &= come->pipes;
    for (unsigned i = 0; i < PIPES; i++)
        for (unsigned k = 0; k < PIPES; k++)
            there->token[i][k] = there->token[i][k] && come->token[i][k]
                                     ? there->token[i][k] | come->token[i][k]
                                     : 0;
    return memcmp(&before, there, sizeof before) != 0;
}

static void go_to(struct race *r, uint32_t place, const struct known *known)
{
    if (!r->at[place].reached) {
        r->reached[r->reacheds++] = place;
        r->at[place] = *known;
        r->at[place].reached = true;
    } else if (!meet(&r->at[place], known)) {
        return;
    }
    if (r->queued[place])
        return;
    r->queued[place] = true;
    r->todo[r->todos++] = place;
}

static void go_on(struct race *r, uint32_t at, uint32_t turn, unsigned phase,
                  const struct known *known)
{
    const struct lint_rounds *rounds = r->lint->rounds[r->lint->core_kind];
    struct lint_branch branch;
    bool is_branch = lint_branch_at(r->lint->code, at, &branch);
    int taken = lint_rounds_pass(rounds, r->loop, at, true, phase);
    int on = lint_rounds_pass(rounds, r->loop, at, false, phase);

    if (is_branch && taken >= 0)
        go_to(r, place_at(r, branch.target, turn, (unsigned)taken), known);
    if (!(is_branch && branch.always) && on >= 0)
        go_to(r, place_at(r, at + 1, turn, (unsigned)on), known);
}

static void step(struct race *r, uint32_t place)
{
    struct known known = r->at[place];
    unsigned phase = place % LINT_PHASES;
    uint32_t at = place / LINT_PHASES / r->turns, turn = place / LINT_PHASES % r->turns;

    r->queued[place] = false;
    r->steps++;
    if (loses(r, at) || (at == r->from && !turn))
        return;
    known = after(r, known, at);
    if (!is_over(r, &known))
        go_on(r, at, next_turn(r, at, turn), phase, &known);
}

/* A pipe that waits starts nothing before. */
static void spread(struct race *r)
{
    struct known begin = {0};

    if (r->what == WAIT || !(r->lint->profile->barrier_needed >> r->pipe & 1))
        begin.pipes = (uint8_t)(1u << r->pipe);
    r->turns = find_turns(r);
    r->loop = lint_rounds_around(r->lint->rounds[r->lint->core_kind], r->from);
    r->reacheds = 0;
    go_on(r, r->from, 0, 0, &begin);
    while (r->todos)
        step(r, r->todo[--r->todos]);
}

/* Follow one access; the verdicts come when nothing changes any more. */
static void follow(struct race *r)
{
    spread(r);
    for (uint32_t i = 0; i < r->reacheds; i++) {
        uint32_t place = r->reached[i];

        if (place / LINT_PHASES % r->turns == 0)
            judge(r, place / LINT_PHASES / r->turns, &r->at[place]);
        r->at[place].reached = false;
    }
}

static void follow_tile(struct race *r, const struct pto_tile_ref *tile, bool writes)
{
    /* What S has read is over. */
    if (r->steps > MOST_STEPS || r->moved[r->lint->core->tile[tile->tile].space] ||
        (r->pipe == PTO_PIPE_S && !writes))
        return;
    r->what = TILE;
    r->tile = tile;
    r->writes = writes;
    follow(r);
}

/* Do others see the object, or may this sub-core tell others of what it stores there? */
static bool is_shared(const struct lint *lint, uint32_t object, bool writes)
{
    unsigned kind = lint->kernel->object[object].kind;

    return kind == PTO_OBJ_SYM || (writes && kind == PTO_OBJ_GM);
}

static void follow_shared(struct race *r, const struct pto_gm_ref *gm, bool writes)
{
    if (r->steps > MOST_STEPS || !is_shared(r->lint, gm->object, writes) ||
        (r->pipe == PTO_PIPE_S && !writes))
        return;
    r->what = writes ? STORE : LOAD;
    r->object = gm->object;
    follow(r);
}

static void follow_accesses(struct race *r, uint32_t at, bool tiles)
{
    const struct pto_insn *insn = &r->lint->code->insn[at];
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++) {
        bool writes = info->operand[i].access & PTO_WRITE;

        if (insn->operand[i].kind == PTO_O_TILE && tiles)
            follow_tile(r, &insn->operand[i].tile, writes);
        if (insn->operand[i].kind == PTO_O_GM)
            follow_shared(r, &insn->operand[i].gm, writes);
    }
}

static struct race begin(struct lint *lint)
{
    size_t places = ((size_t)lint->code->insns + 1) * LINT_MOST_TURNS * LINT_PHASES;

    return (struct race){
        .lint = lint,
        .at = pto_xcalloc(places, sizeof(struct known)),
        .todo = pto_xcalloc(places, sizeof(uint32_t)),
        .reached = pto_xcalloc(places, sizeof(uint32_t)),
        .queued = pto_xcalloc(places, sizeof(bool)),
        .blamed = pto_xcalloc(places, sizeof(bool)),
    };
}

static void end(struct race *r)
{
    free(r->at);
    free(r->todo);
    free(r->reached);
    free(r->queued);
    free(r->blamed);
    free(r->early);
}

bool lint_set_waits_for(struct lint *lint, uint32_t wait)
{
    const struct pto_code *code = lint->code;
    const struct pto_operand *flag = code->insn[wait].operand;
    struct race r = begin(lint);
    bool found = false;

    r.from = wait;
    r.pipe = flag[1].value;
    r.what = WAIT;
    spread(&r);
    for (uint32_t i = 0; i < r.reacheds && !found; i++) {
        uint32_t at = r.reached[i] / LINT_PHASES;
        const struct pto_insn *insn = &code->insn[at];

        found = insn->op == PTO_OP_SET_FLAG && insn->operand[0].value == flag[0].value &&
                insn->operand[1].value == flag[1].value &&
                (lint->flag_ids[at] & lint->flag_ids[wait]) &&
                (r.at[r.reached[i]].pipes >> flag[0].value & 1);
    }
    end(&r);
    return found;
}

void lint_races(struct lint *lint)
{
    const struct pto_code *code = lint->code;
    struct race r = begin(lint);

    r.early = lint_find_early_sets(lint);
    for (uint32_t i = 0; i < code->insns; i++)
        if (code->insn[i].op == PTO_OP_TASSIGN)
            r.moved[lint->core->tile[code->insn[i].operand[0].tile.tile].space] = true;
    for (uint32_t i = 0; i < code->insns; i++) {
        bool copies = pto_op_info(code->insn[i].op)->class == PTO_MACRO; /* MTE3 is the last */
        int pipe = copies ? PTO_PIPE_MTE3 : lint_pipe_of(lint, &code->insn[i]);

        if (pipe < 0 || !lint->reachable[lint->core_kind][i])
            continue;
        r.from = i;
        r.pipe = (unsigned)pipe;
        follow_accesses(&r, i, !copies);
    }
    end(&r);
}
