#include "dbg/change.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/region.h"

/* ---- making one ---- */

static uint8_t *open_bytes(struct dbg *dbg, const struct pto_place *place, uint64_t *size)
{
    struct pto_object_info info;
    uint32_t bytes = 0;
    uint8_t *data;

    if (place->core >= 0) {
        data = pto_vm_open_space(dbg->launch.vm, place->rank, (unsigned)place->core,
                                 (enum pto_space)place->number, &bytes);
        *size = bytes;
        return data;
    }
    if (!pto_vm_object(dbg->launch.vm, place->rank, place->number, &info))
        return NULL;
    *size = info.size;
    return pto_vm_open_object(dbg->launch.vm, place->rank, place->number);
}

static bool write_bytes(struct dbg *dbg, const struct dbg_change *c)
{
    uint64_t size = 0;
    uint8_t *data = open_bytes(dbg, &c->region->place, &size);

    for (unsigned i = 0; data && i < c->region->spans; i++)
        if (c->region->span[i].end > size)
            return false;
    if (data && c->data) {
        memcpy(data + c->region->span[0].first, c->data,
               c->region->span[0].end - c->region->span[0].first);
        return true;
    }
    for (unsigned i = 0; data && i < c->region->spans; i++)
        for (uint64_t at = c->region->span[i].first; at < c->region->span[i].end; at += c->size)
            memcpy(data + at, &c->bits, c->size);
    return data != NULL;
}

static bool move(struct dbg *dbg, const struct dbg_change *c)
{
    struct pto_core_info info;

    if (!pto_vm_set_pc(dbg->launch.vm, c->rank, c->core, c->number))
        return false;
    pto_vm_core(dbg->launch.vm, c->rank, c->core, &info);
    dbg_core_of(dbg, c->rank, c->core)->last = &info.code->code.insn[c->number];
    return true;
}

static bool apply(struct dbg *dbg, struct dbg_change *c)
{
    c->applied = true;
    switch (c->kind) {
    case DBG_CHANGE_REGISTER:
        pto_vm_set_register(dbg->launch.vm, c->rank, c->core, c->number, c->bits);
        return true;
    case DBG_CHANGE_LOCAL:
        return pto_vm_set_local(dbg->launch.vm, c->rank, c->core, c->number, c->index, c->bits);
    case DBG_CHANGE_BYTES:
        return write_bytes(dbg, c);
    default:
        return move(dbg, c);
    }
}

static void drop_one(struct dbg_change *c)
{
    free(c->text);
    free(c->data);
    if (c->region)
        region_free(c->region);
    free(c->region);
}

bool change_make(struct dbg *dbg, const struct dbg_change *what)
{
    struct dbg_change c = *what;

    c.event = dbg->events;
    if (!apply(dbg, &c)) {
        dbg_error(dbg,
                  c.kind == DBG_CHANGE_PLACE ? "'step' brings it to the next one"
                                             : "'info tiles' and 'info objects' list what there is",
                  c.kind == DBG_CHANGE_PLACE
                      ? "the scalar unit is in the middle of an instruction, or has ended"
                      : "the program has no such bytes here");
        drop_one(&c);
        return false;
    }
    c.id = ++dbg->last_change;
    PTO_GROW(dbg->change, dbg->changes, dbg->change_capacity);
    dbg->change[dbg->changes++] = c;
    return true;
}

/* ---- going back and on ---- */

/* They are in ascending order of events. */
static void plan(struct dbg *dbg)
{
    dbg->next_change = UINT64_MAX;
    for (unsigned i = dbg->changes; i-- > 0 && !dbg->change[i].applied;)
        dbg->next_change = dbg->change[i].event;
}

void change_undo(struct dbg *dbg, uint64_t events)
{
    for (unsigned i = 0; i < dbg->changes; i++)
        dbg->change[i].applied = dbg->change[i].applied && dbg->change[i].event < events;
    plan(dbg);
}

