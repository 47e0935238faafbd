/* What registers hold in a round of a counted loop, as sums of products of what does not change in
 * it, and of its counter.  Internal to the lint. */
#ifndef PTO_LINT_ROUND_VALUE_H
#define PTO_LINT_ROUND_VALUE_H

#include "form.h"
#include "rounds.h"

enum {
    LINT_ROUND_DEPTH = 8,       /* of an expression */
    LINT_ROUND_STEPS = 1 << 26, /* instructions looked at, of one program */
};

struct lint_finder {
    struct lint_rounds *rounds;
    const struct pto_code *code;
    bool *target; /* by instruction: a branch leads there */
    uint32_t writes[PTO_MAX_REGISTERS], written_at[PTO_MAX_REGISTERS]; /* the last of them */
    uint64_t steps;
};

/* The loop that is looked at. */
struct lint_loop {
    uint16_t counter;
    int sign; /* it counts up: 1, down: -1 */
    uint32_t begin, top, close; /* where it gets its first value, a round begins and ends */
    uint32_t steps_at;          /* and where it counts */
    struct lint_form step;  /* by how much it counts, above 0 */
    struct lint_form later; /* by how much it has: 0 in the first round */
    struct lint_form more;  /* above 0 in all rounds but the last */
    uint16_t number;
};

/* a + b, a - b, a * b by the instruction's operation. */
bool lint_is_joined(const struct pto_insn *insn);
struct lint_form lint_joined(unsigned op, const struct lint_form *a, const struct lint_form *b);
bool lint_is_register(const struct pto_scalar *scalar, int32_t reg);

/* The counter of the loop, as values name it. */
struct lint_form lint_round_counter(const struct lint_loop *loop);
/* Does every round come by there, and once only, before it comes to what stands behind? */
bool lint_round_always(struct lint_finder *f, const struct lint_loop *loop, uint32_t at);
/* The instruction of this round that gave a register its value at `at`; LINT_NOWHERE: it is not
 * known. */
uint32_t lint_round_reaching(struct lint_finder *f, const struct lint_loop *loop, uint32_t at,
                             int32_t reg);
/* The scalar as instruction `at` reads it, in a round of the loop or where that begins. */
struct lint_form lint_round_value(struct lint_finder *f, const struct lint_loop *loop, uint32_t at,
                                  const struct pto_scalar *scalar, unsigned depth);

#endif
