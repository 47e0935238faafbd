#include "link.h"

#include <stdlib.h>

#include "carry.h"
#include "machine/cost.h"
#include "machine/links.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/probe.h"
#include "machine/stock.h"
#include "turns.h"

/* ---- inbox: a binary heap in the order of delivery ---- */

static bool before(const struct message *a, const struct message *b)
{
    if (a->arrival != b->arrival)
        return a->arrival < b->arrival;
    return a->source != b->source ? a->source < b->source : a->sequence < b->sequence;
}

static void inbox_insert(struct rank *rank, struct message *message)
{
    uint32_t index = rank->inbox_size;

    PTO_GROW(rank->inbox, rank->inbox_size, rank->inbox_capacity);
    rank->inbox_size++;
    while (index > 0 && before(message, rank->inbox[(index - 1) / 2])) {
        rank->inbox[index] = rank->inbox[(index - 1) / 2];
        index = (index - 1) / 2;
    }
    rank->inbox[index] = message;
}

struct message *link_take(struct rank *rank)
{
    struct message *first = rank->inbox[0], *last = rank->inbox[--rank->inbox_size];
    uint32_t index = 0;

    for (;;) {
        uint32_t child = 2 * index + 1;

        if (child >= rank->inbox_size)
            break;
        if (child + 1 < rank->inbox_size && before(rank->inbox[child + 1], rank->inbox[child]))
            child++;
        if (!before(rank->inbox[child], last))
            break;
        rank->inbox[index] = rank->inbox[child];
        index = child;
    }
    if (rank->inbox_size)
        rank->inbox[index] = last;
    return first;
}

/* ---- departure ---- */

/* Whole transfers leave one after the other: when the link is through with this one, too. */
static uint64_t queue_up(struct rank *from, int to, uint64_t way, uint64_t bytes)
{
    const struct topology *topology = &from->vm->topology;
    struct hop hop = topology_hop(topology, from->number, to);
    uint64_t *free_at = topology_is_shared(topology)
                            ? &from->vm->wire[topology_port(topology, &hop)].free_at
                            : &links_make(from, to)->free_at;

    *free_at = max_u64(from->now, *free_at);
    *free_at += cost_send(from, &hop, bytes, *free_at + way);
    return *free_at;
}

uint64_t link_reserve(struct rank *from, int to, uint64_t bytes, const struct turn *owner)
{
    struct turn turn = *owner;

    from->egress_free_at = max_u64(from->now, from->egress_free_at) + cost_egress(from, bytes);
    if (!from->vm->profile.link_turns)
        return max_u64(queue_up(from, to, owner->way, bytes), from->egress_free_at);
    turn.floor = max_u64(turn.floor, from->egress_free_at);
    return turns_begin(from, to, bytes, &turn);
}

static struct message *new_message(struct rank *rank, int target, enum message_kind kind)
{
    struct message *message = stock_take(rank, sizeof *message);

    *message = (struct message){.kind = (uint8_t)kind,
                                .source = rank->number,
                                .launch = rank->launch,
                                .target = target,
                                .sequence = rank->sequence++};
    return message;
}

/* An entry of a pipe has told of its instruction; S is at it. */
static void tell_send(struct rank *rank, const struct message *message)
{
    const struct core *core = &rank->core[message->core];
    const struct pto_event event = {.kind = PTO_EV_SEND,
                                    .peer = message->target,
                                    .core = message->core,
                                    .pipe = message->pipe,
                                    .time_ps = message->departure,
                                    .next_ps = rank->now,
                                    .reason = message->kind,
                                    .bytes = message->bytes,
                                    .message = message->sequence};

    if (message->pipe == PTO_PIPE_S)
        observe_core(core, core->pc, event);
    else
        observe_rank(rank, event);
}

/* The message leaves at `departure`.  The messages of a pair have one way, and keep the order of
 * departure: a notify overtakes a reply whose bytes are still to leave. */
static void depart(struct rank *rank, struct message *message, uint64_t departure)
{
    struct link *link = links_make(rank, message->target);

    message->sent = rank->now;
    message->departure = departure;
    message->arrival = departure + topology_latency(rank->vm, rank->number, message->target,
                                                     departure);
    link->bytes += message->bytes;
    link->messages++;
    PTO_GROW(rank->outbox, rank->outbox_size, rank->outbox_capacity);
    rank->outbox[rank->outbox_size++] = message;
    if (rank->vm->observers)
        tell_send(rank, message);
}

