/* The format has one description, the walk_* functions below, which serves both directions: each
 * io_* call either appends a field or reads and checks it.  So writer and reader cannot differ. */
#include "object.h"

#include <string.h>

#include "object_io.h"

/* Named limits: what a reader is willing to hold, whatever the bytes say. */
enum {
    MOST_FILES = 1 << 16,
    MOST_POSITIONS = 1 << 24,
    MOST_KERNELS = 1 << 16,
    MOST_PARAMS = PTO_MAX_REGISTERS,
    MOST_OBJECTS = 1 << 16,
    MOST_TILES = 1 << 16,
    MOST_LOCALS = 1 << 16,
    MOST_LABELS = 1 << 20,
    MOST_INSNS = 1 << 22,
};

/* Version 1 said by a hash which tables its numbers were of.  These are the ones whose numbers the
 * rows keep. */
#define TABLES_OF_VERSION_1 0xde977847u

static void walk_scalar(struct io *io, struct pto_scalar *s)
{
    io_u8(io, &s->kind, PTO_S_SYS, "kind of scalar");
    switch (s->kind) {
    case PTO_S_REG:
        io_u16(io, &s->reg, PTO_MAX_REGISTERS - 1, "register");
        break;
    case PTO_S_INT:
        io_i64(io, &s->i);
        break;
    case PTO_S_FLOAT:
        io_f64(io, &s->f);
        break;
    case PTO_S_SYS:
        io_u16(io, &s->reg, PTO_SYS_COUNT - 1, "builtin value");
        break;
    default:
        break;
    }
}

static void walk_tile_ref(struct io *io, struct pto_tile_ref *ref)
{
    io_u16(io, &ref->tile, MOST_TILES - 1, "tile");
    walk_scalar(io, &ref->slot);
    walk_scalar(io, &ref->row);
    walk_scalar(io, &ref->col);
    walk_scalar(io, &ref->byte);
    walk_scalar(io, &ref->rows);
    walk_scalar(io, &ref->cols);
}

static void walk_gm_ref(struct io *io, struct pto_gm_ref *ref)
{
    io_u16(io, &ref->object, MOST_OBJECTS - 1, "global object");
    walk_scalar(io, &ref->rank);
    io_u8(io, &ref->indices, PTO_MAX_DIMS, "number of indices");
    for (unsigned i = 0; i < ref->indices; i++)
        walk_scalar(io, &ref->index[i]);
    walk_scalar(io, &ref->rows);
    walk_scalar(io, &ref->cols);
}

static void walk_operand(struct io *io, struct pto_operand *operand)
{
    io_u8(io, &operand->kind, PTO_O_STRING, "kind of operand");
    switch (operand->kind) {
    case PTO_O_SCALAR:
        walk_scalar(io, &operand->scalar);
        break;
    case PTO_O_TILE:
        walk_tile_ref(io, &operand->tile);
        break;
    case PTO_O_GM:
        walk_gm_ref(io, &operand->gm);
        break;
    case PTO_O_LOCAL:
        io_u16(io, &operand->local.local, MOST_LOCALS - 1, "local array");
        walk_scalar(io, &operand->local.index);
        break;
    case PTO_O_ENUM:
    case PTO_O_LABEL:
        io_u32(io, &operand->value, UINT32_MAX, "value");
        break;
    case PTO_O_STRING:
        io_string(io, &operand->text);
        break;
    default:
        break;
    }
}

/* Operands of an instruction in memory, of which `given` stand in the object: its row may have got
 * more since then, which may be left out. */
static uint8_t with_left_out(unsigned op, uint8_t given)
{
    const struct pto_op_info *info = pto_op_info(op);

    for (unsigned i = given; i < info->operands; i++)
        if (!(info->operand[i].access & PTO_OPTIONAL) || info->operand[i].kind == PTO_K_REST)
            return given;
    return given < info->operands ? info->operands : given;
}

static void walk_insn(struct io *io, struct pto_insn *insn)
{
    uint8_t given = insn->operands;

    io_op(io, &insn->op);
    io_u32(io, &insn->pos, UINT32_MAX, "position");
    io_u8(io, &given, PTO_MAX_OPERANDS, "number of operands");
    insn->operands = with_left_out(insn->op, given);
    insn->operand = io_array(io, insn->operand, insn->operands, sizeof *insn->operand);
    for (unsigned i = 0; i < given; i++)
        walk_operand(io, &insn->operand[i]);
}

