#include "arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

enum { FIRST_CHUNK = 2 * 1024, LARGEST_CHUNK = 1024 * 1024, ALIGNMENT = 16 }; /* bytes */

struct pto_arena_chunk {
    struct pto_arena_chunk *next;
    size_t used, capacity;
    _Alignas(ALIGNMENT) uint8_t data[];
};

void pto_out_of_memory(size_t size)
{
    fprintf(stderr, "pto: out of memory: %zu bytes wanted\n", size);
    exit(PTO_EXIT_MEMORY);
}

void *pto_xmalloc(size_t size)
{
    void *memory = malloc(size ? size : 1);

    if (!memory)
        pto_out_of_memory(size);
    return memory;
}

void *pto_xcalloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);

    if (!memory)
        pto_out_of_memory(count * size);
    return memory;
}

void *pto_xrealloc(void *old, size_t size)
{
    void *memory = realloc(old, size ? size : 1);

    if (!memory)
        pto_out_of_memory(size);
    return memory;
}

void *pto_xcalloc_lines(size_t count, size_t size)
{
    size_t bytes;
    void *memory;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - PTO_HOST_LINE)
        pto_out_of_memory(SIZE_MAX);
    bytes = (bytes + PTO_HOST_LINE - 1) / PTO_HOST_LINE * PTO_HOST_LINE;
    memory = aligned_alloc(PTO_HOST_LINE, bytes);
    if (!memory)
        pto_out_of_memory(bytes);
    return memset(memory, 0, bytes);
}

char *pto_xstrndup(const char *text, size_t length)
{
    size_t size = strnlen(text, length);
    char *copy = pto_xmalloc(size + 1);

    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

char *pto_xstrdup(const char *text)
{
    return pto_xstrndup(text, strlen(text));
}

/* Length of a formatted text; the C library may want memory to find it out. */
static size_t formatted_length(const char *format, va_list args)
{
    int length = vsnprintf(NULL, 0, format, args);

    if (length < 0)
        pto_out_of_memory(0);
    return (size_t)length;
}

/* Chunks double, so that an arena that stays small does not clear much memory. */
static size_t next_capacity(const struct pto_arena_chunk *latest, size_t need)
{
    size_t capacity = latest ? 2 * latest->capacity : FIRST_CHUNK;

    if (capacity > LARGEST_CHUNK)
        capacity = LARGEST_CHUNK;
    return capacity > need ? capacity : need;
}

void *pto_arena_alloc(struct pto_arena *arena, size_t size)
{
    size_t need = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct pto_arena_chunk *chunk = arena->chunk;
    void *memory;

    if (need < size)
        pto_out_of_memory(size);
    if (!chunk || chunk->capacity - chunk->used < need) {
        size_t capacity = next_capacity(chunk, need);

        chunk = pto_xcalloc(1, sizeof *chunk + capacity);
        chunk->capacity = capacity;
        chunk->next = arena->chunk;
        arena->chunk = chunk;
    }
    memory = chunk->data + chunk->used;
    chunk->used += need;
    return memory;
}

void *pto_arena_array(struct pto_arena *arena, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        pto_out_of_memory(SIZE_MAX);
    return pto_arena_alloc(arena, bytes);
}

void *pto_arena_lines(struct pto_arena *arena, size_t count, size_t size)
{
    enum { BEFORE = PTO_HOST_LINE - ALIGNMENT };
    size_t bytes;
    uint8_t *memory;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - BEFORE)
        pto_out_of_memory(SIZE_MAX);
    memory = pto_arena_alloc(arena, bytes + BEFORE);
    return memory + (PTO_HOST_LINE - (uintptr_t)memory % PTO_HOST_LINE) % PTO_HOST_LINE;
}

char *pto_arena_strndup(struct pto_arena *arena, const char *text, size_t length)
{
    char *copy = pto_arena_alloc(arena, length + 1);

    memcpy(copy, text, length);
    return copy;
}

char *pto_arena_strdup(struct pto_arena *arena, const char *text)
{
    return pto_arena_strndup(arena, text, strlen(text));
}

char *pto_arena_printf(struct pto_arena *arena, const char *format, ...)
{
    va_list args, again;
    char *text;
    size_t length;

    va_start(args, format);
    va_copy(again, args);
    length = formatted_length(format, args);
    text = pto_arena_alloc(arena, length + 1);
    vsnprintf(text, length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

/* Free the chunks made after `last`. */
static void free_chunks(struct pto_arena *arena, const struct pto_arena_chunk *last)
{
    while (arena->chunk != last) {
        struct pto_arena_chunk *next = arena->chunk->next;

        free(arena->chunk);
        arena->chunk = next;
    }
}

void pto_arena_free(struct pto_arena *arena)
{
    free_chunks(arena, NULL);
}

struct pto_arena_mark pto_arena_mark(const struct pto_arena *arena)
{
    return (struct pto_arena_mark){arena->chunk, arena->chunk ? arena->chunk->used : 0};
}

void pto_arena_release(struct pto_arena *arena, struct pto_arena_mark mark)
{
    free_chunks(arena, mark.chunk);
    if (!mark.chunk)
        return;
    memset(mark.chunk->data + mark.used, 0, mark.chunk->used - mark.used);
    mark.chunk->used = mark.used;
}

static void reserve(struct pto_buf *buf, size_t more)
{
    size_t need, capacity = buf->capacity ? buf->capacity : 256;

    if (__builtin_add_overflow(buf->size, more, &need))
        pto_out_of_memory(SIZE_MAX);
    if (!buf->capacity && need > capacity)
        capacity = need; /* often all that will ever be in it */
    while (capacity < need)
        capacity *= 2;
    if (capacity != buf->capacity) {
        buf->data = pto_xrealloc(buf->data, capacity);
        buf->capacity = capacity;
    }
}

uint8_t *pto_buf_room(struct pto_buf *buf, size_t size)
{
    reserve(buf, size);
    return buf->data + buf->size;
}

void pto_buf_append(struct pto_buf *buf, const void *data, size_t size)
{
    reserve(buf, size);
    if (size)
        memcpy(buf->data + buf->size, data, size);
    buf->size += size;
}

void pto_buf_byte(struct pto_buf *buf, uint8_t byte)
{
    pto_buf_append(buf, &byte, 1);
}

void pto_buf_u32(struct pto_buf *buf, uint32_t value)
{
    for (int shift = 0; shift < 32; shift += 8)
        pto_buf_byte(buf, (uint8_t)(value >> shift));
}

void pto_buf_printf(struct pto_buf *buf, const char *format, ...)
{
    va_list args, again;
    size_t length;

    va_start(args, format);
    va_copy(again, args);
    length = formatted_length(format, args);
    reserve(buf, length + 1);
    vsnprintf((char *)buf->data + buf->size, length + 1, format, again);
    buf->size += length;
    va_end(again);
    va_end(args);
}

const char *pto_buf_text(struct pto_buf *buf)
{
    reserve(buf, 1);
    buf->data[buf->size] = 0;
    return (const char *)buf->data;
}

void pto_buf_free(struct pto_buf *buf)
{
    free(buf->data);
    *buf = (struct pto_buf){0};
}
