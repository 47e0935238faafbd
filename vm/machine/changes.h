/* Wires and ranks that are not what the profile says, or not all the time: links that are down or
 * slow, ranks that are slow.
 *
 * All of it is known before the run and is asked for by time, so that nothing of it changes hands
 * while the machine runs: windows, threads, processes, snapshots and runs that go on later need
 * not know of it (docs/decisions/0056-changes-are-asked-for-by-time.md).  changes_make.c makes them
 * of what was asked for. */
#ifndef PTO_MACHINE_CHANGES_H
#define PTO_MACHINE_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "vm.h"

/* A rank has the first alone. */
enum pace { PACE_WORK, PACE_LATENCY, PACES };

/* What a wire or a rank is like for a while. */
struct spell {
    uint32_t of;   /* wire, or rank */
    uint32_t milli[PACES]; /* thousandths of the time that its like takes */
    uint64_t from; /* to the next spell of the same */
    uint64_t since; /* it is down: since then; else never */
};

/* By (of, from), the first of each from 0 on. */
struct spells {
    struct spell *spell;
    uint32_t count;
};

/* What was asked for, in the order in which it was given: the later of two is right. */
struct change {
    uint8_t kind; /* enum pto_change_kind */
    uint8_t uses; /* how many of these */
    uint32_t of[2]; /* wires, or a rank */
    uint32_t milli[PACES];
    struct pto_span when; /* to: ENGINE_NEVER is for good */
    const char *name;     /* "2-3" */
};

struct changes {
    struct spells wire, rank;
    bool downs; /* some wire is down at some time */
    struct change *change;
    unsigned count, capacity;
};

const struct spell *spell_find(const struct spells *spells, uint32_t of, uint64_t time);

/* The one at that time; NULL: it is always what the profile says. */
static inline const struct spell *spell_at(const struct spells *spells, uint32_t of, uint64_t time)
{
    return spells->count ? spell_find(spells, of, time) : NULL;
}

/* When it ends, exclusive. */
uint64_t spell_end(const struct spells *spells, const struct spell *spell);

#endif
