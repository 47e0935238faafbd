/* Which rank, sub-core and pipe the user looks at, and what runs there. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dbg/issue.h"

struct dbg_core *dbg_core_of(struct dbg *dbg, int rank, unsigned core)
{
    return &dbg->cores[(unsigned)rank * pto_vm_cores(dbg->launch.vm) + core];
}

struct dbg_setter *dbg_setter(struct dbg_core *core, unsigned src, unsigned dst, unsigned id)
{
    return core->setter ? &core->setter[(src * PTO_PIPE_COUNT + dst) * DBG_FLAG_IDS +
                                        id % DBG_FLAG_IDS]
                        : NULL;
}

void dbg_forget(const struct dbg *dbg, struct dbg_core *core)
{
    for (unsigned i = 0; core->setter && i < DBG_SETTERS; i++)
        issue_drop(core->setter[i].issue);
    free(core->setter);
    issue_forget(dbg, core);
    *core = (struct dbg_core){0};
}

void dbg_focused(const struct dbg *dbg, struct pto_core_info *info)
{
    pto_vm_core(dbg->launch.vm, dbg->rank, dbg->core, info);
}

void dbg_focus_on(struct dbg *dbg, int rank, unsigned core)
{
    if (rank != dbg->rank || core != dbg->core) {
        dbg->depth = DBG_DEPTH_INNERMOST;
        dbg->pipe = DBG_ANY_PIPE;
        dbg->list_line = 0;
    }
    dbg->rank = rank;
    dbg->core = core;
}

bool dbg_need_program(struct dbg *dbg, struct pto_core_info *info)
{
    dbg_focused(dbg, info);
    if (info->module)
        return true;
    if (!dbg->started)
        return dbg_error(dbg, "start it with 'start' or 'run'", "the program is not running yet");
    return dbg_error(dbg, "'info cores' lists those that have",
                     "rank %d, %s has no program in this launch", dbg->rank, info->name);
}

int dbg_find_core(const struct dbg *dbg, const char *name, size_t length)
{
    struct pto_core_info info;
    char first_sub[32];

    snprintf(first_sub, sizeof first_sub, "%.*s.0", (int)(length < 24 ? length : 24), name);
    for (unsigned i = 0; i < pto_vm_cores(dbg->launch.vm); i++) {
        pto_vm_core(dbg->launch.vm, 0, i, &info);
        if ((strlen(info.name) == length && !strncasecmp(info.name, name, length)) ||
            !strcasecmp(info.name, first_sub))
            return (int)i;
    }
    return -1;
}

bool dbg_core_matches(const char *name, const char *pattern)
{
    size_t length = strlen(pattern);

    if (strncasecmp(name, pattern, length) != 0)
        return false;
    /* "aiv1" names block 1, not 10 to 19; "aiv" names all */
    return name[length] == '\0' || name[length] == '.' ||
           (isalpha((unsigned char)pattern[length - 1]) && isdigit((unsigned char)name[length]));
}

bool dbg_place_of(const struct pto_core_info *info, struct dbg_place *place)
{
    if (!info->module || info->pc >= info->code->code.insns)
        return false;
    *place = (struct dbg_place){info->module, info->kernel, info->code, info->pc,
                                DBG_DEPTH_INNERMOST, false};
    return true;
}

bool dbg_need_place(struct dbg *dbg, struct pto_core_info *info, struct dbg_place *place)
{
    if (!dbg_need_program(dbg, info))
        return false;
    if (dbg_place_of(info, place))
        return true;
    return dbg_error(dbg, NULL, "%s has no next instruction", info->name);
}

void dbg_say_core(struct dbg *dbg, int rank, unsigned core)
{
    struct pto_core_info info;

    pto_vm_core(dbg->launch.vm, rank, core, &info);
    dbg_say(dbg, "rank %d, %s", rank, info.name);
}
