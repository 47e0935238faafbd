/* Signals: what TNOTIFY tells and what TWAIT and TTEST learn of it.
 *
 * A wait learns what every order guarantees: the notifies that its condition needs.  Those that may
 * land later and could have come first are looked at when they are known (signal_wait.c).
 * docs/decisions/0009-signals-have-values.md has the model. */
#include <stdlib.h>
#include <string.h>

#include "check/fetches.h"
#include "check/handover.h"
#include "check/signal.h"
#include "check/travel.h"
#include "check/verdict.h"

void check_release_drop(struct release *release)
{
    const struct clock_shape *shape;

    if (!release || --release->refs)
        return;
    frame_drop(&release->frame);
    shape = release->told->shape;
    chunk_drop(release->told);
    clock_give_release(shape, release);
}

/* ---- TNOTIFY ---- */

struct release *check_release(struct pto_check *check, const struct check_core *core)
{
    const struct core *source = core->core;
    struct release *release = clock_take_release(&check->shape, sizeof *release);

    *release = (struct release){
        .refs = 1,
        .core = core->id,
        .epoch = core->count[PTO_PIPE_S],
        .pc = source->pc,
        .act = source->acts - 1,
        .code = source->ready,
        .time = source->time,
        .frame = {.row = row_told(&core->s.row), .far = far_told(core->s.far)},
    };
    release->told = far_tell(release->frame.far, core->id, &release->frame.row, &check->shape,
                             release->epoch);
    return release;
}

uint32_t check_notify(void *context, struct core *source)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    struct release *release;

    check_change(core)->row.lane[PTO_PIPE_S] = check_next_epoch(core, PTO_PIPE_S, source->pc);
    release = check_release(check, core);
    chunk_drop(core->told);
    core->told = release->told;
    core->told->refs++;
    cover_note(check, source->ready, source->pc, false);
    return travel_notify(check, core, release, check_serial(core));
}

uint32_t signal_number_of(const struct signal *signal, uint32_t core)
{
    for (uint32_t i = 0, s = signal->latest; i < signal->senders; i++) {
        if (signal->sender[s].core == core)
            return s;
        s = s + 1 < signal->senders ? s + 1 : 0; /* senders mostly come in turn */
    }
    return UINT32_MAX;
}

static struct sender *get_sender(struct signal *signal, uint32_t core)
{
    uint32_t number = signal_number_of(signal, core);

    if (number < UINT32_MAX)
        return &signal->sender[number];
    PTO_GROW(signal->sender, signal->senders, signal->sender_capacity);
    signal->sender[signal->senders] = (struct sender){.core = core};
    for (uint32_t w = 0; w < signal->waiters; w++)
        if (signal->waiter[w].core == core)
            signal->waiter[w].own = signal->senders;
    return &signal->sender[signal->senders++];
}

/* Does the notify that lands now know of the one before it, and so of all before that one? */
static void note_order(struct signal *signal, const struct release *release)
{
    const struct release *last =
        signal->landed ? signal_last_of(&signal->sender[signal->latest]) : NULL;
    bool knows = last && signal_is_behind(release, (struct point){last->core, last->epoch});

    if (!knows)
        signal->chain = signal->landed + 1;
    signal->crowned = !last || (signal->crowned && knows);
}

static void add_told(struct signal *signal, struct release *release, int64_t value, bool set)
{
    struct sender *sender = get_sender(signal, release->core);
    int64_t sum = signal_sum_up_to(sender, sender->count);
    bool falls = !set && value < 0;

    note_order(signal, release);
    if (set || falls)
        reuse_spell_out_all(signal);
    PTO_GROW(sender->told, sender->count, sender->capacity);
    sender->told[sender->count++] =
        (struct told){release, value, set ? sum : sum + value, ++signal->landed, set};
    sender->sets += set;
    sender->falls += falls;
    signal->unsteady += set || falls;
    signal->total += value;
    signal->least = value < signal->least ? value : signal->least;
    signal->latest = (uint32_t)(sender - signal->sender);
    release->refs++;
}

/* Those who have passed since the last notify: is this one behind them? */
static void follow(struct signal *signal, const struct release *release)
{
    for (uint32_t i = 0; i < signal->passings; i++) {
        const struct waiter *waiter = &signal->waiter[signal->passing[i]];

        for (uint32_t w = waiter->count; w-- > 0 && waiter->passed[w].landed + 1 == signal->landed;)
            waiter->passed[w].followed = signal_is_behind(
                release, (struct point){waiter->core, waiter->passed[w].epoch});
    }
    signal->passings = 0;
}

static void land(struct pto_check *check, struct signal *signal, struct release *release,
                 int32_t now, int64_t value, bool set)
{
    if (now != signal->now)
        signal_begin_afresh(check, signal, now); /* something else has written the word */
    add_told(signal, release, value, set);
    follow(signal, release);
    signal->now = signal_wrapped(set ? value : now + value);
    signal_tidy(check, signal);
}

void check_notify_land(void *context, struct rank *rank, uint32_t object,
                       const struct op_view *view, int64_t value, int operation, uint32_t tag)
{
    struct pto_check *check = context;
    const struct flight *flight = travel_flight(check, tag);
    struct release *release = flight->release;

    for (uint32_t r = 0; r < view->rows; r++)
        for (uint32_t c = 0; c < view->cols; c++) {
            const uint8_t *at = view->data + r * view->row_stride + c * view->col_stride;
            int32_t now;

            memcpy(&now, at, sizeof now);
            contest_note(check, rank->number, object,
                         (uint64_t)(at - rank->object[object].data),
                         &(struct contest_act){
                             operation == PTO_NOTIFY_SET ? CONTEST_SET : CONTEST_ADD,
                             release->core, release->act, release->epoch, rank->now,
                             release->code, release->pc},
                         &release->frame);
            fetch_meet_notify(check, rank->number, object,
                              (uint64_t)(at - rank->object[object].data), release, now, value,
                              operation == PTO_NOTIFY_SET);
            land(check, signal_get(check, rank->number, object,
                                   (uint64_t)(at - rank->object[object].data), now),
                 release, now, value, operation == PTO_NOTIFY_SET);
        }
    touch_notify(check, rank, object, view, travel_arrive(check, rank, flight), &release->frame);
    travel_end(check, tag);
}

