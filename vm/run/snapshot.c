/* Snapshots: what a machine is at one instant, and the way back to it.
 *
 * All state belongs to a rank, or to the machine, and is plain data in blocks whose owners are
 * known, so a machine goes back by giving every block its old contents, where it lies.  Pointers
 * between blocks - events, waiters, setters of flags - lead to sub-cores and objects, which never
 * move.  What does not change during a run stays out: programs, inputs, options. */
#include <stdlib.h>
#include <string.h>

#include "machine/cache.h"
#include "machine/links.h"
#include "machine/object.h"
#include "machine/parts.h"
#include "pack.h"
#include "pages.h"
#include "vm.h"

/* What a sub-core owns. */
enum {
    BLOCK_REG,
    BLOCK_LOCAL,
    BLOCK_TILES,
    BLOCK_DMA,
    BLOCK_FLAGS,
    BLOCK_CROSS,
    BLOCK_SPACE,
    BLOCK_RING = BLOCK_SPACE + PTO_SPACE_COUNT,
    BLOCKS = BLOCK_RING + PTO_PIPE_COUNT
};

struct block {
    void **at;
    size_t size; /* 0: nothing in it counts */
};

struct core_copy {
    struct pages block[BLOCKS];
};

/* Bytes on their way that an entry or a submission of the DMA engine owns. */
struct payload_copy {
    unsigned core, queue;
    uint64_t number;
    size_t size;
    uint8_t *bytes;
};

struct rank_copy {
    struct rank rank; /* its arrays are those below */
    struct pages cores, parts, objects, links, turns, heap, warnings, cache;
    struct pages *data; /* of the objects */
    struct core_copy *core;
    struct message *inbox;
    struct payload_copy *payload;
    unsigned payloads, payload_capacity;
};

struct pto_snapshot {
    int ranks;
    uint64_t window_end, effort, recent_effort;
    struct pages wires;
    uint64_t bytes; /* that no earlier snapshot had */
    struct rank_copy rank[];
};

/* ---- what there is ---- */

static void blocks_of(struct core *core, struct block *block)
{
    const struct pto_vm *vm = core->rank->vm;
    const struct ready_code *ready = core->ready;

    block[BLOCK_REG] = (struct block){(void **)&core->reg, ready ? ready->registers * 8u : 0};
    block[BLOCK_LOCAL] = (struct block){
        (void **)&core->local, ready && core->local ? ready->local_words * 8u : 0};
    block[BLOCK_TILES] =
        (struct block){(void **)&core->tile_address,
                       ready && ready->core ? ready->core->tiles * sizeof *core->tile_address : 0};
    block[BLOCK_DMA] = (struct block){
        (void **)&core->dma->ring,
        core->dma->ring ? vm->profile.async_limit * sizeof *core->dma->ring : 0};
    block[BLOCK_FLAGS] = (struct block){(void **)&core->flags, flags_bytes(core->flags)};
    block[BLOCK_CROSS] =
        (struct block){(void **)&core->cross, core->cross ? sizeof *core->cross : 0};
    for (unsigned s = 0; s < PTO_SPACE_COUNT; s++)
        block[BLOCK_SPACE + s] = (struct block){(void **)&core->chip->data[s],
                                                core->chip->data[s] ? core->chip->size[s] : 0};
    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++)
        block[BLOCK_RING + p] = (struct block){
            (void **)&core->pipe[p]->ring,
            core->pipe[p]->ring ? (core->pipe[p]->mask + 1) * sizeof *core->pipe[p]->ring : 0};
}

static uint8_t *copy_bytes(const uint8_t *bytes, size_t size)
{
    return bytes ? memcpy(pto_xmalloc(size + !size), bytes, size) : NULL;
}

/* Inputs that no launch writes are as they were, unless somebody has opened them. */
static bool is_constant(const struct object *object)
{
    if (object->given)
        return false;
    return !object->data || object->lent || (object->bound && !object->written);
}

/* ---- payloads ---- */

