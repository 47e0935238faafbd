/* Commands about breakpoints. */
#include <stdlib.h>
#include <string.h>

#include "tool/number.h"
#include "dbg/block.h"
#include "dbg/breakpoint.h"
#include "dbg/checkpoint.h"
#include "dbg/place.h"
#include "dbg/source.h"

static bool add_break(struct dbg *dbg, const char *args, bool temporary)
{
    struct dbg_break what = {.temporary = temporary};
    struct place_request request;
    const struct dbg_break *b;
    size_t length = dbg_word(&args);

    if (!place_resolve(dbg, args, length, &request))
        return false;
    what.kind = request.op >= 0 ? DBG_AT_OP : DBG_AT_PLACE;
    what.op = request.op;
    what.places = request.places;
    what.where = request.op >= 0 ? pto_xstrdup(pto_op_info((unsigned)request.op)->mnemonic)
                                 : pto_xstrndup(args, length);
    b = breakpoint_add(dbg, &what, args + length);
    if (b)
        breakpoint_say(dbg, b);
    return b != NULL;
}

/* Without a place: the focused sub-core's next instruction. */
static bool break_here(struct dbg *dbg, bool temporary)
{
    struct dbg_break what = {.kind = DBG_AT_PLACE, .temporary = temporary, .op = -1};
    struct pto_core_info info;
    struct dbg_place place;

    if (!dbg_need_place(dbg, &info, &place))
        return false;
    what.where = pto_xstrdup("here");
    PTO_GROW(what.places.item, what.places.count, what.places.capacity);
    what.places.item[what.places.count++] = place;
    breakpoint_say(dbg, breakpoint_add(dbg, &what, ""));
    return true;
}

bool cmd_break(struct dbg *dbg, const char *args)
{
    return *args ? add_break(dbg, args, false) : break_here(dbg, false);
}

bool cmd_tbreak(struct dbg *dbg, const char *args)
{
    return *args ? add_break(dbg, args, true) : break_here(dbg, true);
}

/* ---- by number ---- */

/* The number at *args, which is moved behind it. */
static struct dbg_break *take_number(struct dbg *dbg, const char **args)
{
    size_t length = dbg_word(args);
    int64_t number;
    struct dbg_break *b = NULL;

    if (tool_parse_int(*args, length, &number) && number > 0 && number <= UINT32_MAX)
        b = breakpoint_find(dbg, (unsigned)number);
    if (!b)
        dbg_error(dbg, "'info breakpoints' lists them", "there is no breakpoint '%.*s'",
                  (int)length, *args);
    *args += length;
    return b;
}

bool cmd_ignore(struct dbg *dbg, const char *args)
{
    struct dbg_break *b;
    size_t length = dbg_word(&args);
    int64_t count;

    if (length == 0)
        return dbg_error(dbg, "write ignore NUMBER COUNT", "ignore which breakpoint?");
    b = take_number(dbg, &args);
    if (!b)
        return false;
    length = dbg_word(&args);
    if (length == 0)
        return dbg_error(dbg, "write ignore NUMBER COUNT", "pass it how many times?");
    if (!tool_parse_int(args, length, &count) || count < 0)
        return dbg_error(dbg, "write ignore NUMBER COUNT", "'%.*s' is no count", (int)length,
                         args);
    b->ignore = (uint64_t)count;
    breakpoint_say(dbg, b);
    return dbg_at_end(dbg, args + length);
}

bool cmd_delete(struct dbg *dbg, const char *args)
{
    if (dbg_take(&args, "checkpoint") || dbg_take(&args, "checkpoints"))
        return checkpoint_delete(dbg, args);
    if (dbg_word(&args) == 0) {
        while (dbg->breaks_count > 0)
            breakpoint_delete(dbg, dbg->breaks[0].number);
        return true;
    }
    while (dbg_word(&args) > 0) {
        struct dbg_break *b = take_number(dbg, &args);

        if (!b)
            return false;
        breakpoint_delete(dbg, b->number);
    }
    return true;
}

static bool enable(struct dbg *dbg, const char *args, bool enabled)
{
    if (dbg_word(&args) == 0)
        for (unsigned i = 0; i < dbg->breaks_count; i++)
            dbg->breaks[i].enabled = enabled;
    while (dbg_word(&args) > 0) {
        struct dbg_break *b = take_number(dbg, &args);

        if (!b)
            return false;
        b->enabled = enabled;
    }
    return true;
}

bool cmd_enable(struct dbg *dbg, const char *args)
{
    return enable(dbg, args, true);
}

bool cmd_disable(struct dbg *dbg, const char *args)
{
    return enable(dbg, args, false);
}

/* ---- what is done at a stop ---- */

static void keep_commands(struct dbg *dbg, const char *numbers, const char *body)
{
    while (dbg_word(&numbers) > 0) {
        struct dbg_break *b = take_number(dbg, &numbers);

        if (!b) /* deleted since then: answered */
            return;
        free(b->commands);
        b->commands = *body ? pto_xstrdup(body) : NULL;
    }
}

bool cmd_commands(struct dbg *dbg, const char *args)
{
    struct pto_buf numbers = {0};
    const struct dbg_break *b = NULL;
    bool good = true;

    if (dbg_word(&args) == 0) {
        b = dbg->breaks_count > 0 ? &dbg->breaks[dbg->breaks_count - 1] : NULL;
        if (!b)
            return dbg_error(dbg, "make one first: 'break', 'watch' or 'catch'",
                             "there is no breakpoint");
        pto_buf_printf(&numbers, "%u", b->number);
    }
    while (good && dbg_word(&args) > 0) {
        b = take_number(dbg, &args);
        good = b != NULL;
        pto_buf_printf(&numbers, "%s%u", numbers.size > 0 ? " " : "", b ? b->number : 0);
    }
    good = good && block_begin(dbg, pto_buf_text(&numbers), numbers.size, keep_commands);
    pto_buf_free(&numbers);
    return good;
}
