#include "check/history.h"

#include <stdlib.h>

#include "arena.h"

static void drop(struct log_page *page)
{
    if (page && --page->refs == 0)
        free(page);
}

void history_turn(struct log_page *page[LOG_PAGES], uint32_t first)
{
    struct log_page *old = page[1];

    page[1] = page[0];
    if (old && old->refs == 1) {
        page[0] = old;
    } else {
        drop(old);
        page[0] = pto_xmalloc(sizeof *page[0]);
    }
    *page[0] = (struct log_page){.refs = 1, .first = first};
}

const struct logged *history_at(struct log_page *const page[LOG_PAGES], uint32_t epoch)
{
    for (int i = 0; i < LOG_PAGES; i++)
        if (page[i] && epoch >= page[i]->first && epoch - page[i]->first < LOG_ENTRIES) {
            const struct logged *entry = &page[i]->entry[epoch - page[i]->first];

            return entry->code ? entry : NULL;
        }
    return NULL;
}

void history_share(struct log_page *into[LOG_PAGES], struct log_page *const from[LOG_PAGES])
{
    for (int i = 0; i < LOG_PAGES; i++) {
        into[i] = from[i];
        if (into[i])
            into[i]->refs++;
    }
}

void history_drop(struct log_page *page[LOG_PAGES])
{
    for (int i = 0; i < LOG_PAGES; i++) {
        drop(page[i]);
        page[i] = NULL;
    }
}
