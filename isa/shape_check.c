/* Valid regions against the shapes of their row. */
#include "shape_check.h"

#include <stdio.h>

#include "shape.h"

static const struct number unknown = {false, 0};

static struct number number(uint64_t value)
{
    return (struct number){true, value};
}

/* ---- valid regions --------------------------------------------------------------------------- */

/* Half of an extent as it is written; *given: something is. */
static struct number written(const struct check *c, unsigned operand, unsigned axis, bool *given)
{
    const struct pto_operand *o = &c->site->insn->operand[operand];
    const struct pto_scalar *half = NULL;

    if (o->kind == PTO_O_TILE)
        half = axis ? &o->tile.cols : &o->tile.rows;
    else if (o->kind == PTO_O_GM)
        half = axis ? &o->gm.cols : &o->gm.rows;
    *given = half && half->kind != PTO_S_NONE;
    return *given && half->kind == PTO_S_INT ? number((uint64_t)half->i) : unknown;
}

/* The tile and the window of a transfer lend each other their extent; so does the source of
 * TINSERT and its like to the window that it fills.  -1: nobody does. */
static int lender(const struct check *c, unsigned operand)
{
    int tile = -1, gm = -1;

    if (c->info->class != PTO_TILE || c->info->cost != PTO_COST_MOVE)
        return -1;
    for (unsigned i = c->info->operands; i-- > 0;) {
        if (c->site->insn->operand[i].kind == PTO_O_TILE)
            tile = (int)i;
        else if (c->site->insn->operand[i].kind == PTO_O_GM)
            gm = (int)i;
    }
    if (gm >= 0 && ((int)operand == tile || (int)operand == gm))
        return (int)operand == tile ? gm : tile;
    return operand == 0 && c->info->operand[0].access & PTO_WINDOW ? 1 : -1;
}

/* `other`: the lender, or -1 */
static struct number region_side(const struct check *c, unsigned operand, int other, unsigned axis)
{
    const struct pto_tile *tile = misfit_tile(c, operand);
    bool given;
    struct number side = written(c, operand, axis, &given);

    if (!given && other >= 0) {
        side = written(c, (unsigned)other, axis, &given);
        if (!given && (tile = misfit_tile(c, (unsigned)other)) == NULL)
            tile = misfit_tile(c, operand);
    }
    if (given)
        return side;
    return tile ? number(axis ? tile->cols : tile->rows) : unknown;
}

void shape_regions(struct check *c)
{
    const struct pto_insn *insn = c->site->insn;

    for (unsigned i = 0; i <= c->info->operands && i < PTO_MAX_OPERANDS; i++) {
        bool region = i < insn->operands && i < c->info->operands &&
                      (insn->operand[i].kind == PTO_O_TILE || insn->operand[i].kind == PTO_O_GM);
        int other = region ? lender(c, i) : -1;

        for (unsigned axis = 0; axis < 2; axis++)
            c->side[i][axis] = region ? region_side(c, i, other, axis) : unknown;
    }
}

bool shape_has_work(const struct check *c)
{
    for (unsigned i = 0; i < c->info->operands; i++) {
        if (!misfit_tile(c, i) || c->info->operand[i].access & PTO_SCRATCH)
            continue;
        for (unsigned axis = 0; axis < 2; axis++)
            if (!c->side[i][axis].known || !c->side[i][axis].value)
                return false;
    }
    return true;
}

/* ---- measures -------------------------------------------------------------------------------- */

static struct number larger(struct number a, struct number b)
{
    return a.known && b.known ? number(a.value > b.value ? a.value : b.value) : unknown;
}

static struct number measured(const struct check *c, unsigned operand, enum pto_measure measure)
{
    const struct number *side = c->side[operand], *next = c->side[operand + 1];
    const struct pto_tile *tile = misfit_tile(c, operand);

    switch (measure) {
    case PTO_NUMBER:
        return number(1);
    case PTO_ROWS:
        return side[0];
    case PTO_COLS:
        return side[1];
    case PTO_SOME_ROWS:
        return side[0].known ? number(side[0].value > 0) : unknown;
    case PTO_SOME_COLS:
        return side[1].known ? number(side[1].value > 0) : unknown;
    case PTO_DECLARED_ROWS:
        return tile ? number(tile->rows) : unknown;
    case PTO_DECLARED_COLS:
        return tile ? number(tile->cols) : unknown;
    case PTO_LARGER_ROWS:
        return larger(side[0], next[0]);
    case PTO_LARGER_COLS:
        return larger(side[1], next[1]);
    case PTO_SUM_COLS:
        return side[1].known && next[1].known ? number(side[1].value + next[1].value) : unknown;
    default:
        if (!tile || !side[1].known || (measure == PTO_BYTES && !side[0].known))
            return unknown;
        return number(shape_of_columns(tile->dtype, measure, side[0].value, side[1].value));
    }
}

