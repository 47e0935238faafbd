#include "resolve.h"

#include "fault.h"
#include "fit_tile.h"
#include "memory.h"
#include "route.h"

/* ---- tiles ---- */

struct extent resolve_extent(const struct core *core, const struct ready_operand *operand)
{
    struct extent extent = {NOT_GIVEN, NOT_GIVEN};

    if (operand->rows != NO_REGISTER) {
        extent.rows = (int64_t)core->reg[operand->rows];
        extent.cols = register_or(core, operand->cols, 1);
        extent.rows += extent.rows == NOT_GIVEN; /* as wrong as its neighbour */
    }
    return extent;
}

bool resolve_address(struct core *core, const struct ready_operand *operand, uint32_t *address)
{
    const struct pto_tile *tile = operand->tile;
    uint32_t first = core->tile_address[tile - core->ready->core->tile];
    int64_t slot = register_or(core, operand->slot, 0);
    int64_t byte = register_or(core, operand->byte, 0);

    if (slot == 0 && byte == 0) { /* as it was declared */
        *address = first;
        return true;
    }
    if (slot < 0 || slot >= tile->slots)
        return FAULT_HERE(core, "slots are numbered from 0", "slot %lld of tile '%s' with %u slots",
                          (long long)slot, tile->name, tile->slots);
    if (byte < 0 || byte % 32 != 0 || byte > (int64_t)operand->limit ||
        (uint64_t)byte + operand->bytes > operand->limit)
        return FAULT_HERE(core, "byte offsets are multiples of 32 and stay inside the viewed tile",
                          "byte offset %lld of tile '%s' (%llu bytes in a slot of %u)",
                          (long long)byte, tile->name, (unsigned long long)operand->bytes,
                          operand->limit);
    if (tile->pitch &&
        !pto_tile_lines_fit(tile, &core->ready->core->tile[tile->parent], (uint64_t)byte))
        return FAULT_HERE(core, pto_tile_lines_rule(tile),
                          "byte offset %lld of tile '%s': its %s of %u elements would end in the "
                          "next ones of '%s'", (long long)byte, tile->name,
                          pto_tile_lines_name(tile), pto_tile_line(tile),
                          core->ready->core->tile[tile->parent].name);
    *address = first + (uint32_t)slot * tile->slot_stride + (uint32_t)byte;
    return true;
}

bool resolve_assign(struct core *core, const struct ready_operand *operand, int64_t address)
{
    const struct pto_tile *tiles = core->ready->core->tile, *tile = operand->tile;
    const struct pto_profile *profile = &core->rank->vm->profile;
    uint64_t bytes = (uint64_t)tile->slots * tile->slot_stride;

    if (tile->parent != PTO_NONE)
        return FAULT_HERE(core, "assign the tile that it views", "'%s' views the bytes of '%s'",
                          tile->name, tiles[tile->parent].name);
    if (operand->slot != NO_REGISTER || !operand->whole_tile || operand->has_offset)
        return FAULT_HERE(core, NULL, "TASSIGN takes a tile without slot, offset and extent");
    if (address < 0 || address % profile->alignment[tile->space] != 0)
        return FAULT_HERE(core, NULL, "address %lld is no multiple of %u", (long long)address,
                          profile->alignment[tile->space]);
    if ((uint64_t)address + bytes > profile->capacity[tile->space])
        return FAULT_HERE(core, NULL, "tile '%s' of %llu bytes at %lld leaves %s with %u bytes",
                          tile->name, (unsigned long long)bytes, (long long)address,
                          pto_space_name(tile->space), profile->capacity[tile->space]);
    for (uint32_t i = 0; i < core->ready->core->tiles; i++)
        if (&tiles[i] == tile || (tiles[i].parent != PTO_NONE && &tiles[tiles[i].parent] == tile))
            core->tile_address[i] = (uint32_t)address;
    return true;
}

bool resolve_tile(struct core *core, const struct ready_operand *operand,
                         struct extent given, uint64_t *word)
{
    const struct pto_tile *tile = operand->tile;
    struct extent extent;
    uint32_t address;

