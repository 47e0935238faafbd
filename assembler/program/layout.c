/* Addresses for tiles: in the order of their declaration, each into the first gap that is large
 * enough and touches nothing that has an address already. */
#include "layout.h"

#include <inttypes.h>

#include "assembly.h"
#include "fit_tile.h"
#include "tile.h"

/* Does a view, which lies on its parent's bytes, or a wrong tile need no room of its own? */
static bool occupies(const struct assembly *a, uint32_t i, bool placed, enum pto_space space)
{
    const struct pto_tile *tile = &a->core->tile[i];

    return !a->tile_note[i].wrong && tile->parent == PTO_NONE && tile->space == space &&
           a->tile_note[i].placed == placed;
}

/* First address at or above `address` that is free for `bytes`. */
static uint64_t first_gap(const struct assembly *a, enum pto_space space, uint64_t bytes)
{
    uint32_t alignment = a->profile->alignment[space];
    uint64_t address = 0;
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint32_t i = 0; i < a->core->tiles; i++) {
            const struct pto_tile *other = &a->core->tile[i];
            uint64_t end = other->address + pto_tile_extent(other);

            if (occupies(a, i, true, space) && address < end && address + bytes > other->address) {
                address = (end + alignment - 1) / alignment * alignment;
                moved = true;
            }
        }
    }
    return address;
}

static void report_full(struct assembly *a, uint32_t failed)
{
    const struct pto_tile *tile = &a->core->tile[failed];
    enum pto_space space = tile->space;

    asm_error(a, a->tile_note[failed].stmt->name, "tile '%s' does not fit: %s of profile %s has %u "
              "bytes, and no gap of %" PRIu64 " is left", tile->name, pto_space_name(space),
              a->profile->name, a->profile->capacity[space], pto_tile_extent(tile));
    for (uint32_t i = 0; i < a->core->tiles; i++) {
        const struct pto_tile *other = &a->core->tile[i];

        if (occupies(a, i, true, space))
            asm_note(a, a->tile_note[i].stmt->name, "0x%06x to 0x%06" PRIx64 ": %s, %u x %" PRIu64
                     " bytes", other->address, other->address + pto_tile_extent(other),
                     other->name, other->slots, pto_tile_bytes(other));
    }
}

static void place_space(struct assembly *a, enum pto_space space)
{
    for (uint32_t i = 0; i < a->core->tiles; i++) {
        struct pto_tile *tile = &a->core->tile[i];
        uint64_t address;

        if (!occupies(a, i, false, space))
            continue;
        address = first_gap(a, space, pto_tile_extent(tile));
        if (address + pto_tile_extent(tile) > a->profile->capacity[space]) {
            report_full(a, i);
            return;
        }
        tile->address = (uint32_t)address;
        a->tile_note[i].placed = true;
    }
}

/* A view lies where its parent does, unless it says otherwise. */
static void place_view(struct assembly *a, uint32_t i)
{
    struct pto_tile *tile = &a->core->tile[i];
    struct asm_tile_note *note = &a->tile_note[i];

    if (note->wrong || tile->parent == PTO_NONE || !a->tile_note[tile->parent].placed)
        return;
    if (!note->placed)
        tile->address = a->core->tile[tile->parent].address;
    note->placed = true;
    asm_tile_place(a, note->stmt, tile);
}

void asm_layout(struct assembly *a)
{
    for (enum pto_space space = 0; space < PTO_SPACE_COUNT; space++)
        place_space(a, space);
    for (uint32_t i = 0; i < a->core->tiles; i++)
        place_view(a, i);
}
