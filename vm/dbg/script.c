#include "dbg/script.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/block.h"
#include "dbg/define.h"
#include "dbg/due.h"
#include "dbg/lines.h"
#include "file.h"

enum { NESTING_LIMIT = 16 };

/* ---- a line ---- */

/* The line without blanks around it, malloc'ed; an empty one stands for the last command if that
 * repeats, a comment for nothing. */
static char *resolve_line(const struct dbg *dbg, const char *line, bool *repeated)
{
    size_t length;

    line += strspn(line, " \t\r");
    *repeated = *line == '\0' && dbg->terminal->interactive && !dbg->nesting && dbg->last_line;
    if (*repeated)
        line = dbg->last_line;
    length = *line == '#' ? 0 : strlen(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]))
        length--;
    return pto_xstrndup(line, length);
}

static void remember(struct dbg *dbg, const char *line, const struct dbg_row *row)
{
    free(dbg->last_line);
    dbg->last_line = row && row->repeats != DBG_ONCE
                         ? pto_xstrdup(row->repeats == DBG_SAME ? line : row->name)
                         : NULL;
}

static bool run_nested(struct dbg *dbg, const char *path, char *text);

/* What the session has defined, or NULL and *row, one of the table's commands. */
static bool carry_out(struct dbg *dbg, const char *line, const struct dbg_row **row)
{
    size_t length = strcspn(line, " \t");
    const struct dbg_define *define = define_find(dbg, line, length);
    const char *args = line + length, *slash = memchr(line + 1, '/', length - 1);
    char *name, *lines;
    bool done;

    args += strspn(args, " \t");
    if (!define) {
        if (slash) /* print/x: the format belongs to the arguments */
            args = slash;
        *row = dbg_find_row(dbg, line, slash ? (size_t)(slash - line) : length);
        return *row && (*row)->function(dbg, args);
    }
    lines = define_lines(dbg, define, args);
    name = pto_xstrdup(define->name);
    done = lines && run_nested(dbg, name, lines);
    free(name);
    free(lines);
    return done;
}

bool dbg_command(struct dbg *dbg, const char *text)
{
    bool repeated, done = true;
    char *line = resolve_line(dbg, text, &repeated);
    const struct dbg_row *row = NULL;

    dbg->lines_shown = 0;
    if (dbg->interrupted && !dbg->terminal->interactive) { /* Ctrl-C between two commands */
        dbg->quit = dbg->cut_off = true;
        done = false;
    } else if (dbg->block.name) {
        block_take(dbg, text);
        if (dbg->options->json_lines)
            lines_write(dbg, line, true);
    } else if (*line != '\0') {
        done = carry_out(dbg, line, &row);
        if (!repeated)
            remember(dbg, line, done ? row : NULL);
        dbg_flush(dbg);
        if (dbg->options->json_lines)
            lines_write(dbg, line, done);
    }
    free(line);
    return done && script_carry_out_due(dbg);
}

/* ---- lines ---- */

/* Carry out lines of `text` until one fails or ends the session. */
static bool run_lines(struct dbg *dbg, const char *path, char *text)
{
    unsigned number = 0;

    for (char *line = text; line && !dbg->quit;) {
        char *newline = strchr(line, '\n');

        if (newline)
            *newline = '\0';
        line[strcspn(line, "\r")] = '\0';
        number++;
        if (!dbg_command(dbg, line)) {
            dbg_say(dbg, "%s:%u: stopped at the command that failed\n", path, number);
            return false;
        }
        line = newline ? newline + 1 : NULL;
    }
    return true;
}

static bool run_nested(struct dbg *dbg, const char *path, char *text)
{
    bool good;

    if (dbg->nesting == NESTING_LIMIT)
        return dbg_error(dbg, "none must lead to itself",
                         "more than %d files and definitions are nested", NESTING_LIMIT);
    dbg->nesting++;
    good = run_lines(dbg, path, text) && block_is_whole(dbg);
    dbg->nesting--;
    return good;
}

bool dbg_source(struct dbg *dbg, const char *path)
{
    struct pto_buf text = {0};
    const char *why = "";
    bool good;

    if (pto_file_read(path, PTO_FILE_SETTINGS, &text, &why) != PTO_OK) {
        pto_buf_free(&text);
        return dbg_error(dbg, NULL, "cannot read '%s': %s", path, why);
    }
    if (memchr(pto_buf_text(&text), '\0', text.size))
        good = dbg_error(dbg, "a script has a command in each line", "'%s' is no text", path);
    else
        good = run_nested(dbg, path, (char *)text.data);
    pto_buf_free(&text);
    return good;
}

/* ---- commands of breakpoints ---- */

/* What stands behind a command that the machine went on with belongs to a stop of the past. */
static bool carry_out_lines(struct dbg *dbg, char *lines)
{
    uint64_t stops = dbg->stops;

    for (char *next; *lines && !dbg->quit && dbg->stops == stops; lines = next) {
        next = lines + strcspn(lines, "\n");
        if (*next)
            *next++ = '\0';
        if (!due_is_silence(lines) && (dbg->interrupted || !dbg_command(dbg, lines)))
            return false;
    }
    return true;
}

bool script_carry_out_due(struct dbg *dbg)
{
    bool good = true;

    if (dbg->at_commands) /* of the stop before, which go on here when they are over */
        return true;
    dbg->at_commands = true;
    dbg->nesting++;
    while (dbg->due && good && !dbg->quit) {
        char *lines = dbg->due;

        dbg->due = NULL;
        good = carry_out_lines(dbg, lines) && block_is_whole(dbg);
        free(lines);
    }
    dbg->nesting--;
    dbg->at_commands = false;
    free(dbg->due);
    dbg->due = NULL;
    dbg_flush(dbg);
    return good;
}
