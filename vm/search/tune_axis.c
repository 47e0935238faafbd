#include "search/tune_axis.h"

#include <string.h>

#include "tool/number.h"

enum { MOST_VALUES = 1024 };

struct list {
    int64_t value[MOST_VALUES];
    unsigned values;
};

static bool add(struct list *list, int64_t value)
{
    for (unsigned i = 0; i < list->values; i++)
        if (list->value[i] == value)
            return true;
    if (list->values == MOST_VALUES)
        return false;
    list->value[list->values++] = value;
    return true;
}

/* FROM..TO, one by one, by steps (':'), or by factors ('*'). */
static bool add_range(struct list *list, const char *text, const char *dots, const char *end)
{
    const char *by = dots + 2 + strcspn(dots + 2, ":*,");
    int64_t from, to, step = 1;
    bool factors = by < end && *by == '*';

    if (!tool_parse_int(text, (size_t)(dots - text), &from) ||
        !tool_parse_int(dots + 2, (size_t)(by - dots - 2), &to) || from > to)
        return false;
    if (by < end && (!tool_parse_int(by + 1, (size_t)(end - by - 1), &step) || step < 1))
        return false;
    if (factors && (from < 1 || step < 2))
        return false;
    for (int64_t value = from; value <= to;) {
        if (!add(list, value))
            return false;
        if (factors ? value > to / step : value > to - step)
            break;
        value = factors ? value * step : value + step;
    }
    return true;
}

static bool read_list(struct list *list, const char *text)
{
    for (const char *at = text;; at++) {
        const char *end = at + strcspn(at, ","), *dots = strstr(at, "..");
        int64_t value;
        bool good;

        if (dots && dots < end)
            good = add_range(list, at, dots, end);
        else
            good = tool_parse_int(at, (size_t)(end - at), &value) && add(list, value);
        if (!good)
            return false;
        at = end;
        if (!*at)
            return true;
    }
}

bool tune_axis_read(const struct cli_pair *pair, const char *option, struct pto_arena *arena,
                    struct tune_axis *axis, struct pto_diags *diags)
{
    struct list list = {.values = 0};

    if (!read_list(&list, pair->value)) {
        pto_diag_hint(diags,
                      pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                   "--%s %s=%s%s: not values to try, 1 to %d of them", option,
                                   pair->name, strcmp(option, "set") ? "" : "auto:",
                                   pair->value, MOST_VALUES),
                      "write for instance 1,2,4 or 1..8 or 1..17:4 or 16..256*2");
        return false;
    }
    *axis = (struct tune_axis){pair->name, pair->value,
                               pto_arena_array(arena, list.values, sizeof *axis->value),
                               list.values, TUNE_PARAM};
    memcpy(axis->value, list.value, list.values * sizeof *axis->value);
    return true;
}

const struct cli_pair *tune_known(unsigned index)
{
    static const struct cli_pair known[] = {
        {"interval", "1..32*2"},   /* rounds */
        {"BM", "32..128*2"},       /* tiles of products */
        {"BN", "64..256*2"},
        {"TILE", "128,256"},       /* keys of attention */
        {"COMM_ROWS", "32..128*2"}, /* what is exchanged at a time */
    };

    return index < sizeof known / sizeof *known ? &known[index] : NULL;
}
