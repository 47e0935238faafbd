/* Going on later: all that a machine is between two windows, as bytes, and a machine of the same
 * launches that takes it up (docs/decisions/0049-runs-that-go-on-later.md).
 *
 * The machine, then each rank, then where each rank begins.  Memory goes in pages, of which those
 * that hold nothing but zeros or poison are a byte each.  With a carrier process 0 writes what all
 * have, and each process takes up its own ranks: how many processes wrote it does not matter. */
#include <stdlib.h>
#include <string.h>

#include "machine/cache.h"
#include "machine/cost.h"
#include "machine/memory.h"
#include "machine/parts.h"
#include "pack.h"
#include "pages.h"
#include "units/carry.h"
#include "vm.h"

enum { CHUNK = 1 << 20 };

/* Bytes on their way out. */
struct writer {
    struct pto_buf buf;
    const struct pto_sink *sink; /* NULL: they come together in `buf` */
    uint64_t written;
};

static void flush(struct writer *out)
{
    if (out->sink && out->buf.size)
        out->sink->put(out->sink->context, out->buf.data, out->buf.size);
    out->written += out->buf.size;
    out->buf.size = 0;
}

static void flush_if_long(struct writer *out)
{
    if (out->sink && out->buf.size >= CHUNK)
        flush(out);
}

/* ---- memory ---- */

enum page_kind { PAGE_ZEROS, PAGE_POISON, PAGE_BYTES_FOLLOW };

static bool is_all(const uint8_t *bytes, size_t size, uint8_t value)
{
    return !size || (bytes[0] == value && !memcmp(bytes, bytes + 1, size - 1));
}

static void put_memory(const uint8_t *bytes, size_t size, struct writer *out)
{
    for (size_t at = 0; at < size; at += PAGE_BYTES) {
        size_t length = size - at < PAGE_BYTES ? size - at : PAGE_BYTES;
        enum page_kind kind = is_all(bytes + at, length, 0)        ? PAGE_ZEROS
                              : is_all(bytes + at, length, POISON) ? PAGE_POISON
                                                                   : PAGE_BYTES_FOLLOW;

        pto_buf_byte(&out->buf, kind);
        if (kind == PAGE_BYTES_FOLLOW)
            pto_buf_append(&out->buf, bytes + at, length);
        flush_if_long(out);
    }
}

/* Pages that hold it already are left alone: the host has perhaps none of its own for them. */
static void take_memory(struct reader *in, uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += PAGE_BYTES) {
        size_t length = size - at < PAGE_BYTES ? size - at : PAGE_BYTES;
        uint8_t kind, value;

        reader_take(in, &kind, 1);
        value = kind == PAGE_ZEROS ? 0 : POISON;
        if (kind == PAGE_BYTES_FOLLOW)
            reader_take(in, bytes + at, length);
        else if (!is_all(bytes + at, length, value))
            memset(bytes + at, value, length);
    }
}

/* ---- what was given ---- */

static uint64_t sum(uint64_t before, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t word;

    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        before = (before ^ word) * UINT64_C(0x100000001b3);
        before ^= before >> 29;
    }
    for (; size; size--)
        before = (before ^ *at++) * UINT64_C(0x100000001b3);
    return before;
}

static uint64_t sum_of_parameters(const struct rank *rank)
{
    const struct pto_vm *vm = rank->vm;
    uint64_t all = 0;

    for (unsigned l = 0; l < vm->launches; l++) {
        const struct launch *launch = &vm->launch[l];
        const uint64_t *param = launch->param[rank->number];

        if (launch->earlier < 0 || vm->launch[launch->earlier].param[rank->number] != param)
            all = sum(all, param, launch->kernel->params * sizeof *param);
    }
    return all;
}

/* Many ranks may have one and the same bytes. */
static uint64_t sum_of_object(const struct rank *rank, unsigned number)
{
    const struct object *object = &rank->object[number];
    const struct rank *before = rank > rank->vm->rank ? rank - 1 : NULL;

    if (before && before->given && before->object[number].data == object->data)
        return before->given[number];
    return sum(object->size, object->data, object->size);
}

