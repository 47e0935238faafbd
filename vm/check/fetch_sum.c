/* Which values a word can have, while some of its adds have surely come, and others may have.
 *
 * Each party adds in the order of its program, so its part is one of few.  Where all adds are alike
 * the bounds of their sum say it all; else all sums are made, if they are few - for ways that look
 * at a few bits alone, of these bits.  What cannot be said that way can be. */
#include <stdlib.h>
#include <string.h>

#include "check/fetch_game.h"

enum { MOST_SUMS = 4096, MOST_MADE = 1 << 16 };

/* ---- sums ---- */

static int compare(const void *one, const void *two)
{
    const int64_t *a = one, *b = two;

    return *a < *b ? -1 : *a > *b;
}

static uint32_t make_unique(int64_t *sum, uint32_t count)
{
    uint32_t kept = 0;

    qsort(sum, count, sizeof *sum, compare);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || sum[kept - 1] != sum[i])
            sum[kept++] = sum[i];
    return kept;
}

/* What of a sum a way can tell from others: without the low bits, and those above. */
struct sight {
    int64_t low;   /* the low bits are those of a number below it */
    uint64_t mask; /* of the others */
};

static int64_t apply(const struct sight *sight, int64_t sum)
{
    return (int64_t)((uint64_t)(sum - sum % sight->low) & sight->mask);
}

/* One more part of the sums: any of these. */
static bool add_part(struct game *game, uint32_t *sums, const int64_t *part, uint32_t parts,
                     const struct sight *sight)
{
    int64_t *sum = game->sum, *made = sum + MOST_SUMS;
    uint32_t count = 0;

    if (*sums * parts > MOST_MADE)
        return false;
    for (uint32_t i = 0; i < *sums; i++)
        for (uint32_t j = 0; j < parts; j++)
            made[count++] = (int64_t)((uint64_t)(sum[i] + part[j]) & sight->mask);
    *game->steps += count;
    if (parts > 1)
        count = make_unique(made, count);
    if (count > MOST_SUMS)
        return false;
    memcpy(sum, made, count * sizeof *sum);
    *sums = count;
    return true;
}

/* What a pair has added before its event number `index`. */
static int64_t come_before(const struct game *game, const struct pair *pair, uint32_t index)
{
    return index ? game->event[game->by_pair[pair->first + index - 1]].come : 0;
}

