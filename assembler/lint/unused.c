/* What is declared or computed and not used, and what upstream would use as well. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* How names are used: by registers, tiles, local arrays of a core, and objects of the kernel. */
struct uses {
    bool reg_read[PTO_MAX_REGISTERS];
    bool *tile, *local_read, *local_written, *object;
};

static void use_scalar(struct uses *uses, const struct pto_scalar *scalar)
{
    if (scalar->kind == PTO_S_REG)
        uses->reg_read[scalar->reg] = true;
}

static void use_tile(struct uses *uses, const struct pto_tile_ref *ref)
{
    if (uses->tile)
        uses->tile[ref->tile] = true;
    use_scalar(uses, &ref->slot);
    use_scalar(uses, &ref->row);
    use_scalar(uses, &ref->col);
    use_scalar(uses, &ref->byte);
    use_scalar(uses, &ref->rows);
    use_scalar(uses, &ref->cols);
}

static void use_object(struct uses *uses, const struct pto_gm_ref *ref)
{
    if (uses->object)
        uses->object[ref->object] = true;
    for (unsigned i = 0; i < ref->indices; i++)
        use_scalar(uses, &ref->index[i]);
    use_scalar(uses, &ref->rank);
    use_scalar(uses, &ref->rows);
    use_scalar(uses, &ref->cols);
}

static void use_local(struct uses *uses, const struct pto_local_ref *ref, unsigned access)
{
    if (uses->local_read)
        *(access & PTO_READ ? &uses->local_read[ref->local] : &uses->local_written[ref->local]) =
            true;
    use_scalar(uses, &ref->index);
}

static void use_code(struct uses *uses, const struct pto_code *code)
{
    for (uint32_t i = 0; i < code->insns; i++) {
        const struct pto_op_info *info = pto_op_info(code->insn[i].op);

        for (unsigned k = 0; k < code->insn[i].operands; k++) {
            const struct pto_operand *operand = &code->insn[i].operand[k];
            unsigned access = k < info->operands ? info->operand[k].access : PTO_READ;

            if (operand->kind == PTO_O_SCALAR && !(access & PTO_WRITE))
                use_scalar(uses, &operand->scalar);
            else if (operand->kind == PTO_O_TILE)
                use_tile(uses, &operand->tile);
            else if (operand->kind == PTO_O_GM)
                use_object(uses, &operand->gm);
            else if (operand->kind == PTO_O_LOCAL)
                use_local(uses, &operand->local, access);
        }
    }
}

static void report(struct lint *lint, uint32_t pos, const char *what, const char *name,
                   const char *how)
{
    lint_report(lint, PTO_LINT_UNUSED, PTO_WARNING, PTO_LINT_YES, pos, "%s '%s' is %s", what,
                name, how);
}

/* ---- of a core ---- */

/* Registers that are computed, by nothing that has another effect, and never read.  Names that
 * begin with '_' are the assembler's; macros may compute more than a use of them needs. */
static void look_at_registers(struct lint *lint, const struct uses *uses)
{
    bool effect[PTO_MAX_REGISTERS] = {false};
    const struct pto_insn *first[PTO_MAX_REGISTERS] = {NULL}; /* that writes the register */

    for (uint32_t i = 0; i < lint->code->insns; i++) {
        const struct pto_insn *insn = &lint->code->insn[i];
        int32_t reg = lint_written(insn);

        if (reg < 0)
            continue;
        effect[reg] |= pto_op_info(insn->op)->class != PTO_SCALAR;
        if (!first[reg])
            first[reg] = insn;
    }
    for (uint32_t i = lint->kernel->params; i < lint->code->regs; i++)
        if (first[i] && !effect[i] && !uses->reg_read[i] && *lint->code->reg[i].name != '_' &&
            lint_place(lint, first[i]).parent == PTO_NONE)
            report(lint, first[i]->pos, "register", lint->code->reg[i].name,
                   "assigned, but never read");
}

