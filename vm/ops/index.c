/* Numbers that name elements. */
#include "index.h"

#include <stdio.h>

const char *op_check_vector(const struct op_args *args, int index, const char *name, uint32_t count)
{
    const struct op_view *view = &args->arg[index].view;

    if ((view->cols == 1 && view->rows >= count) || (view->rows == 1 && view->cols >= count) ||
        !count)
        return NULL;
    snprintf(args->message, OP_MESSAGE_BYTES,
             "%s has %u x %u valid elements: a column or a row of %u is needed", name, view->rows,
             view->cols, count);
    return args->message;
}

#define CONVERT(type)                                                                              \
    do {                                                                                           \
        const mem_##type *x = from;                                                                \
                                                                                                   \
        for (uint32_t i = 0; i < count; i++)                                                       \
            to[i] = x[i];                                                                          \
    } while (0)

void op_to_i64(uint8_t dtype, int64_t *to, const void *from, uint32_t count)
{
    switch (dtype) {
    case PTO_I8: CONVERT(i8); break;
    case PTO_U8: CONVERT(u8); break;
    case PTO_I16: CONVERT(i16); break;
    case PTO_U16: CONVERT(u16); break;
    case PTO_I32: CONVERT(i32); break;
    default: CONVERT(u32); break;
    }
}

static bool is_valid(const struct op_table *table, int64_t index)
{
    return index >= 0 && index / table->width < table->rows && index % table->width < table->cols;
}

/* Of a table without gaps, indices that all name elements need no offsets: one comparison. */
static bool are_known(const struct op_table *table, uint8_t dtype, const mem_u32 *index,
                      uint32_t count)
{
    int64_t size = table->place.size, all = (int64_t)table->rows * table->cols;
    uint32_t greatest = 0;

    if ((dtype != PTO_I32 && dtype != PTO_U32) || table->cols != table->width ||
        table->place.col.inner != size || table->place.row.inner != size * table->width ||
        all > INT32_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++)
        greatest = index[i] > greatest ? index[i] : greatest;
    return greatest < all;
}

/* Numbers to byte offsets, in place. */
static void to_offsets(const struct op_table *table, int64_t *index, uint32_t count)
{
    int64_t row = table->place.row.inner, col = table->place.col.inner, width = table->width;

    if (row == col * width) {
        for (uint32_t i = 0; i < count; i++)
            index[i] *= col;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        index[i] = index[i] / width * row + index[i] % width * col;
}

uint32_t op_locate(const struct op_table *table, struct op_named *named, uint8_t dtype,
                   const void *indices, uint32_t count)
{
    bool known = are_known(table, dtype, indices, count);

    named->number = known ? indices : NULL;
    if (known)
        return count;
    op_to_i64(dtype, named->offset, indices, count);
    for (uint32_t i = 0; i < count; i++)
        if (!is_valid(table, named->offset[i]))
            return i;
    to_offsets(table, named->offset, count);
    return count;
}

#define FETCH(type)                                                                                \
    do {                                                                                           \
        const mem_##type *elements = (const mem_##type *)base;                                     \
        mem_##type *d = to;                                                                        \
                                                                                                   \
        _Pragma("GCC unroll 8") for (uint32_t i = 0; number && i < count; i++)                     \
            d[i] = elements[number[i]];                                                            \
        for (uint32_t i = 0; !number && i < count; i++)                                            \
            d[i] = *(const mem_##type *)(base + named->offset[i]);                                 \
    } while (0)

void op_fetch(const struct op_table *table, const struct op_named *named, void *to, uint32_t count)
{
    const uint8_t *base = op_address(&table->place, 0, 0);
    const mem_u32 *number = named->number;

    switch (table->place.size) {
    case 1: FETCH(u8); break;
    case 2: FETCH(u16); break;
    case 4: FETCH(u32); break;
    default: FETCH(u64); break;
    }
}

#define DEPOSIT(type)                                                                              \
    do {                                                                                           \
        const mem_##type *x = from;                                                                \
        mem_##type *elements = (mem_##type *)base;                                                 \
                                                                                                   \
        _Pragma("GCC unroll 8") for (uint32_t i = 0; number && i < count; i++)                     \
            elements[number[i]] = x[i];                                                            \
        for (uint32_t i = 0; !number && i < count; i++)                                            \
            *(mem_##type *)(base + named->offset[i]) = x[i];                                       \
    } while (0)

void op_deposit(const struct op_table *table, const struct op_named *named, const void *from,
                uint32_t count)
{
    uint8_t *base = op_address(&table->place, 0, 0);
    const mem_u32 *number = named->number;

    switch (table->place.size) {
    case 1: DEPOSIT(u8); break;
    case 2: DEPOSIT(u16); break;
    case 4: DEPOSIT(u32); break;
    default: DEPOSIT(u64); break;
    }
}
