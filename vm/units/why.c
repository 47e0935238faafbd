#include "why.h"

#include <string.h>

#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/wake.h"

/* Which element of the rank it is. */
static uint64_t number_of(const struct rank *rank, uint32_t object, const uint8_t *at)
{
    return (uint64_t)object << 40 | (uint64_t)(at - rank->object[object].data);
}

void why_element(struct rank *rank, uint32_t object, const uint8_t *at, uint32_t before)
{
    struct pto_event event = {.kind = PTO_EV_ELEMENT,
                              .time_ps = rank->now,
                              .next_ps = rank->now + rank->duration[COST_WAKE],
                              .message = number_of(rank, object, at),
                              .bytes = before,
                              .reason = STALL_SIGNAL};
    int32_t element;

    memcpy(&element, at, sizeof element);
    event.value = element;
    wake_fill_actor(rank, &event);
    observe_rank(rank, event);
}

void why_held(const struct core *core)
{
    const struct signal_wait *wait = core_wait_held(core);
    uint32_t object = memory_object(core, gm_object(wait->gm))->object;
    struct op_view view;

    memory_gm_view(core, wait->gm, &view);
    for (uint32_t r = 0; r < view.rows; r++)
        for (uint32_t c = 0; c < view.cols; c++) {
            const uint8_t *at = view.data + r * view.row_stride + c * view.col_stride;
            int32_t element;

            memcpy(&element, at, sizeof element);
            observe_core(core, core->pc,
                         (struct pto_event){.kind = PTO_EV_HELD,
                                            .time_ps = core->rank->now,
                                            .message = number_of(core->rank, object, at),
                                            .value = element,
                                            .bytes = (uint64_t)wait->value,
                                            .reason = wait->comparison});
        }
}
