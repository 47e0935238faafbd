/* Values of a word: which are possible after some of its notifies, and which notifies a condition
 * needs.  docs/decisions/0009-signals-have-values.md has the model. */
#include <stdlib.h>

#include "check/signal.h"
#include "check/verdict.h"

void spans_make(struct spans *spans, const struct signal *signal)
{
    spans->of = signal->senders <= FEW_SPANS
                    ? spans->few : pto_xmalloc(signal->senders * sizeof *spans->of);
}

void spans_free(struct spans *spans)
{
    if (spans->of != spans->few)
        free(spans->of);
}

/* ---- order ---- */

bool signal_is_behind(const struct release *b, struct point a)
{
    if (a.core == b->core)
        return b->epoch > a.epoch;
    return race_knows(&b->frame, b->core, a.core, PTO_PIPE_S, a.epoch);
}

uint32_t signal_count_before(const struct sender *sender, uint32_t low, uint32_t limit,
                             struct point point)
{
    while (low < limit) {
        uint32_t middle = low + (limit - low) / 2;

        if (signal_is_behind(sender->told[middle].release, point))
            limit = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t signal_count_up_to(const struct sender *sender, uint32_t epoch)
{
    uint32_t low = 0, high = sender->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sender->told[middle].release->epoch > epoch)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t signal_count_landed(const struct sender *sender, uint32_t landed)
{
    uint32_t low = 0, high = sender->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sender->told[middle].landed > landed)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t signal_epoch_known(const struct frame *frame, struct point self, uint32_t core)
{
    const struct row *row;

    if (core == self.core)
        return self.epoch - 1;
    row = far_row(frame->far, core);
    return row ? row->lane[PTO_PIPE_S] : 0;
}

/* ---- conditions ---- */

static bool possible_between(struct condition c, struct range range)
{
    switch (c.comparison) {
    case PTO_CMP_EQ:
        return range.low <= c.value && c.value <= range.high;
    case PTO_CMP_NE:
        return range.low != c.value || range.high != c.value;
    case PTO_CMP_LT:
        return range.low < c.value;
    case PTO_CMP_LE:
        return range.low <= c.value;
    case PTO_CMP_GT:
        return range.high > c.value;
    default:
        return range.high >= c.value;
    }
}

/* The same for sums, of which a word keeps 32 bits: a range that goes past an end comes in again at
 * the other. */
static bool possible_in(struct condition c, struct range range)
{
    const uint64_t width = (uint64_t)range.high - (uint64_t)range.low;
    const int64_t low = signal_wrapped(range.low), high = low + (int64_t)width;

    if (width >= UINT32_MAX)
        return possible_between(c, (struct range){INT32_MIN, INT32_MAX});
    if (high <= INT32_MAX)
        return possible_between(c, (struct range){low, high});
    return possible_between(c, (struct range){low, INT32_MAX}) ||
           possible_between(c, (struct range){INT32_MIN, signal_wrapped(high)});
}

static struct condition opposite(struct condition c)
{
    static const uint8_t OPPOSITE[] = {
        [PTO_CMP_EQ] = PTO_CMP_NE, [PTO_CMP_NE] = PTO_CMP_EQ, [PTO_CMP_LT] = PTO_CMP_GE,
        [PTO_CMP_GE] = PTO_CMP_LT, [PTO_CMP_GT] = PTO_CMP_LE, [PTO_CMP_LE] = PTO_CMP_GT,
    };

    return (struct condition){OPPOSITE[c.comparison], c.value};
}

/* ---- one sender ---- */

/* What a sender can have added: the notifies from a start in [first, last] to an end in [span.must,
 * span.may].  It sets nothing in between: a set either comes before the start or after the end. */
static struct range added(const struct sender *sender, uint32_t first, uint32_t last,
                          struct span span)
{
    uint32_t until = span.must > last ? span.must : last;
    int64_t start = signal_sum_up_to(sender, first), low_start = start, high_start = start;
    struct range range = {INT64_MAX, INT64_MIN};

    if (!sender->sets && !sender->falls)
        return (struct range){signal_sum_up_to(sender, until) - signal_sum_up_to(sender, last),
                              signal_sum_up_to(sender, span.may) - start};
    for (uint32_t end = first;; end++) {
        int64_t sum = signal_sum_up_to(sender, end);

        if (end <= last) {
            bool restart = end > first && sender->told[end - 1].set;

            low_start = restart || sum < low_start ? sum : low_start;
            high_start = restart || sum > high_start ? sum : high_start;
        } else if (sender->told[end - 1].set) {
            return range;
        }
        if (end >= span.must) {
            range.low = sum - high_start < range.low ? sum - high_start : range.low;
            range.high = sum - low_start > range.high ? sum - low_start : range.high;
        }
        if (end == span.may)
            return range;
    }
}

/* Does it set the word within [first, end)? */
static bool sets_within(const struct sender *sender, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; sender->sets && i < end; i++)
        if (sender->told[i].set)
            return true;
    return false;
}

static uint32_t first_set(const struct sender *sender, uint32_t end)
{
    for (uint32_t i = 0; sender->sets && i < end; i++)
        if (sender->told[i].set)
            return i;
    return end;
}

/* ---- states ---- */

/* A set operation as the last one of a state. */
struct last_set {
    uint32_t sender, index;
};

/* The values of the states in which nothing has set the word.  Must it be set in all? */
static bool range_unset(const struct signal *signal, const struct span *span, struct range *range)
{
    *range = (struct range){signal->base, signal->base};
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        struct span unset = {span[s].must, first_set(sender, span[s].may)};
        struct range more;

        if (unset.may < unset.must)
            return false;
        more = added(sender, 0, 0, unset);
        range->low += more.low;
        range->high += more.high;
    }
    return true;
}

