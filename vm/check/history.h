/* What the lanes of a sub-core have done last: the instructions of their entries by epoch, in
 * pages, which others may hold on to. */
#ifndef PTO_CHECK_HISTORY_H
#define PTO_CHECK_HISTORY_H

#include <stdint.h>

#include "ops.h"

struct ready_code;

enum { LOG_ENTRIES = 64, LOG_PAGES = 2 };

struct logged {
    const struct ready_code *code; /* of its launch; NULL: not known */
    uint32_t pc;
};

struct log_page {
    uint32_t refs, first; /* epoch of its first entry, a multiple of LOG_ENTRIES */
    struct logged entry[LOG_ENTRIES];
};

/* The first entry of a page: the older one of the two is forgotten. */
void history_turn(struct log_page *page[LOG_PAGES], uint32_t first);
static inline void history_note(struct log_page *page[LOG_PAGES], uint32_t epoch,
                                struct logged entry)
{
    uint32_t first = epoch & ~(LOG_ENTRIES - 1u);

    if (!page[0] || page[0]->first != first)
        history_turn(page, first);
    page[0]->entry[epoch - first] = entry;
}

/* NULL: that is not known any more. */
const struct logged *history_at(struct log_page *const page[LOG_PAGES], uint32_t epoch);
void history_share(struct log_page *into[LOG_PAGES], struct log_page *const from[LOG_PAGES]);
void history_drop(struct log_page *page[LOG_PAGES]);

#endif
