/* Operands of instructions against their row in the table. */
#include "core_name.h"
#include "verify.h"

#include <stdio.h>
#include <string.h>

#include "fit.h"

/* ---- scalars --------------------------------------------------------------------------------- */

/* An error about a scalar: of the instruction, or of the declaration at `pos`. */
static void scalar_error(struct verify *v, uint32_t pos, const char *what, const char *problem)
{
    if (v->insn)
        verify_insn_error(v, "%s %s", what, problem);
    else
        verify_error(v, pos, "%s %s", what, problem);
}

/* Values that differ from core to core have no meaning in code that runs once per rank. */
static bool known_at_setup(unsigned sys)
{
    return sys != PTO_SYS_BLOCK_ID && sys != PTO_SYS_SUB_ID && sys != PTO_SYS_VEC_ID;
}

/* Register number and type of a source or destination. */
static bool check_register(struct verify *v, uint32_t pos, unsigned reg, bool want_int,
                           bool want_float, const char *what)
{
    if (reg >= v->code->regs) {
        scalar_error(v, pos, what, "is a register that does not exist");
        return false;
    }
    if (v->code->reg[reg].is_float ? !want_float : !want_int) {
        scalar_error(v, pos, what,
                     want_int ? "is a float register, an integer is needed"
                              : "is an integer register, a float is needed");
        return false;
    }
    return true;
}

/* A source scalar that is not left out. */
static bool check_source(struct verify *v, uint32_t pos, const struct pto_scalar *s, bool want_int,
                         bool want_float, const char *what)
{
    switch (s->kind) {
    case PTO_S_REG:
        return check_register(v, pos, s->reg, want_int, want_float, what);
    case PTO_S_INT:
        if (!want_int)
            scalar_error(v, pos, what, "is an integer, a float is needed");
        return want_int;
    case PTO_S_FLOAT:
        if (!want_float)
            scalar_error(v, pos, what, "is a float, an integer is needed");
        return want_float;
    case PTO_S_SYS:
        if (s->reg >= PTO_SYS_COUNT || !want_int) {
            scalar_error(v, pos, what, "is no fitting builtin value");
            return false;
        }
        if (!v->core && !known_at_setup(s->reg)) {
            scalar_error(v, pos, what, "differs from core to core, but is needed once per rank");
            return false;
        }
        return true;
    default:
        scalar_error(v, pos, what, "is missing");
        return false;
    }
}

bool verify_int(struct verify *v, uint32_t pos, const struct pto_scalar *s, bool optional,
                const char *what)
{
    if (optional && s->kind == PTO_S_NONE)
        return true;
    return check_source(v, pos, s, true, false, what);
}

/* An integer of a reference: `what` it is, behind the operand's name.  Nearly all are good, so
 * that the text is only made for the others. */
static bool check_part(struct verify *v, const struct pto_scalar *s, bool optional,
                       const char *operand, const char *what)
{
    char text[64];

    if (s->kind == PTO_S_INT || (optional && s->kind == PTO_S_NONE) ||
        (s->kind == PTO_S_REG && s->reg < v->code->regs && !v->code->reg[s->reg].is_float))
        return true;
    snprintf(text, sizeof text, "%s: %s", operand, what);
    return verify_int(v, 0, s, optional, text);
}

/* Integers of a reference, each optional. */
static bool check_parts(struct verify *v, const struct pto_scalar *const *part,
                        const char *const *what, unsigned count, const char *operand)
{
    for (unsigned i = 0; i < count; i++)
        if (!check_part(v, part[i], true, operand, what[i]))
            return false;
    return true;
}

/* ---- tiles, global objects, local arrays ----------------------------------------------------- */

