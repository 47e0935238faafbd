/* Global memory: the named objects of a rank, and how a launch sees them. */
#ifndef PTO_MACHINE_OBJECT_H
#define PTO_MACHINE_OBJECT_H

#include "module.h"

struct signal_wait;

/* A copy of an object that nobody writes, for one who does from outside (run/open.c). */
struct opened {
    int rank;
    unsigned object;
    uint8_t *data;
};

/* A named object of a rank; persists over launches. */
struct object {
    const char *name;
    uint8_t kind, dtype;
    bool bound, declared;
    bool skipped; /* a run for times alone needs none of its bytes: `data` is NULL */
    bool written; /* some launch before the one in preparation writes it */
    bool lent;    /* `data` are the caller's, and nobody writes them */
    uint8_t mapped; /* enum mapped: where `data` come from */
    bool due;     /* instructions of the backlog will touch it */
    bool uniform; /* some launch declares it so */
    bool flat;    /* all launches declare it so */
    uint64_t size;
    uint64_t address; /* in the rank's memory; every object begins a line of the cache */
    uint8_t *data;
    uint8_t *given; /* what nobody writes, while `data` is a copy that was opened; or NULL */
    unsigned dims;
    uint64_t dim[PTO_MAX_DIMS];
    int64_t stride[PTO_MAX_DIMS]; /* elements */
    struct signal_wait *waiters; /* what sub-cores wait for in this object */
    uint64_t awaited; /* a bit for every element that they may wait for, by its number modulo 64 */
};

/* An object as one launch declares it (its views included). */
struct bound_object {
    uint32_t object; /* index in the rank's objects */
    uint8_t dtype, kind, dims;
    bool present;
    bool given; /* what it holds was bound, and no earlier launch writes it */
    uint64_t offset; /* bytes from the object's start */
    uint64_t dim[PTO_MAX_DIMS];
    int64_t stride[PTO_MAX_DIMS]; /* bytes */
};

/* Rows and columns are the last two dimensions; an object of one dimension has one row. */
static inline int64_t object_row_stride(const struct bound_object *object)
{
    return object->dims > 1 ? object->stride[object->dims - 2] : 0;
}
static inline int64_t object_col_stride(const struct bound_object *object)
{
    return object->stride[object->dims - 1];
}

#endif
