/* What a mutant is: one change to the synchronisation of a kernel.
 *
 * mutant_plan says whether an instruction can be changed in some way, mutant_apply does it and
 * mutant_undo takes it back.  A changed kernel is as valid as a program that somebody could have
 * written: registers are computed anew in a detour behind the program's end. */
#ifndef PTO_TEST_MUTANT_H
#define PTO_TEST_MUTANT_H

#include "object.h"

enum change {
    CHANGE_DROP,          /* the instruction is gone; a TTEST comes true, and of several signals
                           * the first one came, without asking */
    CHANGE_DROP_PAIR,     /* a set and its wait, a notify and its wait */
    CHANGE_EVENT,         /* another event or cross-core flag */
    CHANGE_PIPE,          /* another pipe sets, waits or is held back */
    CHANGE_SCOPE,         /* sync_all of another set of sub-cores */
    CHANGE_TELL_EARLY,    /* a notify before the barrier and the fence that publish its payload */
    CHANGE_TELL_MORE,     /* a notify adds or sets one more */
    CHANGE_TELL_OTHER,    /* a notify goes to the rank behind the right one */
    CHANGE_TELL_HOW,      /* a notify sets instead of adding, or the other way round */
    CHANGE_WAIT_MORE,     /* a wait or a test for one more ... */
    CHANGE_WAIT_LESS,     /* ... or one less */
    CHANGES,
    CHANGE_TRAP = CHANGES /* no mutant: a fault tells that the instruction is executed at all */
};
const char *mutant_change_name(enum change change);

struct mutant {
    enum change change;
    uint32_t kernel;
    unsigned core;
    uint32_t pc;
    unsigned other_core; /* the second instruction: the wait of a pair, the first of a group */
    uint32_t other;
};

/* What mutant_apply put aside. */
struct mutant_saved {
    struct pto_code code[PTO_CORE_KINDS];
    struct pto_arena arena; /* of the changed instructions */
};

/* Is there such a mutant of instruction `pc`? */
bool mutant_plan(const struct pto_module *module, enum change change, uint32_t kernel,
                 unsigned core, uint32_t pc, struct mutant *mutant);
void mutant_apply(struct pto_module *module, const struct pto_profile *profile,
                  const struct mutant *mutant, struct mutant_saved *saved);
void mutant_undo(struct pto_module *module, const struct mutant *mutant,
                 struct mutant_saved *saved);
/* Does the changed module pass verification, as every program has to?  It stays where it is. */
bool mutant_is_valid(struct pto_program *program, const struct pto_profile *profile);

#endif
