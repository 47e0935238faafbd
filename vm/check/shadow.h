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
    extent->state = step(context, extent->state, offset, extent->here);
    return true;
}
/* A few bytes of a cell in one state, and those around that are seen at a glance to be in it. */
struct shadow_span {
    uint64_t begin, end;
    uint32_t state;
};
static inline void shadow_spread(struct shadow_span *span, uint64_t begin, uint64_t length,
                                 uint32_t state)
{
    *span = (struct shadow_span){begin, begin + length, state};
}
/* False: the bytes are in several states, or nobody has touched them. */
static inline bool shadow_span_of(const struct shadow *shadow, const struct shadow_pools *pools,
                                  uint64_t offset, uint32_t size, struct shadow_span *span)
{
    const struct shadow_extent *extent;
    const uint32_t *byte;
    uint32_t number;

    if (!shadow->page || offset + size > shadow->size)
        return false;
    number = shadow->page[offset / SHADOW_PAGE];
    if (number & SHADOW_COMB)
        return false;
    shadow_spread(span, offset & ~(SHADOW_PAGE - 1ull), SHADOW_PAGE, number);
    if (!(number & SHADOW_FINER))
        return true;
    number = pool_at(&pools->page, number)[offset % SHADOW_PAGE / SHADOW_CELL];
    shadow_spread(span, offset & ~(SHADOW_CELL - 1ull), SHADOW_CELL, number);
    if (extent_is(number)) {
        extent = extent_at(pools, number);
        number = extent->state;
        shadow_spread(span, extent->offset, extent->length, number);
    }
    if (!(number & SHADOW_FINER))
        return true;
    byte = &pool_at(&pools->cell, number)[offset % SHADOW_CELL];
    for (uint32_t i = 1; i < size; i++)
        if (byte[i] != byte[0])
            return false;
    shadow_spread(span, offset, size, byte[0]);
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
