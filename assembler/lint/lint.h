/* The lint: what can be seen in a program without running it.
 *
 * Owns the rules of lint.def.  A finding is an error only if every execution that comes to its
 * place goes wrong; what some path or some timing may bring is a warning; what could not be
 * judged is a note that says why.  Works on modules, so that the front end does not matter. */
#ifndef PTO_LINT_H
#define PTO_LINT_H

#include "diag.h"
#include "object.h"

#define LINT(id, name, meaning) PTO_LINT_##id,
enum pto_lint_rule {
#include "lint.def"
    PTO_LINT_RULES
};
#undef LINT
const char *pto_lint_rule_name(enum pto_lint_rule rule);

/* Does the mistake happen?  YES: whenever the place is reached.  NO: never. */
enum pto_lint_verdict { PTO_LINT_NO, PTO_LINT_YES, PTO_LINT_UNKNOWN };
const char *pto_lint_verdict_name(enum pto_lint_verdict verdict);

struct pto_lint_finding {
    enum pto_lint_rule rule;
    enum pto_severity severity;
    enum pto_lint_verdict verdict;
    const struct pto_kernel *kernel;
    int core; /* enum pto_core_kind; -1: the kernel as a whole */
    uint32_t pos;
    const char *message, *hint; /* hint: NULL if there is none */
    uint32_t number;            /* order of discovery */
};

/* What was found out about the tokens of one flag. */
struct pto_lint_flag {
    const struct pto_kernel *kernel;
    enum pto_core_kind core;
    uint8_t src, dst; /* enum PTO_PIPE_* */
    int event;        /* -1: all ids of the pair, of which one is a register of unknown value */
    enum pto_lint_verdict wrong; /* can tokens be left or missing? */
};

/* What the tiles of a program take of a memory, in bytes. */
struct pto_lint_memory {
    const struct pto_kernel *kernel;
    enum pto_core_kind core;
    uint8_t space; /* enum pto_space */
    uint64_t used, capacity;
};

/* What a lint found; texts belong to the arena. */
struct pto_lint {
    struct pto_arena arena;
    struct pto_lint_finding *finding; /* in the order of their places */
    uint32_t findings, finding_capacity;
    struct pto_lint_flag *flag;
    uint32_t flags, flag_capacity;
    struct pto_lint_memory *memory;
    uint32_t memories, memory_capacity;
    unsigned errors, warnings;
};

/* Look at a verified program.  *lint refers to it; free with pto_lint_free. */
void pto_lint(const struct pto_program *program, struct pto_lint *lint);
void pto_lint_free(struct pto_lint *lint);

#endif
