#include "dbg/checkpoint.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/change.h"
#include "dbg/position.h"

struct dbg_checkpoint {
    char *name;
    uint64_t event, time_ps;
    int rank; /* focus */
    unsigned core;
    struct dbg_change *change; /* made up to there */
    unsigned changes;
};

/* ---- the list ---- */

static int find(const struct dbg *dbg, const char *name, size_t length)
{
    for (unsigned i = 0; i < dbg->checkpoints; i++)
        if (dbg_is_name(dbg->checkpoint[i].name, name, length))
            return (int)i;
    return -1;
}

const char *checkpoint_name(const struct dbg *dbg, unsigned index)
{
    return index < dbg->checkpoints ? dbg->checkpoint[index].name : NULL;
}

/* What stays is in the order in which it was made. */
static void drop(struct dbg *dbg, unsigned index)
{
    struct dbg_checkpoint *c = &dbg->checkpoint[index];

    change_free_copy(c->change, c->changes);
    free(c->name);
    memmove(c, c + 1, (dbg->checkpoints - index - 1) * sizeof *c);
    dbg->checkpoints--;
}

void checkpoint_free(struct dbg *dbg)
{
    while (dbg->checkpoints > 0)
        drop(dbg, dbg->checkpoints - 1);
    free(dbg->checkpoint);
    dbg->checkpoint = NULL;
    dbg->checkpoint_capacity = 0;
}

static bool complain(struct dbg *dbg, const char *name, size_t length)
{
    const char **names = pto_xcalloc(dbg->checkpoints + 1, sizeof *names);
    char *word = pto_xstrndup(name, length);
    struct pto_buf hint = {0};
    const char *best;

    for (unsigned i = 0; i < dbg->checkpoints; i++)
        names[i] = dbg->checkpoint[i].name;
    best = pto_nearest(word, names, dbg->checkpoints);
    if (best)
        pto_buf_printf(&hint, "did you mean '%s'?", best);
    else
        pto_buf_printf(&hint, "%s", dbg->checkpoints > 0 ? "'info checkpoints' lists them"
                                                         : "'checkpoint NAME' makes one here");
    dbg_error(dbg, pto_buf_text(&hint), "there is no checkpoint '%s'", word);
    pto_buf_free(&hint);
    free(word);
    free(names);
    return false;
}

/* ---- making one ---- */

/* A number is an event to `goto`, and what `checkpoint` alone gives. */
static bool is_good_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_' && name[i] != '-')
            return false;
    return isalpha((unsigned char)name[0]) || name[0] == '_';
}

/* The first number that is free; malloc'ed. */
static char *next_number(const struct dbg *dbg)
{
    char text[16];

    for (unsigned number = 1;; number++) {
        snprintf(text, sizeof text, "%u", number);
        if (find(dbg, text, strlen(text)) < 0)
            return pto_xstrdup(text);
    }
}

static void say(struct dbg *dbg, const struct dbg_checkpoint *c)
{
    dbg_say(dbg, "event %llu, %s, ", (unsigned long long)c->event, dbg_time(c->time_ps).text);
    dbg_say_core(dbg, c->rank, c->core);
    dbg_say(dbg, "%s\n", c->changes > 0 ? ", altered" : "");
}

bool cmd_checkpoint(struct dbg *dbg, const char *args)
{
    size_t length = dbg_word(&args);
    struct dbg_checkpoint *c;
    int there = length > 0 ? find(dbg, args, length) : -1;

    if (!dbg_at_end(dbg, args + length))
        return false;
    if (length > 0 && !is_good_name(args, length))
        return dbg_error(dbg, "names begin with a letter and have letters, digits, '_' and '-'",
                         "'%.*s' is no name of a checkpoint", (int)length, args);
    if (!dbg->started || dbg->events == 0)
        return dbg_error(dbg, "start it with 'start' or 'run'", "the program is not running yet");
    if (there >= 0)
        drop(dbg, (unsigned)there);
    PTO_GROW(dbg->checkpoint, dbg->checkpoints, dbg->checkpoint_capacity);
    c = &dbg->checkpoint[dbg->checkpoints];
    *c = (struct dbg_checkpoint){
        .name = length > 0 ? pto_xstrndup(args, length) : next_number(dbg),
        .event = dbg->events,
        .time_ps = pto_vm_time(dbg->launch.vm),
        .rank = dbg->rank,
        .core = dbg->core,
    };
    c->change = change_copy(dbg, &c->changes);
    dbg->checkpoints++;
    dbg_say(dbg, "Checkpoint %s%s: ", c->name, there >= 0 ? " is here now" : "");
    say(dbg, c);
    return true;
}

/* ---- coming back ---- */

bool checkpoint_return(struct dbg *dbg, const char *name, size_t length)
{
    int index = find(dbg, name, length);
    const struct dbg_checkpoint *c;
    struct position_target target;

    if (index < 0)
        return complain(dbg, name, length);
    c = &dbg->checkpoint[index];
    target = (struct position_target){c->event, change_replace(dbg, c->change, c->changes),
                                      c->rank, c->core};
    return position_return(dbg, &target);
}

bool cmd_restart(struct dbg *dbg, const char *args)
{
    size_t length = dbg_word(&args);

    if (length == 0)
        return dbg_error(dbg, "'info checkpoints' lists them; 'run' starts from the beginning",
                         "from which checkpoint?");
    return dbg_at_end(dbg, args + length) && checkpoint_return(dbg, args, length);
}

bool checkpoint_delete(struct dbg *dbg, const char *names)
{
    size_t length;

    if (dbg_word(&names) == 0)
        checkpoint_free(dbg);
    while ((length = dbg_word(&names)) > 0) {
        int index = find(dbg, names, length);

        if (index < 0)
            return complain(dbg, names, length);
        drop(dbg, (unsigned)index);
        names += length;
    }
    return true;
}

bool checkpoint_info(struct dbg *dbg, const char *args)
{
    int width = 1;

    if (!dbg_at_end(dbg, args))
        return false;
    if (dbg->checkpoints == 0)
        dbg_say(dbg, "No checkpoints.\n");
    for (unsigned i = 0; i < dbg->checkpoints; i++)
        if ((int)strlen(dbg->checkpoint[i].name) > width)
            width = (int)strlen(dbg->checkpoint[i].name);
    for (unsigned i = 0; i < dbg->checkpoints; i++) {
        const struct dbg_checkpoint *c = &dbg->checkpoint[i];
        bool here = c->event == dbg->events && change_are_same(dbg, c->change, c->changes);

        dbg_say(dbg, "%s %-*s  ", here ? "*" : " ", width, c->name);
        say(dbg, c);
    }
    return true;
}
