#include "dbg/map.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 64 };

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* Slots of tiles in one memory, in the order of their bytes. */
struct map {
    struct slot {
        const struct pto_tile *tile;
        unsigned slot;
        uint64_t first, end; /* bytes */
        char letter;         /* ' ': a view, whose bytes are another tile's */
    } *item;
    unsigned count, capacity;
    uint64_t size, used; /* bytes of the memory, of those that tiles hold */
};

static int by_place(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->tile != y->tile) /* a view is declared behind what it is one of */
        return x->tile < y->tile ? -1 : 1;
    return 0;
}

static void collect(struct map *map, const struct pto_core_code *code, unsigned space)
{
    uint64_t end = 0;
    unsigned letters = 0;

    for (uint32_t i = 0; i < code->tiles; i++)
        for (unsigned s = 0; s < code->tile[i].slots && code->tile[i].space == space; s++) {
            const struct pto_tile *tile = &code->tile[i];
            uint64_t first = tile->address + (uint64_t)s * tile->slot_stride;

            PTO_GROW(map->item, map->count, map->capacity);
            map->item[map->count++] =
                (struct slot){tile, s, first, first + pto_tile_bytes(tile), ' '};
        }
    if (map->count > 0)
        qsort(map->item, map->count, sizeof *map->item, by_place);
    for (unsigned i = 0; i < map->count; i++) {
        struct slot *at = &map->item[i];

        if (at->tile->parent != PTO_NONE)
            continue;
        at->letter = LETTERS[letters++ % (sizeof LETTERS - 1)];
        if (at->end > end)
            map->used += at->end - (at->first > end ? at->first : end);
        end = at->end > end ? at->end : end;
    }
}

/* One line for the whole memory: whose bytes are in each column. */
static void say_strip(struct dbg *dbg, const struct map *map)
{
    uint64_t column = (map->size + COLUMNS - 1) / COLUMNS;
    char strip[COLUMNS + 1];

    memset(strip, '.', COLUMNS);
    strip[COLUMNS] = '\0';
    for (unsigned i = 0; i < map->count; i++) {
        const struct slot *at = &map->item[i];

        for (uint64_t c = at->first / column; c * column < at->end && c < COLUMNS; c++)
            if (at->letter != ' ')
                strip[c] = strip[c] == '.' ? at->letter : '*';
    }
    dbg_say(dbg, "  |%s|  %llu bytes a column\n", strip, (unsigned long long)column);
}

static void say_range(struct dbg *dbg, char letter, uint64_t first, uint64_t end)
{
    dbg_say(dbg, "  %c 0x%-6llx to 0x%-6llx %7llu bytes  ", letter, (unsigned long long)first,
            (unsigned long long)(end - 1), (unsigned long long)(end - first));
}

static void say_slot(struct dbg *dbg, const struct pto_core_code *code, const struct slot *at,
                     const struct slot *before)
{
    const struct pto_tile *tile = at->tile;

    say_range(dbg, at->letter, at->first, at->end);
    dbg_say(dbg, "%s[%u]: %s %u x %u %s", tile->name, at->slot, pto_dtype_name(tile->dtype),
            tile->rows, tile->cols, pto_layout_name(tile->layout));
    if (tile->parent != PTO_NONE)
        dbg_say(dbg, ", over %s", code->tile[tile->parent].name);
    else if (before && at->first < before->end)
        dbg_say(dbg, ", shares bytes with %s[%u]", before->tile->name, before->slot);
    dbg_say(dbg, "\n");
}

static void say_map(struct dbg *dbg, const struct pto_core_info *info, const struct map *map,
                    unsigned space)
{
    const struct slot *last = NULL; /* that ends furthest on, of those with a letter */
    uint64_t end = 0;

    dbg_say(dbg, "%s of %s: %llu of %llu bytes are in tiles\n",
            pto_space_name((enum pto_space)space), info->name, (unsigned long long)map->used,
            (unsigned long long)map->size);
    say_strip(dbg, map);
    for (unsigned i = 0; i < map->count; i++) {
        const struct slot *at = &map->item[i];

        if (at->letter != ' ' && at->first > end) {
            say_range(dbg, '.', end, at->first);
            dbg_say(dbg, "free\n");
        }
        say_slot(dbg, info->code, at, last);
        if (at->letter != ' ' && at->end > end) {
            end = at->end;
            last = at;
        }
    }
    if (end < map->size) {
        say_range(dbg, '.', end, map->size);
        dbg_say(dbg, "free\n");
    }
}

bool map_info(struct dbg *dbg, const char *args)
{
    struct pto_core_info info;
    size_t length = dbg_word(&args);
    int only = length > 0 ? dbg_find_space(args, length) : -1;
    unsigned any = 0;

    if (length > 0 && only < 0)
        return dbg_error(dbg, "'info map' shows all that have tiles",
                         "there is no space '%.*s'", (int)length, args);
    if (!dbg_at_end(dbg, args + length) || !dbg_need_program(dbg, &info))
        return false;
    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++) {
        struct map map = {.size = dbg->launch.profile.capacity[space]};

        if (only >= 0 && only != (int)space)
            continue;
        collect(&map, info.code, space);
        if (map.count > 0)
            say_map(dbg, &info, &map, space);
        any += map.count;
        free(map.item);
    }
    if (any == 0)
        dbg_say(dbg, "No tile of %s lies there.\n", info.name);
    return true;
}
