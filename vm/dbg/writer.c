#include "dbg/writer.h"

#include "dbg/position.h"

bool writer_find(struct dbg *dbg, const struct dbg_region *region, uint64_t before,
                 struct dbg_writer *writer)
{
    struct dbg_search search = {region, before, writer};
    bool good;

    *writer = (struct dbg_writer){0};
    dbg->search = &search;
    good = position_again(dbg);
    dbg->search = NULL;
    if (dbg->launch.vm)
        watch_refresh(dbg);
    return good;
}
