#include "ready.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "machine/effect.h"
#include "machine/memory.h"
#include "machine/steady.h"
#include "ready_words.h"

/* What is being built, and the literals found so far. */
struct builder {
    struct pto_vm *vm;
    struct ready_code *ready;
    enum pto_core_kind kind; /* of the program */
    uint64_t *literal;
    uint32_t literals, capacity;
};

static uint32_t literal_register(struct builder *b, uint64_t bits)
{
    for (uint32_t i = 0; i < b->literals; i++)
        if (b->literal[i] == bits)
            return b->ready->first_literal + i;
    PTO_GROW(b->literal, b->literals, b->capacity);
    b->literal[b->literals] = bits;
    return b->ready->first_literal + b->literals++;
}

static uint32_t scalar_register(struct builder *b, const struct pto_scalar *scalar)
{
    switch (scalar->kind) {
    case PTO_S_REG:
        return scalar->reg;
    case PTO_S_SYS:
        return b->ready->first_sys + scalar->reg;
    case PTO_S_INT:
    case PTO_S_FLOAT:
        return literal_register(b, (uint64_t)scalar->i);
    default:
        return NO_REGISTER;
    }
}

static bool scalar_is_float(const struct ready_code *ready, const struct pto_scalar *scalar)
{
    return scalar->kind == PTO_S_FLOAT ||
           (scalar->kind == PTO_S_REG && ready->code->reg[scalar->reg].is_float);
}

/* ---- views ---- */

static void tile_strides(struct op_view *view, const struct pto_tile *tile)
{
    unsigned bytes = pto_dtype_size(tile->dtype);

    if (!pto_layout_is_plain(tile->layout)) {
        view->pitch = tile->pitch;
        return;
    }
    if (pto_layouts[tile->layout].columns_first) {
        view->row_stride = bytes;
        view->col_stride = (int64_t)(tile->pitch ? tile->pitch : tile->rows) * bytes;
    } else {
        view->row_stride = (int64_t)(tile->pitch ? tile->pitch : tile->cols) * bytes;
        view->col_stride = bytes;
    }
}

static uint32_t root_of(const struct pto_core_code *core, uint32_t tile)
{
    while (core->tile[tile].parent != PTO_NONE)
        tile = (uint32_t)core->tile[tile].parent;
    return tile;
}

static void ready_tile(struct builder *b, const struct pto_tile_ref *ref,
                       struct ready_operand *operand)
{
    const struct pto_tile *tile = &b->ready->core->tile[ref->tile], *parent;
    unsigned last;

    operand->tile = tile;
    operand->root = root_of(b->ready->core, ref->tile);
    operand->bytes = (uint32_t)pto_tile_bytes(tile);
    operand->piece_shift = (uint8_t)memory_piece_shift(b->vm->profile.capacity[tile->space]);
    last = ((operand->bytes - 1) >> operand->piece_shift) + 1; /* it may begin inside of one */
    operand->pieces = ~UINT64_C(0) >> (last < 63 ? 63 - last : 0);
    operand->slot = scalar_register(b, &ref->slot);
    operand->row = scalar_register(b, &ref->row);
    operand->col = scalar_register(b, &ref->col);
    operand->byte = scalar_register(b, &ref->byte);
    operand->rows = scalar_register(b, &ref->rows);
    operand->cols = scalar_register(b, &ref->cols);
    operand->whole_tile = ref->rows.kind == PTO_S_NONE && ref->cols.kind == PTO_S_NONE;
    operand->has_offset = ref->row.kind != PTO_S_NONE || ref->col.kind != PTO_S_NONE;
    parent = tile->parent == PTO_NONE ? tile : &b->ready->core->tile[tile->parent];
    operand->limit = parent->address + (uint32_t)pto_tile_bytes(parent) - tile->address;
    operand->view = (struct op_view){.dtype = tile->dtype,
                                     .layout = tile->layout,
                                     .space = tile->space,
                                     .tile_rows = tile->rows,
                                     .tile_cols = tile->cols};
    tile_strides(&operand->view, tile);
    if (tile->layout == PTO_ND && !operand->has_offset)
        operand->view.line = tile->pitch ? tile->pitch : tile->cols;
}

