/* Operands together, against their row: regions (shape_check.c), scalars, keywords, types of
 * transfers. */
#include "fit.h"

#include "img2col.h"
#include "shape_check.h"

/* ---- scalars --------------------------------------------------------------------------------- */

static bool check_element(const struct check *c, unsigned operand, const struct pto_scalar *s,
                          const struct pto_tile *tile, int64_t *value)
{
    if (pto_number_fits(tile->dtype, s->kind == PTO_S_FLOAT, s->f, s->i, value))
        return true;
    if (s->kind == PTO_S_FLOAT)
        return misfit_about(c, operand, NULL,
                            "%s %.17g is no %s value: the tile needs an integer in its "
                            "range",
                            misfit_name(c, operand), s->f, pto_dtype_name(tile->dtype));
    return misfit_about(c, operand, NULL, "%s %lld is out of the range of %s, the type of the tile",
                        misfit_name(c, operand), (long long)s->i, pto_dtype_name(tile->dtype));
}

static bool check_address(const struct check *c, unsigned operand, int64_t address)
{
    enum { SPACE_OF = 0 }; /* operand */
    const struct pto_tile *tile = misfit_tile(c, SPACE_OF);
    unsigned alignment = c->site->profile->alignment[tile->space];
    unsigned capacity = c->site->profile->capacity[tile->space];
    uint64_t bytes = (uint64_t)tile->slots * tile->slot_stride;

    if (address < 0 || address % alignment != 0)
        return misfit_about(c, operand, NULL, "address %lld is no multiple of %u",
                            (long long)address, alignment);
    if ((uint64_t)address + bytes <= capacity)
        return true;
    return misfit_about(c, operand, NULL, "tile '%s' of %llu bytes at %lld leaves %s with %u bytes",
                        tile->name, (unsigned long long)bytes, (long long)address,
                        pto_space_name(tile->space), capacity);
}

/* A run of TMRGSORT: the machine looks at it if there is work. */
static bool check_run(const struct check *c, unsigned operand, int64_t run)
{
    enum { UNIT = 64, LISTS = 4, MOST_REPEATS = 255 };
    int64_t cols = (int64_t)c->side[0][1].value;

    if (!shape_has_work(c) || (run >= UNIT && run % UNIT == 0 && run <= cols / LISTS &&
                               cols % (LISTS * run) == 0 && cols / (LISTS * run) <= MOST_REPEATS))
        return true;
    return misfit_about(c, operand, NULL,
                        "runs of %lld in %lld columns: a run is a multiple of %d, and "
                        "the columns are 1 to %d times %d runs",
                        (long long)run, (long long)cols, UNIT, MOST_REPEATS, LISTS);
}

static bool check_integer(const struct check *c, unsigned operand, enum pto_limit limit,
                          int64_t value, const struct pto_tile *tile)
{
    unsigned bits = 8 * pto_dtype_size(tile->dtype);

    if (pto_dtype_is_float(tile->dtype) || !shape_has_work(c))
        return true;
    if (limit == PTO_LIMIT_DIVISOR && value == 0)
        return misfit_about(c, operand, NULL, "%s is 0: integer division by zero",
                            misfit_name(c, operand));
    if (limit == PTO_LIMIT_SHIFT && (value < 0 || value >= bits))
        return misfit_about(c, operand, NULL, "%s %lld is out of range: %s is shifted by 0 to %u",
                            misfit_name(c, operand), (long long)value, pto_dtype_name(tile->dtype),
                            bits - 1);
    return true;
}

