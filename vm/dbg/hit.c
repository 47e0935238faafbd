#include "dbg/hit.h"

#include "arena.h"
#include "dbg/issue.h"

bool hit_is_same(const struct pto_event *a, const struct pto_event *b)
{
    return a->kind == b->kind && a->rank == b->rank && a->core == b->core && a->pipe == b->pipe &&
           a->entry == b->entry && a->insn == b->insn && a->message == b->message &&
           a->flag_id == b->flag_id && a->value == b->value;
}

void hit_note(struct dbg *dbg, const struct dbg_break *b, const struct pto_event *event)
{
    enum { MOST = 8 }; /* all sub-cores may begin in one step: more would bury the place */
    unsigned caught = 0;

    for (unsigned i = 0; i < dbg->hits; i++) {
        if (dbg->hit[i].number != b->number)
            continue;
        if (b->kind == DBG_AT_TOUCH || event->kind == DBG_EV_FINDING ||
            hit_is_same(&dbg->hit[i].event, event))
            return;
        if (++caught == MOST) {
            dbg->hit[i].more++;
            return;
        }
    }
    PTO_GROW(dbg->hit, dbg->hits, dbg->hit_capacity);
    dbg->hit[dbg->hits++] =
        (struct dbg_hit){b->number, 0, *event, issue_of_event(dbg, event)};
}

bool hit_is_first(const struct dbg *dbg, unsigned hit)
{
    for (unsigned i = 0; i < hit; i++)
        if (dbg->hit[i].number == dbg->hit[hit].number)
            return false;
    return true;
}

void hit_forget(struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->hits; i++)
        issue_drop(dbg->hit[i].issue);
    dbg->hits = 0;
}
