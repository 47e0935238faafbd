/* Numbers as sums of products of what does not change: built-in values, parameters, results of
 * instructions that run once; or of the values between two such sums that a counter of a loop goes
 * through.  Internal to the lint. */
#ifndef PTO_LINT_FORM_H
#define PTO_LINT_FORM_H

#include "core.h"

enum { LINT_TERMS = 8 };

/* factor * atom[0] * atom[1]; 0 is no atom.  atom[0] >= atom[1]. */
struct lint_term {
    int64_t factor;
    uint32_t atom[2];
};

struct lint_form {
    bool known;
    bool varies; /* other sub-cores, ranks or turns of a loop have other values */
    unsigned terms;
    struct lint_term term[LINT_TERMS]; /* by atoms, the constant first; no factor is 0 */
};

/* What a program's registers are made of. */
struct lint_forms {
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

void lint_forms_init(struct lint_forms *forms, const struct lint *lint);
void lint_forms_free(struct lint_forms *forms);

/* The scalar as instruction `at` reads it. */
struct lint_form lint_form_of(struct lint_forms *forms, uint32_t at,
                              const struct pto_scalar *scalar);
/* Does the scalar come from a fetch_add or launch(), so that it is larger in the next launch? */
bool lint_grows(const struct lint_forms *forms, const struct pto_scalar *scalar);
/* a - b; not known if either is not. */
struct lint_form lint_form_less(const struct lint_form *a, const struct lint_form *b);
/* The least or the largest value of a form that varies, as one that does not. */
struct lint_form lint_form_bound(struct lint_forms *forms, uint32_t at,
                                 const struct lint_form *form, bool largest);
/* Is the form above 0 for certain? */
bool lint_form_positive(const struct lint_form *form);
/* Does the instruction run several times? */
bool lint_comes_again(struct lint_forms *forms, uint32_t at);
/* Is it a register alone that changes from turn to turn? */
bool lint_form_is_counter(const struct lint_form *form);
/* Is it a number?  Which one? */
bool lint_form_number(const struct lint_form *form, int64_t *number);
/* form = each * what grows from launch to launch + rest, where one thing does: false, there is none
 * or there are several. */
bool lint_form_split(const struct lint_forms *forms, const struct lint_form *form,
                     struct lint_form *each, struct lint_form *rest);
/* Is a number times b, or b a number times a? */
bool lint_form_fits(const struct lint_form *a, const struct lint_form *b);
/* The largest number that divides `content`, 0: any, and all factors of the form. */
int64_t lint_form_content(const struct lint_form *form, int64_t content);

#endif