static void each_payload(struct rank *rank,
                         void (*function)(void *context, const struct payload_copy *where,
                                          uint8_t **payload),
                         void *context)
{
    for (unsigned c = 0; c < rank->cores; c++) {
        struct core *core = &rank->core[c];

        for (unsigned p = 0; p < PTO_PIPE_COUNT; p++)
            for (uint32_t i = core->pipe[p]->head; i != core->pipe[p]->tail; i++) {
                struct entry *entry = pipe_entry(core->pipe[p], i);
                struct payload_copy where = {.core = c, .queue = p, .number = i};

                if (!entry->payload)
                    continue;
                where.size = pack_payload_bytes(entry);
                function(context, &where, &entry->payload);
            }
        for (uint64_t i = core->dma->head; i != core->dma->tail; i++) {
            struct submission *s = dma_submission(core, i);
            const struct payload_copy where = {c, PTO_DMA, i, s->bytes, NULL};

            if (s->payload)
                function(context, &where, &s->payload);
        }
    }
}

static void keep_payload(void *context, const struct payload_copy *where, uint8_t **payload)
{
    struct rank_copy *copy = context;

    PTO_GROW(copy->payload, copy->payloads, copy->payload_capacity);
    copy->payload[copy->payloads] = *where;
    copy->payload[copy->payloads++].bytes = copy_bytes(*payload, where->size);
}

static void drop_payload(void *context, const struct payload_copy *where, uint8_t **payload)
{
    (void)context, (void)where;
    free(*payload);
    *payload = NULL;
}

static void restore_payload(struct rank *rank, const struct payload_copy *copy)
{
    struct core *core = &rank->core[copy->core];
    uint8_t **payload =
        copy->queue == PTO_DMA
            ? &dma_submission(core, copy->number)->payload
            : &pipe_entry(core->pipe[copy->queue], (uint32_t)copy->number)->payload;

    *payload = copy_bytes(copy->bytes, copy->size);
}

/* ---- keeping ---- */

static void keep_cores(struct rank *rank, struct rank_copy *copy, const struct rank_copy *before,
                       uint64_t *fresh)
{
    copy->core = pto_xcalloc(rank->cores, sizeof *copy->core);
    for (unsigned c = 0; c < rank->cores; c++) {
        struct block block[BLOCKS];

        blocks_of(&rank->core[c], block);
        for (int b = 0; b < BLOCKS; b++)
            pages_copy(&copy->core[c].block[b], *block[b].at, block[b].size,
                       before ? &before->core[c].block[b] : NULL, fresh);
    }
}

static void keep_objects(const struct rank *rank, struct rank_copy *copy,
                         const struct rank_copy *before, uint64_t *fresh)
{
    copy->data = pto_xcalloc(rank->objects, sizeof *copy->data);
    for (unsigned o = 0; o < rank->objects; o++)
        if (!is_constant(&rank->object[o]))
            pages_copy(&copy->data[o], rank->object[o].data, rank->object[o].size,
                       before ? &before->data[o] : NULL, fresh);
}

static void keep_messages(const struct rank *rank, struct rank_copy *copy)
{
    copy->inbox = pto_xcalloc(rank->inbox_size, sizeof *copy->inbox);
    for (uint32_t i = 0; i < rank->inbox_size; i++) {
        copy->inbox[i] = *rank->inbox[i];
        copy->inbox[i].payload = copy_bytes(rank->inbox[i]->payload, rank->inbox[i]->bytes);
    }
}

static void keep_rank(struct rank *rank, struct rank_copy *copy, const struct rank_copy *before,
                      uint64_t *fresh)
{
    size_t cached;
    const void *cache = cache_contents(rank->cache, &cached);

    copy->rank = *rank;
    pages_copy(&copy->cache, cache, cached, before ? &before->cache : NULL, fresh);
    pages_copy(&copy->cores, rank->core, rank->cores * sizeof *rank->core,
               before ? &before->cores : NULL, fresh);
    pages_copy(&copy->parts, rank->parts, rank->cores * sizeof *rank->parts,
               before ? &before->parts : NULL, fresh);
    pages_copy(&copy->objects, rank->object, rank->objects * sizeof *rank->object,
               before ? &before->objects : NULL, fresh);
    pages_copy(&copy->links, rank->links.slot, links_bytes(&rank->links),
               before ? &before->links : NULL, fresh);
    pages_copy(&copy->turns, rank->turn, rank->turns * sizeof *rank->turn, NULL, fresh);
    pages_copy(&copy->heap, rank->events.heap, rank->events.size * sizeof *rank->events.heap, NULL,
               fresh);
    pages_copy(&copy->warnings, rank->warning, rank->warnings * sizeof *rank->warning, NULL,
               fresh);
    keep_cores(rank, copy, before, fresh);
    keep_objects(rank, copy, before, fresh);
    keep_messages(rank, copy);
    each_payload(rank, keep_payload, copy);
}