/* The same for states in which this set is the last. */
static bool range_behind(const struct signal *signal, const struct span *span,
                         struct last_set last, struct range *range)
{
    const struct told *set = &signal->sender[last.sender].told[last.index];
    struct point point = {set->release->core, set->release->epoch};

    *range = (struct range){set->value, set->value};
    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        uint32_t known = last.index + 1, before = last.index + 1;
        struct range more;

        if (s != last.sender) {
            known = signal_count_up_to(
                sender, signal_epoch_known(&set->release->frame, point, sender->core));
            known = known < span[s].may ? known : span[s].may;
            before = signal_count_before(sender, known, span[s].may, point);
        }
        if (sets_within(sender, before, span[s].must))
            return false;
        more = added(sender, known, before, span[s]);
        range->low += more.low;
        range->high += more.high;
    }
    return true;
}

/* The first notify of a sender that can be the last set of a state: none before the last that has
 * landed for sure. */
static uint32_t first_candidate(const struct sender *sender, struct span span)
{
    if (!sender->sets)
        return span.may;
    for (uint32_t i = span.must; i-- > 0;)
        if (sender->told[i].set)
            return i;
    return span.must;
}

/* Is a value that is too small all that can keep the condition from being true, and the sum of
 * what may have landed too small without any one of the last notifies? */
static bool all_needed(struct condition c, int64_t high, int64_t least)
{
    const int64_t other = high - least;

    if (high > INT32_MAX)
        return false; /* it may have gone round */
    if (c.comparison == PTO_CMP_GT)
        return other <= c.value;
    return (c.comparison == PTO_CMP_EQ || c.comparison == PTO_CMP_GE) && other < c.value;
}

bool signal_needs_all(const struct signal *signal, struct condition c)
{
    return !signal->unsteady && signal->least < INT64_MAX &&
           all_needed(c, signal->total, signal->least);
}

struct signal_sum signal_sum(const struct signal *signal, const struct span *span,
                             struct condition c)
{
    struct signal_sum sum = {.known = true, .range = {signal->base, signal->base}};
    int64_t least = INT64_MAX;
    bool rises = true;

    for (uint32_t s = 0; s < signal->senders; s++) {
        const struct sender *sender = &signal->sender[s];
        struct range more;

        if (sender->sets)
            return (struct signal_sum){.known = false};
        rises = rises && !sender->falls;
        if (rises && span[s].may > span[s].must && sender->told[span[s].may - 1].value < least)
            least = sender->told[span[s].may - 1].value;
        more = added(sender, 0, 0, span[s]);
        sum.range.low += more.low;
        sum.range.high += more.high;
    }
    sum.all_needed = rises && least < INT64_MAX && all_needed(c, sum.range.high, least);
    return sum;
}

/* Has a state a value that makes the condition true?  *witness: the last set of such a state;
 * sender UINT32_MAX: none. */
static bool find_value(const struct signal *signal, const struct span *span, struct condition c,
                       struct last_set *witness)
{
    struct range range;

    *witness = (struct last_set){UINT32_MAX, 0};
    if (range_unset(signal, span, &range) && possible_in(c, range))
        return true;
    for (uint32_t s = 0; s < signal->senders; s++)
        for (uint32_t i = first_candidate(&signal->sender[s], span[s]); i < span[s].may; i++) {
            *witness = (struct last_set){s, i};
            if (signal->sender[s].told[i].set &&
                range_behind(signal, span, *witness, &range) && possible_in(c, range))
                return true;
        }
    return false;
}

bool signal_can_be(const struct signal *signal, const struct span *span, struct condition c)
{
    struct last_set witness;

    return find_value(signal, span, c, &witness);
}

