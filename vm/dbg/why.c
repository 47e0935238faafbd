#include "dbg/why.h"

#include <string.h>

#include "core_name.h"
#include "cli/faults.h"
#include "dbg/ahead.h"
#include "dbg/expr.h"
#include "dbg/findings.h"
#include "dbg/issue.h"
#include "dbg/place.h"
#include "dbg/run.h"
#include "dbg/source.h"
#include "look/wait.h"

/* ---- helpers ---- */

static void say_issued(struct dbg *dbg, const struct pto_insn *insn,
                       const struct dbg_issue *issue)
{
    struct dbg_place place;

    if (!source_place_of_insn(dbg, insn, &place))
        return;
    source_say_issued(dbg, &place, issue);
    dbg_say(dbg, " (");
    source_say_position(dbg, place.module,
                        source_level(place.module, insn->pos, DBG_DEPTH_INNERMOST));
    dbg_say(dbg, ")");
}

static void say_insn_of(struct dbg *dbg, const struct pto_insn *insn)
{
    say_issued(dbg, insn, NULL);
}

/* An entry of a queue of the focused sub-core. */
static void say_entry(struct dbg *dbg, unsigned queue, const struct pto_queue_entry *entry)
{
    say_issued(dbg, entry->insn,
               issue_of_entry(dbg, dbg->rank, dbg->core, queue, entry->number));
}

void why_say_setter(struct dbg *dbg, unsigned src, unsigned dst, unsigned id)
{
    const struct dbg_setter *setter =
        dbg_setter(dbg_core_of(dbg, dbg->rank, dbg->core), src, dst, id);

    if (!setter || !setter->insn)
        return;
    dbg_say(dbg, ", set by ");
    say_issued(dbg, setter->insn, setter->issue);
}

/* Value of an operand of the focused sub-core's next instruction, or false. */
static bool scalar_now(struct dbg *dbg, const struct pto_scalar *scalar, int64_t *value)
{
    struct expr_scope scope = {dbg, dbg->rank, dbg->core, NULL};

    return expr_operand(&scope, scalar, value);
}

/* ---- a flag inside a sub-core ---- */

/* Can this set_flag make the token?  A register may hold any id. */
static bool may_set(const struct pto_insn *insn, const struct pto_wait *flag)
{
    const struct pto_scalar *event = &insn->operand[2].scalar;

    return insn->op == PTO_OP_SET_FLAG && insn->operand[0].value == flag->src &&
           insn->operand[1].value == flag->dst &&
           (event->kind != PTO_S_INT || event->i == flag->id);
}

/* Is the entry of the token's queue the one that makes it? */
static bool is_set(struct dbg *dbg, const struct pto_queue_entry *entry,
                   const struct pto_wait *flag)
{
    const struct dbg_issue *issue =
        issue_of_entry(dbg, dbg->rank, dbg->core, flag->src, entry->number);
    struct expr_scope scope = {dbg, dbg->rank, dbg->core, issue ? issue->value : NULL};
    int64_t id;

    return may_set(entry->insn, flag) &&
           expr_operand(&scope, &entry->insn->operand[2].scalar, &id) && id == flag->id;
}

/* The set is issued already: what is before it in its queue? */
static bool explain_queued_set(struct dbg *dbg, const struct pto_wait *flag)
{
    struct pto_queue_entry entry, head;

    for (unsigned i = 0;
         pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, flag->src, i, &entry); i++) {
        if (!is_set(dbg, &entry, flag))
            continue;
        dbg_say(dbg, "  it comes from ");
        say_entry(dbg, flag->src, &entry);
        dbg_say(dbg, " in the queue of %s", pto_queue_name(flag->src));
        if (i > 0) {
            pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, flag->src, 0, &head);
            dbg_say(dbg, ",\n  behind %u entr%s, the first is ", i, i == 1 ? "y" : "ies");
            say_entry(dbg, flag->src, &head);
            dbg_say(dbg, ": %s", head.state);
        }
        dbg_say(dbg, "\n");
        return true;
    }
    return false;
}

