#include "profile_text.h"

#include <stdio.h>
#include <string.h>

#include "enums.h"
#include "profile_key.h"

enum { VALUE_BYTES = 4 * PROFILE_NUMBER_BYTES };

static void pipes_text(uint64_t mask, char *text)
{
    size_t length = 0;

    *text = 0;
    for (int pipe = 0; pipe < PTO_PIPE_COUNT; pipe++)
        if (mask >> pipe & 1)
            length += (size_t)snprintf(text + length, VALUE_BYTES - length, "%s%s",
                                       length ? " " : "", pto_enum_keyword(PTO_ENUM_PIPE, pipe));
}

static void key_text(const struct profile_key *key, uint64_t value, char *text)
{
    switch (key->type) {
    case PROFILE_NUMBER:
        profile_number_text(value, key->unit, text);
        break;
    case PROFILE_SWITCH:
        strcpy(text, value ? "yes" : "no");
        break;
    case PROFILE_LAYOUT:
        strcpy(text, pto_layout_name((enum pto_layout)value));
        break;
    case PROFILE_PIPES:
        pipes_text(value, text);
        break;
    }
}

static void path_text(const struct pto_path *path, char *text)
{
    char rate[PROFILE_NUMBER_BYTES], latency[PROFILE_NUMBER_BYTES];

    if (path->exists)
        snprintf(text, VALUE_BYTES, "%s, %s, %s", pto_enum_keyword(PTO_ENUM_PIPE, path->pipe),
                 profile_number_text(path->milli_bytes_per_cycle, PROFILE_BYTES_PER_CYCLE, rate),
                 profile_number_text(path->latency_millicycles, PROFILE_MILLICYCLES, latency));
    else
        strcpy(text, "none");
}

static void cost_text(const struct pto_cost_entry *entry, bool fractal, char *text)
{
    char latency[PROFILE_NUMBER_BYTES], slope[PROFILE_NUMBER_BYTES], row[PROFILE_NUMBER_BYTES];

    profile_number_text(entry->latency_millicycles, PROFILE_MILLICYCLES, latency);
    profile_number_text(entry->slope_millicycles,
                        fractal ? PROFILE_PER_FRACTAL : PROFILE_PER_REPEAT, slope);
    profile_number_text(entry->row_millicycles, PROFILE_PER_ROW, row);
    snprintf(text, VALUE_BYTES, "%s, %s%s%s", latency, slope, entry->row_millicycles ? ", " : "",
             entry->row_millicycles ? row : "");
}

void pto_profile_text(const struct pto_profile *profile,
                      void (*tell)(void *context, const char *key, const char *value),
                      void *context)
{
    char text[VALUE_BYTES], name[32];

    for (unsigned i = 0; i < PROFILE_KEYS; i++) {
        uint64_t value = profile_key_value(profile, &profile_keys[i]);

        if (!value && !profile_keys[i].needed)
            continue;
        key_text(&profile_keys[i], value, text);
        tell(context, profile_keys[i].name, text);
    }
    for (int from = 0; from < PTO_PATH_ENDS; from++)
        for (int to = 0; to < PTO_PATH_ENDS; to++) {
            path_text(&profile->path[from][to], text);
            snprintf(name, sizeof name, "path.%s.%s", profile_path_end_name(from),
                     profile_path_end_name(to));
            tell(context, name, text);
        }
    for (unsigned i = PTO_COST_NONE + 1; i < PTO_COST_MOVE; i++) {
        if (!(profile->costs_named >> i & 1))
            continue;
        cost_text(&profile->cost[i], !strcmp(profile_costs[i].unit, "fractal"), text);
        tell(context, profile_costs[i].key, text);
    }
}
