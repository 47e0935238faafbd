/* Values of signals that count on from launch to launch: do those that are told fit those that are
 * awaited? */
#include <stdlib.h>

#include "words.h"

enum { MOST_LEVELS = 16 };

static bool grows(struct lint_words *words, const struct lint_word *word)
{
    return lint_grows(&words->made[word->core], word->value);
}

static bool is_level(struct lint_words *words, const struct lint_word *word)
{
    return word->act == LINT_AWAITS && (word->how == PTO_CMP_GE || word->how == PTO_CMP_GT) &&
           grows(words, word);
}

static unsigned line_of(struct lint_words *words, const struct lint_word *word)
{
    const struct pto_code *code = &words->lint->kernel->core[word->core].code;

    return lint_place(words->lint, &code->insn[word->at]).line;
}

static struct pto_lint_finding *report(struct lint_words *words,
                                       const struct lint_word *word, const char *what)
{
    struct lint *lint = words->lint;

    lint_enter(lint, word->core);
    return lint_report(lint, PTO_LINT_VALUE, PTO_WARNING, PTO_LINT_UNKNOWN,
                       lint->code->insn[word->at].pos, "%s '%s' %s",
                       pto_op_info(lint->code->insn[word->at].op)->mnemonic,
                       lint->kernel->object[word->root].name, what);
}

/* ---- what counts on, and what does not ---- */

static const struct lint_word *find_level(struct lint_words *words,
                                          const struct lint_word *tell)
{
    for (uint32_t i = 0; i < words->words; i++)
        if (is_level(words, &words->word[i]) && lint_may_meet(tell, &words->word[i]))
            return &words->word[i];
    return NULL;
}

/* The wait counts on: what is set has to, and what is added must not. */
static void look_at_kind(struct lint_words *words, const struct lint_word *tell)
{
    const struct lint_word *wait = find_level(words, tell);

    if (!wait || grows(words, tell) == (tell->how == PTO_NOTIFY_SET))
        return;
    lint_hint(words->lint,
              report(words, tell,
                     tell->how == PTO_NOTIFY_SET
                         ? "sets a value that stays the same from launch to launch"
                         : "adds a value that itself grows from launch to launch"),
              "the wait in line %u waits for one that grows: %s", line_of(words, wait),
              tell->how == PTO_NOTIFY_SET ? "add, or set to what it waits for"
                                          : "set to it, or add the difference");
}

/* ---- steps ---- */

/* What the awaited values of a word have in common as steps: 0, there is only one value; -1, they
 * cannot be compared. */
static int64_t step_of(struct lint_words *words, const struct lint_word *tell)
{
    struct lint_form first = {.known = false};
    int64_t step = 0;

    for (uint32_t i = 0; i < words->words; i++) {
        const struct lint_word *word = &words->word[i];
        struct lint_form above;

        if (!word->reads || !lint_may_meet(tell, word))
            continue;
        if (!is_level(words, word))
            return -1;
        if (!first.known)
            first = word->form;
        above = lint_form_sum(&word->form, &first, -1);
        if (!above.known || lint_form_stride(&above))
            return -1;
        step = lint_form_content(&above, step);
    }
    return step;
}

static void look_at_step(struct lint_words *words, const struct lint_word *tell)
{
    int64_t step = step_of(words, tell), number;

    if (tell->how != PTO_NOTIFY_ADD || step <= 0 || !lint_form_number(&tell->form, &number) ||
        number <= step)
        return;
    lint_hint(words->lint,
              report(words, tell, "adds more than the next wait counts on"),
              "it adds %lld, those who wait count in steps of %lld", (long long)number,
              (long long)step);
}

/* ---- counts ---- */

/* A TNOTIFY that adds a number, and comes once to a word: in a loop at most to that of another
 * rank in each turn.  How much; 0: it is none. */