/* The window of a symmetric object that a resolved operand names, as every rank sees it. */
static void describe_window(const struct core *core, const uint64_t *word,
                            struct message *message)
{
    const struct bound_object *object = memory_object(core, gm_object(word));

    message->object = object->object;
    message->dtype = object->dtype;
    message->offset = word[GM_OFFSET];
    message->rows = gm_rows(word);
    message->cols = gm_cols(word);
    message->row_stride = object_row_stride(object);
    message->col_stride = object_col_stride(object);
}

uint64_t link_window_bytes(const struct message *message)
{
    return (uint64_t)message->rows * message->cols * pto_dtype_size(message->dtype);
}

/* When the sender knows that a message has arrived: one trip back. */
static uint64_t acknowledged_at(const struct rank *rank, const struct message *message)
{
    if (message->arrival >= rank->vm->rank[message->target].dies_at)
        return ENGINE_NEVER;
    return message->arrival + topology_latency(rank->vm, message->target, rank->number,
                                               message->arrival);
}

/* dsb waits until everything that this core sent is acknowledged. */
static void expect_acknowledgement(struct core *core, const struct message *message)
{
    core->stores_acknowledged =
        max_u64(core->stores_acknowledged, acknowledged_at(core->rank, message));
}

static struct message *send_put(struct core *core, unsigned queue, uint32_t pc,
                                const uint64_t *word, uint8_t *payload, int atomic, uint32_t tag)
{
    struct rank *rank = core->rank;
    struct message *message = new_message(rank, gm_rank(word), MESSAGE_PUT);

    describe_window(core, word, message);
    message->core = core->number;
    message->pipe = (uint8_t)queue;
    message->operation = (uint8_t)atomic;
    message->bytes = link_window_bytes(message);
    message->payload = payload;
    message->tag = tag;
    message->pc = pc;
    depart(rank, message, rank->now);
    return message;
}

void link_send_put(struct core *core, unsigned pipe, uint32_t pc, const uint64_t *word,
                   uint8_t *payload, int atomic)
{
    if (!gm_rows(word) || !gm_cols(word)) {
        stock_give(core->rank, payload);
        return;
    }
    expect_acknowledgement(core, send_put(core, pipe, pc, word, payload, atomic,
                                          PROBE_TAG(core->rank->vm, put, core, pipe)));
}

uint64_t link_send_dma(struct core *core, uint64_t counter, uint32_t pc, const uint64_t *word,
                       uint8_t *payload)
{
    struct message *message =
        send_put(core, PTO_DMA, pc, word, payload, PTO_ATOMIC_NONE,
                 PROBE_TAG(core->rank->vm, async_put, core, counter));

    message->entry = (uint32_t)(counter % core->rank->vm->profile.async_limit);
    return acknowledged_at(core->rank, message);
}

void link_send_notify(struct core *core, const uint64_t *word, int64_t value, int operation)
{
    struct message *message = new_message(core->rank, gm_rank(word), MESSAGE_NOTIFY);

    describe_window(core, word, message);
    message->core = core->number;
    message->pipe = PTO_PIPE_S;
    message->operation = (uint8_t)operation;
    message->value = value;
    message->pc = core->pc;
    message->tag = PROBE_TAG(core->rank->vm, notify, core);
    message->bytes = link_window_bytes(message);
    depart(core->rank, message, core->rank->now);
    expect_acknowledgement(core, message);
}

void link_send_request(struct core *core, unsigned pipe, uint32_t pc, uint32_t counter,
                       const uint64_t *word, bool bare)
{
    struct message *message = new_message(core->rank, gm_rank(word), MESSAGE_REQUEST);

    describe_window(core, word, message);
    message->core = core->number;
    message->pipe = (uint8_t)pipe;
    message->entry = counter;
    message->pc = pc;
    message->bare = bare;
    if (!bare)
        message->tag = PROBE_TAG(core->rank->vm, request, core, pipe, counter);
    depart(core->rank, message, core->rank->now);
}

