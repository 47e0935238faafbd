/* Addresses for tiles: in the order of their declaration, each into the first gap that is large
 * enough and touches nothing that has an address already. */
#include "layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* What is taken of a memory, by address; pieces that touch are one. */
struct taken {
    struct piece {
        uint64_t begin, end;
    } *piece;
    uint32_t pieces, capacity;
};

static int by_address(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void find_taken(const struct assembly *a, enum pto_space space, struct taken *taken)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < a->core->tiles; i++) {
        const struct pto_tile *tile = &a->core->tile[i];

        if (!occupies(a, i, true, space))
            continue;
        PTO_GROW(taken->piece, taken->pieces, taken->capacity);
        taken->piece[taken->pieces++] =
            (struct piece){tile->address, tile->address + pto_tile_extent(tile)};
    }
    if (taken->pieces == 0)
        return;
    qsort(taken->piece, taken->pieces, sizeof *taken->piece, by_address);
    for (uint32_t i = 1; i < taken->pieces; i++) {
        struct piece *last = &taken->piece[kept], *next = &taken->piece[i];

        if (next->begin > last->end)
            taken->piece[++kept] = *next;
        else if (next->end > last->end)
            last->end = next->end;
    }
    taken->pieces = kept + 1;
}

/* The first address that is free for `bytes`; *before: pieces that lie below it. */
static uint64_t first_gap(const struct taken *taken, uint32_t alignment, uint64_t bytes,
                          uint32_t *before)
{
    uint64_t address = 0;
    uint32_t i = 0;

    for (; i < taken->pieces && taken->piece[i].begin < address + bytes; i++)
        address = (taken->piece[i].end + alignment - 1) / alignment * alignment;
    *before = i;
    return address;
}

/* Take a gap with `before` pieces below it. */
static void take(struct taken *taken, uint32_t before, uint64_t address, uint64_t bytes)
{
    struct piece *below = before > 0 ? &taken->piece[before - 1] : NULL;

    if (below && below->end == address) {
        below->end = address + bytes;
        return;
    }
    PTO_GROW(taken->piece, taken->pieces, taken->capacity);
    memmove(taken->piece + before + 1, taken->piece + before,
            (taken->pieces - before) * sizeof *taken->piece);
    taken->piece[before] = (struct piece){address, address + bytes};
    taken->pieces++;
}

static void report_full(struct assembly *a, uint32_t failed)
{
    enum { MOST_SHOWN = 40 };
    const struct pto_tile *tile = &a->core->tile[failed];
    enum pto_space space = tile->space;
    uint32_t placed = 0;

    asm_error(a, a->tile_note[failed].stmt->name, "tile '%s' does not fit: %s of profile %s has %u "
              "bytes, and no gap of %" PRIu64 " is left", tile->name, pto_space_name(space),
              a->profile->name, a->profile->capacity[space], pto_tile_extent(tile));
    for (uint32_t i = 0; i < a->core->tiles; i++) {
        const struct pto_tile *other = &a->core->tile[i];

        if (!occupies(a, i, true, space) || ++placed > MOST_SHOWN)
            continue;
        asm_note(a, a->tile_note[i].stmt->name, "0x%06x to 0x%06" PRIx64 ": %s, %u x %" PRIu64
                 " bytes", other->address, other->address + pto_tile_extent(other),
                 other->name, other->slots, pto_tile_bytes(other));
    }
    if (placed > MOST_SHOWN)
        asm_note(a, a->tile_note[failed].stmt->name, "%u of %u tiles in %s are not shown",
                 placed - MOST_SHOWN, placed, pto_space_name(space));
}

static void place_space(struct assembly *a, enum pto_space space)
{
    struct taken taken = {0};

    find_taken(a, space, &taken);
    for (uint32_t i = 0; i < a->core->tiles; i++) {
        struct pto_tile *tile = &a->core->tile[i];
        uint64_t address;
        uint32_t before;

        if (!occupies(a, i, false, space))
            continue;
        address = first_gap(&taken, a->profile->alignment[space], pto_tile_extent(tile), &before);
        if (address + pto_tile_extent(tile) > a->profile->capacity[space]) {
            report_full(a, i);
            break;
        }
        take(&taken, before, address, pto_tile_extent(tile));
        tile->address = (uint32_t)address;
        a->tile_note[i].placed = true;
    }
    free(taken.piece);
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