static size_t wire_bytes(const struct pto_vm *vm)
{
    return topology_wires(&vm->topology) * sizeof *vm->wire;
}

struct pto_snapshot *pto_vm_snapshot(struct pto_vm *vm, const struct pto_snapshot *before)
{
    struct pto_snapshot *snapshot;

    if (!vm->prepared || vm->status != PTO_OK || vm->finished || !vm->options.stepwise)
        return NULL;
    snapshot = pto_xcalloc(1, sizeof *snapshot + (size_t)vm->ranks * sizeof *snapshot->rank);
    snapshot->ranks = vm->ranks;
    snapshot->window_end = vm->window_end;
    snapshot->effort = vm->effort;
    snapshot->recent_effort = vm->recent_effort;
    snapshot->bytes = sizeof *snapshot + (uint64_t)vm->ranks * sizeof *snapshot->rank;
    pages_copy(&snapshot->wires, vm->wire, wire_bytes(vm), before ? &before->wires : NULL,
               &snapshot->bytes);
    for (int r = 0; r < vm->ranks; r++)
        keep_rank(&vm->rank[r], &snapshot->rank[r], before ? &before->rank[r] : NULL,
                  &snapshot->bytes);
    return snapshot;
}

uint64_t pto_snapshot_bytes(const struct pto_snapshot *snapshot)
{
    return snapshot->bytes;
}

/* ---- going back ---- */

static void restore_cores(struct rank *rank, const struct rank_copy *copy)
{
    struct block(*now)[BLOCKS] = pto_xcalloc(rank->cores, sizeof *now);
    void *(*held)[BLOCKS] = pto_xcalloc(rank->cores, sizeof *held);

    for (unsigned c = 0; c < rank->cores; c++) {
        blocks_of(&rank->core[c], now[c]);
        for (int b = 0; b < BLOCKS; b++)
            held[c][b] = *now[c][b].at;
    }
    pages_restore(&copy->cores, rank->core);
    pages_restore(&copy->parts, rank->parts);
    for (unsigned c = 0; c < rank->cores; c++)
        for (int b = 0; b < BLOCKS; b++) {
            const struct pages *pages = &copy->core[c].block[b];

            if (pages->size != now[c][b].size || pages->size == 0) {
                free(held[c][b]);
                held[c][b] = pages->size > 0 ? pto_xcalloc(1, pages->size) : NULL;
            }
            *now[c][b].at = held[c][b];
            pages_restore(pages, held[c][b]);
        }
    free(now);
    free(held);
}

static void drop_messages(struct rank *rank)
{
    for (uint32_t i = 0; i < rank->inbox_size; i++) {
        free(rank->inbox[i]->payload);
        free(rank->inbox[i]);
    }
    rank->inbox_size = 0;
}

