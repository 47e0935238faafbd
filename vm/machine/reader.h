/* Reading what a process of the same build has packed (docs/decisions/0043-ranks-in-processes.md):
 * it is all there, in the order in which it was put. */
#ifndef PTO_MACHINE_READER_H
#define PTO_MACHINE_READER_H

#include <string.h>

#include "arena.h"

struct reader {
    const uint8_t *at, *end;
};

static inline void reader_take(struct reader *in, void *value, size_t size)
{
    if (size)
        memcpy(value, in->at, size);
    in->at += size;
}

/* A text, or NULL. */
static inline void reader_put_text(const char *text, struct pto_buf *out)
{
    uint64_t size = text ? strlen(text) : UINT64_MAX;

    pto_buf_append(out, &size, sizeof size);
    if (text)
        pto_buf_append(out, text, size);
}

static inline const char *reader_take_text(struct reader *in, struct pto_arena *arena)
{
    const char *text;
    uint64_t size;

    reader_take(in, &size, sizeof size);
    if (size == UINT64_MAX)
        return NULL;
    text = pto_arena_strndup(arena, (const char *)in->at, size);
    in->at += size;
    return text;
}

#endif
