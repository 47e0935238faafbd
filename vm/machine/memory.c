#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "due.h"
#include "parts.h"

const char *memory_object_name(const struct core *core, uint32_t object)
{
    return core->ready->kernel->object[object].name;
}

/* ---- views ---- */

#define ALL_PIECES UINT64_MAX

unsigned memory_piece_shift(uint32_t capacity)
{
    unsigned shift = 12;

    while (capacity > UINT64_C(64) << shift)
        shift++;
    return shift;
}

static void free_space(struct core *core, unsigned space)
{
    struct chip *chip = core->chip;

    if (!chip->data[space])
        return;
    map_free(&core->rank->vm->poison, chip->mapped[space], chip->data[space], chip->size[space]);
    chip->data[space] = NULL;
    chip->size[space] = 0;
    chip->reached[space] = 0;
    chip->mapped[space] = MAPPED_NOT;
}

/* Each of many ranks touches little of its windows and memories on chip. */
static bool has_many_ranks(const struct pto_vm *vm)
{
    return vm->ranks > 64;
}

/* Machines that go step by step keep copies of such memories, and have them from the heap. */
static void take_space(struct core *core, unsigned space, uint32_t size)
{
    struct pto_vm *vm = core->rank->vm;
    struct chip *chip = parts_make_chip(core);
    uint8_t *data = NULL;

    chip->mapped[space] = MAPPED_NOT;
    if (!vm->options.stepwise && !has_many_ranks(vm) &&
        (data = map_cut(&vm->poison, size, false)) != NULL)
        chip->mapped[space] = MAPPED_CUT;
    else if (!vm->options.stepwise && (data = map_poison(&vm->poison, size)) != NULL)
        chip->mapped[space] = MAPPED_POISON;
    if (chip->mapped[space] == MAPPED_POISON)
        chip->reached[space] = ALL_PIECES;
    chip->data[space] = data ? data : pto_xmalloc(size);
    chip->size[space] = size;
}

/* Pieces of a space are poisoned when a tile first reaches them, so that a sub-core takes what it
 * uses of its memories.  Those that may be looked at as a whole are poisoned at once. */
static __attribute__((noinline)) void reach(struct core *core, unsigned space, uint64_t pieces)
{
    uint32_t size = core->ready->space_used[space];
    uint64_t all = 0; /* pieces that there are */
    unsigned shift = memory_piece_shift(core->rank->vm->profile.capacity[space]);

    if (!core->chip->data[space])
        take_space(core, space, size);
    if (core->chip->reached[space] == ALL_PIECES)
        return;
    if (core->rank->vm->options.stepwise)
        pieces = ALL_PIECES;
    for (uint32_t i = 0, from = 0; from < size; from = ++i << shift) {
        uint32_t left = size - from, piece = UINT32_C(1) << shift;

        all |= UINT64_C(1) << i;
        if (pieces & ~core->chip->reached[space] & UINT64_C(1) << i)
            memset(core->chip->data[space] + from, POISON, left < piece ? left : piece);
    }
    core->chip->reached[space] |= pieces;
    if (!(all & ~core->chip->reached[space]))
        core->chip->reached[space] = ALL_PIECES;
}

void memory_restore_space(struct core *core, unsigned space, uint32_t size, uint64_t reached)
{
    take_space(core, space, size);
    core->chip->reached[space] |= reached;
}

static __attribute__((noinline)) void reach_tile(struct core *core,
                                                 const struct ready_operand *operand,
                                                 uint32_t address)
{
    uint64_t pieces = operand->pieces << (address >> operand->piece_shift);

    if (pieces & ~core->chip->reached[operand->view.space])
        reach(core, operand->view.space, pieces);
}

static inline uint8_t *tile_bytes(struct core *from, const struct ready_operand *operand,
                                  uint32_t address)
{
    struct core *core = core_home(from, operand);

    if (__builtin_expect(core->chip->reached[operand->view.space] != ALL_PIECES, 0))
        reach_tile(core, operand, address);
    return core->chip->data[operand->view.space] + address;
}

uint8_t *memory_space(struct core *core, unsigned space)
{
    if (!core->ready || core->ready->space_used[space] == 0)
        return NULL;
    reach(core, space, ALL_PIECES);
    return core->chip->data[space];
}

