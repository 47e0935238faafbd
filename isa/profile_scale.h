/* Costs of a profile times a factor: what if this were twice as fast? */
#ifndef PTO_PROFILE_SCALE_H
#define PTO_PROFILE_SCALE_H

#include "profile.h"

/* Multiply what a key says that is a time, a rate or a cost: of `cost.` classes, whose name may
 * stand alone, latency, slope and row; of `path.` keys the bandwidth.  Rounded to the unit in which
 * the profile keeps it, never to nothing.  NULL, or what is wrong, which begins with a verb. */
const char *pto_profile_scale(struct pto_profile *profile, const char *key, double factor);

/* "cost.v_exp" for the class v_exp; any other key as it is. */
const char *pto_profile_cost_key(const char *key);

#endif
