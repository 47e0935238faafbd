/* One slot of a tile: what it is, and a map of its numbers. */
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>

#include "dbg/expr.h"
#include "dbg/heat.h"
#include "tui/screen.h"

/* "ta[1]" of the slot that is shown; the index goes round.  False: there are no tiles. */
static bool name_of(struct tui *tui, const struct pto_core_code *code, char *name, size_t size)
{
    unsigned slots = 0, index;

    for (uint32_t i = 0; i < code->tiles; i++)
        slots += code->tile[i].slots;
    if (slots == 0)
        return false;
    tui->tile_index %= slots;
    index = tui->tile_index;
    for (uint32_t i = 0; i < code->tiles; i++) {
        if (index < code->tile[i].slots) {
            snprintf(name, size, "%s[%u]", code->tile[i].name, index);
            return true;
        }
        index -= code->tile[i].slots;
    }
    return false;
}

static void draw_map(const struct tui *tui, const struct dbg_view *view)
{
    int room = tui->tile.rows - 1;
    struct dbg_heat heat = heat_make(tui->dbg, view, room > 0 ? (unsigned)room : 1,
                                     tui->cols > 2 ? (unsigned)tui->cols - 2 : 1);
    char *text = pto_xmalloc(heat.cols + 3u);
    char title[400];

    snprintf(title, sizeof title, "- %.*s: ' ' %g to '@' %g, N NaN, _ never written ",
             (int)view->title.size, (const char *)view->title.data, heat.low, heat.high);
    tui_put(tui->tile.top, 0, tui->cols, A_DIM, title);
    for (unsigned r = 0; r < heat.rows && (int)r < room; r++) {
        snprintf(text, heat.cols + 3u, "|%.*s|", (int)heat.cols, heat.cell + r * heat.cols);
        tui_put(tui->tile.top + 1 + (int)r, 0, tui->cols, A_NORMAL, text);
    }
    free(text);
    free(heat.cell);
}

void tui_draw_tile(struct tui *tui)
{
    struct dbg *dbg = tui->dbg;
    struct pto_core_info info;
    struct formula_standalone *s;
    struct dbg_view view = {0};
    size_t from = dbg->out.size;
    char name[300];

    dbg_focused(dbg, &info);
    if (!info.module || !name_of(tui, info.code, name, sizeof name)) {
        tui_put(tui->tile.top, 0, tui->cols, A_DIM, "- no tiles ");
        return;
    }
    s = expr_read(dbg, name, NULL);
    if (s && view_find(dbg, s, &view))
        draw_map(tui, &view);
    tui_said(dbg, from);
    formula_free(s);
    pto_buf_free(&view.title);
}
