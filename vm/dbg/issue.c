#include "dbg/issue.h"

#include <stdlib.h>
#include <string.h>

/* As many as any queue can hold. */
static uint64_t slots(const struct dbg *dbg)
{
    const struct pto_profile *profile = &dbg->launch.profile;

    return profile->queue_depth > profile->async_limit ? profile->queue_depth
                                                       : profile->async_limit;
}

static struct dbg_issue *registers_now(const struct dbg *dbg, int rank, unsigned core)
{
    unsigned count;
    const uint64_t *value = pto_vm_registers(dbg->launch.vm, rank, core, &count);
    struct dbg_issue *issue;

    if (!value)
        return NULL;
    issue = pto_xmalloc(sizeof *issue + count * sizeof *value);
    issue->refs = 1;
    issue->entry = 0;
    memcpy(issue->value, value, count * sizeof *value);
    return issue;
}

void issue_note(struct dbg *dbg, const struct pto_event *event)
{
    struct dbg_core *core = dbg_core_of(dbg, event->rank, event->core);
    struct dbg_issue ***ring = &core->issue[event->pipe], **slot;

    if (!*ring)
        *ring = pto_xcalloc(slots(dbg), sizeof **ring);
    slot = &(*ring)[event->entry % slots(dbg)];
    issue_drop(*slot);
    *slot = registers_now(dbg, event->rank, event->core);
    (*slot)->entry = event->entry;
}

struct dbg_issue *issue_of_entry(struct dbg *dbg, int rank, unsigned core, unsigned queue,
                                       uint64_t number)
{
    struct dbg_issue **ring = dbg_core_of(dbg, rank, core)->issue[queue], *issue;

    if (!ring || number == 0)
        return NULL;
    issue = ring[number % slots(dbg)];
    return issue && issue->entry == number ? issue : NULL;
}

/* ---- what is on its way to another rank ---- */

/* What a message left with.  The latest ones are kept. */
struct dbg_departure {
    uint64_t mark;
    int rank;
    unsigned core;
    uint8_t queue;
    struct dbg_issue *issue;
};
enum { DEPARTURES = 4096 };

/* Several leave in one step of the machine. */
static struct dbg_departure *departure_at(const struct dbg *dbg, uint64_t mark,
                                          const struct pto_touch *touch)
{
    uint64_t at = mark + 31 * ((uint64_t)touch->rank + 17 * (uint64_t)touch->core) + touch->queue;

    return &dbg->departure[at % DEPARTURES];
}

void issue_departs(struct dbg *dbg, uint64_t mark, const struct pto_touch *sender)
{
    struct dbg_departure *slot;

    if (!dbg->departure)
        dbg->departure = pto_xcalloc(DEPARTURES, sizeof *dbg->departure);
    slot = departure_at(dbg, mark, sender);
    issue_drop(slot->issue);
    *slot = (struct dbg_departure){mark, sender->rank, sender->core, sender->queue, NULL};
    slot->issue = sender->entry == 0
                      ? registers_now(dbg, sender->rank, sender->core)
                      : issue_share(issue_of_entry(dbg, sender->rank, sender->core, sender->queue,
                                                   sender->entry));
}

void issue_forget_departures(struct dbg *dbg)
{
    for (unsigned i = 0; i < DEPARTURES && dbg->departure; i++)
        issue_drop(dbg->departure[i].issue);
    free(dbg->departure);
    dbg->departure = NULL;
}

static struct dbg_issue *issue_of_arrival(const struct dbg *dbg)
{
    const struct pto_touch *touch = dbg->arrival;
    const struct dbg_departure *slot =
        dbg->departure ? departure_at(dbg, touch->mark, touch) : NULL;

    return slot && slot->mark == touch->mark && slot->rank == touch->rank &&
                   slot->core == touch->core && slot->queue == touch->queue
               ? issue_share(slot->issue) : NULL;
}

struct dbg_issue *issue_of_event(struct dbg *dbg, const struct pto_event *event)
{
    if (!event->module || !event->insn || event->kind == PTO_EV_SCALAR)
        return NULL;
    if (dbg->arrival)
        return issue_of_arrival(dbg);
    if (event->entry == 0)
        return registers_now(dbg, event->rank, event->core);
    return issue_share(issue_of_entry(dbg, event->rank, event->core, event->pipe, event->entry));
}

struct dbg_issue *issue_share(struct dbg_issue *issue)
{
    if (issue)
        issue->refs++;
    return issue;
}

void issue_drop(struct dbg_issue *issue)
{
    if (issue && --issue->refs == 0)
        free(issue);
}

struct dbg_issue **issue_copy_ring(const struct dbg *dbg, struct dbg_issue *const *ring,
                                   uint64_t *bytes)
{
    size_t size = slots(dbg) * sizeof *ring;
    struct dbg_issue **copy;

    if (!ring)
        return NULL;
    copy = pto_xmalloc(size);
    memcpy(copy, ring, size);
    for (uint64_t i = 0; i < slots(dbg); i++)
        issue_share(copy[i]);
    *bytes += size;
    return copy;
}

void issue_forget(const struct dbg *dbg, struct dbg_core *core)
{
    for (unsigned queue = 0; queue < PTO_QUEUE_COUNT; queue++) {
        for (uint64_t i = 0; core->issue[queue] && i < slots(dbg); i++)
            issue_drop(core->issue[queue][i]);
        free(core->issue[queue]);
        core->issue[queue] = NULL;
    }
}
