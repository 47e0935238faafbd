#include "trace/map.h"

#include <stdlib.h>

#include "arena.h"

enum { FIRST_CAPACITY = 256 };

static uint32_t home(const struct trace_map *map, uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (map->capacity - 1);
}

static uint32_t find(const struct trace_map *map, uint64_t key)
{
    uint32_t at = home(map, key);

    while (map->key[at] != 0 && map->key[at] != key)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

static void enlarge(struct trace_map *map)
{
    struct trace_map before = *map;

    map->capacity = before.capacity ? 2 * before.capacity : FIRST_CAPACITY;
    map->key = pto_xcalloc(map->capacity, sizeof *map->key);
    map->number = pto_xcalloc(map->capacity, sizeof *map->number);
    for (uint32_t i = 0; i < before.capacity; i++)
        if (before.key[i] != 0) {
            uint32_t at = find(map, before.key[i]);

            map->key[at] = before.key[i];
            map->number[at] = before.number[i];
        }
    trace_map_free(&before);
}

uint32_t *trace_map_at(struct trace_map *map, uint64_t key)
{
    uint32_t at;

    if (2 * map->count >= map->capacity)
        enlarge(map);
    at = find(map, key);
    if (map->key[at] == 0) {
        map->key[at] = key;
        map->number[at] = 0;
        map->count++;
    }
    return &map->number[at];
}

uint32_t trace_map_take(struct trace_map *map, uint64_t key)
{
    uint32_t at, number, mask = map->capacity - 1;

    if (!map->capacity)
        return 0;
    at = find(map, key);
    if (map->key[at] == 0)
        return 0;
    number = map->number[at];
    map->count--;
    /* What stands behind it moves up, unless its home lies in between. */
    for (uint32_t next = (at + 1) & mask; map->key[next] != 0; next = (next + 1) & mask) {
        uint32_t from_home = (next - home(map, map->key[next])) & mask;

        if (from_home < ((next - at) & mask))
            continue;
        map->key[at] = map->key[next];
        map->number[at] = map->number[next];
        at = next;
    }
    map->key[at] = 0;
    return number;
}

void trace_map_free(struct trace_map *map)
{
    free(map->key);
    free(map->number);
}
