/* Elementwise instructions with any number of operands, driven by their row of the table.
 *
 * An instruction supplies one function per element type, which sees n elements of every
 * operand in the order of the row: tiles, scalars (the same element n times), results.
 * op_gang_row gathers the operands in blocks from whatever layout they lie in, takes small
 * floats through f32, packs and unpacks mask bits, and puts the results in place.  Sources are
 * read before anything is written: where a source overlaps a result other than element by
 * element, it is copied first. */
#ifndef PTO_VM_OPS_GANG_H
#define PTO_VM_OPS_GANG_H

#include "walk.h"

/* row[i]: n elements of operand i (scratch and keywords are left out; a small float is an f32, a
 * mask has one byte per element, 0 or 1).  An operand that is read and written is one row.
 * Returns NULL or why the instruction faults. */
typedef const char *op_gang_function(void *const *row, size_t n);

enum { OP_GANG_ROWS = 6 };

/* Bit sets are by operand position of the row in the table. */
struct op_gang {
    op_gang_function *function[PTO_DTYPE_COUNT]; /* by the type of operand `key` */
    uint8_t key;    /* also the type that scalars (S_N) are converted to; S_F ones are f32 */
    uint8_t domain; /* operand whose valid region is worked on; the others cover it */
    uint8_t masks;  /* operands that are packed masks: u8 tiles, bit c % 8 of byte c / 8 of a row */
    uint8_t single; /* operands of which element (0, 0) counts everywhere */
    bool raw;       /* small floats are given as they lie in memory */
};

/* One operand of a gang at work. */
struct op_lane {
    struct op_place place;
    uint8_t dtype;
    bool mask, widen, read, written;
};

#define op_gang_row OP_NAME(gang_row)
#define op_gang_lanes OP_NAME(gang_lanes)

/* The instruction `op` by its row and the gang.  Returns NULL or why it faults. */
const char *op_gang_row(const struct op_args *args, enum pto_op op, const struct op_gang *gang);
/* The same from lane to lane, at most OP_GANG_ROWS of them, over rows x cols elements. */
const char *op_gang_lanes(const struct op_args *args, uint32_t rows, uint32_t cols,
                          struct op_lane *lane, unsigned lanes, op_gang_function *function);

/* An instruction that is nothing but its gang. */
#define OP_GANG(id, gang)                                                                          \
    OP(id)                                                                                         \
    {                                                                                              \
        return op_gang_row(args, PTO_OP_##id, &(gang));                                            \
    }

/* Functions of one, two and three sources: d[i] = expression(x[i], y[i], z[i]). */
#define OP_GANG_1(name, to, from, expression)                                                      \
    static const char *name(void *const *row, size_t n)                                            \
    {                                                                                              \
        mem_##to *d = row[0];                                                                      \
        const mem_##from *x = row[1];                                                              \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (mem_##to)expression(x[i]);                                                     \
        return NULL;                                                                               \
    }
#define OP_GANG_2(name, to, from, expression)                                                      \
    static const char *name(void *const *row, size_t n)                                            \
    {                                                                                              \
        mem_##to *d = row[0];                                                                      \
        const mem_##from *x = row[1], *y = row[2];                                                 \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (mem_##to)expression(x[i], y[i]);                                               \
        return NULL;                                                                               \
    }
#define OP_GANG_3(name, to, from, expression)                                                      \
    static const char *name(void *const *row, size_t n)                                            \
    {                                                                                              \
        mem_##to *d = row[0];                                                                      \
        const mem_##from *x = row[1], *y = row[2], *z = row[3];                                    \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (mem_##to)expression(x[i], y[i], z[i]);                                         \
        return NULL;                                                                               \
    }
/* The result is also the last source: d[i] = expression(x[i], y[i], d[i]). */
#define OP_GANG_2_INTO(name, type, expression)                                                     \
    static const char *name(void *const *row, size_t n)                                            \
    {                                                                                              \
        mem_##type *d = row[0];                                                                    \
        const mem_##type *x = row[1], *y = row[2];                                                 \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            d[i] = (mem_##type)expression(x[i], y[i], d[i]);                                       \
        return NULL;                                                                               \
    }

/* `function` for every float type that goes through f32. */
#define OP_FLOATS(function) [PTO_F32] = function, [PTO_F16] = function, [PTO_BF16] = function

#endif
