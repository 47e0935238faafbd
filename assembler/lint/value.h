/* Register values as far as the lint follows them.
 *
 * Of a few registers (those that event ids are computed from, and counters of loops between
 * numbers) it is tracked whether their value is a known number, or a known remainder of a number
 * that is not negative, or unknown.  Of conditions that several branches test it is tracked how
 * the last test came out.  Everything else is unknown.  Internal to the lint. */
#ifndef PTO_LINT_VALUE_H
#define PTO_LINT_VALUE_H

#include "rounds.h"

enum {
    LINT_TRACKED = 12,      /* registers */
    LINT_CONDITIONS = 16,
    LINT_MOST_VALUES = 64   /* of one register, before less is remembered of it */
};

/* How much is remembered of a register. */
enum lint_memory { LINT_NUMBER, LINT_REMAINDER, LINT_NOTHING };

struct lint_tracked {
    uint16_t reg;
    uint8_t memory; /* enum lint_memory */
    unsigned values;
    int64_t value[LINT_MOST_VALUES]; /* seen so far */
};

struct lint_condition {
    unsigned op; /* BEQ or BLT */
    struct pto_scalar a, b;
    enum lint_round round; /* FIRST or LAST: what is held is that of a loop, instead */
    unsigned loop;
};

/* What is followed; fixed during one exploration but for the values seen. */
struct lint_track {
    const struct pto_code *code;
    const struct lint_rounds *rounds;
    uint32_t params; /* registers below are fixed for the launch */
    struct lint_tracked tracked[LINT_TRACKED];
    unsigned registers;
    int8_t slot[PTO_MAX_REGISTERS]; /* index into `tracked`, or -1 */
    struct lint_condition condition[LINT_CONDITIONS];
    unsigned conditions;
    int64_t modulus; /* of remainders; 0: none */
    bool forgot;     /* less is remembered of a register now: explore again */
};

/* Compared byte by byte: what is unknown is 0. */
struct lint_state {
    int64_t value[LINT_TRACKED];
    uint16_t number, remainder; /* masks: which values are known, and as what */
    uint16_t tested, held;      /* masks of conditions: outcome known, true */
    int64_t tokens;
};

struct lint_value {
    enum lint_memory known;
    int64_t value;
};

void lint_track_init(struct lint_track *track, const struct lint *lint);
/* Follow a register, and those that its value is computed from, as far as there is room. */
void lint_track_register(struct lint_track *track, const bool *reachable, uint16_t reg);
/* Follow the counters of loops between numbers, and conditions that stand at several of the
 * branches that `skip` leads to. */
void lint_track_branches(struct lint_track *track, const struct lint *lint, const uint32_t *skip);
/* Does this instruction change what is followed? */
bool lint_track_touches(const struct lint_track *track, const struct pto_insn *insn);

struct lint_value lint_read(const struct lint_track *track, const struct lint_state *state,
                            const struct pto_scalar *scalar);
/* Carry out what the instruction does to the registers. */
void lint_execute(struct lint_track *track, struct lint_state *state, const struct pto_insn *insn);
/* Is the branch taken: 1, 0, or -1: unknown. */
int lint_decide(const struct lint_track *track, const struct lint_state *state,
                const struct lint_branch *branch);
/* Remember how it went. */
void lint_assume(const struct lint_track *track, struct lint_state *state,
                 const struct lint_branch *branch, bool taken);

#endif
