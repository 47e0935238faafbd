/* Windows of global memory that instructions which are complete have still to read or write
 * (backlog.h), and whether one that comes behind them meets one of theirs. */
#ifndef PTO_MACHINE_WINDOWS_H
#define PTO_MACHINE_WINDOWS_H

#include "machine.h"

/* Bytes of an object.  Where its lines have a fixed distance a window is also a rectangle: lines
 * [line, line_end), of each the bytes [column, column_end). */
struct window {
    uint64_t low, high; /* all bytes lie in [low, high) */
    uint64_t pitch;     /* bytes from line to line, 0: no rectangle */
    uint64_t line, line_end, column, column_end;
    unsigned owner; /* windows of one owner meet in order anyway */
};

struct window_list {
    struct window *item;
    uint32_t count, capacity;
};

/* Of one object. */
struct windows {
    struct window_list read, write;
};

/* The window that a resolved operand names, or more; false: it is empty. */
bool window_of(const struct bound_object *object, const uint64_t *word, unsigned owner,
               struct window *window);
/* Does it meet a window of another owner, where one of the two writes? */
bool windows_meet(const struct windows *windows, const struct window *window, bool writes);
void windows_add(struct windows *windows, const struct window *window, bool writes);
void windows_clear(struct windows *windows);
void windows_free(struct windows *windows);

#endif
