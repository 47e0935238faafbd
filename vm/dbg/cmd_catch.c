/* The command catch: at which events of the machine to stop. */
#include <stdlib.h>

#include "check/check.h"
#include "dbg/breakpoint.h"
#include "dbg/event.h"

static const char KINDS[] = "launch end issue stall resume start complete set wait taken send land "
                            "signal cross-set cross-taken region region-end finding";

/* A mnemonic, if the next word is one. */
static void take_mnemonic(const char **args, struct dbg_break *what)
{
    size_t length = dbg_word(args);
    char *word = pto_xstrndup(*args, length);

    what->op = pto_op_find(word);
    free(word);
    *args += what->op >= 0 ? length : 0;
}

/* A kind of finding, if the next word is one. */
static bool take_finding(struct dbg *dbg, const char **args, struct dbg_break *what)
{
    size_t length = dbg_word(args);
    char *word = pto_xstrndup(*args, length);

    what->finding = pto_finding_find(word);
    free(word);
    *args += what->finding >= 0 ? length : 0;
    return dbg->check ||
           dbg_error(dbg, "start ptodbg with --check", "the checker does not watch this run");
}

bool cmd_catch(struct dbg *dbg, const char *args)
{
    struct dbg_break what = {.kind = DBG_AT_EVENT, .op = -1, .finding = -1};
    const struct dbg_break *b;
    const char *start = args;
    size_t length = dbg_word(&args);

    what.event = event_find(args, length);
    if (what.event < 0 || what.event == PTO_EV_SCALAR || what.event == PTO_EV_FAULT ||
        what.event > DBG_EV_FINDING)
        return dbg_error(dbg, KINDS, "'%.*s' is no event", (int)length, args);
    args += length;
    if (what.event != DBG_EV_FINDING)
        take_mnemonic(&args, &what);
    else if (!take_finding(dbg, &args, &what))
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
