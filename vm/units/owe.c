#include "owe.h"

#include <string.h>

enum { FLAGS = PTO_PIPE_COUNT * PTO_PIPE_COUNT * EVENT_IDS, OWED = FLAGS + CROSS_PLACES };

static unsigned flag_index(unsigned src, unsigned dst, unsigned id)
{
    return (src * PTO_PIPE_COUNT + dst) * EVENT_IDS + id;
}

static void owe(struct core *core, unsigned index)
{
    if (!core->owed)
        core->owed = pto_arena_array(&core->rank->arena, OWED, sizeof *core->owed);
    core->owed[index]++;
}

static bool settle(struct core *core, unsigned index)
{
    if (!core->owed || !core->owed[index])
        return false;
    core->owed[index]--;
    return true;
}

void owe_flag(struct core *core, unsigned src, unsigned dst, unsigned id)
{
    owe(core, flag_index(src, dst, id));
}

void owe_cross(struct core *core, unsigned id)
{
    owe(core, FLAGS + id);
}

bool owe_settle_flag(struct core *core, unsigned src, unsigned dst, unsigned id)
{
    return settle(core, flag_index(src, dst, id));
}

bool owe_settle_cross(struct core *core, unsigned id)
{
    return settle(core, FLAGS + id);
}

void owe_reset(struct core *core)
{
    if (core->owed)
        memset(core->owed, 0, OWED * sizeof *core->owed);
}
