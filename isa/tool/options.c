#include "options.h"

#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "words.h"

enum {
    FIRST_LONG = 256, /* getopt's value of option id 0: above all letters */
    HELP_COLUMN = 32
};

/* ---- values ---- */

void tool_complain(const struct tool_value *value, const char *what, const char *hint)
{
    struct pto_diag *diag = pto_diag_add(value->diags, PTO_ERROR, NULL, 0, 0, "--%s %s: %s",
                                         value->option->name, value->text, what);

    pto_diag_hint(value->diags, diag, "%s", hint);
}

int64_t tool_int(const struct tool_value *value, int64_t low, int64_t high)
{
    char hint[80];
    int64_t number;
    bool is_int = tool_parse_int(value->text, strlen(value->text), &number);

    if (is_int && number >= low && number <= high)
        return number;
    snprintf(hint, sizeof hint, "allowed are %lld to %lld%s", (long long)low, (long long)high,
             is_int ? "" : ", as in 8, 0x10 or 4K");
    tool_complain(value, is_int ? "out of range" : "not an integer", hint);
    return low;
}

uint64_t tool_time(const struct tool_value *value, unsigned most_s)
{
    char hint[80];
    uint64_t ps;

    if (!tool_parse_time(value->text, &ps)) {
        tool_complain(value, "not a time",
                      "write a positive number with its unit: ps, ns, us, ms or s");
        return 0;
    }
    if (most_s && ps > most_s * UINT64_C(1000000000000)) {
        snprintf(hint, sizeof hint, "at most %us", most_s);
        tool_complain(value, "out of range", hint);
        return 0;
    }
    return ps;
}

bool tool_pair(const struct tool_value *value, struct pto_arena *arena, const char **name,
               const char **right)
{
    const char *equals = strchr(value->text, '=');

    if (!equals || equals == value->text || !equals[1]) {
        tool_complain(value, "name or value missing",
                      "write NAME=VALUE without blanks around the '='");
        return false;
    }
    *name = pto_arena_strndup(arena, value->text, (size_t)(equals - value->text));
    *right = pto_arena_strdup(arena, equals + 1);
    return true;
}

/* ---- reading ---- */

static bool is_for(const struct tool_option *row, unsigned users)
{
    return !row->section && row->users & users;
}

static int argument_kind(const struct tool_option *row)
{
    if (!row->argument)
        return no_argument;
    return *row->argument == '[' ? optional_argument : required_argument;
}

/* What getopt_long wants, from the table. */
struct getopt_tables {
    struct option *longs;
    char *shorts;
};

static struct getopt_tables make_tables(const struct tool_reader *reader, struct pto_arena *arena)
{
    enum { MOST_SHORT = 3 /* characters: the letter and two colons */ };
    const struct tool_table *table = reader->table;
    struct getopt_tables tables = {
        .longs = pto_arena_array(arena, table->rows + 1, sizeof *tables.longs),
        .shorts = pto_arena_alloc(arena, MOST_SHORT * table->rows + 2)};
    struct option *next = tables.longs;
    char *at = tables.shorts;

    *at++ = ':'; /* tell a missing argument from an unknown option */
    for (unsigned i = 0; i < table->rows; i++) {
        const struct tool_option *row = &table->row[i];

        if (!is_for(row, reader->users))
            continue;
        *next++ = (struct option){row->name, argument_kind(row), NULL, FIRST_LONG + row->id};
        if (!row->letter)
            continue;
        *at++ = (char)row->letter;
        for (int k = argument_kind(row); k > 0; k--)
            *at++ = ':';
    }
    return tables;
}

static const struct tool_option *find_row(const struct tool_reader *reader, int code)
{
    for (unsigned i = 0; i < reader->table->rows; i++) {
        const struct tool_option *row = &reader->table->row[i];

        if (is_for(row, reader->users) &&
            (code >= FIRST_LONG ? row->id == code - FIRST_LONG : code && row->letter == code))
            return row;
    }
    return NULL;
}

/* Long names of the reader's options; their number. */
static unsigned list_names(const struct tool_reader *reader, const char **names)
{
    unsigned count = 0;

    for (unsigned i = 0; i < reader->table->rows; i++)
        if (is_for(&reader->table->row[i], reader->users))
            names[count++] = reader->table->row[i].name;
    return count;
}

static void complain_unknown(const struct tool_reader *reader, const char *word,
                             struct pto_arena *arena, struct pto_diags *diags)
{
    const char **names = pto_arena_array(arena, reader->table->rows, sizeof *names);
    unsigned count = list_names(reader, names);
    bool is_long = !strncmp(word, "--", 2);
    const char *name = word + strspn(word, "-"), *best;
    struct pto_diag *diag;

