/* The one place that changes flags, cross-core flags and signals. */
#ifndef PTO_UNITS_FLAG_H
#define PTO_UNITS_FLAG_H

#include "machine/probe.h"

/* What to do about flags that are left at the end. */
#define FLAG_LEFT_HINT                                                                             \
    "every set needs its wait before the end, or the next launch starts out of step"

/* A token of (src, dst, id) appears now; whoever waits for it is woken.  false: depth exceeded. */
bool flag_set(struct core *core, uint32_t pc, unsigned src, unsigned dst, unsigned id);
/* Consume a token if there is one. */
static inline bool flag_take(struct core *core, unsigned src, unsigned dst, unsigned id)
{
    struct flag_pair *pair = core_pair(core, src, dst);

    if (!pair || !pair->token[id])
        return false;
    pair->token[id]--;
    PROBE(core->rank->vm, flag_take, core, src, dst, id);
    return true;
}

/* set_flag_dev or set_intra_block fires now; `id`: the place of the flag. */
bool flag_cross_set(struct core *core, uint32_t pc, unsigned pipe, unsigned mode, unsigned id);
/* A count of the flag arrives at a sub-core. */
bool flag_cross_arrive(struct core *core, unsigned id);
bool flag_cross_take(struct core *core, unsigned pipe, uint32_t pc, unsigned id);

/* S is at sync_all with drained pipes; the last one to come releases all. */
bool flag_sync_all(struct core *core, int scope);

/* S has ended: a sync_all that waits for it can never go on. */
void flag_core_ends(struct core *core);

/* Bytes of an object changed: wake the sub-cores whose wait for signals ends by that. */
void flag_object_written(struct rank *rank, uint32_t object);
/* Apply a notify operation to a window of int32 elements, then wake.  `tag`: the probe's number of
 * it, 0 without a probe. */
void flag_notify(struct rank *rank, uint32_t object, const struct op_view *view, int64_t value,
                 int operation, uint32_t tag);
/* The first of the conditions of core->waits that holds, all elements of its window at once, is
 * now the one held, and of several S is told which one it is; false: none holds. */
bool flag_signal_holds(struct core *core);
/* S starts to wait until one of core->waits->condition holds. */
void flag_wait_signal(struct core *core);

/* Reset at the start of a launch. */
void flag_reset(struct core *core);
/* Report tokens that are left when the sub-core has ended, and cross-core flags that are left when
 * all of them have. */
void flag_report_left(struct core *core);
void flag_report_cross_left(struct core *core);
/* The sub-core has ended: give back the memory of flags that are all taken. */
void flag_release(struct core *core);
void flag_release_cross(struct core *core);

#endif
