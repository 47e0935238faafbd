/* Waits of a word: what each learns when it passes, and what is to be said of it once everything is
 * known that could have come first. */
#include <stdlib.h>
#include <string.h>

#include "check/signal.h"

enum {
    TIDY_LEAST = 4,    /* notifies between two looks at what can be forgotten */
    MOST_PASSED = 64,  /* waits of a sub-core that are kept */
    MOST_TOLD = 256    /* notifies of a sender that are kept */
};

static uint32_t *learned_of(struct passed *passed)
{
    return passed->senders > 1 ? passed->learned.many : &passed->learned.one;
}

static uint32_t learned_from(const struct passed *passed, uint32_t sender)
{
    if (sender >= passed->senders)
        return 0;
    return passed->senders > 1 ? passed->learned.many[sender] : passed->learned.one;
}

/* ---- passing ---- */

static struct party party_of_wait(uint32_t core, const struct passed *passed)
{
    return (struct party){
        .present = true, .core = core, .lane = PTO_PIPE_S, .pc = passed->pc,
        .code = passed->code, .time = passed->time,
    };
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

/* What has landed for sure when a wait looks, and all that has landed by now. */
static struct span *spans_of(struct spans *spans, const struct signal *signal,
                             const struct frame *before, struct point wait)
{
    spans_make(spans, signal);
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        uint32_t known = signal_epoch_known(before, wait, sender->core);

        spans->of[s] = (struct span){signal_count_up_to(sender, known), sender->count};
    }
    return spans->of;
}

/* The first notify of the word that the wait cannot rely on, by number. */
static uint32_t limit_of(const struct pto_check *check, const struct signal *signal,
                         const struct sender *sender, struct point wait)
{
    const struct doubt *doubt = doubt_find(check, signal, wait, sender->core);

    return doubt ? signal_count_up_to(sender, doubt->limit) : sender->count;
}

static void hear(struct pto_check *check, struct check_core *core, const struct release *release)
{
    if (check_hear(core, release, &check->shape))
        cover_mark(check, release->code, release->pc);
}

/* The wait learns of what it needs from a sender; returns how many notifies that are. */
static uint32_t learn_from(struct pto_check *check, struct check_core *core,
                           const struct signal *signal, struct span *span,
                           const struct passed *passed, uint32_t s,
                           const struct signal_sum *sum)
{
    const struct sender *sender = &signal->sender[s];
    struct point wait = {core->id, passed->epoch};
    struct condition c = {passed->comparison, passed->value};
    uint32_t count = signal_needed(signal, span, c, s, sum);
    uint32_t limit = limit_of(check, signal, sender, wait);

    if (count > limit)
        count = limit > span[s].must ? limit : span[s].must;
    if (count > span[s].must && sender->core != core->id)
        hear(check, core, sender->told[count - 1].release);
    return count;
}

/* A sub-core that comes late to the word does not know what was folded, and learns all of it. */
static void learn_folded(struct pto_check *check, struct check_core *core,
                         const struct signal *signal, const struct frame *before,
                         struct condition c)
{
    if (signal_holds(c, signal->first))
        return;
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct release *folded = signal->sender[s].last_folded;

        if (folded && folded->core != core->id &&
            !race_knows(before, core->id, folded->core, PTO_PIPE_S, folded->epoch))
            hear(check, core, folded);
    }
}

/* The wait at which S stands. */
static struct passed begin_wait(const struct core *source, uint32_t epoch,
                                const struct frame *before)
{
    return (struct passed){
        .before = frame_copy(before),
        .epoch = epoch,
        .pc = source->pc,
        .comparison = source->wait.comparison,
        .blocks = source->ready->code->insn[source->pc].op == PTO_OP_TWAIT,
        .value = source->wait.value,
        .time = source->time,
        .code = source->ready,
    };
}

