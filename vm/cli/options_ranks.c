#include "cli/options_ranks.h"

#include <string.h>

#include "tool/number.h"

static bool is_rank(int64_t value)
{
    return value >= 0 && value < PTO_MAX_RANKS;
}

/* "40us", "40us..60us" or "..60us" */
static bool read_times(char *text, struct pto_span *span)
{
    char *dots = strstr(text, "..");

    *span = (struct pto_span){0, 0};
    if (dots)
        *dots = 0;
    if (*text ? !tool_parse_moment(text, &span->from_ps) : !dots)
        return false;
    return !dots || (tool_parse_time(dots + 2, &span->to_ps) && span->to_ps > span->from_ps);
}

/* What stands behind the last '@' of a text, which is cut there; without one: always. */
static bool take_span(const struct tool_value *v, char *text, struct pto_span *span)
{
    char *at = strrchr(text, '@');

    *span = (struct pto_span){0, 0};
    if (!at)
        return true;
    *at = 0;
    if (read_times(at + 1, span))
        return true;
    tool_complain(v, "not a time, or one and a later one",
                  "write for instance @40us, or @40us..60us");
    return false;
}

/* "0-1", or "left-3" with names of places. */
static bool read_link(const struct tool_value *v, const char *text, struct pto_link *link)
{
    const char *dash = strchr(text, '-');
    int64_t a, b;

    if (strchr(text, '=')) {
        tool_complain(v, "more than one factor, or a factor of what is down",
                      "write --slow-link A-B=F once for each link, --link-down A-B without a "
                      "factor");
        return false;
    }
    if (dash && strspn(text, "-0123456789") < strlen(text)) {
        link->places = text;
        return true;
    }
    if (!dash || !tool_parse_int(text, (size_t)(dash - text), &a) ||
        !tool_parse_int(dash + 1, strlen(dash + 1), &b) || !is_rank(a) || !is_rank(b)) {
        tool_complain(v, "not a pair of ranks", "write for instance 0-1");
        return false;
    }
    if (a == b)
        tool_complain(v, "a rank has no link to itself", "name two different ranks");
    link->a = (int)a;
    link->b = (int)b;
    return a != b;
}

/* A number behind the last '=' of a text, which is cut there. */
static bool take_factor(char *text, double *factor)
{
    char *equals = strrchr(text, '=');

    if (!equals || !tool_parse_float(equals + 1, strlen(equals + 1), factor))
        return false;
    *equals = 0;
    return *factor <= 1000;
}

/* "4", or "4/1" where the latency has another one, behind the last '='. */
static bool take_factors(char *text, struct pto_slow_link *slow)
{
    char *equals = strrchr(text, '='), *latency = equals ? strchr(equals, '/') : NULL;

    slow->latency = 0;
    if (latency) {
        *latency++ = 0;
        if (!tool_parse_float(latency, strlen(latency), &slow->latency) || slow->latency < 1 ||
            slow->latency > 1000)
            return false;
    }
    return take_factor(text, &slow->factor) && slow->factor >= 1;
}

static bool read_slow_link(const struct tool_value *v, char *text, struct pto_slow_link *slow)
{
    if (!take_span(v, text, &slow->link.when))
        return false;
    if (!take_factors(text, slow)) {
        tool_complain(v, "not a link and its factor",
                      "write for instance 0-1=4, or 0-1=4/1 for bytes and latency; factors lie "
                      "between 1 and 1000");
        return false;
    }
    return read_link(v, text, &slow->link);
}

static bool read_slow_rank(const struct tool_value *v, char *text, struct pto_slow_rank *slow)
{
    int64_t rank;

    if (!take_span(v, text, &slow->when))
        return false;
    if (!take_factor(text, &slow->factor) || slow->factor < 0.001 ||
        !tool_parse_int(text, strlen(text), &rank) || !is_rank(rank)) {
        tool_complain(v, "not a rank and its factor",
                      "write for instance 3=2.5; the factor lies between 0.001 and 1000");
        return false;
    }
    slow->rank = (int)rank;
    return true;
}

static bool read_dead_rank(const struct tool_value *v, struct pto_dead_rank *dead)
{
    const char *at = strchr(v->text, '@');
    uint64_t time_ps;
    int64_t rank;

    if (!at || !tool_parse_int(v->text, (size_t)(at - v->text), &rank) || !is_rank(rank) ||
        !tool_parse_moment(at + 1, &time_ps)) {
        tool_complain(v, "not a rank and a time", "write for instance 3@12.5us");
        return false;
    }
    *dead = (struct pto_dead_rank){(int)rank, time_ps};
    return true;
}

void cli_add_links(const struct tool_value *v, struct pto_arena *arena, struct pto_link **list,
                   int *count, int *capacity)
{
    for (const char *at = v->text;;) {
        size_t length = strcspn(at, ",");
        struct pto_link link = {0};
        char *text = pto_arena_strndup(arena, at, length);

        if (take_span(v, text, &link.when) && read_link(v, text, &link)) {
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
    struct pto_slow_link slow = {0};

    if (!read_slow_link(v, pto_arena_strdup(arena, v->text), &slow))
        return;
    PTO_GROW(*list, *count, *capacity);
    (*list)[(*count)++] = slow;
}

void cli_add_slow_rank(const struct tool_value *v, struct pto_arena *arena,
                       struct pto_slow_rank **list, int *count, int *capacity)
{
    struct pto_slow_rank slow = {0};

    if (!read_slow_rank(v, pto_arena_strdup(arena, v->text), &slow))
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