/* The sets of the pair in the program: those that fit, and those with another id. */
static void explain_static_set(struct dbg *dbg, const struct pto_core_info *info,
                               const struct pto_wait *flag)
{
    unsigned fitting = 0, others = 0;

    for (uint32_t pc = 0; pc < info->code->code.insns; pc++) {
        const struct pto_insn *insn = &info->code->code.insn[pc];
        bool fits = may_set(insn, flag);

        if (!fits && (insn->op != PTO_OP_SET_FLAG || insn->operand[0].value != flag->src ||
                      insn->operand[1].value != flag->dst))
            continue;
        fitting += fits;
        others += !fits;
        dbg_say(dbg, fits ? "  could be released by " : "  not by ");
        say_insn_of(dbg, insn);
        dbg_say(dbg, fits ? "\n" : ", whose event is another\n");
    }
    if (fitting == 0)
        dbg_say(dbg, "  the program of %s has no set_flag %s, %s, %u%s: this wait cannot end\n",
                info->name, pto_queue_name(flag->src), pto_queue_name(flag->dst), flag->id,
                others > 0 ? "" : " at all");
    else if (info->pc + 1 >= info->code->code.insns)
        dbg_say(dbg, "  but the scalar unit has come to its end: none will be issued any more\n");
    else if (info->stall)
        dbg_say(dbg, "  which is not issued: the scalar unit is stalled itself (%s)\n",
                info->stall);
    else
        dbg_say(dbg, "  which the scalar unit has yet to issue\n");
}

static void explain_flag(struct dbg *dbg, const struct pto_core_info *info,
                         const struct pto_wait *flag)
{
    dbg_say(dbg, "  waits for the token %s->%s %u\n", pto_queue_name(flag->src),
            pto_queue_name(flag->dst), flag->id);
    if (flag->kind == PTO_WAIT_TRANSFER)
        dbg_say(dbg, "  it is one inside the transfer: the other phase has to complete\n");
    else if (!explain_queued_set(dbg, flag))
        explain_static_set(dbg, info, flag);
}

/* ---- the scalar unit ---- */

/* Those that could end a wait of the focused sub-core, and whether they still can. */
struct releasers {
    struct ahead ahead;
    unsigned any, coming;
};

static struct releasers releasers_of(struct dbg *dbg, const struct pto_kernel *kernel)
{
    struct releasers r = {0};

    ahead_look(dbg, kernel, &r.ahead);
    return r;
}

/* `of`: what stands behind the instruction. */
static void say_releaser(struct dbg *dbg, struct releasers *r, const struct pto_kernel *kernel,
                         unsigned kind, uint32_t pc, const char *of)
{
    bool comes = !r->ahead.known || r->ahead.comes[kind][pc];

    r->any++;
    r->coming += comes;
    dbg_say(dbg, comes ? "  could be released by " : "  not by ");
    say_insn_of(dbg, &kernel->core[kind].code.insn[pc]);
    dbg_say(dbg, comes ? "%s\n" : "%s: nobody comes to it any more\n", of);
}

static void say_object_users(struct dbg *dbg, const struct pto_kernel *kernel, uint32_t object,
                             const char *element)
{
    struct releasers r = releasers_of(dbg, kernel);

    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        for (uint32_t pc = 0; pc < kernel->core[kind].code.insns; pc++) {
            const struct pto_insn *insn = &kernel->core[kind].code.insn[pc];
            const struct pto_op_info *op = pto_op_info(insn->op);

            for (unsigned i = 0; i < insn->operands && i < op->operands; i++)
                if (insn->operand[i].kind == PTO_O_GM && insn->operand[i].gm.object == object &&
                    op->operand[i].access & PTO_WRITE)
                    say_releaser(dbg, &r, kernel, kind, pc, "");
        }
    if (r.any == 0)
        dbg_say(dbg, "  no instruction of this kernel writes it\n");
    else if (r.coming == 0)
        dbg_say(dbg, "  nothing changes it any more; 'last-writer %s' tells who wrote it last\n",
                element);
    ahead_free(&r.ahead);
}

/* "sync[4] is 0, to be ge 1": the first element that the condition looks at. */
static void say_signal(struct dbg *dbg, const struct pto_core_info *info,
                       const struct pto_wait_signal *signal, const struct pto_gm_ref *gm)
{
    int64_t index;

    dbg_say(dbg, "  %s[", info->kernel->object[gm->object].name);
    for (unsigned i = 0; i < gm->indices; i++) {
        if (!scalar_now(dbg, &gm->index[i], &index))
            index = 0;
        dbg_say(dbg, "%s%lld", i > 0 ? ", " : "", (long long)index);
    }
    dbg_say(dbg, "] is %d, to be %s %lld\n", signal->now,
            pto_enum_keyword(PTO_ENUM_CMP, signal->comparison), (long long)signal->value);
}

