/* Signals: what a TWAIT learns from the TNOTIFYs that it waits for.
 *
 * A wait learns only what every order guarantees: a notify was needed if the condition could not
 * have become true without it and what follows it.  So with one sender a wait learns of the
 * shortest prefix that satisfies it, with several of none that another one could have replaced. */
#include <stdlib.h>
#include <string.h>

#include "check/internal.h"

void check_release_drop(struct release *release)
{
    if (!release || --release->refs)
        return;
    frame_drop(&release->frame);
    free(release);
}

/* ---- TNOTIFY ---- */

uint32_t check_notify(void *context, struct core *source)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);
    struct release *release = pto_xcalloc(1, sizeof *release);
    uint32_t tag = check_flight(check);

    core->s.row.lane[PTO_PIPE_S] = ++core->count[PTO_PIPE_S];
    *release = (struct release){
        .refs = 1,
        .core = core->id,
        .epoch = core->count[PTO_PIPE_S],
        .pc = source->pc,
        .code = source->ready,
        .time = source->time,
        .frame = {.row = row_told(&core->s.row), .far = far_told(core->s.far, check->cores)},
    };
    check->flight[tag].release = release;
    check->flight[tag].access = race_access(check, &(struct access){
        .core = core->id,
        .epoch = release->epoch,
        .pc = source->pc,
        .serial = ++core->serial,
        .told = release->epoch,
        .lane = PTO_PIPE_S,
        .code = source->ready,
        .time = source->time,
    });
    return tag;
}

static struct sender *get_sender(struct signal *signal, uint32_t core)
{
    for (uint32_t i = 0; i < signal->senders; i++)
        if (signal->sender[i].core == core)
            return &signal->sender[i];
    PTO_GROW(signal->sender, signal->senders, signal->sender_capacity);
    signal->sender[signal->senders] = (struct sender){.core = core};
    return &signal->sender[signal->senders++];
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_told(struct signal *signal, struct release *release, int64_t value, bool set)
{
    struct sender *sender = get_sender(signal, release->core);
    struct told_one one = {.set = INT64_MIN, .set_down = INT64_MIN, .release = release};

    if (sender->count) {
        one = sender->told[sender->count - 1];
        one.release = release;
    }
    if (set) {
        one.set = larger(one.set, value);
        one.set_down = larger(one.set_down, -value);
    } else {
        one.added += larger(value, 0);
        one.added_down += larger(-value, 0);
    }
    PTO_GROW(sender->told, sender->count, sender->capacity);
    sender->told[sender->count++] = one;
    release->refs++;
    signal->notifies++;
}

/* ---- TWAIT ---- */

static void locate_signal(struct pto_check *check, struct found *found,
                          const struct signal *signal)
{
    found->finding.offset = signal->offset;
    found->finding.bytes = sizeof(int32_t);
    found->finding.where =
        pto_arena_printf(&check->arena, "%s of rank %d",
                         check->vm->rank[signal->rank].object[signal->object].name, signal->rank);
}

/* A point in the program of a sub-core's S: a notify or a wait. */
struct point {
    uint32_t core, epoch;
};

/* The condition as "rises to at least `goal`", of the negated values if `down`. */
struct condition {
    int64_t goal, base;
    bool down;
    struct point wait;
};

static struct condition condition_of(const struct signal *signal, int comparison, int64_t value,
                                     struct point wait)
{
    bool fell = signal->before > signal->base;
    struct condition c = {value, fell ? signal->base : signal->before, false, wait};

