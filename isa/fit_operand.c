/* One operand by itself. */
#include <stdio.h>

#include "core_name.h"
#include "fit.h"
#include "fit_tile.h"

/* Where literals count without an end of their own. */
static const uint64_t no_end = INT64_MAX;
enum { BLOCK = 32 }; /* bytes: where tiles may begin */

bool pto_literal_fits(const struct pto_scalar *scalar, uint64_t most, const char *what,
                      const char *of, struct pto_misfit *misfit)
{
    long long value = scalar->i;

    if (scalar->kind != PTO_S_INT || (value >= 0 && (uint64_t)value <= most))
        return true;
    if (most == no_end)
        return misfit_in(misfit, 0, PTO_PART_ALL, "%s %lld is negative", what, value);
    return misfit_in(misfit, 0, PTO_PART_ALL, "%s %lld is outside of '%s' (0 to %llu)", what, value,
                     of, (unsigned long long)most);
}

static bool literal(const struct check *c, unsigned operand, unsigned part,
                    const struct pto_scalar *scalar, uint64_t most, const char *what,
                    const char *of)
{
    if (pto_literal_fits(scalar, most, what, of, c->misfit))
        return true;
    c->misfit->operand = operand;
    c->misfit->part = part;
    return false;
}

static bool extent(const struct check *c, unsigned operand, const struct pto_scalar *rows,
                   const struct pto_scalar *cols, const uint64_t most[2], const char *of)
{
    if ((rows->kind == PTO_S_NONE) != (cols->kind == PTO_S_NONE))
        return misfit_about(c, operand, NULL, "one half of the extent of '%s' is missing", of);
    return literal(c, operand, PTO_PART_ROWS, rows, most[0], "row count", of) &&
           literal(c, operand, PTO_PART_COLS, cols, most[1], "column count", of);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static const struct pto_operand_spec *spec_of(const struct check *c, unsigned operand)
{
    unsigned last = c->info->operands - 1u;

    return &c->info->operand[operand < last ? operand : last];
}

static bool check_space(const struct check *c, unsigned operand, const struct pto_tile *tile)
{
    const struct pto_operand_spec *spec = spec_of(c, operand);
    char list[PTO_MISFIT_TEXT] = "";
    size_t length = 0;

    if (spec->kind != PTO_K_TILE || spec->spaces >> tile->space & 1)
        return true;
    for (unsigned s = 0; s < PTO_SPACE_COUNT; s++)
        if (spec->spaces >> s & 1)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       length ? " or " : "", pto_space_name(s));
    return misfit_about(c, operand, NULL, "%s must lie in %s, '%s' lies in %s", spec->name, list,
                        tile->name, pto_space_name(tile->space));
}

/* A tile of another sub-core's memory is only sent to: from a tile of the program's own, by what
 * goes the way between the two. */
static bool check_sent(const struct check *c, unsigned operand, const struct pto_tile *tile)
{
    enum { TO, FROM }; /* operands */
    const struct pto_site *site = c->site;

    if (pto_spaces[tile->space].core == site->core_kind)
        return true;
    if (operand == TO && c->info->route == PTO_ON_PATH && c->info->operands > FROM &&
        c->info->operand[FROM].kind == PTO_K_TILE)
        return true;
    return misfit_about(c, operand,
                        "TMOV, TEXTRACT and TINSERT send there; the other program does the rest",
                        "'%s' lies in %s, the memory of %s: a program for %s can only send there",
                        tile->name, pto_space_name(tile->space),
                        pto_core_names[pto_spaces[tile->space].core],
                        pto_core_names[site->core_kind]);
}

/* (row, col), (byte), or nothing: what may stand here? */
static bool check_offset(const struct check *c, unsigned operand, const struct pto_tile_ref *ref,
                         const struct pto_tile *tile)
{
    const struct pto_operand_spec *spec = spec_of(c, operand);
    bool row = ref->row.kind != PTO_S_NONE, col = ref->col.kind != PTO_S_NONE;
    bool byte = ref->byte.kind != PTO_S_NONE;
    bool element = spec->kind == PTO_K_MEM;

    if (byte && tile->parent == PTO_NONE)
        return misfit_about(c, operand, NULL,
                            "a byte offset needs a tile that views another, '%s' does not",
                            tile->name);
    if (element && (row != col || row == byte || ref->rows.kind != PTO_S_NONE))
        return misfit_about(c, operand, NULL,
                            "an element of a tile is written %s[slot](row, column)", tile->name);
    if ((row || col) && (row != col || byte || !(element || spec->access & PTO_WINDOW)))
        return misfit_about(c, operand, NULL, "%s has no offset (row, column) here", spec->name);
    return true;
}

