/* Operands of instructions against their row in the table. */
#include "verify.h"

#include <stdarg.h>
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

/* An optional integer of a reference; a literal lies in 0..most. */
static bool check_part(struct verify *v, const struct pto_scalar *s, uint64_t most,
                       const char *operand, const char *part)
{
    char what[64];

    snprintf(what, sizeof what, "%s: %s", operand, part);
    if (!verify_int(v, 0, s, true, what))
        return false;
    if (s->kind != PTO_S_INT || (s->i >= 0 && (uint64_t)s->i <= most))
        return true;
    if (s->i < 0 || most >= INT64_MAX)
        verify_insn_error(v, "%s %lld is negative", what, (long long)s->i);
    else
        verify_insn_error(v, "%s %lld is out of range, at most %llu is allowed", what,
                          (long long)s->i, (unsigned long long)most);
    return false;
}

/* {rows, cols}: both or neither. */
static bool check_extent(struct verify *v, const struct pto_scalar *rows,
                         const struct pto_scalar *cols, uint64_t most_rows, uint64_t most_cols,
                         const char *operand)
{
    if ((rows->kind == PTO_S_NONE) != (cols->kind == PTO_S_NONE)) {
        verify_insn_error(v, "%s: one half of the extent is missing", operand);
        return false;
    }
    return check_part(v, rows, most_rows, operand, "extent in rows") &&
           check_part(v, cols, most_cols, operand, "extent in columns");
}

/* ---- tiles, global objects, local arrays ----------------------------------------------------- */

static bool check_tile_offset(struct verify *v, unsigned index, const struct pto_tile_ref *ref,
                              const struct pto_tile *tile)
{
    const struct pto_operand_spec *spec = &pto_op_info(v->insn->op)->operand[index];
    bool placed = ref->row.kind != PTO_S_NONE || ref->col.kind != PTO_S_NONE;
    bool byte = ref->byte.kind != PTO_S_NONE;
    bool whole = ref->row.kind != PTO_S_NONE && ref->col.kind != PTO_S_NONE;
    bool allowed = spec->kind == PTO_K_MEM || spec->access & PTO_WINDOW;

    if (byte && tile->parent == PTO_NONE) {
        verify_insn_error(v, "%s: a byte offset needs a tile that views another", spec->name);
        return false;
    }
    if (placed && (byte || !whole || !allowed)) {
        verify_insn_error(v, "%s: no offset (row, col) may stand here", spec->name);
        return false;
    }
    if (spec->kind == PTO_K_MEM && !placed && !byte) {
        verify_insn_error(v, "%s: the element's (row, col) is missing", spec->name);
        return false;
    }
    return true;
}

static bool check_tile_ref(struct verify *v, unsigned index, const struct pto_tile_ref *ref)
{
    const struct pto_operand_spec *spec = &pto_op_info(v->insn->op)->operand[index];
    const struct pto_tile *tile;

    if (!v->core || ref->tile >= v->core->tiles) {
        verify_insn_error(v, "%s: there is no tile %u", spec->name, ref->tile);
        return false;
    }
    tile = &v->core->tile[ref->tile];
    if (spec->kind == PTO_K_TILE && !(spec->spaces >> tile->space & 1)) {
        verify_insn_error(v, "%s: tile '%s' is in %s, which is not possible here", spec->name,
                          tile->name, pto_space_name(tile->space));
        return false;
    }
    return check_tile_offset(v, index, ref, tile) &&
           check_part(v, &ref->slot, tile->slots - 1, spec->name, "slot") &&
           check_part(v, &ref->row, tile->rows - 1, spec->name, "row") &&
           check_part(v, &ref->col, tile->cols - 1, spec->name, "column") &&
           check_part(v, &ref->byte, UINT32_MAX, spec->name, "byte offset") &&
           check_extent(v, &ref->rows, &ref->cols, tile->rows, tile->cols, spec->name);
}

static bool is_symmetric(const struct pto_object *root)
{
    return root->kind == PTO_OBJ_SYM || root->kind == PTO_OBJ_SIGNAL;
}

static bool check_gm_object(struct verify *v, const struct pto_operand_spec *spec,
                            const struct pto_gm_ref *ref, const struct pto_object *object)
{
    const struct pto_object *root = verify_root(v->kernel, object);
    bool signal = v->insn->op == PTO_OP_TNOTIFY || v->insn->op == PTO_OP_TWAIT ||
                  v->insn->op == PTO_OP_TTEST;

    if (ref->rank.kind != PTO_S_NONE && !is_symmetric(root)) {
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "%s: '%s' does not exist on other ranks", spec->name,
                                        object->name),
                      "only .sym and .signal objects take @rank");
        return false;
    }
    if (signal && !is_symmetric(root)) {
        verify_insn_error(v, "%s: '%s' is neither .signal nor .sym", spec->name, object->name);
        return false;
    }
    if ((spec->access & PTO_WRITE) && root->kind == PTO_OBJ_IN) {
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "%s: the input '%s' cannot be written", spec->name,
                                        root->name),
                      "declare it .inout, or write to another object");
        return false;
    }
    return true;
}

