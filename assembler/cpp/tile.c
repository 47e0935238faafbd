/* Tile instructions: their operands are declared in a block of their own, then the intrinsic is
 * called. */
#include "cpp/write.h"

enum how { NONE, PLAIN, SCRATCH, TYPED, SIDED, BETWEEN_RANKS };

static const uint8_t HOW[PTO_OP_COUNT] = {
#define CPP(id, how) [PTO_OP_##id] = how,
#include "cpp/cpp_ops.def"
#undef CPP
};

/* ---- operands ---- */

static const struct pto_tile *tile_of(const struct cpp *c, const struct pto_operand *o)
{
    return o->kind == PTO_O_TILE ? &c->core->tile[o->tile.tile] : NULL;
}

static bool written(const struct pto_operand *o, struct pto_scalar side[2])
{
    if (o->kind != PTO_O_TILE && o->kind != PTO_O_GM)
        return false;
    side[0] = o->kind == PTO_O_TILE ? o->tile.rows : o->gm.rows;
    side[1] = o->kind == PTO_O_TILE ? o->tile.cols : o->gm.cols;
    if (side[0].kind != PTO_S_NONE && side[1].kind == PTO_S_NONE)
        side[1] = (struct pto_scalar){.kind = PTO_S_INT, .i = 1};
    return side[0].kind != PTO_S_NONE;
}

/* The operand that says how much is moved where this one does not: of a tile and a window of global
 * memory the other one, of two windows the other one and then the tile between them. */
static const struct pto_operand *companion(const struct pto_insn *insn, unsigned operand)
{
    struct pto_scalar side[2];

    if (HOW[insn->op] == BETWEEN_RANKS)
        return operand > 1                                ? &insn->operand[operand]
               : written(&insn->operand[!operand], side) ? &insn->operand[!operand]
                                                         : &insn->operand[2];
    return &insn->operand[!operand];
}

/* Valid rows and columns of an operand: its own, those of its companion, or all of the tile. */
static void extent_of(const struct cpp *c, const struct pto_insn *insn, unsigned operand,
                      struct pto_scalar side[2])
{
    const struct pto_operand *o = &insn->operand[operand], *other = companion(insn, operand);
    const struct pto_tile *tile = tile_of(c, o);

    if (written(o, side) || ((o->kind == PTO_O_GM || other->kind == PTO_O_GM) &&
                             written(other, side)))
        return;
    tile = tile ? tile : tile_of(c, other);
    side[0] = (struct pto_scalar){.kind = PTO_S_INT, .i = tile ? tile->rows : 1};
    side[1] = (struct pto_scalar){.kind = PTO_S_INT, .i = tile ? tile->cols : 1};
}

static void put_extent(struct cpp *c, const struct pto_insn *insn, unsigned operand)
{
    struct pto_scalar side[2];

    extent_of(c, insn, operand, side);
    cpp_scalar(c, insn->pos, &side[0]);
    CPP_PUT(c, ", ");
    cpp_scalar(c, insn->pos, &side[1]);
}

static void declare_window(struct cpp *c, const struct pto_insn *insn, unsigned operand)
{
    struct pto_scalar side[2];

    extent_of(c, insn, operand, side);
    cpp_declare_window(c, insn, operand, side);
}

static void declare_tile(struct cpp *c, const struct pto_insn *insn, unsigned operand)
{
    static const char *const pads[] = {
        [PTO_PAD_ZERO] = "Zero", [PTO_PAD_MAX] = "Max", [PTO_PAD_MIN] = "Min"};
    const struct pto_tile_ref *ref = &insn->operand[operand].tile;
    const struct pto_tile *tile = &c->core->tile[ref->tile];

    cpp_line(c);
    if (insn->op == PTO_OP_TFILLPAD && operand == 0)
        cpp_tile_type(c, tile, pads[insn->operand[2].value]);
    else
        cpp_name(c, tile->name, "_tile");
    CPP_PUT(c, " t%u(", operand);
    put_extent(c, insn, operand);
    CPP_PUT(c, ");\n");
    cpp_line(c);
    CPP_PUT(c, "TASSIGN(t%u, 0x%x", operand, tile->address);
    if (ref->slot.kind == PTO_S_INT || ref->slot.kind == PTO_S_REG) {
        CPP_PUT(c, " + ");
        cpp_scalar(c, insn->pos, &ref->slot);
        CPP_PUT(c, " * %u", tile->slot_stride);
    }
    if (ref->byte.kind != PTO_S_NONE) {
        CPP_PUT(c, " + ");
        cpp_scalar(c, insn->pos, &ref->byte);
    }
    CPP_PUT(c, ");\n");
}

