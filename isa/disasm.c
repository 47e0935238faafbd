/* Objects as text: the plain form of docs/language.md.  The module may be unverified (it was read,
 * so that enumerations are in range, but indices may lead nowhere): a name that does not exist is
 * printed as '?', which no assembler accepts. */
#include "object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "core_name.h"
#include "float_text.h"

struct printer {
    const struct pto_module *module;
    const struct pto_kernel *kernel;
    const struct pto_core_code *core; /* NULL: set-up code */
    const struct pto_code *code;
    struct pto_buf *out;
    int64_t at; /* position in force; -1: none yet */
    const uint64_t *value; /* of registers, then of built-in functions; NULL: their names */
    struct pto_hole *hole; /* what is left out; NULL: nothing */
    unsigned holes;
};

#define PRINT(p, ...) pto_buf_printf((p)->out, __VA_ARGS__)

/* ---- literals and names ---------------------------------------------------------------------- */

static void print_string(struct printer *p, const char *text)
{
    pto_buf_byte(p->out, '"');
    for (; text && *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            PRINT(p, "\\%c", c);
        else if (c == '\n')
            PRINT(p, "\\n");
        else if (c == '\t')
            PRINT(p, "\\t");
        else if (c < 0x20 || c > 0x7e)
            PRINT(p, "\\x%02x", c);
        else
            pto_buf_byte(p->out, c);
    }
    pto_buf_byte(p->out, '"');
}

static const char *or_unknown(const char *name)
{
    return name && *name ? name : "?";
}

static const char *tile_name(const struct printer *p, uint32_t index)
{
    return p->core && index < p->core->tiles ? or_unknown(p->core->tile[index].name) : "?";
}

static const char *local_name(const struct printer *p, uint32_t index)
{
    return p->core && index < p->core->locals ? or_unknown(p->core->local[index].name) : "?";
}

static const char *object_name(const struct printer *p, uint32_t index)
{
    return index < p->kernel->objects ? or_unknown(p->kernel->object[index].name) : "?";
}

static void print_value(struct printer *p, bool is_float, uint64_t bits)
{
    if (is_float)
        pto_write_float(p->out, pto_f64_from_bits(bits));
    else
        PRINT(p, "%" PRId64, (int64_t)bits);
}

/* Leave the value out that a scalar has at run time; false: it is written here. */
static bool leave_out(struct printer *p, const struct pto_scalar *s)
{
    struct pto_hole *hole;
    bool is_register = s->kind == PTO_S_REG && s->reg < p->code->regs;

    if (!p->hole || p->holes == PTO_MAX_HOLES || (!is_register && s->kind != PTO_S_SYS))
        return false;
    hole = &p->hole[p->holes++];
    hole->at = (uint32_t)p->out->size;
    hole->value = s->reg + (is_register ? 0 : p->code->regs);
    hole->is_float = is_register && p->code->reg[s->reg].is_float;
    return true;
}

static void print_scalar(struct printer *p, const struct pto_scalar *s)
{
    if (leave_out(p, s))
        return;
    if (p->value && s->kind == PTO_S_REG && s->reg < p->code->regs) {
        print_value(p, p->code->reg[s->reg].is_float, p->value[s->reg]);
        return;
    }
    if (p->value && s->kind == PTO_S_SYS) {
        print_value(p, false, p->value[p->code->regs + s->reg]);
        return;
    }
    switch (s->kind) {
    case PTO_S_REG:
        PRINT(p, "%%%s", s->reg < p->code->regs ? or_unknown(p->code->reg[s->reg].name) : "?");
        break;
    case PTO_S_INT:
        PRINT(p, "%" PRId64, s->i);
        break;
    case PTO_S_FLOAT:
        pto_write_float(p->out, s->f);
        break;
    case PTO_S_SYS:
        PRINT(p, "%s()", pto_sys_name(s->reg));
        break;
    default:
        PRINT(p, "?");
    }
}

