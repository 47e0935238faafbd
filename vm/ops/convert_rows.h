/* Rows of one element type as another: what TCVT does where the result is that of the host's own
 * arithmetic, done right at the ends of the range. */
#ifndef PTO_VM_OPS_CONVERT_ROWS_H
#define PTO_VM_OPS_CONVERT_ROWS_H

#include "lanes.h"

/* What one TCVT does, after its defaults have been filled in. */
struct op_conversion {
    uint8_t from, to;
    int mode;      /* PTO_ROUND_*, not DEFAULT */
    bool saturate;
};

#define op_choose_row OP_NAME(choose_row)
#define op_convert_pairs OP_NAME(convert_pairs)
#define op_convert_elements OP_NAME(convert_elements)

/* The function for a conversion, to be called with the lanes dst, src, the conversion; NULL if the
 * pair has none in this mode. */
op_rows_function *op_choose_row(const struct op_conversion *c);

/* Where one of the two types has two numbers in an element (convert_pairs.c). */
const char *op_convert_pairs(const struct op_args *args, const struct op_conversion *c);

/* Every other conversion, element by element (convert.c): also what rows leave over. */
void op_convert_elements(void *dst, const void *src, const struct op_conversion *c, size_t n);

#endif