static int64_t added_once(struct lint_words *words, const struct lint_word *tell)
{
    int64_t number;

    if (tell->act != LINT_TELLS || tell->how != PTO_NOTIFY_ADD ||
        !lint_form_number(&tell->form, &number) || number < 0 ||
        !lint_made_once(&words->made[tell->core], tell->at, &tell->gm->rank))
        return 0;
    return number;
}

/* What is added to a word in all, if that can be told; -1. */
static int64_t added(struct lint_words *words, const struct lint_word *wait)
{
    int64_t all = 0;

    for (uint32_t i = 0; i < words->words; i++) {
        const struct lint_word *tell = &words->word[i];
        int64_t number;

        if (!tell->writes || !lint_may_meet(tell, wait))
            continue;
        number = added_once(words, tell);
        if (number <= 0)
            return -1;
        all += number;
    }
    return all;
}

/* Are the two about the same words for sure, so that each word of one is one of the other? */
static bool surely_meet(const struct lint_word *a, const struct lint_word *b)
{
    if (a == b)
        return true;
    if (!a->placed || !b->placed || a->object != b->object)
        return false;
    for (unsigned dim = 0; dim < a->gm->indices; dim++) {
        struct lint_form least = lint_form_sum(&a->least[dim], &b->least[dim], -1);
        struct lint_form most = lint_form_sum(&a->most[dim], &b->most[dim], -1);
        int64_t first, last;

        if (!lint_form_number(&least, &first) || first || !lint_form_number(&most, &last) || last)
            return false;
    }
    return true;
}

/* How many different values of a word are waited for up to this wait, in the order of the text, at
 * least; -1: some cannot be compared. */
static int64_t awaited(struct lint_words *words, const struct lint_word *wait)
{
    const struct lint_form *seen[MOST_LEVELS];
    unsigned count = 0;

    for (const struct lint_word *word = words->word; word <= wait; word++) {
        struct lint_form more;
        bool known = false;

        if (word->act != LINT_AWAITS || !surely_meet(word, wait))
            continue;
        if (!is_level(words, word) || count == MOST_LEVELS)
            return -1;
        for (unsigned i = 0; i < count && !known; i++) {
            more = lint_form_sum(&word->form, seen[i], -1);
            if (!more.known || lint_form_stride(&more) || lint_form_stride(&word->form))
                return -1;
            known = more.terms == 0;
        }
        if (!known)
            seen[count++] = &word->form;
    }
    return count;
}

/* Is the word only ever added numbers to? */
static bool is_counted(const struct lint_words *words, const struct lint_word *wait)
{
    bool any = false;
    int64_t number;

    for (uint32_t i = 0; i < words->words; i++) {
        const struct lint_word *tell = &words->word[i];

        if (!tell->writes || !lint_may_meet(tell, wait))
            continue;
        any = tell->act == LINT_TELLS && tell->how == PTO_NOTIFY_ADD &&
              lint_form_number(&tell->form, &number);
        if (!any)
            return false;
    }
    return any;
}

/* What is awaited, of what this launch has a share of. */
static void look_at_share(struct lint_words *words, const struct lint_word *wait)
{
    struct lint_form each, rest;
    int64_t share, once, behind;

    if (!lint_made_split(&words->made[wait->core], &wait->form, &each, &rest, &share))
        return;
    if (lint_form_number(&each, &once) && lint_form_number(&rest, &behind) && share && once > 0 &&
        behind > once * share)
        lint_hint(words->lint,
                  report(words, wait, "waits for more than the share of this launch"),
                  "of %lld that the launch claims it waits for number %lld",
                  (long long)(once * share), (long long)behind);
    else if (is_counted(words, wait) && !lint_form_divides(&each, &rest))
        lint_hint(words->lint, report(words, wait, "waits for more, or less, than is added to it"),
                  "what it waits for is no multiple of what comes in a turn");
}