/* Arrays that only grow stay as large as they have become. */
static void restore_arrays(struct rank *rank, const struct rank *now, const struct rank_copy *copy)
{
    rank->arena = now->arena; /* texts stay */
    rank->args = now->args;
    rank->printed = now->printed;
    rank->printed_capacity = now->printed_capacity;
    rank->event = now->event;
    rank->event_capacity = now->event_capacity;
    rank->outbox = now->outbox;
    rank->outbox_capacity = now->outbox_capacity;
    rank->events.heap = now->events.heap;
    rank->events.capacity = now->events.capacity;
    pages_restore(&copy->heap, rank->events.heap);
    rank->warning = now->warning;
    rank->warning_capacity = now->warning_capacity;
    pages_restore(&copy->warnings, rank->warning);
    rank->links.slot = now->links.slot;
    rank->links.slots = now->links.slots;
    links_resize(&rank->links, copy->rank.links.slots);
    pages_restore(&copy->links, rank->links.slot);
    rank->turn = now->turn;
    rank->turn_capacity = now->turn_capacity;
    pages_restore(&copy->turns, rank->turn);
    rank->inbox = now->inbox;
    rank->inbox_capacity = now->inbox_capacity;
    for (uint32_t i = 0; i < rank->inbox_size; i++) {
        rank->inbox[i] = pto_xmalloc(sizeof **rank->inbox);
        *rank->inbox[i] = copy->inbox[i];
        rank->inbox[i]->payload = copy_bytes(copy->inbox[i].payload, copy->inbox[i].bytes);
    }
}

/* Once made it stays, since a later snapshot may need it: an empty one is as good as none. */
static void restore_cache(struct rank *rank, struct cache *now, const struct pages *copy)
{
    size_t size;
    void *contents = cache_contents(now, &size);

    rank->cache = now;
    if (copy->size > 0)
        pages_restore(copy, contents);
    else if (contents)
        memset(contents, 0, size);
}

static void restore_rank(struct rank *rank, const struct rank_copy *copy)
{
    struct rank now;

    each_payload(rank, drop_payload, NULL);
    drop_messages(rank);
    now = *rank;
    *rank = copy->rank;
    restore_arrays(rank, &now, copy);
    restore_cache(rank, now.cache, &copy->cache);
    restore_cores(rank, copy);
    pages_restore(&copy->objects, rank->object);
    for (unsigned o = 0; o < rank->objects; o++)
        if (!is_constant(&rank->object[o]))
            pages_restore(&copy->data[o], rank->object[o].data);
    for (unsigned i = 0; i < copy->payloads; i++)
        restore_payload(rank, &copy->payload[i]);
}

void pto_vm_restore(struct pto_vm *vm, const struct pto_snapshot *snapshot)
{
    for (int r = 0; r < vm->ranks; r++)
        restore_rank(&vm->rank[r], &snapshot->rank[r]);
    pages_restore(&snapshot->wires, vm->wire);
    vm->window_end = snapshot->window_end;
    vm->effort = snapshot->effort;
    vm->recent_effort = snapshot->recent_effort;
    vm->status = PTO_OK;
    vm->finished = false;
    vm->fault = (struct pto_fault){0};
    vm->parties_listed = false;
    vm->warnings = 0; /* gathered again from the ranks */
}

static void free_rank(struct rank_copy *copy, uint64_t *freed)
{
    for (unsigned c = 0; c < copy->rank.cores; c++)
        for (int b = 0; b < BLOCKS; b++)
            pages_free(&copy->core[c].block[b], freed);
    for (unsigned o = 0; o < copy->rank.objects; o++)
        pages_free(&copy->data[o], freed);
    for (uint32_t i = 0; i < copy->rank.inbox_size; i++)
        free(copy->inbox[i].payload);
    for (unsigned i = 0; i < copy->payloads; i++)
        free(copy->payload[i].bytes);
    pages_free(&copy->cores, freed);
    pages_free(&copy->parts, freed);
    pages_free(&copy->objects, freed);
    pages_free(&copy->links, freed);
    pages_free(&copy->turns, freed);
    pages_free(&copy->heap, freed);
    pages_free(&copy->warnings, freed);
    pages_free(&copy->cache, freed);
    free(copy->core);
    free(copy->data);
    free(copy->inbox);
    free(copy->payload);
}

uint64_t pto_snapshot_free(struct pto_snapshot *snapshot)
{
    uint64_t freed = 0;

    if (!snapshot)
        return 0;
    for (int r = 0; r < snapshot->ranks; r++)
        free_rank(&snapshot->rank[r], &freed);
    pages_free(&snapshot->wires, &freed);
    freed += sizeof *snapshot + (uint64_t)snapshot->ranks * sizeof *snapshot->rank;
    free(snapshot);
    return freed;
}
