#include "tui/tui.h"

bool tui_show(void *context, struct dbg *dbg, const char **why)
{
    (void)context, (void)dbg;
    *why = "this ptodbg was built without ncurses, which the full screen needs";
    return false;
}
