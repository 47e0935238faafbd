/* Memory that the host maps for the machine, where that is less work than the heap.
 *
 * Poison.  Objects of global memory that nobody fills, and memories on chip, are poisoned as a
 * whole, and most runs touch a small part of them.  Such memory is a private mapping, again and
 * again, of one small file of poison: a page that is only read is the file's, one that is written
 * becomes the program's own.  Whoever looks at the bytes sees what memset would have left.
 *
 * Zeros of some size come as pages that nobody has touched, not from blocks that others gave back.
 * In large pages they cost the host one interruption for each 2 MiB instead of 512.  Memories on
 * chip and objects that are smaller than such a page have them from chunks of several pages that
 * are cut up; what is given back is kept for the next launch. */
#ifndef PTO_MACHINE_MAPPED_H
#define PTO_MACHINE_MAPPED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POISON = 0xff }; /* NaN in every float type, -1 in signed integers */

enum mapped { MAPPED_NOT, MAPPED_POISON, MAPPED_ZEROS, MAPPED_CUT };

/* Of a machine, for all of its threads. */
struct poison {
    pthread_mutex_t lock;
    int file;        /* -1: not made yet */
    bool refused;    /* the host has none */
    unsigned pieces; /* mapped */
    /* Chunks that are cut up: all of them, what is left of the last one, what was given back. */
    uint8_t **chunk;
    unsigned chunks;
    uint8_t *rest;
    size_t rest_size;
    struct cut *given_back;
};

void poison_begin(struct poison *poison);
/* What is mapped has been given back. */
void poison_end(struct poison *poison);

/* `size` bytes; NULL: the caller takes them from the heap, which is as good. */
uint8_t *map_poison(struct poison *poison, size_t size);
/* Large pages, if it is not smaller than one.  `sparse`: most of it will not be touched, so that
 * they would be memory for nothing. */
uint8_t *map_zeros(size_t size, bool sparse);
/* Part of a chunk; NULL: too small or large.  `zeros`, for what is used as a whole: else it has any
 * bytes, and NULL may also mean that there are chunks enough. */
uint8_t *map_cut(struct poison *poison, size_t size, bool zeros);
/* What the heap has grown by since the last call, and what it grows by from now on, is in large
 * pages: the host looks up the addresses of fewer of them.  Each call is a wish; it says nothing of
 * the heaps that threads have beside it. */
void map_heap_large(void);
/* MAPPED_NOT: back to the heap. */
void map_free(struct poison *poison, enum mapped what, uint8_t *data, size_t size);

#endif