void signal_wait_passes(struct pto_check *check, struct check_core *core, struct signal *signal,
                        const struct frame *before)
{
    struct point wait = {core->id, core->count[PTO_PIPE_S]};
    struct spans spans;
    struct span *span = spans_of(&spans, signal, before, wait);
    struct condition c = {core->core->wait.comparison, core->core->wait.value};
    struct signal_sum sum = signal_sum(signal, span, c);
    struct waiter *waiter = get_waiter(signal, core->id);
    struct passed *passed;

    PTO_GROW(waiter->passed, waiter->count, waiter->capacity);
    passed = &waiter->passed[waiter->count++];
    *passed = begin_wait(core->core, wait.epoch, before);
    passed->landed = signal->landed;
    passed->senders = signal->senders;
    if (passed->senders > 1)
        passed->learned.many = pto_xmalloc(passed->senders * sizeof *passed->learned.many);
    learn_folded(check, core, signal, before, c);
    for (uint32_t i = 0; i < signal->senders; i++) {
        uint32_t s = (signal->latest + i) % signal->senders; /* the latest often knows the others */

        learned_of(passed)[s] = signal->sender[s].folded +
                                learn_from(check, core, signal, span, passed, s, &sum);
    }
    reuse_note(signal, waiter, passed, span);
    spans_free(&spans);
}

/* ---- judging, when everything is known that is not behind the wait ---- */

/* The last notify of a sender that the wait did not know of and did not learn, or NULL. */
static struct release *unneeded(const struct signal *signal, const struct passed *passed,
                                const struct span *span, uint32_t s)
{
    const struct sender *sender = &signal->sender[s];
    uint32_t learned = learned_from(passed, s);

    return span[s].may > span[s].must && sender->folded + span[s].may > learned
               ? sender->told[span[s].may - 1].release : NULL;
}

static const struct release *any_unneeded(const struct signal *signal,
                                          const struct passed *passed, const struct span *span)
{
    const struct release *release = NULL;

    for (uint32_t s = 0; s < signal->senders && !release; s++)
        release = unneeded(signal, passed, span, s);
    return release;
}

/* Can the wait end by one or another of several senders? */
static void note_vague(struct pto_check *check, const struct signal *signal,
                       const struct passed *passed, const struct span *span, struct point wait)
{
    uint32_t count = 0;

    for (uint32_t s = 0; s < signal->senders; s++)
        count += unneeded(signal, passed, span, s) != NULL;
    for (uint32_t s = 0; s < signal->senders && count > 1; s++) {
        struct release *release = unneeded(signal, passed, span, s);

        if (release)
            vague_add(check, signal, party_of_wait(wait.core, passed), wait.epoch, release);
    }
}

/* Has the wait learned more of a sender than it needs now that more has landed? */
static void judge_learned(struct pto_check *check, const struct signal *signal,
                          const struct passed *passed, struct span *span, struct point wait)
{
    struct condition c = {passed->comparison, passed->value};
    struct signal_sum sum = signal_sum(signal, span, c);

    for (uint32_t s = 0; s < passed->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        uint32_t all = learned_from(passed, s), needed;
        uint32_t learned = all > sender->folded ? all - sender->folded : 0;

        if (learned <= span[s].must)
            continue;
        needed = signal_needed(signal, span, c, s, &sum);
        if (needed < learned)
            doubt_add(check, signal, wait, sender->core,
                      needed ? sender->told[needed - 1].release->epoch : 0);
    }
}

/* Counters that only grow, and waits for them to be large enough: nothing can take a value away. */
static bool only_rises(const struct signal *signal, const struct passed *passed)
{
    for (uint32_t s = 0; s < signal->senders; s++)
        if (signal->sender[s].sets || signal->sender[s].falls)
            return false;
    return passed->comparison == PTO_CMP_GE || passed->comparison == PTO_CMP_GT;
}