    if (!resolve_address(core, operand, &address))
        return false;
    if (operand->whole_tile && !operand->has_offset && given.rows == NOT_GIVEN) {
        word[0] = tile_word(address, tile->rows, tile->cols);
        return true;
    }
    extent = resolve_extent(core, operand);
    if (extent.rows == NOT_GIVEN && operand->rows == NO_REGISTER)
        extent = given.rows == NOT_GIVEN ? (struct extent){tile->rows, tile->cols} : given;
    if (extent.rows < 0 || extent.cols < 0 || extent.rows > tile->rows || extent.cols > tile->cols)
        return FAULT_HERE(core, "a valid region lies inside the declared shape",
                          "valid region {%lld, %lld} of tile '%s' of %u x %u elements",
                          (long long)extent.rows, (long long)extent.cols, tile->name, tile->rows,
                          tile->cols);
    word[0] = tile_word(address, (uint32_t)extent.rows, (uint32_t)extent.cols);
    if (operand->has_offset) {
        int64_t row = register_or(core, operand->row, 0), col = register_or(core, operand->col, 0);

        if (row < 0 || col < 0 || row > tile->rows || col > tile->cols)
            return FAULT_HERE(core, "offsets count elements from the tile's first",
                              "offset (%lld, %lld) in tile '%s' of %u x %u elements",
                              (long long)row, (long long)col, tile->name, tile->rows, tile->cols);
        word[1] = (uint64_t)row | (uint64_t)col << 32;
    }
    return true;
}

/* ---- global memory ---- */

/* May this rank name that one, and does a link lead there? */
static bool check_rank(struct core *core, const struct ready_operand *operand, int64_t rank)
{
    const struct rank *self = core->rank;

    if (rank < 0 || rank >= self->vm->ranks)
        return FAULT_HERE(core, "ranks are numbered from 0 to nranks() - 1",
                          "rank %lld of '%s' in a run with %d ranks", (long long)rank,
                          memory_object_name(core, operand->object), self->vm->ranks);
    return route_holds(core, core->pc, PTO_PIPE_S, (int)rank, core->time, core->time,
                       "choose a route that avoids this pair");
}

/* Element indices to a byte offset, each index inside its dimension. */
static bool gm_offset(struct core *core, const struct ready_operand *operand,
                      const struct bound_object *object, int64_t *index, uint64_t *offset)
{
    uint64_t bytes = object->offset; /* may wrap beside an empty window, which nobody touches */

    for (unsigned i = 0; i < object->dims; i++) {
        index[i] = i < operand->indices ? (int64_t)core->reg[operand->index[i]] : 0;
        if (index[i] < 0 || (uint64_t)index[i] > object->dim[i])
            return FAULT_HERE(core, "clip what is dealt out to what the object has: elements are "
                                    "numbered from 0",
                              "index %lld in dimension %u of '%s', which has %llu elements%s",
                              (long long)index[i], i, memory_object_name(core, operand->object),
                              (unsigned long long)object->dim[i], fault_registers(core));
        bytes += (uint64_t)index[i] * (uint64_t)object->stride[i];
    }
    *offset = bytes;
    return true;
}

static bool check_window(struct core *core, const struct ready_operand *operand,
                         const struct bound_object *object, const int64_t *index,
                         struct extent extent)
{
    unsigned last = object->dims - 1u;
    uint64_t rows = last ? object->dim[last - 1] - (uint64_t)index[last - 1] : 1;
    uint64_t cols = object->dim[last] - (uint64_t)index[last];

    if (extent.rows < 0 || extent.cols < 0 || extent.rows > UINT32_MAX || extent.cols > UINT32_MAX)
        return FAULT_HERE(core, NULL, "extent {%lld, %lld} of '%s'", (long long)extent.rows,
                          (long long)extent.cols, memory_object_name(core, operand->object));
    if (extent.rows == 0 || extent.cols == 0)
        return true;
    for (unsigned i = 0; i + 2 < object->dims; i++)
        if ((uint64_t)index[i] >= object->dim[i])
            return FAULT_HERE(core, "elements are numbered from 0",
                              "index %lld in dimension %u of '%s', which has %llu elements%s",
                              (long long)index[i], i, memory_object_name(core, operand->object),
                              (unsigned long long)object->dim[i], fault_registers(core));
    if (((uint64_t)extent.rows > rows || (uint64_t)extent.cols > cols) && extent.rows == 1 &&
        extent.cols == 1)
        return FAULT_HERE(core, "elements are numbered from 0",
                          "index %lld is past the last of the %llu elements of '%s'%s",
                          (long long)index[last], (unsigned long long)object->dim[last],
                          memory_object_name(core, operand->object), fault_registers(core));
    if ((uint64_t)extent.rows > rows || (uint64_t)extent.cols > cols)
        return FAULT_HERE(core,
                          last || extent.rows == 1
                              ? "clip the valid region to what is left of the object"
                              : "an object of one dimension has one row: declare two dimensions "
                                "or a .view",
                          "window {%lld, %lld} of '%s' leaves the object: %llu x %llu elements are "
                          "left there%s", (long long)extent.rows, (long long)extent.cols,
                          memory_object_name(core, operand->object), (unsigned long long)rows,
                          (unsigned long long)cols, fault_registers(core));
    return true;
}

/* A view that only says how far apart elements are: its windows may lie anywhere in the object. */
static bool is_by_buffer(const struct core *core, const struct ready_operand *operand)
{
    return core->rank->vm->options.views_by_buffer &&
           core->ready->kernel->object[operand->object].kind == PTO_OBJ_VIEW;
}