static bool check_limit(const struct check *c, unsigned operand)
{
    enum pto_limit limit = c->info->operand[operand].rule;
    const struct pto_scalar *s = &c->site->insn->operand[operand].scalar;
    const struct pto_tile *tile = misfit_tile(c, limit == PTO_LIMIT_ELEMENT_OF_1 ? 1 : 0);
    int64_t value;

    if (limit == PTO_LIMIT_NONE || (s->kind != PTO_S_INT && s->kind != PTO_S_FLOAT))
        return true;
    switch (limit) {
    case PTO_LIMIT_ROUNDS:
        return s->i == 7 || s->i == 10 ||
               misfit_about(c, operand, NULL, "%lld rounds: 10 or 7 are possible", (long long)s->i);
    case PTO_LIMIT_RUN:
        return check_run(c, operand, s->i);
    case PTO_LIMIT_ADDRESS:
        return check_address(c, operand, s->i);
    default:
        return !tile || (check_element(c, operand, s, tile, &value) &&
                         check_integer(c, operand, limit, value, tile));
    }
}

/* ---- keywords and transfers ------------------------------------------------------------------ */

static enum pto_dtype first_type(const struct check *c)
{
    uint8_t dtypes[PTO_MAX_OPERANDS];

    pto_insn_types(c->site->kernel, c->site->core, c->site->insn, dtypes);
    return (enum pto_dtype)dtypes[0];
}

/* relu, atomic operations, another vector sub-core, and bytes that the elements of THISTOGRAM do
 * not have. */
static bool check_word(const struct check *c, unsigned operand)
{
    enum { SOURCE = 1 }; /* operand */
    const struct pto_operand_spec *spec = &c->info->operand[operand];
    const struct pto_tile *source = misfit_tile(c, SOURCE);
    uint32_t value = c->site->insn->operand[operand].value;

    if (spec->set == PTO_ENUM_RELU && value == PTO_RELU_RELU && source && source->space != PTO_L0C)
        return misfit_about(c, operand, "use TMAXS with 0",
                            "relu applies only to what leaves l0c, %s "
                            "lies in %s",
                            misfit_name(c, SOURCE), pto_space_name(source->space));
    if (spec->set == PTO_ENUM_ATOMIC && value != PTO_ATOMIC_NONE &&
        !pto_dtype_is_number(first_type(c)))
        return misfit_about(c, operand, NULL, "%s wants numbers, elements of %s are none",
                            pto_enum_keyword(PTO_ENUM_ATOMIC, (int)value),
                            pto_dtype_name(first_type(c)));
    if (spec->set == PTO_ENUM_VECTOR && value != PTO_VECTOR_FIRST && misfit_tile(c, 0) &&
        pto_spaces[misfit_tile(c, 0)->space].core != PTO_AIV)
        return misfit_about(c, operand, NULL,
                            "%s is for what goes to a vector sub-core, %s lies in %s",
                            pto_enum_keyword(PTO_ENUM_VECTOR, (int)value), misfit_name(c, 0),
                            pto_space_name(misfit_tile(c, 0)->space));
    if (spec->set == PTO_ENUM_BYTE && source && shape_has_work(c) &&
        value >= pto_dtype_size(source->dtype))
        return misfit_about(c, operand, NULL, "elements of %s have BYTE_%u to BYTE_0 only",
                            pto_dtype_name(source->dtype), pto_dtype_size(source->dtype) - 1);
    return true;
}

/* Fractals in the memory of vector sub-cores are moved between on-chip memories, printed and looked
 * at element by element; pipe V computes on rows or columns, and global memory has no fractals. */
static bool check_fractals(const struct check *c)
{
    bool moves = c->info->route == PTO_ON_PATH || c->info->class == PTO_ACCESS ||
                 c->info->class == PTO_SYNC;

    for (unsigned i = 0; i < c->site->insn->operands; i++)
        moves = moves && c->site->insn->operand[i].kind != PTO_O_GM;
    for (unsigned i = 0; !moves && i < c->site->insn->operands; i++) {
        const struct pto_tile *tile = misfit_tile(c, i);

        if (tile && tile->space == PTO_UB && !pto_layout_is_plain(tile->layout))
            return misfit_about(c, i, "TMOV it to a tile in nd, or view its bytes as one",
                                "%s is in %s, and in ub such tiles are only moved to others",
                                misfit_name(c, i), pto_layout_name(tile->layout));
    }
    return true;
}

