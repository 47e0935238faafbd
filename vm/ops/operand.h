/* Operands one by one: where their elements lie, and the checks that many instructions share. */
#ifndef PTO_VM_OPS_OPERAND_H
#define PTO_VM_OPS_OPERAND_H

#include "place.h"

/* The elements of a view. */
struct op_operand {
    struct op_place place;
    uint8_t dtype;
};

/* Filled in where it stands (see op_set_strided), or as a value. */
static inline void op_set_operand(struct op_operand *operand, const struct op_view *view)
{
    op_set_place(&operand->place, view);
    operand->dtype = view->dtype;
}

static inline struct op_operand op_operand_of(const struct op_view *view)
{
    struct op_operand operand;

    op_set_operand(&operand, view);
    return operand;
}

#define op_covers OP_NAME(covers)
#define op_convert_scalar OP_NAME(convert_scalar)

/* Does operand `index` have at least rows x cols valid elements?  NULL, or the fault. */
const char *op_covers(const struct op_args *args, int index, const char *name, uint32_t rows,
                      uint32_t cols);

/* The scalar operand `index` as an element of `dtype`: floats round once to nearest even; integer
 * types need an integral value in range (64-bit ones take any 64-bit integer), else it faults. */
const char *op_convert_scalar(const struct op_args *args, int index, uint8_t dtype, void *element);

#endif