/* ---- scratch ---- */

/* The scratch tile that the counterpart wants and the instruction lacks has the type of its first
 * source; NULL: it needs none. */
static const struct pto_tile *missing_scratch(const struct pto_core_code *core,
                                              const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; HOW[insn->op] == SCRATCH && i < info->operands; i++)
        if (info->operand[i].access & PTO_SCRATCH && (i >= insn->operands ||
                                                      insn->operand[i].kind == PTO_O_NONE))
            for (unsigned k = 1; k < i; k++)
                if (insn->operand[k].kind == PTO_O_TILE)
                    return &core->tile[insn->operand[k].tile.tile];
    return NULL;
}

uint32_t cpp_scratch_bytes(const struct pto_core_code *core)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < core->code.insns; i++) {
        const struct pto_tile *tile = missing_scratch(core, &core->code.insn[i]);

        if (tile && pto_tile_bytes(tile) > bytes)
            bytes = pto_tile_bytes(tile);
    }
    return (uint32_t)bytes;
}

static void declare_scratch(struct cpp *c, const struct pto_insn *insn)
{
    const struct pto_tile *tile = missing_scratch(c->core, insn);

    if (!tile)
        return;
    cpp_line(c);
    cpp_name(c, tile->name, "_tile");
    CPP_PUT(c, " scratch(%u, %u);\n", tile->rows, tile->cols);
    cpp_line(c);
    CPP_PUT(c, "TASSIGN(scratch, 0x%x);\n", c->scratch);
    if (c->profile->barrier_needed & 1u << PTO_PIPE_V) {
        cpp_line(c);
        CPP_PUT(c, "pipe_barrier(PIPE_V);\n");
    }
}

/* ---- calls ---- */

/* What stands in front of the keywords of a set that are arguments. */
static const char *type_of_set(unsigned set)
{
    return set == PTO_ENUM_CMP     ? "CmpMode::"
           : set == PTO_ENUM_ROUND ? "RoundMode::CAST_"
                                   : "SaturationMode::";
}

/* The keyword as an argument of the call, or NULL: there is none; what cannot be said is refused.
 * */
static const char *keyword(struct cpp *c, const struct pto_insn *insn, unsigned operand)
{
    static const char *const rounding[] = {
        [PTO_ROUND_RINT] = "RINT", [PTO_ROUND_ROUND] = "ROUND", [PTO_ROUND_FLOOR] = "FLOOR",
        [PTO_ROUND_CEIL] = "CEIL", [PTO_ROUND_TRUNC] = "TRUNC", [PTO_ROUND_ODD] = "ODD"};
    const struct pto_operand_spec *spec = &pto_op_info(insn->op)->operand[operand];
    bool given = operand < insn->operands && insn->operand[operand].kind == PTO_O_ENUM;
    int value = given ? (int)insn->operand[operand].value : spec->preset;

    switch (spec->set) {
    case PTO_ENUM_CMP:
        return cpp_comparison((unsigned)value);
    case PTO_ENUM_ROUND:
        if (value == PTO_ROUND_DEFAULT)
            value = pto_dtype_is_float(tile_of(c, &insn->operand[0])->dtype) ? PTO_ROUND_RINT
                                                                             : PTO_ROUND_TRUNC;
        return rounding[value];
    case PTO_ENUM_SAT:
        return value == PTO_SAT_DEFAULT ? NULL : value == PTO_SAT_ON ? "ON" : "OFF";
    case PTO_ENUM_PAD: /* in the type of the destination */
    case PTO_ENUM_DIRECTION: /* in front of the arguments */
    case PTO_ENUM_TRIANGLE:
        return NULL;
    case PTO_ENUM_VECTOR:
        if (value == spec->preset || insn->op == PTO_OP_TMOV)
            return NULL; /* TMOV says it in front of its arguments */
        cpp_refuse(c, insn->pos, "%s to the second vector sub-core has no counterpart in C++",
                   pto_op_info(insn->op)->mnemonic);
        return NULL;
    case PTO_ENUM_RELU:
        if (insn->op == PTO_OP_TMOV)
            return NULL;
        /* fall through */
    default:
        if (value != spec->preset && !(spec->set == PTO_ENUM_ATOMIC && value == PTO_ATOMIC_ADD))
            cpp_refuse(c, insn->pos, "'%s' has no counterpart in C++",
                       pto_enum_keyword(spec->set, value));
        return NULL;
    }
}