/* "1 valid row", "3 valid rows" */
static const char *counted(char *text, size_t room, enum pto_measure measure, uint64_t count)
{
    static const char *const words[][2] = {[PTO_ROWS] = {"valid row", ""},
                                           [PTO_COLS] = {"valid column", ""},
                                           [PTO_DECLARED_ROWS] = {"row", ""},
                                           [PTO_DECLARED_COLS] = {"column", ""},
                                           [PTO_BYTES] = {"valid byte", ""},
                                           [PTO_ROW_BYTES] = {"valid byte", " in a row"},
                                           [PTO_GROUPS] = {"group", " of 32 elements in a row"},
                                           [PTO_VALUES] = {"valid number", " in a row"}};

    snprintf(text, room, "%llu %s%s%s", (unsigned long long)count, words[measure][0],
             count == 1 ? "" : "s", words[measure][1]);
    return text;
}

/* ---- needs of a region ----------------------------------------------------------------------- */

/* A number that stands in the table: {rows, 1}, {1, cols}. */
static void hint_number(const struct check *c, unsigned operand, unsigned axis, uint64_t wanted)
{
    const struct number *other = &c->side[operand][!axis];

    if (!other->known)
        return;
    snprintf(c->misfit->hint, PTO_MISFIT_TEXT, "give %s the extent {%llu, %llu}",
             misfit_name(c, operand), (unsigned long long)(axis ? other->value : wanted),
             (unsigned long long)(axis ? wanted : other->value));
}

/* The own count is not what is wanted. */
static bool refuse(const struct check *c, unsigned operand, unsigned axis, const struct need *need,
                   uint64_t own, uint64_t wanted)
{
    const char *name = misfit_name(c, operand), *other = misfit_name(c, need->operand), *both = "";
    bool pair = need->other == PTO_LARGER_ROWS || need->other == PTO_LARGER_COLS ||
                need->other == PTO_SUM_COLS;
    unsigned long long limit = wanted;
    char count[80];

    counted(count, sizeof count, need->own, own);
    if (pair)
        both = misfit_name(c, need->operand + 1u);
    if (need->relation == PTO_MULTIPLE)
        return misfit_about(c, operand, NULL, "%s has %s, a multiple of %llu is needed", name,
                            count, limit);
    if (need->other == PTO_NUMBER) {
        misfit_about(c, operand, NULL, "%s has %s, %s%llu %s", name, count,
                     need->relation == PTO_AT_LEAST  ? "at least "
                     : need->relation == PTO_AT_MOST ? "at most "
                                                     : "exactly ",
                     limit, need->relation == PTO_AT_MOST ? "can be used" : "must be there");
        if (need->own == PTO_ROWS || need->own == PTO_COLS)
            hint_number(c, operand, axis, wanted);
        return false;
    }
    if (need->relation == PTO_AT_MOST)
        return misfit_about(c, operand, NULL, "%s has %s, %s has room for %llu", name, count, other,
                            limit);
    misfit_about(c, operand, NULL, "%s has %s, %s%s%s %s%s %llu", name, count, other,
                 pair ? " and " : "", both, pair ? "need" : "needs",
                 need->relation == PTO_EXACTLY ? " exactly" : "", limit);
    if (need->relation == PTO_AT_LEAST &&
        (need->own == PTO_ROWS || need->own == PTO_COLS || need->own == PTO_VALUES))
        snprintf(c->misfit->hint, PTO_MISFIT_TEXT, "extend %s or shrink %s", name, other);
    else if (need->own == PTO_DECLARED_ROWS || need->own == PTO_DECLARED_COLS)
        snprintf(c->misfit->hint, PTO_MISFIT_TEXT, "the declared shapes count, not the extents");
    return false;
}

/* A window of `size` rows or columns at the operand's offset, which may be left out. */
static bool check_window(const struct check *c, unsigned operand, unsigned axis, uint64_t declared,
                         uint64_t size)
{
    const struct pto_tile_ref *ref = &c->site->insn->operand[operand].tile;
    const struct pto_scalar *offset = axis ? &ref->col : &ref->row;
    int64_t first = offset->kind == PTO_S_INT ? offset->i : 0;
    const char *sides = axis ? "columns" : "rows", *side = axis ? "column" : "row";

    if ((offset->kind != PTO_S_INT && offset->kind != PTO_S_NONE) ||
        (uint64_t)first + size <= declared)
        return true;
    return misfit_about(c, operand, NULL,
                        "a window of %llu %s from %s %lld on ends outside %s, which "
                        "has %llu",
                        (unsigned long long)size, sides, side, (long long)first,
                        misfit_name(c, operand), (unsigned long long)declared);
}

static bool check_scratch(const struct check *c, unsigned operand, uint64_t count, uint64_t block)
{
    if (c->site->insn->operand[operand].kind != PTO_O_NONE || count % block == 0)
        return true;
    return misfit_about(c, operand, NULL,
                        "%llu columns are no multiple of %llu: the last block needs "
                        "the scratch operand %s",
                        (unsigned long long)count, (unsigned long long)block,
                        misfit_name(c, operand));
}

