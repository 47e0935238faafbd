#include "windows.h"

#include <stdlib.h>

bool window_of(const struct bound_object *object, const uint64_t *word, unsigned owner,
               struct window *window)
{
    int64_t rows = gm_rows(word), cols = gm_cols(word), size = pto_dtype_size(object->dtype);
    int64_t down = object_row_stride(object), across = object_col_stride(object);
    uint64_t pitch = (uint64_t)(down > across ? down : across), wide;

    if (!rows || !cols)
        return false;
    *window = (struct window){.low = word[GM_OFFSET], .high = UINT64_MAX, .owner = owner};
    if (down < 0 || across < 0) {
        window->low = 0;
        return true;
    }
    window->high = window->low + (uint64_t)((rows - 1) * down + (cols - 1) * across + size);
    if (!pitch)
        return true;
    wide = (uint64_t)((down > across ? (cols - 1) * across : (rows - 1) * down) + size);
    window->line = window->low / pitch;
    window->line_end = window->line + (uint64_t)(down > across ? rows : cols);
    window->column = window->low % pitch;
    window->column_end = window->column + wide;
    window->pitch = window->column_end <= pitch ? pitch : 0;
    return true;
}

static bool meet(const struct window *a, const struct window *b)
{
    if (a->low >= b->high || b->low >= a->high)
        return false;
    if (a->pitch != b->pitch || !a->pitch)
        return true;
    return a->line < b->line_end && b->line < a->line_end && a->column < b->column_end &&
           b->column < a->column_end;
}

static bool meets_any(const struct window_list *list, const struct window *window)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i].owner != window->owner && meet(&list->item[i], window))
            return true;
    return false;
}

bool windows_meet(const struct windows *windows, const struct window *window, bool writes)
{
    return meets_any(&windows->write, window) || (writes && meets_any(&windows->read, window));
}

void windows_add(struct windows *windows, const struct window *window, bool writes)
{
    struct window_list *list = writes ? &windows->write : &windows->read;

    PTO_GROW(list->item, list->count, list->capacity);
    list->item[list->count++] = *window;
}

void windows_clear(struct windows *windows)
{
    windows->read.count = windows->write.count = 0;
}

void windows_free(struct windows *windows)
{
    free(windows->read.item);
    free(windows->write.item);
}