/* "[a, b]" and the like: what is left out at the end of a group leaves the group out. */
static void print_group(struct printer *p, const char *brackets, const struct pto_scalar *a,
                        const struct pto_scalar *b)
{
    if (a->kind == PTO_S_NONE && (!b || b->kind == PTO_S_NONE))
        return;
    pto_buf_byte(p->out, (uint8_t)brackets[0]);
    print_scalar(p, a);
    if (b) {
        PRINT(p, ", ");
        print_scalar(p, b);
    }
    pto_buf_byte(p->out, (uint8_t)brackets[1]);
}

/* ---- operands -------------------------------------------------------------------------------- */

static void print_tile_ref(struct printer *p, const struct pto_tile_ref *ref)
{
    PRINT(p, "%s", tile_name(p, ref->tile));
    print_group(p, "[]", &ref->slot, NULL);
    print_group(p, "()", &ref->row, &ref->col);
    print_group(p, "()", &ref->byte, NULL);
    print_group(p, "{}", &ref->rows, &ref->cols);
}

static void print_gm_ref(struct printer *p, const struct pto_gm_ref *ref)
{
    bool negative = ref->rank.kind == PTO_S_INT && ref->rank.i < 0;

    PRINT(p, "%s", object_name(p, ref->object));
    if (ref->rank.kind != PTO_S_NONE) {
        PRINT(p, "@%s", negative ? "(" : "");
        print_scalar(p, &ref->rank);
        PRINT(p, "%s", negative ? ")" : "");
    }
    for (unsigned i = 0; i < ref->indices; i++) {
        PRINT(p, "%s", i ? ", " : "[");
        print_scalar(p, &ref->index[i]);
    }
    PRINT(p, "%s", ref->indices ? "]" : "");
    print_group(p, "{}", &ref->rows, &ref->cols);
}

/* A branch target: the first label there (labels are in the order of their targets), or the
 * instruction's number. */
static void print_target(struct printer *p, uint32_t target)
{
    uint32_t low = 0, high = p->core ? p->core->labels : 0;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (p->core->label[middle].insn < target)
            low = middle + 1;
        else
            high = middle;
    }
    if (p->core && low < p->core->labels && p->core->label[low].insn == target)
        PRINT(p, "%s", or_unknown(p->core->label[low].name));
    else
        PRINT(p, ".L%u", target);
}

static void print_operand(struct printer *p, const struct pto_operand *operand,
                          const struct pto_operand_spec *info)
{
    const uint64_t *value = p->value;
    struct pto_hole *hole = p->hole;
    const char *keyword;

    switch (operand->kind) {
    case PTO_O_SCALAR:
        if (info->access & PTO_WRITE) {
            p->value = NULL;
            p->hole = NULL;
        }
        print_scalar(p, &operand->scalar);
        p->value = value;
        p->hole = hole;
        break;
    case PTO_O_TILE:
        print_tile_ref(p, &operand->tile);
        break;
    case PTO_O_GM:
        print_gm_ref(p, &operand->gm);
        break;
    case PTO_O_LOCAL:
        PRINT(p, "%s", local_name(p, operand->local.local));
        print_group(p, "[]", &operand->local.index, NULL);
        break;
    case PTO_O_ENUM:
        keyword = operand->value <= INT32_MAX ? pto_enum_keyword(info->set, (int)operand->value)
                                              : NULL;
        PRINT(p, "%s", or_unknown(keyword));
        break;
    case PTO_O_LABEL:
        print_target(p, operand->value);
        break;
    case PTO_O_STRING:
        print_string(p, operand->text);
        break;
    default:
        break;
    }
}

