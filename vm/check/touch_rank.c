/* The accesses that go from one rank to another: they leave here, and land or read there. */
#include "check/handover.h"
#include "check/travel.h"
#include "check/verdict.h"

uint32_t touch_put(void *context, struct core *source, unsigned pipe)
{
    struct pto_check *check = context;
    const struct check_core *core = check_core_of(check, source);

    return travel_entry(check, core, check_head_record(check_core_of(check, source), pipe));
}

uint32_t touch_request(void *context, struct core *source, unsigned pipe, uint32_t counter)
{
    struct pto_check *check = context;
    struct check_core *core = check_core_of(check, source);

    return travel_entry(check, core, pipe == PTO_DMA ? &core->submission[counter]
                                                     : check_record(core, pipe, counter));
}

void touch_land(void *context, struct rank *rank, const struct message *message,
                const struct op_view *view)
{
    struct pto_check *check = context;
    const struct flight *flight = travel_flight(check, message->tag);
    unsigned atomic = message->operation == PTO_ATOMIC_NONE ? 0 : ACCESS_ATOMIC;
    uint32_t access = travel_arrive(check, rank, flight);

    race_begin(check, access << 3 | ACCESS_WRITE | ACCESS_REMOTE | atomic, &flight->frame);
    touch_object(check, rank, message->object, view);
    travel_end(check, message->tag);
}

void touch_notify(struct pto_check *check, const struct rank *rank, uint32_t object,
                  const struct op_view *view, uint32_t access, const struct frame *frame)
{
    race_begin(check, access << 3 | ACCESS_WRITE | ACCESS_ATOMIC, frame);
    touch_object(check, rank, object, view);
}

void touch_sample(void *context, struct rank *rank, const struct message *message,
                  const struct op_view *view)
{
    struct pto_check *check = context;
    const struct flight *flight = travel_flight(check, message->tag);

    race_begin(check, travel_arrive(check, rank, flight) << 3, &flight->frame);
    touch_object(check, rank, message->object, view);
    travel_end(check, message->tag);
}
