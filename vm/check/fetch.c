/* What the value of a fetch_add proves.
 *
 * fetch_adds of a word come in some order, and each reads the sum of those before it.  So a value
 * can prove that others have come: who counts up to the last one knows that all have passed, who
 * is next in a lock knows that its holder has left.  An add is proved for a reader if the reader's
 * value, as far as its way needs it (fetch_way.c), cannot be reached without it by all that is not
 * ordered behind the reader.
 *
 * That is known when all adds are, so it is asked at the end of a run that has findings; the same
 * run is then done once more with what was proved (pto_check_doubtful).  A word that is set back,
 * or counted down, begins afresh; one that something else raises, or that is used too often, proves
 * nothing.  fetch_turn.c proves more, of those that poll. */
#include <stdlib.h>
#include <string.h>

#include "check/fetch.h"

enum {
    WORD_SLOTS = 256,
    MOST_FETCHES = 1 << 14, /* of all words that are kept */
    MOST_OF_WORD = 1 << 12
};

/* Whoever reads by that fetch_add of S knows this one. */
struct proof {
    uint32_t core, epoch, sender, sender_epoch;
};

struct fetches {
    struct fetch_word *word;
    uint32_t words, word_capacity, slot[WORD_SLOTS], kept;
    struct proof *proof;     /* the first `old` are of the runs before, in order */
    uint32_t proofs, old, proof_capacity;
};

/* ---- records ---- */

static uint32_t *slot_of(struct fetches *all, int rank, uint32_t object, uint64_t offset)
{
    return &all->slot[(offset / 4 + object * 31 + (uint32_t)rank * 7) % WORD_SLOTS];
}

static struct fetch_word *find_word(struct fetches *all, int rank, uint32_t object,
                                    uint64_t offset)
{
    for (uint32_t at = *slot_of(all, rank, object, offset); at; at = all->word[at - 1].next) {
        struct fetch_word *word = &all->word[at - 1];

        if (word->rank == rank && word->object == object && word->offset == offset)
            return word;
    }
    return NULL;
}

static struct fetch_word *get_word(struct fetches *all, int rank, uint32_t object,
                                   uint64_t offset)
{
    struct fetch_word *word = find_word(all, rank, object, offset);
    uint32_t *slot = slot_of(all, rank, object, offset);

    if (word)
        return word;
    PTO_GROW(all->word, all->words, all->word_capacity);
    all->word[all->words] =
        (struct fetch_word){.rank = rank, .object = object, .offset = offset, .next = *slot};
    *slot = ++all->words;
    return &all->word[all->words - 1];
}

static void break_word(struct fetches *all, struct fetch_word *word)
{
    for (uint32_t i = 0; i < word->fetches; i++)
        check_release_drop(word->fetch[i].release);
    for (uint32_t i = 0; i < word->resets; i++)
        check_release_drop(word->reset[i]);
    all->kept -= word->fetches + word->resets;
    word->fetches = word->resets = 0;
    word->broken = true;
}

/* Room for one more fetch_add or reset; false: that would be too many. */
static bool has_room(struct fetches *all, struct fetch_word *word)
{
    if (word->fetches + word->resets < MOST_OF_WORD && all->kept < MOST_FETCHES) {
        all->kept++;
        return true;
    }
    break_word(all, word);
    return false;
}

static void set_back(struct fetches *all, struct fetch_word *word, struct release *release)
{
    if (!has_room(all, word)) {
        check_release_drop(release);
        return;
    }
    PTO_GROW(word->reset, word->resets, word->reset_capacity);
    word->reset[word->resets++] = release;
}

static int compare(const void *one, const void *two)
{
    const struct proof *a = one, *b = two;

    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    return a->epoch < b->epoch ? -1 : a->epoch > b->epoch;
}

/* What was proved of this reader by an earlier run. */
static void learn(struct pto_check *check, struct check_core *core, const struct fetch_word *word,
                  uint32_t epoch)
{
    const struct fetches *all = check->fetches;
    const struct proof wanted = {.core = core->id, .epoch = epoch};
    const struct proof *proof =
        all->old ? bsearch(&wanted, all->proof, all->old, sizeof wanted, compare) : NULL;

    while (proof && proof > all->proof && !compare(proof - 1, &wanted))
        proof--;
    for (; proof && proof < all->proof + all->old && !compare(proof, &wanted); proof++)
        for (uint32_t i = word->fetches; i-- > 0;) {
            const struct release *release = word->fetch[i].release;

            if (release->core == proof->sender && release->epoch == proof->sender_epoch)
                check_hear(core, release, &check->shape);
        }
}

