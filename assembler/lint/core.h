/* What the parts of the lint share.  Internal to the lint. */
#ifndef PTO_LINT_CORE_H
#define PTO_LINT_CORE_H

#include "lint.h"

/* How many kernels read and write an object: those of one name are one in all launches. */
struct lint_touched {
    const char *name;
    unsigned readers, writers;
};

struct lint_rounds;

/* One program being looked at. */
struct lint {
    struct pto_lint *result;
    const struct pto_module *module;
    const struct pto_profile *profile;
    const struct pto_kernel *kernel;
    const struct pto_core_code *core;
    const struct pto_code *code; /* of `core` */
    enum pto_core_kind core_kind;
    bool *reachable[PTO_CORE_KINDS]; /* by instruction; NULL: no such program */
    struct lint_rounds *rounds[PTO_CORE_KINDS]; /* of its loops, by kind */
    uint64_t states_left;            /* that may still be explored in this program */
    uint8_t *flag_ids;               /* by instruction: ids that a set_flag or wait_flag can have */
    struct lint_touched *touched;    /* objects of the module, by name */
    uint32_t toucheds, touched_capacity;
};

/* Report at a position; the finding is returned for a hint. */
struct pto_lint_finding *lint_report(struct lint *lint, enum pto_lint_rule rule,
                                     enum pto_severity severity, enum pto_lint_verdict verdict,
                                     uint32_t pos, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void lint_hint(struct lint *lint, struct pto_lint_finding *finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Turn to one of the kernel's programs. */
void lint_enter(struct lint *lint, enum pto_core_kind kind);
const char *lint_pipe_name(unsigned pipe);
/* Where an instruction stands; line 0 if the module does not say. */
struct pto_pos lint_place(const struct lint *lint, const struct pto_insn *insn);
/* The register that an instruction writes, or PTO_NONE. */
int32_t lint_written(const struct pto_insn *insn);

/* Do two operands name the same slot of a tile, whatever registers hold?  None is the first. */
bool lint_same_slot(const struct pto_scalar *a, const struct pto_scalar *b);

/* ---- flow.c: the control-flow graph ---- */

enum { LINT_NOWHERE = UINT32_MAX };

/* A branch: unconditional if `always`.  It is taken if `op` (BEQ or BLT) holds for a and b, or,
 * if `negated`, if it does not. */
struct lint_branch {
    bool always, negated;
    unsigned op;
    struct pto_scalar a, b;
    uint32_t at, target;
};
/* Is instruction `at` a branch?  One that compares two numbers is unconditional. */
bool lint_branch_at(const struct pto_code *code, uint32_t at, struct lint_branch *branch);
/* Mark what can run after instruction `from`, as far as it is not marked yet.  `todo` is scratch
 * for all instructions and one more. */
void lint_flood(const struct pto_code *code, uint32_t from, bool *after, uint32_t *todo);
/* Instructions that some path leads to; malloc'ed. */
bool *lint_find_reachable(const struct pto_code *code);
/* skip[i] becomes the first instruction from i on (itself included) that is kept, or a branch
 * whose ways lead to different ones; LINT_NOWHERE if there is none. */
void lint_find_skips(const struct pto_code *code, const bool *keep, uint32_t *skip);

/* ---- the rules ---- */

void lint_unreachable(struct lint *lint);                /* flow.c */
void lint_flags(struct lint *lint);                      /* sync.c */
void lint_cross(struct lint *lint);                      /* cross.c, of a kernel */
void lint_intra(struct lint *lint);                      /* intra.c, of a kernel */
void lint_find_touched(struct lint *lint);               /* signals.c, of the module */
void lint_signals(struct lint *lint);                    /* signals.c, of a kernel */
void lint_tiles(struct lint *lint);                      /* tiles.c */
void lint_races(struct lint *lint);                      /* race.c */
/* The pipe of an instruction that touches tiles, or -1: none, or several.  race.c */
int lint_pipe_of(const struct lint *lint, const struct pto_insn *insn);
/* Is there a set_flag for this wait_flag that its pipe comes to only behind the wait?  Needs
 * flag_ids.  race.c */
bool lint_set_waits_for(struct lint *lint, uint32_t wait);
void lint_unused(struct lint *lint);                     /* unused.c, of a core */
void lint_unused_declarations(struct lint *lint);        /* unused.c, of a kernel */

#endif
