/* Operands: what an expression can be, and what it becomes in the instruction. */
#include "operand.h"

#include <string.h>

#include "assembly.h"
#include "call.h"
#include "code.h"
#include "expr.h"
#include "lost.h"
#include "fit.h"
#include "formula/value.h"
#include "parse.h"
#include "ring.h"
#include "ring_code.h"
#include "symbols.h"
#include "tile.h"

/* What a name stands for; PTO_NONE: nothing that is known. */
static int kind_of_name(struct assembly *a, const struct asm_expr *x)
{
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_PLAIN, x->token);

    return symbol ? (int)symbol->kind : PTO_NONE;
}

static bool fits_scalar(struct assembly *a, const struct asm_expr *x)
{
    int kind;

    if (x->kind != EX_REF)
        return x->kind != EX_STRING;
    kind = kind_of_name(a, x);
    return kind == PTO_NONE || kind == SYM_CONSTANT || kind == SYM_PARAM;
}

/* A name of one of these kinds, or an unknown one that is no function. */
static bool fits_name(struct assembly *a, const struct asm_expr *x, unsigned kinds)
{
    int kind;

    if (x->kind != EX_REF)
        return false;
    kind = kind_of_name(a, x);
    return kind == PTO_NONE ? !asm_is_function(x->token->text) : kinds >> kind & 1;
}

static unsigned kinds_of(enum pto_kind kind)
{
    if (kind == PTO_K_TILE)
        return 1 << SYM_TILE;
    if (kind == PTO_K_RING)
        return 1 << SYM_RING;
    return kind == PTO_K_GM ? 1 << SYM_OBJECT | 1 << SYM_RING
                            : 1 << SYM_TILE | 1 << SYM_OBJECT | 1 << SYM_LOCAL | 1 << SYM_RING;
}

bool asm_operand_fits(struct assembly *a, const struct pto_operand_spec *spec,
                      const struct asm_expr *x)
{
    if (!x->arrow != !(spec->access & PTO_ARROW))
        return false;
    switch (spec->kind) {
    case PTO_K_INT_REG:
    case PTO_K_FLOAT_REG:
    case PTO_K_ANY_REG:
        return x->kind == EX_REG;
    case PTO_K_TILE:
    case PTO_K_GM:
    case PTO_K_MEM:
        return fits_name(a, x, kinds_of(spec->kind));
    case PTO_K_RING:
        return formula_is_bare(x) && fits_name(a, x, kinds_of(spec->kind));
    case PTO_K_ENUM: /* a name that means something else is no misspelt keyword */
        return formula_is_bare(x) && (pto_enum_find(spec->set, x->token->text) >= 0 ||
                              (kind_of_name(a, x) == PTO_NONE && !asm_is_function(x->token->text)));
    case PTO_K_LABEL:
        return formula_is_bare(x);
    case PTO_K_STRING:
        return x->kind == EX_STRING;
    default:
        return fits_scalar(a, x);
    }
}

/* ---- explaining ---- */

static const char *expected_kind(const struct pto_operand_spec *spec)
{
    static const char *const names[] = {
        [PTO_K_INT] = "an integer",     [PTO_K_FLOAT] = "a float",
        [PTO_K_NUM] = "a number",       [PTO_K_INT_REG] = "a register",
        [PTO_K_FLOAT_REG] = "a register", [PTO_K_ANY_REG] = "a register",
        [PTO_K_TILE] = "a tile",        [PTO_K_GM] = "a global object",
        [PTO_K_MEM] = "an element of a tile, a global object or a local array",
        [PTO_K_ENUM] = "a keyword",     [PTO_K_LABEL] = "a label",
        [PTO_K_STRING] = "a string",    [PTO_K_REST] = "a number",
        [PTO_K_RING] = "the bare name of a ring (.fifo)",
    };

    return names[spec->kind];
}

