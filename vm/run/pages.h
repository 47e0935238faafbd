/* Copies of blocks of memory, in pages: what is as it was in an earlier copy is shared with it. */
#ifndef PTO_RUN_PAGES_H
#define PTO_RUN_PAGES_H

#include <stddef.h>
#include <stdint.h>

enum { PAGE_BYTES = 4096 };

struct page;

struct pages {
    size_t size; /* of the block */
    struct page **page;
};

/* Copy a block.  `before`: an earlier copy of it, of any size, or NULL.  *fresh grows by the bytes
 * that were not shared. */
void pages_copy(struct pages *pages, const void *block, size_t size, const struct pages *before,
                uint64_t *fresh);
/* The contents into a block of the same size. */
void pages_restore(const struct pages *pages, void *block);
/* *freed grows by the bytes that nobody shares any more. */
void pages_free(struct pages *pages, uint64_t *freed);

#endif
