/* What pipes know at one point of a program, and what tokens tell.  Internal to the room.
 *
 * All of it is sets of `words` words: for each pipe and layer, and for each layer of the syncs
 * whose token may be there (`live`).  What one that is not there would tell is of no account. */
#ifndef ASM_SYNC_STATE_H
#define ASM_SYNC_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "enums.h"
#include "ops.h"

struct state {
    unsigned layers;
    uint32_t words, syncs;
    uint64_t *known, *token;
    uint32_t *live, lives; /* ascending */
    uint32_t most;         /* that were live at a time */
};

/* A copy of one, of no more than it needs. */
struct saved;

void state_begin(struct state *state, unsigned layers, uint32_t words, uint32_t syncs);
void state_free(struct state *state);
/* All is known, no token is there. */
void state_clear(struct state *state);

static inline uint64_t *state_known(const struct state *state, unsigned pipe, unsigned layer)
{
    return state->known + ((size_t)pipe * state->layers + layer) * state->words;
}

static inline uint64_t *state_token(const struct state *state, uint32_t sync, unsigned layer)
{
    return state->token + ((size_t)sync * state->layers + layer) * state->words;
}

/* The token of a sync may be there, or is not there; as it is now. */
void state_add_live(struct state *state, uint32_t sync);
void state_drop_live(struct state *state, uint32_t sync);

/* Put it into *saved, malloc'ed: true if that was another one. */
bool state_save(const struct state *state, struct saved **saved);
/* The state becomes a copy of a saved one, or what is known on both ways; a token that is on one of
 * them alone stays as it is there. */
void state_restore(struct state *state, const struct saved *saved);
void state_meet(struct state *state, const struct saved *saved);

/* Some words of a saved state, as a state of fewer: word[i] becomes its word i. */
struct state_cut {
    const struct state *from, *to;
    const uint32_t *word;
    const uint64_t *dead; /* by word of `to`: bits that are set in all sets */
    const bool *off;      /* by sync: its token is of no account */
};

/* The part, malloc'ed; put one back in. */
struct saved *state_cut(const struct state_cut *cut, const struct saved *saved);
void state_paste(const struct state_cut *cut, struct saved *saved, const struct saved *part);

#endif