/* ---- TWAIT, TWAIT_ANY, TTEST that came out true ---- */

static enum pto_op op_of(const struct core *core)
{
    return core->ready->code->insn[core->pc].op;
}

/* Would S have stood here otherwise, or gone another way? */
static bool is_of_use(struct pto_check *check, const struct core *core)
{
    switch (op_of(core)) {
    case PTO_OP_TTEST:
        return way_is_of_answer(check, core, 1, 2);
    case PTO_OP_TWAIT_ANY2:
    case PTO_OP_TWAIT_ANY3:
        return way_is_of_answer(check, core, (int64_t)core->reg[core->waits->which],
                                core->waits->conditions);
    default:
        return true;
    }
}

/* The words that a sub-core waits for. */
static void for_each_word(struct pto_check *check, struct check_core *core,
                          const struct frame *before,
                          void (*act)(struct pto_check *check, struct check_core *core,
                                      uint32_t object, uint64_t offset,
                                      const struct frame *before))
{
    const struct core *source = core->core;
    const struct rank *rank = source->rank;
    const uint64_t *word = core_wait_held(source)->gm;
    const struct bound_object *bound =
        &check->vm->launch[rank->launch].bound[rank->number][gm_object(word)];
    int64_t row_stride = object_row_stride(bound), col_stride = object_col_stride(bound);

    for (uint32_t r = 0; r < gm_rows(word); r++)
        for (uint32_t c = 0; c < gm_cols(word); c++)
            act(check, core, bound->object,
                word[GM_OFFSET] + (uint64_t)(r * row_stride + c * col_stride),
                before);
}

static void note_look(struct pto_check *check, struct check_core *core, uint32_t object,
                      uint64_t offset, const struct frame *before, enum contest_kind kind)
{
    const struct core *source = core->core;

    contest_note(check, source->rank->number, object, offset,
                 &(struct contest_act){kind, core->id, source->acts - 1,
                                       core->count[PTO_PIPE_S] + (kind == CONTEST_TEST),
                                       source->rank->now, source->ready, source->pc},
                 before);
}

static void pass_word(struct pto_check *check, struct check_core *core, uint32_t object,
                      uint64_t offset, const struct frame *before)
{
    const struct rank *rank = core->core->rank;
    const uint8_t *at = rank->object[object].data + offset;
    struct signal *signal = signal_find(check, rank->number, object, offset);
    int32_t now;

    if (fetch_has_part(check, rank->number, object, offset)) {
        fetch_meet_wait(check, core, object, offset, at);
        return;
    }
    if (!signal && op_of(core->core) == PTO_OP_TWAIT) { /* the first notify may take it away */
        memcpy(&now, at, sizeof now);
        signal = signal_get(check, rank->number, object, offset, now);
    }
    if (signal)
        signal_wait_passes(check, core, signal, before);
}

static void look_at_word(struct pto_check *check, struct check_core *core, uint32_t object,
                         uint64_t offset, const struct frame *before)
{
    note_look(check, core, object, offset, before,
              op_of(core->core) == PTO_OP_TWAIT ? CONTEST_WAIT : CONTEST_TEST);
}

static void test_word(struct pto_check *check, struct check_core *core, uint32_t object,
                      uint64_t offset, const struct frame *before)
{
    note_look(check, core, object, offset, before, CONTEST_TEST);
}

static void sleep_on_word(struct pto_check *check, struct check_core *core, uint32_t object,
                          uint64_t offset, const struct frame *before)
{
    const int rank = core->core->rank->number;
    struct signal *signal = signal_find(check, rank, object, offset);

    if (signal && !fetch_has_part(check, rank, object, offset))
        signal_wait_sleeps(check, core, signal, before);
}

void check_signal_seen(void *context, struct core *source)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    struct frame before;

    check_change(core)->row.lane[PTO_PIPE_S] = check_next_epoch(core, PTO_PIPE_S, source->pc);
    before = frame_copy(&core->s);
    if (check->contests)
        for_each_word(check, core, &before, look_at_word);
    if (is_of_use(check, source))
        for_each_word(check, core, &before, pass_word);
    cover_note(check, source->ready, source->pc, core->s.version > before.version);
    frame_drop(&before);
}

void check_signal_unseen(void *context, struct core *source)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);

    cover_note(check, source->ready, source->pc, false);
    if (check->contests)
        for_each_word(check, core, &core->s, test_word);
}

/* ---- the end ---- */

void check_signals_finish(struct pto_check *check)
{
    const bool complete = check->end.complete;
    struct signal **list = signal_list(check);

    for (uint32_t c = 0; complete && c < check->cores; c++) {
        struct check_core *core = &check->core[c];

        check->stamp = (struct stamp){PHASE_SLEEPERS, 0, core->core->rank->number};
        if (is_own(check->vm, core->core->rank->number) && core->core->stall == STALL_SIGNAL &&
            core->core->waits->conditions == 1)
            for_each_word(check, core, &core->s, sleep_on_word);
    }
    for (uint32_t i = 0; i < check->signals; i++) {
        check->stamp = (struct stamp){PHASE_SIGNALS, 0, list[i]->place.rank};
        signal_close(check, list[i], complete);
        reuse_finish(check, list[i]);
    }
    free(list);
}