/* Number in the block of the sub-core that an instruction sends to, + 1; 0: it is its own. */
static uint8_t receiver(const struct builder *b, const struct pto_op_info *info,
                        const struct pto_insn *insn, const struct pto_tile *tile)
{
    unsigned last = info->operands - 1u, vector = PTO_VECTOR_FIRST;

    if (pto_spaces[tile->space].core == b->kind)
        return 0;
    if (b->kind == PTO_AIV)
        return 1;
    if (info->operand[last].set == PTO_ENUM_VECTOR && insn->operand[last].kind == PTO_O_ENUM)
        vector = insn->operand[last].value;
    return (uint8_t)(2 + vector);
}

static void ready_gm(struct builder *b, const struct pto_gm_ref *ref,
                     struct ready_operand *operand)
{
    operand->object = ref->object;
    operand->rank = scalar_register(b, &ref->rank);
    operand->indices = ref->indices;
    for (unsigned i = 0; i < ref->indices; i++)
        operand->index[i] = scalar_register(b, &ref->index[i]);
    operand->rows = scalar_register(b, &ref->rows);
    operand->cols = scalar_register(b, &ref->cols);
    operand->view = (struct op_view){.dtype = b->ready->kernel->object[ref->object].dtype,
                                     .layout = PTO_ND,
                                     .space = PTO_PATH_GM};
}

static void ready_local(struct builder *b, const struct pto_local_ref *ref,
                        struct ready_operand *operand)
{
    const struct pto_core_code *core = b->ready->core;

    operand->reg = scalar_register(b, &ref->index);
    operand->is_float = core->local[ref->local].is_float;
    operand->local_count = core->local[ref->local].count;
    for (uint32_t i = 0; i < ref->local; i++)
        operand->local += core->local[i].count;
}

static void ready_operand(struct builder *b, const struct pto_operand *source,
                          const struct pto_operand_spec *spec, struct ready_operand *operand)
{
    operand->kind = source->kind;
    operand->access = spec->access;
    switch (source->kind) {
    case PTO_O_SCALAR:
        operand->reg = scalar_register(b, &source->scalar);
        operand->is_float = scalar_is_float(b->ready, &source->scalar);
        break;
    case PTO_O_TILE:
        ready_tile(b, &source->tile, operand);
        break;
    case PTO_O_GM:
        ready_gm(b, &source->gm, operand);
        break;
    case PTO_O_LOCAL:
        ready_local(b, &source->local, operand);
        break;
    case PTO_O_STRING:
        operand->text = source->text;
        break;
    case PTO_O_NONE:
        operand->value = spec->preset;
        break;
    default:
        operand->value = (int32_t)source->value;
    }
}

/* ---- operations ---- */

static unsigned path_end(const struct ready_operand *operand)
{
    return operand->kind == PTO_O_GM ? PTO_PATH_GM : operand->tile->space;
}

/* Pipe and path of a tile instruction; the first operand is the destination, the second the
 * source. */
static void route(const struct pto_vm *vm, struct ready_op *op)
{
    static const uint8_t fixed[] = {[PTO_ON_NONE] = PTO_PIPE_S,
                                    [PTO_ON_V] = PTO_PIPE_V,
                                    [PTO_ON_M] = PTO_PIPE_M,
                                    [PTO_ON_MTE2] = PTO_PIPE_MTE2};

    op->extent_gm = op->extent_tile = op->atomic = -1;
    for (unsigned i = 0; i < op->info->operands; i++)
        if (op->info->operand[i].kind == PTO_K_ENUM && op->info->operand[i].set == PTO_ENUM_ATOMIC)
            op->atomic = (int8_t)i;
    for (unsigned i = 0; i < op->operands && op->info->cost == PTO_COST_MOVE; i++) {
        if (op->operand[i].kind == PTO_O_GM && op->extent_gm < 0)
            op->extent_gm = (int8_t)i;
        else if (op->operand[i].kind == PTO_O_TILE && op->extent_tile < 0)
            op->extent_tile = (int8_t)i;
    }
    if (op->info->route != PTO_ON_PATH) {
        op->pipe = fixed[op->info->route];
        return;
    }
    op->path = &vm->profile.path[path_end(&op->operand[1])][path_end(&op->operand[0])];
    assert(op->path->exists); /* the verifier's business */
    op->pipe = op->path->pipe;
}

