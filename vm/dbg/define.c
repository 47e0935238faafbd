#include "dbg/define.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/block.h"

enum { MOST_ARGUMENTS = 9, MOST_BYTES = 1 << 20 /* as many as a script may have */ };

/* ---- definitions ---- */

const struct dbg_define *define_find(const struct dbg *dbg, const char *word, size_t length)
{
    for (unsigned i = 0; i < dbg->defines; i++)
        if (dbg_is_name(dbg->define[i].name, word, length))
            return &dbg->define[i];
    return NULL;
}

/* What has the name already is replaced. */
static void keep(struct dbg *dbg, const char *name, const char *body)
{
    for (unsigned i = 0; i < dbg->defines; i++)
        if (!strcmp(dbg->define[i].name, name)) {
            free(dbg->define[i].body);
            dbg->define[i].body = pto_xstrdup(body);
            return;
        }
    PTO_GROW(dbg->define, dbg->defines, dbg->define_capacity);
    dbg->define[dbg->defines++] = (struct dbg_define){pto_xstrdup(name), pto_xstrdup(body)};
}

void define_free(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->defines; i++) {
        free(dbg->define[i].name);
        free(dbg->define[i].body);
    }
    free(dbg->define);
}

static void say_all(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->defines; i++)
        dbg_say(dbg, "define %s\n%s%s\n", dbg->define[i].name, dbg->define[i].body, BLOCK_END);
    if (dbg->defines == 0)
        dbg_say(dbg, "Nothing is defined.\n");
}

static bool is_good_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && (i == 0 || !strchr("-_", text[i])))
            return false;
    return isalpha((unsigned char)*text);
}

bool cmd_define(struct dbg *dbg, const char *args)
{
    size_t length = dbg_word(&args);

    if (length == 0) {
        say_all(dbg);
        return true;
    }
    if (!dbg_at_end(dbg, args + length))
        return false;
    if (!is_good_name(args, length))
        return dbg_error(dbg, "a letter, then letters, digits, - and _", "'%.*s' is no name",
                         (int)length, args);
    if (dbg_named_row(args, length) || dbg_is_name(BLOCK_END, args, length))
        return dbg_error(dbg, NULL, "'%.*s' is a command already", (int)length, args);
    return block_begin(dbg, args, length, keep);
}

/* ---- use ---- */

struct arguments {
    const char *all;
    const char *word[MOST_ARGUMENTS];
    size_t length[MOST_ARGUMENTS];
    unsigned count, used; /* the highest that a line names */
    bool all_used;
};

static void split(struct arguments *a, const char *args)
{
    a->all = args;
    for (size_t length; a->count < MOST_ARGUMENTS && (length = dbg_word(&args)) > 0;
         args += length) {
        a->word[a->count] = args;
        a->length[a->count++] = length;
    }
}

/* The lines with $1 to $9 and $* replaced; arguments that are not there are empty.  Definitions in
 * one another can double what they are given each time: it ends behind MOST_BYTES. */
static void replace(struct arguments *a, const char *body, struct pto_buf *lines)
{
    for (; *body && lines->size <= MOST_BYTES; body++) {
        unsigned number = *body == '$' && body[1] >= '1' && body[1] <= '9'
                              ? (unsigned)(body[1] - '0') : 0;

        if (number > 0) {
            a->used = number > a->used ? number : a->used;
            if (number <= a->count)
                pto_buf_append(lines, a->word[number - 1], a->length[number - 1]);
        } else if (*body == '$' && body[1] == '*') {
            a->all_used = true;
            pto_buf_printf(lines, "%s", a->all);
        } else {
            pto_buf_append(lines, body, 1);
            continue;
        }
        body++;
    }
}

char *define_lines(struct dbg *dbg, const struct dbg_define *define, const char *args)
{
    struct arguments a = {0};
    struct pto_buf lines = {0};
    char *text = NULL;

    split(&a, args);
    replace(&a, define->body, &lines);
    if (lines.size > MOST_BYTES)
        dbg_error(dbg, "definitions in one another multiply what they are given",
                  "the lines of '%s' are larger than 1 MiB", define->name);
    else if (a.used > a.count)
        dbg_error(dbg, "'define' alone shows what it does", "'%s' needs %u argument%s",
                  define->name, a.used, a.used == 1 ? "" : "s");
    else if (a.count > a.used && !a.all_used)
        dbg_at_end(dbg, a.word[a.used]);
    else
        text = pto_xstrdup(pto_buf_text(&lines));
    pto_buf_free(&lines);
    return text;
}