static bool check_tile_ref(struct verify *v, const char *name, const struct pto_tile_ref *ref)
{
    static const char *const what[] = {"slot", "row", "column", "byte offset", "extent in rows",
                                       "extent in columns"};
    const struct pto_scalar *const part[] = {&ref->slot, &ref->row,  &ref->col,
                                             &ref->byte, &ref->rows, &ref->cols};

    if (!v->core || ref->tile >= v->core->tiles) {
        verify_insn_error(v, "%s: there is no tile %u", name, ref->tile);
        return false;
    }
    return check_parts(v, part, what, sizeof part / sizeof *part, name);
}

static bool check_gm_ref(struct verify *v, const char *name, const struct pto_gm_ref *ref)
{
    static const char *const what[] = {"rank", "extent in rows", "extent in columns"};
    const struct pto_scalar *const part[] = {&ref->rank, &ref->rows, &ref->cols};

    if (ref->object >= v->kernel->objects) {
        verify_insn_error(v, "%s: there is no global object %u", name, ref->object);
        return false;
    }
    for (unsigned i = 0; i < ref->indices; i++)
        if (!check_part(v, &ref->index[i], false, name, "index"))
            return false;
    return check_parts(v, part, what, sizeof part / sizeof *part, name);
}

static bool check_local_ref(struct verify *v, const char *name, const struct pto_local_ref *ref)
{
    if (!v->core || ref->local >= v->core->locals) {
        verify_insn_error(v, "%s: there is no local array %u", name, ref->local);
        return false;
    }
    return check_part(v, &ref->index, false, name, "index");
}

static bool check_memory(struct verify *v, const char *name, const struct pto_operand *operand)
{
    switch (operand->kind) {
    case PTO_O_TILE:
        return check_tile_ref(v, name, &operand->tile);
    case PTO_O_GM:
        return check_gm_ref(v, name, &operand->gm);
    case PTO_O_LOCAL:
        return check_local_ref(v, name, &operand->local);
    default:
        verify_insn_error(v, "%s: an element in memory is needed", name);
        return false;
    }
}

/* ---- other operands -------------------------------------------------------------------------- */

static bool check_destination(struct verify *v, const struct pto_operand_spec *spec,
                              const struct pto_scalar *s)
{
    if (s->kind != PTO_S_REG) {
        verify_insn_error(v, "%s: a register is needed", spec->name);
        return false;
    }
    if (!check_register(v, 0, s->reg, spec->kind != PTO_K_FLOAT_REG, spec->kind != PTO_K_INT_REG,
                        spec->name))
        return false;
    if ((s->reg < v->kernel->params) != (v->insn->op == PTO_OP_DEFAULT)) {
        verify_insn_error(v, v->insn->op == PTO_OP_DEFAULT ? "%s: '%s' is no parameter"
                                                           : "%s: parameter '%s' cannot be changed",
                          spec->name, v->code->reg[s->reg].name);
        return false;
    }
    return true;
}

static bool check_keyword(struct verify *v, const struct pto_operand_spec *spec, uint32_t value)
{
    if (value <= INT32_MAX && pto_enum_keyword(spec->set, (int)value))
        return true;
    verify_insn_error(v, "%s: %u is no %s", spec->name, value, pto_enum_name(spec->set));
    return false;
}

static uint8_t operand_kind(const struct pto_operand_spec *spec)
{
    switch (spec->kind) {
    case PTO_K_TILE:
        return PTO_O_TILE;
    case PTO_K_GM:
        return PTO_O_GM;
    case PTO_K_ENUM:
        return PTO_O_ENUM;
    case PTO_K_LABEL:
        return PTO_O_LABEL;
    case PTO_K_STRING:
        return PTO_O_STRING;
    default:
        return PTO_O_SCALAR;
    }
}