static void walk_code(struct io *io, struct pto_code *code)
{
    io_count(io, &code->regs, PTO_MAX_REGISTERS, 5, "registers");
    code->reg = io_array(io, code->reg, code->regs, sizeof *code->reg);
    for (uint32_t i = 0; i < code->regs; i++) {
        io_bool(io, &code->reg[i].is_float);
        io_string(io, &code->reg[i].name);
    }
    io_count(io, &code->insns, MOST_INSNS, 7, "instructions");
    code->insn = io_array(io, code->insn, code->insns, sizeof *code->insn);
    for (uint32_t i = 0; i < code->insns; i++)
        walk_insn(io, &code->insn[i]);
}

/* Where a declaration stands; in older objects, its kernel. */
static void walk_place(struct io *io, const struct pto_kernel *kernel, uint32_t *pos)
{
    if (io->version >= OBJECT_WITH_PLACES)
        io_u32(io, pos, UINT32_MAX, "position");
    else
        *pos = kernel->pos;
}

static void walk_tile(struct io *io, const struct pto_kernel *kernel, struct pto_tile *tile)
{
    io_string(io, &tile->name);
    io_u8(io, &tile->space, PTO_SPACE_COUNT - 1, "space");
    io_u8(io, &tile->dtype, PTO_DTYPE_COUNT - 1, "element type");
    io_u8(io, &tile->layout, PTO_LAYOUT_COUNT - 1, "layout");
    io_u32(io, &tile->rows, UINT32_MAX, "rows");
    io_u32(io, &tile->cols, UINT32_MAX, "columns");
    io_u32(io, &tile->slots, UINT32_MAX, "slots");
    io_u32(io, &tile->address, UINT32_MAX, "address");
    io_u32(io, &tile->slot_stride, UINT32_MAX, "stride");
    io_i32(io, &tile->parent);
    if (io->version >= OBJECT_WITH_PITCH)
        io_u32(io, &tile->pitch, UINT32_MAX, "pitch");
    walk_place(io, kernel, &tile->pos);
}

static void walk_core(struct io *io, const struct pto_kernel *kernel, struct pto_core_code *core)
{
    io_bool(io, &core->present);
    if (!core->present)
        return;
    io_count(io, &core->tiles, MOST_TILES, 31, "tiles");
    core->tile = io_array(io, core->tile, core->tiles, sizeof *core->tile);
    for (uint32_t i = 0; i < core->tiles; i++)
        walk_tile(io, kernel, &core->tile[i]);
    io_count(io, &core->locals, MOST_LOCALS, 9, "local arrays");
    core->local = io_array(io, core->local, core->locals, sizeof *core->local);
    for (uint32_t i = 0; i < core->locals; i++) {
        io_string(io, &core->local[i].name);
        io_bool(io, &core->local[i].is_float);
        io_u32(io, &core->local[i].count, UINT32_MAX, "elements");
        walk_place(io, kernel, &core->local[i].pos);
    }
    io_count(io, &core->labels, MOST_LABELS, 8, "labels");
    core->label = io_array(io, core->label, core->labels, sizeof *core->label);
    for (uint32_t i = 0; i < core->labels; i++) {
        io_string(io, &core->label[i].name);
        io_u32(io, &core->label[i].insn, UINT32_MAX, "label's target");
    }
    walk_code(io, &core->code);
}

static void walk_object(struct io *io, struct pto_object *object)
{
    io_string(io, &object->name);
    io_u8(io, &object->kind, PTO_OBJECT_KINDS - 1, "kind of global object");
    io_u8(io, &object->dtype, PTO_DTYPE_COUNT - 1, "element type");
    io_bool(io, &object->optional);
    if (io->version >= OBJECT_WITH_UNIFORM)
        io_bool(io, &object->uniform);
    if (io->version >= OBJECT_WITH_FLAT)
        io_bool(io, &object->flat);
    io_u32(io, &object->pos, UINT32_MAX, "position");
    io_u8(io, &object->dims, PTO_MAX_DIMS, "number of dimensions");
    for (unsigned i = 0; i < object->dims; i++)
        walk_scalar(io, &object->dim[i]);
    io_i32(io, &object->base);
    walk_scalar(io, &object->offset);
    io_bool(io, &object->strided);
    for (unsigned i = 0; object->strided && i < object->dims; i++)
        walk_scalar(io, &object->stride[i]);
}