static void look_at_tables(struct lint *lint, struct uses *uses)
{
    const struct pto_core_code *core = lint->core;

    for (uint32_t i = core->tiles; i-- > 0;) /* a view comes after what it views */
        if (uses->tile[i] && core->tile[i].parent != PTO_NONE)
            uses->tile[core->tile[i].parent] = true;
    for (uint32_t i = 0; i < core->tiles; i++)
        if (!uses->tile[i])
            report(lint, core->tile[i].pos, "tile", core->tile[i].name, "never used");
    for (uint32_t i = 0; i < core->locals; i++)
        if (!uses->local_read[i])
            report(lint, core->local[i].pos, "local array", core->local[i].name,
                   uses->local_written[i] ? "written, but never read" : "never used");
}

/* Upstream's TPUT and TGET order MTE2 and MTE3 by events 0 and 1 of that pair (issue 706 of
 * hw-native-sys/PTOAS); here transfers have events of their own. */
static void look_at_hidden_events(struct lint *lint)
{
    enum { HIDDEN_EVENTS = 2 };
    const struct pto_code *code = lint->code;
    const char *transfer = NULL;

    for (uint32_t i = 0; i < code->insns && !transfer; i++)
        if (pto_op_info(code->insn[i].op)->class == PTO_MACRO)
            transfer = pto_op_info(code->insn[i].op)->mnemonic;
    for (uint32_t i = 0; i < code->insns && transfer; i++) {
        const struct pto_operand *operand = code->insn[i].operand;
        uint32_t pipes;

        if (code->insn[i].op != PTO_OP_SET_FLAG)
            continue;
        pipes = 1u << operand[0].value | 1u << operand[1].value;
        if (pipes != (1u << PTO_PIPE_MTE2 | 1u << PTO_PIPE_MTE3) ||
            (operand[2].scalar.kind == PTO_S_INT && operand[2].scalar.i >= HIDDEN_EVENTS))
            continue;
        lint_report(lint, PTO_LINT_HIDDEN_EVENT, PTO_NOTE, PTO_LINT_UNKNOWN, code->insn[i].pos,
                    "elsewhere, %s uses the events 0 and 1 between MTE2 and MTE3 itself: choose "
                    "other ids to be portable", transfer);
        return;
    }
}

void lint_unused(struct lint *lint)
{
    const struct pto_core_code *core = lint->core;
    struct uses uses = {.tile = pto_xcalloc((size_t)core->tiles + 1, sizeof(bool)),
                        .local_read = pto_xcalloc((size_t)core->locals + 1, sizeof(bool)),
                        .local_written = pto_xcalloc((size_t)core->locals + 1, sizeof(bool))};

    use_code(&uses, lint->code);
    look_at_registers(lint, &uses);
    look_at_tables(lint, &uses);
    look_at_hidden_events(lint);
    free(uses.tile);
    free(uses.local_read);
    free(uses.local_written);
}

/* ---- of a kernel ---- */

/* Dimensions, offsets and strides are scalars of the set-up code, whose first registers are the
 * parameters. */
static void use_declarations(struct uses *uses, const struct pto_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->objects; i++) {
        const struct pto_object *object = &kernel->object[i];

        for (unsigned k = 0; k < object->dims; k++) {
            use_scalar(uses, &object->dim[k]);
            use_scalar(uses, &object->stride[k]);
        }
        use_scalar(uses, &object->offset);
    }
}

void lint_unused_declarations(struct lint *lint)
{
    const struct pto_kernel *kernel = lint->kernel;
    struct uses uses = {.object = pto_xcalloc((size_t)kernel->objects + 1, sizeof(bool))};

    use_declarations(&uses, kernel);
    use_code(&uses, &kernel->setup);
    /* Registers of the cores beyond the parameters are others than the set-up code's. */
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        if (kernel->core[kind].present)
            use_code(&uses, &kernel->core[kind].code);
    for (uint32_t i = kernel->objects; i-- > 0;)
        if (uses.object[i] && kernel->object[i].kind == PTO_OBJ_VIEW)
            uses.object[kernel->object[i].base] = true;
    for (uint32_t i = 0; i < kernel->params; i++)
        if (!uses.reg_read[i])
            report(lint, kernel->param[i].pos, "parameter", kernel->param[i].name, "never used");
    for (uint32_t i = 0; i < kernel->objects; i++)
        if (!uses.object[i])
            report(lint, kernel->object[i].pos, "object", kernel->object[i].name, "never used");
    free(uses.object);
}
