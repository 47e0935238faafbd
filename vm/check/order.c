/* Follows the machine and keeps what everybody knows: how issue, flags, barriers, fences and
 * launches order the work of pipes and sub-cores.
 *
 * A pipe's entries get their clock when they start, in the order of the queue.  Where the profile
 * demands barriers inside a pipe, its own lane rises only by what comes back to it through a
 * barrier or a chain of flags; else by every entry. */
#include <stdlib.h>
#include <string.h>

#include "check/cache.h"
#include "check/handover.h"
#include "check/held.h"
#include "check/together.h"
#include "check/travel_parcel.h"
#include "check/verdict.h"

/* A rank begins its part of a window. */
static void on_turn(void *context, struct rank *rank)
{
    struct pto_check *check = context;

    check->stamp = (struct stamp){PHASE_RUN, rank->vm->window_end, rank->number};
}

/* ---- issue and start ---- */

enum { FIRST_RECORDS = 4 }; /* of a pipe: all that most pipes ever have at a time */

/* A ring of twice the size, with the records that the old one has. */
static void grow(struct check_pipe *p, const struct pipe *queue)
{
    uint32_t records = p->records ? 2 * p->records : FIRST_RECORDS;
    struct record *ring = pto_xcalloc(records, sizeof *ring);

    for (uint32_t i = queue->tail - p->records; i != queue->tail; i++)
        ring[i & (records - 1)] = p->ring[i & (p->records - 1)];
    free(p->ring);
    p->ring = ring;
    p->records = records;
}

static inline bool is_full(const struct check_pipe *p, const struct pipe *queue)
{
    return queue->tail - queue->head >= p->records;
}

/* An issue to a pipe without a place for it, or the first since S has come to know more. */
static __attribute__((noinline)) void issue_slowly(struct pto_check *check,
                                                   struct check_core *core, unsigned pipe)
{
    const struct pipe *queue = core->core->pipe[pipe];
    struct check_pipe *p = &core->pipe[pipe];

    if (is_full(p, queue))
        grow(p, queue);
    check_issued(check, core, check_record(core, pipe, queue->tail));
}

static void on_issue(void *context, struct core *source, unsigned pipe)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    struct issued *issued = core->issued;
    struct record *record;

    if (is_full(&core->pipe[pipe], source->pipe[pipe]) || !issued ||
        issued->change != core->changes || core->learned) {
        issue_slowly(check, core, pipe);
        return;
    }
    record = check_record(core, pipe, source->pipe[pipe]->tail);
    record->issued = issued;
    issued->refs++;
    core->serial++;
    record_fill(core, record);
}

uint32_t check_new_access(struct pto_check *check, struct check_core *core, unsigned lane,
                          uint32_t pc, const struct record *record)
{
    uint32_t id = race_access(check);

    check->access[id] = (struct access){
        .core = core->id,
        .epoch = check_next_epoch(core, lane, pc),
        .pc = pc,
        .serial = record->serial,
        .told = record->told,
        .act = record->act,
        .lane = (uint8_t)lane,
        .code = core->core->ready,
    };
    return id;
}

static __attribute__((noinline)) void start_tile(struct pto_check *check, struct check_core *core,
                                                 unsigned pipe, uint32_t pc,
                                                 struct record *record)
{
    struct check_pipe *p = &core->pipe[pipe];

    frame_set(&record->frame, &p->at);
    record->access = check_new_access(check, core, pipe, pc, record);
    if (check->in_order[pipe])
        p->at.row.lane[pipe] = core->count[pipe];
}

static __attribute__((noinline)) void start_barrier(struct pto_check *check,
                                                    struct check_core *core, unsigned pipe,
                                                    uint32_t pc)
{
    struct check_pipe *p = &core->pipe[pipe];
    bool useful = p->at.row.lane[pipe] < core->count[pipe];

    redundant_note(check, core->core, pc, useful);
    cover_note(check, core->core->ready, pc, useful);
    p->at.row.lane[pipe] = core->count[pipe];
}

/* It tells of everything before it. */
static __attribute__((noinline)) void start_set(struct pto_check *check, struct check_core *core,
                                                unsigned pipe, struct record *record)
{
    record->token = token_new(check, &core->pipe[pipe].at);
    record->token->frame.row.lane[pipe] = core->count[pipe];
}

static __attribute__((noinline)) void start_cross(struct check_core *core, unsigned pipe,
                                                  struct record *record)
{
    frame_set(&record->frame, &core->pipe[pipe].at);
    record->frame.row.lane[pipe] = core->count[pipe];
}