static void walk_kernel(struct io *io, struct pto_kernel *kernel)
{
    io_tag(io, "KRNL");
    io_string(io, &kernel->name);
    io_u32(io, &kernel->pos, UINT32_MAX, "position");
    io_u8(io, &kernel->vectors_per_block, UINT8_MAX, "vector sub-cores of a block");
    io_count(io, &kernel->params, MOST_PARAMS, 6, "parameters");
    kernel->param = io_array(io, kernel->param, kernel->params, sizeof *kernel->param);
    for (uint32_t i = 0; i < kernel->params; i++) {
        io_string(io, &kernel->param[i].name);
        io_bool(io, &kernel->param[i].is_float);
        io_bool(io, &kernel->param[i].has_default);
        if (io->version >= OBJECT_WITH_UNIFORM)
            io_bool(io, &kernel->param[i].uniform);
        walk_place(io, kernel, &kernel->param[i].pos);
    }
    io_count(io, &kernel->objects, MOST_OBJECTS, 18, "global objects");
    kernel->object = io_array(io, kernel->object, kernel->objects, sizeof *kernel->object);
    for (uint32_t i = 0; i < kernel->objects; i++)
        walk_object(io, &kernel->object[i]);
    io_tag(io, "SETP");
    walk_code(io, &kernel->setup);
    for (unsigned i = 0; i < PTO_CORE_KINDS; i++) {
        io_tag(io, "CORE");
        walk_core(io, kernel, &kernel->core[i]);
    }
}

static void walk_module(struct io *io, struct pto_module *module)
{
    io_tag(io, "MODL");
    if (io->version == 1)
        io_fixed(io, TABLES_OF_VERSION_1, "it was made with other instruction tables");
    io_string(io, &module->profile);
    io_count(io, &module->files, MOST_FILES, 4, "source files");
    module->file = io_array(io, module->file, module->files, sizeof *module->file);
    for (uint32_t i = 0; i < module->files; i++)
        io_string(io, &module->file[i]);
    io_tag(io, "POSN");
    io_count(io, &module->positions, MOST_POSITIONS, 16, "positions");
    module->pos = io_array(io, module->pos, module->positions, sizeof *module->pos);
    for (uint32_t i = 0; i < module->positions; i++) {
        io_u32(io, &module->pos[i].file, UINT32_MAX, "source file");
        io_u32(io, &module->pos[i].line, UINT32_MAX, "line");
        io_u32(io, &module->pos[i].column, UINT32_MAX, "column");
        io_i32(io, &module->pos[i].parent);
    }
    io_tag(io, "KRNS");
    io_count(io, &module->kernels, MOST_KERNELS, 40, "kernels");
    module->kernel = io_array(io, module->kernel, module->kernels, sizeof *module->kernel);
    for (uint32_t i = 0; i < module->kernels; i++)
        walk_kernel(io, &module->kernel[i]);
    io_tag(io, "ENDM");
}

bool pto_is_object(const uint8_t *bytes, size_t size)
{
    return size >= 4 && !memcmp(bytes, OBJECT_MAGIC, 4);
}

void pto_object_write(const struct pto_module *module, struct pto_buf *out)
{
    struct pto_module copy = *module; /* walked, not changed: a writing io only reads fields */
    struct io io = {.out = out};

    io_begin_write(&io);
    walk_module(&io, &copy);
    io_end_write(&io);
}

static void report(const struct io *io, const char *name, struct pto_diags *diags)
{
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, name, 0, 0,
                                         "damaged object: %s (byte %zu)", io->problem,
                                         io->problem_at);

    if (!pto_is_object(io->bytes, io->size))
        pto_diag_hint(diags, diag, "no object begins so; if this is a text, assemble it first");
    else if (io->maker == 0 || io->maker == OBJECT_MAKER)
        pto_diag_hint(diags, diag, "assemble the kernel again");
    else
        pto_diag_hint(diags, diag, "version %u.%u.%u made it, this is %d.%d.%d: assemble again",
                      io->maker >> 24, io->maker >> 16 & 0xff, io->maker & 0xffff, PTO_MAJOR,
                      PTO_MINOR, PTO_PATCH);
}

enum pto_status pto_object_read(const uint8_t *bytes, size_t size, const char *name,
                                struct pto_module *module, struct pto_diags *diags)
{
    struct io io = {.bytes = bytes, .size = size};

    *module = (struct pto_module){0};
    io.arena = &module->arena;
    io_begin_read(&io);
    walk_module(&io, module);
    io_end_read(&io);
    if (!io.problem)
        return PTO_OK;
    report(&io, name, diags);
    pto_module_free(module);
    return PTO_EPROGRAM;
}
