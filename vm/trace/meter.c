#include "trace/meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ, WRITTEN, HIT, LINES, COLUMNS, SENT = 0, KEPT = 64 };

/* Sums of intervals that follow one another. */
struct meter {
    int rank, peer;          /* peer -1: global memory; else the link to it */
    uint64_t first;          /* number of the interval of sum[begin] */
    uint64_t (*sum)[COLUMNS];
    uint32_t begin, count, capacity; /* sum[begin..count) */
    uint64_t told[3][2];     /* values of its counters */
};

struct trace_meters {
    struct timeline *out;
    const struct trace_choice *choice;
    bool has_cache;
    struct trace_map numbers; /* of rank and peer */
    struct meter *meter;
    uint32_t meters, meter_capacity;
};

struct trace_meters *trace_meters_start(struct timeline *out, const struct trace_choice *choice,
                                        const struct pto_profile *profile)
{
    struct trace_meters *m = pto_xcalloc(1, sizeof *m);

    m->out = out;
    m->choice = choice;
    m->has_cache = profile->l2_bytes > 0;
    return m;
}

void trace_meters_free(struct trace_meters *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->meters; i++)
        free(m->meter[i].sum);
    free(m->meter);
    trace_map_free(&m->numbers);
    free(m);
}

static struct meter *meter_of(struct trace_meters *m, int rank, int peer)
{
    uint32_t *number = trace_map_at(&m->numbers, ((uint64_t)rank << 32 | (uint32_t)(peer + 1)) + 1);

    if (!*number) {
        PTO_GROW(m->meter, m->meters, m->meter_capacity);
        m->meter[m->meters++] = (struct meter){.rank = rank, .peer = peer};
        *number = m->meters;
    }
    return &m->meter[*number - 1];
}

/* ---- telling ---- */

static bool wanted(const struct trace_meters *m, uint64_t when)
{
    return when <= m->choice->to_ps && when + m->choice->interval_ps > m->choice->from_ps;
}

static void tell(struct trace_meters *m, struct meter *meter, unsigned which,
                 const struct timeline_counter *counter, uint64_t when)
{
    uint64_t *told = meter->told[which];

    if ((counter->value[0] == told[0] && counter->value[1] == told[1]) || !wanted(m, when))
        return;
    told[0] = counter->value[0];
    told[1] = counter->value[1];
    if (timeline_admit(m->out, 1)) /* else it is counted once, too */
        timeline_counter(m->out, meter->rank, counter, when);
}

/* Thousandths of a gigabyte in a second: as many bytes in an interval of picoseconds. */
static uint64_t rate(const struct trace_meters *m, uint64_t bytes)
{
    return (uint64_t)((unsigned __int128)bytes * 1000000 / m->choice->interval_ps);
}

static void tell_interval(struct trace_meters *m, struct meter *meter, const uint64_t *sum,
                          uint64_t when)
{
    char link[48];
    struct timeline_counter use = {"global memory, GB/s", 2, {"read", "written"},
                                   {rate(m, sum[READ]), rate(m, sum[WRITTEN])}};
    struct timeline_counter lines = {"memory behind L2, GB/s", 1, {"GB/s", NULL},
                                     {rate(m, sum[LINES]), 0}};
    struct timeline_counter hits = {"L2 hits, %", 1, {"%", NULL}, {0, 0}};

    if (meter->peer >= 0) {
        snprintf(link, sizeof link, "link to rank %d, GB/s", meter->peer);
        use = (struct timeline_counter){link, 1, {"GB/s", NULL}, {rate(m, sum[SENT]), 0}};
    }
    tell(m, meter, 0, &use, when);
    if (meter->peer >= 0 || !m->has_cache)
        return;
    tell(m, meter, 1, &lines, when);
    if (sum[READ]) {
        hits.value[0] = (uint64_t)((unsigned __int128)sum[HIT] * 100000 / sum[READ]);
        tell(m, meter, 2, &hits, when);
    }
}

/* Tell the intervals before this one, to which nothing will be added. */
static void settle(struct trace_meters *m, struct meter *meter, uint64_t interval)
{
    static const uint64_t nothing[COLUMNS];

    for (; meter->begin < meter->count && meter->first < interval; meter->first++)
        tell_interval(m, meter, meter->sum[meter->begin++],
                      meter->first * m->choice->interval_ps);
    if (meter->begin < meter->count)
        return;
    if (meter->first < interval)
        tell_interval(m, meter, nothing, meter->first * m->choice->interval_ps);
    if (meter->first < interval)
        meter->first = interval;
    meter->begin = meter->count = 0;
}