/* The kind of an operand that is given, and that what it names exists. */
static bool check_operand(struct verify *v, const struct pto_operand_spec *spec,
                          const struct pto_operand *operand)
{
    if (spec->kind == PTO_K_MEM)
        return check_memory(v, spec->name, operand);
    if (operand->kind != operand_kind(spec)) {
        verify_insn_error(v, "%s: this kind of operand does not fit", spec->name);
        return false;
    }
    switch (spec->kind) {
    case PTO_K_INT_REG:
    case PTO_K_FLOAT_REG:
    case PTO_K_ANY_REG:
        return check_destination(v, spec, &operand->scalar);
    case PTO_K_TILE:
        return check_tile_ref(v, spec->name, &operand->tile);
    case PTO_K_GM:
        return check_gm_ref(v, spec->name, &operand->gm);
    case PTO_K_ENUM:
        return check_keyword(v, spec, operand->value);
    case PTO_K_LABEL:
        if (operand->value >= v->code->insns)
            verify_insn_error(v, "the target is behind the end of the program");
        return operand->value < v->code->insns;
    case PTO_K_STRING:
        if (!operand->text)
            verify_insn_error(v, "the text is missing");
        return operand->text != NULL;
    default:
        return check_source(v, 0, &operand->scalar, spec->kind != PTO_K_FLOAT,
                            spec->kind != PTO_K_INT, spec->name);
    }
}

static struct pto_site site_of(const struct verify *v)
{
    return (struct pto_site){v->profile, v->kernel, v->core, v->core_kind, v->insn};
}

/* What is not legal for the instruction. */
static bool misfits(struct verify *v, const struct pto_misfit *misfit)
{
    struct pto_buf text = {0};
    struct pto_diag *diag;

    pto_misfit_print(misfit, pto_op_info(v->insn->op)->mnemonic, &text);
    diag = verify_error(v, v->insn->pos, "%s", pto_buf_text(&text));
    if (*misfit->hint)
        pto_diag_hint(v->diags, diag, "%s", misfit->hint);
    pto_buf_free(&text);
    return false;
}

static bool check_operands(struct verify *v)
{
    const struct pto_op_info *info = pto_op_info(v->insn->op);
    const struct pto_site site = site_of(v);
    bool list = info->operands && info->operand[info->operands - 1].kind == PTO_K_REST;
    bool good = true;
    struct pto_misfit misfit;

    if (list ? v->insn->operands + 1u < info->operands : v->insn->operands != info->operands) {
        verify_insn_error(v, "it has %u operands", v->insn->operands);
        return false;
    }
    for (unsigned i = 0; i < v->insn->operands; i++) {
        const struct pto_operand_spec *spec =
            &info->operand[i < info->operands ? i : info->operands - 1u];
        const struct pto_operand *operand = &v->insn->operand[i];

        if (operand->kind != PTO_O_NONE) {
            good = check_operand(v, spec, operand) &&
                   (pto_operand_fits(&site, i, &misfit) || misfits(v, &misfit)) && good;
        } else if (!(spec->access & PTO_OPTIONAL) || list) {
            verify_insn_error(v, "the operand %s is missing", spec->name);
            good = false;
        }
    }
    return good;
}

/* ---- between operands ------------------------------------------------------------------------ */

static bool scalar_is_float(const struct verify *v, const struct pto_scalar *s)
{
    return s->kind == PTO_S_FLOAT || (s->kind == PTO_S_REG && v->code->reg[s->reg].is_float);
}

/* Is the register or memory element that mov, default, select, ld and st name a float? */
static bool value_is_float(const struct verify *v, const struct pto_operand *operand)
{
    switch (operand->kind) {
    case PTO_O_TILE:
        return pto_dtype_is_float(v->core->tile[operand->tile.tile].dtype);
    case PTO_O_GM:
        return pto_dtype_is_float(v->kernel->object[operand->gm.object].dtype);
    case PTO_O_LOCAL:
        return v->core->local[operand->local.local].is_float;
    default:
        return scalar_is_float(v, &operand->scalar);
    }
}

static bool agree(const struct verify *v, unsigned i, unsigned k)
{
    return value_is_float(v, &v->insn->operand[i]) == value_is_float(v, &v->insn->operand[k]);
}

