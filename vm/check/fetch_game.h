/* The fetches of one rank as a game of all who take part in it: fetch_game.c sets it up,
 * fetch_sum.c knows which values a word can have, fetch_turn.c plays. */
#ifndef PTO_CHECK_FETCH_GAME_H
#define PTO_CHECK_FETCH_GAME_H

#include "check/fetch.h"

enum { FETCH_NONE = UINT32_MAX };

/* The values of a word with which S goes the same way. */
struct need {
    int64_t low, high;
    bool any;   /* with all that the word can have */
    bool holed; /* not with all between low and high */
};

struct event {
    const struct fetch *fetch;
    uint32_t party, word, pair;
    uint32_t at;      /* its place among those of its party */
    int64_t come;     /* what its party has added to the word by then */
    struct need gate; /* to go its way */
    struct need need; /* ... and to leave the same behind */
    bool apart;       /* all other lives of its word come before it or behind it */
};

/* A sub-core's S. */
struct player {
    uint32_t core, first, count; /* in game.turn */
    uint32_t done;               /* of those, before the reader */
};

/* The events of a party on a word. */
struct pair {
    uint32_t party, word, next; /* next: of the word, + 1 */
    uint32_t first, count;      /* in game.by_pair */
    int64_t start, most, least; /* what they have added: by the start; at most and least since */
    uint32_t played;
};

/* One life of a word. */
struct word {
    uint32_t life, pairs;  /* pairs: the first, + 1 */
    int64_t base, low, high; /* all values that it can have are in between */
    bool uneven;           /* but perhaps not all in between are among them */
    int64_t *sum;          /* all of them, if they are few, and `uneven` */
    uint32_t sums;
    const struct way *way; /* the last one that was looked at */
    struct need gate, need;
    int64_t start, most, least; /* as in struct pair */
    uint32_t asked, played;
};

struct game {
    const struct fetch_life *life; /* of all ranks */
    uint32_t lives;
    struct event *event; /* in the order of the run */
    uint32_t events;
    struct player *party;
    uint32_t parties;
    uint32_t *turn;      /* events, party by party in the order of their S */
    struct pair *pair;
    uint32_t pairs, pair_capacity, *by_pair;
    struct word *word;
    uint32_t words;
    uint32_t *known;     /* [event][party] how many of its events it is behind */
    uint32_t *start;     /* [party] how many the reader is behind */
    uint32_t *at;        /* [party] how many have come */
    uint32_t reader;
    uint32_t asked, played; /* numbers of the reader and of the play */
    int64_t *sum;        /* room for fetch_sum.c */
    uint64_t *steps;
};
enum { FETCH_MOST_STEPS = 1 << 29 /* in all of a run; about a second */ };

/* Of these fetches, for a game that has its lives and steps. */
void game_make(struct game *game, struct fetch *const *fetch, uint32_t fetches, uint32_t cores);
void game_free(struct game *game);
static inline uint32_t *game_known(const struct game *game, uint32_t event)
{
    return &game->known[(size_t)event * game->parties];
}
/* fetch_sum.c: bounds of all words, and the needs of all events. */
void sum_prepare(struct game *game);
void sum_free(struct game *game);
/* A play begins. */
void sum_begin(struct game *game);
/* An event has come. */
void sum_add(struct game *game, uint32_t event);
/* Can the word have a value with which the event comes, or (`alike`) leaves the same behind? */
bool sum_can_be(struct game *game, uint32_t event, bool alike);

#endif
