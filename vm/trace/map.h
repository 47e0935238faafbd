/* Numbers by key: an open hash table, without zero among the keys. */
#ifndef PTO_TRACE_MAP_H
#define PTO_TRACE_MAP_H

#include <stdint.h>

struct trace_map {
    uint64_t *key; /* 0: free */
    uint32_t *number;
    uint32_t count, capacity; /* a power of two */
};

/* Place of the key's number; a key that was not there has the number 0.  Valid until the next
 * call. */
uint32_t *trace_map_at(struct trace_map *map, uint64_t key);
/* The number of a key that goes; 0: it is not there. */
uint32_t trace_map_take(struct trace_map *map, uint64_t key);
void trace_map_free(struct trace_map *map);

#endif
