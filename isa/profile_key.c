#include "profile_key.h"

#include <string.h>

enum {
    MOST_CAPACITY = 64 << 20, /* bytes of one on-chip memory */
};
#define MOST_TIME 4000000000ll /* 4 ms in ps: fits 32 bits */

#define ROW(name, type, field, unit, smallest, largest, needed)                                    \
    {name, PROFILE_##type, offsetof(struct pto_profile, field),                                    \
     sizeof(((struct pto_profile *)0)->field), PROFILE_##unit, smallest, largest, needed},
#define KEY(...) ROW(__VA_ARGS__, true)
#define OPTION(...) ROW(__VA_ARGS__, false)
const struct profile_key profile_keys[PROFILE_KEYS] = {
#include "profile_keys.def"
};
#undef KEY
#undef OPTION
#undef ROW

#define COST(id, name, unit, meaning) {"cost." name, unit, PTO_COST_NONE},
#define COST_LIKE(id, name, unit, like, meaning) {"cost." name, unit, PTO_COST_##like},
const struct profile_cost profile_costs[PTO_COST_COUNT] = {
#include "cost.def"
};
#undef COST
#undef COST_LIKE

uint64_t profile_key_value(const struct pto_profile *profile, const struct profile_key *key)
{
    const uint8_t *field = (const uint8_t *)profile + key->offset;
    uint32_t word;
    uint64_t value;

    if (key->size == sizeof *field)
        return *field;
    if (key->size == sizeof word) {
        memcpy(&word, field, sizeof word);
        return word;
    }
    memcpy(&value, field, sizeof value);
    return value;
}

void profile_key_store(struct pto_profile *profile, const struct profile_key *key, uint64_t value)
{
    uint8_t *field = (uint8_t *)profile + key->offset;
    uint8_t byte = (uint8_t)value;
    uint32_t word = (uint32_t)value;

    memcpy(field,
           key->size == sizeof byte   ? (const void *)&byte
           : key->size == sizeof word ? (const void *)&word
                                      : (const void *)&value,
           key->size);
}

void profile_name_cost(struct pto_profile *profile, unsigned cost)
{
    profile->costs_named |= 1u << cost;
    for (unsigned i = PTO_COST_NONE + 1; i < PTO_COST_MOVE; i++)
        if (!(profile->costs_named >> i & 1))
            profile->cost[i] = profile->cost[profile_costs[i].like];
}

static int find_end(const char *name)
{
    return !strcmp(name, "gm") ? (int)PTO_PATH_GM : pto_space_find(name);
}

bool profile_path_ends(const char *key, int *from, int *to)
{
    const char *ends = key + sizeof "path." - 1, *dot;
    char name[8] = "";

    if (strncmp(key, "path.", sizeof "path." - 1) != 0 || !(dot = strchr(ends, '.')) ||
        (size_t)(dot - ends) >= sizeof name)
        return false;
    memcpy(name, ends, (size_t)(dot - ends));
    *from = find_end(name);
    *to = find_end(dot + 1);
    return *from >= 0 && *to >= 0;
}

const char *profile_path_end_name(int end)
{
    return end == (int)PTO_PATH_GM ? "gm" : pto_spaces[end].name;
}
