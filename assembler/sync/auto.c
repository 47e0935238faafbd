/* Flags put in by a static happens-before, along the text of a program.
 *
 * Of every pipe it is known how much of every other one is complete before its next instruction
 * starts.  An instruction that touches bytes of an earlier one which is not known to be complete
 * gets a flag, set and waited for before it; on a pipe of its own a barrier, where the profile
 * wants one.  Where ways meet, the least is known.  Before every branch backward stands
 * `pipe_barrier ALL`, so that nothing is open when a loop begins its next turn; that holds for
 * loops of no turn, too, because what was known before a loop is what is known behind it. */
#include <stdlib.h>
#include <string.h>

#include "sync/code.h"
#include "sync/sync.h"
#include "sync/touch.h"

enum { PIPES = PTO_PIPE_COUNT, MOST_OPEN = 512 };

/* known[q][p]: of what is issued to p, all before this index is complete before the next of q.
 * used[p][q][e]: event e may be set again when p knows all of q before this index. */
struct known {
    uint32_t known[PIPES][PIPES];
    uint32_t used[PIPES][PIPES][PTO_EVENT_LIMIT];
};

struct automatic {
    const struct pto_profile *profile;
    const struct pto_kernel *kernel;
    struct pto_core_code *core;
    struct sync_code code;
    struct known now;
    struct known **meets; /* by index: what arrives there by branches, NULL: nothing does */
    bool reached;         /* from the instruction before */
    unsigned pending;     /* indices in `meets` */
    uint32_t open[MOST_OPEN]; /* instructions that some pipe may not know complete, on some way */
    unsigned opens;
};

static void meet(struct known *a, const struct known *b)
{
    for (unsigned p = 0; p < PIPES; p++)
        for (unsigned q = 0; q < PIPES; q++) {
            if (b->known[p][q] < a->known[p][q])
                a->known[p][q] = b->known[p][q];
            for (unsigned e = 0; e < PTO_EVENT_LIMIT; e++)
                if (b->used[p][q][e] > a->used[p][q][e])
                    a->used[p][q][e] = b->used[p][q][e];
        }
}

/* Everything before `at` is complete. */
static void all_known(struct automatic *a, uint32_t at)
{
    for (unsigned p = 0; p < PIPES; p++)
        for (unsigned q = 0; q < PIPES; q++)
            a->now.known[p][q] = at;
    memset(a->now.used, 0, sizeof a->now.used);
}

static void barrier_all(struct automatic *a, uint32_t at)
{
    sync_barrier(&a->code, a->core->code.insn[at].pos, PTO_PIPE_ALL);
    all_known(a, at);
}

/* Is anything of a pipe open, as S sees it? */
static bool is_open(const struct automatic *a)
{
    for (unsigned i = 0; i < a->opens; i++) {
        unsigned pipe = sync_pipe(a->profile, a->core, &a->core->code.insn[a->open[i]]);

        if (pipe != PTO_PIPE_S && a->open[i] >= a->now.known[PTO_PIPE_S][pipe])
            return true;
    }
    return false;
}

/* `to` knows what `from` knows; S, that issues all, passes on what it waited for. */
static void learn(struct known *now, unsigned to, unsigned from)
{
    for (unsigned p = 0; p < PIPES; p++)
        if ((p != to || from == PTO_PIPE_S) && now->known[from][p] > now->known[to][p])
            now->known[to][p] = now->known[from][p];
}

/* What `to` is given from here on starts when all that `from` was given is complete. */
static void hand_over(struct automatic *a, uint32_t at, unsigned from, unsigned to)
{
    uint32_t pos = a->core->code.insn[at].pos;
    struct known *now = &a->now;
    unsigned event = 0;

    while (event < a->profile->events && now->used[from][to][event] > now->known[from][to])
        event++;
    if (event == a->profile->events) {
        barrier_all(a, at);
        return;
    }
    sync_flag(&a->code, pos, PTO_OP_SET_FLAG, from, to, event);
    sync_flag(&a->code, pos, PTO_OP_WAIT_FLAG, from, to, event);
    now->used[from][to][event] = at + 1;
    now->known[to][from] = at;
    learn(now, to, from);
    for (unsigned q = 0; to == PTO_PIPE_S && q < PIPES; q++)
        learn(now, q, PTO_PIPE_S);
}