bool signal_surely(const struct signal *signal, const struct span *span, struct condition c)
{
    struct spans least;
    struct last_set witness;
    bool fails;

    if (signal->senders == 1)
        return signal_holds(c, signal_value_after(signal, 0, span[0].must));
    spans_make(&least, signal);
    for (uint32_t s = 0; s < signal->senders; s++)
        least.of[s] = (struct span){span[s].must, span[s].must};
    fails = find_value(signal, least.of, opposite(c), &witness);
    spans_free(&least);
    return !fails;
}

bool signal_can_fail(const struct signal *signal, const struct span *span, struct condition c,
                     const struct release **set)
{
    struct spans all;
    struct last_set witness;
    bool fails;

    spans_make(&all, signal);
    for (uint32_t s = 0; s < signal->senders; s++)
        all.of[s] = (struct span){span[s].may, span[s].may};
    fails = find_value(signal, all.of, opposite(c), &witness);
    spans_free(&all);
    *set = fails && witness.sender < UINT32_MAX
               ? signal->sender[witness.sender].told[witness.index].release : NULL;
    return fails;
}

/* ---- what a condition needs ---- */

int64_t signal_value_after(const struct signal *signal, uint32_t number, uint32_t count)
{
    const struct sender *sender = &signal->sender[number];

    for (uint32_t i = sender->sets ? count : 0; i-- > 0;)
        if (sender->told[i].set)
            return sender->told[i].value + signal_sum_up_to(sender, count) - sender->told[i].sum;
    return signal->base + signal_sum_up_to(sender, count) - sender->folded_sum;
}

bool signal_holds(struct condition c, int64_t value)
{
    return possible_in(c, (struct range){value, value});
}

/* With one sender there is one order. */
static uint32_t needed_of_one(const struct signal *signal, struct span span, struct condition c)
{
    int64_t value = signal_value_after(signal, 0, span.must);

    for (uint32_t i = span.must; i < span.may; i++) {
        const struct told *told = &signal->sender[0].told[i];

        if (signal_holds(c, value))
            return i;
        value = told->set ? told->value : value + told->value;
    }
    return span.may;
}

/* Can the condition hold without notify `index` of sender `s` and all that is behind it? */
static bool holds_without(const struct signal *signal, const struct span *span, struct condition c,
                          uint32_t s, uint32_t index, struct span *left)
{
    const struct release *out = signal->sender[s].told[index].release;
    struct point point = {out->core, out->epoch};

    for (uint32_t i = 0; i < signal->senders; i++) {
        left[i] = span[i];
        left[i].may = i == s ? index
                             : signal_count_before(&signal->sender[i], span[i].must, span[i].may,
                                                   point);
    }
    return signal_can_be(signal, left, c);
}

/* The same, but what is behind the notify may stay: quick, and if not even so, then not at all. */
static bool holds_with_rest(const struct signal *signal, struct span *span, struct condition c,
                            uint32_t s, uint32_t index, const struct signal_sum *sum)
{
    uint32_t may = span[s].may;
    bool can;

    if (sum->known) {
        const struct sender *sender = &signal->sender[s];
        struct range all = added(sender, 0, 0, span[s]);
        struct range left = added(sender, 0, 0, (struct span){span[s].must, index});

        return possible_in(c, (struct range){sum->range.low - all.low + left.low,
                                             sum->range.high - all.high + left.high});
    }
    span[s].may = index;
    can = signal_can_be(signal, span, c);
    span[s].may = may;
    return can;
}

uint32_t signal_needed(const struct signal *signal, struct span *span, struct condition c,
                       uint32_t s, const struct signal_sum *sum)
{
    uint32_t low = span[s].must, high = span[s].may;
    struct spans left;

    if (signal->senders == 1)
        return needed_of_one(signal, span[0], c);
    if (low == high || sum->all_needed || !holds_with_rest(signal, span, c, s, high - 1, sum))
        return high;
    spans_make(&left, signal);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (holds_without(signal, span, c, s, middle, left.of))
            high = middle;
        else
            low = middle + 1;
    }
    spans_free(&left);
    return low;
}

/* ---- folding ---- */

bool signal_settled_value(const struct signal *signal, const struct span *span, int64_t *value)
{
    struct range range;
    unsigned states = 0;

    if (range_unset(signal, span, &range))
        states++;
    for (uint32_t s = 0; s < signal->senders && states < 2; s++)
        for (uint32_t i = first_candidate(&signal->sender[s], span[s]); i < span[s].may; i++) {
            struct range behind;

            if (!signal->sender[s].told[i].set ||
                !range_behind(signal, span, (struct last_set){s, i}, &behind))
                continue;
            range = behind;
            states++;
        }
    *value = range.low;
    return states == 1 && range.low == range.high;
}
