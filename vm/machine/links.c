#include "links.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 4 };

static void grow(struct links *links)
{
    struct links larger = {.slots = links->slots ? 2 * links->slots : FIRST_SLOTS,
                           .used = links->used};

    larger.slot = pto_xcalloc(larger.slots, sizeof *larger.slot);
    for (uint32_t i = 0; i < links->slots; i++)
        if (links->slot[i].peer)
            *links_place(&larger, (int)links->slot[i].peer - 1) = links->slot[i];
    free(links->slot);
    *links = larger;
}

struct link *links_make(struct rank *rank, int to)
{
    struct links *links = &rank->links;
    struct link *link = links_find(rank, to);

    if (link)
        return link;
    if (4 * links->used >= 3 * links->slots)
        grow(links);
    links->used++;
    link = links_place(links, to);
    link->peer = (uint32_t)to + 1;
    return link;
}

size_t links_bytes(const struct links *links)
{
    return links->slots * sizeof *links->slot;
}

void links_resize(struct links *links, uint32_t slots)
{
    if (slots != links->slots)
        links->slot = pto_xrealloc(links->slot, (slots + !slots) * sizeof *links->slot);
    links->slots = slots;
}

void links_free(struct links *links)
{
    free(links->slot);
}