static const char *found_kind(struct assembly *a, const struct asm_expr *x)
{
    int kind;

    if (x->kind == EX_STRING)
        return "a string";
    if (x->kind == EX_REG)
        return "a register";
    if (x->kind != EX_REF)
        return "a number";
    kind = kind_of_name(a, x);
    if (kind == PTO_NONE)
        return asm_is_function(x->token->text) ? "a number" : "a name";
    return asm_symbol_kind_name((enum asm_symbol_kind)kind);
}

static const char *article(const char *name)
{
    return strchr("aeiou", *name) ? "an" : "a";
}

static struct pto_diag *expected_keyword(struct assembly *a, const struct pto_operand_spec *spec,
                                         const struct asm_expr *x)
{
    enum { LIMIT = 64 };
    const char *candidate[LIMIT], *name = pto_enum_name(spec->set);
    struct pto_buf list = {0};
    unsigned count = 0;
    struct pto_diag *diag = asm_error_expr(a, x, "'%s' is not %s %s", x->token->text,
                                           article(name), name);

    for (int value = 0; value < LIMIT; value++) {
        const char *keyword = pto_enum_keyword(spec->set, value);

        if (!keyword)
            continue;
        candidate[count++] = keyword;
        pto_buf_printf(&list, " %s", keyword);
    }
    if (!asm_hint_nearest(a, diag, x->token->text, candidate, count))
        asm_hint(a, diag, "expected one of%s", pto_buf_text(&list));
    pto_buf_free(&list);
    return diag;
}

struct pto_diag *asm_operand_expected(struct assembly *a, const struct pto_operand_spec *spec,
                                      const struct asm_expr *x)
{
    if (spec->kind == PTO_K_ENUM && formula_is_bare(x))
        return expected_keyword(a, spec, x);
    if (spec->kind == PTO_K_ENUM)
        return asm_error_expr(a, x, "expected %s %s here, this is %s",
                              article(pto_enum_name(spec->set)), pto_enum_name(spec->set),
                              found_kind(a, x));
    return asm_error_expr(a, x, "operand '%s' must be %s, this is %s", spec->name,
                          expected_kind(spec), found_kind(a, x));
}

static void unknown_operand(struct assembly *a, const struct pto_operand_spec *spec,
                            const struct asm_expr *x)
{
    static const char *const what[] = {[PTO_K_TILE] = "tile", [PTO_K_GM] = "global object",
                                       [PTO_K_MEM] = "tile, global object or local array",
                                       [PTO_K_RING] = "ring"};

    if (asm_lost_before(a, NS_PLAIN, x->token))
        return;
    asm_symbol_hint(a, asm_error(a, x->token, "there is no %s '%s' here", what[spec->kind],
                                 x->token->text),
                    NS_PLAIN, kinds_of(spec->kind), x->token->text);
}

/* ---- parts of operands ---- */

static bool part(struct assembly *a, const struct asm_expr *x, struct pto_scalar *scalar)
{
    struct asm_value value;

    if (!asm_eval_int(a, x, &value))
        return false;
    *scalar = value.scalar;
    return true;
}

/* {rows, cols} */
static bool extent(struct assembly *a, const struct asm_expr *x, const struct asm_list *list,
                   struct pto_scalar *rows, struct pto_scalar *cols)
{
    bool good;

    if (!list)
        return true;
    if (list->count != 2) {
        asm_error_expr(a, x, "an extent is {rows, columns}, not %u of them", list->count);
        return false;
    }
    good = part(a, list->first, rows);
    good &= part(a, list->last, cols);
    return good;
}

static bool tile_offset(struct assembly *a, const struct asm_expr *x, const struct pto_tile *tile,
                        struct pto_tile_ref *ref)
{
    const struct asm_list *list = x->paren;
    bool good;

