#include "fit_tile.h"

#include <stdio.h>

#include "core_name.h"

enum { STRIDE_UNIT = 32 }; /* bytes: slots start on blocks */

uint64_t pto_tile_extent(const struct pto_tile *tile)
{
    return (uint64_t)tile->slot_stride * (tile->slots - 1) + pto_tile_bytes(tile);
}

static bool wrong(struct pto_misfit *misfit, enum pto_part part, const char *text)
{
    return misfit_in(misfit, 0, part, "%s", text);
}

static bool check_space(const struct pto_profile *profile, enum pto_core_kind kind,
                        const struct pto_tile *tile, struct pto_misfit *misfit)
{
    struct pto_buf list = {0};
    bool reached = pto_spaces[tile->space].core == kind ||
                   pto_profile_sends(profile, kind, tile->space);

    if (reached && profile->capacity[tile->space] > 0)
        return true;
    if (reached)
        misfit_in(misfit, 0, PTO_PART_ALL, "profile %s has no %s", profile->name,
                  pto_space_name(tile->space));
    else
        misfit_in(misfit, 0, PTO_PART_ALL, "a program for %s has no %s",
                  pto_core_names[kind], pto_space_name(tile->space));
    pto_space_list(&list, pto_profile_spaces(profile, 1u << kind));
    if (!list.size)
        misfit_hint(misfit, "%s sub-cores of profile %s have no memories",
                    kind == PTO_AIV ? "vector" : "cube", profile->name);
    else
        misfit_hint(misfit, kind == PTO_AIV ? "the memory of vector sub-cores is %s"
                                            : "the memories of cube sub-cores are %s",
                    pto_buf_text(&list));
    pto_buf_free(&list);
    return false;
}

static bool check_numbers(const struct pto_tile *tile, struct pto_misfit *misfit)
{
    if (tile->rows == 0 || tile->cols == 0)
        return wrong(misfit, PTO_PART_SHAPE, "it has no rows or columns");
    if (tile->slots == 0)
        return wrong(misfit, PTO_PART_SLOT, "it has no slots");
    if (tile->rows > PTO_MAX_TILE_SIDE || tile->cols > PTO_MAX_TILE_SIDE)
        return misfit_in(misfit, 0, PTO_PART_SHAPE, "%u x %u elements: a side has at most %d",
                         tile->rows, tile->cols, PTO_MAX_TILE_SIDE);
    return true;
}

static bool check_layout(const struct pto_profile *profile, const struct pto_tile *tile,
                         struct pto_misfit *misfit)
{
    unsigned legal = pto_profile_layouts(profile, tile->space);
    char list[64];
    size_t length = 0;

    if (legal >> tile->layout & 1)
        return true;
    for (unsigned i = 0; i < PTO_LAYOUT_COUNT; i++)
        if (legal >> i & 1)
            length += (size_t)snprintf(list + length, sizeof list - length, " %s",
                                       pto_layout_name(i));
    misfit_in(misfit, 0, PTO_PART_LAYOUT, "%s of profile %s cannot hold the layout %s",
              pto_space_name(tile->space), profile->name, pto_layout_name(tile->layout));
    return misfit_hint(misfit, "it holds%s", list);
}

static bool check_fractal(const struct pto_tile *tile, struct pto_misfit *misfit)
{
    unsigned rows, cols;

    pto_fractal(tile->layout, tile->space, pto_dtype_size(tile->dtype), &rows, &cols);
    if (tile->rows % rows == 0 && tile->cols % cols == 0)
        return true;
    misfit_in(misfit, 0, PTO_PART_SHAPE, "layout %s of %s consists of blocks of %u x %u",
              pto_layout_name(tile->layout), pto_dtype_name(tile->dtype), rows, cols);
    return misfit_hint(misfit,
                       "round the shape up to [%u, %u]; the valid region {rows, cols} may be "
                       "smaller", (tile->rows + rows - 1) / rows * rows,
                       (tile->cols + cols - 1) / cols * cols);
}

/* Rows (by_cols: columns) of a block of the layout, which a line of blocks is high. */
static unsigned box_of(const struct pto_tile *tile, bool by_cols)
{
    unsigned box[2];

    pto_fractal(tile->layout, tile->space, pto_dtype_size(tile->dtype), &box[0], &box[1]);
    return box[by_cols];
}

uint32_t pto_tile_line(const struct pto_tile *tile)
{
    return pto_layouts[tile->layout].columns_first ? tile->rows : tile->cols;
}

const char *pto_tile_lines_name(const struct pto_tile *tile)
{
    return pto_layout_is_plain(tile->layout) ? "rows" : "lines of fractals";
}

const char *pto_tile_lines_rule(const struct pto_tile *tile)
{
    return pto_layout_is_plain(tile->layout)
               ? "rows of a window stay in rows of the tile that it views"
               : "a window begins at a fractal of the tile that it views, and stays in its lines";
}

/* Bytes of `elements` of a line, of fractals of a line of blocks. */
static uint64_t line_bytes(const struct pto_tile *tile, uint64_t elements)
{
    return elements * box_of(tile, pto_layouts[tile->layout].columns_first) *
           pto_dtype_size(tile->dtype);
}

static uint64_t distance_of(const struct pto_tile *tile)
{
    return line_bytes(tile, tile->pitch ? tile->pitch : pto_tile_line(tile));
}

