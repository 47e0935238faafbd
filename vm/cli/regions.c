#include "cli/regions.h"

#include <stdlib.h>
#include <string.h>

#include "cli/faults.h"

enum { REGIONS_SHOWN = 20 };

struct region {
    const char *name;
    uint64_t count, total_ps, longest_ps;
};

/* A region that a sub-core is in. */
struct open_region {
    int rank;
    unsigned core, region; /* index of the region */
    uint64_t start_ps;
};

struct cli_regions {
    struct region *region; /* in the order in which they were met first */
    unsigned regions, region_capacity;
    struct open_region *open; /* inner ones of a sub-core behind the outer ones */
    unsigned opens, open_capacity;
};

static unsigned find_region(struct cli_regions *r, const char *name)
{
    unsigned i = 0;

    while (i < r->regions && strcmp(r->region[i].name, name) != 0)
        i++;
    if (i == r->regions) {
        PTO_GROW(r->region, r->regions, r->region_capacity);
        r->region[r->regions++] = (struct region){.name = name};
    }
    return i;
}

/* The innermost open region of the event's sub-core ends; false: there is none. */
static bool end_region(struct cli_regions *r, const struct pto_event *event)
{
    for (unsigned i = r->opens; i-- > 0;) {
        const struct open_region open = r->open[i];
        struct region *region = &r->region[open.region];
        uint64_t took = event->time_ps - open.start_ps;

        if (open.rank != event->rank || open.core != event->core)
            continue;
        region->count++;
        region->total_ps += took;
        if (took > region->longest_ps)
            region->longest_ps = took;
        memmove(&r->open[i], &r->open[i + 1], (--r->opens - i) * sizeof *r->open);
        return true;
    }
    return false;
}

static void observe(void *context, const struct pto_event *event)
{
    struct cli_regions *r = context;

    if (event->kind == PTO_EV_REGION_END) {
        end_region(r, event);
    } else if (event->kind == PTO_EV_END) { /* of its program, and so of all its regions */
        while (end_region(r, event))
            continue;
    } else if (event->kind == PTO_EV_REGION_BEGIN) {
        PTO_GROW(r->open, r->opens, r->open_capacity);
        r->open[r->opens++] =
            (struct open_region){event->rank, event->core,
                                 find_region(r, event->text ? event->text : ""), event->time_ps};
    }
}

static bool names_regions(const struct pto_code *code)
{
    for (uint32_t i = 0; i < code->insns; i++)
        if (code->insn[i].op == PTO_OP_TRACE_BEGIN)
            return true;
    return false;
}

bool cli_regions_named(const struct pto_kernel *kernel)
{
    return names_regions(&kernel->core[PTO_AIC].code) || names_regions(&kernel->core[PTO_AIV].code);
}

enum pto_status cli_regions_start(struct pto_vm *vm, struct cli_regions **regions)
{
    *regions = pto_xcalloc(1, sizeof **regions);
    return pto_vm_observe(vm, observe, *regions);
}

void cli_regions_text(const struct cli_regions *regions, struct pto_buf *out)
{
    unsigned count = regions ? regions->regions : 0;

    for (unsigned i = 0; i < count && i < REGIONS_SHOWN; i++) {
        const struct region *region = &regions->region[i];
        char total[CLI_TIME_BYTES], longest[CLI_TIME_BYTES];

        pto_buf_printf(out, "%-14s%s: %llu times, %s in all, %s the longest\n",
                       i == 0 ? "regions" : "", region->name, (unsigned long long)region->count,
                       cli_time_text(region->total_ps, total),
                       cli_time_text(region->longest_ps, longest));
    }
    if (count > REGIONS_SHOWN)
        pto_buf_printf(out, "%-14sand %u more\n", "", count - REGIONS_SHOWN);
}

void cli_regions_json(const struct cli_regions *regions, struct cli_json *json)
{
    if (!regions)
        return;
    cli_json_open(json, "regions", '[');
    for (unsigned i = 0; i < regions->regions; i++) {
        const struct region *region = &regions->region[i];

        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", region->name);
        cli_json_uint(json, "count", region->count);
        cli_json_uint(json, "total_ps", region->total_ps);
        cli_json_uint(json, "longest_ps", region->longest_ps);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void cli_regions_put(const struct cli_regions *r, struct pto_buf *out)
{
    if (!r)
        return;
    pto_buf_u32(out, r->regions);
    pto_buf_u32(out, r->opens);
    for (unsigned i = 0; i < r->regions; i++) {
        pto_buf_append(out, &r->region[i], sizeof r->region[i]);
        pto_buf_append(out, r->region[i].name, strlen(r->region[i].name) + 1);
    }
    pto_buf_append(out, r->open, r->opens * sizeof *r->open);
}

void cli_regions_take(struct cli_regions *r, const uint8_t *bytes, struct pto_arena *arena)
{
    uint32_t count[2];

    if (!r)
        return;
    memcpy(count, bytes, sizeof count);
    bytes += sizeof count;
    while (r->regions < count[0]) {
        struct region *region;

        PTO_GROW(r->region, r->regions, r->region_capacity);
        region = &r->region[r->regions++];
        memcpy(region, bytes, sizeof *region);
        region->name = pto_arena_strdup(arena, (const char *)bytes + sizeof *region);
        bytes += sizeof *region + strlen(region->name) + 1;
    }
    for (; r->opens < count[1]; bytes += sizeof *r->open) {
        PTO_GROW(r->open, r->opens, r->open_capacity);
        memcpy(&r->open[r->opens++], bytes, sizeof *r->open);
    }
}

void cli_regions_free(struct cli_regions *regions)
{
    if (!regions)
        return;
    free(regions->region);
    free(regions->open);
    free(regions);
}