    if (!list)
        return true;
    if (list->count == 1 && tile->parent != PTO_NONE)
        return part(a, list->first, &ref->byte);
    if (list->count != 2) {
        asm_hint(a, asm_error_expr(a, x, "an offset is (row, column), not %u of them",
                                   list->count),
                 "(byte) belongs to tiles declared as a view, 'of' another one");
        return false;
    }
    good = part(a, list->first, &ref->row);
    good &= part(a, list->last, &ref->col);
    return good;
}

static bool no_rank(struct assembly *a, const struct asm_expr *x, const char *what)
{
    if (!x->rank)
        return true;
    asm_hint(a, asm_error_expr(a, x, "'%s' is %s and exists on this rank only", x->token->text,
                               what),
             "only .sym and .signal objects, and views of them, take @rank");
    return false;
}

/* ---- operands by what the name is ---- */

static bool lower_tile(struct assembly *a, const struct asm_expr *x, uint32_t index,
                       struct pto_operand *out)
{
    const struct pto_tile *tile = &a->core->tile[index];
    struct pto_tile_ref *ref = &out->tile;

    *out = (struct pto_operand){.kind = PTO_O_TILE, .tile = {.tile = (uint16_t)index}};
    if (!no_rank(a, x, "a tile"))
        return false;
    if (x->index && x->index->count != 1) {
        asm_hint(a, asm_error_expr(a, x, "a tile is indexed by one slot, not by %u values",
                                   x->index->count),
                 "elements of a tile are written %s[slot](row, column)", x->token->text);
        return false;
    }
    if (x->index && !part(a, x->index->first, &ref->slot))
        return false;
    return tile_offset(a, x, tile, ref) &&
           extent(a, x, x->brace ? x->brace : asm_ordered_extent(a), &ref->rows, &ref->cols);
}

static bool lower_object(struct assembly *a, const struct asm_expr *x, uint32_t index,
                         struct pto_operand *out)
{
    const struct pto_object *object = &a->kernel->object[index];
    struct pto_scalar *place = out->gm.index;

    *out = (struct pto_operand){.kind = PTO_O_GM, .gm = {.object = (uint16_t)index}};
    if (x->paren) {
        asm_error_expr(a, x, "global objects are indexed with [...]; (row, column) is for tiles");
        return false;
    }
    if (x->rank && !part(a, x->rank, &out->gm.rank))
        return false;
    if (x->index && x->index->count != object->dims) {
        asm_error_expr(a, x, "'%s' has %u dimension%s, but %u %s given", x->token->text,
                       object->dims, object->dims == 1 ? "" : "s", x->index->count,
                       x->index->count == 1 ? "index is" : "indices are");
        return false;
    }
    for (const struct asm_expr *i = x->index ? x->index->first : NULL; i; i = i->next)
        if (!part(a, i, place++))
            return false;
    out->gm.indices = x->index ? object->dims : 0;
    return extent(a, x, x->brace, &out->gm.rows, &out->gm.cols);
}

/* A literal inside of the slot of a ring, whose shape the instruction does not show. */
static bool in_slot(struct assembly *a, const struct asm_expr *x, const struct pto_scalar *scalar,
                    int64_t most, const char *what, const char *ring)
{
    struct pto_misfit misfit;

    if (pto_literal_fits(scalar, (uint64_t)most, what, ring, &misfit))
        return true;
    asm_error_expr(a, x, "%s", misfit.text);
    return false;
}

/* ring[row, column]{rows, columns}: of the slot that was taken last */
static bool lower_ring(struct assembly *a, const struct asm_expr *x, const struct asm_ring *ring,
                       struct pto_operand *out)
{
    int64_t rows = ring->rows[a->core_kind], cols = ring->cols[a->core_kind];
    struct pto_gm_ref *ref = &out->gm;
    struct pto_scalar place[2] = {{.kind = PTO_S_INT}, {.kind = PTO_S_INT}};