static void print_insn(struct printer *p, const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    const char *before = " ";

    PRINT(p, "%s", info->mnemonic);
    for (unsigned i = 0; i < insn->operands; i++) {
        unsigned index = i < info->operands ? i : info->operands ? info->operands - 1u : 0;

        if (insn->operand[i].kind == PTO_O_NONE)
            continue;
        PRINT(p, "%s", before);
        print_operand(p, &insn->operand[i], &info->operand[index]);
        before = ", ";
    }
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void print_at(struct printer *p, uint32_t pos, const char *indent)
{
    if (pos == p->at || p->module->positions == 0)
        return;
    PRINT(p, "%s.at %u\n", indent, pos);
    p->at = pos;
}

static void print_object(struct printer *p, const struct pto_object *object)
{
    static const char *const directives[PTO_OBJECT_KINDS] = {
        [PTO_OBJ_IN] = "in", [PTO_OBJ_OUT] = "out", [PTO_OBJ_INOUT] = "inout", [PTO_OBJ_GM] = "gm",
        [PTO_OBJ_SYM] = "sym", [PTO_OBJ_SIGNAL] = "signal", [PTO_OBJ_VIEW] = "view"};
    bool typed = object->kind != PTO_OBJ_SIGNAL;

    print_at(p, object->pos, "");
    PRINT(p, ".%s %s%s%s", directives[object->kind], or_unknown(object->name), typed ? " : " : "",
          typed ? pto_dtype_name(object->dtype) : "");
    for (unsigned i = 0; i < object->dims; i++) {
        PRINT(p, "%s", i ? ", " : "[");
        print_scalar(p, &object->dim[i]);
    }
    PRINT(p, "]");
    if (object->optional)
        PRINT(p, " optional");
    if (object->uniform)
        PRINT(p, " uniform");
    if (object->flat)
        PRINT(p, " flat");
    if (object->kind == PTO_OBJ_VIEW) {
        PRINT(p, " of %s offset ", object_name(p, (uint32_t)object->base));
        print_scalar(p, &object->offset);
    }
    for (unsigned i = 0; object->strided && i < object->dims; i++) {
        PRINT(p, "%s", i ? ", " : " strides ");
        print_scalar(p, &object->stride[i]);
    }
    PRINT(p, "\n");
}

static void print_registers(struct printer *p, const char *indent)
{
    for (uint32_t i = p->kernel->params; i < p->code->regs; i++)
        PRINT(p, "%s.reg %%%s : %s\n", indent, or_unknown(p->code->reg[i].name),
              p->code->reg[i].is_float ? "f64" : "i64");
}

static void print_tile(struct printer *p, const struct pto_tile *tile)
{
    print_at(p, tile->pos, "    ");
    PRINT(p, "    .tile %s[%u] : %s %s[%u, %u] %s @ 0x%x stride %u", or_unknown(tile->name),
          tile->slots, pto_space_name(tile->space), pto_dtype_name(tile->dtype), tile->rows,
          tile->cols, pto_layout_name(tile->layout), tile->address, tile->slot_stride);
    if (tile->parent != PTO_NONE)
        PRINT(p, " of %s", tile_name(p, (uint32_t)tile->parent));
    if (tile->pitch)
        PRINT(p, " pitch %u", tile->pitch);
    PRINT(p, "\n");
}

/* ---- code ------------------------------------------------------------------------------------ */

/* One byte per instruction and one more: is it a target without a label of the user? */
static uint8_t *unnamed_targets(const struct printer *p)
{
    uint8_t *unnamed = pto_xcalloc((size_t)p->code->insns + 1, 1);

    for (uint32_t i = 0; i < p->code->insns; i++)
        for (unsigned o = 0; o < p->code->insn[i].operands; o++) {
            const struct pto_operand *operand = &p->code->insn[i].operand[o];

            if (operand->kind == PTO_O_LABEL && operand->value <= p->code->insns)
                unnamed[operand->value] = 1;
        }
    for (uint32_t i = 0; i < p->core->labels; i++)
        if (p->core->label[i].insn <= p->code->insns)
            unnamed[p->core->label[i].insn] = 0;
    return unnamed;
}

static void print_program(struct printer *p)
{
    uint8_t *unnamed = unnamed_targets(p);
    uint32_t label = 0;

    for (uint32_t i = 0; i <= p->code->insns; i++) {
        while (label < p->core->labels && p->core->label[label].insn <= i)
            PRINT(p, "%s:\n", or_unknown(p->core->label[label++].name));
        if (unnamed[i])
            PRINT(p, ".L%u:\n", i);
        if (i == p->code->insns)
            break;
        print_at(p, p->code->insn[i].pos, "    ");
        PRINT(p, "    ");
        print_insn(p, &p->code->insn[i]);
        PRINT(p, "\n");
    }
    free(unnamed);
}

static void print_core(struct printer *p, const char *kind)
{
    PRINT(p, "\n.core %s\n", kind);
    print_registers(p, "    ");
    for (uint32_t i = 0; i < p->core->locals; i++) {
        print_at(p, p->core->local[i].pos, "    ");
        PRINT(p, "    .local %s : %s[%u]\n", local_name(p, i),
              p->core->local[i].is_float ? "f64" : "i64", p->core->local[i].count);
    }
    for (uint32_t i = 0; i < p->core->tiles; i++)
        print_tile(p, &p->core->tile[i]);
    print_program(p);
}

static void print_setup(struct printer *p)
{
    if (p->code->insns == 0)
        return;
    PRINT(p, ".setup\n");
    for (uint32_t i = 0; i < p->code->insns; i++) {
        print_at(p, p->code->insn[i].pos, "    ");
        PRINT(p, "    ");
        print_insn(p, &p->code->insn[i]);
        PRINT(p, "\n");
    }
    PRINT(p, ".endsetup\n");
}

static void print_kernel(struct printer *p)
{
    const struct pto_kernel *kernel = p->kernel;

    PRINT(p, "\n");
    print_at(p, kernel->pos, "");
    PRINT(p, ".kernel %s\n.mix 1:%u\n", or_unknown(kernel->name), kernel->vectors_per_block);
    for (uint32_t i = 0; i < kernel->params; i++) {
        print_at(p, kernel->param[i].pos, "");
        PRINT(p, ".param %s : %s%s\n", or_unknown(kernel->param[i].name),
              kernel->param[i].is_float ? "f64" : "i64",
              kernel->param[i].uniform ? " uniform" : "");
    }
    p->core = NULL;
    p->code = &kernel->setup;
    print_registers(p, "");
    for (uint32_t i = 0; i < kernel->objects; i++)
        print_object(p, &kernel->object[i]);
    print_setup(p);
    for (unsigned i = 0; i < PTO_CORE_KINDS; i++)
        if (kernel->core[i].present) {
            p->core = &kernel->core[i];
            p->code = &p->core->code;
            print_core(p, pto_core_names[i]);
        }
}

void pto_disassemble(const struct pto_module *module, struct pto_buf *out)
{
    struct printer p = {.module = module, .out = out, .at = -1};

    PRINT(&p, ".assembled_for ");
    print_string(&p, module->profile);
    PRINT(&p, "\n");
    for (uint32_t i = 0; i < module->files; i++) {
        PRINT(&p, ".file %u ", i);
        print_string(&p, module->file[i]);
        PRINT(&p, "\n");
    }
    for (uint32_t i = 0; i < module->positions; i++)
        PRINT(&p, ".pos %u %u %u %u %d\n", i, module->pos[i].file, module->pos[i].line,
              module->pos[i].column, module->pos[i].parent);
    for (uint32_t i = 0; i < module->kernels; i++) {
        p.kernel = &module->kernel[i];
        print_kernel(&p);
    }
}

void pto_disassemble_insn(const struct pto_module *module, const struct pto_kernel *kernel,
                          const struct pto_core_code *core, const struct pto_code *code,
                          const struct pto_insn *insn, struct pto_buf *out)
{
    pto_disassemble_values(module, kernel, core, code, insn, NULL, out);
}

void pto_disassemble_values(const struct pto_module *module, const struct pto_kernel *kernel,
                            const struct pto_core_code *core, const struct pto_code *code,
                            const struct pto_insn *insn, const uint64_t *value,
                            struct pto_buf *out)
{
    struct printer p = {module, kernel, core, code, out, -1, value, NULL, 0};

    print_insn(&p, insn);
}

unsigned pto_disassemble_holes(const struct pto_module *module, const struct pto_kernel *kernel,
                               const struct pto_core_code *core, const struct pto_insn *insn,
                               struct pto_hole hole[PTO_MAX_HOLES], struct pto_buf *out)
{
    struct printer p = {module, kernel, core, &core->code, out, -1, NULL, hole, 0};

    print_insn(&p, insn);
    return p.holes;
}
