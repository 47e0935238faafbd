/* Numbers as sums of products of things that are not known: built-in values, parameters, results
 * of instructions, counters of loops.  Internal to the lint. */
#ifndef PTO_LINT_FORM_H
#define PTO_LINT_FORM_H

#include "core.h"

enum {
    LINT_TERMS = 8,
    LINT_SMALL = 1 << 16,
    /* Atoms; 0 is none. */
    LINT_ATOM_SYS = 1,           /* and the built-in value's number */
    LINT_ATOM_PARAM = 1 << 8,    /* and the register's, which nothing assigns */
    LINT_ATOM_COUNTER = 1 << 12, /* and the register's, of a loop */
    LINT_ATOM_RESULT = 1 << 16,  /* and twice the instruction's, and its kind of sub-core */
    LINT_ATOM_EPOCH = 1 << 30    /* the same of a fetch_add that counts launches, or their turns */
};

/* factor * atom[0] * atom[1], of which atom[0] is not less. */
struct lint_term {
    int64_t factor;
    uint32_t atom[2];
};

struct lint_form {
    bool known;
    unsigned terms;
    struct lint_term term[LINT_TERMS]; /* by atoms, the constant first; no factor is 0 */
};

struct lint_form lint_form_of_number(int64_t value);
void lint_form_add(struct lint_form *form, struct lint_term term);
/* a + times * b, a * b; not known if one of the two is not. */
struct lint_form lint_form_sum(const struct lint_form *a, const struct lint_form *b,
                               int64_t times);
struct lint_form lint_form_product(const struct lint_form *a, const struct lint_form *b);

/* Is it a number?  Which one? */
bool lint_form_number(const struct lint_form *form, int64_t *value);
/* Is it above 0 for certain? */
bool lint_form_positive(const struct lint_form *form);
/* Do other sub-cores, ranks or turns of a loop have other values?  The largest number that divides
 * by how much they differ; 0: they do not. */
int64_t lint_form_stride(const struct lint_form *form);
/* The largest number that divides `content`, 0: any, and all factors of the form. */
int64_t lint_form_content(const struct lint_form *form, int64_t content);
/* Can the form be a multiple of the other one?  No only if that is certain, and the other one is a
 * number of ranks or sub-cores, all but a few. */
bool lint_form_divides(const struct lint_form *by, const struct lint_form *form);

#endif