    *out = (struct pto_operand){.kind = PTO_O_GM};
    if (ring->wrong || !no_rank(a, x, "a ring") || !asm_ring_slot(a, x, ring, ref))
        return false;
    if (x->paren || (x->index && x->index->count != 2)) {
        asm_error_expr(a, x, "a slot of a ring is written %s[row, column]{rows, columns}",
                       x->token->text);
        return false;
    }
    if (x->index && (!part(a, x->index->first, &place[0]) || !part(a, x->index->last, &place[1])))
        return false;
    ref->index[ref->indices++] = place[0];
    ref->index[ref->indices++] = place[1];
    if (x->index && (!in_slot(a, x->index->first, &place[0], rows - 1, "row", x->token->text) ||
                     !in_slot(a, x->index->last, &place[1], cols - 1, "column", x->token->text)))
        return false;
    return extent(a, x, x->brace, &ref->rows, &ref->cols) &&
           (!x->brace ||
            (in_slot(a, x->brace->first, &ref->rows, rows, "row count", x->token->text) &&
             in_slot(a, x->brace->last, &ref->cols, cols, "column count", x->token->text)));
}

static bool lower_local(struct assembly *a, const struct asm_expr *x, uint32_t index,
                        struct pto_operand *out)
{
    *out = (struct pto_operand){.kind = PTO_O_LOCAL, .local = {.local = (uint16_t)index}};
    if (!x->index || x->index->count != 1 || x->paren || x->brace || x->rank) {
        asm_error_expr(a, x, "an element of a local array is written %s[index]", x->token->text);
        return false;
    }
    return part(a, x->index->first, &out->local.index);
}

static bool lower_name(struct assembly *a, const struct pto_operand_spec *spec,
                       const struct asm_expr *x, struct pto_operand *out)
{
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_PLAIN, x->token);

    if (!symbol) {
        unknown_operand(a, spec, x);
        return false;
    }
    if (symbol->kind == SYM_TILE)
        return !a->tile_note[symbol->index].wrong &&
               lower_tile(a, x, symbol->index, out);
    if (symbol->kind == SYM_LOCAL)
        return lower_local(a, x, symbol->index, out);
    if (symbol->kind == SYM_RING)
        return lower_ring(a, x, &a->ring[symbol->index], out);
    return lower_object(a, x, symbol->index, out);
}

static bool lower_scalar(struct assembly *a, const struct pto_operand_spec *spec,
                         const struct asm_expr *x, struct pto_operand *out)
{
    struct asm_value value;

    if (!(spec->kind == PTO_K_INT ? asm_eval_int(a, x, &value) : asm_eval(a, x, &value)))
        return false;
    if (spec->kind == PTO_K_FLOAT && !formula_to_float(&a->formula, x, &value))
        return false;
    *out = (struct pto_operand){.kind = PTO_O_SCALAR, .scalar = value.scalar};
    return true;
}

bool asm_operand_lower(struct assembly *a, const struct pto_operand_spec *spec,
                       const struct asm_expr *x, struct pto_operand *out)
{
    int value;

    switch (spec->kind) {
    case PTO_K_TILE:
    case PTO_K_GM:
    case PTO_K_MEM:
    case PTO_K_RING:
        return lower_name(a, spec, x, out);
    case PTO_K_ENUM:
        value = pto_enum_find(spec->set, x->token->text);
        if (value < 0)
            asm_operand_expected(a, spec, x);
        *out = (struct pto_operand){.kind = PTO_O_ENUM, .value = (uint32_t)value};
        return value >= 0;
    case PTO_K_LABEL:
        *out = (struct pto_operand){.kind = PTO_O_LABEL,
                                    .value = asm_target_named(a, x->token)};
        return true;
    case PTO_K_STRING:
        *out = (struct pto_operand){.kind = PTO_O_STRING,
                                    .text = pto_arena_strdup(&a->module->arena, x->token->text)};
        return true;
    default:
        return lower_scalar(a, spec, x, out);
    }
}
