/* Rings (.fifo): slots in global memory that one kind of sub-core fills and the other empties.  A
 * ring is lowered to a .gm object with the slots of all blocks and, if each vector sub-core sees a
 * part of every slot, a view of it.  ring_code.c lowers what works on rings. */
#include "ring.h"

#include <inttypes.h>
#include <string.h>

#include "assembly.h"
#include "core_name.h"
#include "declare.h"
#include "expr.h"
#include "formula/value.h"
#include "parse.h"
#include "symbols.h"
#include "text/position.h"
#include "type.h"

enum { MAX_NAME = 240 /* the names made from it have at most ASM_MAX_NAME characters */ };

/* ---- .fifo ---- */

static bool shape(struct assembly *a, const struct asm_stmt *stmt, struct asm_ring *ring)
{
    const int64_t most = PTO_MAX_TILE_SIDE;
    int64_t rows, cols, slots;
    bool good;

    if (stmt->list->count != 2) {
        asm_error(a, stmt->name, "a slot of a ring has two dimensions, [rows, columns], not %u",
                  stmt->list->count);
        return false;
    }
    good = asm_constant_int(a, stmt->list->first, "the number of rows", 1, most, &rows);
    good &= asm_constant_int(a, stmt->list->last, "the number of columns", 1, most, &cols);
    good &= asm_constant_int(a, stmt->slots, "the number of slots", 1,
                             a->profile->cross_flag_limit, &slots);
    if (!good)
        return false;
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        ring->rows[kind] = (uint32_t)rows;
        ring->cols[kind] = (uint32_t)cols;
    }
    ring->slots = (uint32_t)slots;
    return true;
}

static bool direction(struct assembly *a, const struct asm_stmt *stmt, struct asm_ring *ring)
{
    bool from_cube = !strcmp(stmt->word->text, "c2v");

    ring->producer = from_cube ? PTO_AIC : PTO_AIV;
    if (from_cube || !strcmp(stmt->word->text, "v2c"))
        return true;
    asm_hint(a, asm_error(a, stmt->word, "'%s' is not a direction of rings", stmt->word->text),
             "expected c2v (cube to vector) or v2c (vector to cube)");
    return false;
}

/* Divide one side of a slot among the vector sub-cores of a block. */
static bool split(struct assembly *a, const struct asm_stmt *stmt, struct asm_ring *ring)
{
    const char *word = stmt->split ? stmt->split->text : "none";
    bool rows = !strcmp(word, "rows"), cols = !strcmp(word, "cols");
    uint32_t *side = rows ? &ring->rows[PTO_AIV] : &ring->cols[PTO_AIV];
    uint32_t parts = a->kernel->vectors_per_block;

    if (!rows && !cols && strcmp(word, "none")) {
        asm_hint(a, asm_error(a, stmt->split, "a ring cannot be split by '%s'", word),
                 "expected none, rows or cols");
        return false;
    }
    ring->split = (rows || cols) && parts > 1;
    if (!ring->split)
        return true;
    if (*side % parts) {
        asm_error(a, stmt->split, "%u %s cannot be divided among %u vector sub-cores", *side,
                  rows ? "rows" : "columns", parts);
        return false;
    }
    *side /= parts;
    return true;
}

static bool flags(struct assembly *a, const struct asm_stmt *stmt, struct asm_ring *ring)
{
    const struct asm_ring *other;

    if (!asm_constant_int(a, stmt->expr, "the first of the two flags of a ring", 0,
                          (int64_t)a->profile->cross_flags_user - 2, &ring->flags))
        return false;
    other = asm_ring_of_flag(a, ring->flags);
    if (!other)
        other = asm_ring_of_flag(a, ring->flags + 1);
    if (!other)
        return true;
    asm_error_expr(a, stmt->expr, "cross-core flags %" PRId64 " and %" PRId64 " overlap with those "
                   "of ring '%s'", ring->flags, ring->flags + 1, other->token->text);
    asm_note(a, other->token, "'%s' takes %" PRId64 " and %" PRId64, other->token->text,
             other->flags, other->flags + 1);
    return false;
}

/* The parts of the vector sub-cores: a view with one more dimension. */
static bool add_view(struct assembly *a, const struct asm_stmt *stmt, struct asm_ring *ring,
                     struct pto_object object)
{
    struct asm_token *name = pto_arena_alloc(&a->arena, sizeof *name);
    int64_t rows = ring->rows[PTO_AIV], cols = ring->cols[PTO_AIV];
    int64_t row_stride = ring->cols[PTO_AIC], slot_stride = row_stride * ring->rows[PTO_AIC];
    struct pto_scalar dim[] = {object.dim[0], object.dim[1],
                               asm_literal(a->kernel->vectors_per_block), asm_literal(rows),
                               asm_literal(cols)};
    struct pto_scalar stride[] = {asm_literal(slot_stride * ring->slots),
                                  asm_literal(slot_stride), asm_literal(cols),
                                  asm_literal(row_stride), asm_literal(1)};