static void put_number(struct cpp *c, const struct pto_insn *insn, unsigned operand,
                       const char **separator)
{
    const struct pto_tile *tile = tile_of(c, &insn->operand[insn->op == PTO_OP_TCMPS]);

    CPP_PUT(c, "%s", *separator);
    if (tile && pto_op_info(insn->op)->operand[operand].kind == PTO_K_NUM)
        CPP_PUT(c, "(%s)", cpp_type(tile->dtype));
    CPP_PUT(c, "(");
    cpp_scalar(c, insn->pos, &insn->operand[operand].scalar);
    CPP_PUT(c, ")");
    *separator = ", ";
}

static void put_arguments(struct cpp *c, const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    const struct pto_tile_ref *window = NULL;
    const char *separator = "", *word;

    for (unsigned i = 0; i < info->operands; i++) {
        const struct pto_operand *o = &insn->operand[i];
        bool given = i < insn->operands && o->kind != PTO_O_NONE;

        if (info->operand[i].kind == PTO_K_ENUM) {
            word = keyword(c, insn, i);
            if (word)
                CPP_PUT(c, "%s%s%s", separator, type_of_set(info->operand[i].set), word);
        } else if (given && o->kind == PTO_O_SCALAR) {
            put_number(c, insn, i, &separator);
        } else if (given) {
            CPP_PUT(c, "%s%s%u", separator, i == 0 && insn->op == PTO_OP_TMATMUL_ACC ? "t0, t" :
                    i == 0 && insn->op == PTO_OP_TGEMV_ACC ? "t0, t" : "t", i);
            separator = ", ";
            if (info->operand[i].access & PTO_WINDOW)
                window = &o->tile;
        } else if (info->operand[i].access & PTO_SCRATCH && missing_scratch(c->core, insn)) {
            CPP_PUT(c, "%sscratch", separator);
        }
    }
    for (unsigned axis = 0; window && axis < 2; axis++) {
        CPP_PUT(c, ", ");
        cpp_scalar(c, insn->pos, axis ? &window->col : &window->row);
    }
}

/* Is one of its keywords atomic_add? */
static bool adds(const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands; i++)
        if (info->operand[i].set == PTO_ENUM_ATOMIC && insn->operand[i].kind == PTO_O_ENUM)
            return insn->operand[i].value == PTO_ATOMIC_ADD;
    return false;
}

/* What leaves an accumulator by TMOV: which vector sub-core gets it, and the activation. */
static void put_way_out(struct cpp *c, const struct pto_insn *insn)
{
    enum { RELU = 2, VECTOR = 3 }; /* operands */
    bool relu = insn->operand[RELU].kind == PTO_O_ENUM &&
                insn->operand[RELU].value == PTO_RELU_RELU;
    bool second = insn->operand[VECTOR].kind == PTO_O_ENUM &&
                  insn->operand[VECTOR].value == PTO_VECTOR_SECOND;

    if (relu || second)
        CPP_PUT(c, "<decltype(t0), decltype(t1)%s%s>",
                second ? ", AccToVecMode::SingleModeVec1" : "",
                relu ? ", ReluPreMode::NormalRelu" : "");
}

