/* Contests: who came first on a word that several sub-cores notify, test or fetch, or on bytes that
 * they add to atomically, where the program orders the two in no way. */
#include <stdlib.h>

#include "check/verdict.h"

enum {
    FIRST_PLACES = 64,
    MOST_ACTS = 32,          /* acts that are kept of a place: those before are too far away */
    MOST_POLLS = 4,          /* looks in a row of which it makes a difference how many came */
    MOST_CONTESTS = 1 << 14
};

struct contest_place {
    bool used;
    int rank;
    uint32_t object, count;
    uint64_t offset;
    uint64_t order, alike; /* hashes: of all acts in their order; of the last, which commute */
    struct contest_act act[MOST_ACTS]; /* the latest, in a ring */
    uint32_t polls, furthest; /* looks in a row by the latest, and the last instruction of them */
};

struct contests {
    struct contest_place *place; /* hash table, open addressing */
    uint32_t places, slots;
    struct pto_contest *found;
    unsigned founds, found_capacity;
};

void pto_check_watch_contests(struct pto_check *check)
{
    check->contests = pto_xcalloc(1, sizeof *check->contests);
}

void contests_free(struct pto_check *check)
{
    if (!check->contests)
        return;
    free(check->contests->place);
    free(check->contests->found);
    free(check->contests);
}

/* ---- places ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 29;
}

static struct contest_place *find_place(struct contest_place *table, uint32_t slots, int rank,
                                        uint32_t object, uint64_t offset)
{
    uint64_t at = mix(mix(mix(1, (uint64_t)rank), object), offset);

    for (;; at++) {
        struct contest_place *place = &table[at & (slots - 1)];

        if (!place->used || (place->rank == rank && place->object == object &&
                             place->offset == offset))
            return place;
    }
}

static void grow(struct contests *contests)
{
    uint32_t slots = contests->slots ? 2 * contests->slots : FIRST_PLACES;
    struct contest_place *table = pto_xcalloc(slots, sizeof *table);

    for (uint32_t i = 0; i < contests->slots; i++) {
        const struct contest_place *old = &contests->place[i];

        if (old->used)
            *find_place(table, slots, old->rank, old->object, old->offset) = *old;
    }
    free(contests->place);
    contests->place = table;
    contests->slots = slots;
}

static struct contest_place *get_place(struct contests *contests, int rank, uint32_t object,
                                       uint64_t offset)
{
    struct contest_place *place;

    if (2 * contests->places >= contests->slots)
        grow(contests);
    place = find_place(contests->place, contests->slots, rank, object, offset);
    if (!place->used) {
        place->used = true;
        place->rank = rank;
        place->object = object;
        place->offset = offset;
        contests->places++;
    }
    return place;
}

/* ---- who contests with whom ---- */

static bool looks(enum contest_kind kind)
{
    return kind == CONTEST_TEST || kind == CONTEST_WAIT;
}

/* Does it matter which of two acts comes first?  `looked`: somebody looked in between.  A wait that
 * came second waits anyway; additions commute for those who see neither or both. */
static bool matters(enum contest_kind first, enum contest_kind second, bool looked)
{
    if (looks(first) && looks(second))
        return false;
    if (first >= CONTEST_JOIN && second >= CONTEST_JOIN)
        return first != second;
    if (second == CONTEST_WAIT)
        return false;
    if (first == CONTEST_ADD && second == CONTEST_ADD)
        return looked;
    return true;
}

static struct pto_contest_act describe(const struct pto_check *check,
                                       const struct contest_act *act)
{
    return (struct pto_contest_act){
        .rank = (int)(act->core / check->per_rank),
        .core = act->core % check->per_rank,
        .act = act->act,
        .time_ps = act->time,
        .module = act->code->module,
        .pos = (int32_t)act->code->code->insn[act->pc].pos,
    };
}

static void add(const struct pto_check *check, const struct contest_act *first,
                const struct contest_act *second)
{
    struct contests *contests = check->contests;

    if (contests->founds == MOST_CONTESTS)
        return;
    PTO_GROW(contests->found, contests->founds, contests->found_capacity);
    contests->found[contests->founds++] =
        (struct pto_contest){describe(check, first), describe(check, second)};
}

/* From the latest act back to those that this one knows of. */
static void compare(const struct pto_check *check, const struct contest_place *place,
                    const struct contest_act *act, const struct frame *frame)
{
    bool looked = false;

    for (uint32_t i = 0; i < place->count && i < MOST_ACTS; i++) {
        const struct contest_act *first = &place->act[(place->count - 1 - i) % MOST_ACTS];

        if (first->core != act->core && matters(first->kind, act->kind, looked) &&
            !race_knows(frame, act->core, first->core, PTO_PIPE_S, first->epoch))
            add(check, first, act);
        looked = looked || looks(first->kind);
    }
}

/* Joins by one mode commute. */
static void note_order(struct contest_place *place, const struct contest_act *last,
                       const struct contest_act *act)
{
    if (last && !(act->kind >= CONTEST_JOIN && act->kind == last->kind)) {
        place->order = mix(place->order, place->alike);
        place->alike = 0;
    }
    place->alike += mix(mix(11, act->core), (uint64_t)act->kind + 1);
}

/* It looks once more.  A look further down in the text makes another order of events; of those in
 * the turns of a loop, which as a rule waits, only the first few do. */
static void note_poll(struct contest_place *place, const struct contest_act *act)
{
    if (act->pc > place->furthest) {
        place->furthest = act->pc;
        place->alike += mix(mix(17, act->core), act->pc);
    } else if (place->polls < MOST_POLLS) {
        place->polls++;
        place->alike += mix(mix(19, act->core), place->polls);
    }
}

void contest_note(struct pto_check *check, int rank, uint32_t object, uint64_t offset,
                  const struct contest_act *act, const struct frame *frame)
{
    struct contest_place *place;
    const struct contest_act *last;

    if (!check->contests || act->act == UINT32_MAX)
        return;
    place = get_place(check->contests, rank, object, offset);
    compare(check, place, act, frame);
    last = place->count ? &place->act[(place->count - 1) % MOST_ACTS] : NULL;
    if (last && last->core == act->core && last->kind == act->kind && looks(act->kind)) {
        note_poll(place, act);
        place->act[(place->count - 1) % MOST_ACTS] = *act;
        return;
    }
    note_order(place, last, act);
    place->polls = 1;
    place->furthest = act->pc;
    place->act[place->count++ % MOST_ACTS] = *act;
}

/* ---- for the outside ---- */

unsigned pto_check_contests(const struct pto_check *check, const struct pto_contest **contests)
{
    *contests = check->contests->found;
    return check->contests->founds;
}

uint64_t pto_check_order(const struct pto_check *check)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < check->contests->slots; i++) {
        const struct contest_place *place = &check->contests->place[i];

        if (place->used)
            all += mix(mix(mix(mix(place->order, (uint64_t)place->rank), place->object),
                           place->offset), place->alike);
    }
    return all;
}
