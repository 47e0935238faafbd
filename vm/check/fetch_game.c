/* Sets up the game of fetch_turn.c: who takes part in it, in which order, and who knows whom. */
#include <stdlib.h>
#include <string.h>

#include "check/fetch_game.h"

/* ---- parties and words ---- */

static void find_parties(struct game *game, uint32_t cores)
{
    uint32_t *of = pto_xmalloc((size_t)cores * sizeof *of);

    memset(of, 0xff, (size_t)cores * sizeof *of);
    for (uint32_t i = 0; i < game->events; i++) {
        uint32_t core = game->event[i].fetch->release->core, *party = &of[core];

        if (*party == FETCH_NONE) {
            *party = game->parties++;
            game->party[*party] = (struct player){.core = core};
        }
        game->event[i].party = *party;
        game->party[*party].count++;
    }
    free(of);
}

static void find_words(struct game *game)
{
    uint32_t *of = pto_xmalloc((size_t)game->lives * sizeof *of);

    memset(of, 0xff, (size_t)game->lives * sizeof *of);
    for (uint32_t i = 0; i < game->events; i++) {
        uint32_t life = game->event[i].fetch->life;

        if (of[life] == FETCH_NONE) {
            of[life] = game->words++;
            game->word[of[life]] =
                (struct word){.life = life, .base = game->life[life].base};
        }
        game->event[i].word = of[life];
    }
    free(of);
}

static uint32_t epoch_of(const struct game *game, uint32_t event)
{
    return game->event[event].fetch->release->epoch;
}

/* TNOTIFYs land later than they were sent. */
static void line_up(struct game *game)
{
    uint32_t first = 0;

    for (uint32_t p = 0; p < game->parties; p++) {
        game->party[p].first = first;
        first += game->party[p].count;
        game->party[p].count = 0;
    }
    for (uint32_t i = 0; i < game->events; i++) {
        struct player *party = &game->party[game->event[i].party];
        uint32_t *turn = &game->turn[party->first], at = party->count++;

        for (; at > 0 && epoch_of(game, turn[at - 1]) > epoch_of(game, i); at--)
            turn[at] = turn[at - 1];
        turn[at] = i;
    }
    for (uint32_t p = 0; p < game->parties; p++)
        for (uint32_t k = 0; k < game->party[p].count; k++)
            game->event[game->turn[game->party[p].first + k]].at = k;
}

/* ---- pairs ---- */

static uint32_t get_pair(struct game *game, uint32_t party, uint32_t word)
{
    uint32_t first = game->word[word].pairs;

    if (first && game->pair[first - 1].party == party)
        return first - 1;
    PTO_GROW(game->pair, game->pairs, game->pair_capacity);
    game->pair[game->pairs++] = (struct pair){.party = party, .word = word, .next = first};
    game->word[word].pairs = game->pairs;
    return game->pairs - 1;
}

/* Party by party: the last pair of a word is that of the party, if it has one. */
static void find_pairs(struct game *game)
{
    uint32_t first = 0;

    for (uint32_t k = 0; k < game->events; k++) {
        struct event *event = &game->event[game->turn[k]];

        event->pair = get_pair(game, event->party, event->word);
        game->pair[event->pair].count++;
    }
    for (uint32_t i = 0; i < game->pairs; i++) {
        game->pair[i].first = first;
        first += game->pair[i].count;
        game->pair[i].count = 0;
    }
    for (uint32_t k = 0; k < game->events; k++) {
        struct event *event = &game->event[game->turn[k]];
        struct pair *pair = &game->pair[event->pair];

        event->come = event->fetch->delta;
        if (pair->count)
            event->come += game->event[game->by_pair[pair->first + pair->count - 1]].come;
        game->by_pair[pair->first + pair->count++] = game->turn[k];
    }
}

/* ---- knowledge ---- */

/* How many events of a party have an epoch up to this? */
static uint32_t count_up_to(const struct game *game, const struct player *party, uint32_t epoch)
{
    uint32_t low = 0, high = party->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (epoch_of(game, game->turn[party->first + middle]) > epoch)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void fill_known(struct game *game)
{
    for (uint32_t i = 0; i < game->events; i++) {
        const struct release *release = game->event[i].fetch->release;

        for (uint32_t p = 0; p < game->parties; p++) {
            const struct player *party = &game->party[p];
            const struct row *row = far_row(release->frame.far, party->core);

            game_known(game, i)[p] =
                p == game->event[i].party
                    ? game->event[i].at
                    : count_up_to(game, party, row ? row->lane[PTO_PIPE_S] : 0);
        }
    }
}

void game_make(struct game *game, struct fetch *const *fetch, uint32_t fetches, uint32_t cores)
{
    game->events = fetches;
    game->event = pto_xcalloc(fetches, sizeof *game->event);
    for (uint32_t i = 0; i < fetches; i++)
        game->event[i].fetch = fetch[i];
    game->party = pto_xcalloc(fetches, sizeof *game->party);
    find_parties(game, cores);
    game->word = pto_xcalloc(fetches, sizeof *game->word);
    find_words(game);
    game->turn = pto_xcalloc(fetches, sizeof *game->turn);
    line_up(game);
    game->by_pair = pto_xcalloc(fetches, sizeof *game->by_pair);
    find_pairs(game);
    game->known = pto_xmalloc((size_t)fetches * game->parties * sizeof *game->known);
    fill_known(game);
    game->start = pto_xcalloc(game->parties, sizeof *game->start);
    game->at = pto_xcalloc(game->parties, sizeof *game->at);
    sum_prepare(game);
}

void game_free(struct game *game)
{
    sum_free(game);
    free(game->event);
    free(game->party);
    free(game->word);
    free(game->turn);
    free(game->pair);
    free(game->by_pair);
    free(game->known);
    free(game->start);
    free(game->at);
}