/* A poll that finds what the one before it has found, and needs no more of it, proves no more. */
static bool is_poll_again(const struct fetch_word *word, uint32_t core, const struct fetch *fetch)
{
    for (uint32_t i = word->fetches; i-- > 0 && word->fetch[i].value == fetch->value;)
        if (word->fetch[i].release->core == core)
            return !word->back && word->fetch[i].delta == 0 && word->fetch[i].need >= fetch->need;
    return false;
}

/* What has become of the word since the last look?  Who lowers it cannot have let a reader pass;
 * false: something else has raised it. */
static bool is_counted(struct fetch_word *word, int64_t value, int64_t delta)
{
    const bool other = word->used && value != word->expected;

    if (other && value > word->base)
        return false;
    word->back = word->back || other || delta < 0 || !word->used;
    word->used = true;
    word->expected = value + delta;
    return true;
}

void fetch_note(struct pto_check *check, struct check_core *core, uint32_t object, uint64_t offset,
                int64_t value, int64_t delta)
{
    struct fetch fetch = {.value = value, .delta = delta};
    struct fetches *all;
    struct fetch_word *word;

    if (!check->fetches)
        check->fetches = pto_xcalloc(1, sizeof *check->fetches);
    all = check->fetches;
    word = get_word(all, core->core->rank->number, object, offset);
    if (word->broken)
        return;
    if (!is_counted(word, value, delta)) {
        break_word(all, word);
        return;
    }
    if (delta < 0) {
        set_back(all, word, check_release(check, core));
        return;
    }
    if (word->back)
        word->base = value;
    fetch.first = word->back;
    fetch_find_need(core->core, word->base, &fetch);
    if (delta == 0 && (fetch.need <= word->base || is_poll_again(word, core->id, &fetch)))
        return; /* what it does it would do before all others, or as before */
    if (!has_room(all, word))
        return;
    learn(check, core, word, core->count[PTO_PIPE_S]);
    fetch.release = check_release(check, core);
    fetch.resets = word->resets;
    PTO_GROW(word->fetch, word->fetches, word->capacity);
    word->fetch[word->fetches++] = fetch;
    word->back = false;
}

/* A value that others can find before the fetch_adds, or behind them, whatever they found here. */
void fetch_meet_notify(struct pto_check *check, int rank, uint32_t object, uint64_t offset,
                       struct release *release, int64_t value, bool set)
{
    struct fetches *all = check->fetches;
    struct fetch_word *word = all ? find_word(all, rank, object, offset) : NULL;

    if (!word || word->broken)
        return;
    if (value > (set ? word->base : 0)) {
        break_word(all, word);
    } else {
        release->refs++;
        set_back(all, word, release);
    }
}

/* ---- proofs ---- */

static uint32_t *known_by(const struct fetch_order *order, uint32_t i)
{
    return order->known + (size_t)i * order->cores;
}

bool fetch_knows(const struct fetch_order *order, uint32_t i, uint32_t other)
{
    const struct release *release = order->word->fetch[other].release;

    return known_by(order, i)[release->core] >= release->epoch;
}

static void join(const struct fetch_order *order, uint32_t into, uint32_t from)
{
    uint32_t *a = known_by(order, into);
    const uint32_t *b = known_by(order, from);

    for (uint32_t c = 0; c < order->cores; c++)
        a[c] = a[c] > b[c] ? a[c] : b[c];
}

static void fill(const struct fetch_order *order)
{
    for (uint32_t i = 0; i < order->word->fetches; i++) {
        const struct release *release = order->word->fetch[i].release;

        for (uint32_t c = 0; c < order->cores; c++) {
            const struct row *row = far_row(release->frame.far, c);

            known_by(order, i)[c] = row ? row->lane[PTO_PIPE_S] : 0;
        }
        known_by(order, i)[release->core] = release->epoch;
    }
}

/* What is not behind the reader could come before it: by how much is that more than it has read? */
static int64_t count_spare(const struct fetch_order *order, uint32_t reader)
{
    const struct fetch *fetch = order->word->fetch;
    int64_t spare = fetch[order->begin].value - fetch[reader].need;

    for (uint32_t i = order->begin; i < order->end; i++)
        if (i != reader && !fetch_knows(order, i, reader))
            spare += fetch[i].delta;
    return spare;
}