/* Give every operand its place in a queue entry. */
static void place_words(struct ready_op *op)
{
    static const uint8_t words[] = {[PTO_O_SCALAR] = 1, [PTO_O_TILE] = 1, [PTO_O_GM] = GM_WORDS,
                                    [PTO_O_STRING] = 0};

    for (unsigned i = 0; i < op->operands; i++) {
        struct ready_operand *operand = &op->operand[i];

        operand->word = op->words;
        if (operand->kind < sizeof words)
            op->words = (uint8_t)(op->words + words[operand->kind]);
        if (operand->kind == PTO_O_TILE) {
            unsigned bytes = pto_dtype_size(operand->tile->dtype);

            op->words = (uint8_t)(op->words + operand->has_offset);
            op->unit_bytes = bytes > op->unit_bytes ? (uint8_t)bytes : op->unit_bytes;
        }
    }
    assert(op->words <= ENTRY_WORDS);
}

/* One of the two phases of a TPUT or TGET, as if it were a TLOAD or TSTORE of the staging tile. */
static struct ready_op *phase(struct builder *b, const struct ready_op *macro, enum pto_op like,
                              const struct ready_operand *first,
                              const struct ready_operand *second)
{
    struct ready_op *op = pto_arena_alloc(&b->vm->arena, sizeof *op);

    op->insn = macro->insn;
    op->info = pto_op_info(like);
    op->function = b->vm->ops->function[like];
    op->operands = op->info->operands;
    op->operand[0] = *first;
    op->operand[1] = *second;
    for (unsigned i = 2; i < op->operands; i++)
        op->operand[i].value = op->info->operand[i].preset;
    if (like == PTO_OP_TSTORE && macro->info->operand[4].set == PTO_ENUM_ATOMIC)
        op->operand[2] = macro->operand[4];
    route(b->vm, op);
    place_words(op);
    return op;
}

static void ready_reduce(struct builder *b, struct ready_op *op)
{
    static const enum pto_op function[] = {[PTO_REDUCE_SUM] = PTO_OP_TADD,
                                           [PTO_REDUCE_MAX] = PTO_OP_TMAX,
                                           [PTO_REDUCE_MIN] = PTO_OP_TMIN};
    const struct ready_operand *acc = &op->operand[2], *received = &op->operand[3];

    op->load = phase(b, op, PTO_OP_TLOAD, received, &op->operand[1]);
    op->copy = phase(b, op, PTO_OP_TMOV, acc, received);
    op->combine = phase(b, op, function[op->operand[5].value], acc, acc);
    op->combine->operand[2] = *received;
    op->combine->words = 0;
    place_words(op->combine);
    op->store = phase(b, op, PTO_OP_TSTORE, &op->operand[0], acc);
}

static void ready_macro(struct builder *b, struct ready_op *op)
{
    struct ready_operand staging = op->operand[2];

    op->peer_side = op->insn->op == PTO_OP_TBROADCAST || op->insn->op == PTO_OP_TSCATTER_RANKS ? 0
                    : op->insn->op == PTO_OP_TGATHER_RANKS || op->insn->op == PTO_OP_TREDUCE   ? 1
                                                                                               : -1;
    op->split_side = op->insn->op == PTO_OP_TGATHER_RANKS    ? 0
                     : op->insn->op == PTO_OP_TSCATTER_RANKS ? 1
                                                             : -1;
    if (op->insn->op == PTO_OP_TREDUCE) {
        ready_reduce(b, op);
        return;
    }
    op->load = phase(b, op, PTO_OP_TLOAD, &staging, &op->operand[1]);
    op->store = phase(b, op, PTO_OP_TSTORE, &op->operand[0], &staging);
}