void pto_vm_remember_inputs(struct pto_vm *vm)
{
    for (int i = 0; i < vm->owns; i++) {
        struct rank *rank = &vm->rank[vm->own[i]];

        rank->given = pto_arena_array(&vm->arena, rank->objects + 1, sizeof *rank->given);
        for (unsigned o = 0; o < rank->objects; o++)
            if (rank->object[o].bound && rank->object[o].data)
                rank->given[o] = sum_of_object(rank, o);
        rank->given[rank->objects] = sum_of_parameters(rank);
    }
}

static enum pto_status check_given(const struct rank *rank, struct reader *in,
                                   struct pto_diags *diags)
{
    unsigned errors = diags->errors;

    for (unsigned o = 0; o <= rank->objects; o++) {
        uint64_t was;

        reader_take(in, &was, sizeof was);
        if (was == rank->given[o])
            continue;
        if (o < rank->objects)
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                         "rank %d: '%s' does not hold what it held when the run began",
                         rank->number, rank->object[o].name);
        else
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                         "rank %d: parameters have other values than when the run began",
                         rank->number);
    }
    return diags->errors == errors ? PTO_OK : PTO_ECONFIG;
}

/* ---- what has come from other ranks ---- */

static void put_payload(const uint8_t *payload, size_t size, struct writer *out)
{
    pto_buf_byte(&out->buf, payload != NULL);
    if (payload)
        pto_buf_append(&out->buf, payload, size);
    flush_if_long(out);
}

static uint8_t *take_payload(struct reader *in, size_t size)
{
    uint8_t there;

    reader_take(in, &there, 1);
    return there ? pack_take_block(in, NULL, size) : NULL;
}

static void put_payloads(const struct core *core, struct writer *out)
{
    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++)
        for (uint32_t i = core->pipe[p]->head; i != core->pipe[p]->tail; i++) {
            const struct entry *entry = pipe_entry(core->pipe[p], i);

            if (entry->kind == ENTRY_TILE)
                put_payload(entry->payload, pack_payload_bytes(entry), out);
        }
    for (uint64_t i = core->dma->head; i != core->dma->tail; i++)
        put_payload(dma_submission(core, i)->payload, dma_submission(core, i)->bytes, out);
}

static void take_payloads(struct core *core, struct reader *in)
{
    for (unsigned p = 0; p < PTO_PIPE_COUNT; p++)
        for (uint32_t i = core->pipe[p]->head; i != core->pipe[p]->tail; i++) {
            struct entry *entry = pipe_entry(core->pipe[p], i);

            if (entry->kind == ENTRY_TILE)
                entry->payload = take_payload(in, pack_payload_bytes(entry));
        }
    for (uint64_t i = core->dma->head; i != core->dma->tail; i++)
        dma_submission(core, i)->payload = take_payload(in, dma_submission(core, i)->bytes);
}

/* ---- sub-cores ---- */

static size_t local_bytes(const struct core *core)
{
    return core->ready && core->local ? core->ready->local_words * sizeof *core->local : 0;
}

static size_t tile_bytes(const struct core *core)
{
    return core->ready && core->ready->core
               ? core->ready->core->tiles * sizeof *core->tile_address
               : 0;
}

/* The pieces of a space that hold anything. */
static void put_space(const struct core *core, unsigned space, struct writer *out)
{
    const unsigned shift = memory_piece_shift(core->rank->vm->profile.capacity[space]);
    const uint32_t size = core->chip->data[space] ? core->chip->size[space] : 0;

    pto_buf_u32(&out->buf, size);
    pto_buf_append(&out->buf, &core->chip->reached[space], sizeof core->chip->reached[space]);
    for (uint32_t i = 0, from = 0; from < size; from = ++i << shift)
        if (core->chip->reached[space] >> i & 1)
            put_memory(core->chip->data[space] + from,
                       size - from < UINT32_C(1) << shift ? size - from : UINT32_C(1) << shift,
                       out);
}

