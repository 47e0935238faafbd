#include "dbg/display.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/expr.h"

/* `print` with a number before it; what this sub-core has not is said in a word. */
static void say(struct dbg *dbg, const struct dbg_display *display)
{
    size_t from;

    dbg_say(dbg, "%u: ", display->number);
    from = dbg->out.size;
    if (cmd_print(dbg, display->text))
        return;
    dbg->out.size = from;
    dbg_say(dbg, "%s: not here\n", display->text);
}

void display_say_all(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->displays; i++)
        say(dbg, &dbg->display[i]);
}

/* Is it an expression at all, behind its format? */
static bool reads(struct dbg *dbg, const char *text)
{
    struct formula_standalone *s;

    if (*text == '/' && text[1] != 'x' && text[1] != 'm')
        return dbg_error(dbg, "there are /x and /m", "'%.2s' is no format", text);
    if (*text == '/') {
        text += strcspn(text, " \t");
        text += strspn(text, " \t");
    }
    s = expr_read(dbg, text, NULL);
    formula_free(s);
    return s != NULL;
}

bool cmd_display(struct dbg *dbg, const char *args)
{
    struct dbg_display display = {dbg->last_display + 1, NULL};

    if (*args == '\0') {
        display_say_all(dbg);
        if (dbg->displays == 0)
            dbg_say(dbg, "Nothing is displayed.\n");
        return true;
    }
    if (!reads(dbg, args))
        return false;
    display.text = pto_xstrdup(args);
    PTO_GROW(dbg->display, dbg->displays, dbg->display_capacity);
    dbg->display[dbg->displays++] = display;
    dbg->last_display++;
    if (dbg->started) /* before that names stand for nothing */
        say(dbg, &display);
    return true;
}

bool cmd_undisplay(struct dbg *dbg, const char *args)
{
    uint64_t number;

    if (*args == '\0') {
        display_free(dbg);
        return true;
    }
    if (!dbg_count(dbg, args, &number))
        return false;
    for (unsigned i = 0; i < dbg->displays; i++)
        if (dbg->display[i].number == number) {
            free(dbg->display[i].text);
            memmove(&dbg->display[i], &dbg->display[i + 1],
                    (dbg->displays - i - 1) * sizeof *dbg->display);
            dbg->displays--;
            return true;
        }
    return dbg_error(dbg, "'display' shows them", "there is no display %llu",
                     (unsigned long long)number);
}

void display_free(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->displays; i++)
        free(dbg->display[i].text);
    free(dbg->display);
    dbg->display = NULL;
    dbg->displays = dbg->display_capacity = 0;
}
