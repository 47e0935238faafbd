/* What S has loaded from its tiles and nobody has touched since (held.c). */
#ifndef PTO_CHECK_HELD_H
#define PTO_CHECK_HELD_H

#include "check/internal.h"

/* A load of S from a tile, of bytes that are in one state: kept for itself, in place of a new state
 * of the bytes.  NULL: it has to be judged; else the caller fills it in. */
struct access *held_take(struct pto_check *check, struct check_core *core,
                         const struct shadow *shadow, unsigned space, uint64_t offset,
                         unsigned size);
/* The access that is being judged comes to bytes of the sub-core's tiles: loads that are kept are
 * put into the states of the bytes, unless the access ends them. */
void held_meet_slowly(struct pto_check *check, struct check_core *core, uint64_t offset,
                      uint64_t length);
/* The same of several pieces. */
void held_meet_pieces(struct pto_check *check, struct check_core *core,
                      const struct effect_pieces *pieces);
/* The tiles begin anew; the numbers of uses begin anew (race_first_turn); the end. */
void held_forget(struct check_core *core);
void held_first_turn(struct check_core *core);
void held_free(struct check_core *core);

static inline uint64_t held_page(uint64_t offset)
{
    return UINT64_C(1) << offset / SHADOW_PAGE % 64;
}
static inline void held_meet(struct pto_check *check, struct check_core *core, uint64_t offset,
                             uint64_t length)
{
    if (length > SHADOW_PAGE || core->held_pages & held_page(offset) ||
        core->held_pages & held_page(offset + length - 1))
        held_meet_slowly(check, core, offset, length);
}

#endif
