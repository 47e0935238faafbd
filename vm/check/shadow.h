/* Shadow memory: what state every byte of a region is in.
 *
 * A page of 4 KiB costs one number while all of its bytes are in one state, else one number for
 * every 32 bytes, and a cell whose bytes differ one number a byte.  So the memory follows what was
 * touched, and an access that covers whole pages costs a step per page. */
#ifndef PTO_CHECK_SHADOW_H
#define PTO_CHECK_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

enum {
    STATE_NEVER = 0, /* not written since the launch or the run began: poison */
    STATE_READY = 1, /* there from the beginning: inputs, zeroed symmetric memory */
    SHADOW_PAGE = 4096,
    SHADOW_CELL = 32,
    SHADOW_CELLS = SHADOW_PAGE / SHADOW_CELL
};

/* Numbers with this bit name an array of finer numbers instead of a state. */
#define SHADOW_FINER 0x80000000u

/* Arrays of `width` numbers, used again after they were given back. */
struct shadow_pool {
    uint32_t **block;
    uint32_t width, blocks, block_capacity, used, *spare, spares, spare_capacity;
};

/* Shared by all regions of a checker. */
struct shadow_pools {
    struct shadow_pool page, cell;
};

struct shadow {
    uint64_t size;
    uint64_t pages;
    uint32_t *page; /* state, or SHADOW_FINER | array of cells; NULL: never touched */
    uint32_t initial;
};

/* New state of the bytes of an access that are in `state` now. */
typedef uint32_t shadow_step(void *context, uint32_t state, uint64_t offset, uint64_t length);

void shadow_init(struct shadow *shadow, uint64_t size, uint32_t initial);
/* Back to the initial state. */
void shadow_reset(struct shadow *shadow, struct shadow_pools *pools);
void shadow_free(struct shadow *shadow);
void shadow_pools_free(struct shadow_pools *pools);

/* Step all bytes from offset on; runs of equal states are stepped together. */
void shadow_touch(struct shadow *shadow, struct shadow_pools *pools, uint64_t offset,
                  uint64_t length, shadow_step *step, void *context);
/* Show every state that occurs (possibly several times). */
void shadow_visit(const struct shadow *shadow, const struct shadow_pools *pools,
                  void (*visit)(void *context, uint32_t state), void *context);

#endif
