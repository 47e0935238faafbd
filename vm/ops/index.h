/* Integer elements as 64-bit numbers, and the elements of a tile that such numbers name. */
#ifndef PTO_VM_OPS_INDEX_H
#define PTO_VM_OPS_INDEX_H

#include "line.h"

#define op_check_vector OP_NAME(check_vector)
#define op_to_i64 OP_NAME(to_i64)
#define op_locate OP_NAME(locate)
#define op_fetch OP_NAME(fetch)
#define op_deposit OP_NAME(deposit)

/* Is operand `index` a column or a row of at least `count` elements?  NULL, or the fault. */
const char *op_check_vector(const struct op_args *args, int index, const char *name,
                            uint32_t count);

/* `count` elements of an integer type of at most 32 bits. */
void op_to_i64(uint8_t dtype, int64_t *to, const void *from, uint32_t count);

/* A tile seen as one sequence: number i is row i / width, column i % width. */
struct op_table {
    struct op_place place; /* of its valid region (or of a copy of it) */
    uint32_t rows, cols;   /* valid region: what may be named */
    uint32_t width;        /* columns of the whole tile */
};

/* The elements of a table that a line of indices names. */
struct op_named {
    const mem_u32 *number;   /* of a table without gaps the indices themselves; else NULL, and */
    int64_t offset[OP_LINE]; /* bytes from element (0, 0) */
};

/* What `count` indices of an integer type of at most 32 bits name.  Returns the position of the
 * first one that names no valid element, whose number is then its offset; or `count`. */
uint32_t op_locate(const struct op_table *table, struct op_named *named, uint8_t dtype,
                   const void *indices, uint32_t count);

/* Named elements to or from contiguous ones, in ascending order. */
void op_fetch(const struct op_table *table, const struct op_named *named, void *to,
              uint32_t count);
void op_deposit(const struct op_table *table, const struct op_named *named, const void *from,
                uint32_t count);

#endif
