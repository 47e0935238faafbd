/* Values that regions hand on: what a loop carries, what a branch or a function gives.  They are
 * numbers, and pointers, of which the offset is handed on; each has a register.  Loops carry tiles,
 * too: registers hold which one it is, and its valid region where the type leaves that open. */
#ifndef ASM_MLIR_CARRY_H
#define ASM_MLIR_CARRY_H

#include "mlir/chosen.h"

enum { MLIR_CARRIED = 32 }; /* the most of them */

struct mlir_carried {
    const struct mlir_node *name[MLIR_CARRIED];
    struct mlir_value *value[MLIR_CARRIED]; /* what the name is bound to */
    const char *reg[MLIR_CARRIED];          /* of numbers and pointers */
    struct mlir_tiles tiles[MLIR_CARRIED];  /* that the value may be */
    unsigned count;
    bool grown; /* what was handed on may be more tiles than the body was lowered for */
};

/* Is it a number or a pointer?  Tells where not. */
bool mlir_can_carry(struct mlir_lower *l, struct mlir_node *op, const struct mlir_value *value);
/* The same kind of thing, and of pointers the same object. */
bool mlir_alike(const struct mlir_value *a, const struct mlir_value *b);
/* A value like this one in the register of a name, which is assigned here. */
struct mlir_value *mlir_into_register(struct mlir_lower *l, struct mlir_node *op,
                                      const struct mlir_value *value, const char *name);
/* The same of tiles: which one it is, and its valid region.  NULL after an error. */
struct mlir_value *mlir_into_registers(struct mlir_lower *l, struct mlir_node *op,
                                       struct mlir_value *value, struct mlir_tiles *tiles,
                                       const char *name);
/* Read the carried values `(%a = %x, %b = %y)`, and assign the first turn's.  The first time all of
 * `c` is zero; a body that is lowered again has the tiles that were found. */
bool mlir_carry(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *list,
                struct mlir_carried *c);
/* Assign what a region handed on to registers, all at once. */
bool mlir_hand_on(struct mlir_lower *l, struct mlir_node *op, struct mlir_carried *c);
/* Carried value `number` in registers of another name, which are assigned here. */
struct mlir_value *mlir_take_over(struct mlir_lower *l, struct mlir_node *op,
                                  const struct mlir_carried *c, unsigned number,
                                  const char *name);
/* Is it chosen where it is used (select.c)?  Numbers are in a register. */
bool mlir_is_chosen(const struct mlir_value *value);
/* `yes` or `no`, by a condition, as what `op` gives; NULL after an error. */
struct mlir_value *mlir_joined(struct mlir_lower *l, struct mlir_node *op, const char *condition,
                               struct mlir_value *yes, struct mlir_value *no);
/* The names of an operation's results: `%a, %b` or `%a:2`, which is %a#0 and %a#1. */
unsigned mlir_result_names(struct mlir_lower *l, const struct mlir_node *op, const char **name);
void mlir_bind_results(struct mlir_lower *l, struct mlir_node *op,
                       struct mlir_value *const *value, unsigned count);

#endif
