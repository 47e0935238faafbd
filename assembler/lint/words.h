/* Words of signals: who in a kernel tells them, waits for them, or touches them in another way.
 * Internal to the lint. */
#ifndef PTO_LINT_WORDS_H
#define PTO_LINT_WORDS_H

#include "made.h"

enum { LINT_MOST_SITES = 512 }; /* of a kernel, with more nothing is said of words */

enum lint_act { LINT_TELLS, LINT_AWAITS, LINT_TOUCHES };

/* An operand that names words of an object that some TNOTIFY, TWAIT or TTEST is about. */
struct lint_word {
    enum lint_act act;
    bool reads, writes;
    uint8_t core; /* enum pto_core_kind */
    uint32_t at;
    uint16_t object, root; /* what it names, and what that views */
    const struct pto_gm_ref *gm;
    uint32_t how;                   /* enum PTO_NOTIFY_*, PTO_CMP_* */
    const struct pto_scalar *value; /* told or awaited; else NULL */
    struct lint_form form;          /* of the value */
    bool placed;                    /* one word: between these, in each dimension */
    struct lint_form least[PTO_MAX_DIMS], most[PTO_MAX_DIMS];
};

struct lint_words {
    struct lint *lint;
    struct lint_made made[PTO_CORE_KINDS];
    struct lint_word *word;
    uint32_t words, capacity;
    uint16_t *root; /* by object */
};

/* Those of the reachable instructions of the kernel; false: there are too many.  To be freed. */
bool lint_words_find(struct lint_words *words, struct lint *lint);
void lint_words_free(struct lint_words *words);
/* Can the two be one word? */
bool lint_may_meet(const struct lint_word *a, const struct lint_word *b);
/* What each object of a kernel is, or views; malloc'ed. */
uint16_t *lint_find_roots(const struct pto_kernel *kernel);
/* signals.c: does another kernel of the text read, or write, the object? */
bool lint_others_do(const struct lint_words *words, const struct lint_word *word, bool write);

/* levels.c: values that are told and awaited, but do not fit together. */
void lint_levels(struct lint_words *words);

#endif
