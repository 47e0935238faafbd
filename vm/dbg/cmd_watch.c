/* Commands about who touches what: watch, rwatch, awatch, last-writer, origin. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "tool/number.h"
#include "dbg/breakpoint.h"
#include "dbg/expr.h"
#include "dbg/issue.h"
#include "dbg/source.h"
#include "dbg/view.h"
#include "dbg/writer.h"

enum { READS = 1 << 0, WRITES = 1 << 1 }; /* of dbg_break.access */

/* ---- watchpoints ---- */

/* Where the options of a watchpoint begin: [rank N] [core NAME] [if CONDITION]. */
static size_t target_length(const char *args)
{
    static const char *const word[] = {" rank ", " core ", " if "};
    size_t length = strlen(args);

    for (unsigned i = 0; i < sizeof word / sizeof *word; i++) {
        const char *at = strstr(args, word[i]);

        if (at && (size_t)(at - args) < length)
            length = (size_t)(at - args);
    }
    return length;
}

/* Is it a value of the focused sub-core, rather than bytes? */
static bool is_value(const struct dbg *dbg, const struct formula_standalone *s)
{
    const struct asm_expr *expr = s->expr;

    return expr->kind != EX_REF || (!view_is_name(dbg, expr->token->text) &&
                                    expr_is_name(dbg, expr->token->text));
}

static bool is_raw(const char *target)
{
    return dbg_find_space(target, strcspn(target, "+ ")) >= 0;
}

/* Watch an expression over registers. */
static bool watch_value(struct dbg *dbg, const char *target, struct dbg_break *what)
{
    struct expr_scope scope = {dbg, dbg->rank, dbg->core, NULL};
    struct pto_core_info info;
    struct asm_value value;

    if (!dbg_need_program(dbg, &info))
        return false;
    what->value = expr_read(dbg, target, NULL);
    if (!what->value || !expr_value_or_answer(&scope, what->value, what->value->expr, &value))
        return false;
    what->kind = DBG_AT_VALUE;
    what->at_rank = dbg->rank;
    what->at_core = dbg->core;
    what->known = true;
    what->now = value.scalar.i;
    what->is_float = value.is_float;
    return true;
}

static bool watch_bytes(struct dbg *dbg, const char *target, struct dbg_break *what)
{
    what->kind = DBG_AT_TOUCH;
    what->region = pto_xcalloc(1, sizeof *what->region);
    if (region_read(dbg, target, what->region))
        return true;
    free(what->region);
    what->region = NULL;
    return false;
}

static bool read_target(struct dbg *dbg, const char *target, unsigned access,
                        struct dbg_break *what)
{
    struct formula_standalone *s = is_raw(target) ? NULL : expr_read(dbg, target, NULL);
    bool value;

    if (!s && !is_raw(target))
        return false;
    value = s && is_value(dbg, s);
    formula_free(s);
    if (!value)
        return watch_bytes(dbg, target, what);
    if (access & READS)
        return dbg_error(dbg, "'watch' stops when it changes; what is read has bytes: ta[0](0, 3), "
                         "a@1[5], ub+0x40,16", "'%s' has no bytes that could be seen to be read",
                         target);
    return watch_value(dbg, target, what);
}

/* ---- flags ---- */

static const char FLAG[] = "write watch flag SOURCE, DESTINATION, ID, for instance watch flag "
                           "MTE2, V, 0, or watch flag ID for one between sub-cores";

/* The next word of *text, which commas separate as well as blanks. */
static size_t flag_word(const char **text)
{
    *text += strspn(*text, " \t,");
    return strcspn(*text, " \t,");
}

static bool take_flag_pipe(struct dbg *dbg, const char **text, int *pipe)
{
    size_t length = flag_word(text);

    *pipe = dbg_find_pipe(*text, length);
    if (*pipe < 0 || *pipe >= PTO_PIPE_COUNT)
        return dbg_error(dbg, FLAG, "'%.*s' is no pipe", (int)length, *text);
    *text += length;
    return true;
}

static bool take_flag(struct dbg *dbg, const char *text, struct dbg_break *what)
{
    int64_t id;
    size_t length = flag_word(&text);

    what->flag_src = -1;
    if (!isdigit((unsigned char)*text) && (!take_flag_pipe(dbg, &text, &what->flag_src) ||
                                           !take_flag_pipe(dbg, &text, &what->flag_dst)))
        return false;
    length = flag_word(&text);
    if (!tool_parse_int(text, length, &id) || id < 0 || id > UINT16_MAX)
        return dbg_error(dbg, FLAG, "'%.*s' is no event id", (int)length, text);
    what->id = (int)id;
    text += length;
    length = flag_word(&text);
    return length == 0 || dbg_error(dbg, FLAG, "'%s' is too much here", text);
}

/* A flag of the focused sub-core, or between sub-cores of the focused rank, unless others are
 * named. */
