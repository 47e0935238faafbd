/* Tiles and local arrays. */
#include "tile.h"

#include <inttypes.h>
#include <string.h>

#include "assembly.h"
#include "core_name.h"
#include "expr.h"
#include "fit_tile.h"
#include "lost.h"
#include "parse.h"
#include "symbols.h"
#include "text/position.h"
#include "type.h"

enum { MAX_SLOTS = 65536 };

enum { MAX_LOCAL = 1 << 20, GRANULE = 32 };

/* The words of a declaration, each at most once. */
struct words {
    int space, dtype, layout; /* -1: not given */
};

static void unknown_word(struct assembly *a, const struct asm_token *word)
{
    const char *candidate[PTO_SPACE_COUNT + PTO_DTYPE_COUNT + PTO_LAYOUT_COUNT];
    struct pto_diag *diag = asm_error(a, word, "'%s' is neither a memory, an element type nor a "
                                      "layout", word->text);
    unsigned count = 0;

    for (unsigned i = 0; i < PTO_SPACE_COUNT; i++)
        candidate[count++] = pto_space_name(i);
    for (unsigned i = 0; i < PTO_DTYPE_COUNT; i++)
        candidate[count++] = pto_dtype_name(i);
    for (unsigned i = 0; i < PTO_LAYOUT_COUNT; i++)
        candidate[count++] = pto_layout_name(i);
    if (!asm_hint_nearest(a, diag, word->text, candidate, count) &&
        !asm_symbol_hint(a, diag, NS_PLAIN, 1 << SYM_TYPE, word->text))
        asm_hint(a, diag, "memories:%s; layouts:%s", pto_space_words, pto_layout_words);
}

static bool take_word(struct assembly *a, const struct asm_token *word, struct words *words)
{
    int found[3] = {pto_space_find(word->text), PTO_NONE, pto_layout_find(word->text)};
    int *slot[3] = {&words->space, &words->dtype, &words->layout};

    if (found[0] < 0 && found[2] < 0)
        found[1] = asm_type_find(a, word);
    for (unsigned i = 0; i < 3; i++) {
        if (found[i] < 0)
            continue;
        if (*slot[i] >= 0) {
            asm_error(a, word, "'%s' is one too many: a tile has one memory, one type, one layout",
                      word->text);
            return false;
        }
        *slot[i] = found[i];
        return true;
    }
    unknown_word(a, word);
    return false;
}

/* ---- what isa/fit_tile.h says, and where ---- */

/* An error at a part of the declaration; parts that are not written are those of the name. */
static void refuse(struct assembly *a, const struct asm_stmt *stmt,
                   const struct pto_misfit *misfit)
{
    const struct asm_expr *x = misfit->part == PTO_PART_ADDRESS  ? stmt->address
                               : misfit->part == PTO_PART_STRIDE ? stmt->stride
                               : misfit->part == PTO_PART_PITCH   ? stmt->pitch
                               : misfit->part == PTO_PART_SLOT   ? stmt->slots
                               : misfit->part == PTO_PART_SHAPE  ? stmt->list->first : NULL;
    const struct asm_token *word = misfit->part == PTO_PART_LAYOUT ? stmt->word : NULL;
    struct pto_diag *diag =
        x ? asm_error_expr(a, x, "tile '%s': %s", stmt->name->text, misfit->text)
          : asm_error(a, word ? word : stmt->name, "tile '%s': %s", stmt->name->text, misfit->text);

    if (*misfit->hint)
        asm_hint(a, diag, "%s", misfit->hint);
}

static bool check_tile(struct assembly *a, const struct asm_stmt *stmt,
                       const struct pto_tile *tile)
{
    struct pto_misfit misfit;

    if (pto_tile_fits(a->profile, a->core_kind, tile, &misfit))
        return true;
    refuse(a, stmt, &misfit);
    return false;
}