static inline void start_entry(struct pto_check *check, struct check_core *core, unsigned pipe,
                               const struct entry *entry, struct record *record)
{
    switch (entry->kind) {
    case ENTRY_TILE:
        start_tile(check, core, pipe, entry->pc, record);
        return;
    case ENTRY_BARRIER:
        start_barrier(check, core, pipe, entry->pc);
        return;
    case ENTRY_WAIT:
    case ENTRY_CROSS_WAIT:
        if (check->in_order[pipe])
            core->pipe[pipe].at.row.lane[pipe] = core->count[pipe];
        return;
    case ENTRY_SET:
        start_set(check, core, pipe, record);
        return;
    default:
        start_cross(core, pipe, record);
    }
}

/* The first entry since S has come to know more, or the last one before. */
static __attribute__((noinline)) void start_slowly(struct pto_check *check,
                                                   struct check_core *core, unsigned pipe,
                                                   const struct entry *entry,
                                                   struct record *record)
{
    struct check_pipe *p = &core->pipe[pipe];

    if (p->joined != record->issued->change) {
        frame_join(&p->at, &record->issued->frame);
        p->joined = record->issued->change;
    }
    issued_drop(check, record->issued);
    record->issued = NULL;
    start_entry(check, core, pipe, entry, record);
}

/* An entry starts behind what S knew at its issue. */
static void on_start(void *context, struct core *source, unsigned pipe, uint32_t counter)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    struct record *record = check_record(core, pipe, counter);
    const struct entry *entry = pipe_entry(source->pipe[pipe], counter);
    struct issued *issued = record->issued;

    if (core->pipe[pipe].joined != issued->change || issued->refs == 1) {
        start_slowly(check, core, pipe, entry, record);
        return;
    }
    issued->refs--;
    record->issued = NULL;
    start_entry(check, core, pipe, entry, record);
}

/* ---- barriers ---- */

/* Is anything under way in the pipes that S does not know of? */
static bool is_behind(const struct check_core *core)
{
    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++)
        if (core->s.row.lane[p] < core->count[p])
            return true;
    return false;
}

static void learn_pipes(struct check_core *core)
{
    struct frame *s = check_change(core);

    for (unsigned p = PTO_PIPE_S + 1; p < PTO_PIPE_COUNT; p++) {
        check_gather(core, &core->pipe[p].at);
        s->row.lane[p] = core->count[p];
    }
}

static void on_drained(void *context, struct core *source)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);

    if (source->ready->code->insn[source->pc].op == PTO_OP_PIPE_BARRIER ||
        source->ready->code->insn[source->pc].op == PTO_OP_TSYNC) {
        redundant_note(check, source, source->pc, is_behind(core));
        cover_note(check, source->ready, source->pc, is_behind(core));
    }
    learn_pipes(core);
}

static void on_fence(void *context, struct core *source)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    bool more = core->s.far && !core->s.far->published, useful;
    struct row before = core->s.row;
    struct frame *s = check_change(core);

    row_publish(&s->row, true);
    useful = more || memcmp(&before, &core->s.row, sizeof before) != 0;
    redundant_note(check, source, source->pc, useful);
    cover_note(check, source->ready, source->pc, useful);
    if (!more)
        return;
    far_publish(&s->far);
    s->version = ++core->version;
}

/* ---- between sub-cores ---- */

/* Everything that the sub-cores of `all` know; `ended`: kernels ended, which publishes.  First what
 * they know of others, while most of it is shared, and then what each tells of itself. */
static void join_cores(struct pto_check *check, struct check_core *const *all, uint32_t count,
                       bool ended, struct far **sum)
{
    struct far **others = pto_xcalloc(count + 1u, sizeof *others);

    for (uint32_t i = 0; i < count; i++)
        others[i] = all[i]->s.far;
    far_gather(sum, others, count);
    free(others);
    for (uint32_t i = 0; i < count; i++) {
        struct row told = ended ? all[i]->s.row : frame_row_told(&all[i]->s);

        if (ended)
            row_publish(&told, false);
        far_raise(sum, all[i]->id, &told, &check->shape);
    }
    if (ended)
        far_publish(sum);
}