static void take_space(struct core *core, unsigned space, struct reader *in)
{
    const unsigned shift = memory_piece_shift(core->rank->vm->profile.capacity[space]);
    uint32_t size;
    uint64_t reached;

    reader_take(in, &size, sizeof size);
    reader_take(in, &reached, sizeof reached);
    if (!size)
        return;
    memory_restore_space(core, space, size, reached);
    for (uint32_t i = 0, from = 0; from < size; from = ++i << shift)
        if (reached >> i & 1)
            take_memory(in, core->chip->data[space] + from,
                        size - from < UINT32_C(1) << shift ? size - from : UINT32_C(1) << shift);
}

static void put_core(const struct core *core, struct writer *out)
{
    pack_core(core, &out->buf);
    pto_buf_byte(&out->buf, local_bytes(core) > 0);
    pto_buf_append(&out->buf, core->local, local_bytes(core));
    pto_buf_append(&out->buf, core->tile_address, tile_bytes(core));
    put_payloads(core, out);
    for (unsigned s = 0; s < PTO_SPACE_COUNT; s++)
        put_space(core, s, out);
}

static void take_core(struct core *core, struct reader *in)
{
    uint8_t there;

    pack_take_core(core, in);
    reader_take(in, &there, 1);
    if (there) {
        memory_locals(core);
        reader_take(in, core->local, local_bytes(core));
    }
    core->tile_address = pack_take_block(in, core->tile_address, tile_bytes(core));
    take_payloads(core, in);
    for (unsigned s = 0; s < PTO_SPACE_COUNT; s++)
        take_space(core, s, in);
}

/* ---- objects ---- */

/* Inputs that no launch writes are as they were. */
static bool is_constant(const struct object *object)
{
    return !object->data || object->lent || (object->bound && !object->written);
}

/* Who waits for a signal, the latest first: the number of the sub-core and of its condition. */
static void put_waiters(const struct object *object, struct writer *out)
{
    for (const struct signal_wait *wait = object->waiters; wait; wait = wait->next) {
        pto_buf_byte(&out->buf, 1);
        pto_buf_u32(&out->buf, wait->core->number);
        pto_buf_byte(&out->buf, (uint8_t)(wait - wait->core->waits->condition));
    }
    pto_buf_byte(&out->buf, 0);
}

static void take_waiters(struct rank *rank, struct object *object, struct reader *in)
{
    struct signal_wait **link = &object->waiters;
    uint8_t more, condition;
    uint32_t core;

    for (reader_take(in, &more, 1); more; reader_take(in, &more, 1)) {
        reader_take(in, &core, sizeof core);
        reader_take(in, &condition, 1);
        *link = &rank->core[core].waits->condition[condition];
        link = &(*link)->next;
    }
    *link = NULL;
    object->awaited = UINT64_MAX; /* until somebody has looked */
}

static void put_objects(const struct rank *rank, struct writer *out)
{
    for (unsigned o = 0; o < rank->objects; o++) {
        const struct object *object = &rank->object[o];

        put_waiters(object, out);
        if (!is_constant(object))
            put_memory(object->data, object->size, out);
    }
}

static void take_objects(struct rank *rank, struct reader *in)
{
    for (unsigned o = 0; o < rank->objects; o++) {
        struct object *object = &rank->object[o];

        take_waiters(rank, object, in);
        if (!is_constant(object))
            take_memory(in, object->data, object->size);
    }
}

/* ---- ranks ---- */

static void put_cache(const struct rank *rank, struct writer *out)
{
    size_t size;
    const void *contents = cache_contents(rank->cache, &size);

    pto_buf_byte(&out->buf, contents != NULL);
    put_memory(contents, size, out);
}

static void take_cache(struct rank *rank, struct reader *in)
{
    size_t size;
    uint8_t there, *contents;

    reader_take(in, &there, 1);
    if (!there)
        return;
    contents = cache_contents(cost_cache(rank), &size);
    take_memory(in, contents, size);
}

