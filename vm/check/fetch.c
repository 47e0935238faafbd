/* Which fetch_adds there were, of which words, and what was proved of them.
 *
 * fetch_adds of a word come in some order, and each reads the sum of those before it.  So a value
 * can prove that others have come: who counts up to the last one knows that all have passed, who
 * is next in a lock knows that its holder has left.  An add is proved for a reader if the reader
 * could not have gone its way (fetch_way.c) without it, whoever else has come (fetch_turn.c).
 *
 * That is known when all adds are, so it is asked at the end of a run that has findings; the same
 * run is then done once more with what was proved (pto_check_doubtful).  TNOTIFYs and waits of such
 * words are records like the others.  A word that is used too often proves nothing. */
#include <stdlib.h>
#include <string.h>

#include "check/fetch.h"
#include "check/fetches.h"

enum {
    WORD_SLOTS = 256,
    LIVE_SLOTS = 64,
    MOST_FETCHES = 1 << 14, /* of all words that are kept */
    MOST_OF_WORD = 1 << 12,
    POLLS_APART = 64        /* how far back the last poll is looked for */
};

/* Whoever reads by that act of S knows this one. */
struct proof {
    uint32_t core, epoch, sender, sender_epoch;
};

/* A word of which signals kept account when its first fetch_add came. */
struct mixed {
    int rank;
    uint32_t object;
    uint64_t offset;
};

struct fetches {
    struct fetch_life *life;
    uint32_t lives, life_capacity, slot[WORD_SLOTS];
    struct fetch *fetch;     /* in the order of the run */
    uint32_t fetched, capacity;
    struct fetch_live live[LIVE_SLOTS];
    struct proof *proof;     /* the first `old` are of the runs before, in order */
    uint32_t proofs, old, proof_capacity;
    struct mixed *mixed;     /* likewise */
    uint32_t mixes, old_mixes, mixed_capacity;
};

static struct fetches *get_all(struct pto_check *check)
{
    if (!check->fetches)
        check->fetches = pto_xcalloc(1, sizeof *check->fetches);
    return check->fetches;
}

struct fetch_live *fetch_live_slot(struct pto_check *check, uint32_t hash)
{
    return &get_all(check)->live[hash % LIVE_SLOTS];
}

/* ---- words ---- */

static uint32_t *slot_of(struct fetches *all, int rank, uint32_t object, uint64_t offset)
{
    return &all->slot[(offset / 4 + object * 31 + (uint32_t)rank * 7) % WORD_SLOTS];
}

/* The word's last life. */
static struct fetch_life *find_life(struct fetches *all, int rank, uint32_t object,
                                    uint64_t offset)
{
    for (uint32_t at = *slot_of(all, rank, object, offset); at; at = all->life[at - 1].next) {
        struct fetch_life *life = &all->life[at - 1];

        if (life->rank == rank && life->object == object && life->offset == offset)
            return life;
    }
    return NULL;
}

/* `at`: where its number belongs. */
static struct fetch_life *new_life(struct fetches *all, struct fetch_life life, int64_t value,
                                   uint32_t *at)
{
    life.base = life.now = value;
    life.newest = true;
    life.kept = 0;
    *at = all->lives + 1;
    PTO_GROW(all->life, all->lives, all->life_capacity);
    all->life[all->lives] = life;
    return &all->life[all->lives++];
}

/* The word has got another value; `begun` takes over the reference. */
static struct fetch_life *begin_life(struct fetches *all, struct fetch_life *before, int64_t value,
                       struct release *begun)
{
    struct fetch_life life = *before;
    uint32_t number = (uint32_t)(before - all->life) + 1;
    uint32_t *at = slot_of(all, life.rank, life.object, life.offset);

    if (!before->kept && !before->begun) { /* nothing was seen of it */
        before->base = before->now = value;
        before->begun = begun;
        return before;
    }
    while (*at != number)
        at = &all->life[*at - 1].next;
    before->newest = false;
    life.older = number;
    life.begun = begun;
    return new_life(all, life, value, at);
}

static void drop_fetch(struct fetch *fetch)
{
    check_release_drop(fetch->release);
    free(fetch->way);
}

/* All lives of the word. */
static void break_word(struct fetches *all, struct fetch_life *newest)
{
    uint32_t kept = 0;

    for (struct fetch_life *life = newest;; life = &all->life[life->older - 1]) {
        life->broken = true;
        life->kept = 0;
        if (!life->older)
            break;
    }
    for (uint32_t i = 0; i < all->fetched; i++)
        if (all->life[all->fetch[i].life].broken)
            drop_fetch(&all->fetch[i]);
        else
            all->fetch[kept++] = all->fetch[i];
    all->fetched = kept;
}

static const struct mixed *find_mixed(const struct fetches *all, int rank, uint32_t object,
                                      uint64_t offset)
{
    for (uint32_t i = 0; i < all->mixes; i++)
        if (all->mixed[i].rank == rank && all->mixed[i].object == object &&
            all->mixed[i].offset == offset)
            return &all->mixed[i];
    return NULL;
}