/* ---- adding ---- */

/* Room for the sums of the intervals up to `last`. */
static void reach(struct meter *meter, uint64_t last)
{
    if (meter->begin > KEPT) {
        memmove(meter->sum, meter->sum + meter->begin,
                (meter->count - meter->begin) * sizeof *meter->sum);
        meter->count -= meter->begin;
        meter->begin = 0;
    }
    while (meter->first + (meter->count - meter->begin) <= last) {
        PTO_GROW(meter->sum, meter->count, meter->capacity);
        memset(meter->sum[meter->count++], 0, sizeof *meter->sum);
    }
}

/* What passed in the first `part` of `whole`. */
static uint64_t share(uint64_t amount, uint64_t part, uint64_t whole)
{
    return part < whole ? (uint64_t)((unsigned __int128)amount * part / whole) : amount;
}

/* Spread evenly over the time from `from` to `to`. */
static void add(struct trace_meters *m, struct meter *meter, unsigned column, uint64_t from,
                uint64_t to, uint64_t amount)
{
    uint64_t length = m->choice->interval_ps, at = from / length, last, before = 0;

    if (!amount)
        return;
    last = to > from ? (to - 1) / length : at;
    settle(m, meter, at);
    reach(meter, last);
    for (; at <= last; at++) {
        uint64_t end = (at + 1) * length;
        uint64_t passed = end < to ? share(amount, end - from, to - from) : amount;

        meter->sum[meter->begin + (at - meter->first)][column] += passed - before;
        before = passed;
    }
}

void trace_meters_phase(struct trace_meters *m, const struct pto_event *event)
{
    const struct pto_gm_use *gm = &event->gm;

    if (gm->read || gm->written || gm->lines) {
        struct meter *meter = meter_of(m, event->rank, -1);
        const uint64_t amount[COLUMNS] = {gm->read, gm->written, gm->hit, gm->lines};

        for (unsigned column = 0; column < COLUMNS; column++)
            add(m, meter, column, event->time_ps, event->next_ps, amount[column]);
    }
    if (event->remote && event->peer >= 0)
        add(m, meter_of(m, event->rank, event->peer), SENT, event->time_ps, event->next_ps,
            event->bytes);
}

void trace_meters_send(struct trace_meters *m, const struct pto_event *event)
{
    if (event->time_ps > event->next_ps)
        add(m, meter_of(m, event->rank, event->peer), SENT, event->next_ps, event->time_ps,
            event->bytes);
}

void trace_meters_leaving(struct trace_meters *m, const struct pto_event *event)
{
    add(m, meter_of(m, event->rank, event->peer), SENT, event->time_ps, event->next_ps,
        event->bytes);
}

void trace_meters_end(struct trace_meters *m)
{
    for (uint32_t i = 0; i < m->meters; i++)
        settle(m, &m->meter[i], UINT64_MAX / m->choice->interval_ps);
}

/* ---- queues ---- */

static void tell_depth(struct trace_meters *m, struct trace_depth *depth,
                       const struct pto_event *at, uint32_t value)
{
    uint64_t when = depth->interval * m->choice->interval_ps;
    struct pto_core_info core;
    char name[64];

    if (value == depth->told || !wanted(m, when))
        return;
    depth->told = value;
    if (!timeline_admit(m->out, 1))
        return;
    pto_vm_core(m->out->vm, at->rank, at->core, &core);
    snprintf(name, sizeof name, "queue of %s %s", core.name, pto_queue_name(at->pipe));
    timeline_counter(m->out, at->rank,
                     &(struct timeline_counter){name, 1, {"entries", NULL},
                                                {(uint64_t)value * 1000, 0}}, when);
}

void trace_depth_set(struct trace_meters *m, struct trace_depth *depth, const struct pto_event *at,
                     uint64_t when, uint32_t entries)
{
    uint64_t interval = when / m->choice->interval_ps;

    if (interval > depth->interval) {
        tell_depth(m, depth, at, depth->most);
        depth->most = depth->now;
        if (interval > ++depth->interval)
            tell_depth(m, depth, at, depth->now);
        depth->interval = interval;
    }
    depth->now = entries;
    depth->most = entries > depth->most ? entries : depth->most;
}

void trace_depth_end(struct trace_meters *m, struct trace_depth *depth, const struct pto_event *at)
{
    tell_depth(m, depth, at, depth->most);
    depth->interval++;
    tell_depth(m, depth, at, depth->now);
}
