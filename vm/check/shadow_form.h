/* What shadow memory (shadow.h) is made of: pages, combs, cells, extents, and arrays of numbers. */
#ifndef PTO_CHECK_SHADOW_FORM_H
#define PTO_CHECK_SHADOW_FORM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "machine/effect.h"

enum {
    STATE_NEVER = 0, /* not written since the launch or the run began: poison */
    STATE_READY = 1, /* there from the beginning: inputs, zeroed symmetric memory */
    SHADOW_PAGE = 4096,
    SHADOW_CELL = 32,
    SHADOW_PERIOD = 2048, /* the largest stride that a comb has */
    SHADOW_CELLS = SHADOW_PAGE / SHADOW_CELL
};

/* Numbers with this bit name an array of finer numbers instead of a state, or a comb; of cells, the
 * extent that they belong to. */
#define SHADOW_FINER 0x80000000u
#define SHADOW_COMB 0x40000000u
#define SHADOW_EXTENT 0x40000000u

/* Arrays of `width` numbers, used again after they were given back. */
struct shadow_pool {
    uint32_t **block;
    uint32_t width, blocks, block_capacity, used, *spare, spares, spare_capacity;
};

enum { SHADOW_POOL_BLOCK = 256 }; /* arrays allocated together */
static inline uint32_t *pool_at(const struct shadow_pool *pool, uint32_t id)
{
    uint32_t index = id & ~SHADOW_FINER;

    return pool->block[index / SHADOW_POOL_BLOCK] +
           (size_t)(index % SHADOW_POOL_BLOCK) * pool->width;
}

/* A page of periodic states, one for each unit of 2^shift bytes.  A unit is a cell at most, and the
 * period a whole number of them: state[i] is that of unit i of every period of the region. */
struct shadow_comb {
    uint32_t period, shift;
    uint32_t state[];
};

/* Cells that are in one state, `length` bytes from `offset` of the region on: of a page, or of one
 * and the next. */
struct shadow_extent {
    uint64_t offset;
    uint32_t length, state;
    uint32_t here;    /* bytes in the first page */
    uint32_t page[2]; /* arrays of cells, if it is in two */
};

/* Shared by all regions of a checker. */
struct shadow_pools {
    struct shadow_pool page, cell;
    struct shadow_extent *extent;
    uint32_t extents, extent_capacity, *spare_extent, spare_extents, spare_extent_capacity;
    struct shadow_comb **comb; /* NULL: free */
    uint32_t combs, comb_capacity, *spare_comb, spare_combs, spare_comb_capacity;
};

static inline bool extent_is(uint32_t cell)
{
    return (cell & (SHADOW_FINER | SHADOW_EXTENT)) == SHADOW_EXTENT;
}
static inline struct shadow_extent *extent_at(const struct shadow_pools *pools, uint32_t cell)
{
    return &pools->extent[cell & ~SHADOW_EXTENT];
}

struct shadow {
    uint64_t size;
    uint64_t pages;
    uint32_t *page; /* state, SHADOW_FINER | array of cells, SHADOW_COMB | comb; NULL: untouched */
    uint32_t initial;
};

/* New state of the bytes of an access that are in `state` now. */
typedef uint32_t shadow_step(void *context, uint32_t state, uint64_t offset, uint64_t length);

/* Sixteen numbers at a time: most of what is touched are runs. */
enum { SHADOW_LANES = 4, SHADOW_STRIDE = 4 * SHADOW_LANES };
typedef uint32_t shadow_lanes __attribute__((vector_size(SHADOW_LANES * sizeof(uint32_t))));
typedef uint64_t shadow_halves __attribute__((vector_size(SHADOW_LANES * sizeof(uint32_t))));

static inline bool shadow_four_are(const uint32_t *number, shadow_lanes value)
{
    shadow_lanes four;
    shadow_halves differs;

    memcpy(&four, number, sizeof four);
    differs = (shadow_halves)(four ^ value);
    return !(differs[0] | differs[1]);
}
static inline bool shadow_all_are(const uint32_t *number, shadow_lanes value)
{
    shadow_lanes four[4];
    shadow_halves differs;

    memcpy(four, number, sizeof four);
    differs = (shadow_halves)((four[0] ^ value) | (four[1] ^ value) | (four[2] ^ value) |
                              (four[3] ^ value));
    return !(differs[0] | differs[1]);
}

/* Numbers that follow each other: where the run of equal ones that begins at `at` ends; and make
 * them one. */
static inline uint32_t shadow_run(const uint32_t *number, uint32_t at, uint32_t end)
{
    const uint32_t value = number[at++];

    if (at + SHADOW_LANES <= end && number[at] == value) {
        const shadow_lanes all = {value, value, value, value};

        while (at + SHADOW_STRIDE <= end && shadow_all_are(&number[at], all))
            at += SHADOW_STRIDE;
        while (at + SHADOW_LANES <= end && shadow_four_are(&number[at], all))
            at += SHADOW_LANES;
    }
    while (at < end && number[at] == value)
        at++;
    return at;
}
static inline void shadow_fill(uint32_t *number, uint32_t at, uint32_t end, uint32_t value)
{
    const shadow_lanes all = {value, value, value, value};

    for (; at + SHADOW_STRIDE <= end; at += SHADOW_STRIDE) {
        const shadow_lanes four[4] = {all, all, all, all};

        memcpy(&number[at], four, sizeof four);
    }
    for (; at + SHADOW_LANES <= end; at += SHADOW_LANES)
        memcpy(&number[at], &all, sizeof all);
    while (at < end)
        number[at++] = value;
}

/* shadow_comb.c */
/* The largest units that such pieces of the period begin and end with: as `shift`. */
uint32_t comb_shift(uint32_t period, uint64_t offset, uint32_t length);
uint32_t comb_take(struct shadow_pools *pools, uint32_t period, uint32_t shift, uint32_t state);
/* Units of 2^shift bytes at most from now on. */
void comb_refine(struct shadow_pools *pools, uint32_t id, uint32_t shift);
void comb_give(struct shadow_pools *pools, uint32_t id);
static inline struct shadow_comb *comb_at(const struct shadow_pools *pools, uint32_t id)
{
    return pools->comb[id & ~SHADOW_COMB];
}
static inline uint32_t comb_units(const struct shadow_comb *comb)
{
    return comb->period >> comb->shift;
}
/* Step `length` bytes, whole units and a period at most, the first of which stands at `offset` of
 * the region. */
void comb_step(struct shadow_comb *comb, uint64_t offset, uint32_t length, shadow_step *step,
               void *context);
bool comb_is_uniform(const struct shadow_comb *comb);
/* Are its units cells?  Then: the states of the cells of the page at `base`. */
static inline bool comb_has_cells(const struct shadow_comb *comb)
{
    return 1u << comb->shift == SHADOW_CELL;
}
void comb_copy_cells(const struct shadow_comb *comb, uint64_t base, uint32_t *cell);
/* The states of the bytes from `offset` of the region on. */
void comb_copy(const struct shadow_comb *comb, uint64_t offset, uint32_t count, uint32_t *state);
void combs_free(struct shadow_pools *pools);

#endif
