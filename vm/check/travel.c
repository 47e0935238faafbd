#include "check/travel.h"

#include <stdlib.h>

#include "check/verdict.h"

enum { FIRST_SLOTS = 256 };

/* An access as one rank has seen it. */
struct visit {
    struct luggage luggage;
    uint32_t access; /* 0: free */
    int rank;
};

struct travels {
    struct flight *flight;
    uint32_t flights, flight_capacity, *spare_flight, spare_flights, spare_flight_capacity;
    struct visit *visit;
    uint32_t visits, visit_capacity, *spare_visit, spare_visits, spare_visit_capacity;
    uint32_t *slot, slots, used; /* hash table of visits by access, open addressing: number + 1 */
};

static void luggage_drop(struct luggage *luggage)
{
    far_drop(luggage->issued);
    history_drop(luggage->log);
    luggage->issued = NULL;
}

static void luggage_share(struct luggage *into, const struct luggage *from)
{
    into->issued = far_share(from->issued);
    history_share(into->log, from->log);
}

/* ---- on the way ---- */

uint32_t travel_new(struct pto_check *check)
{
    struct travels *all = check->travels;
    uint32_t tag;

    if (all->spare_flights) {
        tag = all->spare_flight[--all->spare_flights];
    } else {
        PTO_GROW(all->flight, all->flights, all->flight_capacity);
        tag = all->flights++;
    }
    all->flight[tag] = (struct flight){.busy = true};
    return tag;
}

struct flight *travel_flight(struct pto_check *check, uint32_t tag)
{
    return &check->travels->flight[tag];
}

static void drop_flight(struct flight *flight)
{
    frame_drop(&flight->frame);
    luggage_drop(&flight->luggage);
    check_release_drop(flight->release);
    flight->busy = false;
}

void travel_end(struct pto_check *check, uint32_t tag)
{
    struct travels *all = check->travels;

    drop_flight(&all->flight[tag]);
    PTO_GROW(all->spare_flight, all->spare_flights, all->spare_flight_capacity);
    all->spare_flight[all->spare_flights++] = tag;
}

/* The last thing that its owner packs. */
static void pack_luggage(struct flight *flight, const struct check_core *core)
{
    flight->luggage.issued = far_share(check_far_at(core, flight->access.serial));
    history_share(flight->luggage.log, core->log[flight->access.lane]);
}

uint32_t travel_entry(struct pto_check *check, const struct check_core *core,
                      const struct record *record)
{
    uint32_t tag = travel_new(check);
    struct flight *flight = travel_flight(check, tag);

    flight->frame = frame_copy(&record->frame);
    flight->access = check->access[record->access];
    flight->access.origin = flight->access.heir = 0;
    pack_luggage(flight, core);
    return tag;
}

uint32_t travel_notify(struct pto_check *check, const struct check_core *core,
                       struct release *release, uint32_t serial)
{
    uint32_t tag = travel_new(check);
    struct flight *flight = travel_flight(check, tag);

    flight->release = release;
    flight->access = (struct access){
        .core = release->core,
        .epoch = release->epoch,
        .pc = release->pc,
        .serial = serial,
        .told = release->epoch,
        .lane = PTO_PIPE_S,
        .code = release->code,
        .time = release->time,
    };
    pack_luggage(flight, core);
    return tag;
}

/* ---- visitors ---- */

static bool is_visit_of(const struct pto_check *check, const struct visit *visit, int rank,
                        const struct access *wanted)
{
    const struct access *access = &check->access[visit->access];

    return visit->rank == rank && access->core == wanted->core && access->lane == wanted->lane &&
           access->epoch == wanted->epoch;
}

/* The slot of an access on a rank, or the free one where it would go. */
static uint32_t *find_slot(const struct pto_check *check, int rank, const struct access *wanted)
{
    const struct travels *all = check->travels;
    uint64_t at = ((uint64_t)wanted->core << 32 | wanted->epoch) * 0x9e3779b97f4a7c15u >> 24;

    for (at += (uint64_t)rank * 31 + wanted->lane;; at++) {
        uint32_t *slot = &all->slot[at & (all->slots - 1)];

        if (!*slot || is_visit_of(check, &all->visit[*slot - 1], rank, wanted))
            return slot;
    }
}

