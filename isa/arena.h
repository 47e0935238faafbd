/* Memory with a lifetime: everything of one assembly, one loaded module, one machine is taken from
 * one arena and given back at once.  Also the growable byte buffer that writers append to.
 * Running out of host memory ends the process with a message (see docs/decisions/0002): no caller
 * could do better, and the code that never runs is the code that is never right. */
#ifndef PTO_ARENA_H
#define PTO_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct pto_arena {
    struct pto_arena_chunk *chunk;
};

enum { PTO_HOST_LINE = 64 }; /* bytes of a line of the host's caches */

/* `size` zeroed bytes, aligned to 16, valid until pto_arena_free. */
void *pto_arena_alloc(struct pto_arena *arena, size_t size);
/* Room for `count` elements of `size` bytes; the product is checked. */
void *pto_arena_array(struct pto_arena *arena, size_t count, size_t size);
/* The same at the beginning of a line of the host's caches: what is laid out by lines. */
void *pto_arena_lines(struct pto_arena *arena, size_t count, size_t size);
char *pto_arena_strndup(struct pto_arena *arena, const char *text, size_t length);
char *pto_arena_strdup(struct pto_arena *arena, const char *text);
/* Formatted text in the arena. */
char *pto_arena_printf(struct pto_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pto_arena_free(struct pto_arena *arena);

/* How far an arena is filled; giving back what was taken since then. */
struct pto_arena_mark {
    struct pto_arena_chunk *chunk;
    size_t used;
};
struct pto_arena_mark pto_arena_mark(const struct pto_arena *arena);
void pto_arena_release(struct pto_arena *arena, struct pto_arena_mark mark);

/* For what allocates by itself and failed: one message, and the program ends with PTO_EXIT_MEMORY.
 * `size`: the bytes wanted, 0 if nobody knows. */
_Noreturn void pto_out_of_memory(size_t size);
/* malloc, calloc, realloc, strdup and strndup that do not return NULL. */
void *pto_xmalloc(size_t size);
void *pto_xcalloc(size_t count, size_t size);
void *pto_xrealloc(void *memory, size_t size);
/* calloc at the beginning of a line of the host's caches. */
void *pto_xcalloc_lines(size_t count, size_t size);
char *pto_xstrdup(const char *text);
char *pto_xstrndup(const char *text, size_t length);

/* Growable array idiom: make room for one more element of a malloc'ed array. */
#define PTO_GROW(array, count, capacity)                                                           \
    ((count) < (capacity)                                                                          \
         ? (void)0                                                                                 \
         : (void)((capacity) = (capacity) ? 2 * (capacity) : 8,                                    \
                  (array) = pto_xrealloc((array), (size_t)(capacity) * sizeof *(array))))

struct pto_buf {
    uint8_t *data;
    size_t size, capacity;
};

/* Room for `size` bytes behind the contents, which the caller fills and then adds to buf->size. */
uint8_t *pto_buf_room(struct pto_buf *buf, size_t size);
void pto_buf_append(struct pto_buf *buf, const void *data, size_t size);
void pto_buf_byte(struct pto_buf *buf, uint8_t byte);
void pto_buf_u32(struct pto_buf *buf, uint32_t value); /* little-endian */
void pto_buf_printf(struct pto_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A terminating NUL that is not counted in size; returns the text. */
const char *pto_buf_text(struct pto_buf *buf);
void pto_buf_free(struct pto_buf *buf);

#endif