    switch (comparison) {
    case PTO_CMP_GT:
        c.goal = value + 1;
        break;
    case PTO_CMP_LE:
    case PTO_CMP_LT:
        c.down = true;
        break;
    case PTO_CMP_EQ:
        c.down = value < signal->base || (fell && value == signal->base);
        break;
    case PTO_CMP_NE: /* any change does: the first one up */
        c.goal = signal->base == value ? value + 1 : INT64_MIN;
        break;
    default:
        break;
    }
    if (c.down) {
        c.goal = comparison == PTO_CMP_LT ? -value + 1 : -value;
        c.base = -(fell ? signal->before : signal->base);
    }
    return c;
}

/* Does notify `b` come after the point in every order? */
static bool comes_after(const struct release *b, struct point a)
{
    if (a.core == b->core)
        return b->epoch > a.epoch;
    return race_knows(&b->frame, b->core, a.core, PTO_PIPE_S, a.epoch);
}

/* How many of the first `limit` notifies of a sender do not come after the point. */
static uint32_t count_before(const struct sender *sender, uint32_t limit, struct point point)
{
    uint32_t low = 0, high = limit;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (comes_after(sender->told[middle].release, point))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Could the goal be reached without notify `index` of sender `s` and all that come after it, and
 * without all that come after the wait? */
static bool reachable_without(const struct signal *signal, const struct condition *c,
                              const struct sender *s, uint32_t index)
{
    const struct release *left_out = s->told[index].release;
    struct point point = {left_out->core, left_out->epoch};
    int64_t set = c->base, added = 0;

    for (uint32_t i = 0; i < signal->senders; i++) {
        const struct sender *other = &signal->sender[i];
        uint32_t count =
            other == s ? index
                       : count_before(other, count_before(other, other->count, c->wait), point);
        const struct told_one *last;

        if (!count)
            continue;
        last = &other->told[count - 1];
        set = larger(set, c->down ? last->set_down : last->set);
        added += c->down ? last->added_down : last->added;
    }
    return set + added >= c->goal;
}

/* How many notifies of a sender the condition needs in every order: a prefix. */
static uint32_t needed(const struct signal *signal, const struct condition *c,
                       const struct sender *sender)
{
    uint32_t low = 0, high = count_before(sender, sender->count, c->wait);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (reachable_without(signal, c, sender, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static struct waiter *get_waiter(struct signal *signal, uint32_t core)
{
    for (uint32_t i = 0; i < signal->waiters; i++)
        if (signal->waiter[i].core == core)
            return &signal->waiter[i];
    PTO_GROW(signal->waiter, signal->waiters, signal->waiter_capacity);
    signal->waiter[signal->waiters] = (struct waiter){.core = core};
    return &signal->waiter[signal->waiters++];
}

/* Remember how far this sub-core has come, and whether old notifies satisfied it. */
static void note_wait(struct waiter *waiter, const struct core *source, uint32_t used)
{
    bool twait = source->ready->code->insn[source->pc].op == PTO_OP_TWAIT;
    bool again = used && used == waiter->used && twait;

    waiter->last = source->wait;
    if (again || !waiter->again) {
        waiter->pc = source->pc;
        waiter->code = source->ready;
        waiter->time = source->time;
    }
    waiter->again = waiter->again || again;
    waiter->used = used > waiter->used ? used : waiter->used;
}

static void learn_element(struct pto_check *check, struct check_core *core, struct signal *signal)
{
    const struct signal_wait *wait = &core->core->wait;
    struct waiter *waiter = get_waiter(signal, core->id);
    struct condition c = condition_of(signal, wait->comparison, wait->value,
                                      (struct point){core->id, core->count[PTO_PIPE_S]});
    uint32_t used = 0;

    waiter->epoch = core->count[PTO_PIPE_S];
    waiter->needed = pto_xrealloc(waiter->needed, signal->senders * sizeof *waiter->needed);
    waiter->needed_of = signal->senders;
    for (uint32_t i = 0; i < signal->senders; i++) {
        const struct sender *sender = &signal->sender[i];
        uint32_t count = needed(signal, &c, sender);

        used += count;
        waiter->needed[i] = count;
        if (count)
            check_acquire(check, core, sender->core, &sender->told[count - 1].release->frame);
    }
    note_wait(waiter, core->core, used);
}

/* ---- notifies that come later ---- */

static void report_ambiguous(struct pto_check *check, const struct signal *signal,
                             const struct waiter *waiter, const struct release *release)
{
    struct party notify = {
        .present = true, .write = true, .core = release->core, .lane = PTO_PIPE_S,
        .pc = release->pc, .code = release->code, .time = release->time,
    }, wait = {
        .present = true, .core = waiter->core, .lane = PTO_PIPE_S, .pc = waiter->pc,
        .code = waiter->code, .time = waiter->time,
    };
    struct found *found = finding_add(check, PTO_FIND_SIGNAL_AMBIGUOUS, &notify, &wait);

    if (found)
        locate_signal(check, found, signal);
}

/* A notify has landed behind a wait that no order puts before it: had it come first, would the wait
 * have needed less than it did?  Then what the wait learned depends on luck. */
static void check_late(struct pto_check *check, struct signal *signal,
                       const struct release *release)
{
    for (uint32_t w = 0; signal->senders > 1 && w < signal->waiters; w++) {
        struct waiter *waiter = &signal->waiter[w];
        struct point point = {waiter->core, waiter->epoch};
        struct condition c;

        if (waiter->core == release->core || comes_after(release, point))
            continue;
        c = condition_of(signal, waiter->last.comparison, waiter->last.value, point);
        for (uint32_t i = 0; i < waiter->needed_of; i++)
            if (needed(signal, &c, &signal->sender[i]) < waiter->needed[i]) {
                report_ambiguous(check, signal, waiter, release);
                break;
            }
    }
}

/* ---- signals that are reset ---- */

/* Does a notify set the signal back to what it began with?  Then counting starts afresh. */
static bool is_reset(const struct signal *signal, int32_t now, int64_t value)
{
    return (now > signal->base && value <= signal->base) ||
           (now < signal->base && value >= signal->base);
}

static void report_unordered(struct pto_check *check, const struct signal *signal,
                             const struct release *first, const struct release *second)
{
    struct party one = {
        .present = true, .write = true, .core = first->core, .lane = PTO_PIPE_S, .pc = first->pc,
        .code = first->code, .time = first->time,
    }, two = {
        .present = true, .write = true, .core = second->core, .lane = PTO_PIPE_S,
        .pc = second->pc, .code = second->code, .time = second->time,
    };
    struct found *found = finding_add(check, PTO_FIND_WAW, &one, &two);

    if (found)
        locate_signal(check, found, signal);
}

/* A reset and a notify that come in no order leave the one value or the other. */
static void judge_reset(struct pto_check *check, const struct signal *signal,
                        const struct release *reset)
{
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        const struct release *last = sender->told[sender->count - 1].release;

        if (!comes_after(reset, (struct point){last->core, last->epoch}))
            report_unordered(check, signal, last, reset);
    }
}

static void begin_afresh(struct signal *signal, struct release *reset, int32_t now, int64_t value)
{
    signal_forget(signal);
    check_release_drop(signal->reset);
    signal->reset = reset;
    reset->refs++;
    signal->base = value;
    signal->before = now;
}

static void land(struct pto_check *check, struct signal *signal, struct release *release,
                 int32_t now, int64_t value, bool set)
{
    if (set && is_reset(signal, now, value)) {
        judge_reset(check, signal, release);
        begin_afresh(signal, release, now, value);
    } else if (signal->reset &&
               !comes_after(release, (struct point){signal->reset->core, signal->reset->epoch})) {
        report_unordered(check, signal, signal->reset, release);
    }
    add_told(signal, release, value, set);
    check_late(check, signal, release);
}

void check_notify_land(void *context, struct rank *rank, uint32_t object,
                       const struct op_view *view, int64_t value, int operation, uint32_t tag)
{
    struct pto_check *check = context;
    struct release *release = check->flight[tag].release;

    for (uint32_t r = 0; r < view->rows; r++)
        for (uint32_t c = 0; c < view->cols; c++) {
            const uint8_t *at = view->data + r * view->row_stride + c * view->col_stride;
            int32_t now;

            memcpy(&now, at, sizeof now);
            land(check, signal_get(check, rank->number, object,
                                   (uint64_t)(at - rank->object[object].data), now),
                 release, now, value, operation == PTO_NOTIFY_SET);
        }
    touch_notify(check, rank, object, view, check->flight[tag].access, &release->frame);
    check_release_drop(release);
    check_landed(check, tag);
}

void check_signal_seen(void *context, struct core *source)
{
    struct pto_check *check = context;
    struct rank *rank = source->rank;
    const struct bound_object *bound =
        &check->vm->launch[rank->launch].bound[rank->number][gm_object(source->wait.gm)];
    unsigned last = bound->dims - 1u;
    int64_t row_stride = last ? bound->stride[last - 1] : 0;
    struct check_core *core = check_core_of(check, source);

    core->s.row.lane[PTO_PIPE_S] = ++core->count[PTO_PIPE_S];
    for (uint32_t r = 0; r < gm_rows(source->wait.gm); r++)
        for (uint32_t c = 0; c < gm_cols(source->wait.gm); c++) {
            uint64_t at = source->wait.gm[GM_OFFSET] +
                          (uint64_t)(r * row_stride + c * bound->stride[last]);
            struct signal *signal = signal_find(check, rank->number, bound->object, at);

            if (signal)
                learn_element(check, core, signal);
        }
}

/* ---- the end ---- */

static void report_reuse(struct pto_check *check, const struct signal *signal,
                         const struct waiter *waiter)
{
    struct party none = {0}, wait = {
        .present = true, .core = waiter->core, .lane = PTO_PIPE_S, .pc = waiter->pc,
        .code = waiter->code, .time = waiter->time,
    };
    struct found *found = finding_add(check, PTO_FIND_SIGNAL_REUSED, &none, &wait);

    if (found)
        locate_signal(check, found, signal);
}

void check_signals_finish(struct pto_check *check)
{
    for (uint32_t i = 0; i < check->signal_slots; i++) {
        const struct signal *signal = check->signal[i];

        for (uint32_t w = 0; signal && w < signal->waiters; w++)
            if (signal->waiter[w].again && signal->waiter[w].used < signal->notifies)
                report_reuse(check, signal, &signal->waiter[w]);
    }
}