uint64_t *memory_locals(struct core *core)
{
    if (!core->local)
        core->local = pto_xcalloc(core->ready->local_words, sizeof *core->local);
    return core->local;
}

uint8_t *memory_tile(struct core *core, const struct ready_operand *operand, uint32_t address)
{
    return tile_bytes(core, operand, address);
}

static inline void tile_view(struct core *core, const struct ready_operand *operand,
                             const uint64_t *word, struct op_view *view)
{
    *view = operand->view;
    view->data = tile_bytes(core, operand, tile_address(word[0]));
    view->rows = tile_rows(word[0]);
    view->cols = tile_cols(word[0]);
    if (operand->has_offset) {
        view->row = (uint32_t)word[1];
        view->col = (uint32_t)(word[1] >> 32);
    }
}

void memory_tile_view(struct core *core, const struct ready_operand *operand,
                      const uint64_t *word, struct op_view *view)
{
    due_settle(core->rank);
    tile_view(core, operand, word, view);
}

static void gm_view(const struct core *core, const uint64_t *word, struct op_view *view)
{
    const struct bound_object *object = memory_object(core, gm_object(word));

    *view = (struct op_view){
        .data = core->rank->object[object->object].data + word[GM_OFFSET],
        .dtype = object->dtype,
        .layout = PTO_ND,
        .space = PTO_PATH_GM,
        .rows = gm_rows(word),
        .cols = gm_cols(word),
        .tile_rows = gm_rows(word),
        .tile_cols = gm_cols(word),
        .row_stride = object_row_stride(object),
        .col_stride = object_col_stride(object),
    };
}

void memory_gm_view(const struct core *core, const uint64_t *word, struct op_view *view)
{
    due_settle_object(core->rank, memory_object(core, gm_object(word))->object);
    gm_view(core, word, view);
}

