#include "cli/wires.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "characters.h"
#include "cli/faults.h"
#include "cli/json.h"

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
        pto_buf_printf(text, " %a %a", o->slow_link[i].factor, o->slow_link[i].latency);
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

static bool is_of_rank(const struct pto_change *change)
{
    return change->kind == PTO_CHANGE_SLOW_RANK || change->kind == PTO_CHANGE_DEAD_RANK;
}

/* A number in front of `stop`, a dash or the end; names of places begin with a letter. */
static int rank_named(const char *text, char stop)
{
    char *end;
    long rank = strtol(text, &end, 10);

    return end > text && *end == stop && rank >= 0 && rank < PTO_MAX_RANKS ? (int)rank : -1;
}

/* Names of places may have dashes of their own; ranks have none. */
void cli_change_ranks(const struct pto_change *change, int rank[2])
{
    const char *dash = strchr(change->name, '-');

    rank[0] = rank_named(change->name, dash ? '-' : 0);
    if (dash && rank[0] < 0)
        dash = strrchr(change->name, '-');
    rank[1] = dash ? rank_named(dash + 1, 0) : -1;
}

void cli_change_of(const struct pto_change *change, struct pto_buf *text)
{
    pto_buf_printf(text, "%s ", is_of_rank(change) ? "rank" : "link");
    pto_put_clean(text, change->name, strlen(change->name));
}

void cli_change_what(const struct pto_change *change, struct pto_buf *text)
{
    cli_change_of(change, text);
    if (change->kind == PTO_CHANGE_DOWN)
        pto_buf_printf(text, ": down");
    else if (change->kind == PTO_CHANGE_DEAD_RANK)
        pto_buf_printf(text, ": dead");
    else if (change->kind == PTO_CHANGE_SLOW_LINK && change->factor != change->latency)
        pto_buf_printf(text, ": bytes %g times slower, latency %g times", change->factor,
                       change->latency);
    else
        pto_buf_printf(text, ": %g times slower", change->factor);
}

void cli_change_text(const struct pto_change *change, struct pto_buf *text)
{
    char time[CLI_TIME_BYTES];

    cli_change_what(change, text);
    if (change->when.from_ps)
        pto_buf_printf(text, " from %s", cli_time_text(change->when.from_ps, time));
    if (change->when.to_ps != UINT64_MAX)
        pto_buf_printf(text, " until %s", cli_time_text(change->when.to_ps, time));
}

bool cli_change_is_timed(const struct pto_change *change)
{
    return change->when.from_ps || change->when.to_ps != UINT64_MAX;
}

static const char *const kinds[] = {[PTO_CHANGE_DOWN] = "link_down",
                                    [PTO_CHANGE_SLOW_LINK] = "slow_link",
                                    [PTO_CHANGE_SLOW_RANK] = "slow_rank",
                                    [PTO_CHANGE_DEAD_RANK] = "dead_rank"};

enum pto_change_kind cli_change_kind(const char *name)
{
    unsigned kind = 0;

    while (kind + 1 < sizeof kinds / sizeof *kinds && strcmp(name, kinds[kind]) != 0)
        kind++;
    return (enum pto_change_kind)kind;
}

void cli_changes_json(const struct pto_vm *vm, struct cli_json *json)
{
    struct pto_change change;

    if (!pto_vm_change(vm, 0, &change))
        return;
    cli_json_open(json, "changes", '[');
    for (unsigned i = 0; pto_vm_change(vm, i, &change); i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "kind", kinds[change.kind]);
        cli_json_text(json, is_of_rank(&change) ? "rank" : "link", change.name);
        if (change.kind == PTO_CHANGE_SLOW_LINK || change.kind == PTO_CHANGE_SLOW_RANK)
            cli_json_number(json, "factor", change.factor);
        if (change.kind == PTO_CHANGE_SLOW_LINK)
            cli_json_number(json, "latency_factor", change.latency);
        cli_json_uint(json, "from_ps", change.when.from_ps);
        if (change.when.to_ps != UINT64_MAX)
            cli_json_uint(json, "to_ps", change.when.to_ps);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}
