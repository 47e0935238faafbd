#include "cli/options_ranks.h"

#include <string.h>

#include "tool/number.h"

static bool is_rank(int64_t value)
{
    return value >= 0 && value < PTO_MAX_RANKS;
}

static bool read_link(const struct tool_value *v, const char *text, size_t length,
                      struct pto_link *link)
{
    const char *dash = memchr(text, '-', length);
    int64_t a, b;

    if (!dash || !tool_parse_int(text, (size_t)(dash - text), &a) ||
        !tool_parse_int(dash + 1, length - (size_t)(dash + 1 - text), &b) || !is_rank(a) ||
        !is_rank(b)) {
        tool_complain(v, "not a pair of ranks", "write for instance 0-1");
        return false;
    }
    if (a == b)
        tool_complain(v, "a rank has no link to itself", "name two different ranks");
    *link = (struct pto_link){(int)a, (int)b};
    return a != b;
}

static bool read_slow_link(const struct tool_value *v, struct pto_arena *arena,
                           struct pto_slow_link *slow)
{
    const char *equals = strchr(v->text, '=');
    struct pto_link link;
    double factor;
    size_t length;

    if (!equals || !tool_parse_float(equals + 1, strlen(equals + 1), &factor) || factor < 1 ||
        factor > 1000) {
        tool_complain(v, "not a link and its factor",
                      "write for instance 0-1=4; the factor lies between 1 and 1000");
        return false;
    }
    length = (size_t)(equals - v->text);
    if (strspn(v->text, "-0123456789") < length && memchr(v->text, '-', length)) {
        *slow = (struct pto_slow_link){0, 0, factor, pto_arena_strndup(arena, v->text, length)};
        return true;
    }
    if (!read_link(v, v->text, length, &link))
        return false;
    *slow = (struct pto_slow_link){link.a, link.b, factor, NULL};
    return true;
}

static bool read_slow_rank(const struct tool_value *v, struct pto_slow_rank *slow)
{
    const char *equals = strchr(v->text, '=');
    int64_t rank;
    double factor;

    if (!equals || !tool_parse_int(v->text, (size_t)(equals - v->text), &rank) ||
        !is_rank(rank) || !tool_parse_float(equals + 1, strlen(equals + 1), &factor) ||
        factor < 0.001 || factor > 1000) {
        tool_complain(v, "not a rank and its factor",
                      "write for instance 3=2.5; the factor lies between 0.001 and 1000");
        return false;
    }
    *slow = (struct pto_slow_rank){(int)rank, factor};
    return true;
}

static bool read_dead_rank(const struct tool_value *v, struct pto_dead_rank *dead)
{
    const char *at = strchr(v->text, '@');
    uint64_t time_ps;
    int64_t rank;

    if (!at || !tool_parse_int(v->text, (size_t)(at - v->text), &rank) || !is_rank(rank) ||
        !tool_parse_time(at + 1, &time_ps)) {
        tool_complain(v, "not a rank and a time", "write for instance 3@12.5us");
        return false;
    }
    *dead = (struct pto_dead_rank){(int)rank, time_ps};
    return true;
}

void cli_add_links(const struct tool_value *v, struct pto_link **list, int *count, int *capacity)
{
    for (const char *at = v->text;;) {
        size_t length = strcspn(at, ",");
        struct pto_link link;

        if (read_link(v, at, length, &link)) {
            PTO_GROW(*list, *count, *capacity);
            (*list)[(*count)++] = link;
        }
        if (!at[length])
            return;
        at += length + 1;
    }
}

void cli_add_slow_link(const struct tool_value *v, struct pto_arena *arena,
                       struct pto_slow_link **list, int *count, int *capacity)
{
    struct pto_slow_link slow;

    if (!read_slow_link(v, arena, &slow))
        return;
    PTO_GROW(*list, *count, *capacity);
    (*list)[(*count)++] = slow;
}

void cli_add_slow_rank(const struct tool_value *v, struct pto_slow_rank **list, int *count,
                       int *capacity)
{
    struct pto_slow_rank slow;

    if (!read_slow_rank(v, &slow))
        return;
    PTO_GROW(*list, *count, *capacity);
    (*list)[(*count)++] = slow;
}

void cli_add_dead_rank(const struct tool_value *v, struct pto_dead_rank **list, int *count,
                       int *capacity)
{
    struct pto_dead_rank dead;

    if (!read_dead_rank(v, &dead))
        return;
    PTO_GROW(*list, *count, *capacity);
    (*list)[(*count)++] = dead;
}