/* The first fetch_add of a word, or the first TNOTIFY of one that is known to have some. */
static struct fetch_life *first_life(struct pto_check *check, int rank, uint32_t object,
                                     uint64_t offset, int64_t value)
{
    struct fetches *all = get_all(check);
    uint32_t *slot = slot_of(all, rank, object, offset);
    struct fetch_life *life =
        new_life(all, (struct fetch_life){.rank = rank, .object = object, .offset = offset,
                                          .next = *slot}, value, slot);

    if (signal_find(check, rank, object, offset) && !find_mixed(all, rank, object, offset)) {
        PTO_GROW(all->mixed, all->mixes, all->mixed_capacity);
        all->mixed[all->mixes++] = (struct mixed){rank, object, offset};
        life->broken = true; /* its TNOTIFYs are known in the next run */
    }
    return life;
}

/* ---- what happens to them ---- */

static void learn_one(struct pto_check *check, struct check_core *core, const struct proof *proof)
{
    const struct fetches *all = check->fetches;

    for (uint32_t i = all->fetched; i-- > 0;) {
        const struct release *release = all->fetch[i].release;

        if (release->core == proof->sender && release->epoch == proof->sender_epoch) {
            check_hear(core, release, &check->shape);
            return;
        }
    }
}

static int compare(const void *one, const void *two)
{
    const struct proof *a = one, *b = two;

    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    return a->epoch < b->epoch ? -1 : a->epoch > b->epoch;
}

/* What was proved of this act of S by an earlier run. */
static void learn(struct pto_check *check, struct check_core *core)
{
    const struct fetches *all = check->fetches;
    const struct proof wanted = {.core = core->id, .epoch = core->count[PTO_PIPE_S]};
    const struct proof *proof =
        all->old ? bsearch(&wanted, all->proof, all->old, sizeof wanted, compare) : NULL;

    while (proof && proof > all->proof && !compare(proof - 1, &wanted))
        proof--;
    for (; proof && proof < all->proof + all->old && !compare(proof, &wanted); proof++)
        learn_one(check, core, proof);
}

/* A poll that finds what the one before it has found, and goes the same way, proves no more. */
static bool is_poll_again(const struct fetches *all, uint32_t core, const struct fetch *fetch)
{
    uint32_t stop = all->fetched > POLLS_APART ? all->fetched - POLLS_APART : 0;

    for (uint32_t i = all->fetched; i-- > stop;) {
        const struct fetch *before = &all->fetch[i];

        if (before->life != fetch->life)
            continue;
        if (before->value != fetch->value)
            return false;
        if (before->release->core == core)
            return before->delta == 0 && before->way && way_is_same(before->way, fetch->way);
    }
    return false;
}

/* Room for one more; false: that would be too many. */
static bool has_room(struct fetches *all, struct fetch_life *life)
{
    if (life->kept < MOST_OF_WORD && all->fetched < MOST_FETCHES) {
        life->kept++;
        return true;
    }
    break_word(all, life);
    return false;
}

static void add_fetch(struct fetches *all, const struct fetch *fetch)
{
    PTO_GROW(all->fetch, all->fetched, all->capacity);
    all->fetch[all->fetched++] = *fetch;
}

/* Does S go as it would have gone before all others?  A word that has its first value again may
 * have got it from those whom S knows: then that it has is what S learns. */
static bool goes_as_first(const struct fetch_life *life, const struct fetch *fetch)
{
    return (fetch->value != life->base || !life->kept) && way_goes(fetch->way, life->base, true);
}

/* S reads the word, and goes its way.  What it does with any value, or does as it would have done
 * before all others or does again, is no record if it adds nothing. */
static void read_word(struct pto_check *check, struct check_core *core, struct fetch_life *life,
                      struct fetch *fetch)
{
    struct fetches *all = check->fetches;
    const struct way *way = fetch->way;

    fetch->life = (uint32_t)(life - all->life);
    if ((fetch->delta == 0 &&
         (!way || goes_as_first(life, fetch) || is_poll_again(all, core->id, fetch))) ||
        !has_room(all, life)) {
        free(fetch->way);
        return;
    }
    learn(check, core);
    fetch->release = check_release(check, core);
    add_fetch(all, fetch);
}

/* Has something else given the word a value?  Plain stores are in order with everything here, or
 * race; of atomic ones that is not known. */
static struct fetch_life *meet_change(struct pto_check *check, struct fetch_life *life,
                                      int64_t value)
{
    struct fetches *all = check->fetches;
    struct shadow_span word;

    if (life->broken || life->now == value)
        return life;
    if (!shadow_span_of(&check->object[life->rank][life->object], &check->pools, life->offset,
                        sizeof(int32_t), &word) ||
        check->state[word.state].writer & ACCESS_ATOMIC)
        break_word(all, life);
    else
        life = begin_life(all, life, value, NULL);
    return life;
}

void fetch_foresee(struct pto_check *check, const struct core *core, uint32_t object,
                   uint64_t offset, const void *element)
{
    struct fetches *all = check->fetches;
    struct fetch_life *life = all ? find_life(all, core->rank->number, object, offset) : NULL;
    int32_t value;

    memcpy(&value, element, sizeof value);
    if (life)
        meet_change(check, life, value);
}