/* The number of its only keyword: upstream's are the same. */
static int chosen(const struct pto_insn *insn)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    unsigned i = 0;

    while (info->operand[i].kind != PTO_K_ENUM)
        i++;
    return i < insn->operands && insn->operand[i].kind == PTO_O_ENUM
               ? (int)insn->operand[i].value : info->operand[i].preset;
}

static void call(struct cpp *c, const struct pto_insn *insn)
{
    cpp_line(c);
    CPP_PUT(c, "%s%s", HOW[insn->op] == BETWEEN_RANKS ? "comm::" : "",
            pto_op_info(insn->op)->mnemonic);
    if (adds(insn) && HOW[insn->op] == BETWEEN_RANKS)
        CPP_PUT(c, "<AtomicType::AtomicAdd>");
    else if (adds(insn))
        CPP_PUT(c, "<decltype(t1), decltype(t0), AtomicType::AtomicAdd>");
    else if (insn->op == PTO_OP_TMOV)
        put_way_out(c, insn);
    else if (HOW[insn->op] == TYPED)
        CPP_PUT(c, "<decltype(t0), %s, %d>", cpp_type(tile_of(c, &insn->operand[0])->dtype),
                chosen(insn));
    else if (HOW[insn->op] == SIDED)
        CPP_PUT(c, "<decltype(t0), %d>", chosen(insn));
    CPP_PUT(c, "(");
    put_arguments(c, insn);
    CPP_PUT(c, ");\n");
}

/* The product that begins a sum or goes on with it, as a number says. */
static void call_product(struct cpp *c, const struct pto_insn *insn)
{
    cpp_line(c);
    CPP_PUT(c, "if (");
    cpp_scalar(c, insn->pos, &insn->operand[3].scalar);
    CPP_PUT(c, ")\n");
    cpp_line(c);
    CPP_PUT(c, "    TMATMUL(t0, t1, t2);\n");
    cpp_line(c);
    CPP_PUT(c, "else\n");
    cpp_line(c);
    CPP_PUT(c, "    TMATMUL_ACC(t0, t0, t1, t2);\n");
}

/* Scales lie in fractals there, as rows here. */
static bool takes_scales(const struct cpp *c, const struct pto_insn *insn)
{
    for (unsigned i = 0; i < insn->operands; i++) {
        const struct pto_tile *tile = tile_of(c, &insn->operand[i]);

        if (tile && (tile->space == PTO_L0A_MX || tile->space == PTO_L0B_MX))
            return true;
    }
    return false;
}

/* Shapes of pairs count bytes here, and numbers in some of the intrinsics. */
static bool takes_pairs(const struct cpp *c, const struct pto_insn *insn)
{
    for (unsigned i = 0; i < insn->operands; i++) {
        const struct pto_tile *tile = tile_of(c, &insn->operand[i]);

        if (tile && pto_dtype_numbers((enum pto_dtype)tile->dtype) > 1)
            return true;
    }
    return false;
}

static void write_call(struct cpp *c, const struct pto_insn *insn)
{
    cpp_open(c);
    for (unsigned i = 0; i < insn->operands; i++)
        if (insn->operand[i].kind == PTO_O_TILE)
            declare_tile(c, insn, i);
        else if (insn->operand[i].kind == PTO_O_GM)
            declare_window(c, insn, i);
    declare_scratch(c, insn);
    if (insn->op == PTO_OP_TMMAD)
        call_product(c, insn);
    else
        call(c, insn);
    cpp_close(c);
}

/* Is it a window of which only the launch says whether rows or columns lie side by side? */
static const struct pto_object *window_of_launch(const struct cpp *c, const struct pto_operand *o)
{
    const struct pto_object *object = o->kind == PTO_O_GM ? &c->kernel->object[o->gm.object] : NULL;

    return object && cpp_lines(object) == CPP_LATER ? object : NULL;
}