/* Any of the conditions of a TWAIT or TWAIT_ANY ends the wait: each with who could make it hold. */
static void explain_signals(struct dbg *dbg, const struct pto_core_info *info,
                            const struct pto_wait *wait, const struct pto_insn *insn)
{
    unsigned first = wait->signals > 1 ? 1 : 0; /* of several, a register comes first */

    for (unsigned i = 0; i < wait->signals; i++) {
        const struct pto_gm_ref *gm = &insn->operand[first + 3 * i].gm;

        say_signal(dbg, info, &wait->signal[i], gm);
        say_object_users(dbg, info->kernel, gm->object, wait->signal[i].element);
    }
}

/* Can an instruction of the other programs, or of its own, send the flag that is waited for?  A
 * register may hold any id. */
static bool may_send(struct dbg *dbg, const struct pto_insn *insn, enum pto_core_kind kind,
                     const struct pto_core_info *info, const struct pto_wait *wait)
{
    bool intra = wait->id >= PTO_CROSS_FLAG_LIMIT;
    unsigned wanted = intra ? wait->id - PTO_CROSS_FLAG_LIMIT : wait->id;
    const struct pto_scalar *id = &insn->operand[intra ? 1 : 2].scalar;
    int64_t set;

    if (insn->op != (intra ? PTO_OP_SET_INTRA_BLOCK : PTO_OP_SET_FLAG_DEV) ||
        (intra && kind == info->kind))
        return false;
    if (intra && kind == PTO_AIV) /* both vector sub-cores call theirs so */
        wanted %= PTO_INTRA_BLOCK_FLAGS;
    return id->kind != PTO_S_INT || !scalar_now(dbg, id, &set) || set == wanted;
}

static void explain_cross(struct dbg *dbg, const struct pto_core_info *info,
                          const struct pto_wait *wait)
{
    struct releasers r = releasers_of(dbg, info->kernel);
    struct pto_buf of = {0};

    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        of.size = 0;
        pto_buf_printf(&of, " of %s", pto_core_names[kind]);
        for (uint32_t pc = 0; pc < info->kernel->core[kind].code.insns; pc++) {
            const struct pto_insn *insn = &info->kernel->core[kind].code.insn[pc];

            if (may_send(dbg, insn, kind, info, wait))
                say_releaser(dbg, &r, info->kernel, kind, pc, pto_buf_text(&of));
        }
    }
    if (r.any == 0)
        dbg_say(dbg, "  the kernel has no %s of this flag: this wait cannot end\n",
                wait->id < PTO_CROSS_FLAG_LIMIT ? "set_flag_dev" : "set_intra_block");
    else if (r.coming == 0)
        dbg_say(dbg, "  this wait cannot end\n");
    pto_buf_free(&of);
    ahead_free(&r.ahead);
}

/* Why the sub-core has not come to this sync_all, if it has not. */
static void say_missing(struct dbg *dbg, unsigned core, int scope,
                        const struct pto_core_info *info)
{
    const struct pto_insn *insn =
        info->pc < info->code->code.insns ? &info->code->code.insn[info->pc] : NULL;
    const struct pto_wait wait = pto_vm_wait(dbg->launch.vm, dbg->rank, core, PTO_PIPE_S);

    if (!insn || (wait.kind == PTO_WAIT_SYNC_ALL && wait.scope == scope))
        return;
    dbg_say(dbg, "  %s has not come: ", info->name);
    if (insn->op == PTO_OP_SYNC_ALL && wait.kind == PTO_WAIT_EMPTY) {
        dbg_say(dbg, "it waits until its pipes are empty");
    } else {
        dbg_say(dbg, "it is at ");
        say_insn_of(dbg, insn);
    }
    dbg_say(dbg, "\n");
}

static void explain_sync_all(struct dbg *dbg, int scope)
{
    for (unsigned i = 0; i < pto_vm_cores(dbg->launch.vm); i++) {
        struct pto_core_info info;

        pto_vm_core(dbg->launch.vm, dbg->rank, i, &info);
        if (info.module && (scope == PTO_SYNC_ALL ||
                            (scope == PTO_SYNC_AIC) == (info.kind == PTO_AIC)))
            say_missing(dbg, i, scope, &info);
    }
}

