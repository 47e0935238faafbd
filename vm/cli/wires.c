#include "cli/wires.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "characters.h"
#include "cli/faults.h"

static void put_span(const struct pto_span *when, struct pto_buf *text)
{
    pto_buf_printf(text, " %" PRIu64 " %" PRIu64 "\n", when->from_ps, when->to_ps);
}

static void put_link(const char *what, const struct pto_link *link, struct pto_buf *text)
{
    pto_buf_printf(text, "%s %d %d %s", what, link->a, link->b, link->places ? link->places : "");
}

void cli_put_wires(const struct cli_options *o, struct pto_buf *text)
{
    for (int i = 0; i < o->links_down; i++) {
        put_link("down", &o->link_down[i], text);
        put_span(&o->link_down[i].when, text);
    }
    for (int i = 0; i < o->slow_links; i++) {
        put_link("slow link", &o->slow_link[i].link, text);
        pto_buf_printf(text, " %a", o->slow_link[i].factor);
        put_span(&o->slow_link[i].link.when, text);
    }
    for (int i = 0; i < o->slow_ranks; i++) {
        pto_buf_printf(text, "slow %d %a", o->slow_rank[i].rank, o->slow_rank[i].factor);
        put_span(&o->slow_rank[i].when, text);
    }
    for (int i = 0; i < o->dead_ranks; i++)
        pto_buf_printf(text, "dead %d %" PRIu64 "\n", o->dead_rank[i].rank,
                       o->dead_rank[i].time_ps);
}

bool cli_change_holds(const struct pto_change *change, uint64_t time)
{
    return change->when.from_ps <= time && time < change->when.to_ps;
}

bool cli_is_down(const struct pto_vm *vm, int from, int to, uint64_t time)
{
    struct pto_change change;
    char one[32], other[32];

    for (unsigned i = 0; pto_vm_change(vm, i, &change); i++) {
        if (change.kind != PTO_CHANGE_DOWN || !cli_change_holds(&change, time))
            continue;
        snprintf(one, sizeof one, "%d-%d", from, to);
        snprintf(other, sizeof other, "%d-%d", to, from);
        if (!strcmp(change.name, one) || !strcmp(change.name, other))
            return true;
    }
    return false;
}

void cli_change_text(const struct pto_change *change, struct pto_buf *text)
{
    const bool of_rank = change->kind == PTO_CHANGE_SLOW_RANK;
    char time[CLI_TIME_BYTES];

    pto_buf_printf(text, "%s ", of_rank ? "rank" : "link");
    pto_put_clean(text, change->name, strlen(change->name));
    pto_buf_printf(text, ": ");
    if (change->kind == PTO_CHANGE_DOWN)
        pto_buf_printf(text, "down");
    else
        pto_buf_printf(text, "%g times slower", change->factor);
    if (change->when.from_ps)
        pto_buf_printf(text, " from %s", cli_time_text(change->when.from_ps, time));
    if (change->when.to_ps != UINT64_MAX)
        pto_buf_printf(text, " until %s", cli_time_text(change->when.to_ps, time));
}

bool cli_change_is_timed(const struct pto_change *change)
{
    return change->when.from_ps || change->when.to_ps != UINT64_MAX;
}
