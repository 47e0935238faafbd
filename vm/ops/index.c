/* Numbers that name elements. */
#include "index.h"

#include <stdio.h>

uint8_t *op_vector_at(const struct op_view *view, uint32_t r)
{
    struct op_place place = op_place_of(view);

    return op_address(&place, view->cols == 1 ? r : 0, view->cols == 1 ? 0 : r);
}

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

uint32_t op_locate(const struct op_table *table, int64_t *index, uint32_t count)
{
    int64_t row = table->place.row.inner, col = table->place.col.inner, width = table->width;
    int64_t all = (int64_t)table->rows * table->cols, outside = 0;

    if (table->cols == table->width) { /* without gaps: one comparison */
        for (uint32_t i = 0; i < count; i++)
            outside |= index[i] < 0 || index[i] >= all;
    } else {
        outside = 1;
    }
    for (uint32_t i = 0; outside && i < count; i++)
        if (!is_valid(table, index[i]))
            return i;
    if (row == col * width) {
        for (uint32_t i = 0; i < count; i++)
            index[i] *= col;
    } else {
        for (uint32_t i = 0; i < count; i++)
            index[i] = index[i] / width * row + index[i] % width * col;
    }
    return count;
}

#define FETCH(type)                                                                                \
    for (uint32_t i = 0; i < count; i++)                                                           \
        ((mem_##type *)to)[i] = *(const mem_##type *)(base + offset[i])

void op_fetch(uint32_t size, void *to, const uint8_t *base, const int64_t *offset, uint32_t count)
{
    switch (size) {
    case 1: FETCH(u8); break;
    case 2: FETCH(u16); break;
    case 4: FETCH(u32); break;
    default: FETCH(u64); break;
    }
}

#define DEPOSIT(type)                                                                              \
    for (uint32_t i = 0; i < count; i++)                                                           \
        *(mem_##type *)(base + offset[i]) = ((const mem_##type *)from)[i]

void op_deposit(uint32_t size, uint8_t *base, const int64_t *offset, const void *from,
                uint32_t count)
{
    switch (size) {
    case 1: DEPOSIT(u8); break;
    case 2: DEPOSIT(u16); break;
    case 4: DEPOSIT(u32); break;
    default: DEPOSIT(u64); break;
    }
}
