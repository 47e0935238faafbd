#include "profile_scale.h"

#include <math.h>
#include <string.h>

#include "profile_key.h"

/* ---- single numbers ---- */

static bool is_cost(const struct profile_key *key)
{
    switch (key->unit) {
    case PROFILE_TIME:
    case PROFILE_RATE:
    case PROFILE_MILLICYCLES:
    case PROFILE_CLOCK:
        return true;
    default:
        return false;
    }
}

/* What was something stays something; NULL, or what is wrong. */
static const char *scale(uint64_t *value, double factor, uint64_t largest)
{
    double scaled = nearbyint((double)*value * factor);

    if (scaled > (double)largest)
        return "becomes too large";
    *value = *value && scaled < 1 ? 1 : (uint64_t)scaled;
    return NULL;
}

static const char *scale_u32(uint32_t *value, double factor)
{
    uint64_t wide = *value;
    const char *wrong = scale(&wide, factor, INT32_MAX);

    *value = (uint32_t)wide;
    return wrong;
}

static const char *scale_number(struct pto_profile *profile, const struct profile_key *key,
                                double factor)
{
    uint64_t value = profile_key_value(profile, key);
    const char *wrong;

    if (!is_cost(key))
        return "is no time, rate or cost";
    wrong = scale(&value, factor,
                  key->size == sizeof(uint32_t) ? INT32_MAX : INT64_MAX / 1000000);
    profile_key_store(profile, key, value);
    return wrong;
}

/* ---- costs and paths ---- */

static const char *scale_cost(struct pto_cost_entry *cost, double factor)
{
    const char *wrong = scale_u32(&cost->latency_millicycles, factor);

    wrong = wrong ? wrong : scale_u32(&cost->slope_millicycles, factor);
    return wrong ? wrong : scale_u32(&cost->row_millicycles, factor);
}

static struct pto_path *find_path(struct pto_profile *profile, const char *key)
{
    int from, to;

    return profile_path_ends(key, &from, &to) && profile->path[from][to].exists
               ? &profile->path[from][to]
               : NULL;
}

/* The class that its name, or its key, says; PTO_COST_NONE: there is none. */
static unsigned find_cost(const char *key)
{
    for (unsigned i = PTO_COST_NONE + 1; i < PTO_COST_MOVE; i++)
        if (!strcmp(key, profile_costs[i].key) ||
            !strcmp(key, profile_costs[i].key + sizeof "cost." - 1))
            return i;
    return PTO_COST_NONE;
}

const char *pto_profile_cost_key(const char *key)
{
    unsigned cost = find_cost(key);

    return cost == PTO_COST_NONE ? key : profile_costs[cost].key;
}

const char *pto_profile_scale(struct pto_profile *profile, const char *key, double factor)
{
    struct pto_path *path = find_path(profile, key);
    unsigned cost = find_cost(key);
    const char *wrong;

    if (path)
        return scale(&path->milli_bytes_per_cycle, factor, INT32_MAX);
    for (unsigned i = 0; i < PROFILE_KEYS; i++)
        if (!strcmp(key, profile_keys[i].name))
            return scale_number(profile, &profile_keys[i], factor);
    if (cost == PTO_COST_NONE)
        return "is no cost of the profile";
    wrong = scale_cost(&profile->cost[cost], factor);
    profile_name_cost(profile, cost);
    return wrong;
}
