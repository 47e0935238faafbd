/* What nobody could have read without others.
 *
 * Nobody passes whom the values did not let.  So all others go as far as they can while one stands
 * still: behind what their S knows, and where their words can have values with which they go their
 * way.  What the reader still lacks then is of the one that stood still. */
#include <stdlib.h>
#include <string.h>

#include "check/fetch_game.h"

enum { MOST_PASSES = 8, MOST_TRIED = 64 /* of one party, for one reader */ };

static const struct event *next_of(const struct game *game, uint32_t party)
{
    const struct player *p = &game->party[party];

    return game->at[party] < p->count ? &game->event[game->turn[p->first + game->at[party]]] : NULL;
}

/* Is it behind what has not come, or behind the reader? */
static bool is_held_up(const struct game *game, uint32_t event)
{
    const uint32_t *known = game_known(game, event);
    const struct event *reader = &game->event[game->reader];

    *game->steps += game->parties;
    if (known[reader->party] > reader->at)
        return true;
    for (uint32_t p = 0; p < game->parties; p++)
        if (known[p] > game->at[p])
            return true;
    return false;
}

static bool can_come(struct game *game, const struct event *event)
{
    const uint32_t number = (uint32_t)(event - game->event);

    ++*game->steps;
    return (!event->apart || sum_can_be(game, number, false)) && !is_held_up(game, number);
}

static void come(struct game *game, uint32_t party)
{
    const struct event *event = next_of(game, party);

    sum_add(game, (uint32_t)(event - game->event));
    game->at[party]++;
}

/* All but one go as far as they can, or until it is enough for the reader. */
static bool is_enough(struct game *game, uint32_t still)
{
    const uint32_t own = game->event[game->reader].party;

    for (bool moved = true; moved;) {
        if (sum_can_be(game, game->reader, true))
            return true;
        moved = false;
        for (uint32_t p = 0; p < game->parties; p++) {
            const struct event *event;

            while (p != still && p != own && (event = next_of(game, p)) && can_come(game, event)) {
                come(game, p);
                moved = true;
            }
        }
    }
    return false;
}

static void begin_play(struct game *game)
{
    memcpy(game->at, game->start, game->parties * sizeof *game->at);
    sum_begin(game);
}

/* How many of one party's have to come until it is enough for the reader; 0: no more than have. */
static uint32_t count_needed(struct game *game, uint32_t party)
{
    begin_play(game);
    while (!is_enough(game, party)) {
        if (game->at[party] >= game->party[party].done || *game->steps > FETCH_MOST_STEPS)
            return 0; /* never: the run itself has come to the reader without it */
        come(game, party);
    }
    return game->at[party] > game->start[party] ? game->at[party] : 0;
}

/* ---- knowledge ---- */

static void join(const struct game *game, uint32_t into, uint32_t from)
{
    uint32_t *a = game_known(game, into);
    const uint32_t *b = game_known(game, from);
    const struct event *sender = &game->event[from];

    for (uint32_t p = 0; p < game->parties; p++)
        if (p != game->event[into].party)
            a[p] = a[p] > b[p] ? a[p] : b[p];
    if (sender->party != game->event[into].party && a[sender->party] <= sender->at)
        a[sender->party] = sender->at + 1;
}

/* So do all that are behind the reader. */
static void pass_on(const struct game *game, uint32_t reader)
{
    const struct event *event = &game->event[reader];

    for (uint32_t i = reader + 1; i < game->events; i++)
        if (game_known(game, i)[event->party] > event->at)
            join(game, i, reader);
    *game->steps += game->events;
}

static struct point point_of(const struct release *release)
{
    return (struct point){release->core, release->epoch};
}

static bool is_behind_word(const struct game *game, uint32_t number, const struct word *word)
{
    for (uint32_t p = word->pairs; p; p = game->pair[p - 1].next) {
        const struct pair *pair = &game->pair[p - 1];
        uint32_t last = game->by_pair[pair->first + pair->count - 1];

        if (pair->party == game->event[number].party
                ? game->event[last].at > game->event[number].at
                : game_known(game, number)[pair->party] <= game->event[last].at)
            return false;
    }
    return true;
}

static bool is_before_word(const struct game *game, uint32_t number, const struct word *word)
{
    const struct event *event = &game->event[number];

    for (uint32_t p = word->pairs; p; p = game->pair[p - 1].next) {
        const struct pair *pair = &game->pair[p - 1];

        for (uint32_t i = 0; i < pair->count; i++) {
            uint32_t other = game->by_pair[pair->first + i];

            if (pair->party == event->party ? game->event[other].at < event->at
                                            : game_known(game, other)[event->party] <= event->at)
                return false;
        }
    }
    return true;
}

/* The TNOTIFYs that began lives of its word come before it or behind it. */
static bool is_apart_from_sets(const struct game *game, const struct fetch *fetch)
{
    const struct fetch_life *own = &game->life[fetch->life];

    for (const struct fetch_life *life = game->life; life < game->life + game->lives; life++)
        if (life->begun && fetch_life_is_of(life, own) &&
            !(life <= own ? signal_is_behind(fetch->release, point_of(life->begun))
                          : signal_is_behind(life->begun, point_of(fetch->release))))
            return false;
    *game->steps += game->lives;
    return true;
}