static void prepare_effects(struct ready_op *op)
{
    struct ready_op *phase[] = {op->load, op->store, op->copy, op->combine};

    effect_prepare(op);
    for (unsigned i = 0; i < sizeof phase / sizeof *phase; i++)
        if (phase[i])
            effect_prepare(phase[i]);
}

static int compare_addresses(const void *one, const void *two)
{
    const struct pto_insn *a = *(const struct pto_insn *const *)one;
    const struct pto_insn *b = *(const struct pto_insn *const *)two;

    return a < b ? -1 : a > b;
}

static bool is_unwaited(const struct pto_vm_options *options, const struct pto_insn *insn)
{
    return options->unwaiteds && bsearch(&insn, options->unwaited, options->unwaiteds, sizeof insn,
                                         compare_addresses);
}

static void ready_operation(struct builder *b, const struct pto_insn *insn, struct ready_op *op)
{
    op->insn = insn;
    op->unwaited = is_unwaited(&b->vm->options, insn);
    op->info = pto_op_info(insn->op);
    op->function = b->vm->ops->function[insn->op];
    op->operands = insn->operands;
    for (unsigned i = 0; i < insn->operands; i++) {
        unsigned spec = i < op->info->operands ? i : op->info->operands - 1u;

        ready_operand(b, &insn->operand[i], &op->info->operand[spec], &op->operand[i]);
        if (op->operand[i].kind == PTO_O_TILE)
            op->operand[i].abroad = receiver(b, op->info, insn, op->operand[i].tile);
        b->ready->reaches_abroad = b->ready->reaches_abroad || op->operand[i].abroad;
    }
    if (op->info->class == PTO_TILE) {
        route(b->vm, op);
        place_words(op);
        op->steady = steady(op);
    }
    if (op->info->class == PTO_MACRO)
        ready_macro(b, op);
    prepare_effects(op);
    ready_words(b->vm, b->ready, op);
}

/* ---- scalar instructions ---- */

static bool is_plain(const struct pto_op_info *info)
{
    return info->class == PTO_SCALAR || info->class == PTO_FLOW;
}

/* Registers and branch target of a scalar instruction into d, a, b. */
static void ready_plain(struct builder *b, const struct pto_insn *insn, struct ready_insn *out)
{
    uint32_t *source[] = {&out->a, &out->b};
    unsigned sources = 0;

    for (unsigned i = 0; i < insn->operands; i++) {
        const struct pto_operand *operand = &insn->operand[i];

        if (operand->kind == PTO_O_LABEL)
            out->d = operand->value;
        else if (operand->kind == PTO_O_GM)
            out->a = operand->gm.object;
        else if (operand->kind == PTO_O_SCALAR) {
            uint32_t reg = scalar_register(b, &operand->scalar);

            if (pto_op_info(insn->op)->operand[i].access & PTO_WRITE)
                out->d = reg;
            else
                *source[sources++] = reg;
        }
    }
}

/* A condition that is a number is no register within reach of the instruction: it decides here. */
static void ready_select(struct builder *b, const struct pto_insn *insn, struct ready_insn *out)
{
    const struct pto_scalar *condition = &insn->operand[1].scalar;

    out->d = insn->operand[0].scalar.reg;
    out->a = scalar_register(b, &insn->operand[2].scalar);
    out->b = scalar_register(b, &insn->operand[3].scalar);
    if (condition->kind != PTO_S_INT) {
        out->c = (uint16_t)scalar_register(b, condition);
        return;
    }
    out->op = PTO_OP_MOV;
    out->a = condition->i ? out->a : out->b;
}

static void ready_insns(struct builder *b)
{
    const struct pto_code *code = b->ready->code;

    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_insn *insn = &code->insn[i];
        struct ready_insn *out = &b->ready->insn[i];

        out->op = insn->op;
        if (insn->op == PTO_OP_SELECT) {
            ready_select(b, insn, out);
        } else if (is_plain(pto_op_info(insn->op))) {
            ready_plain(b, insn, out);
        } else {
            out->d = b->ready->ops;
            ready_operation(b, insn, &b->ready->op[b->ready->ops++]);
        }
    }
}

