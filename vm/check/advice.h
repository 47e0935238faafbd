/* What would put a finding right: in words, and as changes of the text. */
#ifndef PTO_CHECK_ADVICE_H
#define PTO_CHECK_ADVICE_H

#include "check/internal.h"

/* advice.c: what order there is between the two parties of a new race, while it is known; `late`:
 * the first was issued before the second and came behind it ... */
void advise_order(struct pto_check *check, struct found *found, const struct access *first,
                  const struct access *second, bool late);
/* ... and in the end the remedy. */
void advise_remedy(struct pto_check *check, struct found *found);

/* advice_edit.c: "file:line" of any instruction. */
const char *advise_place_of(struct pto_check *check, const struct ready_code *code, uint32_t pc);
/* Add lines to the advice: at the place of a party; before what tells others of the first one. */
void advise_edit(struct pto_check *check, struct found *found, unsigned party, bool after,
                 const char *text);
const char *advise_telling_edit(struct pto_check *check, struct found *found, const char *text);
/* The event of a set_flag that nobody waits for; NULL: there is none. */
const char *advise_half(struct pto_check *check, const struct found *f, unsigned src, unsigned dst);
/* Does every way from `a` lead to `b` and nowhere else, without a branch or a label? */
bool advise_is_straight(const struct party *a, const struct party *b);
/* The event for a flag between the parties: the register of their slot, or the lowest id that the
 * run did not use for these pipes; *spare: there is one. */
const char *advise_event(struct pto_check *check, const struct found *found, unsigned src,
                         unsigned dst, bool *spare);

#endif