/* Could the wait have slept for ever? */
static void judge_hang(struct pto_check *check, const struct signal *signal,
                       const struct passed *passed, const struct span *span, struct point wait)
{
    struct party one = {0}, two = party_of_wait(wait.core, passed);
    const struct release *last;
    struct found *found;

    if (!passed->blocks || only_rises(signal, passed) ||
        !signal_can_fail(signal, span, (struct condition){passed->comparison, passed->value},
                         &last))
        return;
    if (!last)
        last = any_unneeded(signal, passed, span);
    if (last)
        one = finding_notify(last);
    found = finding_add(check, PTO_FIND_COULD_HANG, &one, &two);
    if (found)
        signal_locate(check, found, signal);
}

void signal_wait_sleeps(struct pto_check *check, struct check_core *core, struct signal *signal,
                        const struct frame *before)
{
    struct point wait = {core->id, core->count[PTO_PIPE_S] + 1};
    struct passed passed = begin_wait(core->core, wait.epoch, before);
    struct spans spans;
    struct span *span = spans_of(&spans, signal, before, wait);

    if (signal_can_be(signal, span, (struct condition){passed.comparison, passed.value}))
        judge_hang(check, signal, &passed, span, wait);
    spans_free(&spans);
    frame_drop(&passed.before);
}

/* `complete`: nothing will land any more that is not behind the wait. */
static void judge(struct pto_check *check, const struct signal *signal,
                  const struct waiter *waiter, const struct passed *passed, bool complete)
{
    struct point wait = {waiter->core, passed->epoch};
    struct spans spans;
    struct span *span;
    uint32_t landed = 0;

    if (signal->senders == 1 &&
        (!complete || !passed->blocks || only_rises(signal, passed)))
        return; /* there is no other notify, and the last value is as good as any */
    span = spans_of(&spans, signal, &passed->before, wait);
    for (uint32_t s = 0; s < signal->senders; s++) {
        span[s].may = signal_count_before(&signal->sender[s], span[s].must, span[s].may, wait);
        landed += signal->sender[s].folded + span[s].may;
    }
    if (signal->senders > 1) {
        if (landed != passed->landed)
            judge_learned(check, signal, passed, span, wait);
        note_vague(check, signal, passed, span, wait);
    }
    if (complete)
        judge_hang(check, signal, passed, span, wait);
    spans_free(&spans);
}

static void drop_passed(struct passed *passed)
{
    frame_drop(&passed->before);
    if (passed->senders > 1)
        free(passed->learned.many);
}

/* Judge and forget the first `count` waits. */
static void close_waits(struct pto_check *check, const struct signal *signal,
                        struct waiter *waiter, uint32_t count, bool complete)
{
    for (uint32_t i = 0; i < count; i++) {
        judge(check, signal, waiter, &waiter->passed[i], complete);
        drop_passed(&waiter->passed[i]);
    }
    waiter->count -= count;
    memmove(waiter->passed, waiter->passed + count, waiter->count * sizeof *waiter->passed);
}

void signal_close(struct pto_check *check, struct signal *signal, bool complete)
{
    for (uint32_t w = 0; w < signal->waiters; w++)
        close_waits(check, signal, &signal->waiter[w], signal->waiter[w].count, complete);
}

/* ---- forgetting ---- */

/* How many waits every other sender knew of when it sent what landed last: its next notifies will
 * be behind them. */
static uint32_t count_complete(const struct signal *signal, const struct waiter *waiter)
{
    uint32_t epoch = UINT32_MAX, count = 0;

    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        const struct release *last =
            sender->count ? sender->told[sender->count - 1].release : sender->last_folded;
        uint32_t known;

        if (sender->core == waiter->core)
            continue;
        known = signal_epoch_known(&last->frame, (struct point){sender->core, 0}, waiter->core);
        epoch = known < epoch ? known : epoch;
    }
    while (count < waiter->count && waiter->passed[count].epoch <= epoch)
        count++;
    return count;
}