/* Does the program move tiles of this space?  Then they may reach all of it. */
static bool assigns_in(const struct ready_code *ready, unsigned space)
{
    for (uint32_t i = 0; i < ready->ops; i++)
        if (ready->op[i].insn->op == PTO_OP_TASSIGN && ready->op[i].operand[0].tile->space == space)
            return true;
    return false;
}

/* Bytes of each memory that the tiles reach; those that lie elsewhere reach into the memory of the
 * other program's sub-cores. */
static void measure_tiles(struct ready_code *ready, enum pto_core_kind of, uint32_t *used)
{
    for (uint32_t i = 0; i < ready->core->tiles; i++) {
        const struct pto_tile *tile = &ready->core->tile[i];
        uint32_t end = tile->address + (tile->slots - 1) * tile->slot_stride +
                       (uint32_t)pto_tile_bytes(tile);

        if (pto_spaces[tile->space].core == of && end > used[tile->space])
            used[tile->space] = end;
    }
}

static void measure(const struct pto_vm *vm, struct ready_code *ready, enum pto_core_kind kind)
{
    measure_tiles(ready, kind, ready->space_used);
    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
        if ((ready->tiles_move[space] = assigns_in(ready, space)))
            ready->space_used[space] = vm->profile.capacity[space];
    for (uint32_t i = 0; i < ready->core->locals; i++)
        ready->local_words += ready->core->local[i].count;
}

/* Prepare one program of a kernel (`core` NULL: its set-up). */
static void ready_code(struct pto_vm *vm, const struct pto_program *program,
                       const struct pto_kernel *kernel, const struct pto_core_code *core,
                       enum pto_core_kind kind, struct ready_code *ready)
{
    struct builder b = {.vm = vm, .ready = ready, .kind = kind};
    uint32_t structured = 0;

    ready->module = &program->module;
    ready->kernel = kernel;
    ready->core = core;
    ready->code = core ? &core->code : &kernel->setup;
    ready->first_sys = ready->code->regs;
    ready->first_literal = ready->first_sys + PTO_SYS_COUNT;
    for (uint32_t i = 0; i < ready->code->insns; i++)
        structured += !is_plain(pto_op_info(ready->code->insn[i].op));
    ready->insn = pto_arena_array(&vm->arena, ready->code->insns + 1ul, sizeof *ready->insn);
    ready->op = pto_arena_array(&vm->arena, structured, sizeof *ready->op);
    ready_insns(&b);
    ready->insn[ready->code->insns].op = PTO_OP_END; /* set-up code brings none of its own */
    ready->registers = ready->first_literal + b.literals;
    ready->literal = pto_arena_array(&vm->arena, b.literals, sizeof *ready->literal);
    if (b.literals)
        memcpy(ready->literal, b.literal, b.literals * sizeof *ready->literal);
    free(b.literal);
    if (core)
        measure(vm, ready, kind);
}

struct ready_kernel *ready_kernel(struct pto_vm *vm, const struct pto_program *program,
                                  const struct pto_kernel *kernel)
{
    struct ready_kernel *ready;

    for (unsigned l = 0; l < vm->launches; l++)
        if (vm->launch[l].kernel == kernel)
            return vm->launch[l].ready;
    ready = pto_arena_alloc(&vm->arena, sizeof *ready);
    ready->last = -1;
    ready_code(vm, program, kernel, NULL, PTO_CORE_KINDS, &ready->setup);
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        if (kernel->core[kind].present)
            ready_code(vm, program, kernel, &kernel->core[kind], (enum pto_core_kind)kind,
                       &ready->core[kind]);
    if (kernel->core[PTO_AIC].present && kernel->core[PTO_AIV].present)
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
            measure_tiles(&ready->core[!kind], (enum pto_core_kind)kind,
                          ready->core[kind].space_used);
    return ready;
}
