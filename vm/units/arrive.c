#include "arrive.h"

#include "dma.h"
#include "flag.h"
#include "link.h"
#include "machine/cost.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/probe.h"
#include "machine/queue.h"
#include "machine/stock.h"
#include "machine/wake.h"

static void land_put(struct rank *rank, struct message *message)
{
    struct op_view view;

    if (message->payload) {
        memory_message_view(rank, message, &view);
        PROBE(rank->vm, land, rank, message, &view);
        rank->vm->ops->land(&view, message->payload, message->operation);
    }
    cost_land(rank, message);
    flag_object_written(rank, message->object);
}

static void land_notify(struct rank *rank, struct message *message)
{
    struct op_view view;

    memory_message_view(rank, message, &view);
    flag_notify(rank, message->object, &view, message->value, message->operation, message->tag);
}

/* The bytes are sampled once, now. */
static void land_request(struct rank *rank, const struct message *request)
{
    struct op_view view;
    uint8_t *payload = NULL;

    if (!request->bare) {
        memory_message_view(rank, request, &view);
        PROBE(rank->vm, sample, rank, request, &view);
        payload = stock_take(rank, link_window_bytes(request));
        rank->vm->ops->collect(&view, payload);
    }
    link_send_reply(rank, request, payload);
}

static void land_reply(struct rank *rank, struct message *message)
{
    struct core *core = &rank->core[message->core];
    uint8_t *payload = message->payload;
    struct entry *entry;

    message->payload = NULL;
    if (message->pipe == PTO_DMA) {
        dma_reply(core, message->entry, payload);
        return;
    }
    entry = pipe_entry(core->pipe[message->pipe], message->entry);
    entry->payload = payload;
    entry->complete = rank->now;
    wake_queue(core, message->pipe, rank->now);
}

/* The launch of the instruction may have ended. */
static void land_lost(struct rank *rank, const struct message *message)
{
    struct pto_vm *vm = rank->vm;
    struct core *core = &rank->core[message->core];
    const struct ready_code *ready = core->ready;
    uint64_t when = (uint64_t)message->value;
    struct cut cut;

    topology_is_cut(vm, message->source, (int)message->rows, when, when, &cut);
    core->ready = &vm->launch[message->launch].ready->core[core->kind];
    fault_raise(core, message->pc, message->pipe, rank->now, ROUTE_MENDED,
                "what rank %d sent to rank %d was lost: link %s went down at %.3f us",
                message->source, (int)message->rows,
                topology_wire_name(&vm->topology, cut.at, &cut.hop, &rank->arena),
                route_us(cut.since));
    core->ready = ready;
}

void arrive_next(struct rank *rank)
{
    struct message *message = link_take(rank);
    const uint64_t arrived = rank->now - link_unseen(rank, message);

    rank->over_at = max_u64(rank->over_at, arrived);
    if (message->kind == MESSAGE_LEAVING) {
        link_left(rank, message);
        return;
    }
    if (message->kind == MESSAGE_LOST) {
        land_lost(rank, message);
        stock_give(rank, message);
        return;
    }
    if (rank->vm->observers && message->kind != MESSAGE_CROSS)
        observe_rank(rank, (struct pto_event){.kind = PTO_EV_LAND,
                                              .peer = message->source,
                                              .core = message->core,
                                              .pipe = message->pipe,
                                              .time_ps = rank->now,
                                              .start_ps = arrived,
                                              .reason = message->kind,
                                              .bytes = message->bytes,
                                              .message = message->sequence});
    PROBE(rank->vm, arrive, rank, message);
    switch (message->kind) {
    case MESSAGE_PUT:
        land_put(rank, message);
        break;
    case MESSAGE_NOTIFY:
        land_notify(rank, message);
        break;
    case MESSAGE_REQUEST:
        land_request(rank, message);
        break;
    case MESSAGE_REPLY:
        land_reply(rank, message);
        break;
    default:
        rank->cross_in_flight--;
        flag_cross_arrive(&rank->core[message->core], message->entry);
    }
    stock_give(rank, message->payload);
    stock_give(rank, message);
}