static bool waits_for_launch(const struct cpp *c, const struct pto_insn *insn)
{
    for (unsigned i = 0; i < insn->operands; i++)
        if (window_of_launch(c, &insn->operand[i]))
            return true;
    return false;
}

/* The call for each way that such windows may lie; if there is no stride of 1, there is none. */
static void write_both(struct cpp *c, const struct pto_insn *insn)
{
    for (unsigned down = 0; down < 2; down++) {
        const char *before = down ? "else if (" : "if (";

        c->down = down;
        cpp_line(c);
        for (unsigned i = 0; i < insn->operands; i++) {
            const struct pto_object *object = window_of_launch(c, &insn->operand[i]);

            if (!object)
                continue;
            CPP_PUT(c, "%s", before);
            cpp_stride(c, object, object->dims - 1u - down);
            CPP_PUT(c, " == 1");
            before = " && ";
        }
        CPP_PUT(c, ")\n");
        write_call(c, insn);
    }
    cpp_line(c);
    CPP_PUT(c, "else\n");
    cpp_line(c);
    CPP_PUT(c, "    trap();\n");
}

void cpp_tile_insn(struct cpp *c, const struct pto_insn *insn)
{
    if (takes_pairs(c, insn)) {
        cpp_refuse(c, insn->pos, "%s of pairs of four bits, whose shapes are others there, has no "
                   "counterpart in C++", pto_op_info(insn->op)->mnemonic);
        return;
    }
    if (takes_scales(c, insn)) {
        cpp_refuse(c, insn->pos, "%s of scales, which lie in fractals on chips, has no counterpart "
                   "in C++", pto_op_info(insn->op)->mnemonic);
        return;
    }
    if (HOW[insn->op] == NONE && insn->op != PTO_OP_TMMAD) {
        cpp_refuse(c, insn->pos, "%s, as it stands here, has no counterpart in C++",
                   pto_op_info(insn->op)->mnemonic);
        return;
    }
    if (waits_for_launch(c, insn))
        write_both(c, insn);
    else
        write_call(c, insn);
}

/* Where an element is among the tile's. */
static void put_offset(struct cpp *c, uint32_t pos, const struct pto_tile *tile,
                       const struct pto_tile_ref *ref)
{
    bool down = tile->layout == PTO_DN;

    cpp_scalar(c, pos, down ? &ref->col : &ref->row);
    CPP_PUT(c, " * %u + ", tile->pitch ? tile->pitch : down ? tile->rows : tile->cols);
    cpp_scalar(c, pos, down ? &ref->row : &ref->col);
}

/* S reads or writes one element of a tile: `GetValue` and `SetValue` of Tile.  Source: pto-isa,
 * include/pto/common/pto_tile.hpp. */
void cpp_tile_access(struct cpp *c, const struct pto_insn *insn)
{
    bool loads = insn->op == PTO_OP_LD;
    const struct pto_tile_ref *ref = &insn->operand[loads].tile;
    const struct pto_tile *tile = &c->core->tile[ref->tile];
    const struct pto_scalar *number = &insn->operand[!loads].scalar;

    if (tile->space != PTO_UB || (tile->layout != PTO_ND && tile->layout != PTO_DN)) {
        cpp_refuse(c, insn->pos, "%s of a tile that is not in ub or in fractals has no counterpart "
                   "in C++", pto_op_info(insn->op)->mnemonic);
        return;
    }
    cpp_open(c);
    declare_tile(c, insn, loads);
    cpp_line(c);
    if (loads) {
        cpp_scalar(c, insn->pos, number);
        CPP_PUT(c, " = %st1.GetValue(", c->code->reg[number->reg].is_float ? "(PTO_REAL)" : "");
        put_offset(c, insn->pos, tile, ref);
    } else {
        CPP_PUT(c, "t0.SetValue(");
        put_offset(c, insn->pos, tile, ref);
        CPP_PUT(c, ", (%s)(", cpp_type(tile->dtype));
        cpp_scalar(c, insn->pos, number);
        CPP_PUT(c, ")");
    }
    CPP_PUT(c, ");\n");
    cpp_close(c);
}
