/* What the checker tells fetch.c of words that fetch_adds change, and asks of them. */
#ifndef PTO_CHECK_FETCHES_H
#define PTO_CHECK_FETCHES_H

#include "check/internal.h"

/* S is about to do a fetch_add; it has done it, its last act in LANE S. */
void fetch_foresee(struct pto_check *check, const struct core *core, uint32_t object,
                   uint64_t offset, const void *element);
void fetch_note(struct pto_check *check, struct check_core *core, uint32_t object, uint64_t offset,
                int64_t value, int64_t delta);
/* A TNOTIFY changes the word, which was `now`. */
void fetch_meet_notify(struct pto_check *check, int rank, uint32_t object, uint64_t offset,
                       struct release *release, int64_t now, int64_t value, bool set);
/* Is the word one of fetch_adds?  Then a wait for it passes, which finds this; its last act. */
bool fetch_has_part(const struct pto_check *check, int rank, uint32_t object, uint64_t offset);
void fetch_meet_wait(struct pto_check *check, struct check_core *core, uint32_t object,
                     uint64_t offset, const void *element);
/* S has been given one of ANSWERS, from 0 on, by the TTEST or TWAIT_ANY at which it is.  Does what
 * it does next hang on which one it was, or ask further?  (fetch_way.c) */
bool way_is_of_answer(struct pto_check *check, const struct core *core, int64_t answer,
                      int64_t answers);
/* The end; for the same run once more. */
void fetch_finish(struct pto_check *check);
void fetch_inherit(struct pto_check *check, const struct pto_check *before);
void fetch_free(struct pto_check *check);

#endif
