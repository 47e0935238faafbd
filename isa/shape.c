/* The shapes of shapes.def, and what is taken of a region. */
#include "shape.h"

#include "dtype.h"

const struct shape pto_shapes[PTO_SHAPE_COUNT] = {
#define SHAPE(id, conditions, ...) [PTO_SHAPE_OF_##id] = {conditions, {__VA_ARGS__}},
#include "shapes.def"
#undef SHAPE
};

uint64_t shape_of_columns(uint8_t dtype, enum pto_measure measure, uint64_t rows, uint64_t cols)
{
    unsigned size = pto_dtype_size(dtype), numbers = pto_dtype_numbers(dtype);
    unsigned group = dtype == PTO_U8 || numbers == 2 ? 16 : 32;

    switch (measure) {
    case PTO_MASK_COLS:
        return (cols + 7) / 8;
    case PTO_ROW_BYTES:
        return cols * size;
    case PTO_BYTES:
        return rows * cols * size;
    case PTO_BLOCKS:
        return cols * size / 32;
    case PTO_RECORDS:
        return cols * size / 8;
    case PTO_GROUP_COLS:
        return group;
    case PTO_VALUES:
        return cols * numbers;
    case PTO_SCALES:
        return (cols + group - 1) / group;
    default:
        return cols / group;
    }
}

bool shape_expands(uint8_t dtype, uint8_t layout, uint64_t cols)
{
    return cols == 1 || (layout == PTO_ND && cols * pto_dtype_size(dtype) == 32);
}

static uint64_t taken_of(const struct pto_region *other, const struct need *need)
{
    switch (need->other) {
    case PTO_NUMBER:
        return need->times;
    case PTO_ROWS:
        return (uint64_t)other->rows * need->times;
    case PTO_COLS:
        return (uint64_t)other->cols * need->times;
    case PTO_SOME_ROWS:
        return other->rows > 0;
    case PTO_SOME_COLS:
        return other->cols > 0;
    default:
        return shape_of_columns(other->dtype, need->other, other->rows, other->cols) *
               need->times;
    }
}

/* Are the bytes of a side counted, of which each may hold several values? */
static bool of_values(const struct need *need, enum pto_measure measure)
{
    return measure == PTO_COLS && need->own == PTO_VALUES;
}

/* Does a need say how much of a side is taken? */
static bool bounds(const struct need *need, enum pto_measure measure)
{
    return need->relation == PTO_BESIDE || need->relation == PTO_FITS ||
           (need->relation == PTO_AT_LEAST && (need->own == measure || of_values(need, measure)));
}

/* The side of operand `operand` that is counted by `measure`: as long as it is, or as its need
 * says. */
static uint32_t taken_side(const struct pto_region *region, unsigned operand,
                           const struct need *need, enum pto_measure measure)
{
    uint32_t own = measure == PTO_ROWS ? region[operand].rows : region[operand].cols;
    unsigned each = of_values(need, measure) ? pto_dtype_numbers(region[operand].dtype) : 1;
    uint64_t taken;

    if (!bounds(need, measure))
        return own;
    if (need->relation == PTO_BESIDE)
        return region[0].cols < own ? region[0].cols : own;
    taken = (taken_of(&region[need->operand], need) + each - 1) / each;
    return taken < own ? (uint32_t)taken : own;
}

void pto_shape_taken(const struct pto_op_info *info, const struct pto_region *region,
                     unsigned operand, uint32_t *rows, uint32_t *cols)
{
    const struct shape *shape = &pto_shapes[info->operand[operand].rule];

    *rows = taken_side(region, operand, &shape->need[0], PTO_ROWS);
    *cols = taken_side(region, operand, &shape->need[1], PTO_COLS);
}

bool pto_shape_takes_region(const struct pto_op_info *info, unsigned operand, uint8_t *other)
{
    const struct need *rows = &pto_shapes[info->operand[operand].rule].need[0], *cols = &rows[1];

    *other = (uint8_t)operand;
    if (!bounds(rows, PTO_ROWS) && !bounds(cols, PTO_COLS))
        return true;
    *other = rows->operand;
    return rows->relation == PTO_AT_LEAST && rows->own == PTO_ROWS && rows->other == PTO_ROWS &&
           rows->times == 1 && cols->relation == PTO_AT_LEAST && cols->own == PTO_COLS &&
           cols->other == PTO_COLS && cols->times == 1 && cols->operand == *other;
}
