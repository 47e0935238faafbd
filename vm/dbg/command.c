/* The command table: finding a command, taking its arguments apart, help. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool/number.h"
#include "dbg/state.h"

#define ONCE DBG_ONCE
#define SAME DBG_SAME
#define BARE DBG_BARE
#define COMMAND(name, aliases, function, group, usage, completes, repeats, help, example)          \
    {name, aliases, usage, group, help, example, completes, repeats, cmd_##function},
const struct dbg_row dbg_rows[] = {
#include "dbg/commands.def"
};
#undef COMMAND
const unsigned dbg_row_count = sizeof dbg_rows / sizeof *dbg_rows;

/* ---- words ---- */

size_t dbg_word(const char **text)
{
    *text += strspn(*text, " \t\r");
    return strcspn(*text, " \t\r");
}

char *dbg_last_word(const char *text, size_t *length)
{
    size_t end = *length, begin;

    while (end > 0 && strchr(" \t\r", text[end - 1]))
        end--;
    begin = end;
    while (begin > 0 && !strchr(" \t\r", text[begin - 1]))
        begin--;
    *length = begin;
    return pto_xstrndup(text + begin, end - begin);
}

bool dbg_take(const char **text, const char *word)
{
    size_t length = dbg_word(text);

    if (length != strlen(word) || strncasecmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

size_t dbg_name_length(const char *text)
{
    size_t length = 0;

    while (isalnum((unsigned char)text[length]) || text[length] == '_' ||
           (text[length] == '.' && isdigit((unsigned char)text[length + 1])))
        length++;
    return length;
}

bool dbg_is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && !strncmp(name, text, length);
}

bool dbg_is_copy(const char *name, const char *text, size_t length)
{
    return length > 0 && !strncmp(name, text, length) && name[length] == '.' &&
           !memchr(text, '.', length);
}

bool dbg_at_end(struct dbg *dbg, const char *args)
{
    if (dbg_word(&args) == 0)
        return true;
    return dbg_error(dbg, "see 'help' and the name of the command", "'%s' is too much here", args);
}

bool dbg_count(struct dbg *dbg, const char *args, uint64_t *count)
{
    size_t length = dbg_word(&args);
    int64_t value = 1;

    if (length > 0 && (!tool_parse_int(args, length, &value) || value < 1))
        return dbg_error(dbg, "write 1, 20 or 1K, or nothing for 1",
                         "'%.*s' is not a number of at least 1", (int)length, args);
    *count = (uint64_t)value;
    return dbg_at_end(dbg, args + length);
}

int dbg_find_pipe(const char *text, size_t length)
{
    for (int pipe = 0; pipe < PTO_QUEUE_COUNT; pipe++) {
        const char *name = pto_queue_name((unsigned)pipe);

        if (strlen(name) == length && !strncasecmp(name, text, length))
            return pipe;
    }
    return -1;
}

int dbg_find_space(const char *text, size_t length)
{
    for (int space = 0; space < PTO_SPACE_COUNT; space++) {
        const char *name = pto_space_name((enum pto_space)space);

        if (strlen(name) == length && !strncasecmp(name, text, length))
            return space;
    }
    return -1;
}

/* ---- finding ---- */

static bool in_list(const char *list, const char *word, size_t length)
{
    while (*list) {
        size_t size = strcspn(list, " ");

        if (size == length && !strncmp(list, word, length))
            return true;
        list += size + (list[size] == ' ');
    }
    return false;
}

static const struct dbg_row *complain(struct dbg *dbg, const char *word, size_t length)
{
    const char **names = pto_xcalloc(dbg_row_count, sizeof *names);
    char *copy = pto_xstrndup(word, length);
    const char *best;

    for (unsigned i = 0; i < dbg_row_count; i++)
        names[i] = dbg_rows[i].name;
    best = pto_nearest(copy, names, dbg_row_count);
    dbg_error(dbg, best ? NULL : "'help' lists the commands", "there is no command '%s'", copy);
    if (best)
        dbg_say(dbg, "  hint: did you mean '%s'?\n", best);
    free(names);
    free(copy);
    return NULL;
}

static const struct dbg_row *complain_ambiguous(struct dbg *dbg, const char *word, size_t length)
{
    dbg_say(dbg, "error: '%.*s' could be", (int)length, word);
    for (unsigned i = 0, n = 0; i < dbg_row_count; i++)
        if (!strncmp(dbg_rows[i].name, word, length))
            dbg_say(dbg, "%s %s", n++ > 0 ? "," : "", dbg_rows[i].name);
    dbg_say(dbg, "\n");
    return NULL;
}

const struct dbg_row *dbg_named_row(const char *word, size_t length)
{
    for (unsigned i = 0; i < dbg_row_count; i++)
        if (in_list(dbg_rows[i].name, word, length) || in_list(dbg_rows[i].aliases, word, length))
            return &dbg_rows[i];
    return NULL;
}

const struct dbg_row *dbg_find_row(struct dbg *dbg, const char *word, size_t length)
{
    const struct dbg_row *found = dbg_named_row(word, length);

    if (found)
        return found;
    for (unsigned i = 0; i < dbg_row_count; i++) {
        if (strncmp(dbg_rows[i].name, word, length) != 0)
            continue;
        if (found)
            return complain_ambiguous(dbg, word, length);
        found = &dbg_rows[i];
    }
    return found ? found : complain(dbg, word, length);
}

/* ---- help ---- */

/* The text in lines of at most `width`, all but the first indented. */
static void say_wrapped(struct dbg *dbg, const char *text, unsigned indent, unsigned width)
{
    unsigned column = indent;

    while (*text) {
        size_t length = strcspn(text, " ");

        if (column > indent && column + length + 1 > width) {
            dbg_say(dbg, "\n%*s", (int)indent, "");
            column = indent;
        }
        dbg_say(dbg, "%s%.*s", column > indent ? " " : "", (int)length, text);
        column += (unsigned)length + (column > indent);
        text += length + (text[length] == ' ');
    }
    dbg_say(dbg, "\n");
}

static void help_row(struct dbg *dbg, const struct dbg_row *row)
{
    enum { INDENT = 4, WIDTH = 80 };

    dbg_say(dbg, "%s", row->usage);
    if (row->aliases[0])
        dbg_say(dbg, "   (short: %s)", row->aliases);
    dbg_say(dbg, "\n%*s", INDENT, "");
    say_wrapped(dbg, row->help, INDENT, WIDTH);
}

static void say_example(struct dbg *dbg, const char *text)
{
    for (const char *next; *text; text = next) {
        size_t length = strcspn(text, "\n");

        next = text + length + (text[length] == '\n');
        dbg_say(dbg, "  > %.*s\n", (int)length, text);
    }
}

bool cmd_help(struct dbg *dbg, const char *args)
{
    const struct dbg_row *row;
    const char *group = "";
    size_t length = dbg_word(&args);

    if (length > 0) {
        row = dbg_find_row(dbg, args, length);
        if (row) {
            help_row(dbg, row);
            say_example(dbg, row->example);
        }
        return row && dbg_at_end(dbg, args + length);
    }
    for (unsigned i = 0; i < dbg_row_count; i++) {
        if (strcmp(group, dbg_rows[i].group) != 0)
            dbg_say(dbg, "%s%s:\n\n", i > 0 ? "\n" : "", dbg_rows[i].group);
        group = dbg_rows[i].group;
        help_row(dbg, &dbg_rows[i]);
    }
    dbg_say(dbg, "\nCommands can be shortened while they stay unique.  An empty line repeats run\n"
                 "control.  Ctrl-C stops the running program.  # starts a comment line.\n");
    return true;
}

bool cmd_apropos(struct dbg *dbg, const char *args)
{
    unsigned any = 0;

    if (*args == '\0')
        return dbg_error(dbg, "'help' lists all commands", "apropos of what?");
    for (unsigned i = 0; i < dbg_row_count; i++) {
        const struct dbg_row *row = &dbg_rows[i];

        if (!strcasestr(row->usage, args) && !strcasestr(row->help, args) &&
            !strcasestr(row->aliases, args))
            continue;
        help_row(dbg, row);
        any++;
    }
    if (any == 0)
        dbg_say(dbg, "No command has '%s' in its help.\n", args);
    return true;
}
