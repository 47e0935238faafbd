/* Cross-core flags: sets carry what their sub-cores know to the counts that they make up. */
#include "check/handover.h"
#include "check/internal.h"

/* Which group a sub-core's set completes: the last one's mode decides, if members set by different
 * modes.  A set of a cube sub-core by mode 2 waits for nobody. */
static void note_join(struct pto_check *check, const struct core *source, unsigned mode,
                      unsigned id, const struct frame *told)
{
    const struct check_core *core = check_core_of(check, source);
    const struct rank *rank = source->rank;
    const struct contest_act act = {
        CONTEST_JOIN + mode, core->id, core->cross_act[id].act, core->cross_act[id].told + 1,
        rank->now, source->ready, source->cross->sent_pc[id]};

    for (unsigned i = 0; i < rank->cores && source->kind == PTO_AIV; i++) {
        const struct core *other = &rank->core[i];

        if (other->ready && other->kind == PTO_AIV && other->sub == 0 &&
            (mode == 0 || other->block == source->block))
            contest_note(check, rank->number, CONTEST_NO_OBJECT,
                         (uint64_t)(rank->cores + other->block) * CROSS_PLACES + id, &act, told);
    }
}

void cross_set(void *context, struct core *source, unsigned pipe, unsigned mode, unsigned id)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    const struct record *record = pipe == PTO_PIPE_S ? NULL : check_head_record(core, pipe);
    struct frame told = frame_told(record ? &record->frame : &core->s);

    core->cross_act[id] = record ? (struct cross_act){record->act, record->told}
                                 : (struct cross_act){source->acts - 1, core->count[PTO_PIPE_S]};
    cover_cross_set(check, source, source->cross->sent_pc[id], id);
    if (check->contests && mode != CROSS_TO_ONE)
        note_join(check, source, mode, id, &told);
    token_push(&core->cross_out[id], token_new(check, &told), 0);
    frame_drop(&told);
}

void cross_match(void *context, struct core *const *members, unsigned count, unsigned id)
{
    struct pto_check *check = context;

    frame_drop(&check->match);
    check->match = (struct frame){0};
    for (unsigned i = 0; i < count; i++) {
        struct check_core *core = check_core_of(check, members[i]);
        struct token *told = token_take(&core->cross_out[id]);

        if (!told)
            continue;
        far_join(&check->match.far, told->frame.far);
        far_raise(&check->match.far, core->id, &told->frame.row, &check->shape);
        token_give(check, told);
    }
}

/* Who serves a wait first, where several send it counts of one flag: by different modes. */
static void note_contest(struct pto_check *check, const struct core *to, unsigned id)
{
    const struct core *from = to->cross->setter[id].core;
    const struct check_core *setter = check_core_of(check, from);

    contest_note(check, to->rank->number, CONTEST_NO_OBJECT,
                 (uint64_t)to->number * CROSS_PLACES + id,
                 &(struct contest_act){CONTEST_CROSS, setter->id, setter->cross_act[id].act,
                                       setter->cross_act[id].told + 1, to->rank->now, from->ready,
                                       to->cross->setter[id].pc},
                 &check->match);
}

void cross_send(void *context, struct core *to, unsigned id)
{
    struct pto_check *check = context;

    if (check->contests)
        note_contest(check, to, id);
    token_push(&check_core_of(check, to)->cross_in[id], token_new(check, &check->match), 0);
}

/* Of a count that holds back a pipe alone, S and the other pipes learn nothing. */
static void pipe_learns(struct check_core *core, unsigned pipe, struct far *far)
{
    struct frame *at = &core->pipe[pipe].at;
    const struct row *self = far_row(far, core->id);

    if (self)
        row_join(&at->row, self);
    frame_learn_apart(at, far);
}

void cross_take(void *context, struct core *source, unsigned pipe, uint32_t pc, unsigned id)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    struct token *token = token_take(&core->cross_in[id]);

    if (!token)
        return;
    if (pipe == PTO_PIPE_S) {
        cover_cross_take(check, core, &core->s, pc, token->frame.far, id);
        check_learn(core, token->frame.far);
    } else {
        cover_cross_take(check, core, &core->pipe[pipe].at, pc, token->frame.far, id);
        pipe_learns(core, pipe, token->frame.far);
    }
    token_give(check, token);
}

