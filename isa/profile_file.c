#include "profile_file.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "profile_built_in.h"
#include "profile_key.h"
#include "profile_scale.h"

enum {
    MOST_MILLICYCLES = 1000000000,
    BASE_DEPTH = 4, /* built-in profiles that are based on one another */
};

/* One file on its way into a profile. */
struct loader {
    struct pto_profile *profile;
    struct pto_diags *diags;
    struct pto_arena *arena; /* for lines */
    const char *file;
    const char *text;  /* of the current line */
    unsigned line;
    bool first;        /* no key seen yet */
    bool bad;
    bool key_set[PROFILE_KEYS];                                 /* in this file or its base */
    unsigned key_line[PROFILE_KEYS], cost_line[PTO_COST_COUNT]; /* in this file; 0: not yet */
    unsigned path_line[PTO_PATH_ENDS][PTO_PATH_ENDS];
};

static struct pto_diag *complain(struct loader *loader, const char *key, const char *problem,
                                 const char *value)
{
    uint32_t column = (uint32_t)strspn(loader->text, " \t") + 1;
    struct pto_diag *diag = pto_diag_add(loader->diags, PTO_ERROR, loader->file, loader->line,
                                         column, "'%s' %s%s%s%s", key, problem, value ? ": '" : "",
                                         value ? value : "", value ? "'" : "");

    if (!pto_diags_full(loader->diags)) {
        diag->source_line = pto_arena_strdup(&loader->diags->arena, loader->text);
        diag->length = (uint32_t)strlen(key);
    }
    loader->bad = true;
    return diag;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool read_number(struct loader *loader, const char *key, const char *text,
                        enum profile_unit unit, uint64_t smallest, uint64_t largest,
                        uint64_t *value)
{
    const char *problem = profile_number(text, unit, value);

    if (problem) {
        pto_diag_hint(loader->diags, complain(loader, key, problem, text), "write %s",
                      profile_unit_example(unit));
        return false;
    }
    if (*value < smallest || *value > largest) {
        pto_diag_hint(loader->diags, complain(loader, key, "is out of range", text),
                      "allowed are %llu to %llu%s", (unsigned long long)smallest,
                      (unsigned long long)largest, profile_unit_stored(unit));
        return false;
    }
    return true;
}

static bool read_pipes(struct loader *loader, const char *key, char *text, uint64_t *mask)
{
    char *rest = text;

    *mask = 0;
    for (char *word; (word = strtok_r(rest, " \t", &rest));) {
        int pipe = pto_enum_find(PTO_ENUM_PIPE, word);

        if (pipe < 0 || pipe >= PTO_PIPE_COUNT) {
            pto_diag_hint(loader->diags, complain(loader, key, "names no pipe", word),
                          "pipes are S MTE2 MTE1 M V MTE3 FIX");
            return false;
        }
        *mask |= 1u << pipe;
    }
    return true;
}

static void set_key(struct loader *loader, const struct profile_key *key, char *text)
{
    uint64_t value = 0;
    bool good = true;
    int layout;

    switch (key->type) {
    case PROFILE_NUMBER:
        good = read_number(loader, key->name, text, key->unit, key->smallest, key->largest,
                           &value);
        break;
    case PROFILE_SWITCH:
        value = !strcmp(text, "yes");
        good = value || !strcmp(text, "no");
        if (!good)
            complain(loader, key->name, "is neither yes nor no", text);
        break;
    case PROFILE_LAYOUT:
        layout = pto_layout_find(text);
        good = layout >= 0 && pto_spaces[PTO_L0A].layouts >> layout & 1;
        value = good ? (unsigned)layout : 0;
        if (!good)
            complain(loader, key->name, "is neither nz nor zz", text);
        break;
    case PROFILE_PIPES:
        good = read_pipes(loader, key->name, text, &value);
        break;
    }
    if (good)
        profile_key_store(loader->profile, key, value);
}

/* Cut "a, b" at its commas into at most `most` trimmed parts; their number, or most + 1. */
static unsigned split(char *text, char **part, unsigned most)
{
    unsigned count = 0;

    for (char *next = text; next; count++) {
        char *end;

        if (count == most)
            return most + 1;
        text = next + strspn(next, " \t");
        next = strchr(text, ',');
        end = next ? next : text + strlen(text);
        if (next)
            *next++ = 0;
        while (end > text && isspace((unsigned char)end[-1]))
            *--end = 0;
        part[count] = text;
    }
    return count;
}

static void set_cost(struct loader *loader, unsigned cost, char *text)
{
    const char *key = profile_costs[cost].key;
    bool fractal = !strcmp(profile_costs[cost].unit, "fractal");
    uint64_t latency, slope, row = 0;
    char *part[3];
    unsigned parts = split(text, part, fractal ? 2 : 3);

    if (parts != 2 && (fractal || parts != 3)) {
        pto_diag_hint(loader->diags, complain(loader, key, "wants two values", NULL),
                      "write latency, slope: 24 cycles, 2 cycles/%s", profile_costs[cost].unit);
        return;
    }
    if (!read_number(loader, key, part[0], PROFILE_MILLICYCLES, 0, MOST_MILLICYCLES,
                     &latency) ||
        !read_number(loader, key, part[1], fractal ? PROFILE_PER_FRACTAL : PROFILE_PER_REPEAT, 0,
                     PROFILE_MOST_RATE, &slope) ||
        (parts == 3 &&
         !read_number(loader, key, part[2], PROFILE_PER_ROW, 0, PROFILE_MOST_RATE, &row)))
        return;
    loader->profile->cost[cost] =
        (struct pto_cost_entry){(uint32_t)latency, (uint32_t)slope, (uint32_t)row};
}

static void set_path(struct loader *loader, const char *key, struct pto_path *path, char *text)
{
    uint64_t rate, latency;
    char *part[3];
    int pipe;

    if (!strcmp(text, "none")) {
        *path = (struct pto_path){0};
        return;
    }
    if (split(text, part, 3) != 3) {
        pto_diag_hint(loader->diags, complain(loader, key, "wants three values or none", NULL),
                      "write pipe, bandwidth, latency: MTE2, 58.6 B/cycle, 435 cycles");
        return;
    }
    pipe = pto_enum_find(PTO_ENUM_PIPE, part[0]);
    if (pipe <= PTO_PIPE_S || pipe >= PTO_PIPE_COUNT) {
        complain(loader, key, "names no pipe that moves data", part[0]);
        return;
    }
    if (read_number(loader, key, part[1], PROFILE_BYTES_PER_CYCLE, 1, PROFILE_MOST_RATE, &rate) &&
        read_number(loader, key, part[2], PROFILE_MILLICYCLES, 0, MOST_MILLICYCLES,
                    &latency))
        *path = (struct pto_path){true, (uint8_t)pipe, rate, (uint32_t)latency};
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void unknown_key(struct loader *loader, const char *key)
{
    const char *names[PROFILE_KEYS + PTO_COST_COUNT];
    const char *nearest;
    unsigned count = 0;
    struct pto_diag *diag = complain(loader, key, "is no key of a profile", NULL);

    for (unsigned i = 0; i < PROFILE_KEYS; i++)
        names[count++] = profile_keys[i].name;
    for (unsigned i = PTO_COST_NONE + 1; i < PTO_COST_MOVE; i++)
        names[count++] = profile_costs[i].key;
    nearest = pto_profile_cost_key(key) != key ? pto_profile_cost_key(key)
                                               : pto_nearest(key, names, count);
    if (nearest)
        pto_diag_hint(loader->diags, diag, "did you mean %s?", nearest);
    else if (!strncmp(key, "path.", 5))
        pto_diag_hint(loader->diags, diag,
                      "write path.FROM.TO with two of gm%s", pto_space_words);
}

/* False, with a message, if this file gave the key before. */
static bool first_time(struct loader *loader, const char *key, unsigned *line)
{
    if (*line) {
        pto_diag_hint(loader->diags, complain(loader, key, "is given twice", NULL),
                      "the first time was line %u", *line);
        return false;
    }
    *line = loader->line;
    return true;
}

static enum pto_status load_base(struct loader *loader, const char *name, unsigned depth);

static void set_line(struct loader *loader, const char *key, char *value, unsigned depth)
{
    int from, to;

    if (!strcmp(key, "base")) {
        if (!loader->first)
            complain(loader, key, "must be the first key", NULL);
        else if (load_base(loader, value, depth) != PTO_OK)
            loader->bad = true;
        return;
    }
    for (unsigned i = 0; i < PROFILE_KEYS; i++)
        if (!strcmp(key, profile_keys[i].name)) {
            loader->key_set[i] = true;
            if (first_time(loader, key, &loader->key_line[i]))
                set_key(loader, &profile_keys[i], value);
            return;
        }
    for (unsigned i = PTO_COST_NONE + 1; i < PTO_COST_MOVE; i++)
        if (!strcmp(key, profile_costs[i].key)) {
            if (first_time(loader, key, &loader->cost_line[i]))
                set_cost(loader, i, value);
            profile_name_cost(loader->profile, i);
            return;
        }
    if (!profile_path_ends(key, &from, &to))
        unknown_key(loader, key);
    else if (first_time(loader, key, &loader->path_line[from][to]))
        set_path(loader, key, &loader->profile->path[from][to], value);
}

static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        *--end = 0;
    return text + strspn(text, " \t");
}

static void load_line(struct loader *loader, char *line, unsigned depth)
{
    char *comment = strchr(line, '#'), *equals, *key, *value;

    if (comment)
        *comment = 0;
    key = trim(line);
    if (!*key)
        return;
    equals = strchr(key, '=');
    if (!equals) {
        complain(loader, key, "is not of the form key = value", NULL);
        return;
    }
    *equals = 0;
    key = trim(key);
    value = trim(equals + 1);
    if (*key && (*value || !strcmp(key, "barrier_needed")))
        set_line(loader, key, value, depth);
    else
        complain(loader, key, *key ? "has no value" : "lacks its key", NULL);
    loader->first = false;
}

static void load_text(struct loader *loader, const char *text, unsigned depth)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = pto_arena_strndup(loader->arena, text, length);

        loader->line++;
        loader->text = pto_arena_strndup(loader->arena, text, strcspn(text, "\r\n"));
        load_line(loader, line, depth);
        text += length + (text[length] == '\n');
    }
}