/* Fill the table again, with twice the room that the visits need. */
static void fill_slots(struct pto_check *check)
{
    struct travels *all = check->travels;
    uint32_t left = all->visits - all->spare_visits;

    free(all->slot);
    all->slots = FIRST_SLOTS;
    while (all->slots < 4 * left)
        all->slots *= 2;
    all->slot = pto_xcalloc(all->slots, sizeof *all->slot);
    all->used = left;
    for (uint32_t i = 0; i < all->visits; i++)
        if (all->visit[i].access)
            *find_slot(check, all->visit[i].rank, &check->access[all->visit[i].access]) = i + 1;
}

static uint32_t new_visit(struct travels *all)
{
    if (all->spare_visits)
        return all->spare_visit[--all->spare_visits];
    PTO_GROW(all->visit, all->visits, all->visit_capacity);
    return all->visits++;
}

static uint32_t welcome(struct pto_check *check, int rank, const struct flight *flight)
{
    uint32_t access = race_access(check); /* a sweep fills the table, too */
    struct travels *all = check->travels;
    uint32_t number = new_visit(all);
    struct visit *visit = &all->visit[number];

    *visit = (struct visit){.rank = rank, .access = access};
    luggage_share(&visit->luggage, &flight->luggage);
    check->access[access] = flight->access;
    check->access[access].visit = number + 1;
    if (2 * ++all->used > all->slots)
        fill_slots(check);
    else
        *find_slot(check, rank, &flight->access) = number + 1;
    return access;
}

uint32_t travel_arrive(struct pto_check *check, const struct rank *rank,
                       const struct flight *flight)
{
    uint32_t visit = *find_slot(check, rank->number, &flight->access);
    uint32_t access = visit ? check->travels->visit[visit - 1].access
                            : welcome(check, rank->number, flight);

    if (!flight->release)
        check->access[access].time = rank->now;
    return access;
}

struct far *travel_far_at(const struct pto_check *check, const struct access *access)
{
    return access->visit ? check->travels->visit[access->visit - 1].luggage.issued
                         : check_far_at(&check->core[access->core], access->serial);
}

const struct logged *travel_logged(const struct pto_check *check, const struct access *access,
                                   uint32_t epoch)
{
    const struct check_core *core = &check->core[access->core];

    if (!epoch)
        return NULL;
    if (access->visit)
        return access->epoch - epoch < LOG_SEEN
                   ? history_at(check->travels->visit[access->visit - 1].luggage.log, epoch) : NULL;
    return core->count[access->lane] - epoch < LOG_ENTRIES
               ? history_at(core->log[access->lane], epoch) : NULL;
}

/* ---- beginning, sweeping and end ---- */

void travel_forget(struct pto_check *check, struct access *access)
{
    struct travels *all = check->travels;
    struct visit *visit = access->visit ? &all->visit[access->visit - 1] : NULL;

    if (!visit)
        return;
    luggage_drop(&visit->luggage);
    visit->access = 0;
    PTO_GROW(all->spare_visit, all->spare_visits, all->spare_visit_capacity);
    all->spare_visit[all->spare_visits++] = access->visit - 1;
    access->visit = 0;
}

void travel_swept(struct pto_check *check)
{
    fill_slots(check);
}

void travels_create(struct pto_check *check)
{
    check->travels = pto_xcalloc(1, sizeof *check->travels);
    fill_slots(check);
}

void travels_free(struct pto_check *check)
{
    struct travels *all = check->travels;

    for (uint32_t i = 0; i < all->flights; i++)
        if (all->flight[i].busy)
            drop_flight(&all->flight[i]);
    for (uint32_t i = 0; i < all->visits; i++)
        luggage_drop(&all->visit[i].luggage);
    free(all->flight);
    free(all->spare_flight);
    free(all->visit);
    free(all->spare_visit);
    free(all->slot);
    free(all);
}
