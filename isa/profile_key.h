/* The keys of a profile as data: one row for each, shared by those who read, change, scale and
 * write profiles.  Internal to isa/profile_*.c. */
#ifndef PTO_PROFILE_KEY_H
#define PTO_PROFILE_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h"
#include "profile_value.h"

enum profile_key_type {
    PROFILE_NUMBER,
    PROFILE_SWITCH, /* yes or no */
    PROFILE_LAYOUT, /* of L0A */
    PROFILE_PIPES,  /* a list: mask of 1 << PTO_PIPE_* */
};

/* A key with one value, from profile_keys.def. */
struct profile_key {
    const char *name;
    enum profile_key_type type;
    size_t offset, size;        /* of its field */
    enum profile_unit unit;
    uint64_t smallest, largest; /* of a number */
    bool needed;                /* a complete profile names it */
};

/* A class of costs, from cost.def. */
struct profile_cost {
    const char *key, *unit;
    uint8_t like; /* which it costs as if no profile names it; PTO_COST_NONE: every profile does */
};

enum { PROFILE_MOST_RATE = 1000000000 }; /* 1 PB/s; also 1 MB per cycle in thousandths */

#define KEY(...) +1
#define OPTION(...) +1
enum {
    PROFILE_KEYS = 0
#include "profile_keys.def"
};
#undef KEY
#undef OPTION

extern const struct profile_key profile_keys[PROFILE_KEYS];
/* Files name those from PTO_COST_NONE + 1 to PTO_COST_MOVE - 1. */
extern const struct profile_cost profile_costs[PTO_COST_COUNT];

uint64_t profile_key_value(const struct pto_profile *profile, const struct profile_key *key);
void profile_key_store(struct pto_profile *profile, const struct profile_key *key, uint64_t value);
/* The profile has a cost of its own for this class, and with it all classes that cost the same. */
void profile_name_cost(struct pto_profile *profile, unsigned cost);
/* "path.gm.ub": from and to; false if there are no such ends. */
bool profile_path_ends(const char *key, int *from, int *to);
/* "gm", "ub", ... */
const char *profile_path_end_name(int end);

#endif