/* It met a link that was down.  Whose instruction it belongs to is told when it would have been
 * there: that is as soon as one can know. */
static void lose(struct message *message, uint64_t when)
{
    message->rows = (uint32_t)message->target;
    message->kind = MESSAGE_LOST;
    message->value = (int64_t)when;
    free(message->payload);
    message->payload = NULL;
}

/* Its bytes have left from `since` to `departure`. */
static void depart_reply(struct rank *rank, struct message *reply, uint64_t since,
                         uint64_t departure)
{
    struct cut cut;

    depart(rank, reply, departure);
    if (topology_is_cut(rank->vm, rank->number, reply->target, since, departure, &cut))
        lose(reply, cut.time);
}

void link_send_reply(struct rank *rank, const struct message *request, uint8_t *payload)
{
    struct message *reply = new_message(rank, request->source, MESSAGE_REPLY);
    struct turn turn = {.flow = (uint64_t)(request->source + 1) << 32 | request->core << 3 |
                                request->pipe,
                        .queue = TURN_REPLY,
                        .number = reply->sequence};
    uint64_t done;

    reply->core = request->core;
    reply->pipe = request->pipe;
    reply->entry = request->entry;
    reply->bytes = link_window_bytes(request);
    reply->payload = payload;
    reply->pc = request->pc;
    reply->launch = request->launch;
    done = link_reserve(rank, request->source, reply->bytes, &turn);
    if (!rank->vm->profile.link_turns) {
        depart_reply(rank, reply, rank->now, done);
        return;
    }
    reply->kind = MESSAGE_LEAVING;
    reply->sent = rank->now;
    reply->arrival = done;
    inbox_insert(rank, reply);
    if (rank->vm->causes)
        observe_rank(rank, (struct pto_event){.kind = PTO_EV_LEAVING,
                                              .peer = reply->target,
                                              .time_ps = rank->now,
                                              .next_ps = done,
                                              .bytes = reply->bytes});
}

void link_left(struct rank *rank, struct message *reply)
{
    uint64_t end = turns_end(rank, reply->sequence);

    if (end > rank->now) { /* others have come */
        reply->arrival = end;
        inbox_insert(rank, reply);
        return;
    }
    reply->kind = MESSAGE_REPLY;
    reply->sequence = rank->sequence++;
    depart_reply(rank, reply, reply->sent, rank->now);
}

uint64_t link_cross_arrival(const struct rank *rank)
{
    return rank->now + rank->duration[COST_CROSS];
}

void link_send_cross(struct rank *rank, unsigned core, unsigned id)
{
    struct message *message = new_message(rank, rank->number, MESSAGE_CROSS);

    message->core = (uint16_t)core;
    message->entry = id;
    rank->cross_in_flight++;
    message->arrival = link_cross_arrival(rank);
    inbox_insert(rank, message);
}

static int by_time_sent(const void *a, const void *b)
{
    const struct message *x = *(struct message *const *)a, *y = *(struct message *const *)b;

    if (x->sent != y->sent)
        return x->sent < y->sent ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->sequence < y->sequence ? -1 : 1;
}

/* What a rank sent is lost on its way: it is told when nobody says that it has arrived. */
static void lose_on_way(struct rank *rank, struct message *message, uint64_t when)
{
    bool reply = message->kind == MESSAGE_REPLY;
    uint64_t told = acknowledged_at(rank, message);

    if (message->kind == MESSAGE_LOST || (!reply && told == ENGINE_NEVER))
        return; /* who is dead would not have said so anyway */
    lose(message, when);
    if (reply)
        return;
    message->target = rank->number;
    message->arrival = told;
}

/* Who waits for a message to arrive waits until then. */
static void acknowledge_later(struct rank *rank, const struct message *message)
{
    struct core *core = &rank->core[message->core];

    if (message->launch != rank->launch)
        return; /* nobody waits for it any more */
    if (message->kind == MESSAGE_PUT && message->pipe == PTO_DMA)
        core->dma->ring[message->entry].complete = acknowledged_at(rank, message);
    else if (message->kind == MESSAGE_PUT || message->kind == MESSAGE_NOTIFY)
        expect_acknowledgement(core, message);
}

