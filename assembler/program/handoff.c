/* handoff P -> Q, event: set_flag P, Q, event and wait_flag P, Q, event. */
#include "handoff.h"

#include "assembly.h"
#include "check.h"
#include "code.h"
#include "operand.h"

void asm_handoff(struct assembly *a, const struct asm_stmt *stmt,
                 const struct asm_expr *const *expr)
{
    enum { OPERANDS = 3 };
    const struct pto_op_info *info = pto_op_info(PTO_OP_HANDOFF);
    struct pto_operand operand[OPERANDS] = {{0}};
    struct pto_insn insn = {.op = PTO_OP_SET_FLAG, .operands = OPERANDS, .operand = operand};

    for (unsigned i = 0; i < OPERANDS; i++)
        if (!asm_operand_lower(a, &info->operand[i], expr[i], &operand[i]))
            return;
    if (!asm_check(a, stmt, &insn, expr))
        return;
    asm_emit(a, stmt->token, PTO_OP_SET_FLAG, OPERANDS, operand);
    asm_emit(a, stmt->token, PTO_OP_WAIT_FLAG, OPERANDS, operand);
}
