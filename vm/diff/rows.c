#include "diff/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/faults.h"
#include "cli/json.h"
#include "cli/share.h"
#include "version.h"

static const char *const PART[DIFF_PARTS] = {
    "run", "time", "rank end", "cause", "busy", "waiting", "region", "line",
    "count", "link bytes", "result", "warning", "finding",
};

static bool is_time(enum diff_part part)
{
    return part >= DIFF_TIME && part <= DIFF_LINE;
}

static struct diff_row *add(struct diff_rows *rows, unsigned side, enum diff_part part,
                            const char *name)
{
    struct diff_row *row;

    PTO_GROW(rows->row, rows->count, rows->capacity);
    row = &rows->row[rows->count++];
    *row = (struct diff_row){.part = part, .name = pto_arena_strdup(&rows->arena, name)};
    row->has[side] = true;
    return row;
}

void diff_number(struct diff_rows *rows, unsigned side, enum diff_part part, const char *name,
                 uint64_t number)
{
    add(rows, side, part, name)->number[side] = number;
}

void diff_word(struct diff_rows *rows, unsigned side, enum diff_part part, const char *name,
               const char *word)
{
    add(rows, side, part, name)->word[side] = pto_arena_strdup(&rows->arena, word);
}

void diff_free(struct diff_rows *rows)
{
    free(rows->row);
    pto_arena_free(&rows->arena);
}

/* ---- settling ---- */

static int by_name(const void *one, const void *two)
{
    const struct diff_row *a = one, *b = two;

    return a->part != b->part ? (a->part < b->part ? -1 : 1) : strcmp(a->name, b->name);
}

static uint64_t apart(const struct diff_row *row)
{
    return row->number[0] > row->number[1] ? row->number[0] - row->number[1]
                                           : row->number[1] - row->number[0];
}

static int by_difference(const void *one, const void *two)
{
    const struct diff_row *a = one, *b = two;

    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (apart(a) != apart(b))
        return apart(a) > apart(b) ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool differs(const struct diff_row *row)
{
    if (row->has[0] != row->has[1] || !row->word[0] != !row->word[1])
        return true;
    return row->word[0] ? strcmp(row->word[0], row->word[1]) != 0
                        : row->number[0] != row->number[1];
}

static void join(struct diff_row *sum, const struct diff_row *row)
{
    for (unsigned side = 0; side < 2; side++) {
        sum->has[side] = sum->has[side] || row->has[side];
        sum->number[side] += row->number[side];
        sum->word[side] = row->word[side] ? row->word[side] : sum->word[side];
    }
}

unsigned diff_settle(struct diff_rows *rows)
{
    unsigned joined = 0, left = 0;

    if (rows->count)
        qsort(rows->row, rows->count, sizeof *rows->row, by_name);
    for (unsigned i = 0; i < rows->count; i++) {
        if (joined && by_name(&rows->row[joined - 1], &rows->row[i]) == 0)
            join(&rows->row[joined - 1], &rows->row[i]);
        else
            rows->row[joined++] = rows->row[i];
    }
    for (unsigned i = 0; i < joined; i++)
        if (differs(&rows->row[i]))
            rows->row[left++] = rows->row[i];
    rows->count = left;
    if (left)
        qsort(rows->row, left, sizeof *rows->row, by_difference);
    return left;
}

/* ---- telling ---- */

static const char *value_text(const struct diff_row *row, unsigned side, char *text)
{
    if (!row->has[side])
        return "-";
    if (row->word[side])
        return row->word[side];
    if (is_time(row->part))
        return cli_time_text(row->number[side], text);
    snprintf(text, CLI_TIME_BYTES, "%llu", (unsigned long long)row->number[side]);
    return text;
}

static void change_text(const struct diff_row *row, struct pto_buf *out)
{
    if (row->word[0] || row->word[1] || !row->has[0] || !row->has[1] || !row->number[0])
        return;
    pto_buf_printf(out, "  %s", row->number[0] < row->number[1] ? "+" : "-");
    cli_share_text(apart(row), row->number[0], 1, out);
}

void diff_text(const struct diff_rows *rows, struct pto_buf *out)
{
    for (unsigned i = 0; i < rows->count; i++) {
        const struct diff_row *row = &rows->row[i];
        bool first = i == 0 || rows->row[i - 1].part != row->part;
        char before[CLI_TIME_BYTES], after[CLI_TIME_BYTES];

        pto_buf_printf(out, "%-12s", first ? PART[row->part] : "");
        if (row->part == DIFF_FINDING) {
            pto_buf_printf(out, "%s  %s\n", row->has[0] ? "went" : "came", row->name);
            continue;
        }
        pto_buf_printf(out, "%14s -> %-14s", value_text(row, 0, before),
                       value_text(row, 1, after));
        change_text(row, out);
        pto_buf_printf(out, "  %s\n", row->name);
    }
    if (!rows->count)
        pto_buf_printf(out, "the reports say the same\n");
}

static void value_json(const struct diff_row *row, unsigned side, struct cli_json *json)
{
    static const char *const key[] = {"before", "after"};

    if (!row->has[side])
        return;
    if (row->word[side])
        cli_json_text(json, key[side], row->word[side]);
    else
        cli_json_uint(json, key[side], row->number[side]);
}

void diff_json(const struct diff_rows *rows, struct pto_buf *out)
{
    struct cli_json json = {.out = out};

    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "pto-diff/1");
    cli_json_text(&json, "tool", "ptovm");
    cli_json_text(&json, "version", pto_version());
    cli_json_bool(&json, "same", rows->count == 0);
    cli_json_open(&json, "differences", '[');
    for (unsigned i = 0; i < rows->count; i++) {
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "part", PART[rows->row[i].part]);
        cli_json_text(&json, "name", rows->row[i].name);
        value_json(&rows->row[i], 0, &json);
        value_json(&rows->row[i], 1, &json);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
}
