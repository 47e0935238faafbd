#include "twin/record.h"

#include <stdlib.h>

#include "arena.h"
#include "data/hash.h"

const uint8_t *twin_bytes(struct pto_vm *vm, const struct pto_place *place)
{
    struct pto_object_info info;
    uint32_t size;

    if (place->core >= 0)
        return pto_vm_space(vm, place->rank, (unsigned)place->core, (enum pto_space)place->number,
                            &size);
    return pto_vm_object(vm, place->rank, place->number, &info) ? info.data : NULL;
}

static struct twin_write write_of(const struct twin_record *record)
{
    const struct pto_touch *touch = &record->touch;
    const struct pto_place *place = &touch->bytes.place;
    const uint8_t *bytes = twin_bytes(record->vm, place);
    struct twin_write write = {
        .hash = CLI_HASH_OF_NOTHING,
        .offset = touch->bytes.offset,
        .time_ps = touch->time_ps,
        .event = record->number,
        .entry = touch->entry,
        .insn = touch->insn,
        .module = touch->module,
        .space = (uint16_t)place->number,
        .free_order = touch->atomic,
    };
    struct pto_object_info info;

    if (place->core < 0 && pto_vm_object(record->vm, place->rank, place->number, &info)) {
        write.object = info.name;
        write.free_order = write.free_order || info.kind == PTO_OBJ_SIGNAL;
    }
    for (unsigned i = 0; i < record->stretches; i++) {
        const struct pto_stretch *s = &record->stretch[i];

        for (uint64_t p = 0; p < s->count && bytes; p++)
            write.hash = cli_hash(write.hash, bytes + s->offset + p * s->step, s->length);
        write.bytes += s->count * s->length;
    }
    return write;
}

/* The write at hand is made. */
static void flush(struct twin_record *record)
{
    const struct pto_touch *touch = &record->touch;
    const struct twin_unit unit = {touch->rank, touch->core, touch->queue,
                                   touch->arrives ? touch->bytes.place.rank : -1};
    struct twin_write write;

    if (!record->pending)
        return;
    record->pending = false;
    write = write_of(record);
    record->take(record->context, &unit, &write, record);
    record->stretches = 0;
}

static void observe(void *context, const struct pto_event *event)
{
    struct twin_record *record = context;

    flush(record);
    record->events++;
    if (record->seen)
        record->seen(record->context, event);
}

static bool wants(void *context, const struct pto_place *place)
{
    (void)context;
    (void)place;
    return true;
}

/* Another operand, or another piece, of what the instruction at hand writes? */
static bool belongs(const struct twin_record *record, const struct pto_touch *touch)
{
    const struct pto_touch *last = &record->touch;

    return record->pending && touch->insn == last->insn && touch->entry == last->entry &&
           touch->rank == last->rank && touch->core == last->core && touch->queue == last->queue &&
           touch->arrives == last->arrives && pto_same_place(&touch->bytes.place,
                                                             &last->bytes.place);
}

static bool touched(void *context, const struct pto_touch *touch, uint64_t *at)
{
    struct twin_record *record = context;

    (void)at;
    if (!touch->write)
        return false;
    if (!belongs(record, touch)) {
        flush(record);
        record->pending = true;
        record->touch = *touch;
        record->number = record->events + (touch->queue != PTO_PIPE_S && !touch->arrives);
        if (record->touched)
            record->touched(record->context, touch);
    }
    PTO_GROW(record->stretch, record->stretches, record->capacity);
    record->stretch[record->stretches++] = touch->bytes;
    return false;
}

static void source(void *context, const struct pto_stretch *bytes)
{
    (void)context;
    (void)bytes;
}

enum pto_status twin_record_begin(struct twin_record *record, struct pto_vm *vm)
{
    const struct pto_touch_listener listener = {
        .context = record, .wants = wants, .touched = touched, .source = source};

    record->vm = vm;
    PTO_TRY(pto_vm_observe(vm, observe, record));
    record->touches = pto_touches_attach(vm, &listener);
    return PTO_OK;
}

void twin_record_end(struct twin_record *record)
{
    flush(record);
    pto_touches_detach(record->touches);
    free(record->stretch);
    record->touches = NULL;
    record->stretch = NULL;
    record->stretches = record->capacity = 0;
}
