#include "sync/state.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

/* Sets of pipes, then those of tokens, in the order of `live`, which is behind them. */
struct saved {
    uint32_t lives;
    size_t bytes;
    uint64_t data[];
};

static size_t known_words(const struct state *s)
{
    return (size_t)PTO_PIPE_COUNT * s->layers * s->words;
}

static size_t token_words(const struct state *s)
{
    return (size_t)s->layers * s->words;
}

static uint32_t *live_of(const struct state *s, const struct saved *saved)
{
    return (uint32_t *)(saved->data + known_words(s) + saved->lives * token_words(s));
}

static uint64_t *token_of(const struct state *s, const struct saved *saved, uint32_t number)
{
    return (uint64_t *)saved->data + known_words(s) + number * token_words(s);
}

void state_begin(struct state *s, unsigned layers, uint32_t words, uint32_t syncs)
{
    *s = (struct state){.layers = layers, .words = words, .syncs = syncs};
    s->known = pto_xmalloc((known_words(s) + 1) * sizeof *s->known);
    s->token = pto_xmalloc((syncs * token_words(s) + 1) * sizeof *s->token);
    s->live = pto_xmalloc(((size_t)syncs + 1) * sizeof *s->live);
}

void state_free(struct state *s)
{
    free(s->known);
    free(s->token);
    free(s->live);
}

void state_clear(struct state *s)
{
    memset(s->known, 0xff, known_words(s) * sizeof *s->known);
    s->lives = 0;
}

/* Where the sync is among the live ones, or would be. */
static uint32_t place_of(const struct state *s, uint32_t sync)
{
    uint32_t low = 0, high = s->lives;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (s->live[middle] < sync)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_live(const struct state *s, uint32_t sync)
{
    uint32_t place = place_of(s, sync);

    return place < s->lives && s->live[place] == sync;
}

void state_add_live(struct state *s, uint32_t sync)
{
    uint32_t place = place_of(s, sync);

    if (place < s->lives && s->live[place] == sync)
        return;
    memmove(s->live + place + 1, s->live + place, (s->lives - place) * sizeof *s->live);
    s->live[place] = sync;
    if (++s->lives > s->most)
        s->most = s->lives;
}

void state_drop_live(struct state *s, uint32_t sync)
{
    uint32_t place = place_of(s, sync);

    if (place == s->lives || s->live[place] != sync)
        return;
    s->lives--;
    memmove(s->live + place, s->live + place + 1, (s->lives - place) * sizeof *s->live);
}

static bool is_same(const struct state *s, const struct saved *saved)
{
    if (saved->lives != s->lives ||
        memcmp(live_of(s, saved), s->live, s->lives * sizeof *s->live) != 0 ||
        memcmp(saved->data, s->known, known_words(s) * sizeof *s->known) != 0)
        return false;
    for (uint32_t i = 0; i < s->lives; i++)
        if (memcmp(token_of(s, saved, i), state_token(s, s->live[i], 0),
                   token_words(s) * sizeof *s->token) != 0)
            return false;
    return true;
}

bool state_save(const struct state *s, struct saved **saved)
{
    size_t bytes = (known_words(s) + s->lives * token_words(s)) * sizeof *s->known +
                   s->lives * sizeof *s->live;
    struct saved *to = *saved;
    uint64_t *token;

    if (to && is_same(s, to))
        return false;
    if (!to || to->bytes < bytes) {
        free(to);
        to = *saved = pto_xmalloc(sizeof *to + bytes);
        to->bytes = bytes;
    }
    to->lives = s->lives;
    memcpy(to->data, s->known, known_words(s) * sizeof *s->known);
    token = to->data + known_words(s);
    for (uint32_t i = 0; i < s->lives; i++, token += token_words(s))
        memcpy(token, state_token(s, s->live[i], 0), token_words(s) * sizeof *token);
    memcpy(token, s->live, s->lives * sizeof *s->live);
    return true;
}

static void copy_token(struct state *s, const struct saved *saved, uint32_t number)
{
    memcpy(state_token(s, live_of(s, saved)[number], 0), token_of(s, saved, number),
           token_words(s) * sizeof *s->token);
}

void state_restore(struct state *s, const struct saved *saved)
{
    memcpy(s->known, saved->data, known_words(s) * sizeof *s->known);
    s->lives = saved->lives;
    memcpy(s->live, live_of(s, saved), s->lives * sizeof *s->live);
    for (uint32_t i = 0; i < s->lives; i++)
        copy_token(s, saved, i);
}

static void intersect(uint64_t *to, const uint64_t *with, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] &= with[i];
}

void state_meet(struct state *s, const struct saved *saved)
{
    intersect(s->known, saved->data, known_words(s));
    for (uint32_t i = 0; i < saved->lives; i++) {
        uint32_t sync = live_of(s, saved)[i];

        if (is_live(s, sync)) {
            intersect(state_token(s, sync, 0), token_of(s, saved, i), token_words(s));
        } else {
            copy_token(s, saved, i);
            state_add_live(s, sync);
        }
    }
}

static struct saved *new_saved(const struct state *s, uint32_t lives)
{
    size_t bytes = (known_words(s) + lives * token_words(s)) * sizeof(uint64_t) +
                   lives * sizeof *s->live;
    struct saved *saved = pto_xmalloc(sizeof *saved + bytes);

    saved->lives = lives;
    saved->bytes = bytes;
    return saved;
}

static void cut_rows(const struct state_cut *c, uint64_t *to, const uint64_t *from, size_t rows)
{
    for (; rows-- > 0; from += c->from->words, to += c->to->words)
        for (uint32_t w = 0; w < c->to->words; w++)
            to[w] = from[c->word[w]] | c->dead[w];
}

static void paste_rows(const struct state_cut *c, uint64_t *to, const uint64_t *from, size_t rows)
{
    for (; rows-- > 0; from += c->to->words, to += c->from->words)
        for (uint32_t w = 0; w < c->to->words; w++)
            to[c->word[w]] = from[w];
}

struct saved *state_cut(const struct state_cut *c, const struct saved *from)
{
    const uint32_t *live = live_of(c->from, from);
    uint32_t lives = 0, kept = 0;
    struct saved *to;

    for (uint32_t i = 0; i < from->lives; i++)
        lives += !c->off[live[i]];
    to = new_saved(c->to, lives);
    cut_rows(c, to->data, from->data, (size_t)PTO_PIPE_COUNT * c->to->layers);
    for (uint32_t i = 0; i < from->lives; i++) {
        if (c->off[live[i]])
            continue;
        live_of(c->to, to)[kept] = live[i];
        cut_rows(c, token_of(c->to, to, kept++), token_of(c->from, from, i),
                 c->to->layers);
    }
    return to;
}

void state_paste(const struct state_cut *c, struct saved *to, const struct saved *from)
{
    const uint32_t *live = live_of(c->from, to), *some = live_of(c->to, from);
    uint32_t next = 0;

    paste_rows(c, to->data, from->data, (size_t)PTO_PIPE_COUNT * c->to->layers);
    for (uint32_t i = 0; i < to->lives && next < from->lives; i++)
        if (live[i] == some[next])
            paste_rows(c, token_of(c->from, to, i), token_of(c->to, from, next++),
                       c->to->layers);
}