static bool watch_flag(struct dbg *dbg, const char *args)
{
    size_t length = target_length(args), blanks = strspn(args, " \t");
    struct dbg_break what = {.kind = DBG_AT_FLAG, .op = -1, .finding = -1}, *b = NULL;
    char *target;
    struct pto_core_info info;
    struct pto_buf where = {0};

    blanks = blanks < length ? blanks : length;
    target = pto_xstrndup(args + blanks, length - blanks);
    if (take_flag(dbg, target, &what)) {
        pto_buf_printf(&where, "flag %s", target);
        what.where = pto_xstrdup(pto_buf_text(&where));
        b = breakpoint_add(dbg, &what, args + length);
    }
    if (b && b->rank < 0 && !b->core) {
        dbg_focused(dbg, &info);
        b->rank = dbg->rank;
        b->core = b->flag_src >= 0 ? pto_xstrdup(info.name) : NULL;
    }
    if (b)
        breakpoint_say(dbg, b);
    pto_buf_free(&where);
    free(target);
    return b != NULL;
}

static bool watch(struct dbg *dbg, const char *args, unsigned access)
{
    static const char BYTES[] = "for instance ta[1](3, 7), a@2[0, 16]{4, 8} or ub+0x40,16";
    static const char VALUES[] = "for instance %off, ta[1](3, 7), a@2[0, 16]{4, 8} or ub+0x40,16";
    struct dbg_break what = {.op = -1, .finding = -1, .access = (uint8_t)access};
    const struct dbg_break *b;
    size_t length;

    if (*args == '\0')
        return dbg_error(dbg, access & READS ? BYTES : VALUES, "watch what?");
    if (dbg_take(&args, "flag"))
        return access == WRITES ? watch_flag(dbg, args)
                                : dbg_error(dbg, "'watch flag' stops when a token is set and "
                                            "when it is taken", "flags have no bytes");
    length = target_length(args);
    what.where = pto_xstrndup(args, length);
    if (!read_target(dbg, what.where, access, &what)) {
        breakpoint_free(&what);
        return false;
    }
    b = breakpoint_add(dbg, &what, args + length);
    if (!b)
        return false;
    watch_refresh(dbg);
    breakpoint_say(dbg, b);
    return true;
}

bool cmd_watch(struct dbg *dbg, const char *args)
{
    return watch(dbg, args, WRITES);
}

bool cmd_rwatch(struct dbg *dbg, const char *args)
{
    return watch(dbg, args, READS);
}

bool cmd_awatch(struct dbg *dbg, const char *args)
{
    return watch(dbg, args, READS | WRITES);
}

/* ---- who wrote it ---- */

static bool last_writer(struct dbg *dbg, const struct dbg_region *region, uint64_t before)
{
    struct dbg_writer w;

    if (!writer_find(dbg, region, before, &w))
        return false;
    region_say(dbg, region);
    dbg_say(dbg, ":\n");
    writer_tell(dbg, region, &w);
    return true;
}

/* One step further back: the writers of what the last answer was made from. */
static bool go_on(struct dbg *dbg)
{
    struct dbg_writer here = {.source = dbg->last_source, .sources = dbg->last_sources,
                              .event = dbg->last_event};
    bool good = true;

    if (here.sources == 0)
        return dbg_error(dbg, "for instance last-writer ta[1](3, 7)", "the last writer of what?");
    if (here.event > dbg->events)
        return dbg_error(dbg, "go there first, with 'goto' and its number",
                         "the last answer was about event %llu, which lies ahead",
                         (unsigned long long)here.event);
    dbg->last_source = NULL;
    dbg->last_sources = 0;
    for (unsigned i = here.sources; i-- > 0 && good;)
        good = last_writer(dbg, &here.source[i], here.source[i].before);
    watch_free_writer(&here);
    return good;
}

bool cmd_last_writer(struct dbg *dbg, const char *args)
{
    struct dbg_region region;
    bool good;

    if (*args == '\0')
        return go_on(dbg);
    if (!region_read(dbg, args, &region))
        return false;
    good = last_writer(dbg, &region, UINT64_MAX);
    region_free(&region);
    return good;
}

/* ---- where it comes from ---- */

struct origin {
    struct dbg *dbg;
    unsigned left; /* steps that may still be taken */
};

static bool trace_origin(struct origin *o, const struct dbg_region *region, uint64_t before,
                         unsigned depth)
{
    struct dbg_writer w;
    bool good = true;

    if (o->left == 0)
        return true;
    o->left--;
    if (!writer_find(o->dbg, region, before, &w))
        return false;
    dbg_say(o->dbg, "%*s", (int)depth * 2, "");
    region_say(o->dbg, region);
    dbg_say(o->dbg, ": ");
    writer_say(o->dbg, region, &w);
    for (unsigned i = 0; i < w.sources && good; i++)
        good = trace_origin(o, &w.source[i], w.source[i].before, depth + 1);
    watch_free_writer(&w);
    return good;
}

bool cmd_origin(struct dbg *dbg, const char *args)
{
    enum { STEPS = 64 };
    struct origin o = {dbg, STEPS};
    struct dbg_region region;
    bool good;

    if (*args == '\0')
        return dbg_error(dbg, "for instance origin c[5]", "the origin of what?");
    if (!region_read(dbg, args, &region))
        return false;
    good = trace_origin(&o, &region, UINT64_MAX, 0);
    region_free(&region);
    if (good && o.left == 0)
        dbg_say(dbg, "... %d steps are shown; 'origin' of one of them goes on\n", STEPS);
    return good;
}
