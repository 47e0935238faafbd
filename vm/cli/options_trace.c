#include "cli/options_trace.h"

#include <stdlib.h>
#include <string.h>

#include "ops.h"
#include "tool/number.h"
#include "vm.h"

enum { MOST_EVENTS = 100000000, USUAL_EVENTS = 1000000, USUAL_INTERVAL_PS = 200000,
       LEAST_INTERVAL_PS = 1000 };

void cli_trace_defaults(struct trace_choice *choice)
{
    choice->most = USUAL_EVENTS;
    choice->to_ps = UINT64_MAX;
    choice->interval_ps = USUAL_INTERVAL_PS;
    choice->pipes = choice->kinds = UINT32_MAX;
}

const char *trace_kind_name(enum trace_kind kind)
{
    static const char *const names[] = {
#define TRACE_KIND(id, name) [TRACE_##id] = name,
        TRACE_KIND_LIST
#undef TRACE_KIND
    };

    return names[kind];
}

/* Words between commas in the arena; at least one, which may be empty. */
static unsigned split(const struct tool_value *v, struct pto_arena *arena, const char ***words)
{
    char *text = pto_arena_strdup(arena, v->text);
    unsigned count = 1;

    for (const char *at = text; *at; at++)
        count += *at == ',';
    *words = pto_arena_array(arena, count, sizeof **words);
    for (unsigned i = 0; i < count; i++) {
        (*words)[i] = text;
        text += strcspn(text, ",");
        if (*text)
            *text++ = 0;
    }
    return count;
}

/* "10us..20us"; a side that is left out has no limit. */
static void set_window(const struct tool_value *v, struct trace_choice *choice,
                       struct pto_arena *arena)
{
    const char *dots = strstr(v->text, "..");
    bool good = dots && (dots != v->text || dots[2]);

    if (good && dots != v->text) {
        char *from = pto_arena_strndup(arena, v->text, (size_t)(dots - v->text));

        good = tool_parse_time(from, &choice->from_ps);
    }
    if (good && dots[2])
        good = tool_parse_time(dots + 2, &choice->to_ps);
    if (!good)
        tool_complain(v, "not a window of time", "write for instance 10us..25us, 10us.. or ..25us");
    else if (choice->from_ps > choice->to_ps)
        tool_complain(v, "the window ends before it begins", "write the earlier time first");
    else if (choice->from_ps == choice->to_ps)
        tool_complain(v, "the window has no length", "its end has to be later than its beginning");
}

/* "3" or "4-7" */
static bool read_ranks(const char *word, struct trace_ranks *ranks)
{
    const char *dash = strchr(word, '-');
    size_t length = dash ? (size_t)(dash - word) : strlen(word);
    int64_t first, last;

    if (!tool_parse_int(word, length, &first))
        return false;
    last = first;
    if (dash && !tool_parse_int(dash + 1, strlen(dash + 1), &last))
        return false;
    *ranks = (struct trace_ranks){(int)first, (int)last};
    return first >= 0 && first <= last && last < PTO_MAX_RANKS;
}

static void set_ranks(const struct tool_value *v, struct trace_choice *choice,
                       struct pto_arena *arena)
{
    const char **word;

    choice->ranks = split(v, arena, &word);
    choice->rank = pto_arena_array(arena, choice->ranks, sizeof *choice->rank);
    for (unsigned i = 0; i < choice->ranks; i++)
        if (!read_ranks(word[i], &choice->rank[i])) {
            tool_complain(v, "not a list of ranks", "write for instance 0,2 or 4-7");
            return;
        }
}

/* Bits for the words, of which names[0..count) are known. */
static uint32_t bits_of(const struct tool_value *v, struct pto_arena *arena,
                        const char *const *names, unsigned count)
{
    const char **word;
    unsigned words = split(v, arena, &word);
    struct pto_buf hint = {0};
    uint32_t bits = 0;
    bool known = true;

    for (unsigned i = 0; i < words; i++) {
        unsigned n = 0;

        while (n < count && strcmp(names[n], word[i]) != 0)
            n++;
        known = known && n < count;
        bits |= n < count ? UINT32_C(1) << n : 0;
    }
    if (!known) {
        pto_buf_printf(&hint, "there are");
        for (unsigned n = 0; n < count; n++)
            pto_buf_printf(&hint, "%s %s", n ? "," : "", names[n]);
        tool_complain(v, "unknown", pto_arena_strdup(arena, pto_buf_text(&hint)));
    }
    pto_buf_free(&hint);
    return bits;
}

static void set_pipes(const struct tool_value *v, struct trace_choice *choice,
                       struct pto_arena *arena)
{
    const char *names[PTO_QUEUE_COUNT];

    for (unsigned i = 0; i < PTO_QUEUE_COUNT; i++)
        names[i] = pto_queue_name(i);
    choice->pipes = bits_of(v, arena, names, PTO_QUEUE_COUNT);
}

static void set_kinds(const struct tool_value *v, struct trace_choice *choice,
                       struct pto_arena *arena)
{
    const char *names[TRACE_KINDS];

    for (unsigned i = 0; i < TRACE_KINDS; i++)
        names[i] = trace_kind_name(i);
    choice->kinds = bits_of(v, arena, names, TRACE_KINDS);
}

static void set_format(const struct tool_value *v, struct trace_choice *choice,
                       struct pto_arena *arena)
{
    (void)arena;
    choice->insight = !strcmp(v->text, "insight");
    if (!choice->insight && strcmp(v->text, "chrome") != 0)
        tool_complain(v, "unknown", "write chrome or insight");
}

static void set_most(const struct tool_value *v, struct trace_choice *choice,
                     struct pto_arena *arena)
{
    (void)arena;
    choice->most = (uint64_t)tool_int(v, 1, MOST_EVENTS);
}

static void set_cores(const struct tool_value *v, struct trace_choice *choice,
                      struct pto_arena *arena)
{
    choice->cores = split(v, arena, &choice->core);
}

static void set_interval(const struct tool_value *v, struct trace_choice *choice,
                         struct pto_arena *arena)
{
    (void)arena;
    if (!tool_parse_time(v->text, &choice->interval_ps) || choice->interval_ps < LEAST_INTERVAL_PS)
        tool_complain(v, "not an interval",
                      "write a time of at least 1ns with its unit, for instance 500ns");
}

bool cli_trace_option(const struct tool_value *v, struct trace_choice *choice,
                      struct pto_arena *arena)
{
    static const struct {
        const char *name;
        void (*set)(const struct tool_value *v, struct trace_choice *choice,
                    struct pto_arena *arena);
    } option[] = {
        {"trace-max-events", set_most}, {"trace-window", set_window},
        {"trace-ranks", set_ranks},     {"trace-cores", set_cores},
        {"trace-pipes", set_pipes},     {"trace-kinds", set_kinds},
        {"trace-format", set_format},   {"trace-interval", set_interval},
    };

    for (unsigned i = 0; i < sizeof option / sizeof *option; i++)
        if (!strcmp(option[i].name, v->option->name)) {
            option[i].set(v, choice, arena);
            return true;
        }
    return false;
}
