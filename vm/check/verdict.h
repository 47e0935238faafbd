/* Verdicts on accesses, private to vm/check. */
#ifndef PTO_CHECK_VERDICT_H
#define PTO_CHECK_VERDICT_H

#include "check/internal.h"

/* race_sweep.c: give back accesses and states that nothing refers to.  The first sweep comes while
 * both tables fit into a cache of the second level. */
enum { RACE_FIRST_SWEEP = 1 << 12 };
void race_sweep(struct pto_check *check);
void race_free(struct pto_check *check);
uint32_t race_grow(struct pto_check *check);
/* The number of a new access, to be filled in. */
static inline uint32_t race_access(struct pto_check *check)
{
    if (check->states - check->spare_states >= check->sweep_at ||
        check->accesses - check->spare_accesses >= check->sweep_at)
        race_sweep(check);
    if (check->spare_accesses)
        return check->spare_access[--check->spare_accesses];
    if (check->accesses < check->access_capacity)
        return check->accesses++;
    return race_grow(check);
}

/* The same in the midst of an access: what is not referred to yet stays. */
static inline uint32_t race_access_at_once(struct pto_check *check)
{
    return check->spare_accesses ? check->spare_access[--check->spare_accesses] : race_grow(check);
}

/* race.c: after 2^32 uses: no state has been found by the first one. */
void race_first_turn(struct pto_check *check);
/* Judge the use of bytes in a state; what their state is behind it. */
shadow_step race_step;
/* The same of a read of which there is nothing to report, in the midst of another access. */
shadow_step race_read_step;
/* Begin to judge a use; then race_bytes or race_piece for all of its bytes.  go_on: another use of
 * the same access. */
static inline void race_go_on(struct pto_check *check, check_use use)
{
    struct touch *touch = &check->touch;

    touch->use = use;
    touch->write_state[0] = touch->write_state[1] = 0;
    if (++touch->turn == 0)
        race_first_turn(check);
}
static inline void race_begin(struct pto_check *check, check_use use, const struct frame *frame)
{
    const struct access *access = &check->access[use >> 3];

    check->touch.core = access->core;
    check->touch.lane = access->lane;
    check->touch.frame = frame;
    race_go_on(check, use);
}
static inline void race_bytes(struct pto_check *check, struct shadow *shadow,
                              const struct effect_pieces *pieces)
{
    shadow_touch(shadow, &check->pools, pieces, race_step, check);
}
static inline void race_piece(struct pto_check *check, struct shadow *shadow, uint64_t offset,
                              uint64_t length)
{
    shadow_touch_piece(shadow, &check->pools, offset, length, race_step, check);
}
/* Who else has used the bytes. */
static inline const check_use *race_others(const struct state *state)
{
    return state->others > 2 ? state->many : state->few;
}
static inline bool race_knows(const struct frame *frame, uint32_t self, uint32_t core,
                              unsigned lane, uint32_t epoch)
{
    const struct row *row = core == self ? &frame->row : far_row(frame->far, core);

    return row && row_knows(row, lane, epoch);
}
/* Is the use ordered before who knows `frame`, on sub-core `self`, or on that of the access that is
 * being judged? */
static inline bool race_is_known_by(const struct pto_check *check, check_use other,
                                    const struct frame *frame, uint32_t self)
{
    const struct access *access = &check->access[other >> 3];
    unsigned lane = access->lane;

    if ((other & ACCESS_REMOTE) && access->core != self)
        lane = lane == PTO_PIPE_FIX ? LANE_REMOTE_FIX : lane == PTO_DMA ? lane : LANE_REMOTE_MTE3;
    return race_knows(frame, self, access->core, lane, access->epoch);
}
static inline bool race_is_known(const struct pto_check *check, check_use other,
                                 const struct frame *frame)
{
    return race_is_known_by(check, other, frame, check->touch.core);
}

/* race_report.c: the access being judged races with another one, reads unwritten bytes, a tile that
 * was overwritten, or bytes that a later `load` left as they were. */
void race_report(struct pto_check *check, check_use other, uint64_t offset, uint64_t length);
void race_report_uninitialised(struct pto_check *check, uint64_t offset, uint64_t length);
void race_report_overlap(struct pto_check *check, check_use writer, uint64_t offset,
                         uint64_t length);
void race_report_stale(struct pto_check *check, uint32_t load, uint64_t offset, uint64_t length);
/* Of two writes in no order: is `a` named first? */
bool race_stands_before(const struct access *a, const struct access *b);
/* Put the bytes of the access being judged into a finding. */
void race_locate(struct pto_check *check, struct found *found, uint64_t offset, uint64_t length);

#endif
