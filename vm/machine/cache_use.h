/* An access to a second-level cache, and what it finds there. */
#ifndef PTO_MACHINE_CACHE_USE_H
#define PTO_MACHINE_CACHE_USE_H

#include <stdint.h>

/* Bytes of global memory that one access touches: `runs` runs, `stride` bytes from one to the next,
 * each of `pieces` of `bytes` dense bytes, `step` bytes from one to the next. */
struct cache_span {
    uint64_t address, bytes, runs, pieces;
    int64_t stride, step;
};

/* When the lines of an access come: the first at `first`, the next `each` later; picoseconds. */
struct cache_fill {
    uint64_t now, first, each;
};

struct cache_use {
    uint64_t hit_bytes;          /* of the access, in lines that were there */
    uint64_t missed;             /* lines that were not */
    uint64_t fetched, written;   /* lines from and to global memory */
};

#endif
