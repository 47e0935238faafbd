#include "cli/wires.h"

#include <inttypes.h>

void cli_put_wires(const struct cli_options *o, struct pto_buf *text)
{
    for (int i = 0; i < o->links_down; i++)
        pto_buf_printf(text, "down %d %d\n", o->link_down[i].a, o->link_down[i].b);
    for (int i = 0; i < o->slow_links; i++)
        pto_buf_printf(text, "slow link %d %d %s %a\n", o->slow_link[i].a, o->slow_link[i].b,
                       o->slow_link[i].places ? o->slow_link[i].places : "",
                       o->slow_link[i].factor);
    for (int i = 0; i < o->slow_ranks; i++)
        pto_buf_printf(text, "slow %d %a\n", o->slow_rank[i].rank, o->slow_rank[i].factor);
    for (int i = 0; i < o->dead_ranks; i++)
        pto_buf_printf(text, "dead %d %" PRIu64 "\n", o->dead_rank[i].rank,
                       o->dead_rank[i].time_ps);
}
