#include "delay.h"

#include <stdlib.h>

#include "wake.h"

static int compare(const void *one, const void *two)
{
    const struct pto_delay *a = one, *b = two;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    return a->act < b->act ? -1 : a->act > b->act;
}

static const struct pto_delay *find(const struct core *core)
{
    const struct pto_vm_options *options = &core->rank->vm->options;
    const struct pto_delay wanted = {core->rank->number, core->number, core->acts, 0};

    if (!options->delays)
        return NULL;
    return bsearch(&wanted, options->delay, options->delays, sizeof wanted, compare);
}

void delay_begin(struct core *core)
{
    const struct pto_delay *delay = find(core);

    if (delay)
        core->time += delay->ps;
    core->acts++;
    wake_scalar(core, core->time);
}

bool delay_act(struct core *core)
{
    const struct pto_delay *delay = core->held ? NULL : find(core);

    if (delay) {
        core->held = true;
        core->time += delay->ps;
        wake_scalar(core, core->time);
        return true;
    }
    core->held = false;
    core->acts++;
    return false;
}
