#include "order.h"

enum { ALL_PIPES = (1 << PTO_PIPE_COUNT) - 1 };

/* What S waited for has come before anything that S does from now on, for whatever pipe. */
static unsigned with_those_of(unsigned pipe)
{
    return pipe == PTO_PIPE_S ? ALL_PIPES : 1u << pipe;
}

/* `everywhere`: on every path that leads here. */
static void add(struct asm_order *order, unsigned pipes, uint32_t scope, bool everywhere)
{
    order->ever |= (uint8_t)pipes;
    for (unsigned pipe = 0; everywhere && pipe < PTO_PIPE_COUNT; pipe++)
        if ((pipes >> pipe & 1) && !order->made[pipe])
            order->made[pipe] = scope + 1;
}

void asm_order_begin(struct asm_order *order, unsigned pipe, uint32_t scope)
{
    *order = (struct asm_order){0};
    add(order, with_those_of(pipe), scope, true);
}

void asm_order_see(struct asm_order *order, const struct pto_insn *insn, uint32_t scope)
{
    unsigned from = insn->operands ? insn->operand[0].value : 0;
    unsigned to = insn->operands > 1 ? insn->operand[1].value : 0;

    switch (insn->op) {
    case PTO_OP_SET_FLAG:
        if (order->ever >> from & 1)
            order->told[from] |= (uint8_t)(1u << to);
        return;
    case PTO_OP_WAIT_FLAG:
        if (order->told[from] >> to & 1)
            add(order, with_those_of(to), scope, order->made[from]);
        return;
    case PTO_OP_PIPE_BARRIER:
    case PTO_OP_TSYNC:
        if (from == PTO_PIPE_ALL)
            add(order, ALL_PIPES, scope, true);
        return;
    case PTO_OP_SYNC_ALL:
        add(order, ALL_PIPES, scope, true);
        return;
    default:
        return;
    }
}

void asm_order_leave(struct asm_order *order, uint32_t scope)
{
    for (unsigned pipe = 0; pipe < PTO_PIPE_COUNT; pipe++)
        if (order->made[pipe] > scope)
            order->made[pipe] = 0;
}

bool asm_order_holds(const struct asm_order *order, unsigned pipe)
{
    return order->made[pipe] != 0;
}

bool asm_order_may_hold(const struct asm_order *order, unsigned pipe)
{
    return order->ever >> pipe & 1;
}
