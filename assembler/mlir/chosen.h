/* Tiles of which only the run knows which one they are. */
#ifndef ASM_MLIR_CHOSEN_H
#define ASM_MLIR_CHOSEN_H

#include "mlir/lower.h"

enum { MLIR_CANDIDATES = 8, MLIR_MOVES = 3 };

/* The tiles that a value may be, by their numbers. */
struct mlir_tiles {
    struct mlir_value *tile[MLIR_CANDIDATES];
    unsigned count; /* 0: it is no tile */
};

/* A register that gets a value. */
struct mlir_move {
    const char *reg, *text;
    bool is_float;
};

/* Is it a tile, or a choice of tiles? */
bool mlir_is_tile(const struct mlir_value *value);
/* Are two of them of one type? */
bool mlir_tiles_alike(const struct mlir_value *a, const struct mlir_value *b);
/* It may be the tiles that `value` is, too; false after an error. */
bool mlir_tiles_add(struct mlir_lower *l, struct mlir_node *op, struct mlir_tiles *tiles,
                    struct mlir_value *value);
/* What has to be assigned for `value` to be handed on under a name: at most MLIR_MOVES. */
unsigned mlir_tiles_move(struct mlir_lower *l, const struct mlir_tiles *tiles, const char *name,
                         const struct mlir_value *value, struct mlir_move *move);
/* What was handed on under a name. */
struct mlir_value *mlir_tiles_value(struct mlir_lower *l, const struct mlir_tiles *tiles,
                                    const char *name);
/* The one or the other, by a condition. */
struct mlir_value *mlir_tiles_joined(struct mlir_lower *l, const char *condition,
                                     struct mlir_value *yes, struct mlir_value *no);

/* The same, with a valid region of its own in registers of a name where the text changes it. */
struct mlir_value *mlir_tiles_own(struct mlir_lower *l, struct mlir_node *op, const char *name,
                                  struct mlir_value *value);

/* How far a core's program is. */
struct mlir_mark {
    size_t text;
    uint32_t lines, quoted, bindings, errors, brought_in;
    unsigned indent;
    struct mlir_tile **last_tile;
    struct mlir_rings rings;
};
void mlir_mark(const struct mlir_lower *l, struct mlir_mark *mark);
/* Go back there; tiles that came since are taken again by the operations that made them.  False
 * where there are errors: the program ends here. */
bool mlir_begin_again(struct mlir_lower *l, struct mlir_node *op, const struct mlir_mark *mark);

#endif