/* How many events of the pair are among the first of its party? */
static uint32_t count_before(const struct game *game, const struct pair *pair, uint32_t at)
{
    uint32_t low = 0, high = pair->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (game->event[game->by_pair[pair->first + middle]].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What the pair may have added, from some of its events to some more. */
static uint32_t list_parts(const struct game *game, const struct pair *pair, uint32_t from,
                           uint32_t to, int64_t *part)
{
    uint32_t parts = 0;

    for (uint32_t i = from; i <= to; i++) {
        int64_t come = come_before(game, pair, i);

        if (!parts || part[parts - 1] != come)
            part[parts++] = come;
    }
    return parts;
}

/* ---- before the game ---- */

static void bound_pair(const struct game *game, const struct pair *pair, struct word *word,
                       int64_t *step)
{
    int64_t low = 0, high = 0;

    for (uint32_t i = 0; i < pair->count; i++) {
        const struct event *event = &game->event[game->by_pair[pair->first + i]];

        low = event->come < low ? event->come : low;
        high = event->come > high ? event->come : high;
        word->uneven = word->uneven || (event->fetch->delta && *step &&
                                        event->fetch->delta != *step);
        if (event->fetch->delta)
            *step = event->fetch->delta;
    }
    word->low += low;
    word->high += high;
}

/* The list of all sums of an uneven word, if that is not long. */
static void list_sums(struct game *game, struct word *word)
{
    const struct sight all = {1, UINT64_MAX};
    uint32_t sums = 1;

    game->sum[0] = word->base;
    for (uint32_t p = word->pairs; p; p = game->pair[p - 1].next) {
        const struct pair *pair = &game->pair[p - 1];
        int64_t *part = pto_xmalloc((pair->count + 1) * sizeof *part);
        uint32_t parts = list_parts(game, pair, 0, pair->count, part);
        bool fine;

        parts = make_unique(part, parts);
        fine = add_part(game, &sums, part, parts, &all);
        free(part);
        if (!fine)
            return;
    }
    word->sum = pto_xmalloc(sums * sizeof *word->sum);
    memcpy(word->sum, game->sum, sums * sizeof *word->sum);
    word->sums = make_unique(word->sum, sums);
}

/* ---- needs ---- */

/* Of a way that compares, no more: the values below that go the same way reach up to this one. */
static struct need search_need(const struct word *word, const struct way *way, int64_t value,
                               bool alike)
{
    struct need need = {.low = INT64_MIN, .high = INT64_MAX};
    int64_t low = word->low, high = value;

    if (way_goes(way, low, alike))
        return need;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (way_goes(way, middle, alike))
            high = middle;
        else
            low = middle + 1;
    }
    need.low = high;
    return need;
}

/* One value after the other. */
static struct need scan_need(const struct game *game, const struct word *word,
                             const struct way *way, bool alike)
{
    const uint64_t count = word->sum ? word->sums : (uint64_t)(word->high - word->low) + 1;
    struct need need = {.low = INT64_MAX, .high = INT64_MIN};
    uint64_t good = 0, first = 0, last = 0;

    for (uint64_t i = 0; i < count; i++) {
        const int64_t value = word->sum ? word->sum[i] : word->low + (int64_t)i;

        if (!way_goes(way, value, alike))
            continue;
        first = good++ ? first : i;
        last = i;
        need.low = value < need.low ? value : need.low;
        need.high = value;
    }
    *game->steps += count;
    need.any = !good || good == count;
    need.holed = good && good < last - first + 1;
    if (good && first == 0)
        need.low = INT64_MIN;
    if (good && last == count - 1)
        need.high = INT64_MAX;
    return need;
}

static struct need find_need(const struct game *game, const struct word *word,
                             const struct fetch *fetch, bool alike)
{
    if (!fetch->way)
        return (struct need){.any = true};
    if (word->sum || word->high - word->low < MOST_SUMS)
        return scan_need(game, word, fetch->way, alike);
    if (fetch->way->ordered)
        return search_need(word, fetch->way, fetch->value, alike);
    return (struct need){.low = INT64_MIN, .high = INT64_MAX, .holed = true};
}

/* All who wait for the same go the same way. */
static void find_needs(struct game *game, struct event *event)
{
    struct word *word = &game->word[event->word];
    const struct way *way = event->fetch->way;

    if (!way || !word->way || !way_is_same(way, word->way)) {
        word->gate = find_need(game, word, event->fetch, false);
        word->need = find_need(game, word, event->fetch, true);
        word->way = way;
    }
    event->gate = word->gate;
    event->need = word->need;
}

void sum_prepare(struct game *game)
{
    game->sum = pto_xmalloc((MOST_SUMS + MOST_MADE) * sizeof *game->sum);
    for (uint32_t w = 0; w < game->words; w++) {
        struct word *word = &game->word[w];
        int64_t step = 0;

        word->low = word->high = word->base;
        for (uint32_t p = word->pairs; p; p = game->pair[p - 1].next)
            bound_pair(game, &game->pair[p - 1], word, &step);
        if (word->uneven)
            list_sums(game, word);
    }
    for (uint32_t i = 0; i < game->events; i++)
        find_needs(game, &game->event[i]);
}

void sum_free(struct game *game)
{
    for (uint32_t w = 0; w < game->words; w++)
        free(game->word[w].sum);
    free(game->sum);
}

/* ---- in a play ---- */

void sum_begin(struct game *game)
{
    game->played++;
}

/* The word with what the reader is behind. */
static void ask(struct game *game, struct word *word)
{
    word->asked = game->asked;
    word->start = word->base;
    for (uint32_t p = word->pairs; p; p = game->pair[p - 1].next) {
        struct pair *pair = &game->pair[p - 1];

        pair->start =
            come_before(game, pair, count_before(game, pair, game->start[pair->party]));
        word->start += pair->start;
        ++*game->steps;
    }
}

static struct word *begin_word(struct game *game, uint32_t number)
{
    struct word *word = &game->word[number];

    if (word->asked != game->asked)
        ask(game, word);
    if (word->played != game->played) {
        word->played = game->played;
        word->most = word->least = word->start;
    }
    return word;
}

void sum_add(struct game *game, uint32_t number)
{
    const struct event *event = &game->event[number];
    struct word *word = begin_word(game, event->word);
    struct pair *pair = &game->pair[event->pair];

    if (pair->played != game->played) {
        pair->played = game->played;
        pair->most = pair->least = pair->start;
    }
    if (event->come > pair->most) {
        word->most += event->come - pair->most;
        pair->most = event->come;
    }
    if (event->come < pair->least) {
        word->least += event->come - pair->least;
        pair->least = event->come;
    }
}

/* Between which of its events a pair is when the event looks. */
static void find_span(const struct game *game, const struct pair *pair, const struct event *event,
                      uint32_t *from, uint32_t *to)
{
    if (pair->party == event->party) {
        *from = *to = count_before(game, pair, event->at);
        return;
    }
    *from = count_before(game, pair, game->start[pair->party]);
    *to = count_before(game, pair, game->at[pair->party]);
}

/* Which bits matter to the way?  Those below them must not carry. */
static struct sight find_sight(const struct game *game, const struct word *word,
                               const struct event *event)
{
    const uint32_t mask = event->fetch->way->mask;
    const int64_t low = INT64_C(1) << __builtin_ctz(mask);
    int64_t least = word->base % low, most = least;
    struct sight sight = {1, UINT64_MAX};

    for (uint32_t p = word->pairs; p; p = game->pair[p - 1].next) {
        const struct pair *pair = &game->pair[p - 1];
        int64_t one = INT64_MAX, other = INT64_MIN;
        uint32_t from, to;

        find_span(game, pair, event, &from, &to);
        for (uint32_t i = from; i <= to; i++) {
            int64_t rest = come_before(game, pair, i) % low;

            one = rest < one ? rest : one;
            other = rest > other ? rest : other;
        }
        *game->steps += to - from + 1;
        least += one;
        most += other;
    }
    if (least >= 0 && most < low)
        sight.low = low;
    if (!(mask >> 31))
        sight.mask = (UINT64_C(2) << (31 - __builtin_clz(mask))) - 1;
    return sight;
}

/* Make all sums, and try them. */
static bool try_sums(struct game *game, const struct event *event, bool alike)
{
    const struct word *word = &game->word[event->word];
    const struct sight sight = find_sight(game, word, event);
    uint32_t sums = 1;

    game->sum[0] = apply(&sight, word->base);
    for (uint32_t p = word->pairs; p; p = game->pair[p - 1].next) {
        const struct pair *pair = &game->pair[p - 1];
        uint32_t from, to, parts;
        int64_t *part;
        bool fine;

        find_span(game, pair, event, &from, &to);
        part = pto_xmalloc((to - from + 1) * sizeof *part);
        parts = list_parts(game, pair, from, to, part);
        for (uint32_t i = 0; i < parts; i++)
            part[i] = apply(&sight, part[i]);
        parts = make_unique(part, parts);
        fine = add_part(game, &sums, part, parts, &sight);
        free(part);
        if (!fine)
            return true;
    }
    for (uint32_t i = 0; i < sums; i++)
        if (way_goes(event->fetch->way, game->sum[i], alike))
            return true;
    return false;
}

bool sum_can_be(struct game *game, uint32_t number, bool alike)
{
    const struct event *event = &game->event[number];
    const struct need *need = alike ? &event->need : &event->gate;
    const struct word *word;

    if (need->any)
        return true;
    word = begin_word(game, event->word);
    if (word->most < need->low || word->least > need->high)
        return false;
    if (!need->holed &&
        (!word->uneven || need->low == INT64_MIN || need->high == INT64_MAX))
        return true;
    return try_sums(game, event, alike);
}
