#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "units/dma.h"
#include "fault.h"

static struct launch *current_launch(const struct core *core)
{
    return &core->rank->vm->launch[core->rank->launch];
}

const struct bound_object *memory_object(const struct core *core, uint32_t object)
{
    return &current_launch(core)->bound[core->rank->number][object];
}

static const char *object_name(const struct core *core, uint32_t object)
{
    return core->ready->kernel->object[object].name;
}

/* The instruction that S is executing faults. */
#define FAULT_HERE(core, hint, ...)                                                                \
    fault_raise(core, (core)->pc, PTO_PIPE_S, (core)->time, hint, __VA_ARGS__)

/* ---- tiles ---- */

struct extent memory_operand_extent(const struct core *core, const struct ready_operand *operand)
{
    struct extent extent = {NOT_GIVEN, NOT_GIVEN};

    if (operand->rows != NO_REGISTER) {
        extent.rows = (int64_t)core->reg[operand->rows];
        extent.cols = register_or(core, operand->cols, 1);
        extent.rows += extent.rows == NOT_GIVEN; /* as wrong as its neighbour */
    }
    return extent;
}

static bool tile_base(struct core *core, const struct ready_operand *operand, uint32_t *address)
{
    const struct pto_tile *tile = operand->tile;
    int64_t slot = register_or(core, operand->slot, 0);
    int64_t byte = register_or(core, operand->byte, 0);

    if (slot < 0 || slot >= tile->slots)
        return FAULT_HERE(core, "slots are numbered from 0", "slot %lld of tile '%s' with %u slots",
                          (long long)slot, tile->name, tile->slots);
    if (byte < 0 || byte % 32 != 0 || byte > (int64_t)operand->limit ||
        (uint64_t)byte + pto_tile_bytes(tile) > operand->limit)
        return FAULT_HERE(core, "byte offsets are multiples of 32 and stay inside the viewed tile",
                          "byte offset %lld of tile '%s' (%llu bytes in a slot of %u)",
                          (long long)byte, tile->name, (unsigned long long)pto_tile_bytes(tile),
                          operand->limit);
    *address = core->tile_address[tile - core->ready->core->tile] +
               (uint32_t)slot * tile->slot_stride + (uint32_t)byte;
    return true;
}

bool memory_assign_tile(struct core *core, const struct ready_operand *operand, int64_t address)
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

bool memory_resolve_tile(struct core *core, const struct ready_operand *operand,
                         struct extent given, uint64_t *word)
{
    const struct pto_tile *tile = operand->tile;
    struct extent extent = memory_operand_extent(core, operand);
    uint32_t address;

    if (!tile_base(core, operand, &address))
        return false;
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

/* The bytes of a space, allocated and poisoned at first use in a launch. */
static uint8_t *space_bytes(struct core *core, unsigned space)
{
    uint32_t size = core->ready->space_used[space];

    if (!core->space[space]) {
        core->space[space] = pto_xmalloc(size);
        memset(core->space[space], POISON, size);
        core->space_size[space] = size;
    }
    return core->space[space];
}

void memory_tile_view(struct core *core, const struct ready_operand *operand,
                      const uint64_t *word, struct op_view *view)
{
    *view = operand->view;
    view->data = space_bytes(core, view->space) + tile_address(word[0]);
    view->rows = tile_rows(word[0]);
    view->cols = tile_cols(word[0]);
    if (operand->has_offset) {
        view->row = (uint32_t)word[1];
        view->col = (uint32_t)(word[1] >> 32);
    }
}

/* ---- global memory ---- */

/* May this rank name that one, and does a link lead there? */
static bool check_rank(struct core *core, const struct ready_operand *operand, int64_t rank)
{
    const struct rank *self = core->rank;

    if (rank < 0 || rank >= self->vm->ranks)
        return FAULT_HERE(core, "ranks are numbered from 0 to nranks() - 1",
                          "rank %lld of '%s' in a run with %d ranks", (long long)rank,
                          object_name(core, operand->object), self->vm->ranks);
    if (self->link[rank].down && rank != self->number)
        return FAULT_HERE(core, "choose a route that avoids this pair",
                          "no link from rank %d to rank %lld", self->number, (long long)rank);
    return true;
}

/* Element indices to a byte offset, each index inside its dimension. */
static bool gm_offset(struct core *core, const struct ready_operand *operand,
                      const struct bound_object *object, int64_t *index, uint64_t *offset)
{
    uint64_t bytes = object->offset; /* may wrap beside an empty window, which nobody touches */

    for (unsigned i = 0; i < object->dims; i++) {
        index[i] = i < operand->indices ? (int64_t)core->reg[operand->index[i]] : 0;
        if (index[i] < 0 || (uint64_t)index[i] > object->dim[i])
            return FAULT_HERE(core, NULL, "index %lld in dimension %u of '%s', which has %llu elements",
                              (long long)index[i], i, object_name(core, operand->object),
                              (unsigned long long)object->dim[i]);
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
                          (long long)extent.cols, object_name(core, operand->object));
    if (extent.rows == 0 || extent.cols == 0)
        return true;
    for (unsigned i = 0; i + 2 < object->dims; i++)
        if ((uint64_t)index[i] >= object->dim[i])
            return FAULT_HERE(core, "elements are numbered from 0",
                              "index %lld in dimension %u of '%s', which has %llu elements",
                              (long long)index[i], i, object_name(core, operand->object),
                              (unsigned long long)object->dim[i]);
    if (((uint64_t)extent.rows > rows || (uint64_t)extent.cols > cols) && extent.rows == 1 &&
        extent.cols == 1)
        return FAULT_HERE(core, "elements are numbered from 0",
                          "index %lld is past the last of the %llu elements of '%s'",
                          (long long)index[last], (unsigned long long)object->dim[last],
                          object_name(core, operand->object));
    if ((uint64_t)extent.rows > rows || (uint64_t)extent.cols > cols)
        return FAULT_HERE(core,
                          last ? "clip the valid region to what is left of the object"
                               : "an object of one dimension has one row: declare two dimensions "
                                 "or a .view",
                          "window {%lld, %lld} of '%s' leaves the object: %llu x %llu elements are "
                          "left there", (long long)extent.rows, (long long)extent.cols,
                          object_name(core, operand->object), (unsigned long long)rows,
                          (unsigned long long)cols);
    return true;
}

bool memory_resolve_gm(struct core *core, const struct ready_operand *operand,
                       struct extent extent, uint64_t *word)
{
    const struct bound_object *object = memory_object(core, operand->object);
    int64_t rank = register_or(core, operand->rank, core->rank->number);
    int64_t index[PTO_MAX_DIMS];

