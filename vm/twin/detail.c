#include "twin/detail.h"

#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "object.h"
#include "place.h"

/* ---- while it runs ---- */

/* With `values` as they are now. */
static void take_text(struct twin_detail *d, const struct pto_insn *insn, bool values)
{
    struct pto_vm *vm = d->side->launch.vm;
    struct pto_core_info info;
    unsigned count;
    const uint64_t *value =
        values ? pto_vm_registers(vm, d->unit.rank, d->unit.core, &count) : NULL;

    pto_vm_core(vm, d->unit.rank, d->unit.core, &info);
    d->registers = 0;
    d->text.size = d->core.size = d->where.size = 0;
    pto_buf_printf(&d->core, "%s", info.name);
    if (!insn || !info.module || insn < info.code->code.insn ||
        insn >= info.code->code.insn + info.code->code.insns)
        return;
    pto_disassemble_values(info.module, info.kernel, info.code, &info.code->code, insn, value,
                           &d->text);
    if (!value || info.code->code.regs == 0)
        return;
    d->registers = info.code->code.regs;
    d->reg = info.code->code.reg;
    d->value = pto_xrealloc(d->value, d->registers * sizeof *d->value);
    memcpy(d->value, value, d->registers * sizeof *d->value);
}

static void on_event(void *context, const struct pto_event *event)
{
    struct twin_detail *d = context;

    if (event->kind == PTO_EV_ISSUE && d->entry > 0 && event->entry == d->entry &&
        event->rank == d->unit.rank && event->core == d->unit.core &&
        event->pipe == d->unit.queue && !d->found)
        take_text(d, event->insn, true);
}

static void on_touch(void *context, const struct pto_touch *touch)
{
    struct twin_detail *d = context;

    if (d->entry == 0 && touch->rank == d->unit.rank && touch->core == d->unit.core &&
        touch->queue == d->unit.queue && d->seen == d->index && !d->found)
        take_text(d, touch->insn, !touch->arrives);
}

/* What the operand that the instruction writes has for elements. */
static uint8_t written_type(const struct twin_detail *d, const struct pto_insn *insn)
{
    const struct pto_op_info *op = insn ? pto_op_info(insn->op) : NULL;
    struct pto_core_info info;

    pto_vm_core(d->side->launch.vm, d->unit.rank, d->unit.core, &info);
    for (unsigned i = 0; op && info.code && i < insn->operands && i < op->operands; i++)
        if (op->operand[i].access & PTO_WRITE && insn->operand[i].kind == PTO_O_TILE)
            return info.code->tile[insn->operand[i].tile.tile].dtype;
    return PTO_U8;
}

static void take_place(struct twin_detail *d)
{
    struct pto_object_info info;

    if (d->place.core >= 0) {
        d->dtype = written_type(d, d->write.insn);
    } else if (pto_vm_object(d->side->launch.vm, d->place.rank, d->place.number, &info)) {
        d->dtype = info.dtype;
        d->dims = info.dims;
        memcpy(d->stride, info.stride, sizeof d->stride);
    }
}

static void on_write(void *context, const struct twin_unit *unit, const struct twin_write *write,
                     const struct twin_record *record)
{
    struct twin_detail *d = context;
    const struct pto_pos *pos;
    const uint8_t *bytes;

    if (unit->rank != d->unit.rank || unit->core != d->unit.core ||
        unit->queue != d->unit.queue || unit->to != d->unit.to || d->seen++ != d->index)
        return;
    d->found = true;
    d->write = *write;
    d->place = record->touch.bytes.place;
    d->stretches = record->stretches;
    d->stretch = pto_xcalloc(record->stretches, sizeof *d->stretch);
    memcpy(d->stretch, record->stretch, record->stretches * sizeof *d->stretch);
    take_place(d);
    bytes = twin_bytes(record->vm, &d->place);
    for (unsigned i = 0; i < d->stretches && bytes; i++)
        for (uint64_t p = 0; p < d->stretch[i].count; p++)
            pto_buf_append(&d->bytes, bytes + d->stretch[i].offset + p * d->stretch[i].step,
                           d->stretch[i].length);
    pos = write->insn ? pto_place(write->module, write->insn->pos) : NULL;
    if (pos)
        pto_buf_printf(&d->where, "%s:%u", write->module->file[pos->file], pos->line);
    pto_vm_pause(record->vm);
}

