#include "pages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

struct page {
    unsigned refs;
    uint8_t byte[];
};

static size_t count_of(size_t size)
{
    return (size + PAGE_BYTES - 1) / PAGE_BYTES;
}

static size_t length_of(size_t size, size_t index)
{
    size_t left = size - index * PAGE_BYTES;

    return left < PAGE_BYTES ? left : PAGE_BYTES;
}

/* Is it one byte throughout, which is all that untouched memory holds? */
static bool is_uniform(const uint8_t *bytes, size_t length)
{
    return (bytes[0] == 0 || bytes[0] == 0xff) && !memcmp(bytes, bytes + 1, length - 1);
}

/* Pages of one byte throughout are that byte alone: no page is as short. */
static struct page *copy_page(const uint8_t *bytes, size_t length, uint64_t *fresh)
{
    size_t kept = is_uniform(bytes, length) ? 1 : length;
    struct page *page = pto_xmalloc(sizeof *page + kept + 1);

    page->refs = 1;
    page->byte[0] = kept < length; /* uniform? */
    memcpy(page->byte + 1, bytes, kept);
    *fresh += sizeof *page + kept + 1;
    return page;
}

static bool is_same(const struct page *page, const uint8_t *bytes, size_t length)
{
    if (page->byte[0])
        return page->byte[1] == bytes[0] && is_uniform(bytes, length);
    return !memcmp(page->byte + 1, bytes, length);
}

void pages_copy(struct pages *pages, const void *block, size_t size, const struct pages *before,
                uint64_t *fresh)
{
    size_t count = count_of(size);
    bool comparable = before && before->size == size;

    *pages = (struct pages){size, count > 0 ? pto_xmalloc(count * sizeof *pages->page) : NULL};
    *fresh += count * sizeof *pages->page;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes = (const uint8_t *)block + i * PAGE_BYTES;
        size_t length = length_of(size, i);

        if (comparable && is_same(before->page[i], bytes, length)) {
            pages->page[i] = before->page[i];
            pages->page[i]->refs++;
        } else {
            pages->page[i] = copy_page(bytes, length, fresh);
        }
    }
}

void pages_restore(const struct pages *pages, void *block)
{
    for (size_t i = 0; i < count_of(pages->size); i++) {
        uint8_t *bytes = (uint8_t *)block + i * PAGE_BYTES;
        size_t length = length_of(pages->size, i);

        if (is_same(pages->page[i], bytes, length)) /* untouched memory stays so, and costs less */
            continue;
        if (!pages->page[i]->byte[0])
            memcpy(bytes, pages->page[i]->byte + 1, length);
        else
            memset(bytes, pages->page[i]->byte[1], length);
    }
}

void pages_free(struct pages *pages, uint64_t *freed)
{
    size_t count = count_of(pages->size);

    for (size_t i = 0; i < count; i++) {
        struct page *page = pages->page[i];

        if (--page->refs > 0)
            continue;
        *freed += sizeof *page + 1 + (page->byte[0] ? 1 : length_of(pages->size, i));
        free(page);
    }
    *freed += count * sizeof *pages->page;
    free(pages->page);
    *pages = (struct pages){0};
}
