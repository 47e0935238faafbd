#include "dbg/block.h"

#include <stdlib.h>
#include <string.h>

const char BLOCK_END[] = "end";

bool block_begin(struct dbg *dbg, const char *name, size_t length,
                 void (*keep)(struct dbg *dbg, const char *name, const char *body))
{
    if (dbg->terminal->urgent && dbg->nesting == 0) /* what else comes is no line of it */
        return dbg_error(dbg, "put the lines into a file, and 'source' that",
                         "an editor's console has no lines that follow");
    dbg->block.name = pto_xstrndup(name, length);
    dbg->block.keep = keep;
    return true;
}

static void drop(struct dbg *dbg)
{
    free(dbg->block.name);
    dbg->block.name = NULL;
    dbg->block.depth = 0;
    dbg->block.body.size = 0;
}

/* A line that others belong to, which has an 'end' of its own. */
static bool opens(const char *line)
{
    size_t length = dbg_word(&line);
    const struct dbg_row *row = dbg_named_row(line, length);

    if (!row || (row->function != cmd_define && row->function != cmd_commands))
        return false;
    line += length;
    return row->function == cmd_commands || dbg_word(&line) > 0; /* `define` alone lists */
}

void block_take(struct dbg *dbg, const char *line)
{
    const char *rest = line;
    bool ends = dbg_take(&rest, BLOCK_END) && dbg_word(&rest) == 0;

    if (ends && dbg->block.depth == 0) {
        dbg->block.keep(dbg, dbg->block.name, pto_buf_text(&dbg->block.body));
        drop(dbg);
        return;
    }
    dbg->block.depth += opens(line);
    dbg->block.depth -= ends;
    line += strspn(line, " \t\r");
    if (*line)
        pto_buf_printf(&dbg->block.body, "%s\n", line);
}

bool block_is_whole(struct dbg *dbg)
{
    if (!dbg->block.name)
        return true;
    dbg_error(dbg, "the last line is 'end'", "the lines for '%s' do not end", dbg->block.name);
    drop(dbg);
    return false;
}

void block_free(struct dbg *dbg)
{
    drop(dbg);
    pto_buf_free(&dbg->block.body);
}
