/* The command catch: at which events of the machine to stop. */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "dbg/breakpoint.h"
#include "dbg/event.h"
#include "tool/number.h"

static const char KINDS[] = "launch end issue stall resume start complete set wait taken send land "
                            "signal cross-set cross-taken region region-end finding nan "
                            "uninitialised";

/* A mnemonic, if the next word is one. */
static void take_mnemonic(const char **args, struct dbg_break *what)
{
    size_t length = dbg_word(args);
    char *word = pto_xstrndup(*args, length);

    what->op = pto_op_find(word);
    free(word);
    *args += what->op >= 0 ? length : 0;
}

static bool needs_checker(struct dbg *dbg)
{
    return dbg->check ||
           dbg_error(dbg, "start ptodbg with --check", "the checker does not watch this run");
}

/* A kind of finding, if the next word is one. */
static bool take_finding(struct dbg *dbg, const char **args, struct dbg_break *what)
{
    size_t length = dbg_word(args);
    char *word = pto_xstrndup(*args, length);

    what->finding = pto_finding_find(word);
    free(word);
    *args += what->finding >= 0 ? length : 0;
    return needs_checker(dbg);
}

/* [PIPE] [ID] [> TIME] */
static bool take_details(struct dbg *dbg, const char **args, struct dbg_break *what)
{
    char text[sizeof(struct dbg_time)] = {0};
    size_t length = dbg_word(args);
    int64_t id;

    what->pipe = dbg_find_pipe(*args, length);
    *args += what->pipe >= 0 ? length : 0;
    length = dbg_word(args);
    if (length > 0 && tool_parse_int(*args, length, &id) && id >= 0 && id < DBG_FLAG_IDS) {
        what->id = (int)id;
        *args += length;
    }
    if (!dbg_take(args, ">"))
        return true;
    length = dbg_word(args);
    if (length >= sizeof text)
        return dbg_error(dbg, NULL, "'%s' is no time", *args);
    memcpy(text, *args, length);
    if (!tool_parse_time(text, &what->longer_ps))
        return dbg_error(dbg, "write a number and its unit: ps, ns, us, ms or s",
                         "'%s' is no time", text);
    *args += length;
    return true;
}

/* What ends what may last: only then is it known how long it took. */
static int end_of(int event)
{
    return event == PTO_EV_WAIT_BEGIN ? PTO_EV_WAIT_END
           : event == PTO_EV_STALL    ? PTO_EV_RESUME
           : event == PTO_EV_START    ? PTO_EV_COMPLETE
                                      : event;
}

static bool has_length(int event)
{
    return event == PTO_EV_WAIT_END || event == PTO_EV_RESUME || event == PTO_EV_COMPLETE;
}

static bool read_kind(struct dbg *dbg, const char **args, struct dbg_break *what)
{
    if (dbg_take(args, "nan")) {
        what->event = PTO_EV_COMPLETE;
        what->nan = true;
        take_mnemonic(args, what);
        return take_details(dbg, args, what);
    }
    if (dbg_take(args, "uninitialised")) {
        what->event = DBG_EV_FINDING;
        what->finding = PTO_FIND_UNINIT;
        return needs_checker(dbg);
    }
    if (dbg_word(args) == 0)
        return dbg_error(dbg, KINDS, "catch what?");
    what->event = event_find(*args, dbg_word(args));
    if (what->event < 0 || what->event == PTO_EV_SCALAR || what->event == PTO_EV_FAULT ||
        what->event > DBG_EV_FINDING)
        return dbg_error(dbg, KINDS, "'%.*s' is no event", (int)dbg_word(args), *args);
    *args += dbg_word(args);
    if (what->event == DBG_EV_FINDING)
        return take_finding(dbg, args, what);
    take_mnemonic(args, what);
    if (!take_details(dbg, args, what))
        return false;
    if (what->longer_ps == 0)
        return true;
    what->event = end_of(what->event);
    return has_length(what->event) ||
           dbg_error(dbg, "wait, stall and start can last", "such an event has no length");
}

bool cmd_catch(struct dbg *dbg, const char *args)
{
    struct dbg_break what = {
        .kind = DBG_AT_EVENT, .op = -1, .finding = -1, .pipe = DBG_ANY_PIPE, .id = -1};
    const struct dbg_break *b;
    const char *start = args;
    size_t length;

    if (!read_kind(dbg, &args, &what))
        return false;
    length = (size_t)(args - start);
    while (start[length - 1] == ' ' || start[length - 1] == '\t')
        length--;
    what.where = pto_xstrndup(start, length);
    b = breakpoint_add(dbg, &what, args);
    if (b)
        breakpoint_say(dbg, b);
    return b != NULL;
}
