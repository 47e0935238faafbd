/* Tiles that one sub-core writes and the other reads: an operation outside of the sections makes
 * them, once for each, and they are the same bytes. */
#include "mlir/lower.h"

enum { ALIGNMENT = 512 }; /* bytes; of every memory */

static struct mlir_tile *other_half(const struct mlir_tile *tile, struct mlir_tile *others)
{
    while (others && !(others->used && others->node == tile->node))
        others = others->next;
    return others;
}

static bool any_is_placed(const struct mlir_tile *tile, enum pto_space space)
{
    while (tile && !(tile->used && tile->placed && tile->type.space == space))
        tile = tile->next;
    return tile != NULL;
}

static void place(struct mlir_tile *tile, int64_t address)
{
    tile->placed = true;
    tile->address = address;
}

static void share(struct mlir_tile *tiles, struct mlir_tile *others, enum pto_space space)
{
    int64_t address = 0;

    if (any_is_placed(tiles, space) || any_is_placed(others, space))
        return;
    for (struct mlir_tile *tile = tiles; tile; tile = tile->next) {
        struct mlir_tile *other = tile->used && !tile->of && tile->type.space == space
                                      ? other_half(tile, others)
                                      : NULL;

        if (!other)
            continue;
        place(tile, address);
        place(other, address);
        address += (int64_t)mlir_tile_bytes(tile) * tile->slots;
        address = (address + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}

/* A tile of the other sub-core's memory that no other operation of the text says where to find. */
static void refuse_unplaced(struct mlir_lower *l, const struct mlir_tile *tile,
                            enum pto_core_kind core)
{
    for (; tile; tile = tile->next) {
        bool mine = (tile->type.space == PTO_UB) == (core == PTO_AIV);

        if (mine || !tile->used || tile->placed || tile->of)
            continue;
        pto_diag_hint(l->tree->diags,
                      mlir_error(l->tree, tile->node, "the tile '%s' lies in %s of the other "
                                 "sub-core: it needs an address", tile->name,
                                 pto_space_name((enum pto_space)tile->type.space)),
                      "pto.alloc_tile addr = ADDRESS, the same in both functions, or before the "
                      "sections of one");
        l->errors++;
    }
}

/* Where the text says no address, the assembler would choose one for each core by itself. */
void mlir_share_tiles(struct mlir_lower *l, struct mlir_tile *const *tiles)
{
    if (!l->options->profile->a5)
        return;
    share(tiles[PTO_AIC], tiles[PTO_AIV], PTO_UB);
    share(tiles[PTO_AIC], tiles[PTO_AIV], PTO_L1);
    for (unsigned core = 0; core < PTO_CORE_KINDS; core++)
        refuse_unplaced(l, tiles[core], (enum pto_core_kind)core);
}
