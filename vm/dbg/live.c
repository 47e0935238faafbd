#include "dbg/live.h"

#include "dbg/why.h"
#include "look/wait.h"

/* The pipe that waits for a token; false: none does. */
static bool find_waiter(const struct dbg *dbg, unsigned src, unsigned dst, unsigned id,
                        unsigned *queue)
{
    for (*queue = 0; *queue < PTO_QUEUE_COUNT; ++*queue) {
        struct pto_wait wait = pto_vm_wait(dbg->launch.vm, dbg->rank, dbg->core, *queue);

        if (wait.kind == PTO_WAIT_FLAG && wait.src == src && wait.dst == dst && wait.id == id)
            return true;
    }
    return false;
}

static void say_since(struct dbg *dbg, uint64_t since_ps)
{
    uint64_t now = pto_vm_time(dbg->launch.vm);

    dbg_say(dbg, " since %s", dbg_time(since_ps).text);
    if (now > since_ps)
        dbg_say(dbg, " (%s)", dbg_time(now - since_ps).text);
}

/* One event id of a pair of pipes; false: nothing is pending there. */
static bool say_event(struct dbg *dbg, unsigned src, unsigned dst, unsigned id)
{
    unsigned tokens = pto_vm_flag(dbg->launch.vm, dbg->rank, dbg->core, src, dst, id);
    struct dbg_core *core = dbg_core_of(dbg, dbg->rank, dbg->core);
    const struct dbg_setter *setter = dbg_setter(core, src, dst, id);
    unsigned queue;
    bool waited = find_waiter(dbg, src, dst, id, &queue);

    if (tokens == 0 && !waited)
        return false;
    dbg_say(dbg, "%s->%s %u: ", pto_queue_name(src), pto_queue_name(dst), id);
    if (tokens == 0)
        dbg_say(dbg, "no token");
    else
        dbg_say(dbg, "%u token%s", tokens, tokens == 1 ? "" : "s");
    if (tokens > 0 && setter && setter->insn) {
        say_since(dbg, setter->time_ps);
        why_say_setter(dbg, src, dst, id);
    }
    if (waited) {
        dbg_say(dbg, "; %s waits", pto_queue_name(queue));
        say_since(dbg, core->wait_ps[queue]);
    }
    dbg_say(dbg, "\n");
    return true;
}

bool live_info(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;
    unsigned any = 0;

    if (!dbg_at_end(dbg, args) || !dbg_need_program(dbg, &info))
        return false;
    for (unsigned src = 0; src < PTO_PIPE_COUNT; src++)
        for (unsigned dst = 0; dst < PTO_PIPE_COUNT; dst++)
            for (unsigned id = 0; id < dbg->launch.profile.events; id++)
                any += say_event(dbg, src, dst, id);
    if (any == 0)
        dbg_say(dbg, "No event is pending at rank %d, %s, and no pipe waits for one.\n", dbg->rank,
                info.name);
    return true;
}