int64_t memory_element_offset(const struct op_view *view, uint32_t row, uint32_t col)
{
    const struct pto_tile tile = {.layout = view->layout,
                                  .space = view->space,
                                  .dtype = view->dtype,
                                  .rows = (uint16_t)view->tile_rows,
                                  .cols = (uint16_t)view->tile_cols,
                                  .pitch = view->pitch};

    row += view->row;
    col += view->col;
    if (view->row_stride || view->col_stride)
        return row * view->row_stride + col * view->col_stride;
    return (int64_t)(pto_tile_offset(&tile, row, col) * pto_dtype_size(view->dtype));
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

/* ---- the operands of an entry ---- */

/* View of a GM operand; on another rank it is the payload. */
static void global_view(struct core *core, const struct entry *entry,
                        const struct ready_operand *operand, struct op_view *view)
{
    const uint64_t *word = &entry->word[operand->word];

    gm_view(core, word, view);
    if (gm_rank(word) == core->rank->number)
        return;
    view->col_stride = pto_dtype_size(view->dtype);
    view->row_stride = (int64_t)view->cols * view->col_stride;
    view->data = entry->payload;
}

/* Any operand but a tile; apart, for the registers of the loop over tiles. */
static __attribute__((noinline)) void fill_arg(struct core *core, const struct entry *entry,
                                               const struct ready_operand *operand,
                                               struct op_arg *arg)
{
    const uint64_t *word = &entry->word[operand->word];

    arg->present = operand->kind != PTO_O_NONE;
    if (operand->kind == PTO_O_GM) {
        global_view(core, entry, operand, &arg->view);
    } else if (operand->kind == PTO_O_SCALAR) {
        arg->is_float = operand->is_float;
        arg->i = (int64_t)*word;
        __builtin_memcpy(&arg->f, word, sizeof arg->f);
    } else {
        arg->i = operand->value;
    }
}

void memory_fill_args(struct core *core, const struct entry *entry, struct op_args *args)
{
    const struct ready_op *op = entry->op;
    const struct ready_operand *operand = op->operand, *end = operand + op->operands;
    struct op_arg *arg = args->arg;

    for (; operand < end; operand++, arg++) {
        if (operand->kind == PTO_O_TILE) {
            arg->present = true;
            tile_view(core, operand, &entry->word[operand->word], &arg->view);
        } else {
            fill_arg(core, entry, operand, arg);
        }
    }
    for (unsigned i = op->operands; i < op->info->operands; i++, arg++) {
        arg->present = false;
        arg->i = op->info->operand[i].preset;
    }
}

void memory_give_room(struct op_args *args, struct pto_vm *vm)
{
    args->int8 = vm->ops->int8;
    args->message = pto_arena_alloc(&vm->arena, OP_MESSAGE_BYTES);
    args->scratch = aligned_alloc(64, OP_SCRATCH_BYTES);
    if (!args->scratch)
        pto_out_of_memory(OP_SCRATCH_BYTES);
}

/* ---- lifetimes ---- */

void memory_reset(struct core *core)
{
    const struct ready_code *ready = core->ready;

    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
        free_space(core, space);
    core->reg = pto_xrealloc(core->reg, ready->registers * sizeof *core->reg);
    memset(core->reg, 0, ready->registers * sizeof *core->reg);
    memcpy(core->reg + ready->first_literal, ready->literal,
           (ready->registers - ready->first_literal) * sizeof *core->reg);
    free(core->local);
    core->local = NULL;
    if (!ready->core)
        return;
    core->tile_address =
        pto_xrealloc(core->tile_address, ready->core->tiles * sizeof *core->tile_address);
    for (uint32_t i = 0; i < ready->core->tiles; i++)
        core->tile_address[i] = ready->core->tile[i].address;
}

static bool is_reached_from_abroad(const struct core *core)
{
    const struct ready_kernel *kernel = core->rank->vm->launch[core->rank->launch].ready;

    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        if (kernel->core[kind].reaches_abroad)
            return true;
    return false;
}

void memory_release(struct core *core)
{
    free(core->reg);
    core->reg = NULL;
    free(core->local);
    core->local = NULL;
    if (core->rank->backlog || is_reached_from_abroad(core))
        return;
    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
        free_space(core, space);
}

/* Signals are a word in 64 bytes.  Windows for exchange have a place for every rank: where there
 * are many, each writes to few of them. */
static bool is_sparse(const struct pto_vm *vm, const struct object *object)
{
    return object->kind == PTO_OBJ_SIGNAL ||
           (object->kind == PTO_OBJ_SYM && has_many_ranks(vm));
}

static uint8_t *allocate_zeros(struct pto_vm *vm, struct object *object, size_t size)
{
    bool sparse = is_sparse(vm, object);
    uint8_t *data = sparse ? NULL : map_cut(&vm->poison, size, true);

    if (data) {
        object->mapped = MAPPED_CUT;
        return data;
    }
    data = map_zeros(size, sparse);
    object->mapped = data ? MAPPED_ZEROS : MAPPED_NOT;
    return data ? data : calloc(1, size);
}

/* Of scratch much is never touched. */
static uint8_t *allocate_scratch(struct pto_vm *vm, struct object *object, size_t size)
{
    uint8_t *data = map_poison(&vm->poison, size);

    object->mapped = data ? MAPPED_POISON : MAPPED_NOT;
    if (data)
        return data;
    data = malloc(size);
    return data ? memset(data, POISON, size) : NULL;
}

/* Results are written as a whole, as inputs are. */
static uint8_t *allocate_result(struct pto_vm *vm, struct object *object, size_t size)
{
    uint8_t *data = allocate_zeros(vm, object, size);

    return data ? memset(data, POISON, size) : NULL;
}

bool memory_allocate(struct pto_vm *vm, struct object *object, bool filled)
{
    bool zeroed = filled || object->kind == PTO_OBJ_SYM || object->kind == PTO_OBJ_SIGNAL;
    size_t size = object->size ? object->size : 1;

    if (zeroed)
        object->data = allocate_zeros(vm, object, size);
    else if (object->kind == PTO_OBJ_OUT)
        object->data = allocate_result(vm, object, size);
    else
        object->data = allocate_scratch(vm, object, size);
    return object->data != NULL;
}

void memory_free(struct rank *rank)
{
    for (unsigned i = 0; i < rank->objects; i++) {
        struct object *object = &rank->object[i];

        if (!object->lent)
            map_free(&rank->vm->poison, object->mapped,
                     object->given ? object->given : object->data, object->size);
    }
    cache_free(rank->cache);
    for (unsigned i = 0; i < rank->cores; i++) {
        struct core *core = &rank->core[i];

        for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
            free_space(core, space);
        free(core->reg);
        free(core->local);
        free(core->tile_address);
    }
}