/* Instructions that take the bytes of a tile in one piece. */
static bool check_pieces(const struct check *c)
{
    bool whole = c->site->insn->op == PTO_OP_TRESHAPE || c->site->insn->op == PTO_OP_TGATHERB;

    for (unsigned i = 0; whole && i < c->site->insn->operands; i++) {
        const struct pto_tile *tile = misfit_tile(c, i);

        if (tile && tile->pitch)
            return misfit_about(c, i, "TMOV it to a tile of its own",
                                "%s is a window with a pitch: its bytes are no piece of memory",
                                misfit_name(c, i));
    }
    return true;
}

/* A transfer changes the element type only on its way out of an accumulator. */
static bool check_cast(const struct check *c)
{
    enum { SOURCE = 1 };
    const struct pto_tile *source = misfit_tile(c, SOURCE);
    uint8_t dtypes[PTO_MAX_OPERANDS];

    if (c->info->class != PTO_TILE || c->info->cost != PTO_COST_MOVE || !source ||
        source->space == PTO_L0C)
        return true;
    pto_insn_types(c->site->kernel, c->site->core, c->site->insn, dtypes);
    if (dtypes[0] == dtypes[1])
        return true;
    return misfit_about(c, SOURCE, "convert with TCVT",
                        "a transfer changes the element type only from "
                        "f32 in l0c, not from %s in %s",
                        pto_dtype_name(dtypes[1]), pto_space_name(source->space));
}

/* The part of TIMG2COL's matrix, where all that says which is known; what is left out is 1. */
static bool check_img2col(const struct check *c)
{
    enum { DST, SRC };
    const struct pto_tile *src = misfit_tile(c, SRC);
    char text[PTO_MISFIT_TEXT];
    struct img2col g = {.dtype = 0};

    if (c->site->insn->op != PTO_OP_TIMG2COL)
        return true;
    for (int i = 0; i < IMG2COL_NUMBERS; i++) {
        const struct pto_operand *o = &c->site->insn->operand[IMG2COL_FIRST_OPERAND + i];

        if (o->kind != PTO_O_NONE && o->scalar.kind != PTO_S_INT)
            return true;
        g.number[i] = o->kind == PTO_O_NONE ? 1 : o->scalar.i;
    }
    for (unsigned i = DST; i <= SRC; i++)
        if (!c->side[i][0].known || !c->side[i][1].known)
            return true;
    g.dtype = src->dtype;
    g.layout = src->layout;
    g.tile_rows = src->rows;
    g.window = src->pitch != 0;
    g.rows = (uint32_t)c->side[SRC][0].value;
    g.cols = (uint32_t)c->side[SRC][1].value;
    g.dst_rows = (uint32_t)c->side[DST][0].value;
    g.dst_cols = (uint32_t)c->side[DST][1].value;
    return img2col_plan(&g, text, sizeof text) ||
           misfit_about(c, g.at_fault, NULL, "%s", text);
}

bool pto_operands_fit(const struct pto_site *site, struct pto_misfit *misfit)
{
    struct check c;
    const struct pto_operand *operand = site->insn->operand;

    misfit_begin(&c, site, misfit);
    shape_regions(&c);
    for (unsigned i = 0; i < c.info->operands && i < site->insn->operands; i++) {
        const struct pto_operand_spec *spec = &c.info->operand[i];
        bool region = spec->kind == PTO_K_TILE || spec->kind == PTO_K_GM;

        if (region ? !shape_check(&c, i)
                   : (operand[i].kind == PTO_O_SCALAR && spec->rule && !check_limit(&c, i)) ||
                         (operand[i].kind == PTO_O_ENUM && !check_word(&c, i)))
            return false;
    }
    return check_cast(&c) && check_fractals(&c) && check_pieces(&c) && check_img2col(&c);
}
