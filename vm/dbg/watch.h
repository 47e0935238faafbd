/* Watchpoints, and who wrote bytes last: what the debugger asks of look/touch.h. */
#ifndef PTO_DBG_WATCH_H
#define PTO_DBG_WATCH_H

#include "dbg/region.h"

struct wanted;

/* Watch the machine that was built, if there is anything to watch; before it goes, stop that.  Both
 * may be called again. */
void watch_attach(struct dbg *dbg);
void watch_detach(struct dbg *dbg);
/* A watchpoint on bytes was set or deleted. */
void watch_refresh(struct dbg *dbg);

/* The write that bytes came from. */
struct dbg_writer {
    uint64_t event; /* 0: nobody wrote them */
    uint64_t left;  /* when what it was made from was read: before it landed on another rank */
    struct pto_touch touch;
    struct dbg_issue *issue;
    struct dbg_region *source; /* what it was made from */
    unsigned sources, capacity;
};
/* A search for it, while the machine runs again: dbg->search. */
struct dbg_search {
    struct wanted *wanted;           /* for all that is wrong in it; NULL: */
    const struct dbg_region *region; /* for this one */
    uint64_t before; /* only events below this number */
    struct dbg_writer *writer;
};
void watch_free_writer(struct dbg_writer *writer);

#endif