bool asm_tile_place(struct assembly *a, const struct asm_stmt *stmt, const struct pto_tile *tile)
{
    struct pto_misfit misfit;

    if (pto_tile_place_fits(a->profile, a->core, tile, &misfit))
        return true;
    refuse(a, stmt, &misfit);
    return false;
}

/* ---- tiles ---- */

static bool shape(struct assembly *a, const struct asm_stmt *stmt, struct pto_tile *tile)
{
    const int64_t most = PTO_MAX_TILE_SIDE;
    int64_t rows, cols;
    bool good;

    if (stmt->list->count != 2) {
        asm_error(a, stmt->name, "a tile has two dimensions, [rows, columns], not %u",
                  stmt->list->count);
        return false;
    }
    good = asm_constant_int(a, stmt->list->first, "the number of rows", 1, most, &rows);
    good &= asm_constant_int(a, stmt->list->last, "the number of columns", 1, most, &cols);
    if (!good)
        return false;
    tile->rows = (uint32_t)rows;
    tile->cols = (uint32_t)cols;
    return true;
}

static const struct asm_symbol *find_parent(struct assembly *a, const struct asm_stmt *stmt)
{
    const struct asm_symbol *symbol = asm_symbol_find(a, NS_PLAIN, stmt->parent);

    if (symbol && symbol->kind == SYM_TILE) /* views of wrong tiles are not reported again */
        return a->tile_note[symbol->index].wrong ? NULL : symbol;
    if (asm_lost_before(a, NS_PLAIN, stmt->parent))
        return NULL;
    asm_symbol_hint(a, asm_error(a, stmt->parent, "there is no tile '%s' here",
                                 stmt->parent->text),
                    NS_PLAIN, 1 << SYM_TILE, stmt->parent->text);
    return NULL;
}

/* Space and type, from the words or from the tile that is viewed. */
static bool kind_of_tile(struct assembly *a, const struct asm_stmt *stmt, struct pto_tile *tile)
{
    struct words words = {-1, -1, -1};
    const struct asm_symbol *parent = stmt->parent ? find_parent(a, stmt) : NULL;
    bool good = !stmt->parent || parent;

    for (unsigned i = 0; i < 2 && stmt->words[i]; i++)
        good &= take_word(a, stmt->words[i], &words);
    if (stmt->word)
        good &= take_word(a, stmt->word, &words);
    if (!good)
        return false;
    tile->parent = parent ? (int32_t)parent->index : PTO_NONE;
    if (parent && words.space >= 0 && words.space != a->core->tile[parent->index].space) {
        asm_error(a, stmt->words[0], "'%s' lies in %s", stmt->parent->text,
                  pto_space_name(a->core->tile[parent->index].space));
        return false;
    }
    if (parent)
        words.space = a->core->tile[parent->index].space;
    if (words.dtype < 0 || words.space < 0) {
        asm_hint(a, asm_error(a, stmt->words[0], "this tile has no %s",
                              words.dtype < 0 ? "element type" : "memory"),
                 "write .tile name : ub f32[rows, cols], or : f32[rows, cols] of another tile");
        return false;
    }
    tile->space = (uint8_t)words.space;
    tile->dtype = (uint8_t)words.dtype;
    tile->layout = (uint8_t)(words.layout >= 0 ? words.layout
                                               : (int)pto_profile_layout(a->profile, tile->space));
    return true;
}

