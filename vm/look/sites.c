#include "sites.h"

#include <stdlib.h>

#include "arena.h"
#include "place.h"

void sites_begin(struct sites *sites)
{
    *sites = (struct sites){0};
    PTO_GROW(sites->place, sites->count, sites->capacity);
    sites->place[sites->count++] = (struct pto_critical_place){0};
}

void sites_free(struct sites *sites)
{
    free(sites->place);
    free(sites->slot);
}

/* The line that an instruction stands in; 0: nobody knows. */
static uint64_t line_of(const struct pto_critical_place *place)
{
    const struct pto_pos *pos = pto_place(place->module, place->insn->pos);

    return pos ? (uint64_t)pos->file << 32 | pos->line : 0;
}

static bool same(const struct pto_critical_place *a, const struct pto_critical_place *b)
{
    if (a->insn == b->insn)
        return true;
    return a->module == b->module && a->insn->op == b->insn->op && line_of(a) &&
           line_of(a) == line_of(b);
}

static uint32_t *find(const struct sites *sites, const struct pto_critical_place *place)
{
    uint64_t line = line_of(place), hash;

    hash = line ? line * 64 + place->insn->op : (uintptr_t)place->insn;
    hash = (hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    while (sites->slot[hash & (sites->slots - 1)] &&
           !same(&sites->place[sites->slot[hash & (sites->slots - 1)]], place))
        hash++;
    return &sites->slot[hash & (sites->slots - 1)];
}

static void enlarge(struct sites *sites)
{
    free(sites->slot);
    sites->slots = sites->slots ? 2 * sites->slots : 256;
    sites->slot = pto_xcalloc(sites->slots, sizeof *sites->slot);
    for (uint32_t i = 1; i < sites->count; i++)
        *find(sites, &sites->place[i]) = i;
}

uint32_t sites_number(struct sites *sites, const struct pto_module *module,
                      const struct pto_insn *insn)
{
    const struct pto_critical_place place = {module, insn};
    uint32_t *slot;

    if (2 * sites->count >= sites->slots)
        enlarge(sites);
    slot = find(sites, &place);
    if (!*slot) {
        PTO_GROW(sites->place, sites->count, sites->capacity);
        sites->place[sites->count] = place;
        *slot = sites->count++;
    }
    return *slot;
}
