/* What the numbers in registers are made of, as far as that does not change in a launch, or only as
 * the counter of a loop does.  Internal to the lint. */
#ifndef PTO_LINT_MADE_H
#define PTO_LINT_MADE_H

#include "form.h"

struct lint_made {
    const struct pto_kernel *kernel;
    const struct pto_code *code;
    enum pto_core_kind kind;
    uint32_t *first;  /* by register: the first instruction that assigns it */
    uint32_t *counts; /* and how many do */
    uint32_t *before; /* by instruction: the only one that goes to it, or LINT_NOWHERE */
    bool *grows;      /* by register: it may count on from launch to launch */
    int8_t *turns;    /* by instruction: does it come again?  -1: not asked yet */
    bool *after;      /* scratch */
    uint32_t *todo;
};

void lint_made_init(struct lint_made *made, const struct lint *lint);
void lint_made_free(struct lint_made *made);

/* The scalar as instruction `at` reads it. */
struct lint_form lint_made_of(struct lint_made *made, uint32_t at,
                              const struct pto_scalar *scalar);
/* The least or the largest value that a form has at `at`, as one that does not vary. */
struct lint_form lint_made_bound(struct lint_made *made, uint32_t at, const struct lint_form *form,
                                 bool largest);
/* Does the instruction run once for each value of the scalar, at most? */
bool lint_made_once(struct lint_made *made, uint32_t at, const struct pto_scalar *each);
/* Does the scalar come from a fetch_add of a word of one's own, or launch(), so that it is larger
 * in the next launch? */
bool lint_grows(const struct lint_made *made, const struct pto_scalar *scalar);
/* form = each * what grows from launch to launch + rest, where one thing does, by `share` in each
 * launch (0: not known): false, there is none or there are several. */
bool lint_made_split(const struct lint_made *made, const struct lint_form *form,
                     struct lint_form *each, struct lint_form *rest, int64_t *share);

#endif
