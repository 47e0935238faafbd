#include "form.h"

#include <string.h>

static const int64_t LARGEST = (int64_t)1 << 31; /* factor */

struct lint_form lint_form_of_number(int64_t value)
{
    struct lint_form form = {.known = value <= LARGEST && value >= -LARGEST};

    if (value)
        form.term[form.terms++] = (struct lint_term){value, {0, 0}};
    return form;
}

static int compare_atoms(const struct lint_term *a, const struct lint_term *b)
{
    if (a->atom[0] != b->atom[0])
        return a->atom[0] < b->atom[0] ? -1 : 1;
    return a->atom[1] < b->atom[1] ? -1 : a->atom[1] > b->atom[1];
}

void lint_form_add(struct lint_form *form, struct lint_term term)
{
    unsigned i = 0;

    while (i < form->terms && compare_atoms(&form->term[i], &term) < 0)
        i++;
    if (i < form->terms && compare_atoms(&form->term[i], &term) == 0) {
        form->term[i].factor += term.factor;
        if (form->term[i].factor == 0)
            memmove(&form->term[i], &form->term[i + 1], (--form->terms - i) * sizeof term);
        else if (form->term[i].factor > LARGEST || form->term[i].factor < -LARGEST)
            form->known = false;
        return;
    }
    if (form->terms == LINT_TERMS || term.factor > LARGEST || term.factor < -LARGEST) {
        form->known = false;
        return;
    }
    memmove(&form->term[i + 1], &form->term[i], (form->terms++ - i) * sizeof term);
    form->term[i] = term;
}

struct lint_form lint_form_sum(const struct lint_form *a, const struct lint_form *b, int64_t times)
{
    struct lint_form result = *a;

    result.known = a->known && b->known;
    for (unsigned i = 0; i < b->terms && result.known; i++)
        lint_form_add(&result, (struct lint_term){times * b->term[i].factor,
                                             {b->term[i].atom[0], b->term[i].atom[1]}});
    return result;
}

static void add_product(struct lint_form *form, const struct lint_term *a,
                        const struct lint_term *b)
{
    struct lint_term term = {0, {a->atom[0], a->atom[1]}};

    if (b->atom[0])
        term.atom[a->atom[0] ? 1 : 0] = b->atom[0];
    if (a->atom[0] && b->atom[0] && (a->atom[1] || b->atom[1]))
        form->known = false; /* of three factors */
    if (!a->atom[0])
        term.atom[1] = b->atom[1];
    if (term.atom[1] > term.atom[0]) {
        uint32_t larger = term.atom[1];

        term.atom[1] = term.atom[0];
        term.atom[0] = larger;
    }
    term.factor = a->factor * b->factor; /* none is above LARGEST */
    lint_form_add(form, term);
}

struct lint_form lint_form_product(const struct lint_form *a, const struct lint_form *b)
{
    struct lint_form result = {.known = a->known && b->known};

    for (unsigned i = 0; i < a->terms && result.known; i++)
        for (unsigned k = 0; k < b->terms && result.known; k++)
            add_product(&result, &a->term[i], &b->term[k]);
    return result;
}

bool lint_form_number(const struct lint_form *form, int64_t *value)
{
    *value = form->terms ? form->term[0].factor : 0;
    return form->known && (form->terms == 0 || (form->terms == 1 && !form->term[0].atom[0]));
}

/* The largest number that divides both; that of 0 and another is the other. */
static int64_t common(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a;
    while (a) {
        int64_t rest = b % a;

        b = a;
        a = rest;
    }
    return b;
}

static bool varies(uint32_t atom)
{
    return (atom >= LINT_ATOM_COUNTER && atom < LINT_ATOM_EPOCH) ||
           atom == LINT_ATOM_SYS + PTO_SYS_RANK || atom == LINT_ATOM_SYS + PTO_SYS_BLOCK_ID ||
           atom == LINT_ATOM_SYS + PTO_SYS_SUB_ID || atom == LINT_ATOM_SYS + PTO_SYS_VEC_ID;
}

int64_t lint_form_stride(const struct lint_form *form)
{
    int64_t stride = 0;

    for (unsigned i = 0; i < form->terms; i++)
        if (varies(form->term[i].atom[0]) || varies(form->term[i].atom[1]))
            stride = common(form->term[i].factor, stride);
    return stride;
}

int64_t lint_form_content(const struct lint_form *form, int64_t content)
{
    for (unsigned i = 0; form->known && i < form->terms; i++)
        content = common(form->term[i].factor, content);
    return content;
}

/* Is it a number of ranks or sub-cores, of which there is at least one? */
static bool counts(uint32_t atom)
{
    return atom == LINT_ATOM_SYS + PTO_SYS_NRANKS || atom == LINT_ATOM_SYS + PTO_SYS_BLOCK_NUM ||
           atom == LINT_ATOM_SYS + PTO_SYS_SUB_NUM || atom == LINT_ATOM_SYS + PTO_SYS_VEC_COUNT ||
           atom == LINT_ATOM_SYS + PTO_SYS_NODE_RANKS;
}

bool lint_form_positive(const struct lint_form *form)
{
    int64_t least = 0;

    for (unsigned i = 0; form->known && i < form->terms; i++) {
        const struct lint_term *term = &form->term[i];

        if (term->atom[0] && (!counts(term->atom[0]) || term->atom[1] || term->factor < 0))
            return false;
        least += term->factor;
    }
    return form->known && least > 0;
}

/* Put a number in the place of an atom. */
static struct lint_form replaced(const struct lint_form *form, uint32_t atom, int64_t value)
{
    struct lint_form result = {.known = form->known};

    for (unsigned i = 0; i < form->terms && result.known; i++) {
        struct lint_term term = form->term[i];

        for (unsigned k = 2; k-- > 0 && result.known;)
            if (term.atom[k] == atom && value <= LINT_SMALL && value >= -LINT_SMALL) {
                term.factor *= value;
                term.atom[k] = k ? 0 : term.atom[1];
                term.atom[1] = 0;
                result.known = term.factor <= LARGEST && term.factor >= -LARGEST;
            }
        if (term.factor && result.known)
            lint_form_add(&result, term);
    }
    return result;
}

/* It is if the form vanishes where the divisor does. */
bool lint_form_divides(const struct lint_form *by, const struct lint_form *form)
{
    const struct lint_term *last = &by->term[by->terms - 1];
    int64_t constant = by->terms > 1 ? by->term[0].factor : 0;
    struct lint_form rest;

    if (!by->known || by->terms == 0 || by->terms > 2 || !counts(last->atom[0]) ||
        last->atom[1] || last->factor != 1 || (by->terms == 2 && by->term[0].atom[0]))
        return true; /* nobody knows */
    rest = replaced(form, last->atom[0], -constant);
    return !rest.known || rest.terms == 0 || lint_form_stride(&rest);
}
