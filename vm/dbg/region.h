/* Bytes of the machine that a user names: a tile, a window of an object, raw memory. */
#ifndef PTO_DBG_REGION_H
#define PTO_DBG_REGION_H

#include "dbg/state.h"
#include "look/touch.h"

struct dbg_region {
    struct pto_place place;
    struct dbg_span { /* bytes [first, end), in ascending order */
        uint64_t first, end;
    } *span;
    unsigned spans, capacity;
    uint64_t before; /* of what something is made from: written by events below this number */
    uint8_t dtype; /* of what it names: of u8 for raw memory and stretches */
};

/* ta[1](3, 7), a@2[0, 16]{4, 8} or ub+0x40,16; an element where only its indices are given, the
 * whole tile slot or object where nothing is.  False: answered. */
bool region_read(struct dbg *dbg, const char *text, struct dbg_region *region);
struct dbg_region region_copy(const struct dbg_region *region);
/* The bytes of a stretch. */
struct dbg_region region_of_stretch(const struct pto_stretch *bytes);
/* The first byte that both have; false: none. */
bool region_overlaps(const struct dbg_region *region, const struct pto_stretch *bytes,
                     uint64_t *at);
/* Its first element as a user would name it, and its size: "a@2[0, 16], 4 bytes". */
void region_say(struct dbg *dbg, const struct dbg_region *region);
void region_free(struct dbg_region *region);

#endif