/* Put before an instruction what makes it wait for those that it conflicts with. */
static void order(struct automatic *a, uint32_t at, unsigned to)
{
    const struct pto_insn *insn = &a->core->code.insn[at];

    for (unsigned i = a->opens; i-- > 0;) {
        const struct pto_insn *earlier = &a->core->code.insn[a->open[i]];
        unsigned from = sync_pipe(a->profile, a->core, earlier);

        if (a->open[i] < a->now.known[to][from] ||
            !sync_conflict(a->kernel, a->core, earlier, insn))
            continue;
        if (from != to) {
            hand_over(a, at, from, to);
        } else if (a->profile->barrier_needed >> to & 1) {
            sync_barrier(&a->code, insn->pos, to);
            a->now.known[to][to] = at;
        }
    }
}

/* Instructions that act on memory by other ways than one pipe, or tell others of it. */
static bool wants_all(const struct pto_insn *insn)
{
    enum pto_class class = pto_op_info(insn->op)->class;

    return class == PTO_MACRO || class == PTO_ASYNC || insn->op == PTO_OP_TNOTIFY ||
           insn->op == PTO_OP_SYNC_ALL;
}

static int64_t target_of(const struct pto_insn *insn)
{
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_LABEL)
            return insn->operand[i].value;
    return -1;
}

static void branch(struct automatic *a, uint32_t at, uint32_t target)
{
    const struct pto_insn *insn = &a->core->code.insn[at];

    if (target > at && !a->meets[target]) {
        a->meets[target] = pto_xcalloc(1, sizeof **a->meets);
        *a->meets[target] = a->now;
        a->pending++;
    } else if (target > at) {
        meet(a->meets[target], &a->now);
    }
    a->reached = insn->op != PTO_OP_JUMP;
}

static void arrive(struct automatic *a, uint32_t at)
{
    if (!a->meets[at])
        return;
    if (a->reached)
        meet(&a->now, a->meets[at]);
    else
        a->now = *a->meets[at];
    a->reached = true;
    free(a->meets[at]);
    a->meets[at] = NULL;
    a->pending--;
}

static bool holds_work(const struct automatic *a, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (sync_pipe(a->profile, a->core, &a->core->code.insn[i]) != SYNC_NO_PIPE)
            return true;
    return false;
}

/* The instruction completes before anything later starts. */
static void complete(struct automatic *a, uint32_t at)
{
    sync_barrier(&a->code, a->core->code.insn[at].pos, PTO_PIPE_ALL);
    all_known(a, at + 1);
}

/* While branches are under way, nothing leaves the list: another way may not know it complete.
 * What finds the list full completes at once. */
static void keep_open(struct automatic *a, uint32_t at, unsigned pipe)
{
    if (a->opens < MOST_OPEN) {
        a->open[a->opens++] = at;
        return;
    }
    if (pipe != PTO_PIPE_S)
        complete(a, at);
    if (!a->pending)
        a->opens = 0;
}

static void step(struct automatic *a, uint32_t at)
{
    const struct pto_insn *insn = &a->core->code.insn[at];
    unsigned pipe = sync_pipe(a->profile, a->core, insn);
    int64_t target = target_of(insn);

    arrive(a, at);
    sync_at(&a->code, at);
    if (sync_is_own(insn))
        return;
    if (target >= 0 && target <= at && holds_work(a, (uint32_t)target, at))
        barrier_all(a, at);
    if (wants_all(insn) && is_open(a))
        barrier_all(a, at);
    if (pipe != SYNC_NO_PIPE)
        order(a, at, pipe);
    sync_emit(&a->code, insn);
    if (pto_op_info(insn->op)->class == PTO_MACRO)
        complete(a, at);
    else if (pipe != SYNC_NO_PIPE)
        keep_open(a, at, pipe);
    if (target >= 0)
        branch(a, at, (uint32_t)target);
    else if (insn->op == PTO_OP_END)
        a->reached = false;
}

static void order_core(struct pto_module *module, const struct pto_profile *profile,
                       const struct pto_kernel *kernel, struct pto_core_code *core)
{
    struct automatic *a = pto_xcalloc(1, sizeof *a);

    a->profile = profile;
    a->kernel = kernel;
    a->core = core;
    a->reached = true;
    a->meets = pto_xcalloc((size_t)core->code.insns + 1, sizeof *a->meets);
    sync_begin(&a->code, module, core);
    for (uint32_t i = 0; i < core->code.insns; i++)
        step(a, i);
    arrive(a, core->code.insns);
    sync_end(&a->code);
    free(a->meets);
    free(a);
}

void sync_automatic(struct pto_module *module, const struct pto_profile *profile)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            if (module->kernel[k].core[kind].present)
                order_core(module, profile, &module->kernel[k],
                           &module->kernel[k].core[kind]);
}