/* The values of a built-in profile become the starting point of this file. */
static enum pto_status load_base(struct loader *loader, const char *name, unsigned depth)
{
    const char *text = profile_built_in(name);
    struct loader base = {.profile = loader->profile, .diags = loader->diags,
                          .arena = loader->arena, .file = name, .first = true};

    if (!text || depth == BASE_DEPTH) {
        pto_diag_hint(loader->diags, complain(loader, "base", "names no built-in profile", name),
                      "the built-in ones are%s",
                      profile_built_in_list(&loader->diags->arena));
        return PTO_ECONFIG;
    }
    load_text(&base, text, depth + 1);
    memcpy(loader->key_set, base.key_set, sizeof base.key_set);
    return base.bad ? PTO_ECONFIG : PTO_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void check_complete(struct loader *loader)
{
    const char *missing = NULL;

    for (unsigned i = PTO_COST_MOVE; i-- > PTO_COST_NONE + 1;)
        missing = loader->profile->costs_named >> i & 1 || profile_costs[i].like
                      ? missing
                      : profile_costs[i].key;
    for (unsigned i = PROFILE_KEYS; i-- > 0;)
        missing = loader->key_set[i] || !profile_keys[i].needed ? missing : profile_keys[i].name;
    if (!missing)
        return;
    loader->bad = true;
    pto_diag_hint(loader->diags,
                  pto_diag_add(loader->diags, PTO_ERROR, loader->file, 0, 0,
                               "the profile does not say '%s'", missing),
                  "begin with base = a2 to take over what is not given");
}

/* What must hold between keys. */
static void check_relations(struct loader *loader)
{
    const struct pto_profile *p = loader->profile;
    const uint8_t scalar = 1 << PTO_PIPE_S;
    const char *problem = NULL;

    for (unsigned i = 0; i < PTO_SPACE_COUNT; i++) {
        if (p->alignment[i] & (p->alignment[i] - 1))
            problem = "an alignment is not a power of two";
        else if (p->capacity[i] % p->alignment[i])
            problem = "a capacity is not a multiple of its alignment";
    }
    if (p->l2_bytes && (!p->l2_line || !p->l2_ways || !p->l2_bytes_per_us))
        problem = "l2_size needs l2_line, l2_ways and l2_bandwidth";
    else if (p->l2_line & (p->l2_line - 1) || p->l2_ways % 4)
        problem = "l2_line is no power of two, or l2_ways no multiple of 4";
    else if (p->l2_bytes && p->l2_bytes % (p->l2_line * p->l2_ways))
        problem = "l2_size is no multiple of l2_line x l2_ways";
    if (p->cross_flags_user > p->cross_flags)
        problem = "cross_flags_user is more than cross_flags";
    if (!(p->pipes[PTO_AIC] & scalar) || !(p->pipes[PTO_AIV] & scalar))
        problem = "a core without the pipe S cannot run";
    for (unsigned i = 0; i < PTO_PATH_ENDS * PTO_PATH_ENDS; i++) {
        const struct pto_path *path = &p->path[i / PTO_PATH_ENDS][i % PTO_PATH_ENDS];

        if (path->exists && !((p->pipes[PTO_AIC] | p->pipes[PTO_AIV]) >> path->pipe & 1))
            problem = "a path uses a pipe that no core has";
    }
    if (!problem)
        return;
    loader->bad = true;
    pto_diag_add(loader->diags, PTO_ERROR, loader->file, 0, 0, "%s", problem);
}

enum pto_status profile_file_read(const char *file, const char *text, struct pto_profile *profile,
                                  struct pto_diags *diags)
{
    struct pto_arena arena = {0};
    struct loader loader = {.profile = profile, .diags = diags, .arena = &arena, .file = file,
                            .first = true};

    load_text(&loader, text, 0);
    if (!loader.bad)
        check_complete(&loader);
    if (!loader.bad)
        check_relations(&loader);
    pto_arena_free(&arena);
    return loader.bad ? PTO_ECONFIG : PTO_OK;
}

enum pto_status profile_file_change(const char *file, const char *text,
                                    struct pto_profile *profile, struct pto_diags *diags)
{
    struct pto_arena arena = {0};
    struct loader loader = {.profile = profile, .diags = diags, .arena = &arena, .file = file};

    load_text(&loader, text, 0);
    if (!loader.bad)
        check_relations(&loader);
    pto_arena_free(&arena);
    return loader.bad ? PTO_ECONFIG : PTO_OK;
}