/* So does everybody of its word's other lives. */
static bool is_apart(const struct game *game, uint32_t number)
{
    const struct fetch *fetch = game->event[number].fetch;
    const struct fetch_life *own = &game->life[fetch->life];

    if (own->newest && !own->older && !own->begun)
        return true;
    if (!is_apart_from_sets(game, fetch))
        return false;
    for (uint32_t w = 0; w < game->words; w++) {
        const struct word *word = &game->word[w];
        const struct fetch_life *life = &game->life[word->life];

        if (life == own || !fetch_life_is_of(life, own))
            continue;
        if (life < own ? !is_behind_word(game, number, word) : !is_before_word(game, number, word))
            return false;
    }
    return true;
}

/* ---- proofs ---- */

/* The reader is behind what it knows, and nothing else. */
static void start_from_known(struct game *game)
{
    memcpy(game->start, game_known(game, game->reader), game->parties * sizeof *game->start);
    game->asked++;
}

/* The reader cannot do without the first so many of a party's. */
static void prove_needed(struct pto_check *check, struct game *game, uint32_t party,
                         uint32_t needed)
{
    const uint32_t sender = game->turn[game->party[party].first + needed - 1];

    fetch_prove(check, game->event[game->reader].fetch, game->event[sender].fetch);
    join(game, game->reader, sender);
    start_from_known(game);
}

static bool prove_reader(struct pto_check *check, struct game *game)
{
    const struct event *reader = &game->event[game->reader];
    bool more = false;

    start_from_known(game);
    begin_play(game);
    if (sum_can_be(game, game->reader, true))
        return false; /* without anybody else */
    for (uint32_t p = 0; p < game->parties && *game->steps < FETCH_MOST_STEPS; p++) {
        uint32_t needed;

        if (p == reader->party || game->start[p] >= game->party[p].done)
            continue;
        needed = count_needed(game, p);
        if (!needed)
            continue;
        prove_needed(check, game, p, needed);
        more = true;
    }
    return more;
}

/* ---- who keeps whom out ---- */

/* Who takes a lock by trying is let in by nobody in particular: the first one might as well have
 * been the second.  But if neither could get in while the other one is, then the second of this run
 * has come when the first had left. */

/* Can it keep others of its word out, by what it adds? */
static bool can_keep_out(const struct game *game, const struct event *event)
{
    const struct need *gate = &event->gate, *need = &event->need;

    return event->apart && event->fetch->delta && !need->any && game->word[event->word].uneven &&
           gate->low == need->low && gate->high == need->high && gate->holed == need->holed;
}

/* The reader comes while the holder, of another party, is the last of its party that has come. */
static void start_behind(struct game *game, uint32_t holder)
{
    const uint32_t *known = game_known(game, holder);

    start_from_known(game);
    for (uint32_t p = 0; p < game->parties; p++)
        if (p != game->event[game->reader].party && game->start[p] < known[p])
            game->start[p] = known[p];
    game->start[game->event[holder].party] = game->event[holder].at + 1;
}

static bool is_kept_out(struct game *game, uint32_t reader, uint32_t holder)
{
    const uint32_t outer = game->reader;
    bool kept;

    game->reader = reader;
    start_behind(game, holder);
    begin_play(game);
    kept = !is_enough(game, game->event[holder].party);
    game->reader = outer;
    return kept;
}

/* How many of the party's the reader cannot do without since one of them keeps it out; 0: none. */
static uint32_t find_left(struct game *game, uint32_t party)
{
    const struct event *reader = &game->event[game->reader];
    const struct player *player = &game->party[party];
    const uint32_t known = game_known(game, game->reader)[party];

    for (uint32_t at = player->done, tried = 0; at > known && tried < MOST_TRIED; at--) {
        const uint32_t holder = game->turn[player->first + at - 1];
        const struct event *event = &game->event[holder];
        uint32_t needed;

        if (event->word != reader->word || !can_keep_out(game, event))
            continue;
        tried++;
        if (!is_kept_out(game, holder, game->reader))
            continue;
        start_behind(game, holder);
        needed = count_needed(game, party);
        if (needed)
            return needed;
    }
    return 0;
}

static bool prove_kept_out(struct pto_check *check, struct game *game)
{
    const struct event *reader = &game->event[game->reader];
    bool more = false;

    for (uint32_t p = 0; can_keep_out(game, reader) && p < game->parties &&
                         *game->steps < FETCH_MOST_STEPS; p++) {
        uint32_t needed = p == reader->party ? 0 : find_left(game, p);

        if (!needed)
            continue;
        prove_needed(check, game, p, needed);
        more = true;
    }
    return more;
}

/* Every reader in the order of the run. */
static bool prove_all(struct pto_check *check, struct game *game)
{
    bool more = false;

    for (uint32_t p = 0; p < game->parties; p++)
        game->party[p].done = 0;
    for (uint32_t i = 0; i < game->events; i++)
        game->event[i].apart = is_apart(game, i);
    for (game->reader = 0; game->reader < game->events; game->reader++) {
        struct event *reader = &game->event[game->reader];

        if (!reader->need.any && is_apart(game, game->reader) &&
            prove_reader(check, game) | prove_kept_out(check, game)) {
            pass_on(game, game->reader);
            more = true;
        }
        if (game->party[reader->party].done <= reader->at)
            game->party[reader->party].done = reader->at + 1;
    }
    return more && *game->steps < FETCH_MOST_STEPS;
}

void fetch_play(struct pto_check *check, struct fetch *const *fetch, uint32_t fetches,
                const struct fetch_life *life, uint32_t lives, uint64_t *steps)
{
    struct game game = {.life = life, .lives = lives, .steps = steps};

    game_make(&game, fetch, fetches, check->cores);
    for (unsigned pass = 0; pass < MOST_PASSES && prove_all(check, &game); pass++)
        continue;
    game_free(&game);
}