static bool check_gm_ref(struct verify *v, unsigned index, const struct pto_gm_ref *ref)
{
    const struct pto_operand_spec *spec = &pto_op_info(v->insn->op)->operand[index];
    const struct pto_object *object;

    if (ref->object >= v->kernel->objects) {
        verify_insn_error(v, "%s: there is no global object %u", spec->name, ref->object);
        return false;
    }
    object = &v->kernel->object[ref->object];
    if (!check_gm_object(v, spec, ref, object))
        return false;
    if (ref->indices && ref->indices != object->dims) {
        verify_insn_error(v, "%s: '%s' has %u dimensions, but %u indices stand here", spec->name,
                          object->name, object->dims, ref->indices);
        return false;
    }
    for (unsigned i = 0; i < ref->indices; i++)
        if (ref->index[i].kind == PTO_S_NONE) {
            verify_insn_error(v, "%s: an index is missing", spec->name);
            return false;
        } else if (!check_part(v, &ref->index[i], INT64_MAX, spec->name, "index")) {
            return false;
        }
    return check_part(v, &ref->rank, INT64_MAX, spec->name, "rank") &&
           check_extent(v, &ref->rows, &ref->cols, INT64_MAX, INT64_MAX, spec->name);
}

static bool check_local_ref(struct verify *v, unsigned index, const struct pto_local_ref *ref)
{
    const char *name = pto_op_info(v->insn->op)->operand[index].name;

    if (!v->core || ref->local >= v->core->locals) {
        verify_insn_error(v, "%s: there is no local array %u", name, ref->local);
        return false;
    }
    if (ref->index.kind == PTO_S_NONE) {
        verify_insn_error(v, "%s: the index is missing", name);
        return false;
    }
    return check_part(v, &ref->index, v->core->local[ref->local].count - 1, name, "index");
}

static bool check_memory(struct verify *v, unsigned index, const struct pto_operand *operand)
{
    const char *name = pto_op_info(v->insn->op)->operand[index].name;

    if (v->insn->op == PTO_OP_FETCH_ADD && operand->kind != PTO_O_GM) {
        verify_insn_error(v, "%s: only an element of global memory is possible", name);
        return false;
    }
    switch (operand->kind) {
    case PTO_O_TILE:
        return check_tile_ref(v, index, &operand->tile);
    case PTO_O_GM:
        return check_gm_ref(v, index, &operand->gm);
    case PTO_O_LOCAL:
        return check_local_ref(v, index, &operand->local);
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

/* An operand that is given; `index` is that of its row's specification. */
static bool check_operand(struct verify *v, unsigned index, const struct pto_operand *operand)
{
    const struct pto_operand_spec *spec = &pto_op_info(v->insn->op)->operand[index];

    if (spec->kind == PTO_K_MEM)
        return check_memory(v, index, operand);
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
        return check_tile_ref(v, index, &operand->tile);
    case PTO_K_GM:
        return check_gm_ref(v, index, &operand->gm);
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

static bool check_operands(struct verify *v)
{
    const struct pto_op_info *info = pto_op_info(v->insn->op);
    bool list = info->operands && info->operand[info->operands - 1].kind == PTO_K_REST;
    bool good = true;

    if (list ? v->insn->operands + 1u < info->operands : v->insn->operands != info->operands) {
        verify_insn_error(v, "it has %u operands", v->insn->operands);
        return false;
    }
    for (unsigned i = 0; i < v->insn->operands; i++) {
        unsigned index = i < info->operands ? i : info->operands - 1u;
        const struct pto_operand *operand = &v->insn->operand[i];

        if (operand->kind != PTO_O_NONE)
            good = check_operand(v, index, operand) && good;
        else if (!(info->operand[index].access & PTO_OPTIONAL) || list) {
            verify_insn_error(v, "the operand %s is missing", info->operand[index].name);
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

/* Is the register or memory element that mov, default, ld and st name a float? */
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

static void check_agreement(struct verify *v)
{
    unsigned op = v->insn->op;

    if ((op == PTO_OP_MOV || op == PTO_OP_DEFAULT || op == PTO_OP_LD || op == PTO_OP_ST) &&
        value_is_float(v, &v->insn->operand[0]) != value_is_float(v, &v->insn->operand[1]))
        pto_diag_hint(v->diags,
                      verify_insn_error(v, "one side is a float, the other an integer"),
                      "convert with itof or ftoi");
}

static void check_types(struct verify *v)
{
    const struct pto_op_info *info = pto_op_info(v->insn->op);
    uint8_t dtypes[PTO_MAX_OPERANDS];
    unsigned count = pto_insn_types(v->kernel, v->core, v->insn, dtypes);
    const char *given = "";

    if (pto_types_match(info, v->profile->a5, dtypes, count))
        return;
    for (unsigned i = 0; i < count; i++)
        given = pto_arena_printf(&v->diags->arena, "%s%s%s", given, i ? "," : "",
                                 pto_dtype_name(dtypes[i]));
    pto_diag_hint(v->diags, verify_insn_error(v, "the element types %s do not fit", given),
                  "on profile %s: %s%s%s", v->profile->name,
                  *info->types || v->profile->a5 ? info->types : "none, it needs level a5",
                  v->profile->a5 && *info->types && *info->types_a5 ? " " : "",
                  v->profile->a5 ? info->types_a5 : "");
}

/* What operands need of each other. */
static void check_fit(struct verify *v)
{
    struct pto_misfit misfit;
    struct pto_diag *diag;

    if (pto_operands_fit(v->profile, v->kernel, v->core, v->insn, &misfit))
        return;
    diag = verify_insn_error(v, "%s", misfit.text);
    if (*misfit.hint)
        pto_diag_hint(v->diags, diag, "%s", misfit.hint);
}

static void check_insn(struct verify *v)
{
    const struct pto_op_info *info = pto_op_info(v->insn->op);
    unsigned errors = v->errors;

    if (v->insn->pos >= v->module->positions && (v->insn->pos || v->module->positions)) {
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
        check_types(v);
        verify_pipes(v);
        if (v->declared && v->errors == errors)
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