static void check_agreement(struct verify *v)
{
    unsigned op = v->insn->op;

    if (((op == PTO_OP_MOV || op == PTO_OP_DEFAULT || op == PTO_OP_LD || op == PTO_OP_ST) &&
         !agree(v, 0, 1)) ||
        (op == PTO_OP_SELECT && !(agree(v, 0, 2) && agree(v, 0, 3))))
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "one side is a float, the other an integer"),
                      "convert with itof or ftoi");
}

/* Mode 2 of cross-core flags and the flags of a block join both kinds of sub-cores: only the whole
 * kernel shows it. */
static void check_both_kinds(struct verify *v)
{
    enum { MODE = 1, JOINS_BOTH = 2 }; /* operand, mode */
    bool alone = !v->kernel->core[PTO_AIC].present || !v->kernel->core[PTO_AIV].present;
    const struct pto_scalar *mode;

    if (!alone)
        return;
    if (v->insn->op == PTO_OP_SET_INTRA_BLOCK || v->insn->op == PTO_OP_WAIT_INTRA_BLOCK)
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "the flag joins cube and vector sub-cores, but the "
                                           "kernel has only one kind"),
                      "add the other program");
    if (v->insn->op != PTO_OP_SET_FLAG_DEV)
        return;
    mode = &v->insn->operand[MODE].scalar;
    if (mode->kind == PTO_S_INT && mode->i == JOINS_BOTH)
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "mode 2 joins cube and vector sub-cores, but the kernel "
                                           "has only one kind"),
                      "use mode 0 or 1, or add the other program");
}

/* Is there who is sent to?  The text may still be without the other program when it comes here. */
static void check_receiver(struct verify *v)
{
    const struct pto_operand *to = &v->insn->operand[0];
    const struct pto_op_info *info = pto_op_info(v->insn->op);
    unsigned kind, last = info->operands - 1u;

    if (!v->insn->operands || to->kind != PTO_O_TILE)
        return;
    kind = pto_spaces[v->core->tile[to->tile.tile].space].core;
    if (kind == v->core_kind)
        return;
    if (!v->kernel->core[kind].present)
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "'%s' is sent to the program for %s, which the kernel "
                                        "does not have", v->core->tile[to->tile.tile].name,
                                        pto_core_names[kind]),
                      "write it under .core %s", pto_core_names[kind]);
    else if (info->operand[last].set == PTO_ENUM_VECTOR &&
             v->insn->operand[last].kind == PTO_O_ENUM &&
             v->insn->operand[last].value >= v->kernel->vectors_per_block)
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "a block of this kernel has %u vector sub-core",
                                        v->kernel->vectors_per_block),
                      "send to vec0, or write .mix 1:2");
}

static void check_fit(struct verify *v)
{
    const struct pto_site site = site_of(v);
    struct pto_misfit misfit;

    if (!pto_insn_fits(&site, &misfit) ||
        (v->declared && !pto_operands_fit(&site, &misfit)))
        misfits(v, &misfit);
}

static void check_insn(struct verify *v)
{
    const struct pto_op_info *info = pto_op_info(v->insn->op);
    unsigned errors = v->errors;

    if (!verify_is_position(v, v->insn->pos)) {
        verify_insn_error(v, "it has no valid position");
        return;
    }
    if (!v->core && info->class != PTO_SCALAR && v->insn->op != PTO_OP_ASSERT) {
        verify_insn_error(v, "set-up code has only scalar instructions and assert");
        return;
    }
    if (v->core && v->insn->op == PTO_OP_DEFAULT) {
        verify_insn_error(v, "parameters get their defaults in set-up code");
        return;
    }
    if (!check_operands(v))
        return;
    check_agreement(v);
    if (v->core) {
        check_both_kinds(v);
        check_receiver(v);
        if (v->errors == errors)
            check_fit(v);
    }
}

void verify_code(struct verify *v)
{
    for (uint32_t i = 0; i < v->code->insns && v->errors < VERIFY_MOST_ERRORS; i++) {
        v->insn = &v->code->insn[i];
        check_insn(v);
    }
    v->insn = NULL;
}
