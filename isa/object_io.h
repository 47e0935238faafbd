/* Fields of an object, written or read and checked by the same call (docs/object-format.md).
 * Everything is little-endian.  The first problem of a reader is kept and everything after it reads
 * as zero, so that a walk ends without further tests.  Internal to the object code. */
#ifndef PTO_OBJECT_IO_H
#define PTO_OBJECT_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

#define OBJECT_MAGIC "PTOB"
enum {
    OBJECT_VERSION = 5,
    OBJECT_OLDEST_VERSION = 1,     /* that can be read */
    OBJECT_WITH_UNIFORM = 3,       /* the first one that says what is the same on all ranks */
    OBJECT_WITH_PLACES = 4,        /* the first one that says where all declarations stand */
    OBJECT_WITH_PITCH = 4,         /* ... how far the rows of a tile are apart */
    OBJECT_WITH_FLAT = 5,          /* ... which objects take arrays of any shape */
    OBJECT_HEADER_BYTES = 24,      /* magic, version, total size (u64), checksum, maker */
    OBJECT_MOST_BYTES = 64 << 20,  /* larger objects are rejected */
    OBJECT_LONGEST_STRING = 65535,
};

/* Version of the tools that wrote an object: major << 24 | minor << 16 | patch. */
#define OBJECT_MAKER ((uint32_t)PTO_MAJOR << 24 | PTO_MINOR << 16 | PTO_PATCH)

struct io {
    struct pto_buf *out; /* writing; NULL: reading */
    size_t start;        /* of the object in `out` */
    const uint8_t *bytes;
    size_t size, at;
    uint32_t version;        /* of the format */
    uint32_t maker;          /* of what is read, as OBJECT_MAKER; 0: it does not say so */
    struct pto_arena *arena; /* takes what is read */
    const char *problem;     /* the first one; NULL: none so far */
    size_t problem_at;
};

void io_begin_write(struct io *io);
void io_end_write(struct io *io);
/* Check the header, the size and the checksum. */
void io_begin_read(struct io *io);
/* Check that nothing is left. */
void io_end_read(struct io *io);

/* `bytes` of an unsigned number, lowest first, behind what is written. */
static inline void io_write(struct pto_buf *out, uint64_t value, unsigned bytes)
{
    bool fits = out->capacity - out->size >= bytes;
    uint8_t *at = __builtin_expect(fits, 1) ? out->data + out->size : pto_buf_room(out, bytes);

    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
    out->size += bytes;
}
/* The next such number; 0 after a problem. */
uint64_t io_read(struct io *io, unsigned bytes, uint64_t most, const char *what);

/* Numbers up to `most`; `what` names the field in a message.  Inlined, so that writing one is a
 * store. */
#define IO_NUMBER(name, type, bytes)                                                               \
    static inline void name(struct io *io, type *value, type most, const char *what)               \
    {                                                                                              \
        if (io->out)                                                                               \
            io_write(io->out, *value, bytes);                                                      \
        else                                                                                       \
            *value = (type)io_read(io, bytes, most, what);                                         \
    }
IO_NUMBER(io_u8, uint8_t, 1)
IO_NUMBER(io_u16, uint16_t, 2)
IO_NUMBER(io_u32, uint32_t, 4)
IO_NUMBER(io_u64, uint64_t, 8)
#undef IO_NUMBER

static inline void io_i32(struct io *io, int32_t *value)
{
    io_u32(io, (uint32_t *)value, UINT32_MAX, NULL);
}

static inline void io_i64(struct io *io, int64_t *value)
{
    io_u64(io, (uint64_t *)value, UINT64_MAX, NULL);
}

static inline void io_bool(struct io *io, bool *value)
{
    uint8_t byte = *value;

    io_u8(io, &byte, 1, "yes or no:");
    *value = byte != 0;
}
/* A NaN is always the same one. */
void io_f64(struct io *io, double *value);
/* Length and UTF-8 bytes without NUL; NULL is written as the empty string. */
void io_string(struct io *io, const char **text);
/* A number of elements that take at least `least_bytes` each: no more than `most`, and no more than
 * the rest of the object can hold.  To be called before room is made for them. */
void io_count(struct io *io, uint32_t *count, uint32_t most, size_t least_bytes, const char *what);
/* Reading: zeroed room for the elements; writing: the array itself. */
void *io_array(struct io *io, void *array, size_t count, size_t size);
/* A number that must stand here; else `problem`. */
void io_fixed(struct io *io, uint32_t value, const char *problem);
/* An instruction (enum pto_op) by its number in objects. */
void io_op(struct io *io, uint16_t *op);
/* Four letters that must stand here. */
void io_tag(struct io *io, const char *tag);

#endif