void fetch_note(struct pto_check *check, struct check_core *core, uint32_t object, uint64_t offset,
                int64_t value, int64_t delta)
{
    const int rank = core->core->rank->number;
    struct fetches *all = get_all(check);
    struct fetch_life *life = find_life(all, rank, object, offset);
    struct fetch fetch = {.value = value, .delta = delta};

    if (!life)
        life = first_life(check, rank, object, offset, value);
    if (life->broken)
        return;
    life->now = value + delta;
    if (life->now != (int32_t)life->now) {
        break_word(all, life);
        return;
    }
    fetch.way = way_of_core(check, core->core, value);
    read_word(check, core, life, &fetch);
}

void fetch_meet_notify(struct pto_check *check, int rank, uint32_t object, uint64_t offset,
                       struct release *release, int64_t now, int64_t value, bool set)
{
    struct fetches *all = check->fetches;
    struct fetch_life *life = all ? find_life(all, rank, object, offset) : NULL;

    if (!life && all && find_mixed(all, rank, object, offset))
        life = first_life(check, rank, object, offset, now);
    if (!life)
        return;
    life = meet_change(check, life, now);
    if (life->broken)
        return;
    if (set) {
        release->refs++;
        begin_life(all, life, value, release);
    } else if (now + value != (int32_t)(now + value)) {
        break_word(all, life);
    } else if (has_room(all, life)) {
        release->refs++;
        life->now = now + value;
        add_fetch(all, &(struct fetch){.release = release, .value = now, .delta = value,
                                       .life = (uint32_t)(life - all->life)});
    }
}

bool fetch_has_part(const struct pto_check *check, int rank, uint32_t object, uint64_t offset)
{
    struct fetches *all = check->fetches;
    const struct mixed *mixed = all ? find_mixed(all, rank, object, offset) : NULL;

    if (mixed)
        return mixed < all->mixed + all->old_mixes;
    return all && find_life(all, rank, object, offset);
}

void fetch_meet_wait(struct pto_check *check, struct check_core *core, uint32_t object,
                     uint64_t offset, const void *element)
{
    const struct signal_wait *wait = core_wait_held(core->core);
    struct fetch_life *life =
        find_life(check->fetches, core->core->rank->number, object, offset);
    struct condition c = {wait->comparison, wait->value};
    int32_t value;

    memcpy(&value, element, sizeof value);
    life = life ? meet_change(check, life, value) : NULL;
    if (life && !life->broken)
        read_word(check, core, life, &(struct fetch){.value = value, .way = way_of_wait(c)});
}

/* ---- the end ---- */

void fetch_prove(struct pto_check *check, const struct fetch *reader, const struct fetch *sender)
{
    struct fetches *all = check->fetches;
    const struct release *to = reader->release, *from = sender->release;

    PTO_GROW(all->proof, all->proofs, all->proof_capacity);
    all->proof[all->proofs++] = (struct proof){to->core, to->epoch, from->core, from->epoch};
}

void fetch_finish(struct pto_check *check)
{
    const struct fetches *all = check->fetches;
    struct fetch **fetch;
    uint64_t steps = 0;

    if (!all)
        return;
    check->provable = all->mixes > all->old_mixes;
    if (!check->any || check->doubtful || check->provable)
        return;
    fetch = pto_xmalloc((all->fetched + 1) * sizeof(struct fetch *));
    for (int rank = 0; rank < check->vm->ranks; rank++) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < all->fetched; i++)
            if (all->life[all->fetch[i].life].rank == rank)
                fetch[count++] = &all->fetch[i];
        if (count)
            fetch_play(check, fetch, count, all->life, all->lives, &steps);
    }
    free(fetch);
    check->provable = all->proofs > all->old;
}

/* A copy of an array, NULL of none. */
static void *copy_of(const void *from, size_t bytes)
{
    void *to = bytes ? pto_xmalloc(bytes) : NULL;

    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

void fetch_inherit(struct pto_check *check, const struct pto_check *before)
{
    const struct fetches *old = before->fetches;
    struct fetches *all;

    if (!old || !(old->proofs || old->mixes))
        return;
    all = get_all(check);
    all->proofs = all->old = all->proof_capacity = old->proofs;
    all->proof = copy_of(old->proof, old->proofs * sizeof *old->proof);
    all->mixes = all->old_mixes = all->mixed_capacity = old->mixes;
    all->mixed = copy_of(old->mixed, old->mixes * sizeof *old->mixed);
    if (all->proofs)
        qsort(all->proof, all->proofs, sizeof *all->proof, compare);
}

void fetch_free(struct pto_check *check)
{
    struct fetches *all = check->fetches;

    if (!all)
        return;
    for (uint32_t i = 0; i < all->fetched; i++)
        drop_fetch(&all->fetch[i]);
    for (uint32_t i = 0; i < all->lives; i++)
        check_release_drop(all->life[i].begun);
    free(all->fetch);
    free(all->life);
    free(all->proof);
    free(all->mixed);
    free(all);
}