bool change_redo(struct dbg *dbg)
{
    bool any = false;

    if (dbg->events != dbg->next_change)
        return false;
    for (unsigned i = 0; i < dbg->changes; i++)
        if (!dbg->change[i].applied && dbg->change[i].event == dbg->events)
            any = apply(dbg, &dbg->change[i]);
    plan(dbg);
    return any;
}

static void drop_from(struct dbg *dbg, unsigned first)
{
    while (dbg->changes > first)
        drop_one(&dbg->change[--dbg->changes]);
    dbg->next_change = UINT64_MAX;
}

bool change_settle(struct dbg *dbg, uint64_t *event)
{
    unsigned first = 0;

    while (first < dbg->changes && dbg->change[first].applied)
        first++;
    if (first == dbg->changes)
        return false;
    *event = dbg->change[first].event;
    drop_from(dbg, first);
    return true;
}

/* ---- copies ---- */

static struct dbg_change copy_one(const struct dbg_change *from)
{
    struct dbg_change to = *from;

    to.text = pto_xstrdup(from->text);
    to.region = NULL;
    if (from->region) {
        to.region = pto_xmalloc(sizeof *to.region);
        *to.region = region_copy(from->region);
    }
    if (from->data) {
        uint64_t size = from->region->span[0].end - from->region->span[0].first;

        to.data = pto_xmalloc(size);
        memcpy(to.data, from->data, size);
    }
    return to;
}

struct dbg_change *change_copy(const struct dbg *dbg, unsigned *count)
{
    struct dbg_change *copy = pto_xcalloc(dbg->changes + 1, sizeof *copy);

    *count = dbg->changes;
    for (unsigned i = 0; i < dbg->changes; i++)
        copy[i] = copy_one(&dbg->change[i]);
    return copy;
}

void change_free_copy(struct dbg_change *change, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        drop_one(&change[i]);
    free(change);
}

/* So many are the same in both, from the first on. */
static unsigned common(const struct dbg *dbg, const struct dbg_change *change, unsigned count)
{
    unsigned i = 0;

    while (i < count && i < dbg->changes && change[i].id == dbg->change[i].id)
        i++;
    return i;
}

bool change_are_same(const struct dbg *dbg, const struct dbg_change *change, unsigned count)
{
    return count == dbg->changes && common(dbg, change, count) == count;
}

uint64_t change_replace(struct dbg *dbg, const struct dbg_change *change, unsigned count)
{
    unsigned first = common(dbg, change, count);
    uint64_t event = UINT64_MAX;

    if (first < dbg->changes)
        event = dbg->change[first].event;
    if (first < count && change[first].event < event)
        event = change[first].event;
    drop_from(dbg, first);
    for (unsigned i = first; i < count; i++) {
        PTO_GROW(dbg->change, dbg->changes, dbg->change_capacity);
        dbg->change[dbg->changes] = copy_one(&change[i]);
        dbg->change[dbg->changes++].applied = false;
    }
    plan(dbg);
    return event;
}

void change_forget(struct dbg *dbg)
{
    drop_from(dbg, 0);
    free(dbg->change);
    dbg->change = NULL;
    dbg->change_capacity = 0;
}

/* Names of tiles, registers and raw memory are those of a sub-core, names of objects of a rank. */
static void say_whose(struct dbg *dbg, const struct dbg_change *c)
{
    const bool bytes = c->kind == DBG_CHANGE_BYTES;

    if (bytes && c->region->place.core < 0) {
        dbg_say(dbg, " of rank %d", c->region->place.rank);
        return;
    }
    dbg_say(dbg, " of ");
    dbg_say_core(dbg, bytes ? c->region->place.rank : c->rank,
                 bytes ? (unsigned)c->region->place.core : c->core);
}

bool change_info(struct dbg *dbg, const char *args)
{
    if (!dbg_at_end(dbg, args))
        return false;
    for (unsigned i = 0; i < dbg->changes; i++) {
        const struct dbg_change *c = &dbg->change[i];

        dbg_say(dbg, "  event %llu: %s", (unsigned long long)c->event, c->text);
        say_whose(dbg, c);
        dbg_say(dbg, "\n");
    }
    if (dbg->changes == 0)
        dbg_say(dbg, "Nothing was changed.\n");
    return true;
}
