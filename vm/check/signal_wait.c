/* Waits of a word: what each learns when it passes, and what is to be said of it once everything is
 * known that could have come first. */
#include <stdlib.h>
#include <string.h>

#include "check/signal.h"
#include "check/verdict.h"

static uint32_t *learned_of(struct passed *passed)
{
    return passed->senders > 1 ? passed->learned.many : &passed->learned.one;
}

static uint32_t learned_from(const struct signal *signal, const struct passed *passed,
                             uint32_t sender)
{
    if (sender >= passed->senders)
        return 0;
    if (passed->all)
        return signal->sender[sender].folded +
               signal_count_landed(&signal->sender[sender], passed->landed);
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

/* Waiters mostly come in turn. */
static struct waiter *get_waiter(struct signal *signal, uint32_t core)
{
    for (uint32_t i = 0, w = signal->last_waiter; i < signal->waiters; i++) {
        if (signal->waiter[w].core == core) {
            signal->last_waiter = w;
            return &signal->waiter[w];
        }
        w = w + 1 < signal->waiters ? w + 1 : 0;
    }
    PTO_GROW(signal->waiter, signal->waiters, signal->waiter_capacity);
    signal->waiter[signal->waiters] =
        (struct waiter){.core = core, .late = true, .own = signal_number_of(signal, core)};
    signal->last_waiter = signal->waiters;
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
                         const struct signal *signal, struct waiter *waiter,
                         const struct frame *before, struct condition c)
{
    if (!waiter->late || signal_holds(c, signal->first))
        return;
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct release *folded = signal->sender[s].last_folded;

        if (folded && folded->core != core->id &&
            !race_knows(before, core->id, folded->core, PTO_PIPE_S, folded->epoch))
            hear(check, core, folded);
    }
    waiter->late = false;
}

/* The wait at which S stands. */
static struct passed begin_wait(const struct core *source, uint32_t epoch,
                                const struct frame *before)
{
    return (struct passed){
        .before = frame_copy(before),
        .epoch = epoch,
        .pc = source->pc,
        .comparison = core_wait_held(source)->comparison,
        .blocks = source->ready->code->insn[source->pc].op == PTO_OP_TWAIT,
        .value = core_wait_held(source)->value,
        .time = source->time,
        .code = source->ready,
    };
}

static void hear_last(struct pto_check *check, struct check_core *core,
                      const struct sender *sender)
{
    if (sender->count && sender->core != core->id)
        hear(check, core, sender->told[sender->count - 1].release);
}

/* The waiter has passed a wait that is to be told of the next notify. */
static void list_passing(struct signal *signal, const struct waiter *waiter)
{
    const struct passed *before = waiter->count > 1 ? &waiter->passed[waiter->count - 2] : NULL;

    if (before && before->all && before->landed == signal->landed)
        return; /* it is on the list */
    PTO_GROW(signal->passing, signal->passings, signal->passing_capacity);
    signal->passing[signal->passings++] = (uint32_t)(waiter - signal->waiter);
}

/* The wait needs all that has landed: no look at who knows what. */
static void pass_with_all(struct pto_check *check, struct check_core *core, struct signal *signal,
                          struct waiter *waiter, struct passed *passed)
{
    const struct sender *latest = &signal->sender[signal->latest];

    passed->all = true;
    passed->total = signal->total;
    hear_last(check, core, latest);
    for (uint32_t s = 0; s < signal->senders && !(signal->crowned && latest->count); s++)
        hear_last(check, core, &signal->sender[s]);
    list_passing(signal, waiter);
    reuse_note_all(signal, waiter, passed);
}

static void pass_by_spans(struct pto_check *check, struct check_core *core,
                          const struct signal *signal, struct waiter *waiter,
                          struct passed *passed)
{
    struct condition c = {passed->comparison, passed->value};
    struct spans spans;
    struct span *span =
        spans_of(&spans, signal, &passed->before, (struct point){core->id, passed->epoch});
    struct signal_sum sum = signal_sum(signal, span, c);

    if (passed->senders > 1)
        passed->learned.many = pto_xmalloc(passed->senders * sizeof *passed->learned.many);
    for (uint32_t i = 0; i < signal->senders; i++) {
        uint32_t s = (signal->latest + i) % signal->senders; /* the latest often knows the others */

        learned_of(passed)[s] = signal->sender[s].folded +
                                learn_from(check, core, signal, span, passed, s, &sum);
    }
    reuse_note(signal, waiter, passed, span);
    spans_free(&spans);
}

void signal_wait_passes(struct pto_check *check, struct check_core *core, struct signal *signal,
                        const struct frame *before)
{
    const struct signal_wait *wait = core_wait_held(core->core);
    struct condition c = {wait->comparison, wait->value};
    struct waiter *waiter = get_waiter(signal, core->id);
    struct passed *passed;

    signal_cut_waits(check, signal, waiter);
    PTO_GROW(waiter->passed, waiter->count, waiter->capacity);
    passed = &waiter->passed[waiter->count++];
    *passed = begin_wait(core->core, core->count[PTO_PIPE_S], before);
    passed->landed = signal->landed;
    passed->senders = signal->senders;
    learn_folded(check, core, signal, waiter, before, c);
    if (!check->old_doubts && signal_needs_all(signal, c))
        pass_with_all(check, core, signal, waiter, passed);
    else
        pass_by_spans(check, core, signal, waiter, passed);
}

/* ---- judging, when everything is known that is not behind the wait ---- */

/* The last notify of a sender that the wait did not know of and did not learn, or NULL. */
static struct release *unneeded(const struct signal *signal, const struct passed *passed,
                                const struct span *span, uint32_t s)
{
    const struct sender *sender = &signal->sender[s];
    uint32_t learned = learned_from(signal, passed, s);

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
        uint32_t all = learned_from(signal, passed, s), needed;
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
    if (signal->total > INT32_MAX)
        return false; /* the word goes round */
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
        signal_locate(check, found, &signal->place);
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

/* Had all that is not behind the wait landed when it passed, and was needed?  Then it has learned
 * it, and found the word as it would in any order. */
static bool is_settled(const struct signal *signal, const struct passed *passed,
                       struct point wait)
{
    if (!passed->all || passed->landed < signal->forced ||
        !signal_holds((struct condition){passed->comparison, passed->value}, passed->total))
        return false;
    if (passed->landed == signal->landed ||
        (passed->followed && signal->chain <= passed->landed + 1))
        return true;
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        uint32_t next = signal_count_landed(sender, passed->landed);

        if (sender->folded_to > passed->landed ||
            (next < sender->count && !signal_is_behind(sender->told[next].release, wait)))
            return false;
    }
    return true;
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
    if (is_settled(signal, passed, wait))
        return;
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
    if (passed->senders > 1 && !passed->all)
        free(passed->learned.many);
}

void signal_close_waits(struct pto_check *check, const struct signal *signal,
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
        signal_close_waits(check, signal, &signal->waiter[w], signal->waiter[w].count, complete);
}