/* Of two sources the second is expanded along the rows of the first, or else the first. */
static bool check_beside(const struct check *c, unsigned first, unsigned second)
{
    const struct pto_tile *tile[] = {misfit_tile(c, first), misfit_tile(c, second)};
    const struct number *cols[] = {&c->side[first][1], &c->side[second][1]}, *all = &c->side[0][1];
    bool covers[2], expands[2];

    for (unsigned i = 0; i < 2; i++) {
        if (!tile[i] || !cols[i]->known || !all->known)
            return true;
        covers[i] = cols[i]->value >= all->value;
        expands[i] = shape_expands(tile[i]->dtype, tile[i]->layout, cols[i]->value);
    }
    if (!all->value || (covers[0] && expands[1]) || (covers[1] && expands[0]))
        return true;
    if (!covers[0] && !covers[1])
        return misfit_about(c, first, NULL, "%s and %s have %llu and %llu valid columns, %s needs "
                            "%llu", misfit_name(c, first), misfit_name(c, second),
                            (unsigned long long)cols[0]->value, (unsigned long long)cols[1]->value,
                            misfit_name(c, 0), (unsigned long long)all->value);
    return misfit_about(c, covers[0] ? second : first, "name the extent {rows, 1}",
                        "%s has %llu valid columns: what is expanded has 1 or, in nd, 32 bytes",
                        misfit_name(c, covers[0] ? second : first),
                        (unsigned long long)cols[covers[0]]->value);
}

static bool check_need(const struct check *c, unsigned operand, unsigned axis,
                       const struct need *need)
{
    struct number own, other;
    uint64_t wanted;
    bool good;

    if (need->relation == PTO_ANY)
        return true;
    if (need->relation == PTO_BESIDE)
        return operand > need->operand || check_beside(c, operand, need->operand);
    own = measured(c, operand, need->own);
    other = measured(c, need->operand, need->other);
    if (!other.known || !own.known)
        return true;
    if (need->relation == PTO_UNLESS_MULTIPLE)
        return check_scratch(c, operand, other.value, need->times);
    if (c->site->insn->operand[operand].kind == PTO_O_NONE)
        return true;
    if (need->relation == PTO_FITS)
        return check_window(c, operand, axis, own.value, other.value);
    wanted = other.value * need->times;
    good = need->relation == PTO_AT_LEAST  ? own.value >= wanted
           : need->relation == PTO_AT_MOST ? own.value <= wanted
           : need->relation == PTO_EXACTLY ? own.value == wanted
                                           : own.value % wanted == 0;
    return good || refuse(c, operand, axis, need, own.value, wanted);
}

/* ---- conditions on a whole operand ----------------------------------------------------------- */

static bool check_entire(const struct check *c, unsigned operand)
{
    const struct pto_tile_ref *ref = &c->site->insn->operand[operand].tile;
    const struct pto_tile *tile = misfit_tile(c, operand);

    if (tile->parent != PTO_NONE)
        return misfit_about(c, operand, "name the tile that it views",
                            "'%s' views the bytes of '%s'", tile->name,
                            c->site->core->tile[tile->parent].name);
    if (ref->slot.kind == PTO_S_NONE && ref->rows.kind == PTO_S_NONE &&
        ref->byte.kind == PTO_S_NONE && ref->row.kind == PTO_S_NONE)
        return true;
    return misfit_about(c, operand, NULL, "it takes a tile without slot, offset and extent: '%s'",
                        tile->name);
}

static bool check_conditions(const struct check *c, unsigned operand, unsigned conditions)
{
    const struct pto_tile *tile = misfit_tile(c, operand);
    bool given;

    if (conditions & PTO_SHAPE_ND && tile && tile->layout != PTO_ND)
        return misfit_about(c, operand, NULL, "%s is in %s, it must be in nd",
                            misfit_name(c, operand), pto_layout_name(tile->layout));
    if (conditions & PTO_SHAPE_BARE && (written(c, operand, 0, &given), given))
        return misfit_about(c, operand, "name the extent of one rank's part at the other operand",
                            "%s is split between the ranks and takes no extent",
                            misfit_name(c, operand));
    return !(conditions & PTO_SHAPE_ENTIRE) || check_entire(c, operand);
}

bool shape_check(const struct check *c, unsigned operand)
{
    const struct shape *shape = &pto_shapes[c->info->operand[operand].rule];
    const struct pto_tile *tile = misfit_tile(c, operand);

    if (!check_conditions(c, operand, shape->conditions))
        return false;
    /* An extent that the other side of a transfer lends. */
    for (unsigned axis = 0; tile && axis < 2; axis++) {
        const struct number *side = &c->side[operand][axis];
        uint32_t declared = axis ? tile->cols : tile->rows;

        if (side->known && side->value > declared)
            return misfit_about(c, operand, NULL, "the window has %llu %s, '%s' has only %u",
                                (unsigned long long)side->value, axis ? "columns" : "rows",
                                tile->name, declared);
    }
    if (shape->conditions & PTO_SHAPE_WORK && !shape_has_work(c))
        return true;
    return check_need(c, operand, 0, &shape->need[0]) && check_need(c, operand, 1, &shape->need[1]);
}