/* A window of another tile: its lines are as far apart as that one's. */
static bool check_pitch(const struct pto_tile *tile, struct pto_misfit *misfit)
{
    unsigned box = box_of(tile, !pto_layouts[tile->layout].columns_first);

    if (!tile->pitch)
        return true;
    if (tile->parent == PTO_NONE) {
        misfit_in(misfit, 0, PTO_PART_PITCH, "only a tile that views another has a pitch");
        return misfit_hint(misfit, "write .tile name : type[rows, cols] of OTHER pitch N");
    }
    if (tile->pitch % box)
        return misfit_in(misfit, 0, PTO_PART_PITCH, "a pitch of %u is no multiple of %u, the side "
                         "of a fractal", tile->pitch, box);
    return tile->pitch >= pto_tile_line(tile) ||
           misfit_in(misfit, 0, PTO_PART_PITCH, "a line of %u elements does not end before the "
                     "next one begins, %u further on", pto_tile_line(tile), tile->pitch);
}

static bool check_size(const struct pto_profile *profile, const struct pto_tile *tile,
                       struct pto_misfit *misfit)
{
    uint32_t capacity = profile->capacity[tile->space];
    uint64_t bytes = pto_tile_bytes(tile), extent = pto_tile_extent(tile);
    const char *space = pto_space_name(tile->space);

    if (tile->slot_stride % STRIDE_UNIT || (tile->slots > 1 && tile->slot_stride < bytes))
        return misfit_in(misfit, 0, PTO_PART_STRIDE,
                         "slots of %llu bytes every %u bytes: the distance must hold a slot and "
                         "be a multiple of %d", (unsigned long long)bytes, tile->slot_stride,
                         STRIDE_UNIT);
    if (extent > capacity)
        return misfit_in(misfit, 0, PTO_PART_ALL, "it needs %llu bytes, %s of profile %s has %u",
                         (unsigned long long)extent, space, profile->name, capacity);
    return tile->slot_stride <= capacity ||
           misfit_in(misfit, 0, PTO_PART_STRIDE, "slots every %u bytes, %s of profile %s has %u",
                     tile->slot_stride, space, profile->name, capacity);
}

bool pto_tile_fits(const struct pto_profile *profile, enum pto_core_kind kind,
                   const struct pto_tile *tile, struct pto_misfit *misfit)
{
    return check_space(profile, kind, tile, misfit) && check_numbers(tile, misfit) &&
           check_layout(profile, tile, misfit) && check_fractal(tile, misfit) &&
           check_pitch(tile, misfit) &&
           check_size(profile, tile, misfit);
}

bool pto_tile_lines_fit(const struct pto_tile *tile, const struct pto_tile *parent, uint64_t byte)
{
    uint64_t distance = distance_of(tile), line = line_bytes(tile, pto_tile_line(tile));
    uint64_t from = tile->address - parent->address + byte;
    uint64_t box = (uint64_t)box_of(tile, false) * box_of(tile, true) *
                   pto_dtype_size(tile->dtype);

    if (!tile->pitch || tile->layout != parent->layout || distance != distance_of(parent))
        return true;
    return (pto_layout_is_plain(tile->layout) || from % box == 0) &&
           from % distance + line <= distance;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* A view lies inside its parent's slot, slot for slot. */
static bool check_view(const struct pto_tile *parent, const struct pto_tile *tile,
                       struct pto_misfit *misfit)
{
    uint64_t bytes = pto_tile_bytes(tile), room = pto_tile_bytes(parent);

    if (tile->space != parent->space)
        return misfit_in(misfit, 0, PTO_PART_ALL, "'%s' lies in %s", parent->name,
                         pto_space_name(parent->space));
    if (tile->slots > parent->slots)
        return misfit_in(misfit, 0, PTO_PART_SLOT, "it has %u slots, '%s' has %u", tile->slots,
                         parent->name, parent->slots);
    if (tile->slots > 1 && tile->slot_stride != parent->slot_stride)
        return misfit_in(misfit, 0, PTO_PART_STRIDE, "slots every %u bytes, those of '%s' stand "
                         "every %u bytes", tile->slot_stride, parent->name, parent->slot_stride);
    if (bytes > room)
        return misfit_in(misfit, 0, PTO_PART_ALL,
                         "it needs %llu bytes, but a slot of '%s' has %llu",
                         (unsigned long long)bytes, parent->name, (unsigned long long)room);
    if (tile->address >= parent->address && !pto_tile_lines_fit(tile, parent, 0))
        return misfit_in(misfit, 0, PTO_PART_ADDRESS, "its %s would end in the next ones of '%s'",
                         pto_tile_lines_name(tile), parent->name) ||
               misfit_hint(misfit, "%s", pto_tile_lines_rule(tile));
    return (tile->address >= parent->address && tile->address - parent->address + bytes <= room) ||
           misfit_in(misfit, 0, PTO_PART_ADDRESS,
                     "0x%x to 0x%llx is not inside a slot of '%s', 0x%x to 0x%llx", tile->address,
                     (unsigned long long)(tile->address + bytes), parent->name, parent->address,
                     (unsigned long long)(parent->address + room));
}

bool pto_tile_place_fits(const struct pto_profile *profile, const struct pto_core_code *core,
                         const struct pto_tile *tile, struct pto_misfit *misfit)
{
    bool view = tile->parent != PTO_NONE;
    /* Views may start at any element of their parent. */
    uint32_t alignment = view ? pto_dtype_size(tile->dtype) : profile->alignment[tile->space];
    uint64_t end = tile->address + pto_tile_extent(tile);

    if (tile->address % alignment)
        return misfit_in(misfit, 0, PTO_PART_ADDRESS, "address 0x%x is no multiple of %u bytes",
                         tile->address, alignment);
    if (end > profile->capacity[tile->space])
        return misfit_in(misfit, 0, PTO_PART_ADDRESS,
                         "it would end at %llu, behind the %u bytes of %s", (unsigned long long)end,
                         profile->capacity[tile->space], pto_space_name(tile->space));
    return !view || check_view(&core->tile[tile->parent], tile, misfit);
}
