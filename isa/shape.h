/* Shapes of valid regions: what the rows of shapes.def say. */
#ifndef PTO_SHAPE_H
#define PTO_SHAPE_H

#include "ops.h"

enum pto_relation {
    PTO_ANY,
    PTO_AT_LEAST,
    PTO_AT_MOST,
    PTO_EXACTLY,
    PTO_MULTIPLE,
    PTO_BESIDE,         /* it has the region of operand 0 and the other is expanded, or reversely */
    PTO_FITS,           /* the operand's offset plus the other measure is at most its own */
    PTO_UNLESS_MULTIPLE /* the operand must be there unless the other measure is a multiple */
};

/* What can be counted of an operand. */
enum pto_measure {
    PTO_NUMBER, /* 1 */
    PTO_ROWS,
    PTO_COLS,
    PTO_SOME_ROWS, /* 1, or 0 if there are none */
    PTO_SOME_COLS,
    PTO_DECLARED_ROWS,
    PTO_DECLARED_COLS,
    PTO_LARGER_ROWS, /* of the operand and the one behind it */
    PTO_LARGER_COLS,
    PTO_SUM_COLS,
    PTO_MASK_COLS, /* bytes with a bit for each column */
    PTO_ROW_BYTES,
    PTO_BYTES,
    PTO_BLOCKS,     /* of 32 bytes in a row */
    PTO_RECORDS,    /* of 8 bytes in a row */
    PTO_GROUP_COLS, /* columns of a group of 32 elements: u8 holds two elements of 4 bits */
    PTO_GROUPS,     /* such groups in a row */
    PTO_SCALES,     /* the same, the last one perhaps not full */
    PTO_VALUES      /* numbers in a row: an element that is a pair has two */
};

enum { PTO_SHAPE_WORK = 1, PTO_SHAPE_ND = 2, PTO_SHAPE_BARE = 4, PTO_SHAPE_ENTIRE = 8 };

/* What the rows or the columns of an operand need: `own` of it stands in the relation to `times`
 * times `other` of operand `operand`. */
struct need {
    uint8_t relation, own, other, operand;
    uint16_t times;
};

struct shape {
    uint8_t conditions;
    struct need need[2]; /* of the rows, of the columns */
};

extern const struct shape pto_shapes[PTO_SHAPE_COUNT];

/* PTO_MASK_COLS and what stands behind it, of a region of elements of type `dtype`. */
uint64_t shape_of_columns(uint8_t dtype, enum pto_measure measure, uint64_t rows, uint64_t cols);

/* Can a source be expanded along the rows of another one: has it one column or, in nd, a block of
 * 32 bytes, which repeats? */
bool shape_expands(uint8_t dtype, uint8_t layout, uint64_t cols);
/* The valid region of an operand as it is in a run. */
struct pto_region {
    uint32_t rows, cols;
    uint8_t dtype; /* enum pto_dtype */
};
/* How much of operand `operand`'s region the instruction reads: where its shape asks for at least
 * something, just that; else all of it.  `region` has one for every operand of the row. */
void pto_shape_taken(const struct pto_op_info *info, const struct pto_region *region,
                     unsigned operand, uint32_t *rows, uint32_t *cols);
/* Is that always as much as the region of operand `*other` has, perhaps its own? */
bool pto_shape_takes_region(const struct pto_op_info *info, unsigned operand, uint8_t *other);

#endif
