#include "dbg/due.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/breakpoint.h"
#include "dbg/hit.h"

static const char SILENT[] = "silent";

bool due_is_silence(const char *lines)
{
    size_t length = strcspn(lines, " \t\r\n");

    return dbg_is_name(SILENT, lines, length) &&
           strchr("\n", lines[length + strspn(lines + length, " \t\r")]);
}

void due_expect(struct dbg *dbg)
{
    struct pto_buf lines = {0};

    free(dbg->due);
    dbg->due = NULL;
    for (unsigned i = 0; i < dbg->hits; i++) {
        const struct dbg_break *b = breakpoint_find(dbg, dbg->hit[i].number);

        if (b && b->commands && hit_is_first(dbg, i))
            pto_buf_printf(&lines, "%s", b->commands);
    }
    if (lines.size > 0)
        dbg->due = pto_xstrdup(pto_buf_text(&lines));
    pto_buf_free(&lines);
}

bool due_is_silent(const struct dbg *dbg)
{
    for (unsigned i = 0; i < dbg->hits; i++) {
        const struct dbg_break *b = breakpoint_find((struct dbg *)dbg, dbg->hit[i].number);

        if (!b || !b->commands || !due_is_silence(b->commands))
            return false;
    }
    return dbg->hits > 0;
}