static void put_rank(const struct rank *rank, struct writer *out)
{
    pto_buf_append(&out->buf, rank->given, (rank->objects + 1) * sizeof *rank->given);
    pack_rank(rank, &out->buf);
    for (uint32_t i = 0; i < rank->inbox_size; i++)
        put_payload(rank->inbox[i]->payload, rank->inbox[i]->bytes, out);
    put_cache(rank, out);
    for (unsigned c = 0; c < rank->cores; c++)
        put_core(&rank->core[c], out);
    put_objects(rank, out);
}

static enum pto_status take_rank(struct rank *rank, struct reader *in, struct pto_diags *diags)
{
    PTO_TRY(check_given(rank, in, diags));
    pack_take_rank(rank, in);
    for (uint32_t i = 0; i < rank->inbox_size; i++)
        rank->inbox[i]->payload = take_payload(in, rank->inbox[i]->bytes);
    take_cache(rank, in);
    for (unsigned c = 0; c < rank->cores; c++)
        take_core(&rank->core[c], in);
    take_objects(rank, in);
    return PTO_OK;
}

/* ---- machines ---- */

static size_t wire_bytes(const struct pto_vm *vm)
{
    return topology_wires(&vm->topology) * sizeof *vm->wire;
}

/* One rank of each process at a time, so that process 0 holds no more than that twice. */
static void gather_ranks(struct pto_vm *vm, struct writer *out, uint64_t *begin)
{
    const int processes = vm->options.carrier->processes;
    struct pto_buf *in = pto_xcalloc((size_t)processes, sizeof *in);
    struct writer own = {0};
    const int rounds = carry_most(vm);

    for (int round = 0; round < rounds; round++) {
        own.buf.size = 0;
        if (round < vm->owns)
            put_rank(&vm->rank[vm->own[round]], &own);
        carry_home(vm, &own.buf, in);
        for (int p = 0; p < processes; p++) {
            const struct pto_buf *from = p == 0 ? &own.buf : &in[p];

            if (vm->process == 0 && from->size) {
                begin[carry_rank(vm, p, round)] = out->written + out->buf.size;
                pto_buf_append(&out->buf, from->data, from->size);
                flush(out);
            }
            pto_buf_free(&in[p]);
        }
    }
    pto_buf_free(&own.buf);
    free(in);
}

void pto_vm_save(struct pto_vm *vm, const struct pto_sink *sink)
{
    const uint64_t words[] = {vm->window_end, vm->effort, vm->recent_effort};
    uint64_t *begin = pto_xcalloc((size_t)vm->ranks, sizeof *begin);
    struct writer out = {.sink = sink};

    if (vm->carry)
        carry_wires(vm);
    pto_buf_append(&out.buf, words, sizeof words);
    pto_buf_append(&out.buf, vm->wire, wire_bytes(vm));
    if (vm->carry)
        gather_ranks(vm, &out, begin);
    for (int r = 0; r < vm->ranks && !vm->carry; r++) {
        flush(&out);
        begin[r] = out.written;
        put_rank(&vm->rank[r], &out);
    }
    pto_buf_append(&out.buf, begin, (size_t)vm->ranks * sizeof *begin);
    flush(&out);
    pto_buf_free(&out.buf);
    free(begin);
}

enum pto_status pto_vm_load(struct pto_vm *vm, const uint8_t *bytes, size_t size,
                            struct pto_diags *diags)
{
    struct reader in = {bytes, bytes + size};
    struct reader index = {bytes + size - (size_t)vm->ranks * sizeof(uint64_t), bytes + size};
    uint64_t words[3], begin;
    enum pto_status status = PTO_OK;

    reader_take(&in, words, sizeof words);
    vm->window_end = words[0];
    vm->effort = words[1];
    vm->recent_effort = words[2];
    reader_take(&in, vm->wire, wire_bytes(vm));
    for (int r = 0; r < vm->ranks && status == PTO_OK; r++) {
        reader_take(&index, &begin, sizeof begin);
        if (is_own(vm, r))
            status = take_rank(&vm->rank[r], &(struct reader){bytes + begin, bytes + size}, diags);
    }
    return status;
}