/* Of those who come: as many adds as values, and each value a multiple of what comes in a turn. */
static void look_at_count(struct lint_words *words, const struct lint_word *wait)
{
    int64_t all, values;

    if (!is_level(words, wait) || wait->how != PTO_CMP_GE)
        return;
    all = added(words, wait);
    values = awaited(words, wait);
    if (all > 0 && values > all)
        lint_hint(words->lint,
                  report(words, wait, "waits once more than anything is added to it"),
                  "up to here it waits for %lld different values, and all that is added is %lld",
                  (long long)values, (long long)all);
    else
        look_at_share(words, wait);
}

/* ---- values that are set ---- */

/* Mark the instructions that can be executed before `wait`; malloc'ed. */
static bool *find_before(const struct lint_words *words, const struct lint_word *wait)
{
    const struct lint_made *made = &words->made[wait->core];
    bool *before = pto_xcalloc((size_t)made->code->insns + 1, sizeof *before);

    before[wait->at] = true;
    if (wait->at) {
        before[0] = true;
        lint_flood(made->code, 0, before, made->todo);
    }
    return before;
}

enum fit { FIT_UNKNOWN, FIT_NO, FIT_YES };

/* Is the value that is set the one that is awaited?  In another turn of a loop, or by another
 * sub-core, it may be. */
static enum fit compare(struct lint_words *words, const struct lint_word *tell,
                        const struct lint_word *wait)
{
    struct lint_form more;
    int64_t number, stride;

    if (tell->act != LINT_TELLS || tell->how != PTO_NOTIFY_SET || !is_level(words, wait) ||
        wait->how != PTO_CMP_GE)
        return FIT_UNKNOWN;
    more = lint_form_sum(&tell->form, &wait->form, -1);
    if (!lint_form_number(&more, &number))
        return FIT_UNKNOWN;
    stride = lint_form_stride(&wait->form);
    if (number && stride && number % stride == 0)
        return FIT_UNKNOWN;
    return number ? FIT_NO : FIT_YES;
}

/* Does somebody set the very value that is awaited, before the wait is over? */
static bool is_served(struct lint_words *words, const struct lint_word *wait)
{
    bool found = false, any = false, known = true, *before;

    if (!is_level(words, wait))
        return true;
    before = find_before(words, wait);
    for (uint32_t i = 0; i < words->words && known; i++) {
        const struct lint_word *tell = &words->word[i];
        enum fit fit;

        if (!tell->writes || !lint_may_meet(tell, wait))
            continue;
        fit = compare(words, tell, wait);
        any = true;
        known = fit != FIT_UNKNOWN;
        found = found || (fit == FIT_YES && (tell->core != wait->core || before[tell->at]));
    }
    free(before);
    return found || !any || !known;
}

/* Does somebody wait for the very value that is set? */
static bool is_awaited(struct lint_words *words, const struct lint_word *tell)
{
    bool found = false, any = false;

    for (uint32_t i = 0; i < words->words; i++) {
        const struct lint_word *wait = &words->word[i];
        enum fit fit;

        if (!wait->reads || !lint_may_meet(tell, wait))
            continue;
        fit = compare(words, tell, wait);
        any = true;
        if (fit == FIT_UNKNOWN)
            return true;
        found = found || fit == FIT_YES;
    }
    return found || !any;
}

static void look_at_value(struct lint_words *words, const struct lint_word *word)
{
    if (word->act == LINT_AWAITS && !is_served(words, word))
        lint_hint(words->lint,
                  report(words, word, "waits for a value that nothing sets before it is over"),
                  "all that is set to it before is less, or more");
    if (word->act == LINT_TELLS && !is_awaited(words, word))
        lint_hint(words->lint, report(words, word, "sets a value that nothing waits for"),
                  "those who wait do so for other values");
}

void lint_levels(struct lint_words *words)
{
    for (uint32_t i = 0; i < words->words; i++) {
        const struct lint_word *word = &words->word[i];

        if (lint_others_do(words, word, false) || lint_others_do(words, word, true))
            continue;
        if (word->act == LINT_TELLS) {
            look_at_kind(words, word);
            look_at_step(words, word);
        }
        if (word->act == LINT_AWAITS)
            look_at_count(words, word);
        look_at_value(words, word);
    }
}
