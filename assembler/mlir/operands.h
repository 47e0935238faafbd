/* `name ins(..) outs(..)` on its way into an instruction. */
#ifndef ASM_MLIR_OPERANDS_H
#define ASM_MLIR_OPERANDS_H

#include "mlir/lower.h"

/* What the row of an instruction does not say: mlir_ops.def. */
enum mlir_how { PLAIN, ACCUMULATES, WINDOWED, REFILLED, UNFOLDED, CONVERTED, MERGED, GATHERED,
                REVERSED };

enum {
    MLIR_WRITTEN = 16,                           /* operands that a group has in the text */
    MLIR_OPERANDS = MLIR_WRITTEN + MLIR_UNFOLDED /* and those that are attributes */
};

struct mlir_operands {
    struct mlir_value *in[MLIR_OPERANDS], *out[MLIR_OPERANDS]; /* NULL: a number */
    struct mlir_scalar number[MLIR_OPERANDS];                  /* of the ins */
    unsigned ins, outs, taken_in, taken_out;
    bool no_scratch; /* that is said; where the row has one, it is made */
    struct pto_buf text;
};

/* Put operands where the row of the instruction has them (arrange.c); false after an error. */
bool mlir_arrange(struct mlir_lower *l, struct mlir_node *op, enum mlir_how how,
                  struct mlir_operands *o);

#endif
