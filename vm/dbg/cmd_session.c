/* Commands about the session: focus, trace, settings, scripts, the end. */
#include <string.h>
#include <strings.h>

#include "tool/number.h"
#include "dbg/assign.h"
#include "dbg/history.h"
#include "dbg/past.h"
#include "dbg/source.h"

/* ---- focus ---- */

struct target {
    int rank, core, pipe; /* core -1: not named */
};

static bool parse_core(struct dbg *dbg, const char *text, size_t length, struct target *t)
{
    t->core = dbg_find_core(dbg, text, length);
    if (t->core < 0)
        return dbg_error(dbg, "'info cores all' lists them", "no sub-core is called '%.*s'",
                         (int)length, text);
    return true;
}

/* "3", "3.aiv7.1", "aiv7.1" */
static bool parse_where(struct dbg *dbg, const char *text, size_t length, struct target *t)
{
    size_t number = strspn(text, "0123456789");
    int64_t rank;

    if (number == 0)
        return parse_core(dbg, text, length, t);
    if (!tool_parse_int(text, number, &rank) || rank >= pto_vm_ranks(dbg->launch.vm) ||
        (number < length && text[number] != '.'))
        return dbg_error(dbg, NULL, "'%.*s' is no rank: they are 0 to %d", (int)length, text,
                         pto_vm_ranks(dbg->launch.vm) - 1);
    t->rank = (int)rank;
    return number >= length || parse_core(dbg, text + number + 1, length - number - 1, t);
}

bool cmd_focus(struct dbg *dbg, const char *args)
{
    struct target t = {dbg->rank, -1, DBG_ANY_PIPE};
    size_t length = dbg_word(&args);
    int pipe = dbg_find_pipe(args, length);

    if (length > 0 && pipe < 0) {
        if (!parse_where(dbg, args, length, &t))
            return false;
        args += length;
        length = dbg_word(&args);
        pipe = dbg_find_pipe(args, length);
        if (length > 0 && pipe < 0)
            return dbg_error(dbg,
                             "pipes are S, MTE2, MTE1, M, V, MTE3 and FIX, the engine is DMA",
                             "there is no pipe '%.*s'", (int)length, args);
    }
    if (!dbg_at_end(dbg, args + length))
        return false;
    if (t.rank != dbg->rank || t.core >= 0 || pipe >= 0) {
        dbg_focus_on(dbg, t.rank, t.core >= 0 ? (unsigned)t.core : dbg->core);
        dbg->pipe = pipe;
    }
    source_say_stop(dbg);
    if (dbg->pipe != DBG_ANY_PIPE)
        dbg_say(dbg, "pipe %s\n", pto_queue_name((unsigned)dbg->pipe));
    return true;
}

/* ---- trace and settings ---- */

bool cmd_trace(struct dbg *dbg, const char *args)
{
    static const char *const mode[] = {
        [DBG_TRACE_OFF] = "off", [DBG_TRACE_FOCUS] = "focus", [DBG_TRACE_ALL] = "on"};

    if (*args == '\0') {
        dbg_say(dbg, "trace %s\n", mode[dbg->trace]);
        return true;
    }
    for (int i = 0; i <= DBG_TRACE_ALL; i++)
        if (dbg_take(&args, mode[i])) {
            dbg->trace = i;
            return dbg_at_end(dbg, args);
        }
    return dbg_error(dbg, "write on, focus or off", "'%s' is no way to trace", args);
}

static bool set_number(struct dbg *dbg, const char *args, unsigned least, unsigned most,
                       unsigned *setting)
{
    size_t length = dbg_word(&args);
    int64_t value;

    if (!tool_parse_int(args, length, &value) || value < least || value > most)
        return dbg_error(dbg, NULL, "'%.*s' is not a number from %u to %u", (int)length, args,
                         least, most);
    *setting = (unsigned)value;
    return dbg_at_end(dbg, args + length);
}

static bool set_interval(struct dbg *dbg, const char *args)
{
    unsigned events;

    if (!set_number(dbg, args, 1, 1000 * 1000 * 1000, &events))
        return false;
    dbg->interval = events;
    return true;
}