    name = pto_arena_strndup(arena, name, strcspn(name, "="));
    for (unsigned i = 0; i < count && is_long; i++) {
        if (strcmp(names[i], name))
            continue;
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "option '--%s' takes no argument", name);
        return;
    }
    best = is_long ? pto_nearest(name, names, count) : NULL;
    diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "unknown option '%s'", word);
    if (best)
        pto_diag_hint(diags, diag, "did you mean '--%s'?", best);
}

static void complain_missing(const struct tool_option *row, struct pto_diags *diags)
{
    pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "option '--%s' needs an argument: %s", row->name,
                 row->argument);
}

/* Returns where the operands begin in `argv`, which getopt has reordered.  One thread at a time:
 * where getopt is, it knows for the whole process. */
static int read_options(const struct tool_reader *reader, int argc, char **argv,
                        struct pto_arena *arena, struct pto_diags *diags)
{
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    struct getopt_tables tables = make_tables(reader, arena);
    int code, first;

    pthread_mutex_lock(&turn);
    opterr = 0;
    optind = 0; /* makes getopt start over */
    while ((code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
        const struct tool_option *row = find_row(reader, code == ':' ? optopt : code);
        const char letter[] = {'-', (char)optopt, '\0'};

        if (code == ':') {
            complain_missing(row, diags);
        } else if (!row) {
            complain_unknown(reader, optopt > 0 && optopt < FIRST_LONG ? letter : argv[optind - 1],
                             arena, diags);
        } else {
            reader->given[row->id] = true;
            reader->store(&(struct tool_value){row, optarg, reader->context, diags});
        }
    }
    first = optind;
    pthread_mutex_unlock(&turn);
    return first;
}

enum pto_status tool_options_read(const struct tool_reader *reader, int argc, char **argv,
                                  struct pto_arena *arena, const char ***operand,
                                  unsigned *operands, struct pto_diags *diags)
{
    int count, first;
    char **words = tool_words(argc, argv, arena, &count, diags);

    first = read_options(reader, count, words, arena, diags);
    *operands = (unsigned)(count - first);
    *operand = pto_arena_array(arena, (size_t)*operands + 1, sizeof **operand);
    for (unsigned i = 0; i < *operands; i++)
        (*operand)[i] = pto_arena_strdup(arena, words[first + (int)i]);
    return diags->errors == 0 ? PTO_OK : PTO_ECONFIG;
}

/* Which of the users take an option. */
static void hint_users(const struct tool_option *row, const struct tool_user *user, unsigned count,
                       struct pto_diag *diag, struct pto_diags *diags)
{
    struct pto_buf names = {0};

    for (unsigned i = 0; i < count; i++)
        if (row->users & user[i].mask)
            pto_buf_printf(&names, "%s'%s'", names.size ? ", " : "", user[i].name);
    if (names.size)
        pto_diag_hint(diags, diag, "it goes with %s", pto_buf_text(&names));
    pto_buf_free(&names);
}

enum pto_status tool_options_check(const struct tool_table *table, const bool *given,
                                   const struct tool_user *user, const struct tool_user *others,
                                   unsigned count, struct pto_diags *diags)
{
    for (unsigned i = 0; i < table->rows; i++) {
        const struct tool_option *row = &table->row[i];
        struct pto_diag *diag;

        if (row->section || !given[row->id] || row->users & user->mask)
            continue;
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "option '--%s' does not apply to '%s'",
                            row->name, user->name);
        hint_users(row, others, count, diag, diags);
    }
    return diags->errors == 0 ? PTO_OK : PTO_ECONFIG;
}

/* ---- help ---- */

static void help_row(const struct tool_option *row, struct pto_buf *out)
{
    const char *argument = row->argument ? row->argument : "";
    bool optional = argument_kind(row) == optional_argument;
    char left[96], letter[5] = "    ";
    bool fits;

    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, row->name,
             optional ? "[=" : *argument ? " " : "", argument + optional);
    fits = strlen(left) < HELP_COLUMN;
    pto_buf_printf(out, "%s%s%*s%s\n", left, fits ? "" : "\n",
                   fits ? HELP_COLUMN - (int)strlen(left) : HELP_COLUMN, "", row->help);
}

void tool_options_help(const struct tool_table *table, unsigned users, struct pto_buf *out)
{
    const char *section = NULL;

    for (unsigned i = 0; i < table->rows; i++) {
        const struct tool_option *row = &table->row[i];

        if (row->section) {
            section = row->section;
            continue;
        }
        if (!is_for(row, users))
            continue;
        if (section)
            pto_buf_printf(out, "\n%s:\n", section);
        section = NULL;
        help_row(row, out);
    }
}
