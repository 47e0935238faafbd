#include "access.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bits.h"
#include "flag.h"
#include "machine/cost.h"
#include "machine/element.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/observe.h"
#include "machine/probe.h"
#include "machine/resolve.h"
#include "print.h"

void access_default(struct core *core, uint32_t parameter, uint64_t bits)
{
    if (!core->given[parameter])
        core->reg[parameter] = bits;
}

bool access_present(const struct core *core, uint32_t object)
{
    return memory_object(core, object)->present;
}

/* Time of an access: global memory costs a trip, on-chip memory nothing beyond the instruction. */
static void charge(struct core *core, const struct ready_operand *place, enum duration trip)
{
    if (place->kind == PTO_O_GM)
        core->time += cost_of(core, trip);
}

/* Local arrays are private to S: nobody else can see them. */
static inline void observe_element(struct core *core, const struct ready_operand *place,
                                   const void *element, unsigned access)
{
    if (place->kind != PTO_O_LOCAL)
        PROBE(core->rank->vm, scalar, core, place, element, access);
}

static enum issue_result execute_ld(struct core *core, const struct ready_op *op)
{
    const struct ready_operand *place = &op->operand[1], *target = &op->operand[0];
    uint8_t dtype;
    const void *element = element_address(core, place, &dtype);

    if (!element)
        return ISSUE_FAULT;
    observe_element(core, place, element, PTO_READ);
    if (place->kind == PTO_O_LOCAL)
        memcpy(&core->reg[target->reg], element, sizeof(uint64_t));
    else if (target->is_float)
        core->reg[target->reg] = pto_f64_bits(pto_load_f64(element, dtype));
    else
        core->reg[target->reg] = (uint64_t)pto_load_int(element, dtype);
    charge(core, place, COST_LOAD);
    return ISSUE_DONE;
}

static enum issue_result execute_st(struct core *core, const struct ready_op *op)
{
    const struct ready_operand *place = &op->operand[0], *source = &op->operand[1];
    uint64_t bits = core->reg[source->reg];
    uint8_t dtype;
    void *element = element_address(core, place, &dtype);

    if (!element)
        return ISSUE_FAULT;
    observe_element(core, place, element, PTO_WRITE);
    if (place->kind == PTO_O_LOCAL)
        memcpy(element, &bits, sizeof bits);
    else if (source->is_float)
        pto_store_f64(element, dtype, pto_f64_from_bits(bits));
    else if (pto_dtype_is_float(dtype))
        pto_store_f64(element, dtype, (double)(int64_t)bits);
    else
        pto_store_int(element, dtype, (int64_t)bits);
    charge(core, place, COST_STORE);
    if (place->kind == PTO_O_GM)
        flag_object_written(core->rank, memory_object(core, place->object)->object);
    return ISSUE_DONE;
}

static enum issue_result execute_fetch_add(struct core *core, const struct ready_op *op)
{
    const struct ready_operand *place = &op->operand[1];
    uint8_t dtype;
    void *element = element_address(core, place, &dtype);
    int64_t old;

    if (!element)
        return ISSUE_FAULT;
    observe_element(core, place, element, PTO_READ | PTO_WRITE);
    old = pto_load_int(element, dtype);
    pto_store_int(element, dtype,
                  (int64_t)((uint64_t)old + core->reg[op->operand[2].reg]));
    core->reg[op->operand[0].reg] = (uint64_t)old;
    charge(core, place, COST_LOAD);
    if (place->kind == PTO_O_GM)
        flag_object_written(core->rank, memory_object(core, place->object)->object);
    return ISSUE_DONE;
}

static enum issue_result execute_region(struct core *core, const struct ready_op *op, bool begin)
{
    if (!begin && !core->regions) {
        FAULT_HERE(core, NULL, "trace_end without trace_begin");
        return ISSUE_FAULT;
    }
    core->regions = (uint16_t)(begin ? core->regions + 1 : core->regions - 1);
    if (observed(core))
        observe_core(core, core->pc,
                     (struct pto_event){.kind = begin ? PTO_EV_REGION_BEGIN : PTO_EV_REGION_END,
                                        .time_ps = core->time,
                                        .text = begin ? op->operand[0].text : NULL});
    return ISSUE_DONE;
}

enum issue_result access_execute(struct core *core, const struct ready_op *op)
{
    switch (op->insn->op) {
    case PTO_OP_LD:
        return execute_ld(core, op);
    case PTO_OP_ST:
        return execute_st(core, op);
    case PTO_OP_FETCH_ADD:
        return execute_fetch_add(core, op);
    case PTO_OP_CLOCK:
        core->reg[op->operand[0].reg] = core->time;
        return ISSUE_DONE;
    case PTO_OP_PRINT:
        print_values(core, op);
        return ISSUE_DONE;
    case PTO_OP_TPRINT:
        return print_tile(core, op) ? ISSUE_DONE : ISSUE_FAULT;
    case PTO_OP_TPRINT_GM:
        return print_window(core, op) ? ISSUE_DONE : ISSUE_FAULT;
    case PTO_OP_TASSIGN:
        return resolve_assign(core, &op->operand[0],
                                  (int64_t)core->reg[op->operand[1].reg])
                   ? ISSUE_DONE
                   : ISSUE_FAULT;
    default:
        return execute_region(core, op, op->insn->op == PTO_OP_TRACE_BEGIN);
    }
}