/* Lower *epoch to what is known of a sender by all parties, and by every wait that is kept. */
static uint32_t epoch_known_to_all(const struct pto_check *check, const struct signal *signal,
                                   uint32_t core)
{
    uint32_t epoch = UINT32_MAX;

    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        const struct release *last =
            sender->count ? sender->told[sender->count - 1].release : sender->last_folded;
        struct point self = {sender->core, last->epoch + 1};
        uint32_t known = signal_epoch_known(&last->frame, self, core);

        epoch = known < epoch ? known : epoch;
    }
    for (uint32_t w = 0; w < signal->waiters; w++) {
        const struct waiter *waiter = &signal->waiter[w];
        const struct passed *oldest = waiter->count ? &waiter->passed[0] : NULL;
        const struct check_core *party = &check->core[waiter->core];
        uint32_t known =
            oldest ? signal_epoch_known(&oldest->before,
                                        (struct point){waiter->core, oldest->epoch}, core)
                   : signal_epoch_known(&party->s,
                                        (struct point){waiter->core,
                                                       party->count[PTO_PIPE_S] + 1}, core);

        epoch = known < epoch ? known : epoch;
    }
    return epoch;
}

static void fold_sender(struct sender *sender, uint32_t count)
{
    if (!count)
        return;
    sender->folded_sum = sender->told[count - 1].sum;
    sender->folded += count;
    check_release_drop(sender->last_folded);
    sender->last_folded = sender->told[count - 1].release;
    sender->last_folded->refs++;
    for (uint32_t i = 0; i < count; i++) {
        sender->sets -= sender->told[i].set;
        sender->falls -= !sender->told[i].set && sender->told[i].value < 0;
        check_release_drop(sender->told[i].release);
    }
    sender->count -= count;
    memmove(sender->told, sender->told + count, sender->count * sizeof *sender->told);
}

/* What every party knows, and every wait that is still to be judged, becomes part of the base, if
 * it leaves one value. */
static void fold(const struct pto_check *check, struct signal *signal)
{
    struct spans spans;
    struct span *span;
    int64_t value;

    if (!signal->waiters)
        return; /* whoever comes to wait may know nothing yet */
    spans_make(&spans, signal);
    span = spans.of;
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];

        span[s].must = signal_count_up_to(sender,
                                          epoch_known_to_all(check, signal, sender->core));
        span[s].may = span[s].must;
    }
    if (signal_settled_value(signal, span, &value)) {
        signal->base = value;
        for (uint32_t s = 0; s < signal->senders; s++)
            fold_sender(&signal->sender[s], span[s].must);
    }
    spans_free(&spans);
}

/* A party that never hears of the others would keep all there is to know of it. */
static void cut_long(struct pto_check *check, struct signal *signal)
{
    for (uint32_t w = 0; w < signal->waiters; w++)
        if (signal->waiter[w].count > MOST_PASSED)
            close_waits(check, signal, &signal->waiter[w], MOST_PASSED / 2, false);
    for (uint32_t s = 0; s < signal->senders; s++) {
        struct sender *sender = &signal->sender[s];

        if (sender->count <= MOST_TOLD)
            continue;
        signal->base = signal_value_after(signal, s, MOST_TOLD / 2);
        fold_sender(sender, MOST_TOLD / 2);
    }
}

void signal_tidy(struct pto_check *check, struct signal *signal)
{
    if (++signal->fresh < TIDY_LEAST + 2 * (signal->senders + signal->waiters))
        return;
    signal->fresh = 0;
    for (uint32_t w = 0; w < signal->waiters; w++)
        close_waits(check, signal, &signal->waiter[w],
                    count_complete(signal, &signal->waiter[w]), true);
    fold(check, signal);
    cut_long(check, signal);
}

void signal_begin_afresh(struct pto_check *check, struct signal *signal, int64_t value)
{
    signal_close(check, signal, false);
    for (uint32_t s = 0; s < signal->senders; s++)
        fold_sender(&signal->sender[s], signal->sender[s].count);
    signal->base = signal->now = value;
}
