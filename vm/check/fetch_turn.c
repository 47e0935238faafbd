/* Who comes only behind others.
 *
 * Numbers alone prove nothing of a barrier that counts on: who has passed it counts again, in place
 * of one that has not come yet.  But nobody passes whom the count did not let.  So all others go as
 * far as they can while one stands still: behind what their S knows, and with the value that their
 * way needs.  What the reader still lacks then is of the one that stood still. */
#include <stdlib.h>
#include <string.h>

#include "check/fetch.h"

enum {
    NONE = UINT32_MAX,
    MOST_STEPS = 1 << 29 /* in all words of a run; about a second */
};

struct play {
    const struct fetch_order *order;
    uint32_t parties, reader;
    uint32_t *party; /* [fetch] whose it is */
    uint32_t *next;  /* [fetch] the next of that party, or NONE; itself: see is_left_out */
    uint32_t *back;  /* [fetch] the one before, or NONE */
    int64_t *come;   /* [fetch] what that party has added by then */
    uint32_t *first; /* [party] */
    uint32_t *last;  /* [party] before the reader, or NONE */
    uint32_t *start; /* [party] the first that the reader does not know of, or NONE */
    int64_t known;   /* what has come before these */
    uint32_t *at;    /* [party] what has not come yet, or NONE */
    int64_t sum;     /* of what has come */
    uint64_t *steps;
};

static void find_parties(struct play *play)
{
    const struct fetch_order *order = play->order;
    uint32_t *of = pto_xmalloc(order->cores * sizeof *of);

    memset(of, 0xff, order->cores * sizeof *of);
    for (uint32_t i = order->begin; i < order->end; i++) {
        uint32_t *party = &of[order->word->fetch[i].release->core];

        if (*party == NONE)
            *party = play->parties++;
        play->party[i] = *party;
    }
    free(of);
}

/* A poll before another one of that S: who passes the later one has passed it.  It is a reader like
 * all others, but nobody's turn depends on it. */
static bool is_left_out(const struct play *play, uint32_t i)
{
    return play->next[i] == i;
}

static void line_up(struct play *play)
{
    const struct fetch_order *order = play->order;
    const struct fetch *fetch = order->word->fetch;

    find_parties(play);
    for (uint32_t p = 0; p < play->parties; p++)
        play->first[p] = play->last[p] = NONE;
    for (uint32_t i = order->end; i-- > order->begin;) {
        uint32_t *first = &play->first[play->party[i]];

        play->next[i] = *first;
        if (*first == NONE || fetch[i].delta || fetch[*first].delta)
            *first = i;
        else
            play->next[i] = i;
    }
    for (uint32_t i = order->begin; i < order->end; i++) {
        uint32_t *last;

        if (is_left_out(play, i))
            continue;
        last = &play->last[play->party[i]];
        play->back[i] = *last;
        play->come[i] = fetch[i].delta + (*last == NONE ? 0 : play->come[*last]);
        *last = i;
    }
    memset(play->last, 0xff, play->parties * sizeof *play->last);
}

static bool can_come(const struct play *play, uint32_t i)
{
    const struct fetch *fetch = play->order->word->fetch;

    ++*play->steps;
    if (fetch[i].gate - fetch[play->order->begin].value > play->sum || i == play->reader ||
        fetch_knows(play->order, i, play->reader))
        return false;
    *play->steps += play->parties;
    for (uint32_t p = 0; p < play->parties; p++)
        if (play->at[p] != NONE && play->at[p] != i && fetch_knows(play->order, i, play->at[p]))
            return false;
    return true;
}

static void come(struct play *play, uint32_t party)
{
    play->sum += play->order->word->fetch[play->at[party]].delta;
    play->at[party] = play->next[play->at[party]];
}

/* All but one go as far as they can, or until it is enough for the reader. */
static bool is_enough(struct play *play, uint32_t still)
{
    const struct fetch *fetch = play->order->word->fetch;
    const int64_t need = fetch[play->reader].need - fetch[play->order->begin].value;

    for (bool moved = true; moved && play->sum < need;) {
        moved = false;
        for (uint32_t p = 0; p < play->parties; p++)
            while (p != still && play->at[p] != NONE && can_come(play, play->at[p])) {
                come(play, p);
                moved = true;
            }
    }
    return play->sum >= need;
}

/* The last of one party's that the reader cannot do without, or NONE. */
static uint32_t find_needed(struct play *play, uint32_t party)
{
    uint32_t needed = NONE;

    play->sum = play->known;
    memcpy(play->at, play->start, play->parties * sizeof *play->at);
    while (!is_enough(play, party)) {
        needed = play->at[party];
        if (needed == NONE || needed > play->last[party])
            return NONE; /* never: the run itself has come to the reader without it */
        come(play, party);
    }
    return needed;
}

/* What the reader knows of has come. */
static void begin(struct play *play)
{
    play->known = 0;
    for (uint32_t p = 0; p < play->parties; p++) {
        uint32_t i = play->last[p];

        for (; i != NONE && !fetch_knows(play->order, play->reader, i); i = play->back[i])
            ++*play->steps;
        play->start[p] = i == NONE ? play->first[p] : play->next[i];
        play->known += i == NONE ? 0 : play->come[i];
    }
}

static void prove_reader(struct pto_check *check, struct play *play)
{
    bool more = false;

    begin(play);
    for (uint32_t p = 0; p < play->parties && *play->steps < MOST_STEPS; p++) {
        uint32_t needed;

        if (p == play->party[play->reader] || play->last[p] == NONE ||
            fetch_knows(play->order, play->reader, play->last[p]))
            continue;
        needed = find_needed(play, p);
        if (needed == NONE || fetch_knows(play->order, play->reader, needed))
            continue;
        fetch_prove(check, play->order, play->reader, needed);
        more = true;
    }
    if (more)
        fetch_pass_on(play->order, play->reader);
}

void fetch_turns(struct pto_check *check, const struct fetch_order *order, uint64_t *steps)
{
    const size_t fetches = order->word->fetches;
    uint32_t *room = pto_xmalloc(7 * fetches * sizeof *room);
    struct play play = {.order = order, .steps = steps, .party = room, .next = room + fetches,
                        .first = room + 2 * fetches, .last = room + 3 * fetches,
                        .at = room + 4 * fetches, .back = room + 5 * fetches,
                        .start = room + 6 * fetches,
                        .come = pto_xmalloc(fetches * sizeof *play.come)};

    line_up(&play);
    for (play.reader = order->begin; play.reader < order->end; play.reader++) {
        if (fetch_is_apart(order, play.reader))
            prove_reader(check, &play);
        if (!is_left_out(&play, play.reader))
            play.last[play.party[play.reader]] = play.reader;
    }
    free(play.come);
    free(room);
}
