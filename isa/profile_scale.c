#include "profile_scale.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "enums.h"
#include "profile_value.h"
#include "space.h"

/* ---- single numbers ---- */

#define KEY(name, type, field, unit, smallest, largest)                                            \
    {name, offsetof(struct pto_profile, field), sizeof(((struct pto_profile *)0)->field),          \
     PROFILE_##unit},
#define OPTION(...) KEY(__VA_ARGS__)
static const struct number {
    const char *name;
    size_t offset, size;
    enum profile_unit unit;
} numbers[] = {
#include "profile_keys.def"
};
#undef KEY
#undef OPTION
enum { NUMBERS = sizeof numbers / sizeof *numbers };

#define COST(id, name, unit, meaning) "cost." name,
#define COST_LIKE(id, name, unit, like, meaning) "cost." name,
static const char *const cost_name[PTO_COST_COUNT] = {
#include "cost.def"
};
#undef COST
#undef COST_LIKE

static bool is_cost(const struct number *number)
{
    switch (number->unit) {
    case PROFILE_TIME:
    case PROFILE_RATE:
    case PROFILE_CYCLES:
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

static const char *scale_number(struct pto_profile *profile, const struct number *number,
                                double factor)
{
    uint8_t *field = (uint8_t *)profile + number->offset;
    const char *wrong;
    uint32_t word;
    uint64_t value;

    if (!is_cost(number))
        return "is no time, rate or cost";
    if (number->size == sizeof word) {
        memcpy(&word, field, sizeof word);
        wrong = scale_u32(&word, factor);
        memcpy(field, &word, sizeof word);
        return wrong;
    }
    memcpy(&value, field, sizeof value);
    wrong = scale(&value, factor, INT64_MAX / 1000000);
    memcpy(field, &value, sizeof value);
    return wrong;
}

/* ---- costs and paths ---- */

static const char *scale_cost(struct pto_cost_entry *cost, double factor)
{
    const char *wrong = scale_u32(&cost->latency_cycles, factor);

    wrong = wrong ? wrong : scale_u32(&cost->slope_millicycles, factor);
    return wrong ? wrong : scale_u32(&cost->row_millicycles, factor);
}

static struct pto_path *find_path(struct pto_profile *profile, const char *key)
{
    const char *from = key + sizeof "path." - 1, *dot;
    char name[8] = "";
    int end[2];

    if (strncmp(key, "path.", sizeof "path." - 1) != 0 || !(dot = strchr(from, '.')) ||
        (size_t)(dot - from) >= sizeof name)
        return NULL;
    memcpy(name, from, (size_t)(dot - from));
    end[0] = !strcmp(name, "gm") ? (int)PTO_PATH_GM : pto_space_find(name);
    end[1] = !strcmp(dot + 1, "gm") ? (int)PTO_PATH_GM : pto_space_find(dot + 1);
    return end[0] < 0 || end[1] < 0 || !profile->path[end[0]][end[1]].exists
               ? NULL
               : &profile->path[end[0]][end[1]];
}

/* The class that its name, or its key, says; PTO_COST_NONE: there is none. */
static unsigned find_cost(const char *key)
{
    for (unsigned i = PTO_COST_NONE + 1; i < PTO_COST_MOVE; i++)
        if (!strcmp(key, cost_name[i]) || !strcmp(key, cost_name[i] + sizeof "cost." - 1))
            return i;
    return PTO_COST_NONE;
}

const char *pto_profile_cost_key(const char *key)
{
    unsigned cost = find_cost(key);

    return cost == PTO_COST_NONE ? key : cost_name[cost];
}

const char *pto_profile_scale(struct pto_profile *profile, const char *key, double factor)
{
    struct pto_path *path = find_path(profile, key);
    unsigned cost = find_cost(key);

    if (path)
        return scale(&path->milli_bytes_per_cycle, factor, INT32_MAX);
    for (unsigned i = 0; i < NUMBERS; i++)
        if (!strcmp(key, numbers[i].name))
            return scale_number(profile, &numbers[i], factor);
    return cost == PTO_COST_NONE ? "is no cost of the profile"
                                 : scale_cost(&profile->cost[cost], factor);
}