static bool set_memory(struct dbg *dbg, const char *args)
{
    size_t length = dbg_word(&args);
    int64_t bytes;

    if (!tool_parse_int(args, length, &bytes) || bytes < 0)
        return dbg_error(dbg, "for instance 512M; 0 keeps no moments", "'%.*s' is no size",
                         (int)length, args);
    dbg->history_limit = (uint64_t)bytes;
    history_thin(dbg);
    return dbg_at_end(dbg, args + length);
}

/* On behalf of the one who sits there: nothing else is opened. */
static bool set_history_file(struct dbg *dbg, const char *args)
{
    dbg_word(&args);
    if (*args == '\0')
        return dbg_error(dbg, "set history-file off keeps no lines", "which file?");
    return past_keep(dbg, strcmp(args, "off") != 0 ? args : NULL);
}

bool cmd_set(struct dbg *dbg, const char *args)
{
    const char *value = assign_value(args);

    if (value)
        return assign(dbg, args, value);
    if (dbg_take(&args, "width"))
        return set_number(dbg, args, 40, 1000, &dbg->width);
    if (dbg_take(&args, "rows"))
        return set_number(dbg, args, 1, 100000, &dbg->rows);
    if (dbg_take(&args, "history-events"))
        return set_interval(dbg, args);
    if (dbg_take(&args, "history-file"))
        return set_history_file(dbg, args);
    if (dbg_take(&args, "history-memory"))
        return set_memory(dbg, args);
    if (dbg_take(&args, "pagination")) {
        bool on = dbg_take(&args, "on");

        if (!on && !dbg_take(&args, "off"))
            return dbg_error(dbg, "write on or off", "'%s' is no state of pagination", args);
        dbg->pagination = on;
        return dbg_at_end(dbg, args);
    }
    if (*args == '\0') {
        dbg_say(dbg, "pagination %s\nwidth %u\nrows %u\n", dbg->pagination ? "on" : "off",
                dbg->width, dbg->rows);
        dbg_say(dbg, "history-memory %llu\nhistory-events %llu\n",
                (unsigned long long)dbg->history_limit, (unsigned long long)dbg->interval);
        dbg_say(dbg, "history-file %s\n", dbg->past_path ? dbg->past_path : "off");
        return true;
    }
    return dbg_error(dbg,
                     "settings are pagination, width, rows, history-memory, history-events and "
                     "history-file",
                     "there is no setting '%.*s'", (int)strcspn(args, " \t"), args);
}

/* ---- the rest ---- */

bool cmd_tui(struct dbg *dbg, const char *args)
{
    const struct dbg_terminal *terminal = dbg->terminal;
    const char *why = "this session has no screen";

    if (!dbg_at_end(dbg, args))
        return false;
    dbg_flush(dbg);
    if (terminal->full_screen && terminal->full_screen(terminal->context, dbg, &why))
        return true;
    return dbg_error(dbg, NULL, "%s", why);
}

bool cmd_source(struct dbg *dbg, const char *args)
{
    size_t length = strlen(args);
    char path[4096];

    while (length > 0 && strchr(" \t\r", args[length - 1]))
        length--;
    if (length == 0 || length >= sizeof path)
        return dbg_error(dbg, "write source and the name of a file with commands", "which file?");
    memcpy(path, args, length);
    path[length] = '\0';
    return dbg_source(dbg, path);
}

bool cmd_when(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;

    if (!dbg_at_end(dbg, args))
        return false;
    dbg_focused(dbg, &info);
    dbg_say(dbg, "%s, event %llu%s", dbg_time(pto_vm_time(dbg->launch.vm)).text,
            (unsigned long long)dbg->events, dbg->changes > 0 ? ", altered" : "");
    if (info.module)
        dbg_say(dbg, "; scalar unit of rank %d, %s at %s", dbg->rank, info.name,
                dbg_time(info.time_ps).text);
    dbg_say(dbg, "\n");
    return true;
}

bool cmd_quit(struct dbg *dbg, const char *args)
{
    dbg->quit = dbg_at_end(dbg, args);
    return dbg->quit;
}