/* Slots, their distance and an explicit address; a view takes over what it does not say. */
static bool place_of_tile(struct assembly *a, const struct asm_stmt *stmt, struct pto_tile *tile)
{
    const struct pto_tile *parent = stmt->parent ? &a->core->tile[tile->parent] : NULL;
    uint64_t bytes = pto_tile_bytes(tile);
    uint64_t rounded = (bytes + GRANULE - 1) / GRANULE * GRANULE;
    int64_t slots = parent ? parent->slots : 1, address = 0, pitch = 0;
    int64_t stride = parent ? parent->slot_stride : (int64_t)(rounded < UINT32_MAX ? rounded : 0);

    if (stmt->slots && !asm_constant_int(a, stmt->slots, "the number of slots", 1, MAX_SLOTS,
                                         &slots))
        return false;
    if (stmt->stride && !asm_constant_int(a, stmt->stride, "the distance of slots", 0, INT32_MAX,
                                          &stride))
        return false;
    if (stmt->address && !asm_constant_int(a, stmt->address, "an address", 0, INT32_MAX, &address))
        return false;
    if (stmt->pitch && !asm_constant_int(a, stmt->pitch, "a pitch", 1, INT32_MAX, &pitch))
        return false;
    tile->pitch = (uint32_t)pitch;
    tile->slots = (uint32_t)slots;
    tile->slot_stride = (uint32_t)stride;
    tile->address = (uint32_t)address;
    return true;
}

/* A tile in the memory of another sub-core lies where the program there has it, which only the
 * author knows. */
static bool check_abroad(struct assembly *a, const struct asm_stmt *stmt,
                         const struct pto_tile *tile)
{
    if (stmt->address || tile->parent != PTO_NONE ||
        pto_spaces[tile->space].core == a->core_kind)
        return true;
    asm_hint(a, asm_error(a, stmt->name, "tile '%s' lies in %s of another sub-core: it needs an "
                          "address", stmt->name->text, pto_space_name(tile->space)),
             "write @ ADDRESS here and where .core %s declares the tile",
             pto_core_names[pto_spaces[tile->space].core]);
    return false;
}

void asm_tile_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct pto_core_code *core = a->core;
    struct pto_tile tile = {0};
    /* A tile that is wrong is known by name all the same, so that its uses are not reported. */
    bool good = kind_of_tile(a, stmt, &tile) && shape(a, stmt, &tile) &&
                place_of_tile(a, stmt, &tile) && check_tile(a, stmt, &tile) &&
                check_abroad(a, stmt, &tile);

    /* The other places are known when the whole program is. */
    if (good && stmt->address && tile.parent == PTO_NONE)
        good = asm_tile_place(a, stmt, &tile);

    if (core->tiles == ASM_MAX_NAMES) {
        asm_error(a, stmt->token, "a program has at most %d tiles", ASM_MAX_NAMES);
        return;
    }
    if (!asm_symbol_define(a, NS_PLAIN, SYM_TILE, stmt->name, asm_section_now(a), core->tiles))
        return;
    tile.name = asm_module_name(a, stmt->name);
    tile.pos = text_position(&a->text, stmt->token);
    PTO_GROW(a->tile_note, core->tiles, a->note_capacity);
    a->tile_note[core->tiles] = (struct asm_tile_note){stmt, stmt->address != NULL, !good};
    PTO_GROW(core->tile, core->tiles, a->tile_capacity);
    core->tile[core->tiles++] = tile;
}

void asm_local_statement(struct assembly *a, const struct asm_stmt *stmt)
{
    struct pto_core_code *core = a->core;
    int64_t count = 1;
    bool is_float;

    if (!asm_scalar_type(a, stmt->type, &is_float))
        is_float = false;
    asm_constant_int(a, stmt->expr, "the length of a local array", 1, MAX_LOCAL, &count);
    if (core->locals == ASM_MAX_NAMES) {
        asm_error(a, stmt->token, "a program has at most %d local arrays", ASM_MAX_NAMES);
        return;
    }
    if (!asm_symbol_define(a, NS_PLAIN, SYM_LOCAL, stmt->name, asm_section_now(a), core->locals))
        return;
    PTO_GROW(core->local, core->locals, a->local_capacity);
    core->local[core->locals++] = (struct pto_local){
        .name = asm_module_name(a, stmt->name), .is_float = is_float, .count = (uint32_t)count,
        .pos = text_position(&a->text, stmt->token)};
}
