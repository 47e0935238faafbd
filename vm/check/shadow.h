/* Shadow memory: what state every byte of a region is in.
 *
 * A page of 4 KiB costs one number while all of its bytes are in one state, else one number for
 * every 32 bytes, and a cell whose bytes differ one number a byte.  Cells that one access has
 * brought into one state are one step the next time.  A page that is only touched by windows of one
 * stride is a comb: it costs one number for every unit of the stride, which is the largest that the
 * teeth are made of: 1 to 32 bytes.  So the memory follows what was touched, and an access that
 * covers whole pages, or its teeth of whole pages, costs a step per page. */
#ifndef PTO_CHECK_SHADOW_H
#define PTO_CHECK_SHADOW_H

#include "check/shadow_form.h"

void shadow_init(struct shadow *shadow, uint64_t size, uint32_t initial);
/* Back to the initial state. */
void shadow_reset(struct shadow *shadow, struct shadow_pools *pools);
void shadow_free(struct shadow *shadow);
void shadow_pools_free(struct shadow_pools *pools);

/* Step these bytes of a page if they are an extent. */
static inline bool shadow_step_extent(const struct shadow *shadow,
                                      const struct shadow_pools *pools, uint64_t offset,
                                      uint64_t length, shadow_step *step, void *context)
{
    const uint32_t page = shadow->page[offset / SHADOW_PAGE];
    struct shadow_extent *extent;
    uint32_t cell;

    if (!(page & SHADOW_FINER))
        return false;
    cell = pool_at(&pools->page, page)[offset % SHADOW_PAGE / SHADOW_CELL];
    if (!extent_is(cell))
        return false;
    extent = extent_at(pools, cell);
    if (extent->offset != offset || extent->length != length)
        return false;
    extent->state = step(context, extent->state, offset, length);
    return true;
}
/* The state of a few bytes of a cell; false: they are in several, or nobody has touched them. */
static inline bool shadow_state_of(const struct shadow *shadow, const struct shadow_pools *pools,
                                   uint64_t offset, uint32_t size, uint32_t *state)
{
    const uint32_t *byte;
    uint32_t number;

    if (!shadow->page || offset + size > shadow->size)
        return false;
    number = shadow->page[offset / SHADOW_PAGE];
    if (number & SHADOW_FINER)
        number = pool_at(&pools->page, number)[offset % SHADOW_PAGE / SHADOW_CELL];
    else if (number & SHADOW_COMB)
        return false;
    if (extent_is(number))
        number = extent_at(pools, number)->state;
    if (number & SHADOW_FINER) {
        byte = &pool_at(&pools->cell, number)[offset % SHADOW_CELL];
        number = byte[0];
        for (uint32_t i = 1; i < size; i++)
            if (byte[i] != number)
                return false;
    }
    *state = number;
    return true;
}
/* Step any bytes. */
void shadow_touch_any(struct shadow *shadow, struct shadow_pools *pools, uint64_t offset,
                      uint64_t length, shadow_step *step, void *context);
/* Step all bytes of one piece, or of several; runs of equal states are stepped together.  Pieces
 * outside of the region are left out. */
static inline void shadow_touch_piece(struct shadow *shadow, struct shadow_pools *pools,
                                      uint64_t offset, uint64_t length, shadow_step *step,
                                      void *context)
{
    if (!shadow->page || offset >= shadow->size || /* most often the same bytes as before */
        !shadow_step_extent(shadow, pools, offset, length, step, context))
        shadow_touch_any(shadow, pools, offset, length, step, context);
}
void shadow_touch(struct shadow *shadow, struct shadow_pools *pools,
                  const struct effect_pieces *pieces, shadow_step *step, void *context);
/* shadow_visit.c: show every state that occurs (possibly several times). */
void shadow_visit(const struct shadow *shadow, const struct shadow_pools *pools,
                  void (*visit)(void *context, uint32_t state), void *context);

#endif