void fetch_prove(struct pto_check *check, const struct fetch_order *order, uint32_t reader,
                 uint32_t sender)
{
    const struct release *to = order->word->fetch[reader].release;
    const struct release *from = order->word->fetch[sender].release;
    struct fetches *all = check->fetches;

    PTO_GROW(all->proof, all->proofs, all->proof_capacity);
    all->proof[all->proofs++] = (struct proof){to->core, to->epoch, from->core, from->epoch};
    join(order, reader, sender);
}

void fetch_pass_on(const struct fetch_order *order, uint32_t reader)
{
    for (uint32_t i = reader + 1; i < order->word->fetches; i++)
        if (fetch_knows(order, i, reader))
            join(order, i, reader);
}

/* From the latest back: without an add, all of its sender's behind it are missing, too.  If that is
 * more than can be spared, the reader has read it. */
static bool prove_reader(struct pto_check *check, const struct fetch_order *order, uint32_t reader)
{
    const struct fetch *fetch = order->word->fetch;
    int64_t spare = count_spare(order, reader);
    bool more = false;

    if (!fetch_is_apart(order, reader))
        return false;
    memset(order->missing, 0, order->cores * sizeof *order->missing);
    for (uint32_t i = order->end; i-- > order->begin;) {
        int64_t *missing = &order->missing[fetch[i].release->core];

        if (i == reader || fetch_knows(order, i, reader))
            continue;
        *missing += fetch[i].delta;
        if (fetch[i].delta == 0 || *missing <= spare || fetch_knows(order, reader, i))
            continue;
        fetch_prove(check, order, reader, i);
        more = true;
    }
    if (more)
        fetch_pass_on(order, reader);
    return more;
}

bool fetch_is_apart(const struct fetch_order *order, uint32_t reader)
{
    for (uint32_t i = 0; i < order->begin; i++)
        if (!fetch_knows(order, reader, i))
            return false;
    for (uint32_t i = order->end; i < order->word->fetches; i++)
        if (!fetch_knows(order, i, reader))
            return false;
    for (uint32_t i = 0; i < order->word->fetch[reader].resets; i++) {
        const struct release *reset = order->word->reset[i];

        if (known_by(order, reader)[reset->core] < reset->epoch)
            return false;
    }
    return true;
}

/* What the last reader knows orders the one before it. */
static void prove_part(struct pto_check *check, const struct fetch_order *order, uint64_t *steps)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = order->end; i-- > order->begin;)
            more = prove_reader(check, order, i) || more;
    }
    fetch_turns(check, order, steps);
}

static void prove_word(struct pto_check *check, const struct fetch_word *word, uint64_t *steps)
{
    struct fetch_order order = {.word = word, .cores = check->cores};

    order.known = pto_xmalloc(((size_t)word->fetches * check->cores + 1) * sizeof *order.known);
    order.missing = pto_xmalloc(check->cores * sizeof *order.missing);
    fill(&order);
    while (order.end < word->fetches) {
        order.begin = order.end++;
        while (order.end < word->fetches && !word->fetch[order.end].first)
            order.end++;
        prove_part(check, &order, steps);
    }
    free(order.known);
    free(order.missing);
}

void fetch_finish(struct pto_check *check)
{
    const struct fetches *all = check->fetches;
    uint64_t steps = 0;

    if (!all || !check->any || check->doubtful)
        return;
    for (uint32_t i = 0; i < all->words; i++)
        prove_word(check, &all->word[i], &steps);
    check->provable = all->proofs > all->old;
}

void fetch_inherit(struct pto_check *check, const struct pto_check *before)
{
    struct fetches *all;

    if (!before->fetches || !before->fetches->proofs)
        return;
    all = check->fetches = pto_xcalloc(1, sizeof *all);
    all->proofs = all->old = all->proof_capacity = before->fetches->proofs;
    all->proof = pto_xmalloc(all->proofs * sizeof *all->proof);
    memcpy(all->proof, before->fetches->proof, all->proofs * sizeof *all->proof);
    qsort(all->proof, all->proofs, sizeof *all->proof, compare);
}

void fetch_free(struct pto_check *check)
{
    struct fetches *all = check->fetches;

    if (!all)
        return;
    for (uint32_t i = 0; i < all->words; i++) {
        break_word(all, &all->word[i]);
        free(all->word[i].fetch);
        free(all->word[i].reset);
    }
    free(all->word);
    free(all->proof);
    free(all);
}