    *name = *stmt->name;
    name->text = pto_arena_printf(&a->arena, "%s_part", stmt->name->text);
    object.kind = PTO_OBJ_VIEW;
    object.base = ring->object[PTO_AIC];
    object.offset = asm_literal(0);
    object.dims = sizeof dim / sizeof *dim;
    memcpy(object.dim, dim, sizeof dim);
    object.strided = cols != row_stride;
    if (object.strided)
        memcpy(object.stride, stride, sizeof stride);
    if (!asm_symbol_define(a, NS_PLAIN, SYM_OBJECT, name, a->kernel_section, a->kernel->objects))
        return false;
    ring->object[PTO_AIV] = asm_object_add(a, stmt->name, name->text, object);
    return ring->object[PTO_AIV] != PTO_NONE;
}

static bool add_objects(struct assembly *a, const struct asm_stmt *stmt, struct asm_ring *ring)
{
    int dtype = asm_dtype(a, stmt->type);
    struct pto_object object = {
        .kind = PTO_OBJ_GM, .dtype = (uint8_t)dtype, .base = PTO_NONE, .dims = 4,
        .dim = {{.kind = PTO_S_SYS, .reg = PTO_SYS_BLOCK_NUM}, asm_literal(ring->slots),
                asm_literal(ring->rows[PTO_AIC]), asm_literal(ring->cols[PTO_AIC])},
        .pos = text_position(&a->text, stmt->token)};

    if (dtype < 0)
        return false;
    ring->object[PTO_AIC] = asm_object_add(a, stmt->name, stmt->name->text, object);
    ring->object[PTO_AIV] = ring->object[PTO_AIC];
    return ring->object[PTO_AIC] != PTO_NONE && (!ring->split || add_view(a, stmt, ring, object));
}

void asm_ring_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct asm_ring ring = {.token = stmt->name};
    bool good;

    asm_params_close(a);
    if (strlen(stmt->name->text) > MAX_NAME)
        asm_error(a, stmt->name, "the name of a ring has at most %d characters", MAX_NAME);
    if (!asm_symbol_define(a, NS_PLAIN, SYM_RING, stmt->name, a->kernel_section, a->rings))
        return;
    good = shape(a, stmt, &ring);
    good &= direction(a, stmt, &ring);
    good &= flags(a, stmt, &ring);
    ring.wrong = !good || !split(a, stmt, &ring) || !add_objects(a, stmt, &ring);
    PTO_GROW(a->ring, a->rings, a->ring_capacity);
    a->ring[a->rings++] = ring;
}

const struct asm_ring *asm_ring_of_flag(const struct assembly *a, int64_t flag)
{
    for (uint32_t i = 0; i < a->rings; i++)
        if (!a->ring[i].wrong && (flag == a->ring[i].flags || flag == a->ring[i].flags + 1))
            return &a->ring[i];
    return NULL;
}

/* ---- the end of the kernel ---- */

void asm_rings_close(struct assembly *a)
{
    const struct pto_core_code *core = a->kernel->core;

    for (uint32_t i = 0; i < a->rings; i++) {
        const struct asm_ring *ring = &a->ring[i];
        const char *name = ring->token->text;
        bool filled = ring->used[ring->producer], emptied = ring->used[!ring->producer];

        if (ring->wrong || a->lost_core)
            continue;
        if (core[PTO_AIC].present != core[PTO_AIV].present)
            asm_error(a, ring->token, "ring '%s' lies between aic and aiv, but kernel '%s' has a "
                      "program for %s only", name, a->kernel->name,
                      pto_core_names[core[PTO_AIC].present ? PTO_AIC : PTO_AIV]);
        else if (!filled && !emptied && !a->diags->errors)
            asm_hint(a, asm_error(a, ring->token, "ring '%s' is never used", name),
                     "remove it, or declare it under the .if that its uses stand under");
        else if (filled != emptied && !a->diags->errors)
            asm_hint(a, asm_error(a, ring->token, "ring '%s' is %s, but never %s", name,
                                  filled ? "filled" : "emptied", filled ? "emptied" : "filled"),
                     "the program for %s has no %s",
                     pto_core_names[emptied ? ring->producer : !ring->producer],
                     filled ? "TPOP" : "TPUSH");
    }
    a->rings = 0;
}