    if (!object->present)
        return FAULT_HERE(core, "test it with present()", "optional input '%s' was not given",
                          object_name(core, operand->object));
    if (!check_rank(core, operand, rank) ||
        !gm_offset(core, operand, object, index, &word[GM_OFFSET]) ||
        !check_window(core, operand, object, index, extent))
        return false;
    word[GM_EXTENT] = gm_extent((uint32_t)extent.rows, (uint32_t)extent.cols);
    word[GM_WHERE] = operand->object | (uint64_t)rank << 32;
    return true;
}

struct extent memory_rest(const struct core *core, const struct ready_operand *operand)
{
    const struct bound_object *object = memory_object(core, operand->object);
    unsigned last = object->dims - 1u;
    int64_t row = last && operand->indices ? (int64_t)core->reg[operand->index[last - 1]] : 0;
    int64_t col = operand->indices ? (int64_t)core->reg[operand->index[last]] : 0;

    /* A wild index may wrap here; resolving refuses it. */
    return (struct extent){last ? (int64_t)(object->dim[last - 1] - (uint64_t)row) : 1,
                           (int64_t)(object->dim[last] - (uint64_t)col)};
}

bool memory_resolve_table(struct core *core, const struct ready_operand *operand, uint64_t *word)
{
    struct extent extent = memory_operand_extent(core, operand);

    if (register_or(core, operand->rank, core->rank->number) != core->rank->number)
        return FAULT_HERE(core, "get it first, with TGET or TLOAD",
                          "'%s' of another rank cannot be looked up by index",
                          object_name(core, operand->object));
    if (operand->rows == NO_REGISTER)
        extent = memory_rest(core, operand);
    return memory_resolve_gm(core, operand, extent, word);
}

bool memory_resolve_signal(struct core *core, const struct ready_operand *operand,
                           uint64_t *word)
{
    const struct bound_object *object = memory_object(core, operand->object);
    struct extent extent = memory_operand_extent(core, operand);
    uint64_t most;

    if (extent.rows == NOT_GIVEN) {
        extent = (struct extent){1, 1};
        if (!operand->indices) {
            extent.cols = (int64_t)object->dim[object->dims - 1];
            extent.rows = object->dims > 1 ? (int64_t)object->dim[object->dims - 2] : 1;
        }
    }
    if (!memory_resolve_gm(core, operand, extent, word))
        return false;
    /* Views with stride 0 may repeat elements without bound; S looks at every one by itself. */
    most = core->rank->object[object->object].size / pto_dtype_size(object->dtype);
    if ((uint64_t)gm_rows(word) * gm_cols(word) > most)
        return FAULT_HERE(core, NULL, "window {%u, %u} of '%s' has more elements than the object",
                          gm_rows(word), gm_cols(word), object_name(core, operand->object));
    return true;
}

void memory_gm_view(const struct core *core, const uint64_t *word, struct op_view *view)
{
    const struct bound_object *object = memory_object(core, gm_object(word));
    unsigned last = object->dims - 1u;

    *view = (struct op_view){
        .data = core->rank->object[object->object].data + word[GM_OFFSET],
        .dtype = object->dtype,
        .layout = PTO_ND,
        .space = PTO_PATH_GM,
        .rows = gm_rows(word),
        .cols = gm_cols(word),
        .tile_rows = gm_rows(word),
        .tile_cols = gm_cols(word),
        .row_stride = last ? object->stride[last - 1] : 0,
        .col_stride = object->stride[last],
    };
}

void memory_message_view(const struct rank *rank, const struct message *message,
                         struct op_view *view)
{
    *view = (struct op_view){
        .data = rank->object[message->object].data + message->offset,
        .dtype = message->dtype,
        .layout = PTO_ND,
        .space = PTO_PATH_GM,
        .rows = message->rows,
        .cols = message->cols,
        .tile_rows = message->rows,
        .tile_cols = message->cols,
        .row_stride = message->row_stride,
        .col_stride = message->col_stride,
    };
}

/* ---- single elements ---- */

static void *local_element(struct core *core, const struct ready_operand *operand)
{
    int64_t index = register_or(core, operand->reg, 0);

    if (index < 0 || index >= operand->local_count) {
        FAULT_HERE(core, NULL, "index %lld in a .local array of %u elements", (long long)index,
                   operand->local_count);
        return NULL;
    }
    return &core->local[operand->local + (uint32_t)index];
}

static void *tile_element(struct core *core, const struct ready_operand *operand)
{
    const struct pto_tile *tile = operand->tile;
    int64_t row = register_or(core, operand->row, 0), col = register_or(core, operand->col, 0);
    uint32_t address;

    if (!tile_base(core, operand, &address))
        return NULL;
    if (row < 0 || col < 0 || row >= tile->rows || col >= tile->cols) {
        FAULT_HERE(core, NULL, "element (%lld, %lld) of tile '%s' of %u x %u elements",
                   (long long)row, (long long)col, tile->name, tile->rows, tile->cols);
        return NULL;
    }
    return space_bytes(core, tile->space) + address +
           pto_tile_offset(tile, (uint32_t)row, (uint32_t)col) * pto_dtype_size(tile->dtype);
}

static void *gm_element(struct core *core, const struct ready_operand *operand)
{
    uint64_t word[GM_WORDS];

    if (!memory_resolve_gm(core, operand, (struct extent){1, 1}, word))
        return NULL;
    if (gm_rank(word) != core->rank->number) {
        FAULT_HERE(core, "use TGET, TLOAD, TPUT or TNOTIFY to reach other ranks",
                   "scalar access to '%s' on rank %d", object_name(core, operand->object),
                   gm_rank(word));
        return NULL;
    }
    return core->rank->object[memory_object(core, operand->object)->object].data + word[GM_OFFSET];
}

void *memory_element(struct core *core, const struct ready_operand *operand, uint8_t *dtype)
{
    if (operand->kind == PTO_O_LOCAL) {
        *dtype = PTO_I64;
        return local_element(core, operand);
    }
    *dtype = operand->view.dtype;
    return operand->kind == PTO_O_TILE ? tile_element(core, operand) : gm_element(core, operand);
}

/* ---- lifetimes ---- */

void memory_reset(struct core *core)
{
    const struct ready_code *ready = core->ready;

    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++) {
        free(core->space[space]);
        core->space[space] = NULL;
        core->space_size[space] = 0;
    }
    core->reg = pto_xrealloc(core->reg, ready->registers * sizeof *core->reg);
    memset(core->reg, 0, ready->registers * sizeof *core->reg);
    memcpy(core->reg + ready->first_literal, ready->literal,
           (ready->registers - ready->first_literal) * sizeof *core->reg);
    core->local = pto_xrealloc(core->local, ready->local_words * sizeof *core->local);
    memset(core->local, 0, ready->local_words * sizeof *core->local);
    if (!ready->core)
        return;
    core->tile_address =
        pto_xrealloc(core->tile_address, ready->core->tiles * sizeof *core->tile_address);
    for (uint32_t i = 0; i < ready->core->tiles; i++)
        core->tile_address[i] = ready->core->tile[i].address;
}

bool memory_allocate(struct object *object)
{
    bool zeroed = object->kind == PTO_OBJ_SYM || object->kind == PTO_OBJ_SIGNAL;
    size_t size = object->size ? object->size : 1;

    object->data = zeroed ? calloc(1, size) : malloc(size);
    if (object->data && !zeroed)
        memset(object->data, POISON, size);
    return object->data != NULL;
}

void memory_free(struct rank *rank)
{
    for (unsigned i = 0; i < rank->objects; i++)
        free(rank->object[i].data);
    for (unsigned i = 0; i < rank->cores; i++) {
        struct core *core = &rank->core[i];

        for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
            free(core->space[space]);
        for (unsigned pipe = 0; pipe < PTO_PIPE_COUNT; pipe++)
            free(core->pipe[pipe].ring);
        async_free(core);
        free(core->reg);
        free(core->local);
        free(core->tile_address);
    }
}