/* A byte offset keeps the tile inside the slot that it views, on blocks of 32 bytes. */
static bool check_byte(const struct check *c, unsigned operand, const struct pto_tile_ref *ref,
                       const struct pto_tile *tile)
{
    const struct pto_tile *parent;
    uint64_t end, size = pto_tile_bytes(tile);

    if (!literal(c, operand, PTO_PART_BYTE, &ref->byte, no_end, "byte offset", tile->name))
        return false;
    if (ref->byte.kind != PTO_S_INT || tile->parent < 0 || tile->parent >= (int32_t)ref->tile)
        return true; /* such a parent is refused where the tile stands */
    parent = &c->site->core->tile[tile->parent];
    end = parent->address + pto_tile_bytes(parent);
    if (tile->address + size > end)
        return true; /* so is a view that leaves its parent */
    if (ref->byte.i % BLOCK == 0 && tile->address + size + (uint64_t)ref->byte.i <= end) {
        if (pto_tile_lines_fit(tile, parent, (uint64_t)ref->byte.i))
            return true;
        misfit_about(c, operand, pto_tile_lines_rule(tile),
                     "byte offset %lld of tile '%s': its %s of %u elements would end in the next "
                     "ones of '%s'", (long long)ref->byte.i, tile->name, pto_tile_lines_name(tile),
                     pto_tile_line(tile), parent->name);
        c->misfit->part = PTO_PART_BYTE;
        return false;
    }
    misfit_about(c, operand, "byte offsets are multiples of 32 and stay inside the viewed tile",
                 "byte offset %lld of tile '%s' (%llu bytes in a slot of %llu)",
                 (long long)ref->byte.i, tile->name, (unsigned long long)size,
                 (unsigned long long)(end - tile->address));
    c->misfit->part = PTO_PART_BYTE;
    return false;
}

static bool check_tile(const struct check *c, unsigned operand, const struct pto_tile_ref *ref)
{
    const struct pto_tile *tile = &c->site->core->tile[ref->tile];
    const char *name = tile->name;

    return check_space(c, operand, tile) && check_sent(c, operand, tile) &&
           check_offset(c, operand, ref, tile) &&
           literal(c, operand, PTO_PART_SLOT, &ref->slot, tile->slots - 1u, "slot", name) &&
           literal(c, operand, PTO_PART_ROW, &ref->row, tile->rows - 1u, "row", name) &&
           literal(c, operand, PTO_PART_COL, &ref->col, tile->cols - 1u, "column", name) &&
           check_byte(c, operand, ref, tile) &&
           extent(c, operand, &ref->rows, &ref->cols, (uint64_t[]){tile->rows, tile->cols}, name);
}

/* ---- global objects and local arrays --------------------------------------------------------- */

/* The object whose bytes these are, through views. */
static const struct pto_object *root_of(const struct pto_kernel *kernel,
                                        const struct pto_object *object)
{
    /* A base comes earlier than its view, so the chain ends. */
    for (const struct pto_object *base; (base = misfit_base(kernel, object));)
        object = base;
    return object;
}

static bool is_of_signals(unsigned op)
{
    return op == PTO_OP_TNOTIFY || op == PTO_OP_TWAIT || op == PTO_OP_TTEST ||
           op == PTO_OP_TWAIT_ANY2 || op == PTO_OP_TWAIT_ANY3;
}

static bool check_object(const struct check *c, unsigned operand, const struct pto_gm_ref *ref,
                         const struct pto_object *object)
{
    const struct pto_object *root = root_of(c->site->kernel, object);
    bool symmetric = root->kind == PTO_OBJ_SYM || root->kind == PTO_OBJ_SIGNAL;
    unsigned op = c->site->insn->op;

    if (ref->rank.kind != PTO_S_NONE && !symmetric) {
        misfit_in(c->misfit, operand, PTO_PART_RANK,
                  "'%s' is not symmetric and exists on this rank only", object->name);
        return misfit_hint(c->misfit,
                           "only .sym and .signal objects, and views of them, take @rank");
    }
    if (is_of_signals(op) && !symmetric)
        return misfit_about(c, operand, NULL, "'%s' is neither .signal nor .sym", object->name);
    if (spec_of(c, operand)->access & PTO_WRITE && root->kind == PTO_OBJ_IN)
        return misfit_about(c, operand, "declare it .inout, or write to an .out or .gm object",
                            "the input '%s' cannot be written", root->name);
    return true;
}

static bool check_gm(const struct check *c, unsigned operand, const struct pto_gm_ref *ref)
{
    const struct pto_object *object = &c->site->kernel->object[ref->object];
    const char *name = object->name;

    if (!check_object(c, operand, ref, object))
        return false;
    if (ref->indices && ref->indices != object->dims)
        return misfit_about(c, operand, NULL, "'%s' has %u dimensions, but %u indices stand here",
                            name, object->dims, ref->indices);
    for (unsigned i = 0; i < ref->indices; i++)
        if (!literal(c, operand, PTO_PART_INDEX + i, &ref->index[i], no_end, "index", name))
            return false;
    return literal(c, operand, PTO_PART_RANK, &ref->rank, no_end, "rank", name) &&
           extent(c, operand, &ref->rows, &ref->cols, (uint64_t[]){no_end, no_end}, name);
}

static bool check_local(const struct check *c, unsigned operand, const struct pto_local_ref *ref)
{
    const struct pto_local *local = &c->site->core->local[ref->local];

    return literal(c, operand, PTO_PART_INDEX, &ref->index, local->count - 1u, "index",
                   local->name);
}

bool pto_operand_fits(const struct pto_site *site, unsigned operand, struct pto_misfit *misfit)
{
    const struct pto_operand *o = &site->insn->operand[operand];
    struct check c;

    misfit_begin(&c, site, misfit);
    if ((site->insn->op == PTO_OP_FETCH_ADD || site->insn->op == PTO_OP_DCCI_AT) &&
        spec_of(&c, operand)->kind == PTO_K_MEM && o->kind != PTO_O_GM)
        return misfit_about(&c, operand, NULL, "only an element of global memory is possible");
    switch (o->kind) {
    case PTO_O_TILE:
        return check_tile(&c, operand, &o->tile);
    case PTO_O_GM:
        return check_gm(&c, operand, &o->gm);
    case PTO_O_LOCAL:
        return check_local(&c, operand, &o->local);
    default:
        return true;
    }
}