/* A message that met others arrives later than its sender took for granted, if at all. */
static void arrive_later(struct pto_vm *vm, struct message *message)
{
    struct rank *rank = &vm->rank[message->source];
    uint64_t lost, arrival = topology_travel(vm, message, &lost);

    if (!is_own(vm, message->source))
        return;
    if (arrival != message->arrival) {
        message->arrival = arrival;
        acknowledge_later(rank, message);
    }
    if (lost != ENGINE_NEVER)
        lose_on_way(rank, message, lost);
}

/* Messages take the wires that they share with those of other senders in the order in which they
 * were sent, which does not depend on how the run is cut into windows. */
static void share_wires(struct pto_vm *vm)
{
    for (int o = 0; o < vm->owns; o++) {
        const struct rank *rank = &vm->rank[vm->own[o]];

        for (uint32_t i = 0; i < rank->outbox_size; i++) {
            if (topology_is_direct(&vm->topology, rank->number, rank->outbox[i]->target))
                continue;
            PTO_GROW(vm->sent, vm->messages_sent, vm->sent_capacity);
            vm->sent[vm->messages_sent++] = rank->outbox[i];
        }
    }
    carry_announce(vm);
    if (vm->messages_sent)
        qsort(vm->sent, vm->messages_sent, sizeof *vm->sent, by_time_sent);
    for (uint32_t i = 0; i < vm->messages_sent; i++) {
        arrive_later(vm, vm->sent[i]);
        if (!is_own(vm, vm->sent[i]->source))
            free(vm->sent[i]);
    }
    vm->messages_sent = 0;
}

/* What changes signals does so a while after it has arrived. */
uint64_t link_unseen(const struct rank *rank, const struct message *message)
{
    bool is_signal = message->kind == MESSAGE_NOTIFY ||
                     (message->kind == MESSAGE_PUT &&
                      rank->object[message->object].kind == PTO_OBJ_SIGNAL);

    return is_signal ? rank->vm->profile.remote_wake_ps : 0;
}

/* Into the inbox of its target, or on its way to the process that has the target. */
static void hand_over(struct pto_vm *vm, struct message *message)
{
    /* Who sent it has been told of the arrival itself. */
    message->arrival += link_unseen(&vm->rank[message->source], message);
    if (is_own(vm, message->target))
        inbox_insert(&vm->rank[message->target], message);
    else
        carry_message(vm, message);
}

/* Does it need nothing from other processes? */
static bool stays_inside(const struct pto_vm *vm, const struct message *message)
{
    return is_own(vm, message->target) &&
           topology_is_direct(&vm->topology, message->source, message->target);
}

void link_exchange_inside(struct pto_vm *vm)
{
    for (int o = 0; o < vm->owns; o++) {
        struct rank *rank = &vm->rank[vm->own[o]];
        uint32_t kept = 0;

        for (uint32_t i = 0; i < rank->outbox_size; i++)
            if (stays_inside(vm, rank->outbox[i]))
                hand_over(vm, rank->outbox[i]);
            else
                rank->outbox[kept++] = rank->outbox[i];
        rank->outbox_size = kept;
    }
}

void link_exchange(struct pto_vm *vm)
{
    if (topology_is_shared(&vm->topology))
        share_wires(vm);
    for (int o = 0; o < vm->owns; o++) {
        struct rank *rank = &vm->rank[vm->own[o]];

        for (uint32_t i = 0; i < rank->outbox_size; i++)
            hand_over(vm, rank->outbox[i]);
        rank->outbox_size = 0;
    }
}

void link_meet(struct pto_vm *vm, struct news *news)
{
    struct message *message;

    carry_meet(vm, news);
    while (vm->carry && (message = carry_arrived(vm)) != NULL)
        inbox_insert(&vm->rank[message->target], message);
}

static void free_messages(struct message **messages, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(messages[i]->payload);
        free(messages[i]);
    }
    free(messages);
}

void link_free(struct rank *rank)
{
    free_messages(rank->inbox, rank->inbox_size);
    free_messages(rank->outbox, rank->outbox_size);
    free(rank->turn);
    links_free(&rank->links);
}