static void on_sync_all(void *context, struct rank *rank)
{
    struct pto_check *check = context;
    struct check_core **all = pto_xcalloc(rank->cores, sizeof(struct check_core *));
    struct far *sum = far_share(check->base[rank->number]); /* all know that */
    uint32_t count = 0;

    for (unsigned i = 0; i < rank->cores; i++)
        if (rank->core[i].arrived)
            all[count++] = check_core_of(check, &rank->core[i]);
    join_cores(check, all, count, false, &sum);
    for (uint32_t i = 0; i < count; i++) {
        cover_meeting(check, all[i], sum);
        check_learn_sum(all[i], sum);
    }
    far_drop(sum);
    free(all);
}

/* ---- launches ---- */

void check_forget_tokens(struct pto_check *check, struct check_core *core)
{
    for (unsigned i = 0; i < sizeof core->flagged / sizeof *core->flagged; i++) {
        for (uint64_t left = core->flagged[i]; left; left &= left - 1) {
            struct check_flag *flag = &core->flag[i * 64 + (unsigned)__builtin_ctzll(left)];

            token_drop_all(check, &flag->token);
            flag->taken = 0;
        }
        core->flagged[i] = 0;
    }
    for (unsigned id = 0; id < CROSS_PLACES; id++) {
        token_drop_all(check, &core->cross_out[id]);
        token_drop_all(check, &core->cross_in[id]);
    }
}

static void on_launch_begin(void *context, struct rank *rank)
{
    struct pto_check *check = context;
    struct far *base = check->base[rank->number];

    line_begin(check, rank);
    for (unsigned i = 0; i < rank->cores; i++) {
        struct check_core *core = check_core_of(check, &rank->core[i]);

        if (!core->core->ready)
            continue;
        check_forget_tokens(check, core);
        held_forget(core);
        for (int space = 0; space < PTO_SPACE_COUNT; space++)
            shadow_reset(&core->space[space], &check->pools);
        if (base)
            check_learn_sum(core, base);
        cache_drop(core);
        for (unsigned p = 0; p < PTO_PIPE_COUNT; p++)
            frame_set(&core->pipe[p].at, &core->s);
    }
}

static void on_launch_end(void *context, struct rank *rank)
{
    struct pto_check *check = context;
    struct check_core **all = pto_xcalloc(rank->cores, sizeof(struct check_core *));
    uint32_t count = 0;

    for (unsigned i = 0; i < rank->cores; i++)
        if (rank->core[i].ready) {
            all[count++] = check_core_of(check, &rank->core[i]);
            learn_pipes(all[count - 1]);
            cache_write_back(check, all[count - 1]);
            check_change(all[count - 1])->row.lane[PTO_DMA] = all[count - 1]->count[PTO_DMA];
        }
    join_cores(check, all, count, true, &check->base[rank->number]);
    free(all);
}

/* All ranks have ended and everything has landed: all know all. */
static void on_join(void *context)
{
    struct pto_check *check = context;
    struct far *sum = NULL;

    together_join(check);
    for (int r = 0; r < check->vm->ranks; r++)
        far_join(&sum, check->base[r]);
    for (uint32_t i = 0; i < check->cores; i++) {
        const struct row *row = far_row(sum, i);
        struct row landed;

        if (!row)
            continue;
        landed = *row;
        row_publish(&landed, true);
        far_raise(&sum, i, &landed, &check->shape);
    }
    for (int r = 0; r < check->vm->ranks; r++) {
        far_drop(check->base[r]);
        check->base[r] = far_share(sum);
    }
    far_drop(sum);
}

const struct engine_probe check_probe = {
    .turn = on_turn,
    .launch_begin = on_launch_begin,
    .launch_end = on_launch_end,
    .join = on_join,
    .issue = on_issue,
    .start = on_start,
    .complete = touch_complete,
    .scalar = touch_scalar,
    .flag_set = token_set,
    .flag_take = token_taken,
    .drained = on_drained,
    .fence = on_fence,
    .cache = cache_maintain,
    .cross_set = cross_set,
    .cross_match = cross_match,
    .cross_send = cross_send,
    .cross_take = cross_take,
    .sync_all = on_sync_all,
    .notify = check_notify,
    .notify_land = check_notify_land,
    .signal_seen = check_signal_seen,
    .signal_unseen = check_signal_unseen,
    .put = touch_put,
    .request = touch_request,
    .leave = parcel_leave,
    .come = parcel_come,
    .land = touch_land,
    .sample = touch_sample,
    .async_submit = async_submitted,
    .async_move = async_moves,
    .async_put = async_leaves,
    .async_seen = async_seen,
};