enum pto_status twin_detail_take(struct twin_detail *detail, struct pto_diags *diags,
                                 int *stopped_by)
{
    struct twin_record record = {
        .take = on_write, .touched = on_touch, .seen = on_event, .context = detail};

    return twin_side_run(detail->side, &record, diags, stopped_by);
}

/* ---- telling ---- */

/* The byte of the place that is the `at`-th of those written. */
static uint64_t offset_of(const struct twin_detail *d, uint64_t at)
{
    for (unsigned i = 0; i < d->stretches; i++) {
        const struct pto_stretch *s = &d->stretch[i];

        if (at < s->count * s->length)
            return s->offset + at / s->length * s->step + at % s->length;
        at -= s->count * s->length;
    }
    return 0;
}

void twin_detail_place(const struct twin_detail *d, uint64_t element, struct pto_buf *out)
{
    unsigned size = pto_dtype_size((enum pto_dtype)d->dtype);
    uint64_t offset = offset_of(d, element * size), left = offset / size;

    if (!d->write.object) {
        pto_buf_printf(out, "%s+0x%llx", pto_space_name((enum pto_space)d->place.number),
                       (unsigned long long)offset);
        return;
    }
    pto_buf_printf(out, "%s@%d[", d->write.object, d->place.rank);
    for (unsigned i = 0; i < d->dims; i++) {
        uint64_t stride = d->stride[i] > 0 ? (uint64_t)d->stride[i] : 1;

        pto_buf_printf(out, "%s%llu", i > 0 ? ", " : "", (unsigned long long)(left / stride));
        left %= stride;
    }
    pto_buf_printf(out, "]");
}

void twin_detail_value(const struct twin_detail *d, uint64_t element, struct pto_buf *out)
{
    enum pto_dtype dtype = (enum pto_dtype)d->dtype;
    unsigned size = pto_dtype_size(dtype);
    const uint8_t *at = d->bytes.data + element * size;

    if ((element + 1) * size > d->bytes.size)
        return;
    if (pto_dtype_is_float(dtype))
        pto_buf_printf(out, "%.9g", pto_load_f64(at, dtype));
    else if (dtype == PTO_U64)
        pto_buf_printf(out, "%llu", (unsigned long long)pto_load_int(at, dtype));
    else
        pto_buf_printf(out, "%lld", (long long)pto_load_int(at, dtype));
}

bool twin_detail_other(const struct twin_detail d[2], unsigned number, uint64_t *value)
{
    const struct pto_register *reg = &d[0].reg[number];

    for (unsigned i = 0; i < d[1].registers && reg->name[0] != '_'; i++) {
        if (strcmp(d[1].reg[i].name, reg->name) != 0 || d[1].reg[i].is_float != reg->is_float)
            continue;
        *value = d[1].value[i];
        return *value != d[0].value[number];
    }
    return false;
}

void twin_detail_register(const struct pto_register *reg, uint64_t bits, struct pto_buf *out)
{
    double number;

    if (reg->is_float) {
        memcpy(&number, &bits, sizeof number);
        pto_buf_printf(out, "%.17g", number);
    } else {
        pto_buf_printf(out, "%lld", (long long)bits);
    }
}

void twin_detail_free(struct twin_detail *detail)
{
    free(detail->value);
    pto_buf_free(&detail->text);
    pto_buf_free(&detail->where);
    pto_buf_free(&detail->core);
    pto_buf_free(&detail->bytes);
    free(detail->stretch);
}
