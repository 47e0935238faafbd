/* First and last rounds of counted loops, as conditions know them: what is left out in the first
 * round because nothing came before it, and in the last because nothing comes behind.
 *
 * A counted loop has a counter that begins with a value, is moved by a step in one place, and is
 * compared with an end that stays the same; .for makes such, and .while may.  Where a loop is left
 * in its middle, nothing is known of its last round.  Internal to the lint. */
#ifndef PTO_LINT_ROUNDS_H
#define PTO_LINT_ROUNDS_H

#include "core.h"

enum lint_round {
    LINT_ROUND_NONE,
    LINT_ROUND_BEGIN, /* the counter gets its first value */
    LINT_ROUND_STEP,  /* the next round's value, if there is one */
    LINT_ROUND_CLOSE, /* a branch that is taken unless the round was the last */
    LINT_ROUND_FIRST, /* a branch that is taken in the first round only; `negated`: in all others */
    LINT_ROUND_LAST,  /* the same of the last one */
    LINT_ROUND_LATER  /* taken in no round but the first; `negated`: in all but the first */
};

/* What is known on a way through a loop: this is not the first round; it is the last one. */
enum { LINT_PHASE_LATER = 1, LINT_PHASE_LAST = 2, LINT_PHASES = 4 };

struct lint_rounds {
    struct {
        uint8_t kind; /* enum lint_round */
        bool negated;
        uint16_t loop; /* whose, from 1 */
    } *of; /* by instruction */
    struct {
        uint32_t top, close; /* first instruction of a round, and the branch back to it */
        bool tested;
    } *loop; /* by number */
    unsigned loops, capacity;
};

void lint_rounds_find(struct lint_rounds *rounds, const struct pto_code *code);
void lint_rounds_free(struct lint_rounds *rounds);
/* The innermost loop around an instruction in which there are such branches; 0: none. */
unsigned lint_rounds_around(const struct lint_rounds *rounds, uint32_t at);
/* The phase of that loop behind an instruction that is passed, or a branch that is taken; -1: it
 * cannot go this way. */
int lint_rounds_pass(const struct lint_rounds *rounds, unsigned loop, uint32_t at, bool taken,
                     unsigned phase);

#endif