static void explain_scalar(struct dbg *dbg, const struct pto_core_info *info)
{
    const struct pto_insn *insn = &info->code->code.insn[info->pc];
    const struct pto_wait wait = pto_vm_wait(dbg->launch.vm, dbg->rank, dbg->core, PTO_PIPE_S);

    dbg_say(dbg, "scalar unit: ");
    say_insn_of(dbg, insn);
    dbg_say(dbg, " is stalled (%s)\n", info->stall);
    switch (wait.kind) {
    case PTO_WAIT_FLAG:
        explain_flag(dbg, info, &wait);
        break;
    case PTO_WAIT_SIGNAL:
        explain_signals(dbg, info, &wait, insn);
        break;
    case PTO_WAIT_CROSS:
        explain_cross(dbg, info, &wait);
        break;
    case PTO_WAIT_SYNC_ALL:
        explain_sync_all(dbg, wait.scope);
        break;
    case PTO_WAIT_ROOM:
        if (wait.queue != PTO_DMA) /* the engine's own line tells the rest */
            dbg_say(dbg, "  the queue of %s is full (%u entries)\n", pto_queue_name(wait.queue),
                    dbg->launch.profile.queue_depth);
        break;
    case PTO_WAIT_EMPTY:
        if (insn->op == PTO_OP_SYNC_ALL)
            explain_sync_all(dbg, (int)insn->operand[0].value);
        else
            dbg_say(dbg, "  its pipes have to become empty first\n");
        break;
    default: /* the DMA engine's own line tells the rest */
        break;
    }
}

/* ---- pipes ---- */

/* The head of the pipe and what holds it; false if the queue is empty. */
static bool explain_pipe(struct dbg *dbg, const struct pto_core_info *info, unsigned pipe)
{
    const struct pto_wait wait = pto_vm_wait(dbg->launch.vm, dbg->rank, dbg->core, pipe);
    struct pto_queue_entry entry;
    bool waiting = false;
    unsigned i;

    for (i = 0; pto_vm_queue(dbg->launch.vm, dbg->rank, dbg->core, pipe, i, &entry); i++) {
        waiting = !strncmp(entry.state, "waiting", strlen("waiting"));
        if (waiting || i == 0) {
            dbg_say(dbg, pipe == PTO_DMA ? "engine %s: " : "pipe %s: ", pto_queue_name(pipe));
            say_entry(dbg, pipe, &entry);
            dbg_say(dbg, " is %s", entry.state);
            if (entry.complete_ps > 0)
                dbg_say(dbg, " until %s", dbg_time(entry.complete_ps).text);
            dbg_say(dbg, "\n");
        }
        if (waiting)
            break;
    }
    if (wait.kind == PTO_WAIT_FLAG || wait.kind == PTO_WAIT_TRANSFER)
        explain_flag(dbg, info, &wait);
    else if (wait.kind == PTO_WAIT_CROSS)
        explain_cross(dbg, info, &wait);
    return i > 0 || waiting;
}

/* ---- the command ---- */

static bool why_all(struct dbg *dbg)
{
    struct pto_buf text = {0};

    pto_vm_describe_waits(dbg->launch.vm, false, &text);
    if (text.size == 0)
        dbg_say(dbg, "Nothing is waiting.\n");
    pto_buf_append(&dbg->out, text.data, text.size);
    pto_buf_free(&text);
    return true;
}

/* What stopped the machine, if it was no wait. */
static bool say_stopped(struct dbg *dbg)
{
    const struct pto_fault *fault = pto_vm_fault(dbg->launch.vm);
    struct pto_buf text = {0};
    bool wait = !fault || fault->status == PTO_EDEADLOCK;

    if (dbg->stop.kind == DBG_STOP_BREAK && dbg->stop.event.kind == DBG_EV_FINDING && !fault)
        findings_say(dbg, (unsigned)dbg->stop.event.value);
    if (wait)
        return false;
    cli_fault_text(fault, NULL, false, &text);
    pto_buf_append(&dbg->out, text.data, text.size);
    pto_buf_free(&text);
    run_say_fault(dbg);
    return true;
}

bool cmd_why(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;
    bool all = dbg_take(&args, "all"), any = false;

    if (!dbg_at_end(dbg, args))
        return false;
    if (all)
        return why_all(dbg);
    if (!dbg_need_program(dbg, &info))
        return false;
    if (say_stopped(dbg))
        return true;
    dbg_say(dbg, "rank %d, %s at %s:\n", dbg->rank, info.name,
            dbg_time(pto_vm_time(dbg->launch.vm)).text);
    if (info.stall && !info.ended && info.pc + 1 < info.code->code.insns) {
        explain_scalar(dbg, &info);
        any = true;
    }
    for (unsigned pipe = PTO_PIPE_S + 1; pipe < PTO_QUEUE_COUNT; pipe++)
        if (dbg->pipe == DBG_ANY_PIPE || dbg->pipe == (int)pipe)
            any = explain_pipe(dbg, &info, pipe) || any;
    if (!any)
        dbg_say(dbg, info.ended ? "it has ended\n" : "nothing of it is waiting\n");
    return true;
}