static bool buffer_offset(struct core *core, const struct ready_operand *operand,
                          const struct bound_object *object, struct extent extent,
                          uint64_t *offset)
{
    uint64_t size = core->rank->object[object->object].size;
    __int128 first = object->offset, end;

    for (unsigned i = 0; i < object->dims && i < operand->indices; i++)
        first += (__int128)(int64_t)core->reg[operand->index[i]] * object->stride[i];
    *offset = (uint64_t)first;
    if (extent.rows < 0 || extent.cols < 0 || extent.rows > UINT32_MAX || extent.cols > UINT32_MAX)
        return FAULT_HERE(core, NULL, "extent {%lld, %lld} of '%s'", (long long)extent.rows,
                          (long long)extent.cols, memory_object_name(core, operand->object));
    if (extent.rows == 0 || extent.cols == 0)
        return true;
    end = first + (__int128)(extent.rows - 1) * object_row_stride(object) +
          (__int128)(extent.cols - 1) * object_col_stride(object) +
          pto_dtype_size((enum pto_dtype)object->dtype);
    if (first >= 0 && end <= size)
        return true;
    return FAULT_HERE(core, "views may be left, objects not",
                      "window {%lld, %lld} of '%s' is bytes %lld to %lld of an object of %llu%s",
                      (long long)extent.rows, (long long)extent.cols,
                      memory_object_name(core, operand->object), (long long)first,
                      (long long)(end - 1), (unsigned long long)size, fault_registers(core));
}

bool resolve_gm(struct core *core, const struct ready_operand *operand,
                       struct extent extent, uint64_t *word)
{
    const struct bound_object *object = memory_object(core, operand->object);
    int64_t rank = register_or(core, operand->rank, core->rank->number);
    int64_t index[PTO_MAX_DIMS];

    if (!object->present)
        return FAULT_HERE(core, "test it with present()", "optional input '%s' was not given",
                          memory_object_name(core, operand->object));
    if (!check_rank(core, operand, rank))
        return false;
    if (is_by_buffer(core, operand)
            ? !buffer_offset(core, operand, object, extent, &word[GM_OFFSET])
            : !gm_offset(core, operand, object, index, &word[GM_OFFSET]) ||
                  !check_window(core, operand, object, index, extent))
        return false;
    word[GM_EXTENT] = gm_extent((uint32_t)extent.rows, (uint32_t)extent.cols);
    word[GM_WHERE] = operand->object | (uint64_t)rank << 32;
    return true;
}

struct extent resolve_rest(const struct core *core, const struct ready_operand *operand)
{
    const struct bound_object *object = memory_object(core, operand->object);
    unsigned last = object->dims - 1u;
    int64_t row = last && operand->indices ? (int64_t)core->reg[operand->index[last - 1]] : 0;
    int64_t col = operand->indices ? (int64_t)core->reg[operand->index[last]] : 0;

    /* A wild index may wrap here; resolving refuses it. */
    return (struct extent){last ? (int64_t)(object->dim[last - 1] - (uint64_t)row) : 1,
                           (int64_t)(object->dim[last] - (uint64_t)col)};
}

bool resolve_table(struct core *core, const struct ready_operand *operand, uint64_t *word)
{
    struct extent extent = resolve_extent(core, operand);

    if (register_or(core, operand->rank, core->rank->number) != core->rank->number)
        return FAULT_HERE(core, "get it first, with TGET or TLOAD",
                          "'%s' of another rank cannot be looked up by index",
                          memory_object_name(core, operand->object));
    if (operand->rows == NO_REGISTER)
        extent = resolve_rest(core, operand);
    return resolve_gm(core, operand, extent, word);
}

bool resolve_signal(struct core *core, const struct ready_operand *operand,
                           uint64_t *word)
{
    const struct bound_object *object = memory_object(core, operand->object);
    struct extent extent = resolve_extent(core, operand);
    uint64_t most;

    if (extent.rows == NOT_GIVEN) {
        extent = (struct extent){1, 1};
        if (!operand->indices) {
            extent.cols = (int64_t)object->dim[object->dims - 1];
            extent.rows = object->dims > 1 ? (int64_t)object->dim[object->dims - 2] : 1;
        }
    }
    if (!resolve_gm(core, operand, extent, word))
        return false;
    /* Views with stride 0 may repeat elements without bound; S looks at every one by itself. */
    most = core->rank->object[object->object].size / pto_dtype_size(object->dtype);
    if ((uint64_t)gm_rows(word) * gm_cols(word) > most)
        return FAULT_HERE(core, NULL, "window {%u, %u} of '%s' has more elements than the object",
                          gm_rows(word), gm_cols(word), memory_object_name(core, operand->object));
    return true;
}
