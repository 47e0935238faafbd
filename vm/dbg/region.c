#include "dbg/region.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/expr.h"
#include "dbg/view.h"
#include "tool/number.h"

static void add(struct dbg_region *region, uint64_t first, uint64_t end)
{
    struct dbg_span *last = region->spans > 0 ? &region->span[region->spans - 1] : NULL;

    if (last && last->end == first) {
        last->end = end;
        return;
    }
    PTO_GROW(region->span, region->spans, region->capacity);
    region->span[region->spans++] = (struct dbg_span){first, end};
}

static int by_first(const void *a, const void *b)
{
    const struct dbg_span *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

/* ---- raw memory ---- */

/* "ub+0x40" or "ub+0x40,16" */
static bool read_raw(struct dbg *dbg, const char *text, int space, struct dbg_region *region)
{
    const char *plus = strchr(text, '+') + 1, *comma = strchr(plus, ',');
    uint64_t limit = dbg->launch.profile.capacity[space];
    const char *name = pto_space_name((enum pto_space)space);
    int64_t address, bytes = 1;
    size_t length;

    plus += strspn(plus, " ");
    length = strcspn(plus, ", \t");
    if (comma)
        comma += 1 + strspn(comma + 1, " ");
    if (!tool_parse_int(plus, length, &address) || address < 0 ||
        (comma && (!tool_parse_int(comma, strcspn(comma, " \t"), &bytes) || bytes < 1)))
        return dbg_error(dbg, NULL, "write %s+ADDRESS or %s+ADDRESS,BYTES, for instance %s+0x40,16",
                         name, name, name);
    if ((uint64_t)address >= limit || (uint64_t)bytes > limit - (uint64_t)address)
        return dbg_error(dbg, NULL, "%s has %llu bytes", name, (unsigned long long)limit);
    region->place = (struct pto_place){dbg->rank, (int)dbg->core, (unsigned)space};
    add(region, (uint64_t)address, (uint64_t)(address + bytes));
    return true;
}

/* ---- tiles and windows ---- */

static void add_view(struct dbg_region *region, const struct dbg_view *view)
{
    uint64_t size = pto_dtype_size(view->dtype);

    for (uint64_t r = 0; r < view->rows; r++)
        for (uint64_t c = 0; c < view->cols; c++) {
            uint64_t first = view->offset + (uint64_t)view_distance(view, r, c);

            add(region, first, first + size);
        }
    qsort(region->span, region->spans, sizeof *region->span, by_first);
}

static bool read_window(struct dbg *dbg, const char *text, struct dbg_region *region)
{
    struct formula_standalone *s = expr_read(dbg, text, NULL);
    struct dbg_view view = {0};
    const struct asm_expr *expr = s ? s->expr : NULL;
    bool good = expr && expr->kind == EX_REF;

    if (expr && !good)
        dbg_error(dbg, "for instance ta[1](3, 7), a@2[0, 16]{4, 8} or ub+0x40,16",
                  "'%s' names no bytes", text);
    good = good && view_find(dbg, s, &view);
    if (good && !expr->brace && (expr->paren || (expr->index && view.place.core < 0))) {
        view.rows = view.rows > 0;
        view.cols = view.cols > 0;
    }
    if (good && (view.rows == 0 || view.cols == 0))
        good = dbg_error(dbg, NULL, "'%s' has no elements", text);
    if (good) {
        region->place = view.place;
        region->dtype = view.dtype;
        add_view(region, &view);
    }
    pto_buf_free(&view.title);
    formula_free(s);
    return good;
}

bool region_read(struct dbg *dbg, const char *text, struct dbg_region *region)
{
    size_t length = strcspn(text, "+ ");
    bool raw = text[length + strspn(text + length, " ")] == '+';
    int space = raw ? dbg_find_space(text, length) : -1;
    bool good;

    *region = (struct dbg_region){.dtype = PTO_U8};
    good = space >= 0 ? read_raw(dbg, text, space, region) : read_window(dbg, text, region);
    if (!good)
        region_free(region);
    return good;
}

struct dbg_region region_copy(const struct dbg_region *region)
{
    struct dbg_region copy = *region;

    copy.span = pto_xcalloc(region->spans + 1, sizeof *copy.span);
    copy.capacity = region->spans + 1;
    for (unsigned i = 0; i < region->spans; i++)
        copy.span[i] = region->span[i];
    return copy;
}

struct dbg_region region_of_stretch(const struct pto_stretch *bytes)
{
    struct dbg_region region = {.place = bytes->place};

    for (uint64_t i = 0; i < bytes->count; i++)
        add(&region, bytes->offset + i * bytes->step,
            bytes->offset + i * bytes->step + bytes->length);
    qsort(region.span, region.spans, sizeof *region.span, by_first);
    return region;
}

/* ---- overlap ---- */

/* The first byte of the pieces from the one that can reach `first`. */
static bool span_overlaps(const struct dbg_span *span, const struct pto_stretch *bytes,
                          uint64_t *at)
{
    uint64_t i = 0, from;

    if (bytes->count > 1 && span->first >= bytes->offset + bytes->length)
        i = (span->first - bytes->offset - bytes->length) / bytes->step + 1;
    if (i >= bytes->count)
        return false;
    from = bytes->offset + i * (bytes->count > 1 ? bytes->step : 0);
    if (from >= span->end || from + bytes->length <= span->first)
        return false;
    *at = from > span->first ? from : span->first;
    return true;
}

bool region_overlaps(const struct dbg_region *region, const struct pto_stretch *bytes,
                     uint64_t *at)
{
    if (!pto_same_place(&region->place, &bytes->place))
        return false;
    for (unsigned i = 0; i < region->spans; i++)
        if (span_overlaps(&region->span[i], bytes, at))
            return true;
    return false;
}

/* ---- names ---- */

/* "ta[1](0, 2)": the element of a tile that begins at this address; false: none does. */
static bool say_element(struct dbg *dbg, const struct pto_tile *tile, uint64_t address)
{
    uint64_t size = pto_dtype_size(tile->dtype), inside = address - tile->address;
    uint64_t slot = tile->slot_stride > 0 ? inside / tile->slot_stride : 0;

    if (address < tile->address || slot >= tile->slots)
        return false;
    inside -= slot * tile->slot_stride;
    for (uint32_t r = 0; r < tile->rows; r++)
        for (uint32_t c = 0; c < tile->cols; c++)
            if (pto_tile_offset(tile, r, c) * size == inside) {
                dbg_say(dbg, "%s[%llu](%u, %u)", tile->name, (unsigned long long)slot, r, c);
                return true;
            }
    return false;
}

static void say_space(struct dbg *dbg, const struct pto_place *place, uint64_t address)
{
    struct pto_core_info info;
    bool named = false;

    pto_vm_core(dbg->launch.vm, place->rank, (unsigned)place->core, &info);
    for (uint32_t i = 0; info.module && i < info.code->tiles && !named; i++)
        if (info.code->tile[i].space == place->number && info.code->tile[i].parent == PTO_NONE)
            named = say_element(dbg, &info.code->tile[i], address);
    if (!named)
        dbg_say(dbg, "%s+0x%llx", pto_space_name((enum pto_space)place->number),
                (unsigned long long)address);
    dbg_say(dbg, " of rank %d, %s", place->rank, info.name);
}

/* "a@2[0, 16]": the element of an object that begins at this byte. */
static void say_object(struct dbg *dbg, const struct pto_place *place, uint64_t byte)
{
    struct pto_object_info info;
    uint64_t left;

    if (!pto_vm_object(dbg->launch.vm, place->rank, place->number, &info))
        return;
    dbg_say(dbg, "%s@%d", info.name, place->rank);
    left = byte / pto_dtype_size(info.dtype);
    for (unsigned i = 0; i < info.dims; i++) {
        uint64_t stride = info.stride[i] > 0 ? (uint64_t)info.stride[i] : 1;

        dbg_say(dbg, "%s%llu", i > 0 ? ", " : "[", (unsigned long long)(left / stride));
        left %= stride;
    }
    dbg_say(dbg, "]");
}

void region_say(struct dbg *dbg, const struct dbg_region *region)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < region->spans; i++)
        bytes += region->span[i].end - region->span[i].first;
    if (region->place.core >= 0)
        say_space(dbg, &region->place, region->span[0].first);
    else
        say_object(dbg, &region->place, region->span[0].first);
    dbg_say(dbg, ", %llu byte%s", (unsigned long long)bytes, bytes == 1 ? "" : "s");
}

void region_free(struct dbg_region *region)
{
    free(region->span);
    *region = (struct dbg_region){0};
}
